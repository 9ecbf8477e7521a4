"""The temperature's schedule, tabulated step by step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from sympy import Rational
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import warmup as claims
from numeric.agreement import Measured
from numeric.registry import directly


def _entry(point: Point, schedule: Callable[[Tensor], Tensor]) -> Measured:
    """The schedule's table of steps 0..s, in units of 1/s_w: integers, so that its entry is exact."""
    steps, length = int(point[claims.step]), int(point[claims.warmup])
    table = schedule(torch.arange(steps + 1))
    return Measured(point[claims.final] * Rational(int(table[steps]), length))


@directly(claims.temperature_schedule_is_a_warm_up)
def printed_schedule(point: Point) -> Measured:
    """max(s_w, s) / s_w."""
    return _entry(point, lambda steps: torch.clamp(steps, min=int(point[claims.warmup])))


@directly(claims.capped_schedule_is_a_warm_up)
def capped_schedule(point: Point) -> Measured:
    """min(s_w, s) / s_w."""
    return _entry(point, lambda steps: torch.clamp(steps, max=int(point[claims.warmup])))
