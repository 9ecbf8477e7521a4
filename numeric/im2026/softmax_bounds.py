"""Softmax bounds in float64: the Jacobian by forward differentiation."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import softmax_bounds as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def logits(point: Point) -> Tensor:
    """z as a vector."""
    return tensor(point[claims.z])[:, 0]


@measures(
    claims.largest, claims.width, claims.deviation, claims.norm_of_logits, claims.largest_logit
)  # fmt: skip
def of_the_logits(point: Point) -> tuple[Measured, ...]:
    """Largest probability, range of the logits, distance from uniform, norms of the logits."""
    z = logits(point)
    p = z.softmax(0)
    found = (p.max(), z.max() - z.min(), (p - 1 / len(p)).norm(), z.norm(), z.abs().max())
    return tuple(Measured(float(value), rounding(1.0, value)) for value in found)


@measures(claims.image, claims.length)
def of_a_vector(point: Point) -> tuple[Measured, Measured]:
    """The lengths of the image of x under the Jacobian, and of x."""
    x = tensor(point[claims.x])[:, 0]
    image = torch.func.jvp(lambda z: z.softmax(0), (logits(point),), (x,))[1]
    return tuple(Measured(float(v.norm()), rounding(x)) for v in (image, x))  # type: ignore[return-value]


@measures(claims.form, claims.mean, claims.mean_square)
def of_a_direction(point: Point) -> tuple[Measured, ...]:
    """The slope of the softmax along x, seen along x; the mean of x and of its squares."""
    z, x = logits(point), tensor(point[claims.x])[:, 0]
    p, slope = torch.func.jvp(lambda z: z.softmax(0), (z,), (x,))[:2]
    found = ((x * slope).sum(), (p * x).sum(), (p * x**2).sum())
    return tuple(Measured(float(value), rounding(x, x**2)) for value in found)


@measures(claims.spiked)
def of_a_spike(point: Point) -> Measured:
    """The distance from uniform for one logit r among zeros."""
    z = torch.zeros(int(point[claims.d]), dtype=torch.float64)
    z[0] = float(point[claims.r])
    return Measured(float((z.softmax(0) - 1 / len(z)).norm()), rounding(1.0))


@measures(claims.other_width, claims.apart, claims.distance)
def of_two_points(point: Point) -> tuple[Measured, ...]:
    """The range of the other logits, and how far the softmaxes and the logits are apart."""
    z, other = logits(point), tensor(point[claims.other])[:, 0]
    found = (
        other.max() - other.min(),
        (z.softmax(0) - other.softmax(0)).norm(),
        (z - other).norm(),
    )
    return tuple(Measured(float(value), rounding(1.0, z, other)) for value in found)
