r"""Proofs about the mean of the later factors: infinite for a steep loss, a power for a quadratic one."""

from __future__ import annotations

from sympy import Trace

from claims.expressions import ones
from claims.model import Claim
from claims.noci2022 import loss_growth as claims
from claims.noci2022.notation import WV, X, alpha1, d_v, n, normX
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.decide import decide, refute
from proofs.registry import proves


@proves(claims.mean_of_later_factors_is_bounded)
def by_a_divergent_mean(claim: Claim) -> Certificate:
    """The square of the loss's gradient grows faster than the Gaussian density falls."""
    return refute(claim, method="the Gaussian integral in closed form")


@proves(claims.mean_of_later_factors_is_a_power_of_the_norm)
def by_moments_of_the_values(claim: Claim) -> Certificate:
    """F is the squared residual, linear in W^V, times squared norms of X and of an identity."""
    residual = alpha1 * Trace(X.T * ones(n, n) * X * WV) / n
    value = n * d_v * normX * expectation(residual**2, [Gaussian(WV, 1 / d_v)])
    return decide(claim, value, method="Gaussian integration by parts on trace words")
