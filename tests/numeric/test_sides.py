"""Sides of relations at sizes where matrices are evaluated in floats."""

from __future__ import annotations

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, OneMatrix, Rational, Symbol, Trace

from claims.domain import Domain, Size
from claims.expressions import Total
from claims.model import Claim, Relation, Source
from claims.statement import Compare
from claims.terms import entry, family
from numeric.evaluate import evaluate
from numeric.scenes import Judge
from numeric.sides import side_values

n = Symbol("n", integer=True, positive=True)
X = MatrixSymbol("X", n, n)
AT = {n: Integer(7), X: ImmutableDenseMatrix(7, 7, range(49))}
HALF = family("h_{{{}}}", lambda at, level: 2 * level)


@pytest.mark.parametrize("side", [entry(X)(n / 2, 1), entry(X)(1, n - Rational(1, 3))])
def test_between_two_indices_there_is_no_entry(side) -> None:
    with pytest.raises((ArithmeticError, ValueError)):
        side_values(Relation("x", (side,)), AT)


@pytest.mark.parametrize("matrix", [OneMatrix(n / 2, 1), X ** (n / 2), X[n / 2, 0] * X])
def test_floats_have_no_fraction_of_a_row_or_a_product(matrix) -> None:
    values = {n: 7.0, X: evaluate(Integer(1), {}).expand(7, 7)}
    with pytest.raises((TypeError, IndexError)):
        evaluate(Total(matrix), values)


@pytest.mark.parametrize(
    ("side", "value"), [(entry(X)(n - 3, 1), 21), (X[1, 0], 7), (Trace(X**2), 30968)]
)
def test_an_integer_is_one_in_floats(side, value) -> None:
    assert side_values(Relation("x", (side,)), AT) == (value,)


def test_a_member_between_two_integers_is_read_as_it_is() -> None:
    statement = Compare(HALF(n / 2), "<=", n + Rational(1, 2))
    claim = Claim("toy.level", Source("toy", ""), "bound", "", statement, Domain((Size(n, 1),)))
    margin = Judge(claim)({n: Integer(3)})
    assert margin is not None and margin.left == 3
