"""Jacobians by the product rule on index networks; their norms by the spectral theorem."""

from __future__ import annotations

from typing import Any

from claims.model import Claim
from claims.naitsaada2025 import jacobians as claims
from claims.naitsaada2025.jacobians import P1, P2, P, R
from claims.naitsaada2025.layers import X0, W
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import network
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import derived
from proofs.registry import proves

METHOD = "product rule on index networks"
SCOPE = r"all $L\ge1$, $T\ge1$, $d\ge1$, all real matrices"


@proves(claims.jacobian_by_the_input)
def by_the_product_rule(claim: Claim) -> Certificate:
    """Taking X out of P X R leaves the labels of P's column and of R's row."""
    return decide(claim, jacobian(P * X0 * R, X0), method=METHOD, scope=SCOPE)


@proves(claims.jacobian_without_a_transpose)
def by_every_convention(claim: Claim) -> Certificate:
    """By rows the Jacobian is P (x) R^T, and the other conventions reorder it."""
    value = jacobian(P * X0 * R, X0)
    theorem = derived(claims.by_rows, value, claims.input_domain, METHOD)
    return conclude(claim, theorem, method=METHOD, scope=SCOPE)


@proves(claims.first_order_expansion_is_exact)
def by_linearity(claim: Claim) -> Certificate:
    """f(X) = P X R is linear."""
    moved = network(P * (X0 + claims.epsilon * claims.direction) * R)
    return decide(claim, moved, method="index calculus", scope=SCOPE)


@proves(claims.jacobian_by_a_value_matrix)
def by_the_product_rule_for_values(claim: Claim) -> Certificate:
    """Taking W out of P_1 W P_2."""
    return decide(claim, jacobian(P1 * W * P2, W), method=METHOD, scope=SCOPE)


@proves(claims.value_jacobian_without_a_transpose)
def by_both_orders(claim: Claim) -> Certificate:
    """By rows the Jacobian is P_1 (x) P_2^T, by columns P_2^T (x) P_1."""
    value = jacobian(P1 * W * P2, W)
    theorem = derived(claims.value_conventions[0], value, claims.value_domain, METHOD)
    return conclude(claim, theorem, method=METHOD, scope=SCOPE)
