"""Eq. (23)-(25) and the common point, by following tokens through many layers with LayerNorm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import sphere_limits as claims
from claims.wu2024.cone import sigma_min
from claims.wu2024.notation import X, attention
from claims.wu2024.turns import values
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.layers import mu

LAYERS = claims.LAYERS
ROUNDED = 1e-11


@remembered(maxsize=256)
def with_products(start: Any, weights: Any, rotations: Any) -> tuple[Tensor, Tensor, Tensor] | None:
    """Tokens (layers + 1, n, d), P^{(t)} (layers, n, n), W~^{(t)} (layers, d, d); None if one is zero."""
    tokens, layers, values = tensor(start), tensor(weights), tensor(rotations)
    states = [tokens]
    products, turns = ([torch.eye(size).to(tokens)] for size in tokens.shape)
    for t in range(LAYERS):
        layer, value = layers[t % len(layers)], values[t % len(values)]
        moved = layer @ states[-1] @ value
        norms = moved.norm(dim=-1, keepdim=True)
        if bool((norms < ROUNDED).any()):
            return None
        states.append(moved / norms)
        products.append(layer @ products[-1] / norms)
        turns.append(turns[-1] @ value)
    return torch.stack(states), torch.stack(products[1:]), torch.stack(turns[1:])


def trajectory(point: Point) -> tuple[Tensor, Tensor, Tensor] | None:
    return with_products(point[X], point[attention], point[values])


def read(point: Point, value: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Measured:
    """A number of the trajectory; infinite where a token vanishes on the way."""
    found = trajectory(point)
    return Measured(math.inf) if found is None else Measured(float(value(*found)), ROUNDED)


def factors(product: Tensor) -> tuple[Tensor, Tensor]:
    """u, the norms of rows, and v, the direction of the first one."""
    norms = product.norm(dim=-1)
    return norms, product[0] / norms[0]


def after(p: Tensor, w: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """P and W~ after so many of the layers with_products."""
    last = min(count, LAYERS) - 1
    if last < 0:
        return torch.eye(p.shape[-1]).to(p), torch.eye(w.shape[-1]).to(w)
    return p[last], w[last]


def mixed_norm(tokens: Tensor, product: Tensor, turn: Tensor) -> Tensor:
    """|v^T X^(0) W~|."""
    return (factors(product)[1] @ tokens @ turn).norm()


@measures(claims.uneven_norms)
def uneven_norms(point: Point, count: int) -> Measured:
    """How far rows of P X W~ are from norm one."""

    def gap(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        product, turn = after(p, w, count)
        return ((product @ x[0] @ turn).square().sum(dim=-1) - 1).abs().max()

    return read(point, gap)


@measures(claims.mixed)
def norm_of_the_mixture(point: Point, count: int) -> Measured:
    """|v^T X^(0) W~|."""
    return read(point, lambda x, p, w: mixed_norm(x[0], *after(p, w, count)))


@measures(claims.from_inverse)
def distance_to_inverse(point: Point, count: int) -> Measured:
    """How far |v^T X^(0) W~| is from 1/u_i."""

    def gap(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        product, turn = after(p, w, count)
        return (mixed_norm(x[0], product, turn) - 1 / factors(product)[0]).abs().max()

    return read(point, gap)


@measures(claims.uneven_factors)
def spread_of_factors(point: Point, count: int) -> Measured:
    """Largest less least u."""

    def gap(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        u, _ = factors(after(p, w, count)[0])
        return u.max() - u.min()

    return read(point, gap)


@measures(claims.moved_factors)
def move_of_factors(point: Point, count: int, more: int) -> Measured:
    """How far u moves between two of the layers with_products."""

    def move(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        ends = [factors(after(p, w, n)[0])[0] for n in (count, count + more)]
        return (ends[1] - ends[0]).abs().max()

    return read(point, move)


@measures(claims.error_after)
def error_of_rank_one(point: Point, count: int, row: int, column: int) -> Measured:
    """P_ij - u_i v_j."""
    found = trajectory(point)
    if found is None:
        return Measured(math.inf)
    product = after(*found[1:], count)[0]
    u, v = factors(product)
    error = product[row - 1, column - 1] - u[row - 1] * v[column - 1]
    return Measured(float(error), ROUNDED * max(1.0, float(u.max())))


@measures(sigma_min.func)
def least_singular_value(point: Point, rows: int, columns: int) -> Measured:
    """sigma_min of the initial tokens."""
    tokens = tensor(point[X])[:rows, :columns]
    values = torch.linalg.svdvals(tokens)
    return Measured(float(values[-1] if len(values) == len(tokens) else 0.0), rounding(1.0))


@measures(claims.spread_after)
def spread_after(point: Point, count: int) -> Measured:
    """mu^2 after so many of the layers with_products."""
    return read(point, lambda x, p, w: mu(x[min(count, LAYERS)]).square())


@measures(claims.lasting_move)
def lasting_move(point: Point) -> Measured:
    """The longest step of c in the value matrices' orbit, c among the last tokens turned back.

    Later tokens, turned back, stay between the last ones, and the matrices keep lengths.  The orbit comes
    near each of its points again and again; where it has not closed, the norm of W - I bounds its steps.
    """
    found = trajectory(point)
    if found is None:
        return Measured(math.inf)
    states, _, turned = found
    last, turns = states[-1] @ turned[-1].mT, tensor(point[values])
    error, here, longest = 2 * float((last - last[0]).norm(dim=-1).max()), last[0], 0.0
    for _ in range(claims.BACK):
        for turn in turns:
            before, here = here, here @ turn
            longest = max(longest, float((here - before).norm()))
        if float((here - last[0]).norm()) < ROUNDED:
            return Measured(longest, ROUNDED + error)
    one = torch.eye(turns.shape[-1]).to(turns)
    most = float(torch.linalg.matrix_norm(turns - one, ord=2).max())
    middle, half = (longest + most) / 2, (most - longest) / 2
    return Measured(middle, ROUNDED + error + max(half, 0.0))


@measures(claims.turned_move)
def turned_move(point: Point, count: int, more: int) -> Measured:
    """How far tokens turned back by W~^T move between two of the layers with_products."""

    def move(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        ends = [x[n] @ w[n - 1].mT if n else x[0] for n in (count, min(count + more, LAYERS))]
        return (ends[1] - ends[0]).abs().max()

    return read(point, move)


@measures(claims.to_mean)
def distance_to_the_mean(point: Point) -> Measured:
    """How far tokens, turned back, end from the normalised mean of the initial tokens."""

    def gap(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        centre = x[0].sum(dim=0)
        return (x[-1] @ w[-1].mT - centre / centre.norm().clamp_min(ROUNDED)).abs().max()

    return read(point, gap)
