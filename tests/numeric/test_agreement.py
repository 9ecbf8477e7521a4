"""The judges are tested first: false alarms, power, biased and heavy-tailed samplers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric.agreement import CHUNK, Candidate, Contest, compare, draw_until_told
from numeric.estimates import PILOT, STAKES, Estimate, third_order
from numeric.sampling import generator, normal


def sampler(name: str, shift: float = 0.0, factors: int = 1):
    """Chunks of products of `factors` standard normals squared: mean 1 + shift."""

    def draw(chunks: range, count: int = CHUNK) -> Iterator[torch.Tensor]:
        for chunk in chunks:
            yield normal(generator(0, name, chunk), count, factors).square().prod(dim=1) + shift

    return draw


def test_false_alarm_rate_is_below_its_budget() -> None:
    """At a budget of 1 in 20, 400 tests of a true mean must not alarm more than chance allows."""
    budget, trials = 0.05, 400
    alarms = 0
    for trial in range(trials):
        contest = Contest.among(1.0, 1.2)
        estimate, width = draw_until_told(sampler(f"true/{trial}"), contest, budget, 2**15)
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
        estimate, width = draw_until_told(draw, Contest.among(1.0, 1.5), budget, 2**16)
        alarms += abs(estimate.mean - 1.0) > width
    assert alarms <= 24  # Binomial(200, 0.05): probability below 1e-4


def test_power_a_biased_sampler_is_refused() -> None:
    """A bias as large as the gap to the nearest rival is found, at the audit's own budget."""
    for trial in range(20):
        draw = sampler(f"biased/{trial}", shift=0.25)
        contest = Contest.among(1.0, 1.25)
        estimate, width = draw_until_told(draw, contest, 1e-9, 2**18)
        assert contest.told(estimate.mean, width)
        assert not compare("=", estimate.mean, 1.0, width)
        assert compare("=", estimate.mean, 1.25, width)


def test_underpowered_is_said_not_guessed() -> None:
    contest = Contest.among(1.0, 3.0, 1.0001, 1.2)
    estimate, width = draw_until_told(sampler("short"), contest, 1e-9, 4 * CHUNK)
    assert width > 0.0001 and contest.status(estimate.mean, width) == "underpowered"
    nearest = contest.confused(estimate.mean, width)
    assert nearest is not None and nearest.name == "1.0001"


def test_a_variant_made_by_machine_is_told_or_the_interval_is_short() -> None:
    """Rivals written by hand are drawn for; near variants are forgiven at 2% of the value."""
    claim, near = Candidate("claim", "=", (1.0,)), Candidate("near", "=", (1.001,))
    contest = Contest(claim, (), (near,))
    estimate, width = draw_until_told(sampler("variant"), contest, 1e-9, 2**20)
    assert 0.001 < width <= 0.02 * estimate.mean
    assert contest.status(estimate.mean, width) == "agrees"
    rival = Contest(claim, (near,))
    assert not rival.told(1.0, 0.015) and rival.status(1.0, 0.015) == "agrees"


def test_more_variants_ask_for_no_shorter_interval() -> None:
    claim, near = Candidate("claim", "=", (1.0,)), Candidate("near", "=", (1.05,))
    far = Candidate("far", "=", (2.0,))
    among = Contest(claim, variants=(far,), more=(near,))
    assert among.status(1.0, 0.1) == "agrees" and among.told(1.0, 0.1)
    assert Contest(claim, variants=(far, near)).status(1.0, 0.1) == "underpowered"


def test_alone_a_claim_needs_a_short_interval() -> None:
    alone = Contest.among(1.0)
    assert alone.status(1.0, 0.3) == "underpowered" and alone.status(1.0, 0.01) == "agrees"
    assert Contest.among(0.0).status(0.0, 0.3) == "underpowered"


def test_statements_that_say_the_same_at_a_point_are_not_told_apart() -> None:
    contest = Contest.among(1.0, 1.0 + 1e-12, 2.0)
    assert contest.told(1.0, 0.5) and contest.status(1.0, 0.5) == "agrees"


def test_a_bound_is_told_from_its_converse() -> None:
    claim = Candidate("claim", "<=", (1.0, 1.5))
    contest = Contest(claim, (Candidate("tighter", "<=", (0.5,)),))
    assert contest.status(0.4, 0.2) == "agrees"
    assert contest.status(0.9, 0.2) == "underpowered"
    assert contest.status(1.4, 0.2) == "disagrees"
    assert contest.status(1.0, 0.01) == "agrees"  # attained, and the interval is short


def test_arrays_and_tuples_have_a_nearest_variant() -> None:
    claim = Candidate("claim", "=", (torch.eye(2),))
    far, near = (Candidate(n, "=", (s * torch.eye(2),)) for n, s in (("far", 3), ("near", 1.5)))
    confused = Contest(claim, (far, near)).confused(torch.eye(2), 5.0)
    assert confused is not None and confused.name == "near"
    pair = Contest(Candidate("claim", "=", ((1.0, 2.0),)), (Candidate("b", "=", ((1.0, 2.5),)),))
    assert pair.status((1.0, 2.0), 0.1) == "agrees"
    assert pair.status((1.0, 2.0), 0.6) == "underpowered"


def test_an_excluded_claim_leaves_time_for_its_rivals() -> None:
    """Once the claim is excluded, drawing goes on until its rivals are, or one of them is the truth."""
    contest = Contest.among(1.0, 1.5)
    assert not contest.told(1.3, 0.25)
    assert contest.told(1.3, 0.19)
    assert not contest.told(1.5, 0.2) and contest.told(1.5, 0.12)


def test_stakes_share_one_budget() -> None:
    shares = math.fsum(6 / (math.pi * (j + 1)) ** 2 for j in range(STAKES))
    assert 0.99 < shares <= 1


@given(st.floats(0.0, 0.5), st.floats(-1.0, 1.0))
def test_logarithm_is_bounded_by_its_cubic(reach: float, part: float) -> None:
    u = part * reach
    bound = -u - u**2 / 2 - third_order(reach) * abs(u) ** 3
    assert math.log1p(-u) >= bound - 1e-16 * 4


def test_looking_again_and_again_keeps_the_budget() -> None:
    """At a budget of 1 in 10, 200 streams of squares are looked at after each of 64 chunks."""
    alarms = 0
    for trial in range(200):
        draw, estimate = sampler(f"looks/{trial}"), Estimate()
        missed = False
        for samples in draw(range(64), 64):
            estimate.add(samples)
            missed |= abs(estimate.mean - 1.0) > estimate.half_width(0.1)
        alarms += missed
    assert alarms <= 20


def test_a_large_sample_widens_the_interval() -> None:
    """One sample of the size of all others together: no small interval is possible."""
    calm, rare = Estimate(), Estimate()
    samples = normal(generator(0, "calm"), 4096).square()
    calm.add(samples)
    rare.add(torch.cat((samples[:-1], samples.sum()[None])))
    assert rare.half_width(1e-6) > 10 * calm.half_width(1e-6)
    assert abs(rare.mean - 1.0) <= rare.half_width(1e-6)


def test_compare_handles_bounds_arrays_and_nan() -> None:
    assert compare("<=", 1.05, 1.0, 0.1) and not compare("<=", 1.2, 1.0, 0.1)
    assert compare("<=", 0.2, 1.0, 0.0)
    assert not compare("=", float("nan"), 1.0, 10.0)
    assert not compare("=", torch.eye(2), torch.zeros(2, 2), 0.5)
    assert not compare("=", (1.0, 2.0), (1.0,), 0.1)


@settings(deadline=None)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=6))
def test_estimate_does_not_depend_on_batches(parts: list[int]) -> None:
    """The same samples in one batch or in parts of any length give the same interval."""
    samples = normal(generator(7, "batches"), sum(parts) + PILOT)
    whole, pieces = Estimate(), Estimate()
    whole.add(samples)
    for part in samples.split([*parts, PILOT]):
        pieces.add(part)
    assert (pieces.samples, pieces.counted) == (whole.samples, whole.counted)
    assert pieces.mean == pytest.approx(whole.mean, rel=1e-9)
    assert pieces.half_width(1e-6) == pytest.approx(whole.half_width(1e-6), rel=1e-9)


def test_estimate_of_few_samples_says_nothing() -> None:
    estimate = Estimate()
    estimate.add(torch.zeros(PILOT, dtype=torch.float64))
    assert math.isnan(estimate.mean) and estimate.half_width(1e-6) == math.inf


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_sample_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ArithmeticError, match="not finite"):
        Estimate().add(torch.tensor([1.0, bad]))


def test_estimate_of_a_long_stream_is_that_of_all_its_samples() -> None:
    """Half a million samples in chunks of 2048, but for those that fix the centre."""
    chunks = [normal(generator(1, "long", c), CHUNK) for c in range(256)]
    estimate = Estimate()
    for chunk in chunks:
        estimate.add(chunk)
    everything = torch.cat(chunks)
    assert estimate.samples == everything.numel()
    assert estimate.mean == pytest.approx(float(everything[PILOT:].mean()), abs=1e-12)
    error = float(everything.std()) / math.sqrt(everything.numel())
    assert estimate.standard_error == pytest.approx(error, rel=1e-2)


def test_samples_that_do_not_vary_agree_up_to_rounding_only() -> None:
    """A third is no binary fraction: its sums differ in the last bit, and that is no disagreement."""

    def draw(chunks: range) -> Iterator[torch.Tensor]:
        for _ in chunks:
            yield torch.full((CHUNK,), 1.1, dtype=torch.float64) / 3.3

    estimate, width = draw_until_told(draw, Contest.among(1 / 3, 0.34), 1e-9, 2**15)
    assert estimate.samples == CHUNK and compare("=", estimate.mean, 1 / 3, width)
    assert not compare("=", estimate.mean, 1 / 3 + 1e-9, width)


def test_a_squared_norm_that_vanishes_agrees_with_zero() -> None:
    """Tokens whose mean is exactly zero leave the square of a rounding error."""

    def draw(chunks: range) -> Iterator[torch.Tensor]:
        for chunk in chunks:
            x = normal(generator(0, "centred", chunk), CHUNK, 3)
            yield (x - x.mean(dim=1, keepdim=True)).mean(dim=1).square()

    estimate, width = draw_until_told(draw, Contest.among(0.0, 0.1), 1e-9, 2**15)
    assert 0 < estimate.mean < 1e-30 and compare("=", estimate.mean, 0.0, width)
    assert not compare("=", estimate.mean, 1e-20, width)


def events(probability: float, count: int, seed: int) -> Estimate:
    """An estimate from so many events of a probability."""
    rng = torch.Generator().manual_seed(seed)
    estimate = Estimate()
    estimate.add(torch.rand(count, generator=rng, dtype=torch.float64) < probability)
    return estimate


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_an_event_that_was_never_seen_may_still_happen(probability: float) -> None:
    """Nor need one that always was: what would show with a chance of one in twenty is not excluded."""
    estimate = events(probability, 4096, 0)
    assert estimate.mean == probability
    assert -math.log(0.05) / estimate.counted < estimate.half_width(0.05) < 0.01


@pytest.mark.parametrize("probability", [1e-5, 1e-4, 1e-3, 0.1, 0.999])
def test_intervals_of_events_miss_no_more_often_than_promised(probability: float) -> None:
    found = [events(probability, 4096, seed) for seed in range(400)]
    missed = sum(abs(each.mean - probability) > each.half_width(0.05) for each in found)
    assert missed <= 20
