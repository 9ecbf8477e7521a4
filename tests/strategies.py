"""Hypothesis strategies from a claim's own domain."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.domain import Array, Choice, Domain, Point, Real, Size


@st.composite
def points(draw: st.DrawFn, domain: Domain) -> Point:
    """An admissible point of the domain, variable by variable."""
    point: dict[Any, Any] = {}
    for variable in domain.variables:
        point[variable.symbol] = draw(value(variable, point))
    assume(domain.objection(point) is None)
    return point


def value(variable: Any, point: Point) -> st.SearchStrategy:
    """Values of one variable; a variable of a claim's own kind draws itself from a seed."""
    if type(variable) is Size:
        return st.integers(variable.low, variable.high).map(Integer)
    if type(variable) is Real:
        return _rationals(variable, point)
    if type(variable) is Array:
        return _matrices(variable, point)
    if type(variable) is Choice:
        return st.sampled_from(variable.values)
    return st.integers(0, 2**32).map(lambda seed: variable.draw(Random(seed), point))


def _rationals(variable: Real, point: Point) -> st.SearchStrategy:
    # Exact ends: a float such as -1/3 is a fraction of a huge denominator.
    low, high = (max(-4, min(4, end)) for end in variable.ends(point))
    bounds = [Fraction(int(Rational(e).p), int(Rational(e).q)) for e in (low, high)]
    finest = max(12, *(bound.denominator for bound in bounds))
    fractions = st.fractions(*bounds, max_denominator=finest)
    exact = fractions.map(lambda f: Rational(f.numerator, f.denominator))
    return exact.filter(lambda r: variable.objection(r, point) is None)


def _matrices(variable: Array, point: Point) -> st.SearchStrategy:
    rows, cols = variable.shape(point)
    entry = st.integers(-variable.height, variable.height)
    return st.lists(entry, min_size=rows * cols, max_size=rows * cols).map(
        lambda entries: ImmutableDenseMatrix(rows, cols, entries)
    )
