"""Proofs of the rules of App. A.1.1 and of the commutation matrices, by index networks.

A Jacobian comes from the product rule with an arbitrary direction; two matrices agree for all sizes
when their networks of labels have one normal form.
"""

from __future__ import annotations

from functools import cache

from sympy import MatrixSymbol
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.expressions import Commutation
from claims.model import Claim
from claims.noci2022 import kronecker as claims
from claims.noci2022.notation import WK, WQ, X, d_v, m, n
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import Network, network
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.registry import proves

METHOD = "index calculus"


@cache
def _product_jacobian() -> Network:
    return jacobian(claims.A * claims.W * claims.B, claims.W)


@proves(claims.jacobian_of_a_product_is_a_kronecker_product)
def by_product_rule(claim: Claim) -> Certificate:
    """Taking W out of A W B leaves the labels of A's column and of B's row."""
    return decide(claim, _product_jacobian(), method=METHOD)


@proves(claims.trace_of_a_kronecker_product)
def by_separate_loops(claim: Claim) -> Certificate:
    """Closing rows (i, p) with columns (j, q) closes each factor by itself."""
    value = network(KroneckerProduct(claims.square_A, claims.square_B)).trace().scalar()
    return decide(claim, value, method=METHOD)


@proves(claims.mixed_product_rule)
def by_joined_labels(claim: Claim) -> Certificate:
    """The column labels of A and B meet the row labels of C and D pairwise."""
    left, right = KroneckerProduct(claims.A, claims.B), KroneckerProduct(claims.C, claims.D)
    return decide(claim, network(left) @ network(right), method=METHOD)


@proves(claims.commutation_matrix_reorders_vectorisations)
def by_jacobian_of_the_transpose(claim: Claim) -> Certificate:
    """The map vec_r(B) -> vec_r(B^T) has the Jacobian of B^T by B."""
    general = MatrixSymbol("B", m, n)
    value = jacobian(general.T, general)
    return decide(claim, value, method=METHOD)


@proves(claims.kronecker_factors_commute_past_commutation_matrices)
def by_renaming_labels(claim: Claim) -> Certificate:
    """Both sides are the entries of G at row a, column k, times delta_{bj}."""
    left = KroneckerProduct(X * WQ * WK.T, Identity(n))
    value = network(left) @ network(Commutation(d_v, n))
    return decide(claim, value, method=METHOD)
