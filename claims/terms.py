r"""Terms with indices, and their exact values at a point.

A matrix variable $A$ has entries `entry(A)(i, j)`, a tuple of matrices `entry(A)(t, i, j)`; tokens
and features count from one, layers from zero, as in the papers.  `Recursion` defines a function of
an index by its start and its step; `MaxOver` and `MinOver` range over an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from inspect import signature
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from sympy import (
    Add,
    Atom,
    Dummy,
    Expr,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    Product,
    Rational,
    Sum,
    Symbol,
    Tuple,
    preorder_traversal,
    sympify,
)  # fmt: skip
from sympy.core.function import Application, AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions import MatrixExpr

import claims.sympy_repairs  # noqa: F401
from claims.algebra import bound_in
from claims.bound import put
from claims.errors import UserError
from claims.evaluation import evaluated, from_zero, numbers, value_at
from claims.expressions import exact_scalars, explicit, explicit_scalar
from claims.fixed import Fixed
from claims.points import unplaced
from claims.steps import built, steps
from claims.whole import whole_between

__all__ = [
    "MaxOver",
    "MinOver",
    "Recursion",
    "entry",
    "evaluated",
    "family",
    "from_zero",
    "holding",
    "made_of",
    "put",
    "rests_on",
    "value_of",
    "written_out",
]

Point = Mapping[Any, Any]
_SERIAL = count()


class _Function(UndefinedFunction):
    """A function that equals itself alone: its serial number says so, and need not be looked at."""

    __hash__ = type.__hash__

    def __eq__(cls, other: Any) -> bool:
        return cls is other

    def __ne__(cls, other: Any) -> bool:
        return cls is not other

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in _SAID and name in vars(cls):
            raise UserError(f"{cls}: its {name} does not change, as theorems may rest on it")
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        raise UserError(f"{cls}: its {name} does not change, as theorems may rest on it")


_SAID = frozenset(
    {"define_at", "events", "growth", "kept", "matrices", "name", "recursion", "shares", "variable"}
)
"""What a function is, and what it is made of."""


class _Over(Expr):
    """A body, an index and its range."""

    is_commutative = True
    is_real = True
    binds = True

    def __new__(cls, body: Any, limits: tuple[Any, Any, Any]) -> Any:
        return super().__new__(cls, sympify(body), Tuple(*map(sympify, limits)))

    @property
    def body(self) -> Expr:
        return self.args[0]

    @property
    def limits(self) -> tuple[Symbol, Expr, Expr]:
        return tuple(self.args[1])

    @property
    def free_symbols(self) -> set[Any]:
        index, low, high = self.limits
        return (self.body.free_symbols - {index}) | low.free_symbols | high.free_symbols

    def _eval_subs(self, old: Any, new: Any) -> Any:
        index, low, high = self.limits
        body = self.body
        if old == index:
            return type(self)(body, (index, low.subs(old, new), high.subs(old, new)))
        if index in getattr(new, "free_symbols", ()):
            fresh = Dummy(index.name, **index._assumptions_orig)
            body, index = body.xreplace({index: fresh}), fresh
        return type(self)(body.subs(old, new), (index, low.subs(old, new), high.subs(old, new)))


class MaxOver(_Over):
    """The largest value of a body over an index range that is not empty."""

    pick, joined = max, Max


class MinOver(_Over):
    """The least value of a body over an index range that is not empty."""

    pick, joined = min, Min


@cache
def entry(variable: Any) -> UndefinedFunction:
    """The entries of an array variable as a function of its indices.

    >>> from sympy import Matrix, MatrixSymbol
    >>> X = MatrixSymbol("X", 2, 2)
    >>> value_of(entry(X)(1, 2), {X: Matrix([[3, 4], [5, 6]])})
    4
    """
    name = variable.name if hasattr(variable, "name") else str(variable)
    # The serial number keeps arrays of one name and different shapes apart, as it does below.
    made = _Function(name, real=True, serial=next(_SERIAL))
    made.variable = variable
    return made


def family(name: str, define: Callable[..., Any], *, kept: bool = False) -> UndefinedFunction:
    r"""A quantity for each index: `define(point, *indices)` is its exact value.

    `name` is LaTeX with `{}` in the place of each index.  A definition that is quick, since it keeps
    what it computes itself, is `kept`: its values are not remembered once more.

    >>> n, k = Symbol("n"), Symbol("k", integer=True)
    >>> power = family(r"n^{{{}}}", lambda at, k: at[n] ** k)
    >>> value_of(power(Integer(3)) + 1, {n: Integer(2)})
    9
    """
    made = _Function(name, real=True, serial=next(_SERIAL))
    made.define_at, made.kept = staticmethod(define), kept
    return made


class Recursion(Fixed):
    """A function of a layer index (and others) given by its value at zero and one step.

    `start(*others)` and `step(t, *others, before)` return terms; `before(*others)` is the function
    at `t`, `step` gives it at `t + 1`.

    >>> grow = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    >>> value_of(grow(Integer(5)), {})
    32
    """

    def __init__(self, name: str, start: Callable[..., Any], step: Callable[..., Any]):
        self.start, self.step = start, step
        # The serial number keeps functions of one name apart: SymPy compares names and keywords.
        self.function = _Function(name, real=True, serial=next(_SERIAL))
        self.function.recursion = self

    def __call__(self, t: Any, *others: Any) -> Expr:
        return self.function(sympify(t), *map(sympify, others))

    @cached_property
    def written(self) -> tuple[tuple[Symbol, ...], Expr, Expr]:
        """Symbols for its places, its start, and its step from the layer of the first to the next."""
        others = [Dummy(integer=True) for _ in signature(self.start).parameters]
        t = Dummy(integer=True)
        step = self.step(t, *others, lambda *where: self(t, *where))
        return (t, *others), sympify(self.start(*others)), sympify(step)

    @cached_property
    def circular(self) -> bool:
        """Whether a value may rest on itself, or on one of a later layer.

        Of those that come back to this recursion, the start may ask for none, and the step for those
        of the layer before only.  A place that either binds itself stands for any number there.  What
        else comes back, such as a rank or a singular value of its values, does not show of which layer.
        """
        places, start, step = self.written
        if not set(places).isdisjoint(bound_in(start) | bound_in(step)):
            return True
        before, back = self._coming_back(start), self._coming_back(step)
        return bool(before) or any(
            not hasattr(a.func, "recursion") or a.args[0] != places[0] for a in back
        )

    def _coming_back(self, term: Expr) -> list[AppliedUndef]:
        return [a for a in term.atoms(AppliedUndef) if self.function in rests_on(a.func)]

    @cached_property
    def held(self) -> frozenset[Symbol]:
        """Symbols that its start and step hold and that do not show where it is applied."""
        places, start, step = self.written
        return frozenset((start.free_symbols | step.free_symbols) - set(places))

    @cached_property
    def hidden(self) -> frozenset[Symbol]:
        """The same, also of recursions in its values."""
        inner = (f.recursion for f in made_of(self.function) if hasattr(f, "recursion"))
        return frozenset().union(*(recursion.held for recursion in inner))


@cache
def made_of(function: Any) -> frozenset[Any]:
    """A recursion and the functions that its values are made of."""
    return _reached(function, _written_in)


_HELD = WeakKeyDictionary[Any, tuple[Any, ...]]()


def holding(function: Any, *terms: Any) -> Any:
    """The function, of which it is known that it is made of these terms, which it does not show."""
    _HELD[function] = terms
    return function


@cache
def rests_on(function: Any) -> frozenset[Any]:
    """A function and those of which it is made, be it shown or held inside."""
    return _reached(function, lambda made: _written_in(made) or _HELD.get(made, ()))


def _written_in(function: Any) -> Iterable[Any]:
    """Start and step of a recursion; nothing of another function."""
    recursion = getattr(function, "recursion", None)
    return () if recursion is None else recursion.written[1:]


def _reached(function: Any, terms_of: Callable[[Any], Iterable[Any]]) -> frozenset[Any]:
    """A function, those in the terms that it is made of, those in theirs, and so on."""
    found, left = {function}, [function]
    while left:
        inside = set[Any]().union(*map(_functions_in, terms_of(left.pop()))) - found
        found |= inside
        left += inside
    return frozenset(found)


def _functions_in(term: Any) -> set[Any]:
    return {applied.func for applied in sympify(term).atoms(AppliedUndef)}


def written_out(term: Any, at: Point) -> Any:
    """A term with sums and extrema of family members written out, over ranges that have values."""
    if not isinstance(term, Expr) or not _ranges_over_members(term):
        return term
    if not isinstance(term, Sum | MaxOver | MinOver):
        return term.func(*(written_out(a, at) for a in term.args))
    *_, (_, low, high) = map(tuple, term.args[1:])
    members = _members(term, whole_between(value_of(low, at), value_of(high, at)))
    return built(getattr(term, "joined", Add), *(written_out(member, at) for member in members))


@lru_cache(maxsize=4096)
def _ranges_over_members(term: Expr) -> bool:
    ranged = term.atoms(Sum) | term.atoms(MaxOver) | term.atoms(MinOver)
    return any(hasattr(a.func, "define_at") for e in ranged for a in e.atoms(AppliedUndef))


@lru_cache(maxsize=4096)
def _members(term: Expr, places: range) -> tuple[Expr, ...]:
    """What a sum or an extremum ranges over, with its outermost index put in."""
    body, *inner, (index, _, _) = term.args[0], *map(tuple, term.args[1:])
    inside = type(term)(body, *inner) if inner else body
    return tuple(put(inside, {index: Integer(k)}) for k in places)


def value_of(term: Any, at: Point) -> Any:
    """The exact value of a term at a point.

    Raises `KeyError` for a variable without a value and `TypeError` for a function without meaning.
    """
    if isinstance(term, tuple):
        return tuple(value_of(part, at) for part in term)
    if isinstance(term, Rational):
        return term
    define = getattr(term, "define", None)
    if define is not None:
        return evaluated(define, unplaced(at))
    if isinstance(term, Symbol) and isinstance(at.get(term), Expr):
        return at[term]
    if not isinstance(term, Expr | MatrixExpr | int):
        return term
    e = sympify(term)
    if _is_indexed(e):
        return value_at(e, at)
    known = exact_scalars(e, at)
    if known is not None:
        return explicit_scalar(e, known)
    return explicit(e, _unbound(e, numbers(at, e)))


def _unbound(e: Any, known: dict[Any, Any]) -> dict[Any, Any]:
    """What is known of names but for those that a sum or product inside a term binds."""
    bound = {
        limits[0] for total in e.atoms(Sum, Product) for limits in total.limits
    } - e.free_symbols
    return {k: v for k, v in known.items() if k not in bound} if bound else known


@lru_cache(maxsize=1 << 14)
def _is_indexed(term: Any) -> bool:
    """Whether a term holds quantities, members of families, entries or extrema, or steps."""
    named = any(hasattr(symbol, "define") for symbol in term.free_symbols)
    if named or term.has(AppliedUndef, MaxOver, MinOver):
        return True
    parts = list(preorder_traversal(term))
    return any(steps(part.func) for part in parts) and all(
        isinstance(part, _PLAIN) for part in parts
    )


_PLAIN = (Add, Mul, Pow, Application, Sum, Product, Tuple, Relational, Boolean, ExprCondPair, Atom)
"""What is evaluated part by part; other terms have a way of their own to put numbers in."""
