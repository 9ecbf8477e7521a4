"""Tokens that end up opposite while their correlation tends to one, at a finite depth and exactly."""

from __future__ import annotations

from math import comb, sqrt

import pytest
import torch
from sympy import ImmutableDenseMatrix, Integer

from claims.noci2022.network import other, token
from claims.noci2022.notation import X, alpha1, alpha2, d_v, ell, n
from claims.noci2022.opposite_tokens import limiting_cosine, share
from claims.noci2022.pairs import correlation_after, expected_square, squared_distance
from claims.terms import value_of
from numeric.noci2022 import opposite_tokens
from numeric.noci2022.opposite_tokens import TOGETHER, cosines, gaussian_cosines
from numeric.noci2022.opposite_tokens import limiting_cosine as measured
from numeric.sampling import generator, normal

DEPTH = 60


def three_tokens(first: int, second: int) -> dict[object, object]:
    return {
        n: Integer(3), d_v: Integer(1), alpha1: Integer(1), alpha2: Integer(1),
        X: ImmutableDenseMatrix([[1], [1], [-1]]), token: Integer(first), other: Integer(second),
        ell: Integer(DEPTH),
    }  # fmt: skip


def mean_cosine(depth: int) -> float:
    """E cos theta_13 after so many blocks, over how often W^V is each of its three values.

    The mean token is 1/3 of the product of 1 + w, the differences from it are 2/3 and -4/3.
    """
    total = 0.0
    for up in range(depth + 1):
        for down in range(depth + 1 - up):
            ways = comb(depth, up) * comb(depth - up, down)
            mean = (1 + sqrt(1.5)) ** up * (1 - sqrt(1.5)) ** down / 3
            signs = ((mean + 2 / 3) * (mean - 4 / 3) > 0) - ((mean + 2 / 3) * (mean - 4 / 3) < 0)
            total += ways / 3**depth * signs
    return total


def test_tokens_are_opposite_while_the_correlation_is_near_one() -> None:
    point = three_tokens(1, 3)
    assert 1 - float(value_of(correlation_after, point)) < 1e-15
    assert mean_cosine(DEPTH) < -0.9
    assert mean_cosine(2 * DEPTH) < mean_cosine(DEPTH)
    assert value_of(limiting_cosine, point) == -1
    assert value_of(limiting_cosine, three_tokens(1, 2)) == 1
    assert measured(point).value == -1


@pytest.mark.parametrize(("pair", "cosine"), [((1, 3), -1.0), ((1, 2), 1.0)])
def test_deep_networks_give_the_limit(pair: tuple[int, int], cosine: float) -> None:
    found = cosines(three_tokens(*pair), torch.Generator().manual_seed(0), 64)
    assert (found == cosine).all()


def test_differences_vanish_beside_the_mean_square() -> None:
    point = three_tokens(1, 3)
    distance, square = (value_of(q, point) for q in (squared_distance, expected_square))
    assert distance <= value_of(share, point) * square
    assert distance / square < 1e-15


@pytest.mark.parametrize("strengths", [(1.0, 1.0), (0.5, 2.0), (0.0, 1.0), (1.0, 0.0)])
def test_mean_and_differences_apart_are_the_tokens(
    monkeypatch: pytest.MonkeyPatch, strengths: tuple[float, float]
) -> None:
    """A few layers of Gaussian networks of any strengths, followed apart and block by block."""
    layers, count, x = (
        3,
        5,
        torch.tensor([[1.0, 2.0], [2.0, 1.0], [-1.0, 2.0]], dtype=torch.float64),
    )
    monkeypatch.setattr(opposite_tokens, "MOST_LAYERS", layers)
    found = gaussian_cosines(x, generator(0, "test"), count, strengths)
    tokens = x.expand(count, -1, -1)
    for w, f, g in normal(generator(0, "test"), TOGETHER, 3, count, 2, 2, std=2**-0.5)[:layers]:
        z = tokens + strengths[0] * tokens.mean(dim=1, keepdim=True) @ w
        tokens = z + strengths[1] * z @ f @ g
    unit = tokens / tokens.norm(dim=-1, keepdim=True)
    assert torch.allclose(found, unit @ unit.mT, atol=1e-12)


def test_gaussian_networks_align_at_width_two() -> None:
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    found = gaussian_cosines(x, generator(0, "test"), 64)
    assert float(found.min()) > 1 - 1e-12


def test_an_estimator_reads_the_strengths_that_the_domain_fixes() -> None:
    """Without attention, which a wider domain admits, tokens do not align."""
    point = {**three_tokens(1, 3), alpha1: Integer(0), alpha2: Integer(0)}
    still = opposite_tokens.mean_cosine_in_the_end(point)
    assert still.value == -1 and still.error < 1
