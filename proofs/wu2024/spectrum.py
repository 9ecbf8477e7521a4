r"""The least singular value and the least absolute cosine of the rows (33), from their inner products."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Sum, Symbol, symbols

from claims.statement import Compare
from claims.terms import MinOver
from claims.wu2024 import anisotropy as claims
from claims.wu2024.notation import N, w
from proofs.calculation import linked, summed_over
from proofs.conclude import facts_of
from proofs.facts import POWER_FALLS
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    extremum_bounds,
    extremum_compared,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    sum_split,
    unfold,
)
from proofs.wu2024.gram import (
    LEAST,
    S,
    b,
    g,
    last_row_too,
    product,
    products,
    reach,
    shares,
    size,
    sums,
    u,
)
from proofs.wu2024.printed_rows import (
    n,
    unit,
)
from proofs.wu2024.solved_rows import W, rows

# The claim ------------------------------------------------------------------------------------------

DOMAIN = claims.equilibrium_has_full_rank_and_large_absolute_cosines.domain
*_, PAIRS, UNIT, ATTAINED = facts_of(DOMAIN)
i, j = Symbol("i", integer=True), Symbol("j", integer=True)


def read(row: Any, column: Any) -> Theorem:
    """An entry of X*, by the rows that (30) gives."""
    over = tuple((k, 1, N) for k in (row, column) if k in {i, b})
    return unfold(claims.solved_entry(row, column), rows(row - 1, column), DOMAIN, over)


def sums_are_sums() -> tuple[Theorem, Theorem]:
    """What the recursions add up, for all k."""
    found = []
    for state, term in ((sums, lambda k: u(k) * rows(k - 1, b)), (size, lambda k: u(k) ** 2)):
        at = (b,) if state is sums else ()

        def body(k: Any, state: Any = state, term: Any = term, at: Any = at) -> Compare:
            return Compare(state(k, *at), "=", Sum(term(i), (i, 1, k)))

        last = sum_split(body(n + 1).right)
        step = joint(body(n + 1), recursion_step(state, n, *at), last, assume(body(n)))
        nothing = identity(body(Integer(0)).right, Integer(0))
        start = joint(body(Integer(0)), recursion_start(state, *at), nothing)
        found.append(induction(start, step, n))
    return found[0], found[1]


@cache
def least_is_long() -> Theorem:
    """sigma_min^2 >= lambda."""
    whole, norm = (instance(each, N) for each in sums_are_sums())
    term = joint(Compare(u(i) * claims.solved_entry(i, b), "=", u(i) * rows(i - 1, b)), read(i, b))
    total = summed_over(term, (i, N))
    square = joint(Compare(total.formula.left**2, "=", sums(N, b) ** 2), total, whole)
    image = summed_over(square, (b, N))
    goal = Compare(claims.least_square, ">=", LEAST)
    return linked(goal, assume(ATTAINED), image, norm, assume(UNIT), last_row_too())


@cache
def last_two_are_short() -> Theorem:
    """sigma_min^2 <= lambda, from the last two rows."""
    pair = instance(assume(PAIRS), N - 1)
    ends = [
        unfold(claims.solved_entry(row, b), rows(row - 1, b), DOMAIN, ((b, 1, N),))
        for row in (N - 1, N)
    ]
    x_, y_ = rows(N - 2, b), rows(N - 1, b)
    square = joint(
        Compare((claims.solved_entry(N - 1, b) + claims.solved_entry(N, b)) ** 2, "=",
                x_**2 + y_**2 + 2 * (x_ * y_)), *ends,
    )  # fmt: skip
    total = summed_over(square, (b, N))
    two = Compare(N, ">=", 2)
    cross = instance(substitute(products(), {g: Integer(1)}), N - 2)
    cross = joint(Compare(product(N - 2, N - 1), "=", -reach(N - 2)), cross)
    goal = Compare(claims.least_square, "<=", LEAST)
    found = linked(goal, pair, total, unit(N - 2), unit(N - 1), cross)
    return cut(found, joint(
        Compare(N - 2, ">=", 0) & Compare(N - 1, ">=", 1) & Compare(N - 1, ">=", 0)
        & Compare(N - 2, "<=", N - 1), given=(two,),
    ))  # fmt: skip


def cosine(one: Any, other: Any) -> Expr:
    return Abs(product(one - 1, other - 1))


@cache
def cosine_is(one: Any, other: Any) -> Theorem:
    """|<X_i, X_j>| = f(i - 1) for i < j."""
    pair = instance(substitute(products(), {g: other - one}), one - 1)
    sign = identity((-1) ** (other - one) * (-1) ** (other - one), 1)
    x_, y_, e_ = symbols("x y e", real=True)
    lemma = joint(
        Compare(Abs(x_), "=", y_),
        given=(Compare(x_, "=", e_ * y_), Compare(e_ * e_, "=", 1), Compare(y_, ">", 0)),
    )
    inside = (Compare(one, ">=", 1), Compare(other, ">=", one + 1), Compare(other, "<=", N))
    own = joint(
        Compare(product(one - 1, other - 1), "=", (-1) ** (other - one) * reach(one - 1)), pair,
        given=inside,
    )  # fmt: skip
    put_in = {x_: product(one - 1, other - 1), y_: reach(one - 1), e_: (-1) ** (other - one)}
    found = cut(substitute(lemma, put_in), own, sign, shares(one - 1))
    return cut(found, joint(
        Compare(one - 1, ">=", 0) & Compare(other - one, ">=", 1) & Compare(other - one, ">", 0)
        & Compare(one - 1, "<=", N - 2), given=inside,
    ))  # fmt: skip


@cache
def least_cosine_is_the_first() -> Theorem:
    """The least of them is s, that of the first two rows."""
    pairs = MinOver(MinOver(cosine(i, j), (j, i + 1, N)), (i, 1, N - 1))
    least = unfold(claims.least_printed_cosine, pairs, DOMAIN)
    below_one = joint(
        Compare(reach(i - 1), ">=", S),
        joint(Compare(1 - S, ">", 0), given=(W,)),
        _small_power(i - 1),
        given=(W,),
    )
    body = joint(Compare(cosine(i, j), ">=", S), cosine_is(i, j), below_one)
    inner = extremum_compared(generalise(body, j, i + 1, N), MinOver)
    above = extremum_compared(generalise(inner, i, 1, N - 1), MinOver)
    outer = extremum_bounds(pairs, Integer(1))
    first = extremum_bounds(MinOver(cosine(Integer(1), j), (j, 2, N)), Integer(2))
    at_first = joint(
        Compare(cosine(Integer(1), Integer(2)), "=", S), cosine_is(Integer(1), Integer(2))
    )
    return joint(Compare(claims.least_printed_cosine, "=", S), least, above, outer, first, at_first)


def _small_power(k: Any) -> Theorem:
    """w^(-2k) <= 1 for k >= 0."""
    base = w**-2
    below = joint(Compare(base, ">", 0) & Compare(base, "<=", 1), given=(W,))
    falls = cut(fact(POWER_FALLS, a=base, p=0, q=k), below)
    return joint(Compare(w ** (-2 * k), "<=", 1), falls)


def geometry() -> Theorem:
    """Both values."""
    least = joint(Compare(claims.least_square, "=", LEAST), least_is_long(), last_two_are_short())
    return both(least, least_cosine_is_the_first())
