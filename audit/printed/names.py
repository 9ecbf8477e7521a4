"""What stands behind the names of a printed formula: the terms of a statement, by what they print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Any

from sympy import (
    Add,
    Basic,
    Integer,
    Mul,
    Number,
    Pow,
    Rational,
    Symbol,
    Tuple,
    cos,
    factorial,
    log,
    preorder_traversal,
    sin,
    tan,
)
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions import MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from audit.printed.tokens import CLOSING, OPENING, Unreadable, group_after, signs_of
from claims.model import Claim
from claims.statement import Formula
from claims.terms import MaxOver, MinOver, value_of
from claims.typeset import typeset
from claims.vocabulary import meanings

__all__ = ["POINT", "Names", "names_of", "pattern", "stacked_names", "written"]

POINT = "the point"
"""Where an environment keeps the point; every other key is a bound index, by its signs."""
HOLES = tuple(rf"\hole{letter}" for letter in "abcdef")
COMPOUND = (
    Add, Mul, Pow, MatAdd, MatMul, MatPow, Transpose, Number, Tuple, Boolean,
    factorial, log, sin, cos, tan,
)  # fmt: skip
"""Terms that a reader takes apart."""

Signs = tuple[str, ...]
Value = Callable[[Any, Sequence[Any]], Any]
Match = tuple[int, Callable[[Any, Sequence[Any]], Any], list[list[str]]]


def written(term: Any) -> Signs:
    """The signs that a term prints."""
    return signs_of(typeset(term))


class Names:
    """Names and patterns of names (with a hole for each index) and what gives their values."""

    def __init__(self) -> None:
        self.known: dict[Signs, Value] = {}
        self.ranges: dict[Signs, tuple[Any, Any]] = {}
        self._bound: list[Signs] = []
        self._first: dict[str, list[Signs]] = {}

    def add(self, name: Signs, value: Value) -> None:
        if name and name not in self.known:
            self.known[name] = value
            self._first.setdefault(name[0], []).append(name)

    def without(self, *names: Signs) -> Names:
        """The same but for some names."""
        made = Names()
        made.ranges = self.ranges
        for name, value in self.known.items():
            if name not in names:
                made.add(name, value)
        return made

    def is_bound(self, name: Signs) -> bool:
        return name in self._bound

    @staticmethod
    def term(term: Any) -> Callable[[Mapping[Any, Any]], Any]:
        """What evaluates a term of the statement."""
        return lambda env: _value(term, env[POINT], ())

    def define(self, name: Signs, node: Callable[[Mapping[Any, Any]], Any]) -> None:
        """A name that the text itself explains."""
        self.add(name, lambda at, places: node({POINT: at}))

    @contextmanager
    def bound(self, indices: Sequence[Signs]) -> Iterator[None]:
        """Indices of a sum, which hide what has their name outside."""
        self._bound += indices
        yield
        del self._bound[len(self._bound) - len(indices) :]

    def at(self, signs: Sequence[str], at: int) -> Match | None:
        """The longest name at a place: where it ends, its value, and what fills its holes."""
        found: Match | None = None
        for name in self._bound:
            if tuple(signs[at : at + len(name)]) == name and (
                found is None or len(name) + at > found[0]
            ):
                found = at + len(name), partial(_of_index, name), []
        for name in self._first.get(signs[at], ()) if at < len(signs) else ():
            if any(index[0] in name for index in self._bound):
                continue  # it is the name of one member, and the index runs
            filled = _filled(name, signs, at)
            if filled is not None and (found is None or filled[0] > found[0]):
                found = filled[0], partial(_of_point, self.known[name]), filled[1]
        return found


def _of_index(name: Signs, env: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    return env[name]


def _of_point(value: Value, env: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    return value(env[POINT], places)


def _filled(name: Signs, signs: Sequence[str], at: int) -> tuple[int, list[list[str]]] | None:
    """Where a name with holes ends, and what fills them, in the order of their letters."""
    holes: dict[str, list[str]] = {}
    for place, sign in enumerate(name):
        if sign not in HOLES:
            if sign == "," and signs[at : at + 1] != (",",):
                continue
            if at >= len(signs) or signs[at] != sign:
                return None
            at += 1
            continue
        if signs[at : at + 1] in ((",",), [","]):
            at += 1
        following = name[place + 1] if place + 1 < len(name) else None
        taken = _hole(signs, at, following, scripted=place > 0 and name[place - 1] in "_^")
        if taken is None or holes.setdefault(sign, taken[0]) != taken[0]:
            return None
        at = taken[1]
    return at, [holes[hole] for hole in sorted(holes)]


def _hole(
    signs: Sequence[str], at: int, following: str | None, *, scripted: bool
) -> tuple[list[str], int] | None:
    """What fills a hole: a whole script, one sign before another hole, or all up to what follows."""
    if at >= len(signs):
        return None
    if scripted:
        return group_after(signs, at)
    if following in HOLES:
        return [signs[at]], at + 1
    stop, depth = at, 0
    while stop < len(signs) and (depth or signs[stop] != following):
        depth += (signs[stop] in OPENING) - (signs[stop] in CLOSING)
        if depth < 0:
            return None
        stop += 1
    return (list(signs[at:stop]), stop) if at < stop < len(signs) else None


def names_of(claim: Claim, *others: Formula) -> Names:
    """The names of a claim's statement and domain, and of other formulas about it."""
    names = Names()
    for variable in claim.domain.variables:
        names.add(written(variable.symbol), partial(_held, variable.symbol))
    for piece in (piece for formula in (claim.formula, *others) for piece in formula.walk()):
        if not isinstance(piece, Formula):
            for term in piece if isinstance(piece, tuple) else (piece,):
                _learn(names, term)
        elif hasattr(piece, "index"):
            names.add(written(piece.index), partial(_held, piece.index))
    for name, define in meanings(claim.paper):  # what the statement itself names comes first
        names.add(signs_of(name.format(*HOLES)), partial(_meant, define))
    return names


def stacked_names(claim: Claim, at: Mapping[Any, Any]) -> list[Signs]:
    """Names of matrices in whose place a point has several, one above the other."""
    matrices = [v.symbol for v in claim.domain.variables if isinstance(v.symbol, MatrixSymbol)]
    return [written(m) for m in matrices if at[m].shape != value_of(m.shape, at)]


def _learn(names: Names, term: Any) -> None:
    if not isinstance(term, Basic):
        return
    parts = list(preorder_traversal(term))
    limits = [limit for part in parts for limit in _limits(part)]
    for index, *ends in limits:
        names.ranges.setdefault(written(index), tuple(ends))
    bound = {index for index, *_ in limits}
    for part in parts:
        if isinstance(part, AppliedUndef):
            _learn_function(names, part)
        if isinstance(part, COMPOUND) or part.free_symbols & bound:
            continue
        names.add(written(part), partial(_value, part))


def _limits(part: Any) -> Any:
    """The indices that a sum or an extremum binds, each with its range."""
    limits = getattr(part, "limits", ())
    return (limits,) if isinstance(part, MaxOver | MinOver) else limits


def pattern(function: Any, count: int) -> Signs:
    """The name of a function of so many indices, with a hole for each."""
    return written(function(*(Symbol(hole) for hole in HOLES[:count])))


def _learn_function(names: Names, applied: Any) -> None:
    """A function by its pattern, and the array whose entries it gives by its name."""
    names.add(pattern(applied.func, len(applied.args)), partial(_applied, applied.func))
    variable = getattr(applied.func, "variable", None)
    if variable is not None:
        names.add(written(variable), partial(_held, variable))


def _held(symbol: Any, at: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    if symbol not in at:
        raise Unreadable(f"{symbol} has no value here")
    return at[symbol]


def _meant(define: Callable[..., Any], at: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    return _number(define(at, *places))


def _value(term: Any, at: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    return _number(value_of(term, at))


def _applied(function: Any, at: Mapping[Any, Any], places: Sequence[Any]) -> Any:
    return _number(value_of(function(*(Integer(place) for place in places)), at))


def _number(value: Any) -> Any:
    """A value with which SymPy computes: of a decimal number it would keep fifteen digits."""
    return Rational(str(value)) if isinstance(value, Decimal) else value
