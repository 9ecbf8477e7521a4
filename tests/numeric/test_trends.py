"""The limit of means keeps its promise where noise hides what its correction leaves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from numeric.trends import limit_of_means

REACH = 2.5
"""Half-width of a mean, in standard errors: missed often enough to be counted."""


@pytest.mark.parametrize("power", [1, 2 / 3])
@pytest.mark.parametrize("left", [0, 5, 10, 20, 40])
def test_a_limit_is_missed_no_more_often_than_a_mean(power: float, left: float) -> None:
    """Means $a/n^p+b/n^{p+1}$ with noise of size one: where b is of its size, noise may hide it."""
    tests, promised = 20_000, 2 * norm.sf(REACH)
    draws = np.random.default_rng([int(left), int(3 * power)]).normal(size=(tests, 3))
    sizes = 2.0 ** np.arange(3)
    means = draws + 3 / sizes**power + left / sizes ** (power + 1)
    found = (limit_of_means([(m, REACH) for m in row], power) for row in means)
    missed = sum(abs(f.value) > f.error for f in found)
    assert missed / tests + 4 * math.sqrt(promised / tests) <= promised


def test_means_without_noise_lose_their_correction() -> None:
    exact = limit_of_means([(2 + 3 / n + 1 / n**2, 0) for n in (8, 16, 32)])
    assert abs(exact.value - 2) <= exact.error <= 4 / 8**2
