"""Every theorem-like environment and numbered display of a paper, numbered as LaTeX numbers them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pylatexenc.latexwalker import (
    LatexEnvironmentNode,
    LatexMacroNode,
    LatexWalker,
    LatexWalkerParseError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import std_environment, std_macro

from audit.tex.source import BadSource, Source, read_source
from audit.tex.theorems import Kind, kinds_of, title_in

__all__ = ["Statement", "statements_of", "title_of"]

ROWS = {"align", "gather", "eqnarray", "alignat", "flalign", "IEEEeqnarray", "dmath"}
"""Displays that number each row."""
WHOLE = {"equation", "multline", "subequations"}
LEVELS = ("section", "subsection", "subsubsection")
_WITHIN = re.compile(r"\\(?:numberwithin|counterwithin)\*?\s*\{equation\}\s*\{section\}")
_MARKS = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag)\b")


@dataclass(frozen=True)
class Statement:
    """One statement as printed: what it is called, its number, where it stands, and its LaTeX."""

    name: str
    number: str
    section: str
    printed: str
    label: str = ""

    @property
    def is_display(self) -> bool:
        return self.name == "Eq."


def statements_of(path: Path) -> list[Statement]:
    """The statements of a paper in the order of print; `BadSource` in one line for bad input."""
    source = read_source(path)
    try:
        nodes, _, _ = LatexWalker(
            source.body, latex_context=_context(), tolerant_parsing=False
        ).get_latex_nodes()
        return list(_Reader(source).found(nodes))
    except LatexWalkerParseError as error:
        near = " ".join(source.body[max(0, error.pos - 40) : error.pos + 40].split())
        reason = error.msg.split(" @")[0].lower()
        raise BadSource(f"--tex {path}: unbalanced near {near!r} ({reason}); mend it") from None
    except RecursionError:
        raise BadSource(f"--tex {path}: groups inside groups without end; mend it") from None


def title_of(path: Path) -> str:
    """The paper's title as its source gives it, or nothing."""
    source = read_source(path)
    return title_in(source.preamble) or title_in(source.body)


def _context() -> Any:
    """Macros whose arguments matter here, beside those that the parser knows."""
    context = get_default_latex_context_db()
    context.add_context_category(
        "statements", prepend=True,
        macros=[std_macro("tag", "*{"), std_macro("label", "{"), *(std_macro(x, "*[{") for x in LEVELS)],
        environments=[std_environment("restatable", "[{{"), std_environment("restatable*", "[{{")],
    )  # fmt: skip
    return context


@dataclass
class _Reader:
    """Counters as LaTeX keeps them, moved by the nodes in the order of print."""

    source: Source
    counts: dict[str, int] = field(default_factory=dict)
    appendix: bool = False
    parent: str = ""

    def __post_init__(self) -> None:
        self.kinds = kinds_of(self.source.preamble)
        self.by_section = bool(_WITHIN.search(self.source.preamble))

    def found(self, nodes: Sequence[Any] | None) -> Iterator[Statement]:
        """Statements of nodes and of all that stands inside them."""
        for node in nodes or ():
            if isinstance(node, LatexMacroNode):
                self._counted(node)
            elif isinstance(node, LatexEnvironmentNode):
                yield from self._environment(node)
            elif getattr(node, "nodelist", None):
                yield from self.found(node.nodelist)

    def _counted(self, node: LatexMacroNode) -> None:
        if node.macroname == "appendix":
            self.appendix, self.counts["section"] = True, 0
        elif node.macroname in LEVELS and not node.latex_verbatim().startswith(
            f"\\{node.macroname}*"
        ):
            level = LEVELS.index(node.macroname)
            self._step(node.macroname)
            for lower in LEVELS[level + 1 :]:
                self.counts[lower] = 0
            for counter, within in self._dependent():
                if within in LEVELS[level:]:
                    self.counts[counter] = 0

    def _dependent(self) -> Iterator[tuple[str, str]]:
        yield from ((kind.counter, kind.within) for kind in self.kinds.values() if kind.within)
        if self.by_section:
            yield "equation", "section"

    def _step(self, counter: str) -> int:
        self.counts[counter] = self.counts.get(counter, 0) + 1
        return self.counts[counter]

    def section(self, depth: int = len(LEVELS)) -> str:
        """The number of the section that is open, to a depth."""
        numbers = [self.counts.get(level, 0) for level in LEVELS[:depth]]
        while numbers and not numbers[-1]:
            numbers.pop()
        shown = list(map(str, numbers))
        if shown and self.appendix and 0 < numbers[0] <= 26:
            shown[0] = chr(ord("A") + numbers[0] - 1)
        return ".".join(shown)

    def _place(self) -> str:
        number = self.section()
        return f"{'App.' if self.appendix else 'Sec.'} {number}" if number else ""

    def _environment(self, node: LatexEnvironmentNode) -> Iterator[Statement]:
        name = node.environmentname
        base = name.rstrip("*")
        if base == "restatable":
            base = name = _argument(node, 1)
        if base in ROWS | WHOLE:
            if name == base:
                yield from self._display(node, base)
            else:  # unnumbered, but for rows with a tag
                yield from (s for s in self._rows(node.nodelist, numbered=False))
        elif name in self.kinds or base in self.kinds:
            kind = self.kinds.get(name) or self.kinds[base]
            yield self._theorem(node, kind, numbered=name in self.kinds)
            yield from self.found(node.nodelist)
        else:
            yield from self.found(node.nodelist)

    def _theorem(self, node: LatexEnvironmentNode, kind: Kind, numbered: bool) -> Statement:
        number = ""
        if numbered and kind.counter:
            own = str(self._step(kind.counter))
            above = self.section(LEVELS.index(kind.within) + 1) if kind.within in LEVELS else ""
            number = f"{above}.{own}" if above else own
        text = "".join(n.latex_verbatim() for n in node.nodelist)
        return Statement(kind.title, number, self._place(), _squeezed(text), _label(node.nodelist))

    def _display(self, node: LatexEnvironmentNode, base: str) -> Iterator[Statement]:
        if base == "subequations":
            before, self.parent = self.parent, self._equation()
            self.counts["subequation"] = 0
            yield from self.found(node.nodelist)
            self.parent = before
        elif base in ROWS:
            yield from self._rows(node.nodelist, numbered=True)
        else:
            yield from self._row(node.nodelist, numbered=True)

    def _rows(self, nodes: Sequence[Any], numbered: bool) -> Iterator[Statement]:
        row: list[Any] = []
        for node in nodes:
            if isinstance(node, LatexMacroNode) and node.macroname == "\\":
                yield from self._row(row, numbered)
                row = []
            else:
                row.append(node)
        yield from self._row(row, numbered)

    def _row(self, nodes: Sequence[Any], numbered: bool) -> Iterator[Statement]:
        # Where a row is aligned says nothing; inside a matrix or cases it does, and stays.
        printed = (n for n in nodes if getattr(n, "specials_chars", "") != "&")
        text = "".join(node.latex_verbatim() for node in printed)
        macros = {n.macroname: n for n in _macros(nodes)}
        if not _squeezed(text):
            return
        if "tag" in macros:
            number = _argument(macros["tag"], 1).strip("()$ ")
        elif not numbered or {"nonumber", "notag"} & macros.keys():
            return
        else:
            number = self._equation()
        yield Statement("Eq.", number, self._place(), _squeezed(text), _label(nodes))

    def _equation(self) -> str:
        if self.parent:
            return f"{self.parent}{chr(ord('a') + self._step('subequation') - 1)}"
        above = self.section(1) if self.by_section else ""
        own = str(self._step("equation"))
        return f"{above}.{own}" if above else own


def _macros(nodes: Sequence[Any]) -> Iterator[LatexMacroNode]:
    """Macros of a row; those of a `split` or `aligned` inside belong to the row as well."""
    for node in nodes:
        if isinstance(node, LatexMacroNode):
            yield node
        elif isinstance(node, LatexEnvironmentNode):
            yield from _macros(node.nodelist)


def _argument(node: Any, place: int) -> str:
    """An argument as text, without its braces."""
    argument = node.nodeargd.argnlist[place]
    return "" if argument is None else argument.latex_verbatim().strip("{}[] ")


def _label(nodes: Sequence[Any]) -> str:
    """The label among the nodes themselves; one further inside is of something else."""
    labels = (n for n in nodes if isinstance(n, LatexMacroNode) and n.macroname == "label")
    return next((_argument(node, 0) for node in labels), "")


def _squeezed(text: str) -> str:
    """LaTeX on one line, without labels, tags and what only ends a line."""
    return re.sub(r"(?:\s|\\\\)+$", "", " ".join(_MARKS.sub(" ", text).split()))
