"""Proofs about the decay of convolutions: integrals in closed form."""

from __future__ import annotations

from sympy import Min, Symbol, exp, integrate, oo, simplify

from claims.model import Claim
from claims.naitsaada2025 import convolutions as claims
from claims.naitsaada2025.convolutions import a, b, convolved, x
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.kernel import derived
from proofs.registry import proves


def square_is_completed() -> bool:
    """a y^2 + b (x - y)^2 = (a + b)(y - b x/(a + b))^2 + a b x^2/(a + b)."""
    y = Symbol("y", real=True)
    completed = (a + b) * (y - b * x / (a + b)) ** 2 + a * b * x**2 / (a + b)
    return bool(simplify(a * y**2 + b * (x - y) ** 2 - completed) == 0)


def three_integrals() -> bool:
    """Over y < 0, between 0 and x, and over y > x; for a = b the middle one is x e^{-a x}."""
    y = Symbol("y", real=True)
    outside = integrate(exp(a * y - b * (x - y)), (y, -oo, 0)) + integrate(
        exp(-a * y - b * (y - x)), (y, x, oo)
    )
    c = Symbol("c", positive=True)  # b = a + c, or the other way round
    between = integrate(exp(c * y), (y, 0, x)) * exp(-(a + c) * x)
    same = integrate(exp(-a * y - a * (x - y)), (y, 0, x))
    parts = (exp(-a * x) + exp(-b * x)) / (a + b)
    return all(
        simplify(difference) == 0
        for difference in (
            outside - parts,
            between - (convolved(a, a + c) - parts.subs(b, a + c)),
            same - (convolved(a, a) - parts.subs(b, a)),
        )
    )


SQUARES = Checked(
    r"ay^2+b(x-y)^2=(a+b)\Bigl(y-\frac{bx}{a+b}\Bigr)^2+\frac{ab}{a+b}x^2",
    "algebra",
    square_is_completed,
)
EXPONENTIALS = Checked(
    r"\int e^{-a|y|-b|x-y|}dy=\frac{e^{-ax}+e^{-bx}}{a+b}+\int_0^xe^{-ay-b(x-y)}dy",
    "three integrals",
    three_integrals,
)


@proves(claims.convolutions_decay_like_the_slower_factor)
def by_the_completed_square(claim: Claim) -> Certificate:
    """The rate is ab/(a + b), below both."""
    return refute(claim, steps=(SQUARES,), method="a Gaussian integral")


@proves(claims.exponentials_keep_the_slower_rate)
def by_the_largest_exponential(claim: Claim) -> Certificate:
    """Of the exponentials in the closed form the slower one stays, with a positive factor."""
    rate = derived(
        claims.exponential_rate, Min(a, b), claim.domain, "the larger of the two exponentials"
    )
    return conclude(claim, rate, steps=(EXPONENTIALS,), method="closed form of the convolution")
