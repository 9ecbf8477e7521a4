"""The basin simulator against rigorous orbits, against its integral, and on what it must refuse."""

from __future__ import annotations

import math

import flint
import pytest
import torch

from numeric.basins import (
    CAP,
    COLLAPSED,
    KEPT,
    UNDECIDED,
    WeightError,
    classify,
    frozen_share,
    kept_share,
    separatrix,
    simulated_share,
    trap_ratio,
)
from numeric.sampling import generator
from numeric.wu2024.basin import causal_layer
from numeric.wu2024.layers import jordan_matrix

WEIGHTS = (1.1, 1.5, 2.0, 5.0)


def rigorous_fate(first: float, second: float, weight: float) -> int:
    """The same rules on balls around the orbit: a fate is returned when the whole ball obeys a rule."""
    ball, w, trap = flint.arb, flint.arb(weight), flint.arb(trap_ratio(weight))
    x = [ball(first).cos(), ball(first).sin()]
    y = [ball(second).cos(), ball(second).sin()]
    if x[0] < 0:
        x, y = [-z for z in x], [-z for z in y]
    for _ in range(CAP):
        p = x[1] / x[0]
        if y[0] > 0:
            return COLLAPSED
        if y[0] < 0 and y[1] > 0 and x[1] + w * y[0] > 0:
            return COLLAPSED
        if y[0] < 0 and p > trap and y[1] < 0 and y[1] > p * y[0]:
            return KEPT
        s = [a + b for a, b in zip(x, y, strict=True)]
        x, y = ([a, b + w * a] for a, b in (x, s))
        x, y = ([a / (z[0] ** 2 + z[1] ** 2).sqrt() for a in z] for z in (x, y))
    return UNDECIDED


@pytest.mark.parametrize("weight", WEIGHTS)
def test_no_orbit_is_classified_otherwise_than_in_ball_arithmetic(weight: float) -> None:
    flint.ctx.prec = 256
    angles = (
        2
        * math.pi
        * torch.rand(400, 2, generator=generator(0, "test", weight), dtype=torch.float64)
    )
    fate = classify(angles[:, 0], angles[:, 1], weight)
    rigorous = [rigorous_fate(a, b, weight) for a, b in angles.tolist()]
    assert fate.tolist() == rigorous and UNDECIDED not in rigorous


@pytest.mark.parametrize("weight", WEIGHTS)
def test_fates_are_those_of_the_plain_dynamics(weight: float) -> None:
    """The layer itself, long after every rule has decided: kept pairs are at (0, 1) and B, or mirrored."""
    angles = (
        2
        * math.pi
        * torch.rand(2000, 2, generator=generator(1, "test", weight), dtype=torch.float64)
    )
    angles = angles[
        angles[:, 0].tan().abs() < 100
    ]  # nearer to a pole, tokens take longer to leave it
    tokens, value = torch.stack([angles.cos(), angles.sin()], dim=-1), jordan_matrix(2, weight)
    for _ in range(400):
        tokens = causal_layer(tokens, value)
    cosine = (tokens[:, 0] * tokens[:, 1]).sum(dim=-1)
    apart = (1 - cosine**2).sqrt() > 0.5 / weight
    assert torch.equal(classify(angles[:, 0], angles[:, 1], weight) == KEPT, apart)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_simulation_agrees_with_the_integral(weight: float) -> None:
    share = simulated_share(weight, orbits=2**18)
    assert share.undecided == 0
    assert abs(share.value - kept_share(weight)) < 3 * share.half_width
    assert share.half_width < 1e-3


@pytest.mark.parametrize("weight", WEIGHTS)
def test_kept_tokens_are_the_arc_below_the_separatrix(weight: float) -> None:
    first = torch.linspace(0.05, 1.5, 200, dtype=torch.float64)
    edge = separatrix(first.tan(), weight)
    offset = 1e-6
    kept = edge < first - 1e-3
    for side, expected in ((offset, KEPT), (-offset, COLLAPSED)):
        fate = classify(first, math.pi + edge + side, weight)
        assert (fate[kept] == expected).all()


def test_first_tokens_below_the_axis_always_collapse() -> None:
    angles = torch.rand(2, 20_000, generator=generator(2, "test"), dtype=torch.float64)
    fate = classify(-math.pi / 2 * angles[0], 2 * math.pi * angles[1], 2.0)
    assert (fate == COLLAPSED).all()


def test_share_of_a_frozen_first_token_is_the_limit_of_the_arc() -> None:
    far = torch.tensor([1e9], dtype=torch.float64)
    length = float(math.pi / 2 - separatrix(far, 2.0)) / (2 * math.pi)
    assert abs(length - frozen_share(2.0)) < 1e-8


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, -2.0, math.nan])
def test_weights_without_the_example_are_refused(weight: float) -> None:
    with pytest.raises(WeightError, match=r"must be greater than 1.*give w > 1"):
        simulated_share(weight, orbits=2**8)


def test_share_stays_below_an_eighth_and_tends_to_it() -> None:
    """The second token's arc is shorter than 2 atan p, whose average is a quarter of the circle."""
    first = torch.linspace(0.01, 1.56, 500, dtype=torch.float64)
    for weight in (1.01, 1.5, 2.0, 10.0, 1000.0):
        assert (separatrix(first.tan(), weight) > -first).all()
        assert kept_share(weight) < 1 / 8
    assert abs(kept_share(1e5) - 1 / 8) < 1e-4


def test_shares_that_the_claims_note_are_right() -> None:
    assert round(kept_share(2.0), 4) == 0.0764 and round(frozen_share(2.0), 4) == 0.4167
