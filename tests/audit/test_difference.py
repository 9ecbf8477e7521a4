"""What changes between two formulas is marked without cutting through any of their parts."""

from __future__ import annotations

import pytest

from audit.formulas.difference import difference
from audit.formulas.reader import nodes_of
from audit.formulas.tree import latex_of
from audit.sinks import is_mathematics
from claims.registry import encoded

PAIRS = [
    (claim.statement.latex(), claim.repair.statement.latex())
    for claim in encoded().values()
    if claim.repair is not None
]


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        (r"\sigma_x^2 d", r"\sigma_x^6 d", (r"\sigma_{x}^{\underline{2}}d", r"\sigma_{x}^{\underline{6}}d")),
        (r"\frac{a}{b}", r"\frac{a+c}{b}", (r"\frac{a}{b}", r"\frac{a\underline{{}+c}}{b}")),
        ("a = b", r"a \le b", (r"a\underline{{}={}}b", r"a\underline{{}\le{}}b")),
        (r"\alpha x", r"\alpha y x", (r"\alpha x", r"\alpha\underline{y}x")),
        (r"\left(a + b\right)^2 c", r"\left(a - b\right)^2 c",
         (r"\left(a\underline{{}+{}}b\right)^{2}c", r"\left(a\underline{{}-{}}b\right)^{2}c")),
        (r"\begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}", r"\begin{matrix} 1 & 5 \\ 3 & 4 \end{matrix}",
         (r"\begin{matrix} 1 & \underline{2} \\ 3 & 4 \end{matrix}",
          r"\begin{matrix} 1 & \underline{5} \\ 3 & 4 \end{matrix}")),
        (r"\left(a \rightarrow b\right)", r"\left(a \rightarrow c\right) + b",
         (r"\left(a\rightarrow \underline{b}\right)", None)),
    ],
)  # fmt: skip
def test_the_smallest_part_is_marked(
    before: str, after: str, marked: tuple[str, str | None]
) -> None:
    found = difference(before, after).marked()
    for shown, expected in zip(found, marked, strict=True):
        assert expected is None or shown.replace(" ", "") == expected.replace(" ", "")


def test_a_formula_of_other_symbols_is_not_marked() -> None:
    found = difference("a + b", "x y z")
    assert not found.helps and found.marked() == ("a+b", "xyz")


def test_what_took_the_place_of_what_is_noted_with_its_base() -> None:
    found = difference(r"\frac{\sigma_x^2 a}{n} + b", r"\frac{\sigma_x^6 a}{n} + b")
    assert found.replaced == ((r"\sigma_{x}^{2}", r"\sigma_{x}^{6}"),)


def test_differences_of_all_corrections_are_mathematics() -> None:
    """No mark cuts a group, swallows a letter after a command, or changes what it marks."""
    assert len(PAIRS) > 100
    for before, after in PAIRS:
        found = difference(before, after)
        for formula, pieces, shown in zip(
            (before, after), (found.before, found.after), found.marked(), strict=True
        ):
            plain = "".join(piece.text for piece in pieces)
            assert plain.replace(" ", "") == latex_of(nodes_of(formula)).replace(" ", "")
            assert all(is_mathematics(piece.text) for piece in pieces if piece.changed)
            assert is_mathematics(plain) and is_mathematics(shown), shown


def test_a_formula_of_thousands_of_symbols_is_shown_unmarked() -> None:
    long = "+".join("x" * 4000)
    assert difference(long, f"{long}+y").marked()[1].endswith("+y")


def test_trees_print_what_they_read() -> None:
    """The text of a tree is that of the formula but for spaces and braces, and reads back alike."""
    for before, after in PAIRS:
        for formula in (before, after):
            text = latex_of(nodes_of(formula))
            assert latex_of(nodes_of(text)) == text
            bare = str.maketrans("", "", " {}")
            assert text.translate(bare) == formula.translate(bare)
