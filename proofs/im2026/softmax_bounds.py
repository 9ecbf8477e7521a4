r"""Softmax bounds from tangents of the exponential, for symbolic $d$ and all real logits.

With $v$ the mean logit, $\sum_je^{z_j}\ge de^v$, and $|e^{z_j}-e^v|\le\kappa e^v|z_j-v|$ with
$\kappa=e^r$ where no logit exceeds $v$ by more than $r$.  Subtracting the mean only shortens $z$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, sqrt, symbols

from claims.im2026 import softmax_bounds as claims
from claims.im2026.softmax_bounds import R, d, j, logit, r, x
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver, entry, put
from proofs.calculation import algebra, linked, rooted, square_at, summed_over, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, EXP_ABOVE_TANGENT, JENSEN
from proofs.im2026.near_uniform import Logits, f, n, positive, rises, tangent, v
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
    sum_rearranged,
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


@proves(claims.jacobian_is_a_variance)
def by_weighted_squares(claim: Claim) -> Certificate:
    """The sum of $x_jp_j(x_j-\\mathbb E_px)$; a variance is not negative and below the mean square."""
    domain, own = claims.jacobian_is_a_variance.domain, entry(x)
    p, greatest = Z.share, MaxOver(Z.share, (j, 1, d))
    first, second, norm = total(p * own(j)), total(p * own(j) ** 2), total(own(j) ** 2)
    whole = Z.positive_sum()
    ones = joint(Compare(total(p), "=", 1), sum_rearranged(total(p), SUM / SUM), whole)
    signs = generalise(joint(Compare(p, ">=", 0), whole), j, 1, d)
    jensen = cut(fact(JENSEN, w=p, x=own(j), k=j, low=1, high=d), signs, ones)

    def bounded(k: Any) -> Theorem:
        """Each share is at most the largest."""
        y, q, m = symbols("y q m", real=True)
        goal = Compare(q * y**2, "<=", m * y**2)
        terms = {y: own(k), q: put(p, {j: k}), m: greatest}
        return algebra(goal, (Compare(q, "<=", m),), terms, extremum_bounds(greatest, k))

    above = linked(Compare(second, "<=", greatest * norm), sums_compared(bounded, d))
    value = total(own(j) * (p * own(j) - p * first))
    variance = linked(Compare(value, "=", second - first**2), whole)
    square = square_at(first)
    read = (
        unfold(claims.form, value, domain),
        unfold(claims.mean, first, domain),
        unfold(claims.mean_square, second, domain),
        unfold(claims.largest, greatest, domain),
        unfold(claims.length, sqrt(norm), domain),
    )
    length = joint(Compare(claims.length**2, "=", norm), read[-1], square_sum(own(j)))
    goals = claims.jacobian_is_a_variance.formula
    theorem = joint(goals, variance, jensen, square, above, length, *read[:-1])
    return conclude(claim, theorem, method="variance of a direction")


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


def least_range(logits: Logits = Z, greatest: Expr = GREATEST, least: Expr = LEAST) -> Theorem:
    """$z_n\\le v+r$ from range(z) <= r: the mean is no smaller than the least logit."""
    low = sums_compared(lambda k: extremum_bounds(least, k), d)
    above = linked(Compare(v, ">=", least), low, given=(logits.is_mean,))
    top, narrow = extremum_bounds(greatest, n), Compare(greatest - least, "<=", r)
    return joint(Compare(logits.logit(n), "<=", v + r), above, top, given=(narrow,))


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


def share_is_small(logits: Logits, gap: Theorem) -> Theorem:
    """$fe^{z_n}\\le e^r/d$ where f is one over the sum, from $z_n\\le v+r$."""
    a, b, q, whole = symbols("a b q s", real=True)
    given = (
        Compare(a, "<=", q * b), Compare(whole, ">=", d * b), Compare(b, ">", 0), Compare(q, ">", 0),
        Compare(f * whole, "=", 1), Compare(f, ">", 0),
    )  # fmt: skip
    shares = joint(Compare(f * b, "<=", 1 / d), given=given)
    small = joint(Compare(f * a, "<=", q / d), shares, given=given)
    terms = {a: exp(logits.logit(n)), b: exp(v), q: exp(r), whole: logits.sum}
    found = cut(
        substitute(small, terms), rises(logits.logit(n), v + r, gap), logits.sum_above_mean(),
        positive(v), positive(r),
    )  # fmt: skip
    mean = joint(logits.is_mean.substitute({v: logits.mean}), given=(Compare(d, ">=", 1),))
    return cut(substitute(found, {v: logits.mean}), mean)


a, b, p, u = symbols("a b p u", real=True)


def logarithmic_mean() -> Theorem:
    """$(fa-fb)^2\\le pu(fa-fb)$ for $fa,fb\\le p$, where $a=e^ub$: by two tangents."""
    given = (
        Compare(a, ">=", b * (1 + u)), Compare(b, ">=", a * (1 - u)), Compare(f, ">", 0),
        Compare(f * a, "<=", p), Compare(f * b, "<=", p), Compare(a, ">", 0), Compare(b, ">", 0),
    )  # fmt: skip
    k, h = symbols("k h", real=True)
    square = joint(Compare(k**2, "<=", h * k), given=(Compare(k, "<=", h), Compare(k, ">=", 0)))
    goal = Compare((f * a - f * b) ** 2, "<=", p * u * (f * a - f * b))
    cases = []
    for case, sign, larger in ((Compare(u, ">=", 0), 1, a), (Compare(u, "<", 0), -1, b)):
        apart, here = sign * (a - b), (case, *given)
        near = joint(Compare(apart, "<=", sign * u * larger), given=here)
        low = joint(Compare(f * apart, ">=", 0), given=here)
        high = joint(Compare(f * apart, "<=", sign * p * u), near, given=here)
        squared = cut(substitute(square, {k: f * apart, h: sign * p * u}), low, high)
        cases.append(discharge(joint(goal, squared), case))
    return joint(goal, *cases)


def shorter_by_a_product() -> Theorem:
    """$a\\le p^2b$ from $a\\le pu$ and $u^2\\le ab$: a sum of squares by a product of Cauchy and Schwarz."""
    given = (
        Compare(a, "<=", p * u), Compare(u**2, "<=", a * b), Compare(a, ">=", 0), Compare(b, ">=", 0),
        Compare(p, ">=", 0),
    )  # fmt: skip
    twice = joint(Compare(a**2, "<=", p**2 * u**2), given=given)
    again = joint(Compare(p**2 * u**2, "<=", p**2 * (a * b)), given=given)
    return joint(Compare(a, "<=", p**2 * b), twice, again, given=given)


@proves(claims.softmax_of_two_points)
def by_logarithmic_means(claim: Claim) -> Certificate:
    """$(p_j-q_j)^2\\le\\frac{e^r}d(p_j-q_j)(z_j-z_j'-c)$, where $e^c$ is the ratio of sums; then all j."""
    domain, second = claims.softmax_of_two_points.domain, entry(claims.other)
    Y, bound = Logits(second, d, j), exp(r) / d
    most, least = (made(second(j), (j, 1, d)) for made in (MaxOver, MinOver))
    g, c, k, h = symbols("g c k h", real=True)
    small = share_is_small(Z, least_range())
    other_small = substitute(share_is_small(Y, least_range(Y, most, least)), {f: g})
    shifted = second(n) + c
    same = algebra(
        Compare(f * h, "=", g * k), (Compare(u * k, "=", h), Compare(f * u, "=", g)),
        {u: exp(c), k: exp(second(n)), h: exp(shifted)},
    )  # fmt: skip
    terms = {a: exp(logit(n)), b: exp(shifted), u: logit(n) - shifted, p: bound}
    step = cut(
        substitute(logarithmic_mean(), terms), tangent(logit(n), shifted), tangent(shifted, logit(n)),
        positive(logit(n)), positive(shifted), small,
        joint(Compare(f * exp(shifted), "<=", bound), same, other_small),
    )  # fmt: skip

    def gap(where: Any) -> Expr:
        return f * exp(logit(where)) - g * exp(second(where))

    each = Compare(gap(n) ** 2, "<=", bound * (logit(n) - second(n) - c) * gap(n))
    summed = summed_over(joint(each, step, same), (n, d))
    ones = Compare(f * Z.sum, "=", 1), Compare(g * Y.sum, "=", 1)
    moved = logit(j) - second(j)
    squares, product, lengths = total(gap(j) ** 2), total(moved * gap(j)), total(moved**2)
    below = linked(Compare(squares, "<=", bound * product), summed, given=ones)
    schwarz = fact(CAUCHY_SCHWARZ, a=moved, b=gap(j), k=j, low=1, high=d)
    sign, signs = (
        joint(Compare(bound, ">=", 0), positive(r)),
        (square_sum(gap(j)), square_sum(moved)),
    )
    short = substitute(shorter_by_a_product(), {a: squares, u: product, b: lengths, p: bound})
    root = rooted(squares, bound, lengths, cut(short, below, schwarz, sign, *signs), sign, *signs)
    inverse, above = (
        {f: 1 / Z.sum, g: 1 / Y.sum, c: log(Z.sum / Y.sum)},
        (Z.positive_sum(), Y.positive_sum()),
    )
    known = (
        *(joint(Compare(1 / whole.formula.left, ">", 0), whole) for whole in above),
        *(joint(one.substitute(inverse), *above) for one in ones),
        joint(Compare(Z.sum / Y.sum, ">", 0), *above),
        joint(Compare(1 / Z.sum * (Z.sum / Y.sum), "=", 1 / Y.sum), *above),
    )
    root = cut(substitute(root, inverse), *above, *known)
    read = (
        unfold(claims.apart, sqrt(total((Z.share - Y.share) ** 2)), domain),
        unfold(claims.distance, sqrt(lengths), domain),
    )
    widths = (
        (unfold(claims.width, GREATEST - LEAST, domain), claims.within_range),
        (unfold(claims.other_width, most - least, domain), claims.other_within_range),
    )
    narrow = [
        joint(Compare(width.formula.right, "<=", r), width, given=(within.formula,))
        for width, within in widths
    ]
    theorem = joint(Compare(claims.apart, "<=", bound * claims.distance), root, *read)
    return conclude(claim, cut(theorem, *narrow), method="logarithmic means")


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
