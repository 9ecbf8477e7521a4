"""A block under uniform attention, and how its tokens move with those before it and with W^Q.

Z = alpha_1 S + X, X' = alpha_2 sigma(Z W^F1) W^F2 + Z, for sigma linear or ReLU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Symbol

from claims.domain import Point
from claims.noci2022.notation import WF1, WF2, WK, WQ, WV, alpha1, alpha2
from claims.noci2022.setup import Layer, given_layer, uniform_step


def mean_token(x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """(11^T/n) X."""
    return ImmutableDenseMatrix.ones(x.rows, x.rows) * x / Integer(x.rows)


activation = Symbol("sigma")


def _rectified(u: Any) -> Any:
    return u if u > 0 else Integer(0)


def mix(z: ImmutableDenseMatrix, point: Point) -> ImmutableDenseMatrix:
    """alpha_2 sigma(Z W^F1) W^F2 + Z."""
    hidden = z * point[WF1]
    if point[activation] == "relu":
        hidden = hidden.applyfunc(_rectified)
    return point[alpha2] * hidden * point[WF2] + z


def mixed(dz: ImmutableDenseMatrix, x: ImmutableDenseMatrix, point: Point) -> ImmutableDenseMatrix:
    """How that moves with Z, linear in dz, in the block that tokens x enter; ReLU has slope 0 at 0."""
    hidden = dz * point[WF1]
    if point[activation] == "relu":
        slopes = (attended(x, point) * point[WF1]).applyfunc(lambda u: Integer(1 if u > 0 else 0))
        hidden = hidden.multiply_elementwise(slopes)
    return point[alpha2] * hidden * point[WF2] + dz


def attended(x: ImmutableDenseMatrix, point: Point) -> ImmutableDenseMatrix:
    """Z = alpha_1 S + X."""
    return point[alpha1] * mean_token(x) * point[WV] + x


def after(x: ImmutableDenseMatrix, point: Point) -> ImmutableDenseMatrix:
    """The tokens after one block."""
    return mix(attended(x, point), point)


def moved_by(
    dx: ImmutableDenseMatrix, x: ImmutableDenseMatrix, point: Point
) -> ImmutableDenseMatrix:
    """How the tokens after a block move when those before it move by dx."""
    layer = Layer(x, point[WQ], point[WK], point[WV])
    logits = layer.logits(x=dx) + layer.logits(x_right=dx)
    ds = uniform_step(logits) * x * layer.wv + mean_token(dx) * layer.wv
    return mixed(point[alpha1] * ds + dx, x, point)


def attended_by(point: Point) -> Callable[[ImmutableDenseMatrix], ImmutableDenseMatrix]:
    """How Z = alpha_1 S + X moves with W^Q, on which X does not depend."""
    layer = given_layer(point)
    return lambda dq: point[alpha1] * uniform_step(layer.logits(wq=dq)) * layer.x * layer.wv
