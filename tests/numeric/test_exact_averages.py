"""Means that estimators of naitsaada2025 take exactly are those of what they no longer draw."""

from __future__ import annotations

import pytest
import torch

from numeric.layers import squared_norm
from numeric.naitsaada2025.centred_logits import standard
from numeric.naitsaada2025.gradients import attended, drawn, weights
from numeric.naitsaada2025.second_moments import orthonormal_rows
from numeric.sampling import exponential, gamma, normal, quick_generator, uniform
from numeric.trends import mean_and_reach, mean_of_runs


@pytest.mark.parametrize(("tokens", "width"), [(3, 2), (5, 5), (4, 9), (2, 1)])
def test_centred_logits(tokens: int, width: int) -> None:
    rng = quick_generator(0, "centred logits by softmax", tokens, width)
    queries, keys = (normal(rng, 2**17, tokens, width) for _ in range(2))
    logits = (queries @ keys.mT / width**0.5).log_softmax(-1)
    logits = logits - logits.mean(-1, keepdim=True)
    found = mean_of_runs((logits @ logits.mT).square().sum((-1, -2)))
    exact = standard(tokens, width)
    assert abs(found.value - exact.value) <= found.error + exact.error


@pytest.mark.parametrize(("tokens", "features", "layers"), [(3, 4, 2), (2, 5, 1)])
def test_weights_that_enter_linearly(tokens: int, features: int, layers: int) -> None:
    rng = quick_generator(0, "weights drawn", tokens, features, layers)
    x = orthonormal_rows(rng, tokens, features) @ weights(rng, 2**15, features, layers)
    mean, reach = mean_and_reach(squared_norm(attended(rng, x, layers, False, False)))
    exact, width = drawn("whole", layers, 1, tokens, features, 2**15, False)
    assert abs(mean - exact) <= reach + width


def test_laws_of_quick_numbers() -> None:
    """Means and second moments; streams of two names differ."""
    one, other = (quick_generator(0, "laws", name) for name in "ab")
    for law, moments in (
        (normal(one, 2**16), (0, 1)), (exponential(one, 2**16), (1, 2)),
        (gamma(one, 2.5, 2**16), (2.5, 8.75)), (uniform(one, 2**16), (1 / 2, 1 / 3)),
    ):  # fmt: skip
        for samples, expected in zip((law, law.square()), moments, strict=True):
            mean, reach = mean_and_reach(samples)
            assert abs(mean - expected) <= reach
    assert not torch.equal(normal(other, 8), normal(quick_generator(0, "laws", "a"), 8))


def test_runs_that_do_not_differ_leave_rounding() -> None:
    """A mean that is exact is not told from what it equals by its last digit."""
    third = torch.full((64,), 1 / 3, dtype=torch.float64)
    mean, reach = mean_and_reach(third)
    assert 0 < reach < 1e-12 and abs(mean - 1 / 3) <= reach
    assert mean_of_runs(third).error == reach
