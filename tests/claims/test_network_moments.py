"""Second moments carried through blocks agree with whole networks written out in their weights."""

from __future__ import annotations

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, limit, oo, sqrt, symbols

from claims.domain import Domain, Size
from claims.noci2022.forward import UnitVector
from claims.noci2022.network import (
    Moments,
    Network,
    Strength,
    Tied,
    correlation,
    expanded_gram,
    inner_products,
    numbers,
    squared_norm,
)  # fmt: skip
from claims.noci2022.notation import X, alpha1, alpha2, atilde1, atilde2, depth

HALF, THIRD = Rational(1, 2), Rational(-1, 3)


@pytest.mark.parametrize(
    ("entries", "layers"), [([[1], [3]], 1), ([[1], [-2]], 2), ([[1, 0], [1, 2]], 1)]
)
def test_moments_are_those_of_the_network_written_out(entries: list, layers: int) -> None:
    x = ImmutableDenseMatrix(entries)
    point = {X: x, alpha1: HALF, alpha2: THIRD}
    averaged = numbers(Network.unscaled(point).after(layers).gram())
    assert expanded_gram(x, HALF, THIRD, layers) == ImmutableDenseMatrix(averaged)


def test_parts_that_grow_sum_to_every_layer() -> None:
    point = {X: ImmutableDenseMatrix([[1, 2], [0, -1], [1, 1]]), alpha1: HALF, alpha2: THIRD}
    network = Network.unscaled(point)
    for layers in range(4):
        total = sum(
            (rate**layers * ImmutableDenseMatrix(gram) for rate, gram in network.growing()),
            start=ImmutableDenseMatrix.zeros(3, 3),
        )
        assert total == ImmutableDenseMatrix(numbers(network.after(layers).gram()))


def test_flow_is_the_limit_of_deep_networks() -> None:
    """C of the network is ((1 + a/L)(1 + b/L))^L C(X); the flow must have its limit."""
    point = {X: ImmutableDenseMatrix([[2], [1]]), atilde1: Rational(3, 2), atilde2: Integer(1)}
    layers = symbols("L", positive=True)
    factor = (1 + point[atilde1] / layers) * (1 + point[atilde2] / layers)
    one = Network.scaled(point, 7).after(7).gram()
    assert inner_products(numbers(one)) == 9 * factor.subs(layers, 7) ** 7
    assert inner_products(Network.scaled(point).flowing()) == 9 * limit(factor**layers, layers, oo)


def test_zero_tokens_and_zero_strengths() -> None:
    zero = {X: ImmutableDenseMatrix.zeros(2, 1), atilde1: Integer(1), atilde2: Integer(1)}
    assert squared_norm(Network.scaled(zero).flowing()) == 0
    still = {X: ImmutableDenseMatrix([[1], [2]]), atilde1: Integer(0), atilde2: Integer(0)}
    assert Network.scaled(still).flowing() == [[1, 2], [2, 4]]


def test_correlation_of_unequal_norms() -> None:
    gram = numbers(Moments.of(ImmutableDenseMatrix([[1, 0], [1, 1]])).gram())
    assert correlation(gram) == 1 / sqrt(2)


def test_variables_of_this_paper_object_with_value_and_rule() -> None:
    strength, tied = Strength(alpha1, low=0), Tied(atilde1, alpha1**2 * depth)
    domain = Domain((Size(depth, 1, 3), strength, tied))
    assert domain.objection({depth: 2, alpha1: HALF, atilde1: HALF}) is None
    reason = domain.objection({depth: 2, alpha1: HALF, atilde1: Integer(1)})
    assert str(reason).endswith("= 1: must be 1/2")
    q = symbols("q", integer=True, positive=True)
    unit = UnitVector(MatrixSymbol("e", q, 1))
    assert unit.objection(ImmutableDenseMatrix([0, 1]), {q: 2}) is None
    assert unit.objection(ImmutableDenseMatrix([1, 1]), {q: 2}) is not None
