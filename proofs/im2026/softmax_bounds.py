r"""Softmax bounds from tangents of the exponential, for symbolic $d$ and all real logits.

With $v$ the mean logit, $\sum_je^{z_j}\ge de^v$, and $|e^{z_j}-e^v|\le\kappa e^v|z_j-v|$ with
$\kappa=e^r$ where no logit exceeds $v$ by more than $r$.  Subtracting the mean only shortens $z$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, exp, sqrt, symbols

from claims.im2026 import softmax_bounds as claims
from claims.im2026.softmax_bounds import R, d, j, logit, r, x
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver, entry, put
from proofs.calculation import algebra, linked, rooted, summed_over, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_ABOVE_TANGENT
from proofs.im2026.near_uniform import Logits, f, n, positive, rises, v
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    limit,
    substitute,
    unfold,
)
from proofs.registry import proves

most, mu = symbols("M mu", real=True)
Z = Logits(logit, d, j)
E, SUM, total = Z.weight, Z.sum, Z.total
GREATEST, LEAST = MaxOver(logit(j), (j, 1, d)), MinOver(logit(j), (j, 1, d))


def roots_of_sums(left: Expr, factor: Any, right: Expr, *theorems: Theorem) -> Theorem:
    """$\\sqrt{\\sum a_j^2}\\le c\\sqrt{\\sum b_j^2}$ from $\\sum a_j^2\\le c^2\\sum b_j^2$ and $c\\ge0$."""
    signs = square_sum(left), square_sum(right)
    return rooted(total(left**2), factor, total(right**2), *theorems, *signs)


def square_sum(base: Expr) -> Theorem:
    """$\\sum_ja_j^2\\ge0$."""
    y = Symbol("y", real=True)
    square = joint(Compare(0, "<=", y**2))
    each = sums_compared(lambda k: substitute(square, {y: put(base, {j: k})}), d)
    return linked(Compare(total(base**2), ">=", 0), each)


# Lemma D.2, first display -------------------------------------------------------------------------


@proves(claims.jacobian_is_below_the_largest_probability)
def by_the_variance(claim: Claim) -> Certificate:
    """With weights p: sum p_j^2 (x_j - mean)^2 <= P (sum p_j x_j^2 - mean^2) <= P^2 sum x_j^2."""
    domain, own = claims.jacobian_is_below_the_largest_probability.domain, entry(x)
    small, mean = ForAll(j, 1, d, Compare(f * E, "<=", most)), total(E * own(j))
    given = (Compare(f, ">", 0), Compare(f * SUM, "=", 1), Compare(mu, "=", f * mean))

    def bounded(weight: Callable[[Any], Expr]) -> Theorem:
        """sum w_j (f e_j) <= P sum w_j for squares w."""

        def each(k: Any) -> Theorem:
            p = f * exp(logit(k))
            return joint(Compare(weight(k) * p, "<=", most * weight(k)), instance(assume(small), k))

        return sums_compared(each, d)

    def spread(k: Any) -> Theorem:
        e, gap = symbols("e y", real=True)
        within = (Compare(f * e, "<=", most), Compare(e, ">", 0), Compare(f, ">", 0))
        goal = Compare((f * e * gap) ** 2, "<=", most * f * e * gap**2)
        terms = {e: exp(logit(k)), gap: own(k) - mu}
        return algebra(goal, within, terms, instance(assume(small), k), positive(logit(k)))

    base = f * E * (own(j) - mu)
    left, right = total(base**2), total(own(j) ** 2)
    second = total(E * own(j) ** 2)
    first = instance(assume(small), Integer(1))
    sign = joint(Compare(most, ">=", 0), first, given=given[:1])
    variance = linked(
        Compare(left, "<=", most * (f * second - mu**2)), sums_compared(spread, d), given=given
    )
    moment = linked(Compare(f * second, "<=", most * right), bounded(lambda k: own(k) ** 2))
    found = joint(Compare(left, "<=", most**2 * right), variance, moment, sign)
    greatest = MaxOver(E / SUM, (j, 1, d))
    ends = generalise(extremum_bounds(greatest, j), j, 1, d)
    found = substitute(substitute(found, {mu: f * mean}), {most: greatest})
    found = Z.with_inverse(found, ends)
    sign = Z.with_inverse(substitute(sign, {most: greatest}), ends)
    base = put(put(base, {mu: f * mean}), {f: 1 / SUM})
    read = (
        unfold(claims.largest, greatest, domain),
        unfold(claims.image, sqrt(total(base**2)), domain),
        unfold(claims.length, sqrt(right), domain),
    )
    root = roots_of_sums(base, greatest, own(j), found, sign)
    theorem = joint(Compare(claims.image, "<=", claims.largest * claims.length), root, *read)
    return conclude(claim, theorem, method="variance below the mean square")


def replaced_width(bound: Theorem, width: Theorem, read: Theorem) -> Theorem:
    """The bound by the range itself."""
    same = rises(
        GREATEST - LEAST, claims.width, joint(Compare(GREATEST - LEAST, "<=", claims.width), width)
    )
    return joint(Compare(claims.largest, "<=", exp(claims.width) / d), bound, read, same)


@proves(claims.largest_probability_is_bounded_by_the_range)
def by_the_least_logit(claim: Claim) -> Certificate:
    """No exponential exceeds that of the largest logit or falls below that of the least."""
    domain, probability = claims.LOGITS, MaxOver(E / SUM, (j, 1, d))
    least = sums_compared(lambda k: rises(LEAST, logit(k), extremum_bounds(LEAST, k)), d)
    sums = linked(Compare(SUM, ">=", d * exp(LEAST)), least)
    above = rises(logit(j), GREATEST, extremum_bounds(GREATEST, j))
    a, b, p, s, q = symbols("a b p s q", real=True)
    given = (
        Compare(p, "<=", a), Compare(s, ">=", d * b), Compare(b, ">", 0), Compare(q * b, "=", a),
        Compare(q, ">", 0),
    )  # fmt: skip
    terms = {a: exp(GREATEST), b: exp(LEAST), p: E, s: SUM, q: exp(GREATEST - LEAST)}
    product = joint(Compare(p * d, "<=", q * s), given=given)
    quotient = joint(Compare(p / s, "<=", q / d), product, given=(Compare(s, ">", 0),))
    known = above, sums, positive(LEAST), positive(GREATEST - LEAST), Z.positive_sum()
    each = cut(substitute(quotient, terms), *known)
    each = extremum_compared(generalise(each, j, 1, d), MaxOver)
    read = unfold(claims.largest, probability, domain)
    width = unfold(claims.width, GREATEST - LEAST, domain)
    theorem = replaced_width(each, width, read)
    return conclude(claim, theorem, method="the exponential increases")


# Lemma D.2, second display ------------------------------------------------------------------------


def deviation_bound(factor: Expr, found: Theorem, sign: Theorem) -> Theorem:
    """The deviation is at most kappa/d times the norm of the logits."""
    base, scaled = Z.share - 1 / d, joint(Compare(factor / d, ">=", 0), sign)
    root = roots_of_sums(base, factor / d, logit(j), found, scaled)
    read = (
        unfold(claims.deviation, sqrt(total(base**2)), claims.LOGITS),
        unfold(claims.norm_of_logits, sqrt(total(logit(j) ** 2)), claims.LOGITS),
    )
    return joint(Compare(claims.deviation, "<=", factor / d * claims.norm_of_logits), root, *read)


def least_range() -> Theorem:
    """$z_j\\le v+r$ from range(z) <= r: the mean is no smaller than the least logit."""
    least = sums_compared(lambda k: extremum_bounds(LEAST, k), d)
    above = linked(Compare(v, ">=", LEAST), least, given=(Z.is_mean,))
    top = extremum_bounds(GREATEST, n)
    return joint(Compare(logit(n), "<=", v + r), above, top, given=(NARROW,))


NARROW = Compare(GREATEST - LEAST, "<=", r)


@proves(claims.softmax_is_near_uniform)
def by_tangents_at_the_mean(claim: Claim) -> Certificate:
    """Exponentials are at most e^r times their tangent at the mean away from its value there."""
    sign = fact(EXP_ABOVE_TANGENT, x=r)
    found = Z.squares(exp(r), Z.growth(least_range()), sign)
    width = unfold(claims.width, GREATEST - LEAST, claims.LOGITS)
    narrow = joint(NARROW, width, given=(claims.within_range.formula,))
    theorem = cut(deviation_bound(exp(r), found, sign), narrow)
    return conclude(claim, theorem, method="tangents at the mean logit")


@proves(claims.softmax_of_bounded_logits_is_near_uniform)
def by_the_range(claim: Claim) -> Certificate:
    """The range is at most 2R."""
    size = MaxOver(Abs(logit(j)), (j, 1, d))
    top, small = extremum_bounds(size, n), Compare(size, "<=", R)
    half = joint(Compare(logit(n), "<=", R), top, given=(small,))
    low = joint(Compare(-logit(n), "<=", R), top, given=(small,))
    mean = linked(Compare(v, ">=", -R), summed_over(low, (n, d)), given=(Z.is_mean,))
    gap = joint(Compare(logit(n), "<=", v + r), half, mean, given=(Compare(r, ">=", 2 * R),))
    sign = fact(EXP_ABOVE_TANGENT, x=r)
    found = Z.squares(exp(r), Z.growth(gap), sign)
    wide, one = (
        deviation_bound(exp(u), *(substitute(theorem, {r: u}) for theorem in (found, sign)))
        for u in (2 * R, Integer(1))
    )
    narrow = Compare(R, "<=", Rational(1, 2))
    read = unfold(claims.largest_logit, size, claims.LOGITS)
    known = joint(small, read, given=(claims.within_cube.formula,))
    theorem = cut(both(wide, discharge(cut(one, assume(narrow)), narrow)), known)
    return conclude(claim, theorem, method="tangents at the mean logit")


@proves(claims.sharp_constant_of_the_softmax_bound)
def by_chords_from_the_mean(claim: Claim) -> Certificate:
    """Exponentials rise above their value at the mean no faster than the chord to the end of the range."""
    grown, sign = (
        Z.sharp_growth(least_range()),
        joint(Compare(exp(r), ">=", 1), fact(EXP_ABOVE_TANGENT, x=r)),
    )
    factor = (exp(r) - 1) / r
    sign = joint(Compare(factor, ">=", 0), sign, given=(Compare(r, ">", 0),))
    width = unfold(claims.width, GREATEST - LEAST, claims.LOGITS)
    narrow = joint(NARROW, width, given=(claims.within_range.formula,))
    bound = cut(deviation_bound(factor, Z.squares(factor, grown, sign), sign), narrow)
    spike = unfold(claims.spiked, claims.SPIKE, claims.sharp_constant_of_the_softmax_bound.domain)
    w = Symbol("w", positive=True)
    share = limit(claims.SHARE.subs(exp(r), w), claims.many)
    theorem = both(bound, spike, substitute(share, {w: exp(r)}))
    return conclude(claim, theorem, method="chords from the mean logit")
