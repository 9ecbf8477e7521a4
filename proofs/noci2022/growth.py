r"""Proofs about the growth of the correlation with depth, and when its limit is one.

r = C/(n N) lies in [0, 1], is one exactly for equal tokens, and moves by
r -> (1+s) r/(1+s r) with s = alpha_1^2; the correlation is rho = (n r - 1)/(n - 1).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Symbol, exp, simplify, symbols

from claims.expressions import FrobSq, Total, ones
from claims.model import Claim
from claims.noci2022 import growth as claims
from claims.noci2022.notation import C, X, alpha1, atilde1, centre, depth, n, normX
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.wick import equal
from proofs.certificate import Bounded, Certificate, Checked, Identity
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.noci2022.correlation import EQUAL, GAP, SUMMED, gap_at_power, ratio
from proofs.noci2022.network import (
    block,
    c,
    f,
    gram_induction,
    induction,
    limit_steps,
    limits,
    plain,
    same,
    tokens,
)  # fmt: skip
from proofs.registry import proves


def spread(claim: Claim) -> Identity:
    """n N - C = n |L X|^2 with L centring: zero exactly when all tokens are the mean token."""
    left, right = n * normX - C(), n * FrobSq(centre * X)
    if not equal(left, right):
        raise ArithmeticError("n ||X||^2 - C(X) is not the spread of the tokens")
    label = r"n\|X\|_F^2-C(X)=n\|X-1\bar x^\top\|_F^2,\ \text{that is } n\|X\|_F^2-C(X)"
    return Identity(left, right, "normal form of traces", claim.domain, label)


def mean_square(claim: Claim) -> Identity:
    """C = |X^T 1|^2 >= 0."""
    left, right = Total(X * X.T), FrobSq(ones(1, n) * X)
    if not equal(left, right):
        raise ArithmeticError("C(X) is not the squared norm of the sum of the tokens")
    return Identity(left, right, "normal form of traces", claim.domain, "C(X)")


# The limit is one only for aligned tokens ---------------------------------------------------------


def limit_gap() -> bool:
    """1 - lim rho = n (n N - C) / ((n-1) (n N + (e^atilde_1 - 1) C)), of positive denominator."""
    gap = n * (n * f - c) / ((n - 1) * (n * f + (exp(atilde1) - 1) * c))
    return same(1 - ratio(*limits()), gap)


@proves(claims.limiting_correlation_is_one_only_when_aligned)
def by_gap_of_the_limit(claim: Claim) -> Certificate:
    """The gap to one is proportional to the spread of the tokens about their mean."""
    method, scope = "the gap to one is a multiple of n N - C", f"{EQUAL}; all atilde_i >= 0"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    formula = Checked(
        r"1-\lim\rho^L=\frac{n\,(nN-C)}{(n-1)\,(nN+(e^{\tilde\alpha_1}-1)C)}",
        "algebra; C >= 0, N > 0 and atilde_1 >= 0 make the denominator positive",
        limit_gap,
    )
    steps = (
        *gram_induction(), *induction(), SUMMED, *limit_steps(), formula, mean_square(claim),
        spread(claim),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)


# Shallow networks without scaling -----------------------------------------------------------------


def missing() -> Expr:
    """1 - rho^L at alpha_1 = alpha_2 = 1, from the gap that `GAP` proves for all strengths."""
    return gap_at_power(Integer(2) ** depth)


def excess_bound(gap: Expr) -> Any:
    """bound - (1 - rho^L) = n^2 2^L (C - N)/((n-1)(2^L+n-1)(n N + (2^L-1) C)) >= 0 for C >= N."""
    power = Integer(2) ** depth
    denominator = (n - 1) * (power + n - 1) * (n * f + (power - 1) * c)
    if not same(plain(gap), n**2 * power * (c - f) / denominator):
        return None
    # Sizes with their lower bounds in view: n = 2 + k, 2^L = 1 + h.
    k, h = symbols("k h", real=True, nonnegative=True)
    at = {n: 2 + k, power: 1 + h}
    numerator, below = (n**2 * power * (c - f)).subs(at), denominator.subs(at)
    parts = SumOfSquares(numerator, (), (numerator,), given=(c - f,))
    positive = SumOfSquares(below, (), (below,))
    return Bounded(
        r"1-\rho^L\le\frac n{2^L+n-1}\ \text{for } C\ge N",
        _Both(parts, positive),
        "the difference is (C - N) times a positive factor",
    )


class _Both:
    """Two certificates that must both check."""

    def __init__(self, *certificates: Any):
        self.certificates = certificates

    def check(self) -> bool:
        return all(certificate.check() for certificate in self.certificates)


@proves(claims.correlation_is_close_to_one_in_shallow_networks)
def by_gap_at_depth(claim: Claim) -> Certificate:
    """The exact gap at depth L falls like 2^-L, and is largest for C = N when rho^0 >= 0."""
    printed = claims.correlation_is_close_to_one_in_shallow_networks
    method, scope = "exact gap at depth L", f"{EQUAL} and average correlation >= 0, alpha_i = 1"
    if claim.domain is not printed.domain:
        return refute(claim, method=method, scope=scope)
    return decide(
        claim, tokens(missing()), steps=(*gram_induction(), *induction(), SUMMED, GAP),
        method=method, scope=scope, same=same, above=excess_bound,
    )  # fmt: skip


# Monotone in depth --------------------------------------------------------------------------------


def one_block_raises() -> bool:
    """rho' - rho = n/(n-1) * s r (1-r)/(1+s r), with r = C/(n N) and s = alpha_1^2."""
    one, r, s = block(), Symbol("r", nonnegative=True), Symbol("s", nonnegative=True)
    change = ratio(one.a * c, one.d * f + one.b * c) - ratio(c, f)
    step = n / (n - 1) * s * r * (1 - r) / (1 + s * r)
    return same(change, step.subs({s: alpha1**2, r: c / (n * f)}, simultaneous=True))


def products_are_nonnegative() -> bool:
    """s r (1 - r)/(1 + s r) >= 0 on [0, 1], and > 0 inside for s > 0."""
    r, t, s = symbols("r t s", positive=True)  # t = 1 - r
    return bool((s * r * t / (1 + s * r)).is_positive) and simplify(s * r * (1 - r)).subs(r, 1) == 0


RAISED = Checked(
    r"\rho^{\ell+1}-\rho^\ell=\frac n{n-1}\,\frac{s\,r\,(1-r)}{1+s\,r},\quad r=\frac C{nN},\ "
    r"s=\alpha_1^2",
    "algebra in C and N; the factors are non-negative for 0 <= r <= 1, positive inside",
    lambda: one_block_raises() and products_are_nonnegative(),
)


@proves(claims.angle_increases_with_depth)
def by_change_in_one_block(claim: Claim) -> Certificate:
    """In one block the correlation moves by a product of non-negative factors."""
    method, scope = "sign of the change in one block", f"{EQUAL}; alpha_1 = alpha_2 = 1"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    steps = (*gram_induction(), *induction(), SUMMED, RAISED, mean_square(claim), spread(claim))
    return argued(claim, steps=steps, method=method, scope=scope)
