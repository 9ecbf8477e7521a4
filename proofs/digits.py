"""Terms at a point in ball arithmetic, to be held to definitions that are known to forty digits.

A trajectory is followed in numbers of sixty digits, since roots nest one level deeper with every layer.
The term that is compared with it need not be written out exactly either: a ball around its value
decides what the exact value would, and where it is too wide, nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache, reduce
from typing import Any

import flint
from sympy import (
    Add,
    Basic,
    Function,
    Integer,
    KroneckerDelta,
    Mul,
    Piecewise,
    Pow,
    Rational,
    Sum,
    Symbol,
    oo,
    preorder_traversal,
    true,
)
from sympy.core.function import AppliedUndef

from claims.exact import SLACK, ball, ball_of_parts
from claims.points import typed
from claims.terms import MaxOver, MinOver, Point, Recursion, from_zero, made_of, value_of
from claims.whole import whole_between

__all__ = ["SEEN", "agrees", "balls_at", "shows"]

BITS = 256
_LOOKED_UP = (Symbol, AppliedUndef, Sum, MaxOver, MinOver, KroneckerDelta, Piecewise)


Balls = dict[Any, flint.arb]
"""Balls around sums and recursions at one point, each with the values of the indices it depends on."""


def balls_at(point: Point) -> Balls:
    """What is known of a point and of it with other indices, so that each sum is made once."""
    try:
        return _balls_at(frozenset((name, typed(value)) for name, value in point.items()))
    except TypeError:  # a value that has no hash
        return {}


@lru_cache(maxsize=32)
def _balls_at(_: frozenset[Any]) -> Balls:
    return {}


def agrees(defined: Decimal, term: Any, at: Point, known: Balls) -> bool | None:
    """Whether a term has the value `defined` at a point, to forty digits; None when not decided."""
    try:
        with flint.ctx.workprec(BITS):
            gap = abs(ball(term, _Values(at, {}, known)) - flint.arb(str(defined)))
            slack = flint.arb(str(SLACK))
            if not gap.is_finite():
                return None
            return True if gap < slack else False if gap > slack else None
    except (TypeError, ValueError):
        return None


def shows(term: Any, at: Point, known: Balls) -> bool | None:
    """Whether every part of a term that is compared by its digits has a part in those.

    None where it holds a decimal next to zero: that may be all that is left of lost digits.

    Of a number of more digits than are compared, of what is added to something far larger, and of what a
    function hardly depends on, forty digits say nothing.
    """
    try:
        with flint.ctx.workprec(BITS):
            if not _is_short(term):
                return False
            found = ball(term, _Shown(at, {}, known))
            sums = isinstance(term, Add)  # of which what is left may be lost digits
            if not sums and not found.contains(0) and abs(found) < flint.arb(str(SEEN)):
                return False
    except (TypeError, ValueError):  # as where balls decide nothing
        pass
    except _Lost:
        return None
    except _Unseen:
        return False
    return True


class _Unseen(ArithmeticError):
    """A part of a term that does not show."""


class _Lost(ArithmeticError):
    """A decimal that is zero, of which digits were lost, or is not."""


LONGEST, SEEN = 66, Decimal(10) ** -20
"""Bits of a number inside a term, and the least share of the largest part that is seen."""


@lru_cache(maxsize=4096)
def _is_short(term: Any) -> bool:
    """Whether the numbers of a term are short, and neither huge nor next to zero."""
    numbers = (max(abs(int(r.p)), int(r.q)) for r in term.atoms(Rational))
    if any(number.bit_length() > LONGEST for number in numbers):
        return False
    closed = (
        part for part in preorder_traversal(term)
        if isinstance(part, Pow | Mul | Add | Function)
        and not part.free_symbols and not part.has(AppliedUndef)
    )  # fmt: skip
    seen = flint.arb(str(SEEN))
    for part in closed:
        found = abs(ball(part, {}))
        if found > 0 and not seen < found < 1 / seen:
            return False
    return True


class _Values(Mapping[Any, flint.arb]):
    """Balls around whatever has a value at a point: what `ball` looks up instead of taking apart."""

    def __init__(self, at: Point, bound: Mapping[Any, Any], known: Balls):
        self.at, self.bound, self.known = at, bound, known

    def __contains__(self, e: object) -> bool:
        return isinstance(e, _LOOKED_UP)

    def __getitem__(self, e: Any) -> flint.arb:
        if isinstance(e, Symbol):
            return self._around(self._value(e))
        if isinstance(e, Sum | MaxOver | MinOver):
            names = _depends_on(e)
            return self._ranged(e) if names is None else self._once(e, names, self._ranged)
        if isinstance(e, Piecewise):
            return self._branch(e)
        places = tuple(map(self._value, e.args))
        if isinstance(e, KroneckerDelta):
            return _ball(KroneckerDelta(*places))
        if hasattr(e.func, "variable"):
            return self._once(e.func(*places), (), self._read)
        if not hasattr(e.func, "recursion"):
            return self._read(e.func(*places))
        names = _depends_on(e.func(*places))
        step = lambda _: self._step(e.func.recursion, places)  # noqa: E731
        return step(e) if names is None else self._once(e.func(*places), names, step)

    def _read(self, e: Any) -> flint.arb:
        """An entry of an array or a member of a family, at places that are numbers."""
        return self._around(value_of(e, self.at))

    def _around(self, value: Any) -> flint.arb:
        return _ball(value)

    def _once(self, e: Any, names: tuple[Any, ...], make: Callable[[Any], flint.arb]) -> flint.arb:
        """Remembered for the values that a term depends on."""
        key = (
            e,
            *(self.bound[name] if name in self.bound else self.at.get(name) for name in names),
        )
        if key not in self.known:
            self.known[key] = make(e)
        return self.known[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.bound)

    def __len__(self) -> int:
        return len(self.bound)

    def _value(self, e: Any) -> Any:
        """The exact value of an index, a symbol, or a term of such."""
        if isinstance(e, Integer):
            return e
        if e in self.bound:
            return self.bound[e]
        named = isinstance(e, Symbol) and not hasattr(e, "define")  # else it may read any index
        return value_of(e, self.at if named else {**self.at, **self.bound})

    def _branch(self, e: Piecewise) -> flint.arb:
        """The first branch whose condition holds; others may have no value here."""
        for value, condition in e.args:
            if _holds(condition, tuple(map(self._value, _names(condition)))):
                return ball(value, self)
        raise TypeError(f"{e}: no condition holds at this point")

    def _ranged(self, e: Any) -> flint.arb:
        body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
        first, last = self._value(low), self._value(high)
        if last is oo:
            raise TypeError(f"{e}: an infinite range has no value at a point")
        rest = type(e)(body, *inner) if inner else body
        found = [
            ball(rest, type(self)(self.at, {**self.bound, index: Integer(k)}, self.known))
            for k in whole_between(first, last)
        ]
        if isinstance(e, Sum):
            return self._sum(found)
        return reduce(flint.arb.max if isinstance(e, MaxOver) else flint.arb.min, found)

    def _step(self, recursion: Recursion, places: tuple[Any, ...]) -> flint.arb:
        """A recursion at its start, or from the layer before."""
        from_zero(places[0])
        names, start, step = recursion.written
        bound = dict(zip(names, (places[0] - 1, *places[1:]), strict=True))
        return ball(start if places[0] == 0 else step, type(self)(self.at, bound, self.known))

    def _sum(self, found: list[flint.arb]) -> flint.arb:
        return sum(found, start=flint.arb(0))


class _Shown(_Values):
    """The same, where every part shows: raises `_Unseen` at one that does not."""

    def __contains__(self, e: object) -> bool:
        return isinstance(e, _LOOKED_UP) or (isinstance(e, Add | Pow | Function) and bool(e.args))

    def __getitem__(self, e: Any) -> flint.arb:
        if isinstance(e, _LOOKED_UP):
            return super().__getitem__(e)
        parts = {part: ball(part, self) for part in e.args}
        if isinstance(e, Add):
            return self._sum(list(parts.values()))
        middles = {part: flint.arb(value.mid()) for part, value in parts.items()}
        found = ball_of_parts(e, middles)
        for part, value in parts.items():
            exponent = isinstance(e, Pow) and isinstance(part, Rational)  # a number of few digits
            if not exponent and not value.contains(0):
                more = middles[part] * (1 + flint.arb(str(SEEN)))
                changed = ball_of_parts(e, {**middles, part: more})
                gap = abs(
                    changed - found
                )  # none at all where it plays no part, as in powers of one
                if not (gap == 0) and gap < flint.arb(str(SLACK)) * abs(found):
                    raise _Unseen(e)
        return ball_of_parts(e, parts)

    def _around(self, value: Any) -> flint.arb:
        """Forty digits of a decimal are known, so that one next to zero may be zero."""
        found = _ball(value)
        if found != 0 and abs(found) < flint.arb(str(SEEN)):  # also a fraction of as many digits
            raise _Lost(value)
        if not isinstance(value, Decimal):
            return found
        return flint.arb(found.mid(), flint.arb(str(SLACK * max(Decimal(1), abs(value)))))

    def _sum(self, found: list[flint.arb]) -> flint.arb:
        sizes, seen = [abs(part) for part in found if not part.contains(0)], flint.arb(str(SEEN))
        if sizes and (min(sizes) < seen * max(sizes) or max(sizes) < seen):
            raise _Unseen("a sum")
        return super()._sum(found)


@lru_cache(maxsize=65536)
def _depends_on(e: Any) -> tuple[Any, ...] | None:
    """The symbols that a term depends on; None where it holds what may read all of a point."""
    names, functions = set(e.free_symbols), {inner.func for inner in e.atoms(AppliedUndef)}
    for function in [f for f in functions if hasattr(f, "recursion")]:
        names |= function.recursion.hidden
        functions |= made_of(function)
    if any(hasattr(f, "define_at") for f in functions) or any(hasattr(n, "define") for n in names):
        return None
    return tuple(sorted(names, key=str))


@lru_cache(maxsize=4096)
def _names(condition: Any) -> tuple[Any, ...]:
    return tuple(condition.free_symbols)


@lru_cache(maxsize=65536)
def _holds(condition: Any, values: tuple[Any, ...]) -> bool:
    """Whether a condition holds with values for its names."""
    known = dict(zip(_names(condition), values, strict=True))
    return bool(condition.xreplace(known) == true)


def _ball(value: Any) -> flint.arb:
    """A ball around an exact number, or what is known to sixty digits."""
    if isinstance(value, Decimal):
        return flint.arb(str(value))
    if isinstance(value, Basic) and value.free_symbols:
        raise TypeError(f"{value}: has no value at this point")
    return ball(value, {})
