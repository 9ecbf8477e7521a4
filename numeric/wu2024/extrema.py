r"""Entries of a vector under attention, layer by layer in float64.

Named axes: `T` layers, `n` tokens.  x^{(s+1)} = A^{(s)} x^{(s)}; tokens count from one in a point.
"""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import extrema as claims
from claims.wu2024.extrema import i, i0
from claims.wu2024.notation import G, T, attention, p, x
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures
from numeric.wu2024.layers import support_of

__all__ = ["followed", "widths"]

TIE = 1e-9
"""Entries are integers and p a fraction of small denominator: closer than this means equal."""


def followed(point: Point) -> Tensor:
    """x^{(0)}, ..., x^{(T)} of axes (T + 1, n)."""
    vectors = [tensor(point[x]).squeeze(-1)]
    for layer in point[attention]:
        vectors.append(tensor(layer) @ vectors[-1])
    return torch.stack(vectors)


def widths(vectors: Tensor) -> Tensor:
    """Largest minus least entry, over the last axis."""
    return vectors.amax(dim=-1) - vectors.amin(dim=-1)


@measures(claims.top)
def largest_entry(point: Point, layer: int) -> Measured:
    """M after so many layers."""
    vectors = followed(point)
    return Measured(float(vectors[layer].max()), rounding(vectors))


@measures(claims.bottom)
def least_entry(point: Point, layer: int) -> Measured:
    """m after so many layers."""
    vectors = followed(point)
    return Measured(float(vectors[layer].min()), rounding(vectors))


@directly(claims.token_keeps_part_of_its_distance_to_the_maximum)
def entry_at_the_end(point: Point) -> Measured:
    """x_i after the last layer."""
    vectors = followed(point)
    return Measured(float(vectors[-1, int(point[i]) - 1]), rounding(vectors))


@directly(claims.token_stays_above_by_the_same_factor)
def negative_entry_at_the_end(point: Point) -> Measured:
    """-x_i after the last layer."""
    measured = entry_at_the_end(point)
    return Measured(-measured.value, measured.error)


@directly(claims.centre_pulls_by_p_in_both_cases)
def gain_near_the_centre(point: Point) -> Measured:
    """The largest x_i - M where the centre starts low, else the largest m - x_i.

    Over the tokens that T rounds of handing on along the mask's edges reach from the centre.
    """
    vectors, mask = followed(point), point[G]
    centres = mask.centre_nodes
    centre = centres[(int(point[i0]) - 1) % len(centres)] - 1
    reached = torch.arange(mask.size, device=vectors.device) == centre
    for _ in range(int(point[T])):
        reached = reached | (support_of(mask) & reached).any(dim=-1)
    low, high, place = vectors[0].min(), vectors[0].max(), float(point[p])
    starts_low = vectors[0, centre] <= place * low + (1 - place) * high + TIE
    end = vectors[-1][reached]
    gain = end.max() - high if starts_low else low - end.min()
    return Measured(float(gain), rounding(vectors))
