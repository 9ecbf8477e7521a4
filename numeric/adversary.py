"""The adversary: gradient ascent on (left minus right) over everything the hypotheses leave free.

Many starts climb at once.  A violation is rationalised with denominators as small as will do,
shrunk entry by entry, and confirmed in exact arithmetic from the claim's own definition.  A bound
that survives reports its tightness: the largest ratio of left to right that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any

import torch
from sympy import ImmutableDenseMatrix, Rational
from torch import Tensor

from claims.domain import Point
from claims.model import Claim, Relation
from claims.witness import fails, shrink
from numeric.registry import attack_of
from numeric.sampling import generator, normal

__all__ = ["Attack", "Objective", "attack"]

STARTS, STEPS, RATE = 64, 150, 0.05
ROUNDS = 6
"""Climbs of an audit's attack, two from each spread: counted, so that a seed gives one result."""
SCALES = (0.5, 2.0, 8.0)
"""Spreads of the starting points: bounds fail near zero, at order one, or far out."""


@dataclass(frozen=True)
class Objective:
    """A bound as an optimisation: fixed sizes, free arrays, and both sides batched over starts.

    `sides(arrays)` maps each free matrix symbol's tensor (starts, rows, cols) to (left, right).
    """

    fixed: Mapping[Any, Any]
    free: Mapping[Any, tuple[int, int]]
    sides: Callable[[Mapping[Any, Tensor]], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Attack:
    """What the adversary found."""

    violated: bool
    best_ratio: float | None
    witness: dict[str, Any] | None
    starts: int

    def as_json(self) -> dict[str, Any]:
        return {
            "violated": self.violated, "best_ratio": self.best_ratio,
            "witness": self.witness, "starts": self.starts,
        }  # fmt: skip


def attack(claim: Claim, *, seed: int, rounds: float = ROUNDS, seconds: float = math.inf) -> Attack:
    """Attack a claim until a violation is confirmed exactly or its rounds are spent.

    With `seconds` the clock may end it earlier, and the result then depends on the machine.
    """
    objective = attack_of(claim)
    if objective is None:
        raise ValueError(f"{claim.id}: no objective to attack; register one with `attacks`")
    deadline, best, climbed = perf_counter() + seconds, -torch.inf, 0
    while climbed == 0 or (climbed < rounds and perf_counter() < deadline):
        scale = SCALES[climbed % len(SCALES)]
        arrays, left, right = climb(objective, (seed, claim.id, climbed), scale, deadline)
        climbed += 1
        ratio = torch.where(right > 0, left / right, torch.full_like(left, -torch.inf))
        place = int(ratio.argmax())
        best = max(best, float(ratio[place]))
        if best > 1:
            witness = confirm(claim, objective, {k: v[place] for k, v in arrays.items()})
            if witness is not None:
                return Attack(True, best, witness, climbed * STARTS)
    return Attack(False, best if best > -torch.inf else None, None, climbed * STARTS)


def climb(
    objective: Objective, stream: tuple[Any, ...], scale: float, deadline: float
) -> tuple[dict[Any, Tensor], Tensor, Tensor]:
    """Adam on log(left/right) from `STARTS` random points."""
    rng = generator(stream[0], "attack", *stream[1:])
    arrays = {
        symbol: normal(rng, STARTS, *shape, std=scale).requires_grad_()
        for symbol, shape in objective.free.items()
    }
    optimiser = torch.optim.Adam(arrays.values(), lr=RATE * scale)
    for step in range(STEPS):
        left, right = objective.sides(arrays)
        loss = -(left.clamp_min(1e-300).log() - right.clamp_min(1e-300).log()).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 0 and perf_counter() > deadline:
            break
    with torch.no_grad():
        left, right = objective.sides(arrays)
        return {k: v.detach() for k, v in arrays.items()}, left, right


def confirm(claim: Claim, objective: Objective, arrays: Mapping[Any, Tensor]) -> dict | None:
    """The violation in small rationals, confirmed exactly; None when rounding destroys it."""
    for denominator in (1, 2, 3, 4, 8, 16, 64, 1024):
        rounded = {k: _rational(v, denominator) for k, v in arrays.items()}
        candidate = claim.domain.completed({**objective.fixed, **rounded})
        if _violates(claim, candidate):
            point = shrink(claim, candidate)
            value = claim.define(point)
            assert isinstance(claim.statement, Relation)
            return {
                "at": {str(k): _plain(v) for k, v in point.items()},
                "left": str(value),
                "right": [str(side) for side in claim.statement.values(point)],
            }
    return None


def _violates(claim: Claim, point: Point) -> bool:
    return claim.domain.objection(point) is None and fails(claim, point)


def _rational(matrix: Tensor, denominator: int) -> ImmutableDenseMatrix:
    rows = [
        [Rational(*Fraction(x).limit_denominator(denominator).as_integer_ratio()) for x in row]
        for row in matrix.tolist()
    ]
    return ImmutableDenseMatrix(rows)


def _plain(value: Any) -> Any:
    return (
        [[str(x) for x in row] for row in value.tolist()]
        if hasattr(value, "tolist")
        else str(value)
    )
