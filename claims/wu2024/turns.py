"""Value matrices under LayerNorm: for each layer one of its own, for so many layers or for ever."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sympy import Symbol, oo

from claims.domain import Point
from claims.statement import Formula
from claims.wu2024.dynamics import Layers
from claims.wu2024.setup import Endless, Periodic

values = Symbol("W^{(0..T-1)}")
"""Holds a tuple of value matrices at a point, first layer first."""


@dataclass(frozen=True)
class EachLayer(Layers):
    """A matrix of its own for each layer; weaker where less is asked of each."""

    def relaxed(self) -> Layers | None:
        each = getattr(self.each, "relaxed", lambda: None)()
        return None if each is None else type(self)(self.symbol, each, self.length)


@dataclass(frozen=True)
class EndlessLayers(Endless, EachLayer):
    """Matrices for every layer; examples use `length` of them again and again."""

    length: Any = 2

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """All layers equal; then, from weight one on, the smallest matrix and last another one."""
        count = self._length(point)
        head = next(iter(self.each.of_weight(0, point)))
        for matrix in self.each.of_weight(weight, point):
            yield Periodic((matrix,) * count)
            if weight:
                yield Periodic((*(head,) * (count - 1), matrix))

    def facts(self) -> tuple[Formula, ...]:
        return Layers(self.symbol, self.each, oo).facts()
