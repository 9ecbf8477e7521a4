"""Symbols that functions hold inside: no substitution reaches them, and no rule may bind them."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Expr, Integer, MatrixSymbol, Sum, Symbol

from claims.iid_tables import Tables
from claims.ranks import gram_rank
from claims.singular import eigenvalue_moduli, singular_values
from claims.statement import Compare, ForAll
from claims.terms import Recursion, entry
from proofs.hidden import hidden

v, w, x, y, z = (Symbol(name, real=True) for name in "vwxyz")
k = Symbol("k", integer=True)
X = entry(MatrixSymbol("X", 9, 9))
grown = Recursion("g", lambda: y, lambda t, before: z * before() + t)
nested = Recursion("h", lambda a: grown(a), lambda t, a, before: before(a) + w)
plain = Recursion("f", lambda: Integer(1), lambda t, before: 2 * before())
ranked = gram_rank("r", lambda i, j: y * X(i, j) + grown(i) + Sum(k * x, (k, 1, j)))
unnamed = gram_rank("r", lambda i, j: Integer(1))
values = singular_values("s", lambda i, j: y * X(i, j) + i + j)
deeper = singular_values("s", lambda i, j, a: w * ranked(a, a) * i / j)
moduli = eigenvalue_moduli("m", lambda i, j: nested(i, j))
tables = Tables("Z", x, y, z)
grown_tables = Tables("Z", grown(1), Integer(1), Integer(4))
wide_tables = Tables("Z", Integer(1), grown(2), Integer(4))
heavy_tables = Tables("Z", Integer(1), Integer(1), nested(3, 4))
standard = Tables("Z", Integer(1), Integer(1), Integer(9))
scaled = singular_values("s", lambda i, j: tables.entries(1, i, j))


@pytest.mark.parametrize(
    ("term", "held"),
    [
        (grown(3), {y, z}), (nested(2, 3), {w, y, z}), (plain(4), set()), (x * y + 1, set()),
        (ranked(2, 3), {x, y, z}), (unnamed(2, 3), set()), (values(1, 2, 3), {y}),
        (deeper(1, 2, 3, 4), {w, x, y, z}), (moduli(1, 2, 2), {w, y, z}),
        (tables.entries(1, 2, 3), {x, y, z}), (standard.entries(1, 2, 3), set()),
        (tables.weights(1, 2, 3, 4), set()), (scaled(1, 4, 4), {x, y, z}), (X(1, 2), set()),
        (grown_tables.entries(1, 2, 3), {y, z}), (wide_tables.entries(1, 2, 3), {y, z}),
        (heavy_tables.entries(1, 2, 3), {w, y, z}), (grown(x) + ranked(1, 1) * v, {x, y, z}),
    ],
)  # fmt: skip
def test_what_a_term_holds(term: Expr, held: set[Any]) -> None:
    assert hidden(term) == held
    assert hidden(Sum(term, (k, 1, 2))) == held


def test_what_the_parts_of_a_formula_hold() -> None:
    first, second = Compare(x, "<", grown(1)), Compare(moduli(1, 2, 2), "=", 0)
    assert hidden(first & second) == {w, y, z} == hidden(ForAll(k, 1, 3, first.implies(second)))
    assert hidden(Compare(x, "<", y)) == set() == hidden(5)
