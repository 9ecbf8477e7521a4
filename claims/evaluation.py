r"""Exact values of terms with indices at a point, each term compiled once.

A term is read once into closures over its parts; evaluated at many points, and for every index of its
sums, it then costs additions and multiplications of integers and fractions.  What is no fraction, such as
a root, a matrix or a symbol without value, is left to SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial, reduce
from math import prod
from operator import add, mul
from typing import Any

import flint
from sympy import (
    Add,
    Expr,
    Float,
    Integer,
    Mul,
    Piecewise,
    Pow,
    Product,
    Rational,
    Symbol,
    false,
    oo,
    true,
)
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from claims.algebra import binds
from claims.exact import DIGITS, rational
from claims.expressions import explicit
from claims.points import Memory, Placed
from claims.steps import built, summed
from claims.whole import whole, whole_between

__all__ = ["as_place", "evaluated", "from_zero", "numbers", "place_of_entry", "value_at"]

Point = Mapping[Any, Any]
Bound = dict[Any, Any]
Code = Callable[["Value", Bound], Any]
"""The value of a term, where bound indices have values: an `int`, an `fmpq`, or what is no fraction."""
EXACT = frozenset({int, flint.fmpq})
LARGEST_POWER = 64
"""Exponents up to which powers of fractions are taken here."""

_MEMORY = Memory()
_LAST: dict[type[Value], Value] = {}
"""Where the last place of a point was looked at."""


def evaluated(define: Callable[[Point], Any], at: Point) -> Any:
    """A definition at a point; remembered, since variants of a claim ask at the same points."""
    return _MEMORY(define, at, define)


def from_zero(layer: Any) -> None:
    """Layers are counted from zero: before it there is nothing, and no end to going back.

    Raises `LookupError`.
    """
    if layer < 0:
        raise LookupError(f"layer {layer}: must be at least 0")


def numbers(at: Point, e: Any) -> dict[Any, Any]:
    """The part of a point that a term holds: numbers and matrices."""
    names = at if e.has(MatrixExpr) else e.free_symbols
    known = {name: at[name] for name in names if name in at}
    return {k: v for k, v in known.items() if isinstance(v, Expr | int) or hasattr(v, "tolist")}


class Value:
    """Evaluation at one point; values of recursions, families, entries and sums are remembered."""

    def __init__(self, at: Point):
        self.at = at
        self.remembered: dict[Any, Any] = {}

    def __call__(self, e: Any, bound: Bound) -> Any:
        found = _written(_compiled(e)(self, bound))
        if isinstance(found, Rational) or not isinstance(found, Expr | MatrixExpr):
            return found
        return explicit(found, self._numbers(found, bound))

    def _numbers(self, e: Any, bound: Bound) -> dict[Any, Any]:
        known = {index: _written(place) for index, place in bound.items()}
        return {**numbers(self.at, e), **numbers(known, e)}

    def number(self, code: Code, bound: Bound) -> Any:
        """What a term says, with the point's values for the symbols that are left in it."""
        value = code(self, bound)
        if type(value) in EXACT or not getattr(value, "free_symbols", ()):
            return value
        return _read(explicit(value, self._numbers(value, bound)))

    def defined(self, define: Callable[[Point], Any]) -> Any:
        """A definition, which knows nothing of indices that are bound around it."""
        return _read(evaluated(define, self.at))

    def applied(self, *key: Any) -> Any:
        """A recursion, a member of a family or an entry of an array, at its places."""
        function, *places = key
        if not hasattr(function, "recursion") and not hasattr(function, "define_at"):
            return _read(_entry(function, places, self.at))
        if getattr(function, "kept", False):
            return self._at_places(function, places)
        return _MEMORY(key, self.at, lambda at: Value(at)._at_places(function, places))

    def _at_places(self, function: Any, places: list[Any]) -> Any:
        recursion = getattr(function, "recursion", None)
        if recursion is None:
            return _read(function.define_at(self.at, *map(as_place, places)))
        t, *others = places
        from_zero(t)
        named, start, step = recursion.written
        bound = dict(zip(named, (t - 1, *others), strict=True))
        return self.number(_compiled(start if t == 0 else step), bound)


def value_at(e: Any, at: Point, kind: type[Value] = Value) -> Any:
    """The value of a term with indices; places of one point in turn share what they have in common.

    `kind` is a way of evaluating of one's own.
    """
    if not isinstance(at, Placed):
        return kind(at)(e, {})
    if kind not in _LAST or _LAST[kind].at is not at.base:
        _LAST[kind] = kind(at.base)
    return _LAST[kind](e, {index: _read(place) for index, place in at.indices.items()})


def as_place(place: Any) -> Any:
    """An index as an integer; what is none, such as the level of a tail, as it is."""
    found = int(place)
    return found if found == place else place


def _entry(function: Any, places: list[Any], at: Point) -> Any:
    variable = getattr(function, "variable", None)
    if variable is None or variable not in at:
        raise TypeError(f"{function}: has no value at this point")
    value = at[variable]
    layers, row, column = place_of_entry(places)
    if hasattr(value, "edges"):  # a mask: one where the second index attends to the first
        return int((row, column) in value.edges)
    for layer in layers:
        value = value[layer]
    if isinstance(value, tuple):
        return value[row - 1]
    return value[row - 1, column - 1]


def place_of_entry(places: Sequence[Any]) -> tuple[list[int], int, int]:
    """Layers from zero, a row and a column from one; a single index is a row.

    Raises `ValueError` for an index that is no integer, or before the first, where Python would count
    from the end.
    """
    *layers, row, column = map(whole, places if len(places) > 1 else (*places, 1))
    if row < 1 or column < 1 or (layers and min(layers) < 0):
        raise ValueError(f"no entry at {', '.join(map(str, places))}: the first is at 1, 1")
    return layers, row, column


# Numbers ------------------------------------------------------------------------------------------


def _read(value: Any) -> Any:
    """A fraction of SymPy's as one to calculate with; anything else as it is."""
    if isinstance(value, Rational):
        p, q = int(value.p), int(value.q)
        return p if q == 1 else flint.fmpq(p, q)
    return value


def _written(value: Any) -> Any:
    """The same for SymPy."""
    if type(value) is int:
        return Integer(value)
    if type(value) is flint.fmpq:
        return rational(value)
    return value


def _in_sympy(value: Any) -> Any:
    """A part of a term; of a decimal SymPy would keep no more digits than a machine number has."""
    return Float(str(value), DIGITS) if isinstance(value, Decimal) else _written(value)


def _place(value: Any) -> Any:
    """An index: an integer where it is one."""
    if type(value) is flint.fmpq:
        return int(value.p) if value.q == 1 else _written(value)
    return value


def _all_exact(values: list[Any]) -> bool:
    return all(type(value) in EXACT for value in values)


# Terms --------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 15)
def _compiled(e: Any) -> Code:
    """How to evaluate a term with quantities, entries, recursions and ranges."""
    if hasattr(e, "define"):
        define = e.define
        return lambda value, bound: value.defined(define)
    if isinstance(e, Symbol):
        return _symbol(e)
    if isinstance(e, AppliedUndef):
        return _application(e)
    if binds(e):
        return _ranged(e)
    if isinstance(e, Piecewise):
        return _branch(e)
    if isinstance(e, MatrixExpr) or not getattr(e, "args", ()):
        constant = _read(e)
        return lambda value, bound: constant
    return _composed(e)


def _symbol(e: Any) -> Code:
    def code(value: Value, bound: Bound) -> Any:
        if e in bound:
            return bound[e]
        known = value.at.get(e, e)
        return _read(known) if isinstance(known, Expr | int) else e

    return code


def _application(e: Any) -> Code:
    function, parts = e.func, [_index(part) for part in e.args]

    def code(value: Value, bound: Bound) -> Any:
        key = (function, *[part(value, bound) for part in parts])
        remembered = value.remembered
        if key not in remembered:  # what `applied` refuses is refused again
            remembered[key] = value.applied(*key)
        return remembered[key]

    return code


def _index(e: Any) -> Code:
    """An index: most are bound symbols, or integers."""
    if e.is_Integer:
        constant = int(e)
        return lambda value, bound: constant
    code = _compiled(e)
    if isinstance(e, Symbol) and not hasattr(e, "define"):
        return lambda value, bound: bound[e] if e in bound else _place(value.number(code, bound))
    return lambda value, bound: _place(value.number(code, bound))


def _ranged(e: Any) -> Code:
    """A sum, a product or an extremum over a range; the last index of several is the outermost."""
    body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
    inside = _compiled(type(e)(body, *inner) if inner else body)
    first, last = _compiled(low), _compiled(high)
    pick: Any = getattr(e, "pick", prod if isinstance(e, Product) else sum)
    names = tuple(e.free_symbols)

    def joined(value: Value, bound: Bound) -> Any:
        start, end = value.number(first, bound), value.number(last, bound)
        if end is oo:
            raise TypeError(f"{e}: an infinite range has no value at a point")
        there = dict(bound)
        found = []
        for k in whole_between(start, end):
            there[index] = k
            found.append(value.number(inside, there))
        if _all_exact(found):
            return pick(found)
        found = [_in_sympy(one) for one in found]
        return built(e.joined, *found) if hasattr(e, "joined") else pick(found)

    def code(value: Value, bound: Bound) -> Any:
        key = (code, *[bound.get(name) for name in names])
        if key not in value.remembered:
            value.remembered[key] = joined(value, bound)
        return value.remembered[key]

    return code


def _branch(e: Any) -> Code:
    """The branch whose condition holds; others may have no value here."""
    branches = [(_compiled(branch), _compiled(condition)) for branch, condition in e.args]

    def code(value: Value, bound: Bound) -> Any:
        for branch, condition in branches:
            holds = condition(value, bound)
            if holds == true:
                return branch(value, bound)
            if holds != false:
                raise TypeError(f"{e}: whether {holds} is not known at this point")
        raise TypeError(f"{e}: no condition holds at this point")

    return code


def _composed(e: Any) -> Code:
    """A function of its parts: of fractions, sums and products and whole powers are taken here."""
    parts = [_compiled(part) for part in e.args]
    function = partial(summed if e.func is Add else built, e.func)
    quick = _QUICK.get(e.func)

    def code(value: Value, bound: Bound) -> Any:
        found = [part(value, bound) for part in parts]
        if quick is not None and _all_exact(found):
            made = quick(found)
            if made is not None:
                return made
        return _read(function(*map(_in_sympy, found)))

    return code


def _power(parts: list[Any]) -> Any:
    """None where it is no fraction, or a large one."""
    base, exponent = parts
    if type(exponent) is not int or abs(exponent) > LARGEST_POWER:
        return None
    if exponent >= 0:
        return base**exponent
    return flint.fmpq(1) / base**-exponent if base != 0 else None


_QUICK: dict[Any, Callable[[list[Any]], Any]] = {
    Add: lambda parts: reduce(add, parts),
    Mul: lambda parts: reduce(mul, parts),
    Pow: _power,
}
