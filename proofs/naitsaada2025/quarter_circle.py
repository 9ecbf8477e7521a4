r"""The quarter-circle law: integrals in the angle $t$ of $x=2\sigma\sin t$."""

from __future__ import annotations

from functools import cache

from sympy import Expr, cos, integrate, pi, sin, symbols

from claims.model import Claim
from claims.naitsaada2025 import quarter_circle as claims
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import both, derived
from proofs.registry import proves

t = symbols("t", real=True)


@cache
def moment(power: int) -> Expr:
    """The density is 2 cos(t)/(pi sigma) there, and dx = 2 sigma cos(t) dt."""
    x = 2 * claims.sigma * sin(t)
    return integrate(x**power * 4 * cos(t) ** 2 / pi, (t, 0, pi / 2))


@proves(claims.density_of_the_quarter_circle)
def by_the_angle(claim: Claim) -> Certificate:
    """Wallis integrals of orders zero and two."""
    domain = claims.density_of_the_quarter_circle.domain
    known = [
        derived(quantity, moment(power), domain, "integral in the angle")
        for quantity, power in ((claims.mass, 0), (claims.square, 2))
    ]
    return conclude(claim, both(*known), method="integrals in the angle")
