"""Points of a domain: small tuples of integers, and which variables were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count, islice, product
from typing import Any

from sympy import Basic

__all__ = [
    "Itself", "Memory", "Placed", "Point", "Remembered", "Watched", "integers_of_norm", "place_of",
    "typed", "unplaced",
]  # fmt: skip

Point = Mapping[Any, Any]
LONGEST = 240
"""Characters of a value inside a sentence."""


def place_of(point: Point) -> str:
    """A point inside a sentence, on one line; of large matrices the beginning.

    >>> place_of({"n": 2, "sigma": 1})
    'n = 2, sigma = 1'
    """
    return ", ".join(f"{name} = {_shortened(value)}" for name, value in point.items())


def _shortened(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


class Watched(dict[Any, Any]):
    """A point that remembers which variables are asked for; all, where it is gone over."""

    def __init__(self, point: Point):
        super().__init__(dict.items(point) if isinstance(point, dict) else point)
        self.asked, self.whole = set[Any](), False

    @property
    def read(self) -> set[Any]:
        return set(dict.keys(self)) | self.asked if self.whole else self.asked

    @property
    def lacking(self) -> set[Any]:
        """What was asked for and is no variable of the point."""
        return self.asked - dict.keys(self)

    def saw(self, other: Watched) -> None:
        """What was read of a copy of this point was read of this one."""
        self.asked |= other.asked
        self.whole = self.whole or other.whole

    def __getitem__(self, variable: Any) -> Any:
        self.asked.add(variable)
        return super().__getitem__(variable)

    def get(self, variable: Any, default: Any = None) -> Any:
        self.asked.add(variable)
        return super().get(variable, default)

    def __contains__(self, variable: Any) -> bool:
        self.asked.add(variable)
        return super().__contains__(variable)

    def __iter__(self) -> Iterator[Any]:  # SymPy and Python go this way to copy one, too
        self.whole = True
        return super().__iter__()

    def __len__(self) -> int:
        self.whole = True
        return super().__len__()

    def keys(self) -> Any:
        self.whole = True
        return super().keys()

    def items(self) -> Any:
        self.whole = True
        return super().items()

    def values(self) -> Any:
        self.whole = True
        return super().values()

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    def __repr__(self) -> str:  # also what `str` and formatted strings ask for
        return repr(self.copy())

    def __eq__(self, other: object) -> bool:
        return self.copy() == other

    def __ne__(self, other: object) -> bool:
        return self.copy() != other

    __hash__ = None  # type: ignore[assignment]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.copy())

    def pop(self, variable: Any, *default: Any) -> Any:
        self.asked.add(variable)
        return super().pop(variable, *default)

    def popitem(self) -> Any:
        self.whole = True
        return super().popitem()

    def setdefault(self, variable: Any, default: Any = None) -> Any:
        self.asked.add(variable)
        return super().setdefault(variable, default)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()


class Placed(dict[Any, Any]):
    """A point with values for indices; what does not depend on those is the same for all of them."""

    def __init__(self, point: Point, indices: Mapping[Any, Any]):
        self.base: Point = point.base if isinstance(point, Placed) else point
        before = point.indices if isinstance(point, Placed) else {}
        self.indices: dict[Any, Any] = {**before, **indices}
        super().__init__(point)
        self.update(indices)


def unplaced(point: Point) -> Point:
    """The point without values for indices."""
    return point.base if isinstance(point, Placed) else point


class Itself:
    """A value as a key that equals itself alone: what is made of it is remembered as long as it is kept.

    >>> one, other = [1], [1]
    >>> Itself(one) == Itself(one), Itself(one) == Itself(other)
    (True, False)
    """

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


_ABSENT = object()


class Memory:
    """What functions gave at points, for other points that agree in all that was read.

    >>> n, k = "n", "k"
    >>> memory, asked = Memory(), []
    >>> double = lambda at: asked.append(at[n]) or 2 * at[n]
    >>> [memory("double", {n: 3, k: j}, double) for j in range(3)], asked
    ([6, 6, 6], [3])
    """

    def __init__(self, many: int = 1 << 15):
        self._known: dict[Any, dict[tuple[Any, ...], dict[Any, Any]]] = {}
        self._count, self._many = 0, many

    def __call__(self, key: Any, at: Point, make: Callable[[Point], Any]) -> Any:
        """`make(at)`; the key says which function is meant, with its other arguments."""
        if not isinstance(at, dict):
            at = dict(at)
        known = self._known.setdefault(key, {})
        try:
            for variables, results in known.items():
                found = results.get(_values(at, variables), _ABSENT)
                if found is not _ABSENT:
                    if isinstance(at, Watched):
                        at.asked.update(variables)
                    return found
        except TypeError:  # a value that has no hash
            return make(at)
        watched = Watched(at)
        try:
            value = make(watched)
        finally:
            if isinstance(at, Watched):
                at.saw(watched)
        if not watched.whole:
            self._keep(key, tuple(watched.asked), at, value)
        return value

    def _keep(self, key: Any, variables: tuple[Any, ...], at: Point, value: Any) -> None:
        self._count += 1
        if self._count > self._many:
            self._known.clear()
            self._count = 0
        with suppress(TypeError):
            results = self._known.setdefault(key, {}).setdefault(variables, {})
            results[_values(at, variables)] = value


def _values(at: Any, variables: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(typed(dict.get(at, variable, _ABSENT)) for variable in variables)


def typed(value: Any) -> Any:
    """A value beside its type, since 1 equals True and 1.0, which a definition may tell apart.

    >>> 1 == True, typed(1) == typed(True), typed((1, 2)) == typed((True, 2))
    (True, False, False)
    """
    if isinstance(value, Basic):
        return value
    return (type(value), *map(typed, value)) if type(value) is tuple else (type(value), value)


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
