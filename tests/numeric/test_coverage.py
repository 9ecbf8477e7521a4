"""The interval keeps its promise far out, where nobody can count, on skewed samples."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from benchmarks import coverage
from benchmarks.coverage import CHUNK, Law, chernoff_bound, miss_probability
from numeric.sampling import generator, normal

POOL, LOOKS, BUDGET = 2**14, 3, 1e-8


@pytest.fixture(scope="module", params=[2, 4, 6])
def law(request: pytest.FixtureRequest) -> Law:
    """An even power of one Gaussian: skewness 3, 10, 20 and more."""
    samples = normal(generator(0, "pool", request.param), POOL) ** request.param
    return Law.of(f"z^{request.param}", samples)


@pytest.mark.parametrize("side", [-1, 1])
def test_the_interval_misses_less_often_than_promised(law: Law, side: int) -> None:
    found = miss_probability(law, side, BUDGET, tests=20, looks=LOOKS)["betting"]
    assert found["probability"] + 3 * found["error"] <= BUDGET
    assert chernoff_bound(law, side, BUDGET, looks=LOOKS) <= BUDGET


def test_students_interval_would_miss_more_often_than_promised() -> None:
    """The measure of coverage can fail: one sample's tail is too heavy for 32 block means."""
    law = Law.of("z^6", normal(generator(0, "pool", 6), POOL) ** 6)
    found = miss_probability(law, -1, BUDGET, tests=40, looks=LOOKS)["student"]
    assert found["probability"] > 10 * BUDGET and found["misses"] >= 3


def narrow(samples: Tensor, look: int, budget: float) -> tuple[float, float]:
    """Two standard errors: missed often enough to be counted."""
    return float(samples.mean()), 2 * float(samples.std()) / len(samples) ** 0.5


def test_importance_sampling_agrees_with_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same probability from tilted samples and from plain ones."""
    law = Law.of("z^2", normal(generator(0, "pool", 2), POOL).square())
    monkeypatch.setattr(coverage, "INTERVALS", {"narrow": narrow})
    monkeypatch.setattr(coverage, "TILTS", (1.0,))
    tilted = miss_probability(law, -1, BUDGET, tests=1000, looks=1)["narrow"]
    rng, missed, tests = generator(0, "plain"), 0, 2000
    values = torch.from_numpy(law.values)
    for _ in range(tests):
        samples = values[torch.randint(len(values), (CHUNK,), generator=rng)]
        mean, width = narrow(samples, 0, BUDGET)
        missed += mean + width < law.mean
    counted = missed / tests
    error = (counted * (1 - counted) / tests + tilted["error"] ** 2) ** 0.5
    assert 0.01 < counted < 0.1 and abs(tilted["probability"] - counted) <= 4.5 * error
