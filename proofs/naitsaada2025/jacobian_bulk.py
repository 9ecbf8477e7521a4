"""Proofs about the law of the squared singular values of the Jacobian (Prop. A.9)."""

from __future__ import annotations

from sympy import Expr, expand_func

from claims.model import Claim
from claims.naitsaada2025 import jacobian_bulk as claims
from claims.naitsaada2025.free_products import power
from claims.naitsaada2025.notation import T_1, d_1, ell, gamma, mean_Z, sigma_A, sigma_V
from claims.statement import Compare
from proofs.calculus.normal import same
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import ProofError, derived, joint
from proofs.naitsaada2025.second_moments import (
    COMMON,
    METHOD,
    decided_by_limit,
    decided_by_limits,
    in_sizes,
    mean_of,
    mean_square_of,
    variance_of,
)
from proofs.registry import proves


@proves(claims.mean_of_the_jacobian_as_printed)
def by_the_limit_of_the_mean(claim: Claim) -> Certificate:
    """E tr of the attention factor and of the value factor, each layer by layer."""
    return decided_by_limit(claim, mean_of("jacobian"))


@proves(claims.variance_of_the_jacobian_as_printed)
def by_the_limit_of_the_mean_square(claim: Claim) -> Certificate:
    """Each factor has the mean square l + 1 over its squared mean, so that J has (l + 1)^2."""
    return decided_by_limit(claim, variance_of("jacobian"))


def _in_both_orders(value: Expr, side: Expr) -> bool:
    """Equal for k = 1 and k = 2, where Fuss-Catalan numbers are polynomials in l."""
    cases = (tuple(expand_func(e.subs(power, k)) for e in (value, in_sizes(side))) for k in (1, 2))
    return all(same(*case) for case in cases)


@proves(claims.moments_of_the_jacobian_as_printed)
def by_both_moments(claim: Claim) -> Certificate:
    """The limits of mean and mean square, as one expression of k = 1, 2."""
    tends = (mean_of("jacobian"), mean_square_of("jacobian"))
    value = COMMON ** (ell * power) * (1 + (power - 1) * ell) ** 2
    for k, limit in enumerate(tends, start=1):
        if not same(value.subs(power, k), limit.formula.limit):
            raise ProofError(f"k = {k}: the limit is {limit.formula.limit}")
    return decided_by_limits(
        claim, value, tends, claims.moments_of_the_jacobian.domain, _in_both_orders
    )


@proves(claims.mean_vanishes_below_one)
def by_the_ratio_of_two_means(claim: Claim) -> Certificate:
    """sigma_A^2 sigma_V^2/(m^2 gamma), less than one where the hypothesis says so."""
    domain = (claim.base or claim).domain
    here = mean_of("jacobian")
    assert claim.quantity is not None
    ratio = derived(claim.quantity, COMMON, domain, METHOD, here)
    rest = (
        Compare((sigma_A * sigma_V) ** 2, "<", mean_Z**2 * gamma),
        Compare(gamma * d_1, "=", T_1),
    )
    below = joint(Compare(COMMON, "<", 1), given=rest)
    smaller = joint(Compare(claim.quantity, "<", 1), ratio, below)
    return conclude(claim, smaller, method=METHOD)
