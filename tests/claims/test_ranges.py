"""What a page says of where a statement is asserted is what its domain asks."""

from __future__ import annotations

from typing import Any

import pytest
from batches import in_batches
from sympy import MatrixSymbol, Rational, Symbol, oo, symbols

from audit.formulas.unicode import unicode_formula
from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import complete
from claims.noci2022.network import Tied
from claims.ranges import ranges
from claims.registry import encoded
from claims.typeset import typeset
from claims.variables import Whole
from claims.wu2024.setup import Place

n, d, r, x, y = symbols("n d r x y")
BEYOND = 4
"""Sizes above the least, and shares of a range, at which a variable is asked."""


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (Size(n, 3), r"n\in\{3,4,\dots\}"),
        (Whole(n), r"n\in\{1,2,\dots\}"),
        (Place(x, n), r"1\le x\le n"),
        (Real(x), r"x\in\mathbb R"),
        (Real(x, 0), r"x\ge 0"),
        (Real(x, 0, open_low=True), "x>0"),
        (Real(x, high=n, open_high=True), "x<n"),
        (Real(x, 1 / n, 1, open_low=True), r"\frac{1}{n}<x\le 1"),
        (Choice(x, (2,)), "x=2"),
        (Choice(x, ("a", "b c")), r"x\in\{\text{a},\text{b c}\}"),
        (Choice(x, (complete(3),)), r"x=\text{complete on 3 tokens}"),
    ],
)
def test_one_variable(variable: Any, said: str) -> None:
    found = ranges(Domain((variable,)))
    assert (*found.asserted, *found.tried) == (said,)


def test_neighbours_share_a_set_but_not_two_ends() -> None:
    matrix = Array(MatrixSymbol("X", n, d))
    shares = Real(x, 0, 1), Real(y, 0, 1)
    given = Condition("n<d", lambda at: at[n] < at[d]), Condition("n<d", lambda at: True)
    found = ranges(Domain((Size(n, 2), Size(d, 2), Size(r, 1), matrix, *shares), given))
    assert found.asserted == (
        r"n,d\in\{2,3,\dots\}", r"r\in\{1,2,\dots\}", r"0\le x\le 1", r"0\le y\le 1", "n<d",
    )  # fmt: skip


CLAIMS = [claim for own in encoded().values() for claim in (own, own.repair) if claim is not None]


@in_batches(CLAIMS)
def test_the_range_of_every_number_is_said(claim: Any) -> None:
    """But of those that other variables determine."""
    point = next(iter(claim.domain.smallest(1)), {})
    found = ranges(claim.domain)
    said = " ".join((*found.asserted, *found.tried))
    free = (v for v in claim.domain.variables if not isinstance(v, Computed | Tied))
    numbers = [v.symbol for v in free if isinstance(point.get(v.symbol), Rational | int)]
    assert [symbol for symbol in numbers if typeset(symbol) not in said] == []


@in_batches(CLAIMS)
def test_no_number_is_refused_that_its_range_admits(claim: Any) -> None:
    """A class of sizes or of numbers that asks for more says so by `stated_range`."""
    point = next(iter(claim.domain.smallest(1)), None)
    for variable in claim.domain.variables if point is not None else ():
        if isinstance(variable, Whole | Real) and not hasattr(variable, "stated_range"):
            for value in inside(variable, point):
                assert variable.objection(value, point) is None, (variable, value)


def inside(variable: Any, point: Point) -> list[Any]:
    if isinstance(variable, Whole):
        return [variable.low + k for k in range(BEYOND)]
    low, high = variable.ends(point)
    low = low if low != -oo else min(-BEYOND, high - 1)
    high = high if high != oo else low + BEYOND
    within = [low + (high - low) * k / BEYOND for k in range(1, BEYOND)] if low < high else []
    ends = [
        end for end, opened in ((low, variable.open_low), (high, variable.open_high)) if not opened
    ]
    return [*within, *ends]


def test_every_range_can_be_read() -> None:
    for claim in CLAIMS:
        found = ranges(claim.domain)
        for said in (*found.asserted, *found.tried):
            assert "\\" not in unicode_formula(said), (claim.id, said)


def test_a_symbol_that_stands_for_a_real_bound_is_no_size() -> None:
    """The constants of assumptions A2 and A3 are real numbers."""
    for name, symbol in (("A2", "C"), ("A3", "S")):
        domain = encoded()[f"wu2024.assumption.{name}"].domain
        (bound,) = (v for v in domain.variables if v.symbol == Symbol(symbol, positive=True))
        assert isinstance(bound, Real)
