"""What a document says, as each output may show it: LaTeX, Markdown, HTML, a terminal.

A document may have been edited.  Words are escaped for the output they go to; a formula is let
through if it is mathematics made of the commands listed here, and is shown as words otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

__all__ = [
    "LATEX_SPECIAL",
    "Escaped",
    "Formula",
    "Prose",
    "Words",
    "as_latex",
    "as_markdown",
    "code_span",
    "is_mathematics",
    "latex_text",
    "markdown_text",
    "one_line",
    "paragraph",
    "printable",
    "web_address",
    "with_quotes",
    "without_markup",
]

LONGEST_FORMULA, DEEPEST_FORMULA = 20_000, 40
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip

GREEK = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
    varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi
    Pi Sigma Upsilon Phi Psi Omega
"""
SYMBOLS = """
    aleph angle approx asymp ast bigcap bigcup bigoplus bigotimes bigvee bigwedge bot boxtimes bullet cap cdot
    cdots circ colon cong coprod cup dagger ddots diamond div dots dotsb dotsc dotsm dotso downarrow
    ell emptyset equiv exists flat forall ge geq geqslant gets gg gt hbar hookrightarrow iff iint Im
    implies in infty int langle lbrace lbrack lceil ldots le leftarrow Leftarrow leftrightarrow
    Leftrightarrow leq leqslant lesssim gtrsim lfloor ll lnot longleftrightarrow longmapsto
    longrightarrow Longrightarrow lt lVert lvert mapsto mid mp nabla ne nearrow neg neq nexists ni
    nmid not notin odot oint ominus oplus otimes parallel partial perp pm prec preceq prime prod
    propto qquad quad rangle rbrace rbrack rceil Re rfloor rightarrow Rightarrow rightharpoonup
    rVert rvert setminus sharp sim simeq smallsetminus sqcap sqcup star subset subseteq subsetneq
    succ succeq sum supset supseteq surd swarrow tilde times to top triangle triangleq uparrow
    varnothing vdots vee vert Vert wedge wp wr
"""
FUNCTIONS = """
    arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf
    limsup ln log max min mod bmod pmod Pr sec sin sinh sup tan tanh
"""
LAYOUT = """
    Big Bigg Biggl Biggr Bigl Bigr bar begin big bigg biggl biggr bigl bigr binom boldsymbol breve
    check dbinom ddot dfrac displaystyle dot end frac hat left limits mathbb mathbf mathcal mathfrak
    mathit mathrm mathscr mathsf mathtt mathop mathbin mathrel middle nolimits operatorname overbrace
    overline overrightarrow overset overleftarrow right scriptscriptstyle scriptstyle sqrt stackrel
    substack text textbf textit textrm textstyle tfrac tbinom underbrace underline underset vec
    widehat widetilde acute grave xrightarrow
    textbackslash textasciitilde textasciicircum textless textgreater textbar
"""
COMMANDS = frozenset(f"{GREEK} {SYMBOLS} {FUNCTIONS} {LAYOUT}".split()) | set(" ,:;!{}|\\#%_&$")
ENVIRONMENTS = frozenset(
    {
        "aligned", "array", "bmatrix", "cases", "gathered", "matrix", "pmatrix", "smallmatrix",
        "split", "vmatrix", "Vmatrix",
    }
)  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_TOKEN = re.compile(r"\\(?:begin|end)\{([A-Za-z]*)\}|\\[A-Za-z]+|\\.|[{}&]", re.DOTALL)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]|[\ud800-\udfff]"
)
"""What no output shows: C0 and C1 control characters but tab and newline, separators, surrogates."""
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Overrides of the writing direction, which make text read otherwise than it is."""


_IN_LETTERS = {
    r"\|": r"\Vert ", r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\,": r"\thinspace ",
    r"\:": r"\medspace ", r"\;": r"\thickspace ", r"\!": r"\negthinspace ", r"\ ": r"\space ",
    "\\\\": r"\cr ", r"\#": r"\sharp ", r"\%": r"\text{ percent}", r"\&": r"\text{ and }",
    r"\_": r"\text{-}", r"\$": r"\text{dollars}",
}  # fmt: skip
"""Commands that Markdown would read as escapes, and the same in letters."""
_OF_MARKDOWN = {
    "<": r"\lt ",
    ">": r"\gt ",
    "*": r"\ast ",
    "~": r"\space ",
    "|": r"\vert ",
    "`": "'",
}
"""Signs that begin a tag, an emphasis, a deletion, a cell or code in Markdown, and the same in letters."""
_PIECE = re.compile(r"\$([^$]+)\$|`([^`]+)`|([^$`]+|[$`])")


class Formula(str):
    """A LaTeX formula from a document, without its dollar signs."""


class Prose(str):
    """Words from a document with formulas between dollar signs, and names in backticks."""

    def pieces(self) -> Iterator[Formula | Words | str]:
        """Formulas, quoted words and plain words in order; a dollar without a partner is a word."""
        text = with_quotes(one_line(self))
        for found in _PIECE.finditer(text):
            formula, quoted, words = found.groups()
            yield Formula(formula) if formula else Words(quoted) if quoted else words


class Words(str):
    """Words in backticks."""


class Escaped(str):
    """Text that is as its output shows it."""


def is_mathematics(formula: str) -> bool:
    """Whether a formula is made of known commands alone, balanced, and cannot leave math mode."""
    if len(formula) > LONGEST_FORMULA or "^^" in formula or printable(formula) != formula:
        return False
    if not all(command in COMMANDS for command in _COMMAND.findall(formula)):
        return False
    if re.search(r"[$%#\\]", _COMMAND.sub("", formula)):
        return False
    return _balanced(formula)


def _balanced(formula: str) -> bool:
    r"""Braces, environments and \left ... \right closed in the order they were opened."""
    closing = {"}": "{", r"\right": r"\left"}
    opened: list[str] = []
    for token in _TOKEN.finditer(formula):
        word, name = token[0], token[1]
        if word.startswith((r"\begin", r"\end")):
            if name not in ENVIRONMENTS:
                return False
            if word.startswith(r"\begin"):
                opened.append(name)
            elif not opened or opened.pop() != name:
                return False
        elif word in {"{", r"\left"}:
            opened.append(word)
        elif word in closing:
            if not opened or opened.pop() != closing[word]:
                return False
        elif word == "&" and not ENVIRONMENTS.intersection(opened):
            return False
        if len(opened) > DEEPEST_FORMULA:
            return False
    return not opened


def printable(text: str) -> str:
    """Text without control characters and overrides of the writing direction."""
    return _BIDI.sub("", _CONTROL.sub("", text))


def one_line(text: str) -> str:
    """Text as a message or a paragraph holds it: no line breaks, no control characters."""
    return " ".join(printable(text).split())


_QUOTED = re.compile(r"``([^`']*)''")


def with_quotes(text: str) -> str:
    """Text with the quotation marks that LaTeX makes of two accents and two primes.

    >>> with_quotes("the ``close'' of f''")
    "the “close” of f''"
    """
    return _QUOTED.sub(r"“\1”", text)


def latex_text(text: str) -> str:
    """Words as LaTeX prints them: every special character escaped, on one line."""
    return "".join(LATEX_SPECIAL.get(character, character) for character in one_line(text))


def markdown_text(text: str) -> str:
    """Words as Markdown shows them, on one line: no markup, no HTML and no formula of their own."""
    escaped = re.sub(r"[\\`*_{}\[\]<>|&$~]", r"\\\g<0>", one_line(text))
    # What starts a heading, a quotation or a list at the start of a line.
    return re.sub(
        r"^([-+=#])|^(\d+)([.)])(?=\s|$)", lambda m: f"{m[2] or ''}\\{m[1] or m[3]}", escaped
    )


def code_span(text: str) -> Escaped:
    """Words in backticks, which cannot end inside."""
    return Escaped(f"`{one_line(text).replace('`', chr(39))}`")


def as_latex(value: object) -> str:
    """A value on its way into a LaTeX file."""
    if isinstance(value, Prose):
        return paragraph(value, latex_text, lambda name: rf"\texttt{{{latex_text(name)}}}")
    if isinstance(value, Formula):
        if not is_mathematics(value):
            return rf"\text{{{latex_text(value)}}}"
        return re.sub(r"\s+", " ", value)  # a blank line would end the formula
    return latex_text(str(value))


def as_markdown(value: object) -> str:
    """A value on its way into a Markdown file; a formula stands between dollar signs there.

    A reader without mathematics would see tags, links and code in a formula: `<` is written as a
    command, no bracket touches what would make it a link, and backticks are quotes.  No sign follows a
    backslash, which Markdown would take for its own.
    """
    if isinstance(value, Escaped):
        return value
    if isinstance(value, Prose):
        return paragraph(value, markdown_text, code_span, as_markdown)
    if not isinstance(value, Formula):
        return markdown_text(str(value))
    return without_markup(as_latex(value))


def without_markup(formula: str) -> str:
    r"""A formula in which Markdown finds nothing of its own; to a reader of LaTeX it is the same.

    CommonMark ends an emphasis at no underscore after a space, so that a space before each keeps any
    from beginning; a formula that ends in a space is none; forges refuse `\operatorname`.
    """
    formula = with_quotes(formula)
    formula = re.sub(r"\\[^A-Za-z]", lambda found: _IN_LETTERS.get(found[0], found[0]), formula)
    formula = re.sub(r"\\operatorname\*?\{([^{}]*)\}", r"\\mathop{\\mathrm{\1}}", formula)
    formula = re.sub(r"[<>*~|`]", lambda found: _OF_MARKDOWN[found[0]], formula)
    formula = re.sub(r"\](?=[(\[:])", "]{}", formula)
    return re.sub(r" *_", " _", formula).strip()


def paragraph(
    prose: Prose,
    words: Callable[[str], str],
    quoted: Callable[[str], str],
    formula: Callable[[object], str] = as_latex,
) -> str:
    """The pieces of a paragraph, each escaped for its output; spaces between them are kept."""
    shown = []
    for piece in prose.pieces():
        if isinstance(piece, Formula):
            shown.append(f"${formula(piece)}$")
        elif isinstance(piece, Words):
            shown.append(quoted(piece))
        else:
            before, after = (" " * (piece[end] == " ") for end in (0, -1))
            shown.append(f"{before}{words(piece)}{after}" if piece.strip() else " ")
    return "".join(shown).strip()


def web_address(text: object) -> str | None:
    """An address that may be linked to: http or https with a host, else None."""
    if not isinstance(text, str) or one_line(text) != text or " " in text:
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return text if parts.scheme in {"http", "https"} and parts.hostname else None
