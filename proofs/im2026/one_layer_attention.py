"""Proofs of Eqs. (92)-(96) and (110)-(117)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Abs, Integer, Rational, Sum, Symbol, exp, log, sqrt, symbols

from claims.im2026 import one_layer_attention as claims
from claims.im2026.notation import T, eta, s, t
from claims.im2026.one_layer_attention import error, leading, position_score, word_score
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, conjuncts, integers_apart, linked, place
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import LOG_BELOW_TANGENT
from proofs.im2026.chains import METHOD, SCOPE, boxed, by_norms
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    sum_compared,
    sum_split,
    unfold,
)  # fmt: skip
from proofs.registry import proves

k, n = place(), Symbol("n", integer=True, positive=True)
FIRST = Compare(k, ">=", 1)


def leading_is_not_negative() -> Theorem:
    """(s - 1)(s - 2) is not negative for integers."""
    later = (Compare(s, ">=", 1),)
    apart = [integers_apart(Integer(n), s) for n in (1, 2)]
    product = joint(Compare((s - 1) * (s - 2), ">=", 0), *apart, given=later)
    outer = joint(Compare((3 * s - 1) * s * eta**4, ">=", 0), given=later)
    value = identity(leading, eta**4 * s * (3 * s - 1) * (s - 1) * (s - 2) / 12)
    return joint(Compare(leading, ">=", 0), product, outer, value)


@proves(claims.logits_are_below_one_half)
def by_both_errors(claim: Claim) -> Certificate:
    """Two leading terms of one sign at most, and two errors."""
    domain = (claim.base or claim).domain
    named = unfold(claims.logit, Abs(word_score + position_score), domain)
    drawn = {variable.symbol for variable in claims.NEAR}
    near = [fact for fact in facts_of(domain) if fact.free_symbols() & drawn]
    goal = Compare(claims.logit, "<=", leading + error)
    first = joint(goal, named, leading_is_not_negative(), given=near)
    second = boxed(Compare(leading + error, "<", Rational(1, 2)))
    return conclude(claim, both(first, second), method=METHOD, scope=SCOPE)


def harmonic(last: Any) -> Sum:
    """1 + 1/2 + ... + 1/n."""
    return Sum(1 / k, (k, 1, last))


def harmonic_below_logarithm() -> Theorem:
    r"""$\sum_{k\le T}\tfrac1k\le1+\log T$, by induction."""
    later = Compare(n, ">=", 1)
    before = assume(Compare(harmonic(n), "<=", 1 + log(n)))
    positive = joint(Compare(n / (n + 1), ">", 0), given=(later,))
    below = cut(fact(LOG_BELOW_TANGENT, x=n / (n + 1)), positive)
    apart = identity(log(n / (n + 1)), log(n) - log(n + 1))
    share = identity(n / (n + 1) - 1, -1 / (n + 1))
    goal = Compare(harmonic(n + 1), "<=", 1 + log(n + 1))
    step = joint(goal, sum_split(harmonic(n + 1)), before, below, apart, share, given=(later,))
    start = joint(Compare(harmonic(1), "<=", 1), identity(harmonic(1), Integer(1)))
    defined = generalise(joint(Compare(k, "!=", 0), given=(FIRST,)), k, 1, 1)
    every = induction(cut(start, defined), step, n, 1)
    return instance(every, T)


def roots_of_harmonic_sums() -> tuple[Theorem, ...]:
    r"""The root of the sum is at most $\sqrt T$ and $\sqrt{1+\log T}$, and not negative."""
    above, long = joint(Compare(0, "<=", 1 / k), given=(FIRST,)), Compare(T, ">=", 1)
    terms = [above, joint(Compare(1 / k, "<=", 1), given=(FIRST,))]
    low, high = (sum_compared(generalise(term, k, 1, T)) for term in terms)
    root, log_bound = sqrt(harmonic(T)), harmonic_below_logarithm()
    signs = [
        linked(Compare(harmonic(T), ">=", 0), low),
        linked(Compare(harmonic(T), "<=", T), high),
    ]
    return (
        joint(Compare(root, ">=", 0), *signs, given=(long,)),
        joint(Compare(root, "<=", sqrt(T)), *signs, given=(long,)),
        joint(Compare(root, "<=", sqrt(1 + log(T))), signs[0], log_bound, given=(long,)),
    )


@proves(claims.attention_moves_little)
def by_harmonic_sums(claim: Claim) -> Certificate:
    """The norm of all rows is that of the first times the root of a harmonic sum."""
    domain, e, largest = (claim.base or claim).domain, exp(1), claims.largest_logit
    positive, lead = compute(Compare(e, ">", 0)), leading_is_not_negative()
    rest = joint(Compare(error, ">=", 0))
    c, z, a, b, h, u, v = symbols("c z a b h u v", real=True)
    values = {c: e, z: largest, a: leading, b: error}
    given = [Compare(c, ">", 0), Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(z, "<=", a + b)]
    signs = (positive, lead, rest)
    one = Compare(h, ">=", 1)
    root = joint(Compare(sqrt(t), ">=", 1), given=(Compare(t, ">=", 1),))
    bound = Compare(c / h * z, "<=", c * a + c * b / h)
    row = algebra(bound, [*given, one], {**values, h: sqrt(t)}, *signs, root)
    named = unfold(claims.frobenius, e * largest * sqrt(harmonic(T)), domain)
    inside = [Compare(h, ">=", 0), Compare(h, "<=", u), Compare(h, "<=", v)]
    bound = Compare(c * z * h, "<=", c * a * u + c * b * v)
    ends = {h: sqrt(harmonic(T)), u: sqrt(T), v: sqrt(1 + log(T))}
    norm = algebra(bound, [*given, *inside], {**values, **ends}, *signs, *roots_of_harmonic_sums())
    fewer, long = boxed(Compare(leading, "<=", 2 * claims.x**4)), Compare(T, ">=", 1)
    bound, given = (
        Compare(c * a * u, "<=", c * b * u),
        [given[0], Compare(a, "<=", b), Compare(u, ">=", 0)],
    )
    ends = {c: e, a: leading, b: 2 * claims.x**4, u: sqrt(T)}
    last = algebra(
        bound, given, ends, positive, fewer, joint(Compare(sqrt(T), ">=", 0), given=(long,))
    )
    _, *others = conjuncts((claim.base or claim).formula)
    later = joint(Compare(t, ">=", 0), given=(Compare(t, ">=", 1),))
    found = [
        generalise(cut(row, later), t, 1, T),
        joint(others[0], named, norm),
        joint(others[1], last),
    ]
    theorem = cut(both(*found), joint(long, given=(Compare(T, ">=", 3),)))
    return conclude(
        claim, theorem, method="harmonic sums and a tangent of the logarithm", scope=SCOPE
    )


@proves(claims.attention_has_norm_near_two)
def by_a_tangent_of_the_logarithm(claim: Claim) -> Certificate:
    r"""$\log T\le T-1$."""
    return by_norms(claim, claims.attention)


def row_of_attention_moves_little() -> Theorem:
    r"""$\|\delta a\|\le\tfrac75s^2\eta^2$ in rows from the second on."""
    x, bound = claims.x, Rational(7, 5) * claims.x**2
    fewer = boxed(Compare(leading, "<=", 2 * x**4))
    small = boxed(Compare(exp(1) * (2 * x**4 + error / sqrt(t)), "<=", bound))
    given = Compare(claims.row_gap, "<=", claims.row_bound)
    return joint(
        Compare(claims.row_gap, "<=", bound),
        fewer,
        small,
        compute(Compare(exp(1), ">", 0)),
        given=(given,),
    )


@proves(claims.jacobian_moves_in_second_order)
def by_the_norm_of_a_row(claim: Claim) -> Certificate:
    """The largest entry of a row is at most its norm."""
    norms = (
        (claims.row_gap, Rational(7, 5) * claims.x**2), (claims.largest_entry, claims.row_gap)
    )  # fmt: skip
    chain = replace(claims.jacobian_gap, norms=norms)
    return by_norms(claim, chain, sharper=[row_of_attention_moves_little()])


@proves(claims.einsum_as_printed)
def by_the_largest_row(claim: Claim) -> Certificate:
    """A block of the Jacobian for each row: norms of blocks do not add up."""
    chains = (claims.weighted_by_two, claims.weighted_by_one)
    return by_norms(claim, claims.score, claims.jacobian, *chains)
