"""Points of a domain: small tuples of integers, and which variables were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

__all__ = ["Point", "Watched", "integers_of_norm"]

Point = Mapping[Any, Any]


class Watched(Mapping[Any, Any]):
    """A point that remembers which variables are asked for."""

    def __init__(self, point: Point):
        self.point, self.read = point, set[Any]()

    def __getitem__(self, variable: Any) -> Any:
        self.read.add(variable)
        return self.point[variable]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.point)

    def __len__(self) -> int:
        return len(self.point)


def integers_of_norm(count: int, weight: int) -> Iterator[tuple[int, ...]]:
    """Integer tuples with the sum of absolute values equal to `weight`, positive signs first."""
    for magnitudes in _compositions(count, weight):
        signs = [((x, -x) if x else (0,)) for x in magnitudes]
        yield from product(*signs)


def _compositions(count: int, total: int) -> Iterator[tuple[int, ...]]:
    if count == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(count - 1, total - first):
            yield (first, *rest)
