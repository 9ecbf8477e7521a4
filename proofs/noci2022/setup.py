"""Jacobians of the attention layer of Noci et al. (2022), for symbolic n, d_v and d_k.

They come from the product and chain rules on index networks (`proofs.calculus.differentials`).
Uniform attention then puts 11^T/n for A and (1/n) I_n (x) (I_n - 11^T/n) for the softmax Jacobian,
which is the softmax's own derivative at equal logits.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, sqrt
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.expressions import ones
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    A,
    X,
    centre,
    d_k,
    n,
    sigma_k,
    sigma_q,
    sigma_v,
    softmax_jacobian,
)
from proofs.calculus.differentials import jacobian, substitute
from proofs.calculus.networks import Network, frobenius_square
from proofs.calculus.wick import Gaussian, expectation

__all__ = ["LOGITS", "PARAMETERS", "WEIGHTS", "expected_norm", "uniform_jacobian"]

LOGITS = X * WQ * WK.T * X.T / sqrt(d_k)
STRUCTURES = {softmax_jacobian: ((n, n), (n, n))}
UNIFORM_SOFTMAX_JACOBIAN = KroneckerProduct(Identity(n), centre) / n
PARAMETERS = {"values": WV, "queries": WQ, "keys": WK, "input": X}
WEIGHTS = (
    Gaussian(WQ, sigma_q**2),
    Gaussian(WK, sigma_k**2),
    Gaussian(WV, sigma_v**2),
)


@cache
def uniform_jacobian(parameter: str) -> Network:
    """dS/d(parameter) under uniform attention, S = A X W^V and A = softmax(LOGITS)."""
    full = jacobian(A * X * WV, PARAMETERS[parameter], {A: (LOGITS, softmax_jacobian)}, STRUCTURES)
    at_uniform = substitute(full, softmax_jacobian, UNIFORM_SOFTMAX_JACOBIAN)
    return substitute(at_uniform, A, ones(n, n) / n).normal()


@cache
def expected_norm(matrix: Any) -> Expr:
    """E over the weights of the squared Frobenius norm of a matrix of this language, in trace words."""
    return expectation(frobenius_square(matrix).scalar(), WEIGHTS)
