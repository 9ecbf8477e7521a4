r"""Norms of Gaussian weights: tails of chi-squares by Chernoff's bound, of operator norms by a fact.

$\mathbb P(\chi^2_d\ge c)=\Gamma(d/2,c/2)/\Gamma(d/2)$, and at the rate $1-1/y$ with $y=1+2\sqrt{t/d}$ the
bound is $e^{-t}$ from the threshold $d+2\sqrt{dt}+2t$ on, as Laurent and Massart found.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Expr,
    Integer,
    Rational,
    Symbol,
    cancel,
    exp,
    gamma,
    log,
    oo,
    sqrt,
    symbols,
    uppergamma,
)

from claims.im2026 import gaussian_norms as claims
from claims.im2026.notation import T, depth, words, xi
from claims.model import Claim
from claims.operator_tail import OperatorTail
from claims.statement import Compare, Quantity
from proofs.calculation import algebra
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import SignOnInterval
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import BERNOULLI, CHERNOFF, DAVIDSON_SZAREK, EXP_INCREASES, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    both,
    certified,
    cut,
    fact,
    joint,
    part,
    substitute,
    unfold,
)
from proofs.registry import proves

a, y = symbols("a y", positive=True)
c = Symbol("c", real=True)
u = claims.u
SHORT = Compare(T, "<=", words)
LONG = words ** (1 + xi)
METHOD = "Chernoff's bound for chi-squares"


def tail(freedom: Any, threshold: Any) -> Expr:
    """P(chi^2 >= threshold), by its density."""
    return uppergamma(freedom / 2, threshold / 2) / gamma(freedom / 2)


def log_below() -> Theorem:
    """log y <= (y - 1)^2 / (2 y) + (y - 1) / y for y >= 1: equal at one, and 2 y^2 times the slopes differ
    by a square."""
    gap = (y - 1) ** 2 / (2 * y) + (y - 1) / y - log(y)
    slope = SignOnInterval(cancel(gap.diff(y) * 2 * y**2), y, 1, oo, ">=0")
    return certified(MonotoneSign(gap, slope, anchor=1, sign=">=0", multiplier=2 * y**2))


def tail_at_its_rate() -> Theorem:
    """P(chi^2 >= c) <= e^(-t) for d = a^2, t = a^2 (y - 1)^2 / 4 and c >= d + 2 sqrt(d t) + 2 t."""
    freedom, excess = a**2 / 2, y - 1
    growth = excess**2 / (2 * y) + excess / y
    above = Compare(c, ">=", a**2 * (1 + excess + excess**2 / 2))
    far, rate = Compare(y, ">=", 1), -(1 - 1 / y) * c / 2
    bound = part(fact(CHERNOFF, k=freedom, z=c / 2, y=y), 1)
    grown = joint(Compare(log(y), "<=", growth), log_below())
    base = cut(fact(EXP_INCREASES, a=log(y), b=growth), grown)
    power = cut(fact(POWER_INCREASES, a=y, b=exp(growth), p=freedom), base)
    best = joint(
        Compare(freedom * growth + rate, "<=", -(a**2) * excess**2 / 4), given=(above, far)
    )
    last = cut(fact(EXP_INCREASES, a=best.formula.left, b=best.formula.right), best)
    p, q, r, e = symbols("p q r e", real=True)
    given = (Compare(r, "<=", p * e), Compare(p, "<=", q), Compare(e, ">", 0))
    terms = {r: tail(a**2, c), p: y**freedom, q: exp(freedom * growth), e: exp(rate)}
    positive = joint(Compare(exp(rate), ">", 0))
    product = algebra(Compare(r, "<=", q * e), given, terms, bound, power, positive)
    return joint(Compare(terms[r], "<=", last.formula.right), product, last)


def exceeds(freedom: Any, time: Any, threshold: Any, *known: Theorem) -> Theorem:
    """P(chi^2 >= threshold) <= e^(-time), where what is known gives threshold >= d + 2 sqrt(d t) + 2 t."""
    root, rate = sqrt(freedom), sqrt(time)
    terms = {a: root, y: 1 + 2 * rate / root, c: threshold}
    signs = joint(Compare(root, ">", 0)), joint(Compare(rate, ">=", 0))
    far = joint(Compare(terms[y], ">=", 1), *signs)
    return cut(substitute(tail_at_its_rate(), terms), far, *signs, *known)


def exceeds_many_times(times: int, freedom: Any) -> Theorem:
    """P(chi^2 >= times w^2) <= e^(-w^2/4) for w = |V|^(1 + xi) >= sqrt(d): w >= |V| by Bernoulli."""
    n, w = symbols("n w", positive=True)
    raised = fact(BERNOULLI, x=words - 1, p=1 + xi)
    more = joint(Compare((words - 1) * xi, ">=", 0), given=(Compare(words, ">=", 1),))
    short = joint(Compare(sqrt(freedom), "<=", words), given=(SHORT, Compare(words, ">=", 1)))
    longer = joint(Compare(LONG, ">=", sqrt(freedom)), raised, more, short)
    far = Compare(times * w**2, ">=", n**2 * (1 + w / n + w**2 / (2 * n**2)))
    known = algebra(far, (Compare(w, ">=", n),), {n: sqrt(freedom), w: LONG}, longer)
    return exceeds(freedom, LONG**2 / 4, times * LONG**2, known)


def chance(quantity: Quantity, freedom: Any, threshold: Any, bound: Theorem) -> Theorem:
    """A bound of a tail, as one of the quantity."""
    read = unfold(quantity, tail(freedom, threshold), claims.frobenius_tails.domain)
    return joint(Compare(quantity, "<=", bound.formula.right), read, bound)


@proves(claims.frobenius_tails)
def by_chernoff(claim: Claim) -> Certificate:
    """Each tail at its best rate; at t = |V|^(2 + 2 xi) / 4 the threshold is at most three times that."""
    parts = []
    for freedom, beyond, beyond_three in (
        (words**2, claims.squares_exceed, claims.squares_exceed_three),
        (T, claims.positions_exceed, claims.positions_exceed_three),
    ):
        threshold = freedom + 2 * sqrt(freedom * u) + 2 * u
        parts += [
            chance(beyond, freedom, threshold, exceeds(freedom, u, threshold)),
            chance(beyond_three, freedom, 3 * LONG**2, exceeds_many_times(3, freedom)),
        ]
    return conclude(claim, both(*parts), method=METHOD)


def all_stay(count: Any, rare: Theorem, share: Theorem) -> Theorem:
    """(1 - P)^n >= 1 - n b for a chance P <= b, and it lies in [0, 1] as P does."""
    beyond, often = rare.formula.left, Compare(count, ">=", 1)  # type: ignore[attr-defined]
    least = joint(
        Compare((1 - beyond) ** count, ">=", 1 - count * rare.formula.right),  # type: ignore[attr-defined]
        fact(BERNOULLI, x=-beyond, p=count), rare, given=(often,),
    )  # fmt: skip
    ends = (
        fact(POWER_INCREASES, a=low, b=high, p=count)
        for low, high in ((Integer(0), 1 - beyond), (1 - beyond, Integer(1)))
    )
    return cut(both(least, *ends), share)


def united(
    claim: Claim, quantity: Quantity, small: Any, matrices: Theorem, vectors: Theorem
) -> Theorem:
    """Independent weights: the chance is the product of those of 2 L + 1 matrices and of L vectors."""
    many = 2 * depth + 1
    b, m, n, p, q = symbols("b m n p q", real=True)
    terms = {
        b: small, m: many, n: depth, p: part(matrices, 0).formula.left,
        q: part(vectors, 0).formula.left,
    }  # fmt: skip
    given = (
        Compare(p, ">=", 1 - m * b), Compare(p, "<=", 1),
        Compare(q, ">=", 1 - n * b), Compare(q, "<=", 1), Compare(q, ">=", 0),
    )  # fmt: skip
    product = algebra(Compare(p * q, ">=", 1 - (m + n) * b), given, terms, matrices, vectors)
    read = unfold(quantity, terms[p] * terms[q], claim.domain)
    return joint(Compare(quantity, ">=", 1 - (many + depth) * small), read, product)


def stay_in_squares(count: Any, freedom: Any) -> Theorem:
    """Of so many weights none has a squared Frobenius norm beyond 4 w^2."""
    share = cut(
        fact(CHERNOFF, k=freedom / 2, z=2 * LONG**2, y=Integer(1)), joint(Compare(LONG**2, ">=", 0))
    )
    return all_stay(count, exceeds_many_times(4, freedom), share)


@proves(claims.all_frobenius_norms_are_small)
def by_a_union_of_weights(claim: Claim) -> Certificate:
    """Each weight by its chi-square, and one after the other."""
    theorem = united(
        claims.all_frobenius_norms_are_small, claims.frobenius_norms_stay_below, exp(-(LONG**2) / 4),
        stay_in_squares(2 * depth + 1, words**2), stay_in_squares(depth, T),
    )  # fmt: skip
    return conclude(claim, theorem, method=f"{METHOD}; union of $3L+1$ events")


WIDE = words ** (Rational(1, 2) + xi)
"""A third of the threshold of operator norms, in units of the standard deviation."""
CONCENTRATION = "Davidson and Szarek's bound"


def wide() -> Theorem:
    """|V|^(1/2 + xi) >= |V|^(1/2) >= 1."""
    grows = fact(POWER_INCREASES, a=Integer(1), b=words, p=xi)
    return joint(
        Compare(WIDE, ">=", sqrt(words)) & Compare(sqrt(words), ">=", 1), grows,
        given=(Compare(words, ">=", 1),),
    )  # fmt: skip


def norm_exceeds(rows: Any, columns: Any, *given: Compare) -> Theorem:
    """0 <= P(|G| >= 3 w) <= e^(-w^2/2) for w = |V|^(1/2 + xi), where sqrt(rows) + sqrt(columns) <= 2 w."""
    far = joint(Compare(3 * WIDE, ">=", sqrt(rows) + sqrt(columns) + WIDE), wide(), given=given)
    sign = joint(Compare(WIDE, ">=", 0), wide())
    return cut(fact(DAVIDSON_SZAREK, rows=rows, columns=columns, t=WIDE, a=3 * WIDE), far, sign)


@proves(claims.operator_norm_of_one_matrix)
def by_gaussian_concentration(claim: Claim) -> Certificate:
    """For a square matrix, and at t = |V|^(1/2 + xi)."""
    domain, threshold = claims.operator_norm_of_one_matrix.domain, 2 * sqrt(words) + u
    near = fact(DAVIDSON_SZAREK, rows=words, columns=words, t=u, a=threshold)
    parts = [
        joint(
            Compare(quantity, "<=", exp(-(t**2) / 2)), bound,
            unfold(quantity, OperatorTail(words, words, a), domain),
        )
        for quantity, t, a, bound in (
            (claims.operator_exceeds, u, threshold, near),
            (claims.operator_exceeds_three, WIDE, 3 * WIDE, norm_exceeds(words, words)),
        )
    ]  # fmt: skip
    return conclude(claim, both(*parts), method=CONCENTRATION)


def stay_in_norm(count: Any, rows: Any, columns: Any, *given: Compare) -> Theorem:
    """Of so many weights none has an operator norm beyond 3 w; the lemma asks for e^(-w^2/4) only."""
    found = norm_exceeds(rows, columns, *given)
    tail = OperatorTail(rows, columns, 3 * WIDE)
    half, quarter = -(WIDE**2) / 2, -(WIDE**2) / 4
    less = cut(fact(EXP_INCREASES, a=half, b=quarter), joint(Compare(half, "<=", quarter)))
    most = cut(fact(EXP_INCREASES, a=half, b=Integer(0)), joint(Compare(half, "<=", 0)))
    share = joint(Compare(tail, ">=", 0) & Compare(tail, "<=", 1), found, most)
    return all_stay(count, joint(Compare(tail, "<=", exp(quarter)), found, less), share)


@proves(claims.all_operator_norms_are_small)
def by_a_union_of_matrices(claim: Claim) -> Certificate:
    """The same for each matrix; a vector of T <= |V| entries is a matrix of one row."""
    theorem = united(
        claims.all_operator_norms_are_small, claims.operators_stay_below, exp(-(WIDE**2) / 4),
        stay_in_norm(2 * depth + 1, words, words), stay_in_norm(depth, Integer(1), T, SHORT),
    )  # fmt: skip
    return conclude(claim, theorem, method=f"{CONCENTRATION}; union of $3L+1$ events")
