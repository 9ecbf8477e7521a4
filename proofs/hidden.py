"""What formulas speak of: quantities, functions, and what these hold inside, where no substitution reaches."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Basic, Dummy, sympify
from sympy.core.function import AppliedUndef

from claims.algebra import names_in
from claims.iid_tables import Tables
from claims.points import Itself
from claims.ranks import entries_of
from claims.singular import written_of
from claims.statement import Formula, Quantity
from claims.terms import rests_on

__all__ = ["applied_in", "hidden"]


def applied_in(formula: Formula) -> frozenset[Any]:
    """The quantities and the members of families that stand in a formula.

    Remembered, since a theorem's formulas are gone over for every domain that it is held to; for this
    formula alone, since functions that are equal may say more than their names.
    """
    return _applied_in(Itself(formula))


@lru_cache(maxsize=65536)
def _applied_in(formula: Itself) -> frozenset[Any]:
    terms = (piece for piece in formula.value.walk() if isinstance(piece, Basic))
    return frozenset().union(*(term.atoms(Quantity, AppliedUndef) for term in terms))


def hidden(piece: Any) -> set[Any]:
    """Symbols that recursions, ranks, singular values and laws of tables hold inside."""
    found: set[Any] = set()
    for term in piece.walk() if isinstance(piece, Formula) else (piece,):
        if isinstance(term, Basic):
            found |= _hidden_in(term)
    return found


@lru_cache(maxsize=65536)
def _hidden_in(term: Basic) -> frozenset[Any]:
    return frozenset().union(*(_held_by(a.func) for a in term.atoms(AppliedUndef)))


@lru_cache(maxsize=4096)
def _held_by(function: Any) -> frozenset[Any]:
    """What a recursion, rank, singular value or table holds, and those in the terms of which it is made."""
    found = set[Any]()
    for inner in rests_on(function):
        if (recursion := getattr(inner, "recursion", None)) is not None:
            found |= recursion.held
        if (entries := entries_of(inner)) is not None:
            own = Dummy(integer=True), Dummy(integer=True)
            found |= names_in(sympify(entries(*own))) - set(own)
        if isinstance(tables := getattr(inner, "variable", None), Tables):
            for moment in (tables.mean, tables.deviation, tables.fourth):
                found |= names_in(moment)
        if (matrix := written_of(inner)) is not None:
            found |= names_in(matrix.entry) - {matrix.row, matrix.column, *matrix.others}
    return frozenset(found)
