"""Proofs of the limits under alpha_i^2 = atilde_i / L, and of what they are for."""

from __future__ import annotations

from functools import cache

from sympy import (
    Abs,
    Eq,
    Expr,
    Integer,
    Piecewise,
    Sum,
    Symbol,
    exp,
    expand_power_base,
    limit,
    oo,
    sqrt,
    summation,
)

from claims.domain import Domain
from claims.expressions import ones
from claims.model import Claim
from claims.noci2022 import residuals as claims
from claims.noci2022.network import feature, other, product_of_tokens, token
from claims.noci2022.notation import (
    WF1,
    WF2,
    WV,
    C,
    X,
    alpha1,
    alpha2,
    atilde1,
    atilde2,
    d_v,
    depth,
    n,
    normX,
)
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import linked, summed_over
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.facts import CAUCHY_SCHWARZ, EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    both,
    cut,
    derived,
    extremum_bounds,
    fact,
    joint,
    part,
    unfold,
)
from proofs.noci2022.growth import sums_are_nonnegative
from proofs.noci2022.network import (
    BY_BLOCKS,
    block,
    gram_coefficients,
    gram_induction,
    induction,
    layers,
    limit_step,
    limit_steps,
    limits,
    same,
    tokens,
)
from proofs.registry import proves

BY_LIMITS = "closed form by induction on the depth, then its limit"


@proves(claims.norm_at_infinite_depth, claims.norm_at_infinite_depth_in_inner_products)
def by_limit_of_the_closed_form(claim: Claim) -> Certificate:
    """(1 + x/L)^L -> e^x in the closed form of Lemma 3.3."""
    return _by_limit(claim, limits()[1])


@proves(claims.inner_products_at_infinite_depth)
def by_limit_of_the_sums(claim: Claim) -> Certificate:
    """(1 + x/L)^L -> e^x in the closed form of Lemma 3.2."""
    return _by_limit(claim, limits()[0])


def _by_limit(claim: Claim, value: Expr) -> Certificate:
    return decide(
        claim, tokens(value), steps=(*induction(), *limit_steps()), method=BY_LIMITS, same=same
    )


@cache
def geometric_product(power: Expr) -> tuple[Expr, Expr]:
    """a^(2 power) sum over k < L of (1 + a^2)^k at a^2 = x / L with x > 0, and its limit."""
    x, k = Symbol("x", positive=True), Symbol("k", integer=True)
    total = (x / layers) ** power * summation((1 + x / layers) ** k, (k, 0, layers - 1))
    value = limit(total, layers, oo)
    return total.subs(x, atilde1), oo if value.is_infinite else value.subs(x, atilde1)


@proves(claims.squared_strength_times_geometric_sum)
def by_limit_of_the_geometric_sum(claim: Claim) -> Certificate:
    """The sum is (1 + x/L)^L - 1; at x = 0 every term vanishes, and so does e^x - 1."""
    total, value = geometric_product(Integer(1))
    return decide(
        claim, value, steps=(limit_step(total, value),), method="limit of the geometric sum"
    )


@proves(claims.strength_times_geometric_sum)
def by_growth_of_the_geometric_sum(claim: Claim) -> Certificate:
    """The product is sqrt(L / x) ((1 + x/L)^L - 1): infinite for x > 0, zero for x = 0."""
    _, value = geometric_product(Integer(1) / 2)
    value = Piecewise((Integer(0), Eq(atilde1, 0)), (value, True))
    return decide(claim, value, method="limit of the geometric sum")


# The changes that no depth can exceed -------------------------------------------------------------


def power_below_exponential(strength: Symbol) -> Theorem:
    """1 <= (1 + x/L)^L <= e^x, since 1 + x/L <= e^(x/L) and powers increase with the base."""
    base = 1 + strength / depth
    given = (Compare(strength, ">=", 0), Compare(depth, ">=", 1))
    above = joint(Compare(base, ">=", 1), given=given)
    tangent = fact(EXP_ABOVE_TANGENT, x=strength / depth)
    powers = [
        cut(fact(POWER_INCREASES, a=low, b=high, p=depth), above, tangent)
        for low, high in ((Integer(1), base), (base, exp(strength / depth)))
    ]
    return both(*powers)


@cache
def tokens_below_largest(domain: Domain) -> Theorem:
    """|<X_k, X_k'>| <= M and N <= n M, for the largest squared norm M of a token."""
    largest = claims.largest_norm
    norms = [product_of_tokens(k, k) for k in (token, other)]
    below = [
        joint(Compare(norm, "<=", largest), extremum_bounds(largest, k))
        for norm, k in zip(norms, (token, other), strict=True)
    ]
    positive = [square_sum(k) for k in (token, other)]
    product = product_of_tokens(token, other)
    schwarz = fact(
        CAUCHY_SCHWARZ, a=entry(X)(token, feature), b=entry(X)(other, feature), k=feature, low=1,
        high=d_v,
    )  # fmt: skip
    square = joint(Compare(product**2, "<=", largest**2), schwarz, *below, *positive)
    bounded = joint(Compare(Abs(product), "<=", largest), square, below[0], positive[0])
    summed = summed_over(below[0], (token, n))
    norm = unfold(normX, Sum(norms[0], (token, 1, n)), domain)
    return both(bounded, linked(Compare(normX, "<=", n * largest), norm, summed))


def square_sum(which: Symbol) -> Theorem:
    """|X_k|^2 >= 0."""
    term = entry(X)(which, feature) ** 2
    summed = summed_over(joint(Compare(term, ">=", 0)), (feature, d_v))
    return linked(Compare(product_of_tokens(which, which), ">=", 0), summed)


@cache
def bounded_changes() -> Theorem:
    """E G^L = q^L G + q^L (p^L - 1) C/n^2 with 1 <= p^L <= e^atilde_1 and 1 <= q^L <= e^atilde_2."""
    domain = claims.scaled_strengths_preserve_norm_and_inner_products.domain
    squares = {alpha1**2: atilde1 / depth, alpha2**2: atilde2 / depth}
    own, shared = (expand_power_base(e.subs(squares)) for e in gram_coefficients(depth))
    norm = expand_power_base(block().norm(depth).subs(squares))
    product, largest = product_of_tokens(token, other), claims.largest_norm
    values = (
        derived(claims.norm_after, tokens(norm), domain, BY_BLOCKS),
        derived(claims.product_after(token, other), own * product + shared * C(), domain, BY_BLOCKS),
    )  # fmt: skip
    powers = [power_below_exponential(s) for s in (atilde1, atilde2)]
    p_, q_ = (1 + s / depth for s in (atilde1, atilde2))
    grown = joint(Compare(p_**depth * q_**depth - 1, "<=", exp(atilde1 + atilde2) - 1), *powers)
    sums, tokens_ = sums_are_nonnegative(domain), tokens_below_largest(domain)
    several = Compare(n, ">=", 2)
    shapes = (
        Compare(claims.norm_after, "=", q_**depth * normX + q_**depth * (p_**depth - 1) * C() / n),
        Compare(
            claims.product_after(token, other), "=",
            q_**depth * product + q_**depth * (p_**depth - 1) * C() / n**2,
        ),
    )  # fmt: skip
    at = [
        joint(shape, value, given=(several,)) for value, shape in zip(values, shapes, strict=True)
    ]
    factor = p_**depth * q_**depth - 1
    mean = joint(Compare(C() / n, "<=", normX), sums, given=(several,))
    share = joint(Compare(C() / n**2, "<=", largest), mean, tokens_, sums, given=(several,))
    low = joint(Compare(C() / n**2, ">=", 0), sums, given=(several,))
    low_mean = joint(Compare(C() / n, ">=", 0), sums, given=(several,))
    changes = (
        joint(
            Compare(Abs(claims.norm_after - normX), "<=", factor * normX),
            at[0], mean, low_mean, *powers,
        ),
        joint(
            Compare(Abs(claims.product_after(token, other) - product), "<=", factor * largest),
            at[1], share, low, part(tokens_, 0), *powers,
        ),
    )  # fmt: skip
    delta = claims.tolerance
    small = Compare(exp(atilde1 + atilde2) - 1, "<=", delta)
    positive = (
        joint(Compare(normX, ">=", 0), mean, low_mean),
        joint(Compare(largest, ">=", 0), share, low),
    )
    return both(
        *(
            joint(
                small.implies(Compare(change.formula.left, "<=", delta * size)), change, grown, sign
            )
            for change, size, sign in zip(changes, (normX, largest), positive, strict=True)
        )
    )


@proves(claims.scaled_strengths_preserve_norm_and_inner_products)
def by_uniform_bound_on_powers(claim: Claim) -> Certificate:
    """(1 + x/L)^L stays between 1 and e^x, and no inner product exceeds the largest squared norm."""
    norm, products = bounded_changes().formula.formulas  # type: ignore[attr-defined]
    theorem = joint(norm.premise.implies(norm.conclusion & products.conclusion), bounded_changes())
    return conclude(
        claim, theorem, steps=(*gram_induction(), *induction()),
        method="closed form of the Gram matrix and $(1+x/L)^L\\le e^x$",
    )  # fmt: skip


# ReZero -------------------------------------------------------------------------------------------


@proves(claims.zero_strengths_make_the_network_the_identity)
def by_vanishing_branches(claim: Claim) -> Certificate:
    """With both strengths zero a block returns its input, whatever the branches; so do L blocks."""
    method = "both branches vanish, block by block"
    z = sqrt(atilde1 / depth) * ones(n, n) * X * WV / n + X
    following = sqrt(atilde2 / depth) * z * WF1 * WF2 + z
    at_zero = {atilde1: 0, atilde2: 0}
    value = following.subs(at_zero).doit()
    step = Checked(
        r"\text{Eqs. (11), (13) at }\tilde\alpha_1=\tilde\alpha_2=0"
        r"\text{ are } C(X)\text{ and }\|X\|_F^2",
        "substitution in the limits",
        lambda: all(map(same, (v.subs(at_zero) for v in limits()), block_start())),
    )
    return decide(claim, value, steps=(step,), method=method)


def block_start() -> tuple[Expr, Expr]:
    """C(X) and ||X||_F^2: the moments before any block."""
    return block().inner_products(Integer(0)), block().norm(Integer(0))
