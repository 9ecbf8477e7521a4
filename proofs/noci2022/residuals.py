"""Proofs of the limits under alpha_i^2 = atilde_i / L, and of what they are for."""

from __future__ import annotations

from functools import cache

from sympy import (
    Eq,
    Expr,
    Integer,
    Piecewise,
    Symbol,
    limit,
    log,
    oo,
    sqrt,
    summation,
    symbols,
)  # fmt: skip

from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import residuals as claims
from claims.noci2022.notation import (
    WF1,
    WF2,
    WV,
    C,
    X,
    atilde1,
    atilde2,
    depth,
    n,
    norm_xbar,
    normX,
)  # fmt: skip
from proofs.calculus.inequalities import MonotoneSign, SignOnInterval, SumOfSquares
from proofs.calculus.wick import equal
from proofs.certificate import Bounded, Certificate, Checked, Identity
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.noci2022.network import (
    SCOPE,
    block,
    gram_induction,
    induction,
    layers,
    limit_step,
    limit_steps,
    limits,
    same,
    tokens,
)  # fmt: skip
from proofs.registry import proves

BY_LIMITS = "closed form by induction on the depth, then its limit"
ALL_STRENGTHS = "all atilde_1, atilde_2 >= 0"


@proves(
    claims.inner_products_at_infinite_depth,
    claims.norm_at_infinite_depth,
    claims.norm_at_infinite_depth_in_inner_products,
)
def by_limit_of_the_closed_form(claim: Claim) -> Certificate:
    """(1 + x/L)^L -> e^x in the closed forms of Lemmas 3.2 and 3.3."""
    sums, norm = limits()
    value = sums if claim.id == claims.inner_products_at_infinite_depth.id else norm
    return decide(
        claim, tokens(value), steps=(*induction(), *limit_steps()), method=BY_LIMITS,
        scope=f"{SCOPE}; {ALL_STRENGTHS}", same=same,
    )  # fmt: skip


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
        claim, value, steps=(limit_step(total, value),), method="limit of the geometric sum",
        scope="all atilde_1 >= 0",
    )  # fmt: skip


@proves(claims.strength_times_geometric_sum)
def by_growth_of_the_geometric_sum(claim: Claim) -> Certificate:
    """The product is sqrt(L / x) ((1 + x/L)^L - 1): infinite for x > 0, zero for x = 0."""
    _, value = geometric_product(Integer(1) / 2)
    value = Piecewise((Integer(0), Eq(atilde1, 0)), (value, True))
    return decide(claim, value, method="limit of the geometric sum", scope="all atilde_1 >= 0")


# The changes that no depth can exceed -------------------------------------------------------------


def power_below_exponential() -> Bounded:
    """log(1 + t) <= t for t >= 0; at t = x/L this is (1 + x/L)^L <= e^x."""
    t = Symbol("t", real=True, nonnegative=True)
    slope = SignOnInterval(t, t, 0, oo, ">=0")
    certificate = MonotoneSign(t - log(1 + t), slope, 0, ">=0", multiplier=1 + t)
    text = r"\left(1+\tfrac{\tilde\alpha_i}L\right)^L\le e^{\tilde\alpha_i}"
    return Bounded(text, certificate, "t - log(1 + t) increases from 0")


def changes_add_up() -> Bounded:
    """(q-1) g + q (p-1) m <= (q p - 1) M for g, m <= M and p, q >= 1."""
    g, m, top = symbols("g m M", real=True)
    p1, q1 = symbols("p q", real=True, nonnegative=True)  # p - 1 and q - 1
    gap = ((1 + q1) * (1 + p1) - 1) * top - q1 * g - (1 + q1) * p1 * m
    rest = (q1 * (top - g), (1 + q1) * p1 * (top - m))
    certificate = SumOfSquares(gap, (), rest, given=(top - g, top - m))
    return Bounded(r"(q-1)g+q(p-1)m\le(qp-1)M\ \text{if } g,m\le M", certificate, "two products")


def mean_below_tokens(claim: Claim) -> tuple[Identity, ...]:
    """C/n^2 = |mean token|^2 and ||X||^2/n - |mean token|^2 is a squared norm, so C/n^2 <= max."""
    spread = X - ones(n, 1) * ones(1, n) * X / n
    pairs = ((C() / n**2, norm_xbar), (normX / n - norm_xbar, FrobSq(spread) / n))
    if not all(equal(left, right) for left, right in pairs):
        raise ArithmeticError("the mean token's norm is not what it should be")
    return tuple(
        Identity(left, right, "normal form of traces", claim.domain) for left, right in pairs
    )


@proves(claims.scaled_strengths_preserve_norm_and_inner_products)
def by_uniform_bound_on_powers(claim: Claim) -> Certificate:
    """E G^L = q^L G + q^L (p^L - 1) C/n^2 with p^L <= e^atilde_1, q^L <= e^atilde_2, |G| <= max."""
    scope = f"{SCOPE}; {ALL_STRENGTHS}; every depth L >= 1"
    method = "closed form of the Gram matrix and (1 + x/L)^L <= e^x"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    steps = (
        *gram_induction(), *induction(), power_below_exponential(), changes_add_up(),
        *mean_below_tokens(claim),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)


# ReZero -------------------------------------------------------------------------------------------


@proves(claims.zero_strengths_make_the_network_the_identity)
def by_vanishing_branches(claim: Claim) -> Certificate:
    """With both strengths zero a block returns its input, whatever the branches; so do L blocks."""
    method = "both branches vanish, block by block"
    scope = "all integers n >= 2, d_v >= 1, L >= 1, all tokens and weights, different in each layer"
    if claim.domain is not claims.zero_strengths_make_the_network_the_identity.domain:
        return refute(claim, method=method, scope=scope)
    z = sqrt(atilde1 / depth) * ones(n, n) * X * WV / n + X
    following = sqrt(atilde2 / depth) * z * WF1 * WF2 + z
    at_zero = {atilde1: 0, atilde2: 0}
    steps = [
        Identity(following, X, "alpha_1 = alpha_2 = 0", claim.domain, "X^{1}"),
        Checked(
            r"\text{Eqs. (11), (13) at }\tilde\alpha_1=\tilde\alpha_2=0"
            r"\text{ are } C(X)\text{ and }\|X\|_F^2",
            "substitution in the limits",
            lambda: all(map(same, (v.subs(at_zero) for v in limits()), block_start())),
        ),
    ]
    return decide(claim, X, steps=steps, method=method, scope=scope)


def block_start() -> tuple[Expr, Expr]:
    """C(X) and ||X||_F^2: the moments before any block."""
    return block().inner_products(Integer(0)), block().norm(Integer(0))
