r"""The quarter-circle law by its density on $[0,2\sigma]$ (Lemma A.6)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import mpmath
from sympy import Integer

from claims.domain import Domain, Real
from claims.model import Claim
from claims.naitsaada2025.notation import source
from claims.naitsaada2025.spectral_gap import sigma
from claims.statement import Quantity

DIGITS = 50


def by_quadrature(power: int) -> Any:
    """The integral of x^power times the density, by tanh-sinh quadrature to fifty digits."""

    def found(at: Any) -> Decimal:
        with mpmath.workdps(DIGITS + 10):
            edge = 2 * mpmath.mpf(at[sigma].evalf(DIGITS + 10))
            rate = 4 / (mpmath.pi * edge**2)
            value = mpmath.quad(lambda x: x**power * mpmath.sqrt(edge**2 - x**2), [0, edge])
            return Decimal(mpmath.nstr(rate * value, DIGITS))

    return found


mass, square = (
    Quantity(
        rf"\int_0^{{2\sigma}}{x}\frac{{\sqrt{{4\sigma^2-x^2}}}}{{\pi\sigma^2}}\,\mathrm dx", define
    )
    for x, define in (("", by_quadrature(0)), ("x^2", by_quadrature(2)))
)

density_of_the_quarter_circle = Claim(
    id="naitsaada2025.lemma-A.6.density",
    source=source("App. A.3", "Lemma A.6, after Eq. (32)"),
    kind="law",
    title=r"The quarter-circle law has the printed density: of mass one and of mean square $\sigma^2$.",
    statement=mass.equals(Integer(1)) & square.equals(sigma**2),
    domain=Domain((Real(sigma, 0, open_low=True),)),
    printed=r"x \mapsto \frac{1}{\pi\sigma^2} \sqrt{4\sigma^2 - x^2} \mathbb{1}_{[0, 2\sigma]}",
)
