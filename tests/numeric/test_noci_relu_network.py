"""The averaged ReLU network against one whose weights are all drawn."""

from __future__ import annotations

import math

import pytest
import torch
from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.noci2022.network import other, token
from claims.noci2022.notation import X, alpha1, alpha2, d_v, ell, n
from claims.noci2022.relu_network import attended_rectified, linear_network_bounds_correlations
from numeric.exact import tensor
from numeric.noci2022.relu_network import (
    gained_by_relu,
    rectified_at_second_attention,
    sampled_correlation,
)
from numeric.sampling import generator, normal

TOKENS = ImmutableDenseMatrix([[1, 2], [2, -1], [0, 3]])
PAIR = {
    n: Integer(3), d_v: Integer(2), X: TOKENS, alpha1: Integer(1), alpha2: Rational(1, 2),
    ell: Integer(2), token: 1, other: 2,
}  # fmt: skip
DRAWS = 200_000


def _simulated_gram(layers: int) -> torch.Tensor:
    """<X_k, X_k'> of networks with all weights Gaussian, (draws, n, n)."""
    rng = generator(0, "simulated relu")
    x = tensor(TOKENS).expand(DRAWS, -1, -1)
    for _ in range(layers):
        value, second = (normal(rng, DRAWS, 2, 2, std=math.sqrt(0.5)) for _ in range(2))
        first = normal(rng, DRAWS, 2, 2, std=1.0)
        z = x + x.mean(dim=1, keepdim=True) @ value
        x = z + 0.5 * torch.relu(z @ first) @ second
    return x @ x.mT


@pytest.mark.parametrize("layers", [1, 2])
def test_averaged_correlation_is_that_of_drawn_networks(layers):
    gram = _simulated_gram(layers)
    mixed, first, second = (gram[:, i, j] for i, j in ((0, 1), (0, 0), (1, 1)))
    root = (first.mean() * second.mean()).sqrt()
    ratio = mixed.mean() / root
    spread = (mixed / root - ratio * (first / first.mean() + second / second.mean()) / 2).std()
    measured = sampled_correlation(PAIR, layers)
    assert abs(measured.value - float(ratio)) <= measured.error + 6 * float(spread) / DRAWS**0.5


def test_equal_tokens_are_aligned():
    tokens = ImmutableDenseMatrix([[3], [2], [3], [-1]])
    strengths = {alpha1: Rational(1, 6), alpha2: Rational(-1, 6)}
    measured = sampled_correlation({X: tokens, **strengths, token: 3, other: 1}, 2)
    assert (measured.value, measured.error) == (1.0, 0.0)


def test_relu_adds_nothing_for_aligned_tokens_and_a_share_for_orthogonal_ones():
    gained = gained_by_relu(tensor(ImmutableDenseMatrix([[1, 0], [2, 0], [0, 1]])))
    assert abs(float(gained[0, 1])) < 1e-12
    assert abs(float(gained[0, 2]) - 1 / math.pi) < 1e-12


def test_second_attention_is_enumerated_as_it_is_defined():
    (probe,) = linear_network_bounds_correlations.probes
    exact = float(attended_rectified.define(probe))
    assert abs(rectified_at_second_attention(probe).value - exact) < 1e-12
    assert abs(exact - 6 / math.sqrt(40)) < 1e-12
