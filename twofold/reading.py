"""SymPy's relations and Python's lists, read as statements and domains.

Names are declared anew: a `Size` is an integer, a `Real` is real, and their signs are those that the
range gives.  So nobody has to declare a symbol twice, and none declares more than its range.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isinf
from operator import index as as_integer
from typing import Any

from sympy import (
    Basic,
    Float,
    Indexed,
    Limit,
    MatrixSymbol,
    Pow,
    Sum,
    Symbol,
    nan,
    oo,
    sympify,
    zoo,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic import boolalg

from claims.domain import Array, Choice, Condition, Domain, Real, Size
from claims.errors import UserError
from claims.statement import And, Compare, Formula, Iff, Implies, Not, Or, Quantity, Tends
from twofold.expectations import Expected, symbols_of

__all__ = ["DRAWN", "Reading", "read"]

VARIABLES = (Size, Real, Choice, Array)
SIGNS = {"==": "=", "!=": "!=", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}
DECLARED = ("integer", "real", "positive", "negative", "nonnegative", "nonpositive", "nonzero")
DRAWN = 4
"""Sizes beyond the least one that are drawn where a range says nothing of it."""
WRITTEN = 10**6
"""The largest power in a statement: values at points have as many digits as it says."""
HOW = "give a comparison such as Eq(a, b) or a <= b, joined by And, Or, Not, Implies"


@dataclass(frozen=True)
class Reading:
    """A statement over a domain, and the names that were declared anew."""

    formula: Formula
    domain: Domain
    names: Mapping[Any, Any]


def read(statement: Any, domain: Iterable[Any]) -> Reading:
    """The statement and its domain; `UserError` in one line for what says nothing definite."""
    if isinstance(domain, Domain):
        domain = (*domain.variables, *domain.conditions)
    items = list(_items(domain))
    for item in items:
        _require_exact_range(item)
    items = [_with_room(item) for item in items]
    variables = [item for item in items if isinstance(item, VARIABLES)]
    _require_order(variables)
    if isinstance(statement, Formula):  # a formula of `claims.statement` brings its own symbols
        _require_known(statement, {v.symbol for v in variables})
        conditions = tuple(_condition(item, {}) for item in items if item not in variables)
        return Reading(statement, Domain(tuple(variables), conditions), {})
    names = _declared_anew(variables)
    reader = _Reader(names)
    formula = reader.formula(statement)
    renamed = tuple(_renamed(v, names) for v in variables)
    conditions = tuple(_condition(item, names) for item in items if item not in variables)
    made = Domain(renamed, conditions)
    for said in (formula, *(c.formula for c in conditions if c.formula is not None)):
        _require_known(said, {v.symbol for v in renamed})
    return Reading(formula, made, names)


def _items(domain: Any) -> Iterable[Any]:
    if not isinstance(domain, Sequence) or isinstance(domain, str):
        raise UserError(f"domain {domain!r}: must be a list such as [Size(n, 2), Real(x, 0, 1)]")
    for item in domain:
        if not isinstance(item, (*VARIABLES, Relational, boolalg.Boolean, Condition)):
            raise UserError(
                f"domain: {item!r} is neither a variable (Size, Real, Choice, Array) nor a hypothesis"
                " such as x < y"
            )
        yield item


def _require_exact_range(item: Any) -> None:
    """Ends and values that are numbers, not roundings of them, and sizes between integers."""
    if isinstance(item, Size):
        for end in (item.low, item.high):
            try:
                as_integer(end)
            except TypeError:
                raise UserError(f"domain: {item.symbol} is a size, and {end} no integer") from None
    ends = (item.low, item.high) if isinstance(item, Real) else getattr(item, "values", ())
    for number in chain.from_iterable(map(_decimals, ends)):
        raise UserError(
            f"domain: the range of {item.symbol} has {number}, a rounded decimal; write a Rational"
        )


def _decimals(end: Any) -> list[Any]:
    """The rounded decimals in the end of a range; an infinite end is none."""
    if isinstance(end, float):
        return [] if isinf(end) else [end]
    return sorted(end.atoms(Float), key=str) if isinstance(end, Basic) else []


def _with_room(item: Any) -> Any:
    """A size whose largest drawn value lies below its least one is drawn from a few beyond that."""
    if isinstance(item, Size) and item.high < item.low:
        return replace(item, high=item.low + DRAWN)
    return item


def _require_order(variables: Sequence[Any]) -> None:
    """Each name once, and ranges that refer to names before them."""
    known: set[str] = set()
    for variable in variables:
        if not isinstance(variable.symbol, Symbol | MatrixSymbol):
            raise UserError(f"domain: {variable.symbol!r} is no symbol; make it with symbols(...)")
        name = variable.symbol.name
        if name in known:
            raise UserError(f"domain: {name} stands twice; give each variable one range")
        for used in _mentioned(variable):
            if used.name not in known:
                raise UserError(f"domain: the range of {name} uses {used}; list {used} before it")
        known.add(name)


def _mentioned(variable: Any) -> list[Any]:
    if isinstance(variable, Real):
        ends: tuple[Any, ...] = (sympify(variable.low), sympify(variable.high))
    elif isinstance(variable, Array):
        ends = tuple(variable.symbol.shape)
    else:
        ends = ()
    return sorted(set().union(*(end.free_symbols for end in ends)), key=str)


def _declared_anew(variables: Sequence[Any]) -> dict[Any, Any]:
    """The symbols as their ranges allow; a symbol that declares more than its range is refused."""
    names: dict[Any, Any] = {}
    for variable in variables:
        if isinstance(variable, Array):
            names[variable.symbol] = variable.symbol.xreplace(names)
            continue
        allowed = _assumptions(variable)
        made = Symbol(variable.symbol.name, **allowed)
        for sign in DECLARED:
            if getattr(variable.symbol, f"is_{sign}") and not getattr(made, f"is_{sign}"):
                raise UserError(
                    f"{variable.symbol} is declared {sign}, which its range does not give; "
                    f"declare it by symbols('{variable.symbol}'), or mend the range"
                )
        names[variable.symbol] = made
    return names


def _assumptions(variable: Any) -> dict[str, bool]:
    if isinstance(variable, Size):
        sign = (
            {"positive": True}
            if variable.low >= 1
            else {"nonnegative": True}
            if not variable.low
            else {}
        )
        return {"integer": True, **sign}
    if isinstance(variable, Choice):
        return {"real": True}
    low, high = sympify(variable.low), sympify(variable.high)
    found: dict[str, bool] = {"real": True}
    if low.is_positive or (low.is_zero and variable.open_low):
        found["positive"] = True
    elif low.is_nonnegative:
        found["nonnegative"] = True
    elif high.is_negative or (high.is_zero and variable.open_high):
        found["negative"] = True
    return found


def _sign_from(ends: Sequence[Any], names: Mapping[Any, Any]) -> dict[str, bool]:
    """What an index may declare of itself: the sign that the start of its range has."""
    if len(ends) != 2:
        raise UserError("a sum needs both ends of its range, such as Sum(a, (k, 1, n))")
    low = ends[0].xreplace(names)
    return (
        {"positive": True}
        if low.is_positive
        else {"nonnegative": True}
        if low.is_nonnegative
        else {}
    )


def _renamed(variable: Any, names: Mapping[Any, Any]) -> Any:
    made = replace(variable, symbol=names[variable.symbol])
    if isinstance(variable, Real):
        ends = (sympify(end).xreplace(names) for end in (variable.low, variable.high))
        made = replace(made, **dict(zip(("low", "high"), ends, strict=True)))
    return made


def _condition(item: Any, names: Mapping[Any, Any]) -> Condition:
    if isinstance(item, Condition):
        return item
    formula = _Reader(names).formula(item)
    return Condition(formula.latex(), lambda at: formula.truth(at) is True, formula)


class _Reader:
    """Relations and connectives of SymPy as formulas, terms under their new names."""

    def __init__(self, names: Mapping[Any, Any]):
        self.names = names

    def formula(self, said: Any) -> Formula:
        if isinstance(said, bool | boolalg.BooleanAtom):
            raise UserError(
                f"the statement is {said}: SymPy or Python evaluated it as it was written; "
                "write Eq(a, b, evaluate=False) to have it checked"
            )
        if isinstance(said, Relational):
            return self._compared(said)
        if isinstance(said, boolalg.And | boolalg.Or):
            made = And if isinstance(said, boolalg.And) else Or
            return made(tuple(map(self.formula, said.args)))
        if isinstance(said, boolalg.Not):
            return Not(self.formula(said.args[0]))
        if isinstance(said, boolalg.Implies):
            return Implies(*map(self.formula, said.args))
        if isinstance(said, boolalg.Equivalent) and len(said.args) == 2:
            return Iff(*map(self.formula, said.args))
        raise UserError(f"{said!r} is no statement: {HOW}")

    def _compared(self, said: Any) -> Formula:
        if isinstance(said.lhs, Limit) or isinstance(said.rhs, Limit):
            return self._limit(said)
        return Compare(self._term(said.lhs), SIGNS[said.rel_op], self._term(said.rhs))

    def _limit(self, said: Any) -> Formula:
        limit, value = (said.lhs, said.rhs) if isinstance(said.lhs, Limit) else (said.rhs, said.lhs)
        term, index, place, _ = limit.args
        if said.rel_op != "==" or place is not oo or isinstance(value, Limit):
            raise UserError(
                f"{said}: only Eq(Limit(term, n, oo), value) is read, along the integers"
            )
        inner = Symbol(index.name, integer=True, positive=True)
        deeper = _Reader({**self.names, index: inner})
        return Tends(deeper._term(term), inner, self._term(value))

    def _term(self, term: Any) -> Any:
        if not isinstance(term, Basic):
            raise UserError(f"{term!r} is no term of SymPy")
        for number in sorted(term.atoms(Float), key=str):
            raise UserError(f"{number} is a rounded decimal; write a Rational")
        if term.has(nan, zoo):
            raise UserError(f"{term}: holds what is no number; write a finite value, oo or -oo")
        for power in term.atoms(Pow):
            if power.exp.is_Rational and max(abs(power.exp.p), power.exp.q) > WRITTEN:
                raise UserError(
                    f"{power}: a power beyond {WRITTEN}, which no point can be put into exactly; "
                    "make the exponent a variable"
                )
        for applied in sorted(term.atoms(AppliedUndef), key=str):
            raise UserError(f"{applied} has no definition; write out what {applied.func} is")
        for applied in sorted(term.atoms(Indexed), key=str):
            raise UserError(
                f"{applied} has no range; make {applied.base} a MatrixSymbol of one column, say v, "
                "write v[k, 0], counted from zero, and add Array(v)"
            )
        names = dict(self.names)
        for total in term.atoms(Sum):
            for index, *ends in total.limits:
                if index in self.names:
                    raise UserError(f"{index} is summed over and is a variable; rename one of them")
                if oo in ends or -oo in ends:
                    raise UserError(
                        f"{total}: a series is not read; with a size for its end, write "
                        "Eq(Limit(Sum(...), n, oo), value)"
                    )
                names[index] = Symbol(index.name, integer=True, **_sign_from(ends, self.names))
        for quantity in term.atoms(Quantity):
            if isinstance(quantity, Expected):
                names[quantity] = quantity.renamed(self.names)
        return term.xreplace(names)


def _require_known(formula: Formula, known: set[Any]) -> None:
    """Every free symbol has a range."""
    for symbol in sorted(_free(formula), key=str):
        if symbol not in known:
            make = "Array" if isinstance(symbol, MatrixSymbol) else "Real"
            raise UserError(
                f"{symbol} is no variable of the domain; add {make}({symbol})"
                + (f" or Size({symbol})" if make == "Real" else "")
            )


def _free(formula: Formula) -> set[Any]:
    bound = {getattr(p, "index", None) for p in formula.walk() if isinstance(p, Formula)}
    found: set[Any] = set()
    for piece in formula.walk():
        if isinstance(piece, Basic):
            found |= {s for s in symbols_of(piece) if not isinstance(s, Quantity)}
            for quantity in piece.atoms(Quantity):
                found |= quantity.symbols() if isinstance(quantity, Expected) else set()
    return found - bound
