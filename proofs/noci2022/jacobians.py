"""Proofs of Lemmas A.2 and A.3: the product and chain rules on index networks, symbolic sizes.

The softmax enters through its Jacobian alone, so the identities hold for any differentiable map
from the logits M to A; `softmax` proves what that Jacobian is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from claims.model import Claim
from claims.noci2022 import jacobians as claims
from claims.noci2022.notation import WQ, WV, A, X, d_v, n, softmax_jacobian
from claims.noci2022.softmax import M
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import Network
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.noci2022.setup import LOGITS, STRUCTURES
from proofs.registry import proves

METHOD = "product and chain rule in index calculus"

_THROUGH_SOFTMAX = {A: (LOGITS, softmax_jacobian)}
_BY_CHAIN_RULE = {A: (M, softmax_jacobian), M: (X, claims.logit_jacobian)}
_STRUCTURES = {**STRUCTURES, claims.logit_jacobian: ((n, n), (n, d_v))}


@cache
def _jacobian(claim_id: str) -> Network:
    of, by, through = _DERIVED[claim_id]
    return jacobian(of, by, through, _STRUCTURES).normal()


_DERIVED: dict[str, tuple[Any, Any, Any]] = {
    claims.value_jacobian_of_attention.id: (A * X * WV, WV, _THROUGH_SOFTMAX),
    claims.query_jacobian_of_attention.id: (A * X * WV, WQ, _THROUGH_SOFTMAX),
    claims.input_jacobian_by_the_chain_rule.id: (A * X * WV, X, _BY_CHAIN_RULE),
    claims.attention_jacobian_printed_without_softmax.id: (A, X, _THROUGH_SOFTMAX),
    claims.logit_jacobian_by_both_factors.id: (LOGITS, X, {}),
    claims.input_jacobian_of_attention.id: (A * X * WV, X, _THROUGH_SOFTMAX),
}


@proves(
    claims.value_jacobian_of_attention,
    claims.query_jacobian_of_attention,
    claims.input_jacobian_by_the_chain_rule,
    claims.attention_jacobian_printed_without_softmax,
    claims.logit_jacobian_by_both_factors,
    claims.input_jacobian_of_attention,
)
def by_chain_rule(claim: Claim) -> Certificate:
    """One occurrence of the variable at a time, those inside A behind the softmax Jacobian."""
    return decide(claim, _jacobian(claim.id), method=METHOD)
