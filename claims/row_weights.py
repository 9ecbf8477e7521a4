"""Matrices of weights: entries that are not negative, and no row that vanishes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer

from claims.points import Point
from claims.variables import Array

__all__ = ["RowWeights"]


@dataclass(frozen=True)
class RowWeights(Array):
    """Weights of which every row can be brought to sum one."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from filter(_is_admitted, super().of_weight(weight, point))

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        drawn = [[Integer(rng.randint(0, self.height)) for _ in range(cols)] for _ in range(rows)]
        for row in drawn:
            row[rng.randrange(cols)] += 1
        return ImmutableDenseMatrix(drawn)

    def simple(self, place: int, rng: Random, point: Point) -> Any:
        return self.draw(rng, point)

    def objection(self, value: Any, point: Point) -> str | None:
        if not _is_admitted(value):
            return f"{self.symbol} = {value}: must have non-negative entries and no zero row"
        return super().objection(value, point)


def _is_admitted(value: ImmutableDenseMatrix) -> bool:
    return min(value) >= 0 and all(sum(value.row(k)) > 0 for k in range(value.rows))
