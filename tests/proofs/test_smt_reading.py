"""How terms and formulas are read for the solver: their values at numbers, and no more than is known."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    Eq,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    MatrixSymbol,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    Symbol,
    exp,
    oo,
    sqrt,
    symbols,
)  # fmt: skip

from claims.statement import And, Compare, Exists, ForAll, Formula, Not, Or, Predicate
from proofs.smt import canonical, follows, problem

x, y, p = symbols("x y p", real=True)
t, s, v = Symbol("t", nonnegative=True), Symbol("s", positive=True), Symbol("v", negative=True)
n = Symbol("n", integer=True, positive=True)
i, j = symbols("i j", integer=True)
HALF = Rational(1, 2)


def cases(relation: type) -> Piecewise:
    return Piecewise((x + 5, relation(x, 1)), (2 * x, True))


TERMS = [
    *(Abs(x), Abs(x - 1) + x, Max(x, 1), Min(x, 1), Max(x, 1, 2 * x), Min(x, 1, 2 * x)),
    *(x**3 - 2 * x, 1 / x, x**-2, (x + 1) / (x**2 + 1)),
    *map(cases, (Eq, Ne, Lt, Le, Gt, Ge)),
]
ROOTS = [sqrt(x), x ** (3 * HALF), x**-HALF, x ** (-3 * HALF), x ** (9 * HALF), 1 / (1 + sqrt(x))]


@pytest.mark.parametrize("term", TERMS, ids=str)
@pytest.mark.parametrize("place", [-3, -1, 1, 2, 5])
def test_a_term_has_its_value(term, place: int) -> None:
    assert_is(term, place)


@pytest.mark.parametrize("term", ROOTS, ids=str)
@pytest.mark.parametrize("place", [1, 4, 9])
def test_a_root_has_its_value(term, place: int) -> None:
    assert_is(term, place)


def assert_is(term, place: int) -> None:
    there, value = Compare(x, "=", place), term.subs(x, place)
    assert follows(Compare(term, "=", value), [there])
    assert not follows(Compare(term, "=", value + 1), [there])
    assert not follows(Compare(term, "!=", value), [there])


NOT_KNOWN: list[tuple[Formula, Formula]] = [
    (Compare(sqrt(x), ">=", 0), Compare(x, "=", -HALF)), (Compare(sqrt(x), "<", 0), Compare(x, "=", -HALF)),
    (Compare(1 / x, "=", 0), Compare(x, "=", 0)), (Compare(1 / x, "!=", 0), Compare(x, "=", 0)),
    (Compare(x**p, ">", 0), Compare(x, "=", -HALF)), (Compare(x**p, ">", 0), Compare(x, "=", 0)),
    (Compare(x**p, ">", 1), Compare(x, ">", 0)), (Compare(exp(x), ">", 1), Compare(x, ">", 0)),
    (Compare(Piecewise((1, x > 0)), "=", 1), Compare(x, "=", -1)),
    (Compare(t, ">", 0), Compare(t, ">=", 0)), (Compare(s, ">=", 1), Compare(s, ">", 0)),
    (Compare(n, ">=", 2), Compare(n, ">", 0)), (Compare(x, "<", oo), Compare(x, "=", 1)),
    (Compare(x, ">", -oo), Compare(x, "=", 1)),
    (Compare(x, "<", y), Or((Compare(x, "<", y), Compare(y, "<", x)))),
    (And((Compare(x, "<", y), Compare(y, "<", x))), Compare(x, "<", y)),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "premise"), NOT_KNOWN)
def test_no_more_is_known(goal: Formula, premise: Formula) -> None:
    assert not follows(goal, [premise])


def test_signs_that_symbols_declare() -> None:
    known = [
        Compare(t, ">=", 0), Compare(s, ">", 0), Compare(v, "<", 0), Compare(n, ">=", 1),
        Compare(exp(x), ">", 0), Compare(s**p, ">", 0),
    ]  # fmt: skip
    assert all(follows(goal, []) for goal in known)
    for goal in known[:4]:
        assert not follows(goal, [], assumptions=False)
    assert len(problem(known[0], [])) > len(problem(known[0], [], assumptions=False))
    assert follows(Compare(x**p, ">", 0), [Compare(x, ">", 0)])


# Normal forms -------------------------------------------------------------------------------------

Y, Z = MatrixSymbol("Y", n, n), MatrixSymbol("Z", n, n)
LESS, MORE = Compare(x, "<", y), Compare(y, "<", x)
PROSE = Predicate("some words", lambda point, value: True)


def _inner(outer: Symbol, inner: Symbol, left: Symbol, right: Symbol) -> Formula:
    return ForAll(outer, 1, n, Exists(inner, 1, outer, Compare(left, "<=", right)))


ALIKE = [
    (Compare(x, "=", y), Compare(y, "=", x)), (Compare(x, "!=", y), Compare(y, "!=", x)),
    (LESS, Compare(y, ">", x)), (Compare(x, "<=", y), Compare(0, "<=", y - x)),
    (Compare(x, "<", oo), Compare(oo, ">", x)), (Compare(-oo, "<", x), Compare(x, ">", -oo)),
    (Compare((x + 1) ** 2, "=", y), Compare(x**2 + 2 * x + 1, "=", y)),
    (And((LESS, And((MORE, LESS)))), And((LESS, MORE))), (Or((LESS, Or((MORE,)))), Or((LESS, MORE))),
    (_inner(i, j, j, i), _inner(j, i, i, j)),
    (Compare(Y, "=", Z), Compare(Y, "=", Z)),
]  # fmt: skip
APART = [
    (LESS, MORE), (LESS, Compare(x, "<=", y)), (Compare(x, "=", y), Compare(x, "!=", y)),
    (Compare(x, "<", oo), Compare(x, "<", -oo)), (Compare(x, "<", oo), Compare(y, "<", oo)),
    (Compare(-oo, "<", x), Compare(-oo, "<", y)), (Compare(Y, "=", Z), Compare(Y, "=", Y)),
    (And((LESS, MORE)), Or((LESS, MORE))), (And((LESS, Or((MORE, LESS)))), And((LESS, MORE))),
    (Or((LESS, And((MORE, LESS)))), Or((LESS, MORE))), (And((LESS, Not(MORE))), And((LESS, MORE))),
    (PROSE, Predicate("some words", lambda point, value: False)), (Compare(x, "=", 1), Compare(x, "=", -1)),
    (_inner(i, j, j, i), _inner(i, j, i, j)),
    (ForAll(i, 1, n, Compare(i, "<=", n)), ForAll(i, 0, n, Compare(i, "<=", n))),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_says_the_same_has_one_form(one: Formula, other: Formula) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_says_something_else_has_another(one: Formula, other: Formula) -> None:
    assert canonical(one) != canonical(other)
    assert canonical(one) == canonical(one) and canonical(Integer(1)) == 1
