r"""Characters of formulas: what a LaTeX command, a style, an accent or a script is in Unicode."""

from __future__ import annotations

import unicodedata
from functools import cache

from latex2mathml.symbols_parser import convert_symbol

__all__ = ["STYLES", "accented", "named_symbol", "script", "styled"]

_OWN = {
    "epsilon": "ε", "phi": "φ", "ast": "∗", "sim": "∼", "perp": "⊥", "setminus": "∖", "Re": "Re",
    "Im": "Im", "cdot": "·", "mid": "|", "lt": "<", "gt": ">", "top": "⊤", "nmid": "∤",
    "triangleq": "≜", "implies": "⇒", "iff": "⇔", "Longrightarrow": "⇒",
    "Longleftrightarrow": "⇔", "longrightarrow": "→", "longleftrightarrow": "↔",
    "longmapsto": "↦", "liminf": "lim inf", "limsup": "lim sup", "hbar": "ħ", "|": "‖",
    "varphi": "ϕ", "varepsilon": "ϵ",
}  # fmt: skip
"""Where a terminal's letter is better than the table's: arrows of one length, and the two forms of phi
and epsilon changed about, so that the usual one is the letter that every font has."""
STYLES = {
    "mathbb": "DOUBLE-STRUCK", "mathbf": "BOLD", "boldsymbol": "BOLD", "mathcal": "SCRIPT",
    "mathscr": "SCRIPT", "mathfrak": "FRAKTUR",
}  # fmt: skip
_ACCENTS = {
    "acute": 0x301, "bar": 0x304, "breve": 0x306, "check": 0x30C, "ddot": 0x308, "dot": 0x307,
    "grave": 0x300, "hat": 0x302, "overline": 0x304, "tilde": 0x303, "vec": 0x20D7,
    "widehat": 0x302, "widetilde": 0x303, "overrightarrow": 0x20D7, "overleftarrow": 0x20D6,
}  # fmt: skip
_NAMED_ACCENTS = {
    "widehat": "hat", "widetilde": "tilde", "overline": "bar",
    "overrightarrow": "vec",
}  # fmt: skip
_SCRIPT_BLOCKS = (range(0xB2, 0xBA), range(0x2B0, 0x2100), range(0x2C7C, 0x2C7E))
"""Where Unicode has its small raised and lowered letters; the ordinals of Spanish are left out."""


def named_symbol(command: str) -> str:
    r"""The character of a command, named without its backslash; its name where it has none.

    >>> named_symbol("alpha"), named_symbol("le"), named_symbol("log")
    ('α', '≤', 'log')
    """
    if command in _OWN:
        return _OWN[command]
    code = convert_symbol(f"\\{command}")
    return command if code is None else chr(int(code, 16))


@cache
def _scripts() -> dict[str, dict[int, str]]:
    """Raised and lowered forms of characters, from the decompositions of Unicode."""
    found: dict[str, dict[int, str]] = {"<super>": {}, "<sub>": {}}
    for code in (code for block in _SCRIPT_BLOCKS for code in block):
        kind, *of = unicodedata.decomposition(chr(code)).split() or [""]
        if kind in found and len(of) == 1:
            found[kind][int(of[0], 16)] = chr(code)
    for forms in found.values():
        forms[ord("-")] = forms[ord("−")]
    found["<super>"] |= {ord("⊤"): "ᵀ", ord("′"): "′", ord("∗"): "*", ord("*"): "*", ord("†"): "†"}
    return found


def script(text: str, *, raised: bool) -> str | None:
    """Text as a power or an index, or None unless every character of it has such a form.

    >>> script("t+1", raised=False), script("q", raised=False)
    ('ₜ₊₁', None)
    """
    forms = _scripts()["<super>" if raised else "<sub>"]
    if not all(ord(character) in forms for character in text):
        return None
    return text.translate(forms)


def styled(text: str, command: str) -> str:
    """Letters and digits in the style of a command; other characters stay as they are."""
    return "".join(_styled(character, STYLES[command]) for character in text)


def _styled(letter: str, style: str) -> str:
    words = unicodedata.name(letter, "").split()
    if not letter.isalnum() or len(words) not in {2, 4}:
        return letter  # neither DIGIT ONE nor LATIN SMALL LETTER X
    case = words[0] if len(words) == 2 else words[1]
    for prefix in ("MATHEMATICAL ", ""):  # R, N, Z and their like were there before the block
        try:
            return unicodedata.lookup(f"{prefix}{style} {case} {words[-1]}")
        except KeyError:
            continue
    return letter


def accented(text: str, command: str) -> str:
    """An accent over one letter; over more of them its name, as a function.

    >>> accented("x", "bar"), accented("A B", "widehat")
    ('x̄', 'hat(A B)')
    """
    if len(text) == 1 and text.isalpha():
        return unicodedata.normalize("NFC", text + chr(_ACCENTS[command]))
    return f"{_NAMED_ACCENTS.get(command, command)}({text})"
