r"""Statements as data: a formula over quantities and variables.

From a formula follow its LaTeX (`claims.typeset`), its truth from exact values, its truth from
measured values with error bars, its false variants (`claims.variants`), and what a proof of it must
conclude (`proofs.kernel`).  Nothing else decides whether a statement is true.

Truth is three-valued: `True`, `False`, or `None` where neither is established.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import count
from typing import Any, NoReturn

from sympy import Dummy, Expr, Integer, Symbol, oo, sympify
from sympy.core.function import AppliedUndef

from claims import exact, fixed, intervals
from claims.algebra import names_in
from claims.errors import OnlyMeasured, UserError
from claims.exact import conjunction, negated
from claims.intervals import BOTH
from claims.limits import known_limit
from claims.points import Placed
from claims.terms import family, put, value_of
from claims.whole import members

__all__ = [
    "And", "Compare", "Exists", "ForAll", "Formula", "Iff", "Implies", "Monotone", "Not", "Or",
    "Predicate", "Quantity", "Tends", "chain", "is_measured", "measured_family", "measured_quantity",
]  # fmt: skip

Point = Mapping[Any, Any]
Readings = Callable[["Quantity", Point], tuple[Any, float]]
"""The measured value of a quantity at a point, with the half-width of its interval."""

_SERIAL = count()
SIGNS = exact.ORDERS | {"=", "!="}
OUTSIDE = ("low", "high", "limit")  # parts of a formula with an index in which its name is free
UNBOUNDED_TRIED = 12
"""Members of an unbounded range that are looked at: one that fails refutes, others decide nothing."""


class Quantity(fixed.Fixed, Symbol):
    """What a statement speaks of: a LaTeX name and a definition, exact at a point.

    `define(point)` returns a number, a matrix, a tuple or a flag; a ball or a sixty-digit decimal
    where exact values cannot be followed, `AccumBounds(a, b)` where no more is known than bounds.
    Where the name does not say what is defined, as a norm that stands for a bound of it,
    `stands_for` does, in LaTeX: claims show it among what they assume.
    In a term a quantity stands for its value, so that those that are no numbers may only stand
    alone on a side.  Two are equal only as the same object.

    >>> n = Symbol("n", integer=True)
    >>> double = Quantity("2n", lambda at: 2 * at[n])
    >>> (double + 1).has(double), double.above(n).truth({n: Integer(3)})
    (True, True)
    """

    stands_for: str | None = None

    def __new__(cls, name: str, define: Callable[[Point], Any], **assumptions: Any) -> Quantity:
        made = Symbol.__xnew__(cls, name, **{"real": True, **assumptions})
        made.define = define
        made.serial = next(_SERIAL)
        return made

    def __getnewargs_ex__(self) -> Any:
        raise TypeError(f"quantity {self.name}: is sent by the id of its claim, not by value")

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.serial)

    def equals(self, *others: Any) -> Formula:
        """`self = other[0] = other[1] = ...`, every link said of the quantity itself."""
        return chain(self, "=", *others)

    def at_most(self, *bounds: Any) -> Formula:
        """`self <= bound` for each bound."""
        return chain(self, "<=", *bounds)

    def at_least(self, *bounds: Any) -> Formula:
        """`self >= bound` for each bound."""
        return chain(self, ">=", *bounds)

    def below(self, bound: Any) -> Formula:
        return Compare(self, "<", bound)

    def above(self, bound: Any) -> Formula:
        return Compare(self, ">", bound)


def _only_measured(point: Point, *places: int) -> NoReturn:
    raise OnlyMeasured("a quantity without a closed form: measure it")


def measured_quantity(name: str) -> Quantity:
    """A quantity without a closed form: exact truth about it is not decided."""
    return Quantity(name, _only_measured)


def measured_family(name: str) -> Any:
    """A measured quantity for each index, named as by `claims.terms.family`."""
    return family(name, _only_measured)


def is_measured(quantity: Any) -> bool:
    """Whether nothing but a measurement evaluates a quantity or family."""
    return getattr(quantity, "define", getattr(quantity, "define_at", None)) is _only_measured


class Formula:
    """A statement, or a part of one."""

    def latex(self) -> str:
        """The formula as a reader sees it."""
        from claims.typeset import typeset

        return typeset(self)

    def truth(self, at: Point) -> bool | None:
        """Whether it holds at an admissible point, from exact values."""
        raise NotImplementedError

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        """The truth values that the measured intervals leave possible: agreement is True in it."""
        raise NotImplementedError

    def parts(self) -> tuple[Any, ...]:
        """Terms and formulas directly inside, in the order in which they are printed."""
        return tuple(getattr(self, f.name) for f in fields(self) if f.metadata.get("part", True))  # type: ignore[arg-type]

    def walk(self) -> Iterator[Any]:
        """This formula, every formula and every term inside."""
        yield self
        for part in self.parts():
            for piece in part if isinstance(part, tuple) else (part,):
                if isinstance(piece, Formula):
                    yield from piece.walk()
                else:
                    yield piece

    def map(self, change: Callable[[Any], Any]) -> Formula:
        """The formula with `change` applied to each term (not to bound variables)."""
        return self.mapped(lambda f: f.map(change), change)

    def mapped(self, inside: Callable[[Any], Any], change: Callable[[Any], Any]) -> Formula:
        """`inside` applied to the formulas directly below, `change` to the terms."""

        def changed(part: Any) -> Any:
            if isinstance(part, Formula):
                return inside(part)
            if isinstance(part, tuple):
                return tuple(changed(piece) for piece in part)
            return change(part)

        skipped = getattr(self, "binds", ())
        return replace(
            self,  # type: ignore[type-var]
            **{
                f.name: changed(getattr(self, f.name))
                for f in fields(self)  # type: ignore[arg-type]
                if f.metadata.get("part", True) and f.name not in skipped and f.type != "str"
            },
        )

    def substitute(self, values: Mapping[Any, Any], into: Callable[..., Any] = put) -> Formula:
        """The formula with terms put in for free symbols; bound variables are renamed where needed."""
        index = getattr(self, "index", None)
        if index is None:
            return self.mapped(lambda f: f.substitute(values, into), lambda t: into(t, values))
        inside = {old: new for old, new in values.items() if old != index}
        if any(index in getattr(new, "free_symbols", ()) for new in inside.values()):
            fresh = Dummy(index.name, **index._assumptions_orig)
            return self._renamed(fresh, {index: fresh}, {}, put).substitute(values, into)
        return self._renamed(index, inside, values, into)

    def _renamed(
        self, index: Symbol, inside: Point, ends: Point, into: Callable[..., Any]
    ) -> Formula:
        """With another index: `inside` put in where it is bound, `ends` where it is not."""
        made = self.mapped(lambda f: f.substitute(inside, into), lambda term: into(term, inside))
        outer = {name: into(getattr(self, name), ends) for name in OUTSIDE if hasattr(self, name)}
        return replace(made, index=index, **outer)  # type: ignore[type-var]

    def quantities(self) -> tuple[Any, ...]:
        """Quantities and families of them, in order of appearance, each once."""
        found: dict[Any, None] = {}
        for piece in self.walk():
            for atom in sorted(_atoms(piece, Quantity), key=lambda q: q.serial):
                found.setdefault(atom)
            for applied in sorted(_atoms(piece, AppliedUndef), key=str):
                if hasattr(applied.func, "define_at"):
                    found.setdefault(applied.func)
        return tuple(found)

    def free_symbols(self) -> set[Symbol]:
        """Symbols that are free somewhere; a name may be bound in one part and free in another."""
        return set(self._free_symbols)

    @cached_property
    def _free_symbols(self) -> frozenset[Symbol]:
        ends = _named(tuple(getattr(self, name) for name in OUTSIDE if hasattr(self, name)))
        return _named(self.parts()) - {getattr(self, "index", None)} | ends

    def holds(self, value: Any, point: Point) -> bool:
        """Not false at a point: what a search for counterexamples asks (`value` is not used)."""
        return self.truth(point) is not False

    def __and__(self, other: Formula) -> Formula:
        return And((*_flat(And, self), *_flat(And, other)))

    def __or__(self, other: Formula) -> Formula:
        return Or((*_flat(Or, self), *_flat(Or, other)))

    def __invert__(self) -> Formula:
        return Not(self)

    def implies(self, other: Formula) -> Formula:
        return Implies(self, other)

    def iff(self, other: Formula) -> Formula:
        return Iff(self, other)

    def __bool__(self) -> bool:
        raise TypeError("a statement is no truth value; write & and |, or ask truth(point)")


@dataclass(frozen=True, eq=True)
class Compare(Formula):
    """`left sign right`: sides are terms, or single quantities that are matrices or tuples."""

    left: Any
    sign: str
    right: Any

    def __post_init__(self) -> None:
        if self.sign not in SIGNS:
            raise UserError(f"sign {self.sign!r}: must be one of {', '.join(sorted(SIGNS))}")
        for side in ("left", "right"):
            value = getattr(self, side)
            if isinstance(value, int):
                object.__setattr__(self, side, Integer(value))

    def truth(self, at: Point) -> bool | None:
        try:
            return exact.compare(value_of(self.left, at), self.sign, value_of(self.right, at))
        except OnlyMeasured:
            return None

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return intervals.possible(self.left, self.sign, self.right, readings, at)


@dataclass(frozen=True)
class And(Formula):
    formulas: tuple[Formula, ...]

    def truth(self, at: Point) -> bool | None:
        return conjunction(f.truth(at) for f in self.formulas)

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return _all_possible(f.possible(readings, at) for f in self.formulas)


@dataclass(frozen=True)
class Or(Formula):
    formulas: tuple[Formula, ...]

    def truth(self, at: Point) -> bool | None:
        return negated(conjunction(negated(f.truth(at)) for f in self.formulas))

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return _flipped(_all_possible(_flipped(f.possible(readings, at)) for f in self.formulas))


@dataclass(frozen=True)
class Not(Formula):
    body: Formula

    def truth(self, at: Point) -> bool | None:
        from claims.denials import denial

        meant = denial(self.body)
        return negated(self.body.truth(at)) if meant is None else meant.truth(at)

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return _flipped(self.body.possible(readings, at))


@dataclass(frozen=True)
class Implies(Formula):
    """`premise => conclusion`; also how a case is stated."""

    premise: Formula
    conclusion: Formula

    def _either(self) -> Formula:
        return Or((Not(self.premise), self.conclusion))

    def truth(self, at: Point) -> bool | None:
        given = self.premise.truth(at)
        return True if given is False else self._either().truth(at)

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        if self.premise.possible(readings, at) == {False}:
            return frozenset({True})
        return self._either().possible(readings, at)


@dataclass(frozen=True)
class Iff(Formula):
    left: Formula
    right: Formula

    def _both(self) -> Formula:
        return And((Implies(self.left, self.right), Implies(self.right, self.left)))

    def truth(self, at: Point) -> bool | None:
        return self._both().truth(at)

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return self._both().possible(readings, at)


@dataclass(frozen=True)
class ForAll(Formula):
    """For all integers `low <= index <= high`; `high` may be `oo`."""

    index: Symbol
    low: Any
    high: Any
    body: Formula
    binds = ("index",)

    def truth(self, at: Point) -> bool | None:
        return conjunction(
            None if inner is None else self.body.truth(inner) for inner in self.instances(at)
        )

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return _all_possible(
            BOTH if inner is None else self.body.possible(readings, inner)
            for inner in self.instances(at)
        )

    def instances(self, at: Point) -> Iterator[Point | None]:
        """The point with each index put in; None at last for what is left out of its range.

        A quantity is defined at the point itself: of indices that are bound around it it knows nothing.
        The point is a copy, as values at it are remembered while others may go on to fill it.
        """
        at = at if isinstance(at, Placed) else dict(at)
        low, high = value_of(self.low, at), value_of(self.high, at)
        found = members(low, low + UNBOUNDED_TRIED - 1 if high is oo else high)
        for k in found or ():
            yield Placed(at, {self.index: Integer(k)})
        if high is oo or found is None:
            yield None


@dataclass(frozen=True)
class Exists(Formula):
    """There is an integer `low <= index <= high`; `high` may be `oo`."""

    index: Symbol
    low: Any
    high: Any
    body: Formula
    binds = ("index",)

    def _none(self) -> ForAll:
        return ForAll(self.index, self.low, self.high, Not(self.body))

    def truth(self, at: Point) -> bool | None:
        inside = self._none().instances(at)
        return negated(conjunction(k if k is None else negated(self.body.truth(k)) for k in inside))

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return _flipped(self._none().possible(readings, at))


@dataclass(frozen=True)
class Tends(Formula):
    """`term -> limit` as `index -> oo`.

    An exact evaluation takes the limit of a smooth closed form in the index, which is an integer.  A
    term with quantities is followed instead, and refuted only where it stays away from the limit.
    """

    term: Any
    index: Symbol
    limit: Any
    binds = ("index",)

    def truth(self, at: Point) -> bool | None:
        if _atoms(self.term, Quantity) or _atoms(self.term, AppliedUndef):
            return None
        term = value_of(self.term, {k: v for k, v in at.items() if k is not self.index})
        found = known_limit(term, self.index)
        return None if found is None else exact.compare(found, "=", value_of(self.limit, at))

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        truth = self.truth(at)
        return BOTH if truth is None else frozenset({truth})


@dataclass(frozen=True)
class Monotone(Formula):
    """The term rises (or falls) when the integer `index` grows, over all of its range."""

    term: Any
    index: Symbol
    direction: str
    low: Any = 0
    high: Any = oo
    binds = ("index",)

    def __post_init__(self) -> None:
        if self.direction not in exact.ORDERS:
            raise UserError(f"direction {self.direction!r}: must be <=, <, >= or >")

    def unfolded(self) -> ForAll:
        """For all k below `high`: term(k) direction term(k + 1)."""
        following = put(self.term, {self.index: self.index + 1})
        return ForAll(
            self.index, self.low, self.high - 1, Compare(self.term, self.direction, following)
        )

    def truth(self, at: Point) -> bool | None:
        return self.unfolded().truth(at)

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return self.unfolded().possible(readings, at)


@dataclass(frozen=True, eq=False)
class Predicate(Formula):
    """Last resort: prose that supports no formula, with a test at a point.

    `words` are Markdown with mathematics between dollars.  `test(point, value)` receives what the
    claim's `define` returns.  The report marks it: what is printed is not what is tested here.
    """

    words: str
    test: Callable[[Point, Any], bool]
    define: Callable[[Point], Any] = lambda at: None

    def parts(self) -> tuple[Any, ...]:
        return ()

    def map(self, change: Callable[[Any], Any]) -> Formula:
        return self

    def truth(self, at: Point) -> bool | None:
        return bool(self.test(at, self.define(at)))

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        return BOTH


def chain(left: Any, sign: str, *rights: Any) -> Formula:
    """`left sign rights[0] sign rights[1] ...`, every link asserted of `left`."""
    links = tuple(Compare(left, sign, right) for right in rights)
    return links[0] if len(links) == 1 else And(links)


def _flat(kind: type, formula: Formula) -> tuple[Formula, ...]:
    return formula.formulas if isinstance(formula, kind) else (formula,)  # type: ignore[attr-defined]


def _named(piece: Any) -> frozenset[Symbol]:
    """The symbols that are free in a term, a formula, or several of them."""
    if isinstance(piece, Formula | tuple):
        parts = map(_named, piece) if isinstance(piece, tuple) else (piece._free_symbols,)
        return frozenset().union(*parts)
    return names_in(sympify(piece)) if isinstance(piece, Expr | int) else frozenset()


def _atoms(piece: Any, kind: type) -> Any:
    if isinstance(piece, tuple):
        return set().union(*(_atoms(p, kind) for p in piece))
    return sympify(piece).atoms(kind) if isinstance(piece, Expr | int) else set()


def _flipped(possible: frozenset[bool]) -> frozenset[bool]:
    return frozenset(not truth for truth in possible)


def _all_possible(parts: Any) -> frozenset[bool]:
    """Truth values of a conjunction whose parts vary independently."""
    may_fail = False
    for part in parts:
        if True not in part:
            return frozenset({False} if may_fail or False in part else ())
        may_fail = may_fail or False in part
    return BOTH if may_fail else frozenset({True})
