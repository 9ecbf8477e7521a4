"""The layers of wu2024 against their formulas, and their refusals."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch

from claims.errors import UserError
from claims.masks import causal, sliding_window
from numeric.sampling import generator, normal
from numeric.wu2024.layers import (
    ZeroToken,
    layer_norm,
    masked_attention,
    mu,
    simulate,
    softmax_attention,
    support_of,
)

RNG = generator(0, "wu2024 layers")
X, WQ, WK, WV = (normal(RNG, 5, 3, 4), *(normal(RNG, 4, 4) for _ in range(3)))


def test_masked_attention_is_the_softmax_over_neighbours() -> None:
    mask = sliding_window(3)
    attention = masked_attention(X, WQ, WK, support_of(mask))
    scores = (X @ WQ) @ (X @ WK).mT / 2
    for i in range(3):
        allowed = [j - 1 for j in mask.neighbours(i + 1)]
        expected = torch.zeros(5, 3, dtype=torch.float64)
        expected[:, allowed] = torch.softmax(scores[:, i, allowed], dim=-1)
        torch.testing.assert_close(attention[:, i], expected)


def test_a_token_without_neighbours_has_no_attention() -> None:
    support = support_of(causal(3))
    support[1] = False
    assert masked_attention(X, WQ, WK, support)[:, 1].isnan().all()


def test_layer_norm_gives_unit_tokens_and_keeps_directions() -> None:
    scaled = layer_norm(X)
    torch.testing.assert_close(scaled.norm(dim=-1), torch.ones(5, 3, dtype=torch.float64))
    torch.testing.assert_close(scaled * X.norm(dim=-1, keepdim=True), X)


def test_a_zero_token_is_named() -> None:
    tokens = X.clone()
    tokens[3, 1] = 0
    with pytest.raises(ZeroToken, match="token 2 of sample 4 is zero: LayerNorm divides"):
        layer_norm(tokens)
    with pytest.raises(UserError, match="token 1 is zero"):
        layer_norm(torch.zeros(2, 2))


@pytest.mark.parametrize("normalise", [False, True])
def test_trajectories_follow_the_update(normalise: bool) -> None:
    attend = softmax_attention(WQ, WK, support_of(causal(3)), d_qk=4)
    trajectory = simulate(X, attend, WV, 3, normalise=normalise)
    assert trajectory.shape == (4, 5, 3, 4)
    for before, after in pairwise(trajectory):
        moved = attend(before) @ before @ WV
        expected = moved / moved.norm(dim=-1, keepdim=True) if normalise else moved
        torch.testing.assert_close(after, expected)


def test_too_few_matrices_are_refused() -> None:
    with pytest.raises(UserError, match="3 layers asked for, but matrices for 2 given"):
        simulate(X, torch.eye(3, dtype=torch.float64), [WV, WV], 3, normalise=False)


def test_mu_of_two_tokens() -> None:
    tokens = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    assert float(mu(tokens)) == pytest.approx(5 / math.sqrt(2))
