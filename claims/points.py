"""Points of a domain: small tuples of integers, and which variables were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, islice, product
from typing import Any

__all__ = ["Point", "Remembered", "Watched", "integers_of_norm"]

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


class Remembered(Iterable[Any]):
    """What an iterator gives, made once however often it is gone over, and only as far as asked.

    >>> squares = Remembered(lambda: (k * k for k in range(3)))
    >>> list(squares), list(squares)
    ([0, 1, 4], [0, 1, 4])
    """

    def __init__(self, make: Callable[[], Iterator[Any]]):
        self._make, self._source, self._made = make, make(), list[Any]()

    def __iter__(self) -> Iterator[Any]:
        for place in count():
            if place == len(self._made) and not self._longer():
                return
            yield self._made[place]

    def _longer(self) -> bool:
        try:
            self._made.append(next(self._source))
        except StopIteration:
            return False
        except BaseException:  # an iterator that was interrupted would say that it is at its end
            self._source = islice(self._make(), len(self._made), None)
            raise
        return True


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
