"""The stable rank of attention: one singular value below all of them, and moments of Dirichlet rows."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, Sum, Symbol, gamma, gammasimp, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import rank_of_attention as claims
from claims.naitsaada2025.markov import A, row_facts
from claims.naitsaada2025.notation import T
from claims.naitsaada2025.products import a
from claims.naitsaada2025.rank_of_attention import t
from claims.statement import Compare
from proofs.calculation import algebra, body_at, conjuncts, linked, replaced, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    both,
    fact,
    generalise,
    identity,
    instance,
    joint,
    limit,
    limit_rewritten,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.naitsaada2025.decompositions import SEVERAL, whole
from proofs.registry import proves

__all__ = ["not_zero"]

DOMAIN = claims.stable_rank_of_attention_stays_above_one.domain
OVER = (t, 2, oo)
ONE = Integer(1)
i, j, k = (Symbol(name, integer=True) for name in "ijk")


@cache
def share_moment(*powers: int) -> Expr:
    """E prod_j a_j^{c_j} over different places of a Dirichlet(a, ..., a) row of t shares."""
    shape, tokens, count = Symbol("a", positive=True), Symbol("t", positive=True), sum(powers)
    value = gamma(shape * tokens) / gamma(shape * tokens + count)
    for power in powers:
        value *= gamma(shape + power) / gamma(shape)
    return gammasimp(value).subs({shape: a, tokens: t})


def mean_square() -> Expr:
    """E |A|_F^2: T^2 squares of shares."""
    return t**2 * share_moment(2)


def mean_gram() -> Expr:
    """E |A A^T|_F^2: of one row |a|^4, of two rows tr (E a a^T)^2, which are independent."""
    one = t * share_moment(4) + t * (t - 1) * share_moment(2, 2)
    two = t * share_moment(2) ** 2 + t * (t - 1) * share_moment(1, 1) ** 2
    return t * one + t * (t - 1) * two


@cache
def not_zero() -> Theorem:
    """|A|_F^2 > 0: the squares of the first row sum to 1/T at least."""
    first = whole.m(ONE, j)
    total = instance(assume(row_facts(A)[0]), ONE)
    flat = fact(CAUCHY_SCHWARZ, a=first, b=ONE, k=j, low=1, high=T)
    length = sum_rearranged(Sum(ONE, (j, 1, T)), T)
    row = linked(Compare(Sum(first**2, (j, 1, T)), ">=", 1 / T), flat, total, length, SEVERAL)
    squares = Sum(whole.m(i, j) ** 2, (j, 1, T))
    sign = sums_compared(lambda c: joint(Compare(0, "<=", whole.m(i, c) ** 2)), T)
    each = linked(Compare(squares, ">=", 0), sign)
    some = sum_at_least_term(generalise(each, i, 1, T), ONE)
    return linked(Compare(Sum(squares, (i, 1, T)), ">", 0), some, row, SEVERAL)


def below_all_singular_values() -> Theorem:
    """sr^2(A) >= |A|_F^4/|A A^T|_F^2: s_1^4 is one of the fourth powers that sum to |A A^T|_F^2."""
    first, powers, norm = whole.root(ONE), whole.fourth_powers(), whole.squares()
    read = (
        unfold(claims.rank, norm.formula.left / first**2, DOMAIN),
        unfold(claims.square, norm.formula.left, DOMAIN),
        unfold(claims.gram, powers.formula.left, DOMAIN),
    )
    signs = generalise(joint(Compare(whole.root(k) ** 4, ">=", 0)), k, 1, T)
    one = linked(
        Compare(powers.formula.left, ">=", first**4), powers, sum_at_least_term(signs, ONE), SEVERAL
    )
    positive = whole.largest_is_positive(not_zero())
    f, g, n, r = symbols("f g n r", real=True)
    given = (Compare(r * f, "=", n), Compare(g, ">=", f**2))
    terms = {f: first**2, g: claims.gram, n: claims.square, r: claims.rank}
    shown = (
        joint(given[0].substitute(terms), *read[:2], positive),
        joint(given[1].substitute(terms), read[2], one),
    )
    # r^2 - 2crf + c^2f^2 is a square
    goal = Compare(r**2, ">=", 2 * claims.c * n - claims.c**2 * g)
    return algebra(goal, given, terms, *shown)


@proves(claims.stable_rank_of_attention_stays_above_one)
def by_moments_of_shares(claim: Claim) -> Certificate:
    """Moments of one row and of two independent ones; both means are closed forms in T."""
    every = claims.stable_rank_of_attention_stays_above_one.formula.formulas[1]  # type: ignore[attr-defined]
    least = below_all_singular_values()
    square, gram = (
        unfold(of(t), value, DOMAIN, (OVER,))
        for of, value in ((claims.square_at, mean_square()), (claims.gram_at, mean_gram()))
    )
    goals = conjuncts(body_at(every, t))
    exact = [
        linked(goal, read, identity(read.formula.right, goal.right))  # type: ignore[attr-defined]
        for goal, read in zip(goals, (square, gram), strict=True)
    ]
    means = generalise(both(*exact), *OVER)
    x, y = symbols("x y", real=True)
    above = replaced(x**2 / claims.gram_at(t), x, square)
    under = replaced(mean_square() ** 2 / y, y, gram)
    quotient = linked(Compare(above.formula.left, "=", under.formula.right), above, under)  # type: ignore[attr-defined]
    value = mean_square() ** 2 / mean_gram()
    limits = limit_rewritten(limit(value, t), generalise(quotient, *OVER))
    return conclude(claim, both(least, means, limits), method=METHOD)


METHOD = "moments of Dirichlet rows; the largest of the singular values"
