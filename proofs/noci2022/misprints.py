r"""Proofs of what three displays with wrong indices mean, and witnesses against two of them."""

from __future__ import annotations

from sympy import Expr, exp

from claims.model import Claim
from claims.noci2022 import misprints as claims
from claims.noci2022.notation import atilde1, ell
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide, refute
from proofs.kernel import derived
from proofs.noci2022.network import BY_BLOCKS, block, induction, layers, limit_step, same, tokens
from proofs.registry import proves


@proves(claims.attended_moment_sums_over_what_it_names)
def by_the_mean_token(claim: Claim) -> Certificate:
    """S_kj is the mean over z of (X W^V)_zj, whose moments are <X_z, X_z'>/d_v."""
    domain = claims.attended_moment_sums_over_what_it_names.domain
    theorem = derived(
        claims.attended_moment, claims.summed_over_named, domain, "second moments of the weights"
    )
    return conclude(claim, theorem, method="second moments of the weights")


@proves(claims.attended_moment_sums_over_other_indices)
def by_an_instance(claim: Claim) -> Certificate:
    """The display read as it stands, at small values."""
    return refute(claim, method="the display as it stands")


@proves(claims.power_at_the_depth_tends_to_the_exponential)
def by_the_limit_of_the_power(claim: Claim) -> Certificate:
    """(1 + x/L)^L -> e^x."""
    domain = claims.power_at_the_depth_tends_to_the_exponential.domain
    term: Expr = (1 + atilde1 / layers) ** layers
    theorem = derived(claims.limit_at_the_depth, exp(atilde1), domain, "limit of a power")
    step = limit_step(term, exp(atilde1))
    return conclude(claim, theorem, steps=(step,), method="limit of a power")


@proves(claims.inner_products_sum_to_those_of_the_input)
def by_induction_on_the_layers(claim: Claim) -> Certificate:
    """C grows by the same two factors in every block."""
    value = tokens(block().inner_products(ell))
    return decide(claim, value, steps=induction(), method=BY_BLOCKS, same=same)
