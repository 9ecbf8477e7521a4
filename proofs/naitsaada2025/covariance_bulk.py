"""Proofs about the law of the singular values of the covariance (Prop. A.8)."""

from __future__ import annotations

from sympy import MatrixSymbol, simplify, sqrt

from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import covariance_bulk as claims
from claims.naitsaada2025.notation import gamma, mean_Z, sigma_A, sigma_V
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.naitsaada2025.second_moments import (
    RATIO,
    decided_by_limit,
    decided_by_limits,
    mean_of,
    variance_of,
)
from proofs.registry import proves


@proves(claims.mean_of_the_covariance_as_printed)
def by_the_limit_of_the_mean(claim: Claim) -> Certificate:
    """E tr Sigma_l, layer by layer."""
    return decided_by_limit(claim, mean_of("covariance"))


@proves(claims.variance_of_the_covariance_as_printed, claims.variance_at_constant_mean_as_printed)
def by_the_limit_of_the_mean_square(claim: Claim) -> Certificate:
    """E tr Sigma_l^2: the layers of values first, then those of attention."""
    return decided_by_limit(claim, variance_of("covariance"))


@proves(claims.limit_law_of_the_covariance_as_printed)
def by_the_second_moment(claim: Claim) -> Certificate:
    """Variance and mean of the law, which the layers give."""
    tends = variance_of("covariance"), mean_of("covariance")
    value = simplify(tends[0].formula.limit / tends[1].formula.limit ** 2)
    return decided_by_limits(claim, value, tends, claims.DEEP)


@proves(claims.variance_at_constant_mean)
def by_the_variance_at_mean_one(claim: Claim) -> Certificate:
    """Where sigma_A^2 sigma_V^2 = m^2 gamma every power of the mean is one."""
    domain = claims.variance_at_constant_mean.domain
    at_one = {sigma_V: mean_Z * sqrt(RATIO) / sigma_A}
    tends = variance_of("covariance")
    value = tends.formula.limit.subs(at_one)
    return decided_by_limits(claim, value, (tends,), domain)


@proves(claims.alpha_is_the_variance_of_an_entry)
def by_the_second_moment_of_an_entry(claim: Claim) -> Certificate:
    """An entry has mean zero, and its square the mean sigma_V^2/gamma."""
    entry = MatrixSymbol("w", 1, 1)
    value = expectation(FrobSq(entry) / gamma, (Gaussian(entry, sigma_V**2),))
    return decide(claim, value, method="second moment of a Gaussian")
