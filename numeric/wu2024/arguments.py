"""The next last ratio and the remainder of a second token that shares some ratios with another one."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.wu2024 import arguments as claims
from claims.wu2024.notation import w
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.second_token import before_norm, last_ratio, remainder, second_token


@measures(claims.turned_ratio)
def turned_ratio(point: Point) -> Measured:
    """X_d/X_{d-1} one layer after the token whose last coordinate has the other sign."""
    token = second_token(point)
    after = before_norm(torch.cat([token[:-1], -token[-1:]]), float(point[w]))
    scale = 1 + float(after.abs().max() / after[-2].abs())
    return Measured(float(last_ratio(after)), rounding(scale))


@measures(claims.exchanged_f)
def exchanged_remainder(point: Point) -> Measured:
    """f of the token whose last two coordinates have changed places."""
    token = second_token(point)
    value = remainder(torch.cat([token[:-2], token[-2:].flip(0)]))
    return Measured(value, rounding(1 + value))
