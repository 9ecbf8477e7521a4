"""What the bound of Theorem 4.1 on attention weights says; exact searches for what would refute orders.

The orders of the updates are not proved here: small corpora are searched, in exact power series.
"""

from __future__ import annotations

from claims.im2026 import leading_terms as claims
from claims.im2026.boxes import leading_count
from claims.im2026.notation import T, eta, s
from claims.model import Claim
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.im2026.counts_of_steps import factored
from proofs.kernel import assume, joint
from proofs.registry import proves


@proves(claims.zero_satisfies_the_bound_on_attention)
def by_a_count_of_steps(claim: Claim) -> Certificate:
    """The count is at most s^4/8, and s eta T at least one."""
    size = claims.map_size
    steps, rate, small = (
        assume(Compare(s, ">=", 1)),
        assume(Compare(eta, ">=", 1 / T)),
        assume(Compare(size, "<=", claims.SILENT)),
    )
    count = joint(Compare(leading_count, "<=", s**4 / 8), steps, factored())
    one = joint(Compare(s * eta * T, ">=", 1), steps, rate, given=(Compare(T, ">=", 1),))
    below = joint(Compare(leading_count * size, "<=", 13 * s**4), count, small, steps)
    longer = joint(Compare(13 * s**4 * eta**4, "<=", claims.ATTENTION_LIMIT), one)
    term = joint(Compare(leading_count * eta**4 * size, "<=", 13 * s**4 * eta**4), below)
    theorem = joint(claims.zero_satisfies_the_bound_on_attention.formula, term, longer)
    return conclude(
        claim,
        theorem,
        method="a polynomial in the steps",
        scope=r"all $s\ge1$, $T$, $\eta\ge1/T$",
    )


@proves(
    claims.leading_terms_are_the_same_in_every_layer,
    claims.orders_of_the_updates,
)
def by_power_series_of_small_corpora(claim: Claim) -> Certificate:
    """Weights as exact series in the learning rate, corpus by corpus."""
    return refute(claim, method="exact power series", scope="small corpora")
