"""The temperature's schedule, tabulated step by step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import warmup as claims
from numeric.agreement import Measured, rounding
from numeric.registry import measures


def _entry(point: Point, schedule: Callable[[Tensor], Tensor]) -> Measured:
    """The schedule's table of steps 0..s, in units of 1/s_w: integers, so that its entry is exact."""
    steps, length = int(point[claims.step]), int(point[claims.warmup])
    table = schedule(torch.arange(steps + 1))
    value = float(point[claims.final]) * int(table[steps]) / length
    return Measured(value, rounding(value))


@measures(claims.printed)
def printed_schedule(point: Point) -> Measured:
    """max(s_w, s) / s_w."""
    return _entry(point, lambda steps: torch.clamp(steps, min=int(point[claims.warmup])))


@measures(claims.capped)
def capped_schedule(point: Point) -> Measured:
    """min(s_w, s) / s_w."""
    return _entry(point, lambda steps: torch.clamp(steps, max=int(point[claims.warmup])))
