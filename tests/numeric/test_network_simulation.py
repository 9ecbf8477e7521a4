"""Averaged networks in torch agree with simulated ones, and limits carry honest errors."""

from __future__ import annotations

import math

import pytest
import torch
from enumeration import exact_mean
from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.domain import Point
from claims.noci2022.correlation import scaled_limit
from claims.noci2022.network import Network, numbers
from claims.noci2022.notation import X, alpha1, alpha2, atilde1, atilde2, depth
from numeric.layers import squared_norm
from numeric.noci2022.activation import relu_correlation
from numeric.noci2022.correlation import followed_correlation
from numeric.noci2022.network import (
    correlation,
    extrapolated,
    gram_after,
    inner_products,
    simulate,
)  # fmt: skip

POINT: Point = {
    X: ImmutableDenseMatrix([[1], [-3]]), alpha1: Rational(1, 2), alpha2: Rational(-2, 3)
}  # fmt: skip


@pytest.mark.parametrize("layers", [1, 2])
def test_simulated_and_averaged_networks_agree_exactly(layers: int) -> None:
    """The expectation of the simulation is enumerated: no sampling, no tolerance but rounding."""
    gram = gram_after(POINT, layers)
    for statistic, expected in ((inner_products, gram.sum()), (squared_norm, gram.trace())):
        mean = exact_mean(
            lambda rng, count, s=statistic: s(simulate(POINT, rng, count, layers)).mean(dim=0)
        )
        assert abs(mean - float(expected)) <= 1e-11 * abs(mean)


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_averaged_networks_agree_with_exact_moments(layers: int) -> None:
    point = {**POINT, X: ImmutableDenseMatrix([[1, 2], [0, -1], [3, 1]])}
    exact = torch.tensor(
        [[float(x) for x in row] for row in numbers(Network.unscaled(point).after(layers).gram())],
        dtype=torch.float64,
    )
    assert torch.allclose(gram_after(point, layers), exact, rtol=1e-12, atol=1e-12)


def test_scaled_strengths_depend_on_the_depth() -> None:
    point = {X: POINT[X], atilde1: Integer(2), atilde2: Integer(0)}
    assert float(gram_after(point, 2).sum()) == pytest.approx(4 * 2.0**2, rel=1e-12)


def test_extrapolation_covers_the_limit_and_its_error_is_not_idle() -> None:
    measured = extrapolated(lambda layers: (1 + 2 / layers) ** layers)
    assert abs(measured.value - math.exp(2)) <= measured.error < 1e-6


def test_extrapolation_admits_what_it_cannot_see() -> None:
    """A sequence with an expansion in 1/sqrt(L) must come with a large error."""
    measured = extrapolated(lambda layers: 1 + 1 / math.sqrt(layers))
    assert abs(measured.value - 1) <= measured.error


def test_what_cancels_keeps_the_rounding_of_its_parts() -> None:
    """The correlation is small beside the cosines that it is the mean of."""
    point = {
        X: ImmutableDenseMatrix([[-2], [2], [2], [2]]), atilde1: Rational(1, 36), atilde2: Integer(3)
    }  # fmt: skip
    exact = float(scaled_limit({**point, depth: Integer(1)}))
    followed = followed_correlation(point)
    assert abs(followed.value - exact) <= followed.error < 1e-8


def test_relu_correlation_at_known_angles() -> None:
    cosines = torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64)
    expected = torch.tensor([0.0, 1 / math.pi, 1.0], dtype=torch.float64)
    assert torch.allclose(relu_correlation(cosines), expected, atol=1e-12)


def test_correlation_is_a_mean_over_pairs() -> None:
    gram = torch.tensor([[4.0, 2.0], [2.0, 1.0]], dtype=torch.float64)
    assert float(correlation(gram)) == pytest.approx(1.0)
