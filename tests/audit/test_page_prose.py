"""What a page says outside formulas and code is prose: no LaTeX, no Python, no ASCII mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from operator import itemgetter
from pathlib import Path

import pytest
from batches import share

SET_APART = {"math", "code", "pre", "script", "style", "svg"}
FAULTS = {
    "a LaTeX command": re.compile(r"\\[A-Za-z]+"),
    "a dollar sign": re.compile(r"\$"),
    "a Python object": re.compile(
        r"\{'|\[\[|(?<=[\w,=:(] )(?:True|False|None)\b|^(?:True|False|None|nan|inf)$|^\(\)$"
    ),
    "a power in ASCII": re.compile(r"\*\*|[A-Za-z0-9)]\^[A-Za-z0-9({]"),
    "an index in ASCII": re.compile(r"(?<![\w./-])[A-Za-z]+_[A-Za-z0-9{]+(?![\w./])"),
    "a relation in ASCII": re.compile(r"<=|>=|!=|==|\+-"),
    "a function in ASCII": re.compile(r"\b(?:sqrt|exp|log|sum|max|min)\("),
    "no interval": re.compile(r"±\s*0(?:\.0*)?(?![.\d])"),
}
"""What no reader should meet; the words of the code stand in `code`."""
_PYTHON = re.compile(r"\\|\*\*|\[i\d")
"""What the words of a formula do not hold; LaTeX that could not be set stands in `code`."""


_MATHEMATICS = re.compile(r"<math\b.*?</math>", re.DOTALL)


def _unless_doubtful(formula: re.Match[str]) -> str:
    """Nothing where a formula has neither words nor commands: pages hold tens of thousands."""
    return formula[0] if "\\" in formula[0] or "<mtext" in formula[0] else ""


class VisibleText(HTMLParser):
    """The text of a page outside formulas, code and pictures, a line for each element."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.lines: list[str] = []
        self.formulas: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SET_APART | {"mtext"}:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside and data.strip():
            self.lines.append(data.strip())
        elif (self.inside in (["code"], ["math"]) and "\\" in data) or (
            self.inside == ["math", "mtext"] and _PYTHON.search(data)
        ):
            self.formulas.append(data)


def faults_of(page: str) -> list[str]:
    """Each fault of a page by its kind, with the line that it stands in."""
    reader = VisibleText()
    reader.feed(_MATHEMATICS.sub(_unless_doubtful, page))
    said = [
        f"{kind}: {line}"
        for line in reader.lines
        for kind, pattern in FAULTS.items()
        if pattern.search(line)
    ]
    return said + [f"code in a formula: {text}" for text in reader.formulas]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (r"at most \frac12", "a LaTeX command"), ("costs $5", "a dollar sign"),
        ("at {'n': 2}", "a Python object"), ("it is True", "a Python object"),
        ("X = [[1], [2]]", "a Python object"), ("x**2", "a power in ASCII"),
        ("|x|_2^2", "a power in ASCII"), ("d_k for d_v", "an index in ASCII"),
        ("n &lt;= 2", "a relation in ASCII"), ("sqrt(3)", "a function in ASCII"),
        ("<code>\\frac12</code>", "code in a formula"), ("<math><mo>\\|</mo></math>", "code in a formula"),
        ("<math><mtext>(-1/n**2) X[i2;i0]</mtext></math>", "code in a formula"),
        ("4 ± 0", "no interval"), ("4 ± 0.0", "no interval"),
    ],
)  # fmt: skip
def test_faults_are_seen(text: str, kind: str) -> None:
    assert any(fault.startswith(kind) for fault in faults_of(f"<p>{text}</p>"))


@pytest.mark.parametrize(
    "text",
    [
        "<math><mtext>for all </mtext></math>",
        "Evaluated exactly at this point, the statement fails.", "4 ± 0.05",
        "<code>d_k ** 2 <= 1</code> and <math><mi>x</mi></math>",
        "Sec. 3.1, Eq. (8); none is true of noci2022.lemma-3.1",
    ],
)  # fmt: skip
def test_prose_is_left_alone(text: str) -> None:
    assert faults_of(f"<p>{text}</p>") == []


def _texts(site: Path) -> Iterator[tuple[Path, str]]:
    return ((page, page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html")))


def test_pages_are_prose(site: Path) -> None:
    found = [
        f"{page.name}: {fault}"
        for page, text in share(_texts(site), 2, itemgetter(1))
        for fault in faults_of(text)[:3]
    ]
    assert not found, "\n".join(found[:50])
