"""The mean square of a product of two Gaussian matrices."""

from __future__ import annotations

from sympy import MatrixSymbol

from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import free_convolution as claims
from claims.naitsaada2025.free_convolution import other, sigma
from claims.naitsaada2025.notation import T
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.registry import proves


@proves(claims.singular_values_multiply_freely)
def by_second_moments(claim: Claim) -> Certificate:
    """E||MM'||_F^2 is a trace with two letters of each matrix."""
    first, second = (MatrixSymbol(name, T, T) for name in ("M", "M'"))
    letters = [Gaussian(first, sigma**2 / T), Gaussian(second, other**2 / T)]
    value = expectation(FrobSq(first * second), letters) / T
    return decide(claim, value, method="Gaussian integration by parts")
