r"""Theorems 2.1 and A.1: a change of scale, and the operator of Gaussian logits.

With $a^2=b=\sigma_{qk}^4/d_{qk}$ and standard Gaussian $x$, $y$ in one coordinate, row-normalised
$e^{axy}$ tends to $K(x,y)=e^{axy-a^2x^2/2}$ and $KK^*$ has the kernel $e^{bxx'}$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Symbol, exp, integrate, log, oo, pi, simplify, sqrt, symbols

from claims.model import Claim
from claims.naitsaada2025 import spectral_gap as claims
from claims.naitsaada2025.notation import mean_Z, sigma_A
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import Theorem
from proofs.naitsaada2025.sure_limits import Outcome
from proofs.registry import proves

x, z, u = symbols("x x' u", real=True)
a, b = symbols("a b", positive=True)


def tilted(slope: Any, gap: Any) -> Any:
    """E e^(slope u + (1 - gap) u^2/2) over a standard Gaussian u."""
    return exp(slope**2 / (2 * gap)) / sqrt(gap)


def gaussian_integral() -> bool:
    """What `tilted` says, by integration."""
    slope, gap = Symbol("s", real=True), Symbol("g", positive=True)
    found = integrate(exp(slope * u - gap * u**2 / 2), (u, -oo, oo)) / sqrt(2 * pi)
    return simplify(found - tilted(slope, gap)) == 0


def kernel_squares() -> bool:
    """E_y K(x, y) K(x', y) = e^(a^2 x x') for K(x, y) = e^(a x y)/E_y e^(a x y)."""
    rows = tilted(a * x, 1) * tilted(a * z, 1)
    return simplify(tilted(a * (x + z), 1) / rows - exp(a**2 * x * z)) == 0


def ground_state() -> bool:
    """E_u e^(b x u) e^(c u^2/2) = (1 - c)^(-1/2) e^(c x^2/2) where c (1 - c) = b^2."""
    root = 2 * b / (1 + sqrt(1 - 4 * b**2))
    gap = b / root  # 1 - c
    ratio = tilted(b * x, gap) * sqrt(gap) / exp((1 - gap) * x**2 / 2)
    return simplify(log(ratio).expand(force=True)) == 0 and simplify(gap * (1 - gap) - b**2) == 0


NORM = (
    Checked(
        r"\mathbb E_ue^{su+(1-g)u^2/2}=g^{-1/2}e^{s^2/(2g)}", "Gaussian integral", gaussian_integral
    ),
    Checked(r"\mathbb E_yK(x,y)K(x',y)=e^{a^2xx'}", "completing the square", kernel_squares),
    Checked(
        r"\mathbb E_ue^{bxu+cu^2/2}=(1-c)^{-1/2}e^{cx^2/2},\ c(1-c)=b^2",
        "completing the square: a positive eigenfunction, hence the largest eigenvalue",
        ground_state,
    ),
)


FIRST = Integer(1)
"""The table that A is made of."""
METHOD = (
    "rows scaled and one direction taken out; norms of i.i.d. matrices (Yin, Bai and Krishnaiah)"
)


@cache
def outcome() -> Outcome:
    """What is almost sure of the table that A is made of."""
    return Outcome(claims.TABLE, edges=4)


def sure(limit: Any, value: Any, tends: Theorem) -> Theorem:
    """An almost sure limit from that of an outcome."""
    return outcome().sure_limit(limit, value, tends, claims.laws)


@proves(claims.largest_singular_value_tends_to_one)
def by_the_rest_and_its_kernel(claim: Claim) -> Certificate:
    r"""$1\le s_1^2(A)\le1+s_1^2(A^\perp)$, and $s_1(A^\perp)$ is of order $T^{-1/2}$."""
    theorem = sure(claims.first_value, Integer(1), outcome().first_tends(FIRST))
    return conclude(claim, theorem, method=METHOD)


@proves(claims.second_singular_value_of_a_markov_matrix)
def by_interlacing(claim: Claim) -> Certificate:
    r"""$s_3(A^\perp)\le s_2(A)\le s_1(A^\perp)$, and $A^\perp$ is a centred table with scaled rows."""
    theorem = sure(claims.second_value, 2 * sigma_A / mean_Z, outcome().second_tends(FIRST))
    return conclude(claim, theorem, method=METHOD)


@proves(claims.second_eigenvalue_bound_of_a_markov_matrix)
def by_weyl(claim: Claim) -> Certificate:
    r"""$|\lambda_2|\le|\lambda_1\lambda_2|\le s_1s_2$, as one is an eigenvalue."""
    tends = outcome().modulus_below(FIRST)
    theorem = sure(claims.second_modulus, 2 * sigma_A / mean_Z, tends)
    return conclude(claim, theorem, method=f"Weyl's inequality; {METHOD}")


@proves(claims.largest_singular_value_of_softmax_attention)
def by_the_operator_of_gaussian_logits(claim: Claim) -> Certificate:
    """At a fixed width A tends to an integral operator of norm above one."""
    return argued(claim, steps=NORM, method="largest eigenvalue of a Gaussian kernel")
