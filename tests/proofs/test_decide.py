"""True values that are written or known otherwise are not refuted, and false ones beside them are."""

from __future__ import annotations

from math import sqrt as rounded
from typing import Any

import numpy
import pytest
from sympy import Float, Integer, MatrixSymbol, Max, Piecewise, Rational, Sum, Symbol, sqrt

from claims.domain import Array, Domain, Real, Size
from claims.expressions import FrobSq
from claims.model import Claim, Relation, Source
from claims.witness import fails
from proofs.decide import decide, refute

n, counted = (Symbol(name, integer=True, positive=True) for name in ("n", "k"))
q = Symbol("q", nonnegative=True)
X = MatrixSymbol("X", n, 1)
COLUMN, ONE_SIZE = Domain((Size(n, 1, 3), Array(X))), Domain((Size(n, 1, 3),))
LEVEL = Domain((Size(n, 1, 3), Real(q, 0, 5)))


def claim(side: Any, define: Any, domain: Domain) -> Claim:
    source = Source("toy", "1")
    return Claim("toy.eq-1", source, "identity", "", Relation("q", (side,)), domain, define)


@pytest.mark.parametrize(
    ("side", "define"),
    [(FrobSq(X), lambda at: at[X].T * at[X]), (X.T * X, lambda at: (at[X].T * at[X])[0])],
)
def test_a_matrix_with_one_entry_is_a_number(side: Any, define: Any) -> None:
    assert decide(claim(side, define, COLUMN), FrobSq(X), method="toy").status == "proved"
    assert refute(claim(2 * side, define, COLUMN), method="toy").status == "refuted"


@pytest.mark.parametrize("number", [Float, lambda x: x, lambda x: complex(x), numpy.float64])
def test_rounding_refutes_nothing(number: Any) -> None:
    """And proves nothing: a machine number is known to sixteen digits."""
    define = lambda at: number(rounded(at[n]))  # noqa: E731
    assert decide(claim(sqrt(n), define, ONE_SIZE), sqrt(n), method="toy").status == "undecided"
    assert refute(claim(sqrt(n) + 1, define, ONE_SIZE), method="toy").status == "refuted"


def test_an_index_that_declares_more_than_its_range_is_what_it_runs_through() -> None:
    """From zero on it is not positive, and so not above one half at every place."""
    point = {n: Integer(3), q: Rational(1, 2)}
    for term, value in (
        (Piecewise((1, counted > q), (0, True)), Integer(3)),
        (Max(counted, q), Rational(13, 2)),
    ):
        side = Sum(term, (counted, 0, n))
        assert not fails(claim(side, lambda at, value=value: value, LEVEL), point)
        assert fails(claim(side + 1, lambda at, value=value: value, LEVEL), point)


def test_sums_of_entries_are_written_out() -> None:
    product = claim((X * X.T)[0, n - 1], lambda at: at[X][0] * at[X][-1], COLUMN)
    assert refute(product, method="toy").status == "undecided"
    total = Sum(X[counted - 1, 0], (counted, 1, n))
    assert refute(claim(total, lambda at: sum(at[X]), COLUMN), method="toy").status == "undecided"
    assert refute(claim(total, lambda at: at[X][0], COLUMN), method="toy").status == "refuted"
