r"""Proofs about the growth of the correlation with depth, and when its limit is one.

With $C$ the sum of all inner products and $N$ the squared norm,

    1 - rho^l = n (n N - C) / ((n - 1) (n N + (p^l - 1) C)),   p = 1 + alpha_1^2,

and 0 <= C <= n N, with C = n N exactly for equal tokens.
"""

from __future__ import annotations

from functools import cache

from sympy import (
    Expr,
    Integer,
    Sum,
    cancel,
    exp,
    expand_power_base,
    expand_power_exp,
    sqrt,
    symbols,
)

from claims.domain import Domain, Equal
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import growth as claims
from claims.noci2022.network import NONZERO, feature, other, product_of_tokens, token
from claims.noci2022.notation import (
    C,
    X,
    alpha1,
    alpha2,
    atilde1,
    centre,
    d_v,
    depth,
    ell,
    n,
    normX,
)
from claims.statement import Compare, Quantity
from claims.terms import entry
from proofs.calculation import for_all, linked, summed_over
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    cut,
    derived,
    discharge,
    fact,
    identity,
    instance,
    joint,
    part,
    rewritten,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.noci2022.correlation import GAP, SUMMED, gap_at_power, ratio
from proofs.noci2022.network import (
    block,
    gram_induction,
    induction,
    limit_steps,
    limits,
    p,
    q,
    same,
    tokens,
)
from proofs.noci2022.parallel import squares_bound, terms_vanish
from proofs.registry import proves

TOKENS, OTHERS, FEATURES = (token, 1, n), (other, 1, n), (feature, 1, d_v)
ROWS = entry(X)(token, feature), entry(X)(other, feature)
SEVERAL = Compare(n, ">=", 2)
NORM = normX
BY_DEPTH = "closed forms of $C$ and $N$ after $\\ell$ blocks"


@cache
def sums_are_nonnegative(domain: Domain) -> Theorem:
    """C >= 0 and n N - C >= 0: both are squared norms, in normal form of traces."""
    along, across = FrobSq(ones(1, n) * X), FrobSq(centre * X)
    squares = [certified(SumOfSquares(s, (), (s,))) for s in (along, across)]
    return both(
        joint(Compare(C(), ">=", 0), identity(C(), along, domain), squares[0]),
        joint(
            Compare(n * NORM - C(), ">=", 0),
            identity(n * NORM - C(), n * across, domain), squares[1],
        ),
    )  # fmt: skip


def tokens_not_zero() -> Theorem:
    """N > 0."""
    assert NONZERO.formula is not None
    return assume(NONZERO.formula)


# The limit is one only for aligned tokens ---------------------------------------------------------


@cache
def one_norm(domain: Domain) -> Theorem:
    """N = n g and g > 0, for the squared norm g of the first token."""
    (equal,) = Equal(X).facts()
    g = product_of_tokens(1, 1)
    norm = unfold(NORM, Sum(product_of_tokens(token, token), TOKENS), domain)
    summed = summed_over(instance(assume(equal), token), TOKENS)
    whole = linked(Compare(NORM, "=", n * g), norm, summed)
    positive = joint(Compare(g, ">", 0), whole, tokens_not_zero(), given=(SEVERAL,))
    return both(whole, positive)


@cache
def products_below_norm(domain: Domain) -> Theorem:
    """<X_k, X_l> <= g for tokens in range, by Cauchy-Schwarz."""
    g, product = product_of_tokens(1, 1), product_of_tokens(token, other)
    positive = joint(Compare(product_of_tokens(token, token), ">", 0), *norms(), one_norm(domain))
    bound = cut(squares_bound(*ROWS, (FEATURES,)), positive)
    square = joint(Compare(product**2, "<=", g * g), bound, *norms())
    return joint(Compare(product, "<=", g), square, one_norm(domain))


def norms() -> list[Theorem]:
    """Tokens k and l have the squared norm of the first token."""
    (equal,) = Equal(X).facts()
    return [instance(assume(equal), which) for which in (token, other)]


@cache
def cosine_times_norm(domain: Domain) -> Theorem:
    """g cos theta_kl = <X_k, X_l>."""
    g, cosine = product_of_tokens(1, 1), claims.cosine(token, other)
    p, q, r = (
        product_of_tokens(*pair) for pair in ((token, token), (other, other), (token, other))
    )
    defined = unfold(cosine, r / sqrt(p * q), domain, (TOKENS, OTHERS))
    root = joint(Compare(sqrt(p * q), "=", g), *norms(), one_norm(domain))
    return joint(Compare(g * cosine, "=", r), defined, root, one_norm(domain))


@cache
def equal_tokens_have_the_largest_sum(domain: Domain) -> Theorem:
    """C = n N iff all cosines are one."""
    g, product = product_of_tokens(1, 1), product_of_tokens(token, other)
    total = Sum(Sum(product, OTHERS), TOKENS)
    sums, size, angle = unfold(C(), total, domain), one_norm(domain), cosine_times_norm(domain)
    start = joint(Compare(g - product, ">=", 0), products_below_norm(domain))
    spread = sum_rearranged(Sum(Sum(g - product, OTHERS), TOKENS), n**2 * g - total)
    largest = assume(Compare(C(), "=", n * NORM))
    whole = joint(Compare(spread.formula.left, "=", 0), spread, largest, sums, size)
    each = terms_vanish(g - product, (OTHERS, TOKENS), start, whole)
    one = Compare(claims.cosine(token, other), "=", 1)
    aligned = for_all(joint(one, each, angle, size), TOKENS, OTHERS)
    given = instance(instance(assume(aligned.formula), token), other)
    full = joint(Compare(product, "=", g), given, angle)
    summed = summed_over(full, TOKENS, OTHERS)
    backward = linked(largest.formula, sums, summed, size)
    return joint(
        largest.formula.iff(aligned.formula),
        discharge(aligned, largest.formula), discharge(backward, aligned.formula),
    )  # fmt: skip


def limit_is_one(domain: Domain) -> Theorem:
    """lim rho = 1 iff C = n N: the gap to one is a multiple of n N - C."""
    rho = claims.limiting_correlation
    value = derived(rho, tokens(ratio(*limits())), domain, "limits of the closed forms")
    growth = fact(EXP_ABOVE_TANGENT, x=atilde1)
    gap = n * (n * NORM - C()) / ((n - 1) * (n * NORM + (exp(atilde1) - 1) * C()))
    at_gap = rewritten(value, 1 - gap, same)
    sums, nonzero = sums_are_nonnegative(domain), tokens_not_zero()
    below = joint(
        Compare((n - 1) * (n * NORM + (exp(atilde1) - 1) * C()), ">", 0), sums, nonzero, growth,
        given=(SEVERAL, Compare(atilde1, ">=", 0)),
    )  # fmt: skip
    return joint(rho.equals(1).iff(Compare(C(), "=", n * NORM)), at_gap, below, given=(SEVERAL,))


@proves(claims.limiting_correlation_is_one_only_when_aligned)
def by_gap_of_the_limit(claim: Claim) -> Certificate:
    """The gap to one is proportional to the spread of the tokens about their mean."""
    domain = claims.limiting_correlation_is_one_only_when_aligned.domain
    theorem = both(limit_is_one(domain), equal_tokens_have_the_largest_sum(domain))
    return conclude(
        claim, theorem, steps=(*gram_induction(), *induction(), SUMMED, *limit_steps()),
        method="the gap to one is a multiple of $nN-C$",
    )  # fmt: skip


# The limit rises with C/N -------------------------------------------------------------------------


@cache
def gap_falls() -> Theorem:
    """n (n N - C)/((n - 1)(n N + (e - 1) C)) falls where C/N rises, for e >= 1."""
    c1, f1, c2, f2, e = symbols("c_1 f_1 c_2 f_2 e", real=True)
    given = (
        SEVERAL, Compare(e, ">=", 1), Compare(c1, ">=", 0), Compare(c2, ">=", 0),
        Compare(f1, ">", 0), Compare(f2, ">", 0),
    )  # fmt: skip
    less = Compare(c1 / f1, "<", c2 / f2)
    below = [(n - 1) * (n * f + (e - 1) * c) for c, f in ((c1, f1), (c2, f2))]
    signs = [
        joint(Compare(part, ">", 0), joint(Compare((e - 1) * c, ">=", 0), given=given), given=given)
        for part, c in zip(below, (c1, c2), strict=True)
    ]
    crossed = joint(Compare(c1 * f2, "<", c2 * f1), given=(*given, less))
    scaled = joint(Compare(n * (n - 1) * e * (c2 * f1 - c1 * f2), ">", 0), crossed, given=given)
    products = joint(
        Compare((n * f2 - c2) * below[0], "<", (n * f1 - c1) * below[1]), scaled, given=given
    )
    gaps = [
        n * (n * f - c) / part for (c, f), part in zip(((c1, f1), (c2, f2)), below, strict=True)
    ]
    ordered = joint(
        Compare((n * f2 - c2) / below[1], "<", (n * f1 - c1) / below[0]), products, *signs
    )
    return joint(Compare(gaps[1], "<", gaps[0]), ordered, *signs, given=given)


@cache
def limit_rises() -> Theorem:
    """lim rho of the first input is below that of the second where C/N is."""
    domain = claims.correlation_at_infinite_depth_depends_on_the_input.domain
    first, second = claims.limit_of_first, claims.limit_of_second
    other = {C(): claims.C_Y, NORM: claims.norm_Y}
    gap = n * (n * NORM - C()) / ((n - 1) * (n * NORM + (exp(atilde1) - 1) * C()))
    value = tokens(ratio(*limits()))
    found = derived(first, value, domain, "limits of the closed forms")
    at_gap = rewritten(found, 1 - gap, same)
    renamed = (1 - gap).xreplace(other)
    at_other = derived(second, renamed, domain, "the same of the other input")
    along = FrobSq(ones(1, n) * claims.Y)
    square = certified(SumOfSquares(along, (), (along,)))
    sign = joint(Compare(claims.C_Y, ">=", 0), identity(claims.C_Y, along, domain), square)
    c1, f1, c2, f2, e = symbols("c_1 f_1 c_2 f_2 e", real=True)
    values = {c1: C(), f1: NORM, c2: claims.C_Y, f2: claims.norm_Y, e: exp(atilde1)}
    growth = joint(
        Compare(exp(atilde1), ">=", 1), fact(EXP_ABOVE_TANGENT, x=atilde1),
        given=(Compare(atilde1, ">=", 0),),
    )  # fmt: skip
    assert claims.OTHER_NONZERO.formula is not None
    fall = cut(
        substitute(gap_falls(), values), growth, sums_are_nonnegative(domain), sign,
        part(sums_are_nonnegative(domain), 0), tokens_not_zero(), assume(claims.OTHER_NONZERO.formula),
    )  # fmt: skip
    less = Compare(C() / NORM, "<", claims.C_Y / claims.norm_Y)
    return discharge(joint(Compare(first, "<", second), at_gap, at_other, fall), less)


@proves(claims.correlation_at_infinite_depth_depends_on_the_input)
def by_the_slope_of_the_limit(claim: Claim) -> Certificate:
    """The gap to one is a falling function of C/N."""
    return conclude(
        claim, limit_rises(), steps=(*gram_induction(), *induction(), SUMMED, *limit_steps()),
        method="the gap to one falls as $C/N$ rises",
    )  # fmt: skip


# At depth l, without scaling ----------------------------------------------------------------------


def gap_without_scaling(count: Expr) -> Expr:
    """1 - rho after `count` blocks at alpha_1 = alpha_2 = 1; the feed-forward branch cancels."""
    one, squares = block(), {alpha1**2: p - 1, alpha2**2: q - 1}
    sums, norm = (e.subs(squares) for e in (one.inner_products(count), one.norm(count)))
    gap = cancel(expand_power_exp(expand_power_base(1 - ratio(sums, norm))))
    return tokens(gap.subs(q, 1).subs(p, 2))


def correlation_at(quantity: Quantity, count: Expr, domain: Domain) -> Theorem:
    """rho after `count` blocks at alpha_1 = alpha_2 = 1, as one minus its gap from one."""
    found = derived(quantity, 1 - gap_without_scaling(count), domain, BY_DEPTH)
    return rewritten(found, tokens(1 - gap_at_power(Integer(2) ** count)), same)


def power_above_one(count: Expr) -> Theorem:
    """2^count >= 1."""
    raised = fact(POWER_INCREASES, a=1, b=2, p=count)
    return joint(Compare(Integer(2) ** count, ">=", 1), cut(raised, joint(Compare(1, "<=", 2))))


@cache
def shallow_bound() -> Theorem:
    """1 - rho^L <= n/(2^L + n - 1) for C >= N."""
    repaired = claims.correlation_is_close_to_one_for_positive_correlation
    domain, missing, power = repaired.domain, repaired.quantity, Integer(2) ** depth
    assert missing is not None
    found = derived(missing, gap_without_scaling(depth), domain, BY_DEPTH)
    gap = rewritten(found, tokens(gap_at_power(power)), same)
    below = (n - 1) * (n * NORM + (power - 1) * C())
    known = (sums_are_nonnegative(domain), tokens_not_zero(), power_above_one(depth))
    positive = joint(Compare(below, ">", 0), *known, given=(SEVERAL,))
    crossed = joint(
        Compare(n * (n * NORM - C()) * (power + n - 1), "<=", n * below), *known,
        given=(SEVERAL, Compare(C(), ">=", NORM)),
    )  # fmt: skip
    bound = n / (power + n - 1)
    top = joint(Compare(power + n - 1, ">", 0), *known, given=(SEVERAL,))
    return joint(Compare(missing, "<=", bound), gap, positive, crossed, top)


@cache
def monotone() -> Theorem:
    """rho^l <= rho^{l+1}, strictly for 0 < C < n N."""
    domain = claims.correlation_increases_with_depth.domain
    before, after = claims.correlation_before, claims.correlation_after
    values = [
        correlation_at(quantity, count, domain)
        for quantity, count in ((before, ell), (after, ell + 1))
    ]
    power = Integer(2) ** ell
    known = (sums_are_nonnegative(domain), tokens_not_zero(), power_above_one(ell))
    parts = [n * NORM + (factor * power - 1) * C() for factor in (1, 2)]
    positive = both(*(joint(Compare(e, ">", 0), *known, given=(SEVERAL,)) for e in parts))
    ordered = joint(Compare(1 / parts[1], "<=", 1 / parts[0]), positive, *known)
    strictly = joint(
        Compare(C(), ">", 0).implies(Compare(1 / parts[1], "<", 1 / parts[0])), positive, *known
    )
    shared = n * (n * NORM - C()) / (n - 1)
    at = [
        joint(Compare(quantity, "=", 1 - shared / part), value, positive, given=(SEVERAL,))
        for quantity, value, part in zip((before, after), values, parts, strict=True)
    ]
    weight = joint(Compare(shared, ">=", 0), known[0], given=(SEVERAL,))
    more = joint(Compare(C(), "<", n * NORM).implies(Compare(shared, ">", 0)), given=(SEVERAL,))
    inside = Compare(C(), ">", 0) & Compare(C(), "<", n * NORM)
    return both(
        joint(after.at_least(before), *at, weight, ordered),
        joint(inside.implies(after.above(before)), *at, weight, more, strictly),
    )


@proves(claims.correlation_is_close_to_one_in_shallow_networks)
def by_gap_at_depth(claim: Claim) -> Certificate:
    """The exact gap at depth L falls like 2^-L, and is largest for C = N when rho^0 >= 0."""
    return conclude(
        claim, shallow_bound(), steps=(*gram_induction(), *induction(), SUMMED, GAP),
        method=BY_DEPTH,
    )  # fmt: skip


@proves(claims.angle_increases_with_depth)
def by_change_in_one_block(claim: Claim) -> Certificate:
    """The gap from one is a positive multiple of 1 / (n N + (2^l - 1) C), which falls with l."""
    return conclude(
        claim, monotone(), steps=(*gram_induction(), *induction(), SUMMED, GAP), method=BY_DEPTH
    )
