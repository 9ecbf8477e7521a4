"""The values of sums and products at numbers: a range that ends before it begins gives nothing.

SymPy takes away what lies between, and an index for another one of its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from sympy import Add, Integer, Mul, Product, Sum

from claims.bound import apart, put
from claims.steps import built, rounds
from claims.whole import whole_between

__all__ = ["totalled"]

MANY = 1000
"""Terms from which on functions are not added one by one."""
Ranges = Mapping[Any, tuple[Any, Any]]


@lru_cache(maxsize=1 << 14)
def totalled(total: Sum | Product) -> Any:
    """The value of a sum or product, by SymPy's closed form where no range within goes back.

    >>> from sympy import symbols
    >>> j, k = symbols("j k", integer=True)
    >>> totalled(Sum(j * Sum(j, (j, 1, 2)), (j, 1, 3))), totalled(Sum(2, (j, 1, -3)))
    (18, 0)
    >>> totalled(Sum(Sum(1, (k, 1, j - 5)), (j, 1, 6))), totalled(Sum(j, (j, 1, Integer(3) / 2)))
    (1, 1)
    """
    return _valued(apart(total))


def _valued(e: Any) -> Any:
    if isinstance(e, Sum | Product):
        return _total(e)
    return built(e.func, *map(_valued, e.args)) if e.has(Sum, Product) else e


def _total(e: Sum | Product) -> Any:
    body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
    low, high = _whole(low, high)
    if low.is_Integer and high.is_Integer:
        joined = Add if isinstance(e, Sum) else Mul
        if high < low:
            return joined()
        forward = all(_forward(*each) for each in _within(body, inner, {index: (low, high)}))
        if rounds(body) and high - low >= MANY:
            return e
        if not forward or rounds(body):
            inside = type(e)(body, *inner) if inner else body
            terms = (put(inside, {index: Integer(k)}) for k in range(int(low), int(high) + 1))
            return built(joined, *map(_valued, terms))
    return type(e)(body, *inner, (index, low, high)).doit()


def _whole(low: Any, high: Any) -> tuple[Any, Any]:
    """The first and the last integer of a range of numbers: SymPy adds up to an end that is none."""
    if not (low.is_number and high.is_number) or (low.is_Integer and high.is_Integer):
        return low, high
    first = low if low.is_infinite else Integer(whole_between(low, low + 1)[0])
    last = high if high.is_infinite else Integer(whole_between(high - 1, high)[-1])
    return first, last


def _within(body: Any, inner: list[Any], outer: Ranges) -> Iterator[tuple[Any, Ranges]]:
    """The lengths of the ranges inside a sum, with the ranges of the indices around them."""
    for index, low, high in reversed(inner):
        yield high - low + 1, outer
        outer = {**outer, index: (low, high)}
    for part in _outermost(body):
        deeper, *limits = part.args[0], *map(tuple, part.args[1:])
        yield from _within(deeper, limits, outer)


def _outermost(e: Any) -> Iterator[Any]:
    if isinstance(e, Sum | Product):
        yield e
    elif e.has(Sum, Product):
        for part in e.args:
            yield from _outermost(part)


def _forward(length: Any, outer: Ranges) -> bool:
    """Whether a length is nowhere negative, as far as is seen: it rises or falls with each index."""
    if length.is_Integer or length.is_infinite:
        return bool(length >= 0)
    for index in length.free_symbols & outer.keys():
        if not length.diff(index).is_Integer:
            return False
        rest = {other: ends for other, ends in outer.items() if other != index}
        return all(_forward(put(length, {index: end}), rest) for end in outer[index])
    return False
