"""Equilibria found in floats: rows solved for by least squares, then held to one layer.

A row x with x (I - W_V) = T is the least-squares solution plus a multiple of the kernel's unit
vector, and that multiple is fixed by |x| = 1 up to its sign.
"""

from __future__ import annotations

import torch
from sympy import Symbol
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import coexistence as claims
from claims.wu2024.notation import N, d, k, w
from numeric.agreement import Measured, rounding
from numeric.reach import CORNERS
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.equilibria import layer, mixed
from numeric.wu2024.layers import jordan_matrix

SETTLED = 1e-7
"""Residual of an equilibrium in floats; a square root near zero keeps half of the digits."""


def rows_after(total: Tensor, wv: Tensor) -> list[Tensor]:
    """All unit rows x with x (I - W_V) = total: none, one (kernel part zero) or two."""
    shift = torch.eye(len(wv)).to(wv) - wv
    left, values, right = torch.linalg.svd(shift.T)
    inverse = torch.where(values > SETTLED, 1 / values, 0.0)
    moved = (right.mT * inverse) @ (left.mT @ total)
    kernel = right[-1]
    square = 1 - moved.square().sum()
    if (shift.T @ moved - total).abs().max() > SETTLED or square < -SETTLED:
        return []
    length = square.clamp_min(0).sqrt()
    choices = (length, -length) if square > SETTLED else (torch.zeros_like(length),)
    return [moved + choice * kernel for choice in choices]


@remembered(maxsize=64)
def solved(signs: tuple[float, ...], weight: float) -> Tensor:
    """The equilibrium of rank N whose last coordinates have these signs, (N, N)."""
    wv = jordan_matrix(len(signs), weight)
    return grown_by(torch.tensor(signs).to(wv), len(signs), wv)


def alternating(tokens: int, weight: float) -> Tensor:
    """The equilibrium of rank N whose last coordinates are +, -, +, ..."""
    return solved(tuple((-1.0) ** a for a in range(tokens)), weight)


@measures(claims.solved_entry, reach=CORNERS)
def entry_of_solved_rows(point: Point, i: int, b: int) -> Measured:
    """An entry of the solved rows."""
    x = alternating(int(point[N]), float(point[w]))
    return Measured(float(x[i - 1, b - 1]), rounding(10.0))


@measures(claims.layer_entry)
def entry_after_a_layer(point: Point, i: int, b: int) -> Measured:
    """An entry of one layer at the solved rows."""
    x = alternating(int(point[N]), float(point[w]))
    output = layer(x, jordan_matrix(len(x), float(point[w])))
    return Measured(float(output[i - 1, b - 1]), rounding(10.0))


def grown_by(chosen: Tensor, tokens: int, wv: Tensor) -> Tensor:
    """The tokens of the construction whose last coordinates have the signs chosen, (N, d).

    Every solved row with such a last coordinate will do; NaN from the row on that has none.
    """
    head = tokens - len(chosen) + 1
    last = torch.zeros(len(wv)).to(wv)
    last[-1] = chosen[0]
    x = last.expand(head, -1)
    for sign in chosen[1:]:
        rows = [r for r in rows_after((x @ wv).sum(dim=0), wv) if sign * r[-1] > -SETTLED]
        x = torch.cat([x, (rows[0] if rows else torch.full_like(last, torch.nan))[None]])
    return x


def grown_at(point: Point, rank: int, which: Symbol) -> tuple[Tensor, Tensor]:
    wv = jordan_matrix(int(point[d]), float(point[w]))
    chosen = tuple(float(s) for s in point[which][:rank])
    return _tokens(chosen, int(point[N]), int(point[d]), float(point[w])), wv


@remembered(maxsize=64)
def _tokens(chosen: tuple[float, ...], tokens: int, width: int, weight: float) -> Tensor:
    wv = jordan_matrix(width, weight)
    return grown_by(torch.tensor(chosen).to(wv), tokens, wv)


@measures(claims.row_entry, reach=CORNERS)
def entry_of_rows_by_signs(point: Point, rank: int, i: int, b: int) -> Measured:
    """An entry of the tokens for one vector of signs."""
    return Measured(float(grown_at(point, rank, claims.signs)[0][i - 1, b - 1]), rounding(10.0))


@measures(claims.other_entry, reach=CORNERS)
def entry_of_rows_by_other_signs(point: Point, rank: int, i: int, b: int) -> Measured:
    """An entry of the tokens for the other one."""
    x, _ = grown_at(point, rank, claims.other_signs)
    return Measured(float(x[i - 1, b - 1]), rounding(10.0))


@measures(claims.output_entry)
def entry_of_output_by_signs(point: Point, rank: int, i: int, b: int) -> Measured:
    """An entry of one layer at those tokens."""
    x, wv = grown_at(point, rank, claims.signs)
    return Measured(float(layer(x, wv)[i - 1, b - 1]), rounding(10.0))


@measures(claims.head_beta, claims.across, claims.last_square)
def step_two(point: Point) -> tuple[Measured, ...]:
    """beta of the head's last token, the last two coordinates after it."""
    wv, head = jordan_matrix(int(point[d]), float(point[w])), int(point[N] - point[k]) + 1
    tokens = torch.zeros(head, len(wv)).to(wv)
    tokens[:, -1] = 1.0
    total = (tokens @ wv).sum(dim=0)
    factor = 1 / torch.linalg.vector_norm(mixed(tokens, wv)[-1])  # d_i, and beta_i = d_i / i
    rows = rows_after(total, wv)
    row = rows[0] if rows else torch.full_like(total, torch.nan)
    values = (float(factor) / head, float(row[-2]), float(row[-1].square()))
    return tuple(Measured(v, rounding(10.0)) for v in values)
