r"""Mathematics as code writes it, `d_k for d_v`, as prose with formulas: names of mutants, sources.

Only what is plainly mathematical becomes a formula: letters with scripts, Greek names, letters by
themselves, numbers and operators beside such.  Everything else stays words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.formulas.reader import parsed
from audit.sinks import GREEK, Prose

__all__ = ["as_prose"]

LONGEST = 200
"""Characters of a name or a source; what is longer was not written for this."""
_ALIASES = {
    "xbar": r"\bar{x}", "atilde": r"\tilde{\alpha}", "sqrt": r"\sqrt", "(x)": r"\otimes", ">=": r"\ge",
    "<=": r"\le", "!=": r"\ne", "||": r"\|", "infinity": r"\infty", "×": r"\times ",
}  # fmt: skip
_GREEK = frozenset(GREEK.split())
_TOKEN = re.compile(r"\(x\)|\|\||>=|<=|!=|[A-Za-z]+|\d+(?:\.\d+)?|.")
_SCRIPT = re.compile(r"([_^])(\{[^{}]*\}|\([^()]*\)|-?(?:[A-Za-z]+|\d+))")
_SIGN = re.compile(r"[+\-=/*<>]|>=|<=|!=|\(x\)")
_MATHEMATICAL = re.compile(r"[_^]|\d/|/\d|\|\||[<>!]=|=|\bsqrt\b")


def as_prose(text: str, *, scripts_only: bool = False) -> Prose:
    r"""Words with the mathematics among them between dollars; what has dollars already is left alone.

    With `scripts_only`, only names with a script are mathematics: `A_1`, not `Eqs. (2)-(4)`.

    >>> as_prose("d_k for sqrt(d_k)"), as_prose("1 - rho for (1 - rho)^2")
    ('$d_{k}$ for $\\sqrt{d_{k}}$', '$1 - \\rho$ for $(1 - \\rho)^{2}$')
    >>> as_prose("a sum over the first half")
    'a sum over the first half'
    """
    if "$" in text or "`" in text or len(text) > LONGEST:
        return Prose(text)
    words = re.sub(r"(?<=\w) x (?=\w+\})", "×", text).split(" ")
    kinds = [_kind(word) for word in words]
    if scripts_only:
        kinds = ["m" if re.search("[_^]", word) else "w" for word in words]
    shown: list[str] = []
    place = 0
    while place < len(words):
        end = _run(kinds, place)
        formula = _formula(words[place:end]) if end > place else ""
        shown.append(formula or words[place])
        place = end if formula else place + 1
    return Prose(" ".join(shown))


def _kind(word: str) -> str:
    """`m` for mathematics, `n` for a number, `o` for an operator, `w` for a word."""
    bare = word.strip("(),;:.")
    if re.fullmatch(r"\([a-z]\)", word):
        return "w"
    if word == "(x)" or _SIGN.fullmatch(word):
        return "o"
    if not bare or not re.search(r"[A-Za-z0-9|]", bare):
        return "w"
    if _MATHEMATICAL.search(bare) or bare in _GREEK or bare in _ALIASES:
        return "m"
    letters = re.findall(r"[A-Za-z]+", bare)
    if bare.isdigit() or (len(bare) == 1 and bare != "a"):
        return "n" if bare.isdigit() else "m"
    compact = all(len(part) == 1 or part in _GREEK for part in letters)
    return "m" if compact and re.search(r"[+\-*/(]", bare) else "w"


def _run(kinds: Sequence[str], place: int) -> int:
    """The end of the formula that may begin at a place: operators and numbers join what is beside them."""
    end = place
    while end < len(kinds) and kinds[end] != "w":
        end += 1
    while end > place and kinds[end - 1] == "o":
        end -= 1
    return end if "m" in kinds[place:end] else place


def _formula(words: Sequence[str]) -> str:
    """A run of words as one formula between dollars; nothing where it is none, or not balanced."""
    text = " ".join(words)
    body = text.rstrip(",;:.")
    if body.count("(") != body.count(")"):
        return ""
    if any(
        name not in _GREEK and name not in _ALIASES for name in re.findall("[A-Za-z]{5,}", body)
    ):
        return ""
    latex = _latex(body)
    try:
        parsed(latex)
    except ValueError:
        return ""
    return f"${latex}${text[len(body) :]}"


def _latex(text: str) -> str:
    text = re.sub(r"sqrt\(([^()]*)\)", r"sqrt{\1}", text)
    text = re.sub(r"sqrt ([A-Za-z]+(?:_[A-Za-z0-9]+)?)", r"sqrt{\1}", text)
    text = re.sub(r"\^([A-Za-z])\^T\b", r"^{\1 T}", text)  # a power of a power: one script
    text = _SCRIPT.sub(lambda found: f"{found[1]}{{{found[2].strip('{}')}}}", text)
    text = re.sub(r"\^\{([^{}]*)\}", lambda found: _transposed(found[1]), text)
    shown = "".join(map(_word, _TOKEN.findall(text))).replace("*", r"\cdot ")
    return re.sub(r" (?=[\s_^)}]|$)", "", shown)


def _transposed(script: str) -> str:
    return "^{" + re.sub(r"\bT\b", "top", script) + "}"


def _word(token: str) -> str:
    if token == "top":
        return r"\top"
    if token in _GREEK:
        return rf"\{token} "
    return _ALIASES.get(token, token)
