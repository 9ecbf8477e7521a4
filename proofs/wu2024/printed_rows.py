r"""The rows (33): closed form of the solved rows, one layer at them, and their independence.

All by induction on the row: a row is the one before it, moved and divided by -w, with a new last
coordinate.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, ForAll, Formula, Implies
from claims.terms import Recursion, entry
from claims.wu2024 import coexistence as claims
from claims.wu2024.coexistence import alternating_signs, b, coefficients, i, printed_entry
from claims.wu2024.notation import N, w
from proofs.calculation import for_all, integers_apart, linked, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    part,
    prepended,
    recursion_start,
    recursion_step,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.independence import FromTheLast
from proofs.wu2024.norms import picked, summed
from proofs.wu2024.solved_rows import W, moved_norm, norm_of, row, rows, rows_have_unit_norm

DOMAIN = claims.square_sizes
UNIT_SIGNS, ALTERNATE = alternating_signs.facts()
n = Symbol("n", integer=True, nonnegative=True)
COLUMN = (Compare(b, ">=", 1), Compare(b, "<=", N))
NEXT = Compare(n + 1, "<=", N - 1)


def at_row(claim: Any, start: Theorem, step: Theorem) -> Theorem:
    """For all rows n < N: the claim, from row zero and from row n to row n + 1."""
    known = joint(claim(n), assume(Implies(Compare(n, "<=", N - 1), claim(n))), given=(NEXT,))
    real = joint(Compare(w, "!=", 0) & Compare(1 - 1 / w**2, ">=", 0), given=(W,))
    following = discharge(cut(step, known, part(real, 0), part(real, 1), assume(NEXT)), NEXT)
    first = joint(Implies(Compare(Integer(0), "<=", N - 1), start.formula), start)
    return induction(first, following, n)


# The closed form ------------------------------------------------------------------------------------


def printed_row(at: Any) -> Formula:
    """Row `at` is the printed one."""
    return ForAll(b, 1, N, Compare(rows(at, b), "=", printed_entry(at + 1, b)))


@cache
def unit(at: Any) -> Theorem:
    """Row `at` has unit norm."""
    every = instance(rows_have_unit_norm(), at)
    return joint(Compare(norm_of(at), "=", 1), every, given=(Compare(at, "<=", N - 1),))


def first_row() -> Theorem:
    """X_1 = e_d."""
    sign = instance(assume(ALTERNATE), Integer(1))
    goal = Compare(rows(0, b), "=", printed_entry(Integer(1), b))
    here = joint(goal, recursion_start(rows, b), sign, integers_apart(b, N), given=COLUMN)
    return generalise(here, b, 1, N)


@cache
def starts_with_zero() -> Theorem:
    """A row before the last starts with a zero."""
    one = instance(assume(printed_row(n)), Integer(1))
    return joint(Compare(rows(n, 1), "=", 0), one, given=(NEXT,))


def moved_root() -> Theorem:
    """w sqrt(w^-2m - w^-2(m+1)) = sqrt(w^-2(m-1) - w^-2m) for m = N - b."""
    least, own, most = symbols("x v u", real=True)
    given = (
        Compare(own * w**2, "=", most), Compare(least * w**2, "=", own), Compare(least, ">", 0), W,
    )  # fmt: skip
    goal = Compare(w * sqrt(own - least), "=", sqrt(most - own))
    powers = {k: w ** (2 * b - 2 * N + s) for k, s in ((least, -2), (own, 0), (most, 2))}
    base, exponent = Symbol("a", positive=True), Symbol("e", real=True)
    adds = joint(Compare(base**exponent * base**2, "=", base ** (exponent + 2)))
    add = [substitute(adds, {base: w, exponent: 2 * b - 2 * N + s}) for s in (0, -2)]
    wanted = [f.substitute(powers) for f in given[:3]]
    known = joint(And(tuple(wanted)), *add, given=(W,))
    return cut(substitute(joint(goal, given=given), powers), known)


@cache
def moved_rows() -> Theorem:
    """w X_{n+2,b} = -X_{n+1,b+1} for b < N."""
    goal = Compare(w * rows(n + 1, b), "=", -rows(n, b + 1))
    return joint(goal, recursion_step(rows, n, b), given=(Compare(b, "<=", N - 1), W))


def last_of_next_row() -> Theorem:
    """The norm leaves sqrt(1 - 1/w^2) for the last coordinate."""
    whole = sum_split(norm_of(n), first=True)
    left = linked(
        Compare(w**2 * moved_norm(row(n)), "=", 1), unit(n), whole, starts_with_zero(),
        given=(W, NEXT),
    )  # fmt: skip
    root = joint(Compare(sqrt(1 - moved_norm(row(n))), "=", sqrt(1 - 1 / w**2)), left, given=(W,))
    sign = instance(assume(ALTERNATE), n + 2)
    goal = Compare(rows(n + 1, N), "=", (-1) ** (n + 1) * sqrt(1 - 1 / w**2))
    return cut(joint(goal, recursion_step(rows, n, N), sign, root), assume(NEXT))


def next_row() -> Theorem:
    """The moved row is printed, and so is the last coordinate."""
    before = instance(assume(printed_row(n)), b + 1)
    goal = Compare(rows(n + 1, b), "=", printed_entry(n + 2, b))
    below = Compare(b, "<=", N - 1)
    inner = joint(goal, before, moved_rows(), moved_root(), given=(*COLUMN, below, W))
    inner = discharge(cut(inner, assume(below), assume(COLUMN[0])), below)
    last = discharge(last_column(), Compare(b, "=", N))
    here = joint(goal, inner, last, integers_apart(b, N), given=COLUMN)
    return generalise(here, b, 1, N)


def last_column() -> Theorem:
    """The same in the last column, b = N."""
    place = Symbol("p", integer=True)
    same = congruent(rows(n + 1, place), place, b, N)
    printed = congruent(printed_entry(n + 2, place), place, b, N)
    end = joint(Compare(printed_entry(n + 2, N), "=", (-1) ** (n + 1) * sqrt(1 - 1 / w**2)))
    goal = Compare(rows(n + 1, b), "=", printed_entry(n + 2, b))
    return joint(goal, same, printed, end, last_of_next_row())


@cache
def closed_form() -> Theorem:
    """Every row n < N is printed."""
    return at_row(printed_row, first_row(), next_row())


def entry_at(at: Any, column: Any) -> Theorem:
    """One entry, in closed form."""
    every = instance(closed_form(), at)
    body = every.formula.conclusion
    return instance(joint(body, every, given=(Compare(at, "<=", N - 1),)), column)


# One layer ------------------------------------------------------------------------------------------

sums = Recursion(
    "T",
    lambda b: Integer(0),
    lambda t, b, before: (
        before(b) + Piecewise((rows(t, b), b <= 1), (rows(t, b) + w * rows(t, b - 1), True))
    ),
)
"""The sum of X_j W_V over the first rows: i times row i of A X W_V."""


def rests_at(at: Any) -> Formula:
    """The sum so far is the last row of it."""
    return ForAll(b, 1, N, Compare(sums(at + 1, b), "=", rows(at, b)))


@cache
def rests() -> Theorem:
    """X_{i+1} W_V adds the difference to the row before."""
    first = joint(
        Compare(sums(1, b), "=", rows(0, b)), recursion_step(sums, Integer(0), b),
        recursion_start(sums, b), recursion_start(rows, b - 1), integers_apart(1, b),
        given=COLUMN,
    )  # fmt: skip
    here = instance(assume(rests_at(n)), b)
    before = substitute(moved_rows(), {b: b - 1})
    first_zero = joint(Compare(rows(n, 1), "=", 0), entry_at(n, Integer(1)), given=(NEXT,))
    place = Symbol("p", integer=True)
    at_one = congruent(rows(n, place), place, b, Integer(1))
    at_one = discharge(joint(Compare(rows(n, b), "=", 0), at_one, first_zero), Compare(b, "=", 1))
    goal = Compare(sums(n + 2, b), "=", rows(n + 1, b))
    step = joint(
        goal, here, recursion_step(sums, n + 1, b),
        discharge(before, Compare(b - 1, "<=", N - 1)), at_one, integers_apart(1, b), given=COLUMN,
    )  # fmt: skip
    step = cut(step, assume(NEXT), assume(COLUMN[0]), assume(COLUMN[1]))
    return at_row(rests_at, generalise(first, b, 1, N), generalise(step, b, 1, N))


def layer_of_row() -> Theorem:
    """LN of the mean is the row, whose norm is one."""
    total, column = sums(i, b), Symbol("column", integer=True)
    held = instance(rests(), i - 1)
    sum_is_row = joint(held.formula.conclusion, held, given=(Compare(i, "<=", N),))
    square = lambda k: (sums(i, k) / i) ** 2  # noqa: E731
    norms = sums_compared(
        lambda k: joint(
            Compare(square(k), "=", rows(i - 1, k) ** 2 / i**2), instance(sum_is_row, k),
            given=(Compare(i, ">=", 1),),
        ), N,
    )  # fmt: skip
    size = linked(
        Compare(sqrt(norms.formula.left), "=", 1 / i), norms, unit(i - 1),
        given=(Compare(i, ">=", 1),),
    )  # fmt: skip
    out = (total / i) / sqrt(Sum((sums(i, column) / i) ** 2, (column, 1, N)))
    read = unfold(claims.layer_entry(i, b), out, DOMAIN, ((i, 1, N), (b, 1, N)))
    return joint(
        Compare(claims.layer_entry(i, b), "=", printed_entry(i, b)), read, size,
        instance(sum_is_row, b), entry_at(i - 1, b), given=(Compare(i, ">=", 1), *COLUMN),
    )  # fmt: skip


# Rank -----------------------------------------------------------------------------------------------

c = entry(coefficients)


def combination(column: Any) -> Any:
    return summed(lambda k: c(1, k) * claims.solved_entry(k, column), N)


NONE = ForAll(b, 1, N, Compare(combination(b), "=", 0))
m = Symbol("m", integer=True, nonnegative=True)
ROWS = FromTheLast(lambda k: c(1, k), N, i, m)
HERE = ROWS.here


def corner() -> Theorem:
    """Row N - m ends in column m + 1, with an entry that is not zero."""
    place = HERE - 1
    sign = instance(assume(ALTERNATE), HERE)
    square = instance(assume(UNIT_SIGNS), HERE)
    return joint(
        Compare(rows(place, m + 1), "!=", 0), entry_at(place, m + 1), sign, square, given=(W,)
    )


def one_term(k: Any) -> Theorem:
    """In column m + 1 rows before HERE are zero, and coefficients after HERE vanish."""
    row_, apart = rows(k - 1, m + 1), integers_apart(k, HERE)
    before = joint(
        Compare(row_, "=", 0), entry_at(k - 1, m + 1), apart, given=(Compare(k, "<", HERE),)
    )
    return ROWS.alone(k, c(1, k) * row_, before, Compare(m, "<=", N - 1))


def one_more_vanishes() -> Theorem:
    """Column m + 1 of the combination holds the coefficient of row N - m alone."""
    column = m + 1

    def read(k: Any) -> Theorem:
        over = ((k, 1, N), (m, 0, N - 1))
        value = unfold(claims.solved_entry(k, column), rows(k - 1, column), DOMAIN, over)
        sides = (c(1, k) * x for x in (claims.solved_entry(k, column), rows(k - 1, column)))
        return joint(Compare(next(sides), "=", next(sides)), value)

    total = joint(Compare(combination(column), "=", 0), instance(assume(NONE), column))
    solved, alone = sums_compared(read, N), sums_compared(one_term, N)
    chosen = picked(lambda k: c(1, k) * rows(k - 1, column), HERE, N)
    zero = joint(Compare(c(1, HERE), "=", 0), total, solved, alone, chosen, corner())
    zero = cut(zero, assume(Compare(m + 1, "<=", N)), assume(Compare(m, ">=", 0)))
    zero = cut(zero, joint(Compare(w, "!=", 0), given=(W,)))
    return prepended(zero, assume(ROWS.vanish(m)))


def independent() -> Theorem:
    """The coefficients of a combination that is zero vanish."""
    return discharge(ROWS.all(one_more_vanishes()), NONE)


@proves(claims.solved_rows_are_an_equilibrium_of_full_rank)
def by_solving_the_recursion(claim: Claim) -> Certificate:
    """Each row is at rest because it was solved for; the closed form is the printed one."""
    solved = joint(
        Compare(claims.solved_entry(i, b), "=", printed_entry(i, b)), entry_at(i - 1, b),
        unfold(claims.solved_entry(i, b), rows(i - 1, b), DOMAIN, ((i, 1, N), (b, 1, N))),
    )  # fmt: skip
    both_ = cut(
        both(solved, layer_of_row()), assume(Compare(i, ">=", 1)), assume(Compare(i, "<=", N))
    )
    every = for_all(both_, (i, N), (b, N))
    return conclude(claim, both(every, independent()), method="closed form of the recursion (32)")
