r"""Trajectories of Eq. (3) from the definition: layer by layer, to sixty decimal digits.

Square roots nest one level deeper with every LayerNorm, so that exact values cannot be followed for
more than two layers; statements about limits are read off numbers of sixty digits instead, and equal
numbers are those that agree to forty.  The matrices of a point are used in turn, and then again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import combinations, cycle, islice
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer

from claims.domain import Point
from claims.points import Remembered
from claims.wu2024.notation import X, attention
from claims.wu2024.turns import values

__all__ = [
    "SLACK",
    "Layer",
    "Rows",
    "decimal_of",
    "decimals",
    "follow",
    "gram",
    "layers_of",
    "least_squared_norm",
    "mu_squared_of",
    "norm_of",
    "product",
    "transposed",
    "unit_row",
]

DIGITS = 60
SLACK = Decimal(10) ** -40
"""Numbers that differ by less are equal: rounding after a hundred layers is far below."""

Rows = list[list[Decimal]]


@dataclass(frozen=True)
class Layer:
    """Layer t: X^{(t)}, A^{(t)} X^{(t)} W^{(t)}, D^{(t)}, and the products up to and with layer t.

    `forward` is P^{(t)} = D^{(t)} A^{(t)} ... D^{(0)} A^{(0)}, `rotation` is W^{(0)} ... W^{(t)}.
    """

    tokens: Rows
    weights: Rows
    value: Rows
    moved: Rows
    scales: list[Decimal]
    forward: Rows
    rotation: Rows

    @property
    def after(self) -> Rows:
        """X^{(t+1)}."""
        with localcontext(prec=DIGITS):
            return scaled(self.scales, self.moved)


def decimals(matrix: Any) -> Rows:
    with localcontext(prec=DIGITS):
        return [[decimal_of(e) for e in row] for row in matrix.tolist()]


def decimal_of(e: Expr) -> Decimal:
    return Decimal(int(e.p)) / int(e.q) if e.is_Rational else Decimal(str(e.evalf(DIGITS)))


def product(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[sum(map(Decimal.__mul__, row, c), Decimal(0)) for c in columns] for row in left]


def transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def scaled(factors: Sequence[Decimal], rows: Rows) -> Rows:
    return [[f * e for e in row] for f, row in zip(factors, rows, strict=True)]


def norm_of(row: Sequence[Decimal]) -> Decimal:
    """The 2-norm of a row."""
    return sum((e * e for e in row), Decimal(0)).sqrt()


def unit_row(row: Sequence[Decimal]) -> list[Decimal]:
    """A row over its 2-norm."""
    norm = norm_of(row)
    return [e / norm for e in row]


def gram(rows: Rows) -> Rows:
    return product(rows, transposed(rows))


def layers_of(point: Point, count: int) -> tuple[Layer, ...]:
    """The first `count` layers at a point; fewer where a row of A X W vanishes."""
    return follow(point[X], point[attention], point[values], count)


def follow(tokens: Any, weights: Any, turns: Any, count: int) -> tuple[Layer, ...]:
    """X^{(t+1)} = D^{(t)} A^{(t)} X^{(t)} W^{(t)} for t < count, the matrices used in turn."""
    return tuple(islice(_followed(tokens, weights, turns), count))


@lru_cache(maxsize=512)
def _followed(tokens: Any, weights: Any, turns: Any) -> Remembered:
    """The layers, each made when it is first asked for."""
    return Remembered(lambda: _layers(tokens, weights, turns))


def _layers(tokens: Any, weights: Any, turns: Any) -> Iterator[Layer]:
    """Layer after layer, up to one where a row of A X W vanishes."""
    state = decimals(tokens)
    attentions, rotations = ([decimals(m) for m in group] for group in (weights, turns))
    forward, rotation = (decimals(ImmutableDenseMatrix.eye(n)) for n in tokens.shape)
    for layer, value in zip(cycle(attentions), cycle(rotations), strict=False):
        with localcontext(prec=DIGITS):
            moved = product(product(layer, state), value)
            norms = [norm_of(row) for row in moved]
            if any(norm < SLACK for norm in norms):
                return
            scales = [1 / norm for norm in norms]
            forward = scaled(scales, product(layer, forward))
            rotation = product(rotation, value)
        found = Layer(state, layer, value, moved, scales, forward, rotation)
        yield found
        state = found.after


def mu_squared_of(rows: Rows) -> Decimal:
    """mu(X)^2, Eq. (4)."""
    with localcontext(prec=DIGITS):
        means = [sum(column, Decimal(0)) / len(rows) for column in transposed(rows)]
        return sum(
            ((e - m) ** 2 for row in rows for e, m in zip(row, means, strict=True)), Decimal(0)
        )


def least_squared_norm(tokens: ImmutableDenseMatrix) -> Expr:
    """gamma^2 = min ||x||^2 over Conv(X), exactly; zero where the hull holds the origin.

    The least point lies inside some face whose points are independent, unless it is the origin; over
    the plane of such a face the minimum is 1/(1^T G^{-1} 1), at weights G^{-1} 1 over their sum.
    """
    whole = tokens * tokens.T
    best, rows = min(whole[i, i] for i in range(tokens.rows)), range(tokens.rows)
    for size in range(2, tokens.rows + 1):
        for face in combinations(rows, size):
            part = whole.extract(list(face), list(face))
            one = ImmutableDenseMatrix.ones(size, 1)
            if part.det() == 0:
                if any(_has_null_combination(part)):
                    return Integer(0)
                continue
            weights = part.inv() * one
            if all(w >= 0 for w in weights):
                best = min(best, 1 / sum(weights))
    return best


def _has_null_combination(part: ImmutableDenseMatrix) -> list[bool]:
    """Whether a null vector of a Gram matrix has one sign: a convex combination that is zero."""
    kernel = part.nullspace()
    return [len({bool(e > 0) for e in v if e != 0}) == 1 for v in kernel] if kernel else []
