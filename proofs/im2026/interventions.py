"""What Table 3 is said to follow from: the orders of the updates, in numbers."""

from __future__ import annotations

from claims.im2026 import interventions as claims
from claims.im2026.notation import eta, s
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import conjuncts
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import both, joint, unfold
from proofs.registry import proves


@proves(claims.orders_decrease_at_first)
def by_powers_below_one(claim: Claim) -> Certificate:
    """A power of a positive number below one falls with its exponent."""
    own = claim.base or claim
    orders = (claims.order_of_outputs, claims.order_of_values, claims.order_of_attention)
    named = [unfold(q, (s * eta) ** n, own.domain) for q, n in zip(orders, (1, 2, 4), strict=True)]
    given = Compare(s, ">=", 1), Compare(eta, ">", 0), Compare(eta, "<", 1 / s)
    short = joint(Compare(s * eta, "<", 1), given=given)
    found = [joint(link, *named, short, given=given[:2]) for link in conjuncts(own.formula)]
    return conclude(claim, both(*found), method="powers of a number below one")
