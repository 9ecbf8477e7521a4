"""The judges are tested first: false alarms, power, biased and heavy-tailed samplers."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric.agreement import CHUNK, compare, draw_until_told, least_gap, look_budget
from numeric.estimates import BLOCKS, Estimate
from numeric.sampling import generator, normal


def sampler(name: str, shift: float = 0.0, factors: int = 1):
    """Chunks of products of `factors` standard normals squared: mean 1 + shift."""

    def draw(chunk: int, count: int) -> torch.Tensor:
        rng = generator(0, name, chunk)
        return normal(rng, count, factors).square().prod(dim=1) + shift

    return draw


def test_false_alarm_rate_is_below_its_budget() -> None:
    """At a budget of 1 in 20, 400 tests of a true mean must not alarm more than chance allows."""
    budget, trials = 0.05, 400
    alarms = 0
    for trial in range(trials):
        estimate, width, _ = draw_until_told(sampler(f"true/{trial}"), [1.0, 1.2], budget, 2**15)
        alarms += abs(estimate.mean - 1.0) > width
    # Binomial(400, 0.05) exceeds 40 with probability below 1e-4.
    assert alarms <= 40


@pytest.mark.parametrize("factors", [2, 4])
def test_false_alarm_rate_survives_heavy_tails(factors: int) -> None:
    """Products of several squared normals: skewed enough that one sample's error bar would lie."""
    budget, trials = 0.05, 200
    alarms = 0
    for trial in range(trials):
        draw = sampler(f"heavy/{factors}/{trial}", factors=factors)
        estimate, width, _ = draw_until_told(draw, [1.0, 1.5], budget, 2**16)
        alarms += abs(estimate.mean - 1.0) > width
    assert alarms <= 24  # Binomial(200, 0.05): probability below 1e-4


def test_power_a_biased_sampler_is_refused() -> None:
    """A bias as large as the gap to the nearest rival is found, at the audit's own budget."""
    for trial in range(20):
        draw = sampler(f"biased/{trial}", shift=0.25)
        estimate, width, told = draw_until_told(draw, [1.0, 1.25], 1e-9, 2**18)
        assert told
        assert not compare("=", estimate.mean, 1.0, width)
        assert compare("=", estimate.mean, 1.25, width)


def test_underpowered_is_said_not_guessed() -> None:
    _, width, told = draw_until_told(sampler("short"), [1.0, 1.0001], 1e-9, 4 * CHUNK)
    assert not told and width > 0.0001


def test_looks_share_one_budget() -> None:
    shares = math.fsum(look_budget(1e-6, look) for look in range(100_000))
    assert 0.999e-6 < shares <= 1e-6


def test_gap_is_to_the_nearest_rival() -> None:
    assert least_gap([1.0, 3.0, 1.5, 1.0]) == 0.5
    assert least_gap([2.0]) == pytest.approx(0.1)


def test_compare_handles_bounds_arrays_and_nan() -> None:
    assert compare("<=", 1.05, 1.0, 0.1) and not compare("<=", 1.2, 1.0, 0.1)
    assert compare("<=", 0.2, 1.0, 0.0)
    assert not compare("=", float("nan"), 1.0, 10.0)
    assert not compare("=", torch.eye(2), torch.zeros(2, 2), 0.5)
    assert not compare("=", (1.0, 2.0), (1.0,), 0.1)


@settings(deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_estimate_does_not_depend_on_batches(parts: list[int]) -> None:
    """The same chunks, added one by one or merged from parts, give the same blocks."""
    chunks = [normal(generator(7, "merge", c), CHUNK) for c in range(sum(parts))]
    whole, merged, start = Estimate(), Estimate(), 0
    for chunk in chunks:
        whole.add(chunk)
    for part in parts:
        piece = Estimate()
        for chunk in chunks[start : start + part]:
            piece.add(chunk)
        start += part
        if merged.means and start - part & (start - part - 1):
            return  # parts merge only at whole powers of two of the stream
        merged.merge(piece)
    assert merged.samples == whole.samples
    assert merged.mean == pytest.approx(whole.mean, rel=1e-12)


def test_estimate_refuses_ragged_batches_and_few_blocks() -> None:
    estimate = Estimate()
    estimate.add(torch.zeros(BLOCKS // 2, dtype=torch.float64))
    assert estimate.half_width(1e-6) == math.inf
    estimate.block = 4
    with pytest.raises(ValueError, match="batch of 6 samples: does not fit blocks of 4"):
        estimate.add(torch.zeros(6))


def test_estimate_of_a_long_stream_keeps_few_blocks_and_the_whole_mean() -> None:
    """Blocks outgrow the chunks: half a million samples in chunks of 2048."""
    chunks = [normal(generator(1, "long", c), CHUNK) for c in range(256)]
    estimate = Estimate()
    for chunk in chunks:
        estimate.add(chunk)
    everything = torch.cat(chunks)
    assert estimate.samples == everything.numel() and len(estimate.means) <= 2 * BLOCKS
    assert estimate.block > CHUNK
    assert estimate.mean == pytest.approx(float(everything.mean()), abs=1e-12)
    error = float(everything.std()) / math.sqrt(everything.numel())
    assert 0.6 * error < estimate.standard_error < 1.5 * error


def test_samples_that_do_not_vary_agree_up_to_rounding_only() -> None:
    """A third is no binary fraction: its sums differ in the last bit, and that is no disagreement."""

    def draw(chunk: int, count: int) -> torch.Tensor:
        return torch.full((count,), 1.1, dtype=torch.float64) / 3.3

    estimate, width, told = draw_until_told(draw, [1 / 3, 0.34], 1e-9, 2**15)
    assert told and compare("=", estimate.mean, 1 / 3, width)
    assert not compare("=", estimate.mean, 1 / 3 + 1e-9, width)


def test_a_squared_norm_that_vanishes_agrees_with_zero() -> None:
    """Tokens whose mean is exactly zero leave the square of a rounding error."""

    def draw(chunk: int, count: int) -> torch.Tensor:
        x = normal(generator(0, "centred", chunk), count, 3)
        return (x - x.mean(dim=1, keepdim=True)).mean(dim=1).square()

    estimate, width, _ = draw_until_told(draw, [0.0, 0.1], 1e-9, 2**15)
    assert 0 < estimate.mean < 1e-30 and compare("=", estimate.mean, 0.0, width)
    assert not compare("=", estimate.mean, 1e-20, width)
