r"""How errata show what a document says: formulas in lines that a page holds, escaped words, names.

In LaTeX a long formula is broken, never set smaller.  In Markdown it stands between dollars, and has
no backslash before a sign, which Markdown would take for itself.
"""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from audit.formulas.lines import CHANGED, breakable, lines
from audit.sinks import (
    Escaped,
    Formula,
    Prose,
    as_latex,
    as_markdown,
    code_span,
    latex_text,
    paragraph,
    without_markup,
)

__all__ = ["environment"]

DISPLAYED = {"tex": 38.0, "md": 48.0}
"""Widths of a displayed line, in em: of 16 cm at 11 points, and of a page on the web."""
IN_TEXT, IN_CELL = 14.0, 16.0
"""Widths of what is not broken in a paragraph, and of a cell of the table, both in LaTeX."""


@cache
def environment(suffix: str) -> Environment:
    """Templates of errata in Markdown (`md`) or LaTeX (`tex`): every value that they show is escaped.

    `display` sets a formula on lines of its own, `cell` a value in a table, `code` a name.
    """
    shown = _as_tex if suffix == "tex" else as_markdown
    made = Environment(
        loader=PackageLoader("audit"), undefined=StrictUndefined, keep_trailing_newline=True,
        trim_blocks=True, autoescape=False, finalize=shown,  # neither Markdown nor LaTeX is HTML
    )  # fmt: skip
    made.filters["display"] = _tex_display if suffix == "tex" else _markdown_display
    made.filters["cell"] = _tex_cell if suffix == "tex" else _markdown_cell
    made.filters["code"] = _tex_name if suffix == "tex" else code_span
    return made


# LaTeX --------------------------------------------------------------------------------------------


def _as_tex(value: object, room: float = IN_TEXT) -> str:
    if isinstance(value, Escaped):
        return value
    if isinstance(value, Formula):
        return _coloured(breakable(as_latex(value), room))
    if isinstance(value, Prose):
        return paragraph(value, latex_text, _tex_name, lambda f: _as_tex(f, room))
    return latex_text(str(value))


def _tex_cell(value: object) -> Escaped:
    return Escaped(_as_tex(value, IN_CELL))


def _tex_name(name: str) -> Escaped:
    """A name in typewriter letters, which may be broken after its dots and dashes."""
    broken = re.sub(r"([.-])", r"\1\\allowbreak{}", latex_text(name))
    return Escaped(rf"\texttt{{{broken}}}")


def _tex_display(formula: Formula) -> Escaped:
    shown = [_coloured(line) for line in lines(as_latex(formula), DISPLAYED["tex"])]
    if len(shown) == 1:
        return Escaped(f"\\[\n{shown[0]}\n\\]")
    return Escaped(f"\\begin{{align*}}\n&{_indented(shown, chr(92) * 2)}\n\\end{{align*}}")


def _coloured(formula: str) -> str:
    return formula.replace(CHANGED, r"\changed{")


def _indented(shown: list[str], end: str) -> str:
    return f" {end}\n&\\qquad ".join(shown)


# Markdown -----------------------------------------------------------------------------------------


def _markdown_display(formula: Formula) -> Escaped:
    shown = lines(as_latex(formula), DISPLAYED["md"])
    if len(shown) > 1:
        shown = [
            rf"\begin{{aligned}}{chr(10)}&{_indented(shown, chr(92) * 2)}{chr(10)}\end{{aligned}}"
        ]
    return Escaped(f"$$\n{without_markup(shown[0])}\n$$")


def _markdown_cell(value: object) -> Escaped:
    """In a table a vertical bar, even of a name, would end the cell."""
    return Escaped(re.sub(r"(?<!\\)\|", r"\\|", as_markdown(value)))
