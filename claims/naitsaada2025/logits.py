r"""The law of a logit and of its exponential $Z$ at initialisation (proof of Theorem 2.1).

With orthonormal inputs a logit is $U_{d_{qk}}/\sqrt{d_{qk}}$, where $U$ is a sum of $d_{qk}$ products of two
independent $\mathcal N(0,\sigma_{qk}^2)$ variables.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import flint
from sympy import (
    Expr,
    Integer,
    Symbol,
    besselk,
    binomial,
    cancel,
    exp,
    factorial,
    limit,
    log,
    nan,
    oo,
    pi,
    sqrt,
)  # fmt: skip

from claims.domain import Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.naitsaada2025.chi_square import Factors
from claims.naitsaada2025.notation import d_qk, sigma_qk, source
from claims.statement import Compare, ForAll, Quantity, Tends
from claims.terms import family

GAUSSIAN = Hypothesis(
    r"U_{d_{qk}}=\sum_{r=1}^{d_{qk}}Q_rK_r,\ Q_r,K_r\ \text{i.i.d.}\ \mathcal N(0,\sigma_{qk}^2)"
)
EXPONENTIAL = Hypothesis(r"Z_{11}=\exp(U_{d_{qk}}/\sqrt{d_{qk}})")


def exponential_moment(order: int, width: Any, deviation: Any) -> Any:
    """E Z^k = (E exp(s Q K))^d with s = k / sqrt(d): E exp(s Q K | Q) = exp(s^2 sigma^2 Q^2 / 2)."""
    curvature = 1 - order**2 * deviation**4 / width  # of -2 log of the integrand in Q / sigma
    return curvature ** (-width / 2) if curvature > 0 else oo


# The fourth moment --------------------------------------------------------------------------------

reciprocal = Quantity(
    r"\frac1{\mathbb E|Z_{11}|^4}", lambda at: 1 / exponential_moment(4, at[d_qk], at[sigma_qk])
)
_sigma = Real(sigma_qk, 0, open_low=True)
_finite = Compare(16 * sigma_qk**4, "<", d_qk)

fourth_moment_is_finite_iff = Claim(
    id="naitsaada2025.proof-2.1.fourth-moment.repair",
    parent="naitsaada2025.proof-2.1.fourth-moment",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="expectation",
    title=r"$\mathbb E|Z_{11}|^4=(1-16\sigma_{qk}^4/d_{qk})^{-d_{qk}/2}$, finite iff $d_{qk}>16\sigma_{qk}^4$.",
    statement=reciprocal.above(0).iff(_finite)
    & _finite.implies(reciprocal.equals((1 - 16 * sigma_qk**4 / d_qk) ** (d_qk / 2))),
    domain=Domain((Size(d_qk, 1, 18), _sigma)),
    hypotheses=(GAUSSIAN, EXPONENTIAL),
)

fourth_moment_is_finite_above_sixteen = Claim(
    id="naitsaada2025.proof-2.1.fourth-moment",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="expectation",
    title=r"$\mathbb E|Z_{11}|^4$ is finite as soon as $d_{qk}>16$.",
    statement=reciprocal.above(0),
    domain=Domain((Size(d_qk, 17, 24), _sigma)),
    hypotheses=(GAUSSIAN, EXPONENTIAL, Hypothesis("d_{qk}>16")),
    severity="missing-hypothesis",
    repair=fourth_moment_is_finite_iff,
    printed=(
        r"\mathbb{E}|Z_{1,1}|^4 = \mathbb{E}\left[\exp\left(\frac{4U_{d_{qk}}}{\sqrt{d_{qk}}}\right)\right] "
        r"= \ldots < \infty, \quad \frac{4}{\sqrt{d_{qk}}} < 1"
    ),
    note=(
        r"Right for $\sigma_{qk}\le1$. The density decays like $e^{-|x|/\sigma_{qk}^2}$ and not like "
        r"$e^{-|x|}$, so that 16 is $16\sigma_{qk}^4$. The display before has $W^K$ for its transpose "
        r"(`naitsaada2025.proof-2.1.transpose`), and the sentence after it leaves $1/\sqrt{d_{qk}}$ out of the "
        r"exponent; here it has both."
    ),
)

# The limiting variance ----------------------------------------------------------------------------

other = Symbol("d_{qk}'", integer=True, positive=True)
size = Symbol("n", integer=True, positive=True)


def _spread(width: Any) -> Callable[[Point], Any]:
    """Var Z / (E Z)^2."""

    def define(at: Point) -> Any:
        first, second = (exponential_moment(k, at[width], at[sigma_qk]) for k in (1, 2))
        return second / first**2 - 1

    return define


spread = Quantity(r"\sigma^2", _spread(d_qk))
other_spread = Quantity(r"(\sigma^2)'", _spread(other))
VARIANCE = Hypothesis(r"\sigma^2=\mathrm{Var}(Z_{11})/(\mathbb EZ_{11})^2")


def log_spread(width: Any) -> Expr:
    """log(1 + sigma^2)."""
    w = sigma_qk**4
    return width * log(1 - w / width) - width * log(1 - 4 * w / width) / 2


def enough(width: Symbol) -> Condition:
    """That the fourth moment is finite."""
    return Condition(
        rf"16\sigma_{{qk}}^4<{width.name}",
        lambda at: 16 * at[sigma_qk] ** 4 < at[width],
        Compare(16 * sigma_qk**4, "<", width),
    )


limit_variance_of_the_exponential = Claim(
    id="naitsaada2025.thm-2.1.sigma-dependence.repair",
    parent="naitsaada2025.thm-2.1.sigma-dependence",
    source=source("Sec. 2.2", "Theorem 2.1"),
    kind="expectation",
    title=r"$\sigma$ depends on $\sigma_{qk}$ and $d_{qk}$, and tends to $\sqrt{e^{\sigma_{qk}^4}-1}$.",
    statement=spread.equals(
        (1 - sigma_qk**4 / d_qk) ** d_qk / (1 - 4 * sigma_qk**4 / d_qk) ** (d_qk / 2) - 1
    )
    & Tends(exp(log_spread(size)) - 1, size, exp(sigma_qk**4) - 1),
    domain=Domain((Size(d_qk, 17, 24), _sigma), (enough(d_qk),)),
    hypotheses=(GAUSSIAN, EXPONENTIAL, VARIANCE),
    note="The limit is that of the first formula, written as an exponential.",
)

limit_variance_depends_on_sigma_qk_only = Claim(
    id="naitsaada2025.thm-2.1.sigma-dependence",
    source=source("Sec. 2.2", "Theorem 2.1, last line"),
    kind="prose",
    title=r"The constant $\sigma$ of (3) and (4) depends on $\sigma_{qk}$ only.",
    statement=spread.equals(other_spread),
    domain=Domain((Size(d_qk, 17, 24), Size(other, 17, 24), _sigma), (enough(d_qk), enough(other))),
    hypotheses=(
        GAUSSIAN,
        EXPONENTIAL,
        VARIANCE,
        Hypothesis(r"(\sigma^2)':\ \text{the same with}\ d_{qk}'\ \text{for}\ d_{qk}"),
    ),
    uses=(fourth_moment_is_finite_above_sixteen,),
    severity="missing-hypothesis",
    repair=limit_variance_of_the_exponential,
    printed=r"\text{where } \sigma \text{ depends only on } \sigma_{qk}",
    note=(
        r"At $\sigma_{qk}=1$, $\sigma^2$ is 2.49 for $d_{qk}=17$, 1.88 for 64 and $e-1=1.72$ in the limit: "
        r"only for $d_{qk}\to\infty$ does it depend on $\sigma_{qk}$ alone. Nor does the $\sigma$ that (3) "
        r"itself gives where widths grow: at $\sigma_{qk}^2=\tfrac12$ half of $\lim s_2(\sqrt TA)$ is 0.669 "
        r"for $d_{qk}=T$ and 0.533 for $d_{qk}\gg T$ (`naitsaada2025.beyond.edge-at-proportional-width`)."
    ),
)

# Densities ----------------------------------------------------------------------------------------

tilt = Symbol("r", real=True)
STEPS = 14
"""Trapezoids in a unit of log|x|: the error falls like exp(-pi^2 STEPS)."""


@cache
def tilted_mass(tilt: Any) -> Decimal:
    """The integral of exp(r x/sigma^2) over the density, at |x|/sigma^2 = e^v on either side."""
    reach = 125 / (1 - abs(tilt))
    # K_0(y) is a difference of numbers as large as e^y.
    with flint.ctx.workprec(200 + 4 * int(reach)):
        r, step = flint.arb(flint.fmpq(int(tilt.p), int(tilt.q))), flint.arb(1) / STEPS
        total = flint.arb(0)
        for place in range(-110 * STEPS, int(STEPS * log(reach))):
            y = (place * step).exp()
            total += (r * y).cosh() * y.bessel_k(0) * y
        return Decimal((2 * step * total / flint.arb.pi()).str(50, radius=False))


laplace = Quantity(
    r"\mathbb E\exp\left(\frac r{\sigma_{qk}^2}U_{d_{qk}}\right)",
    lambda at: (1 - at[tilt] ** 2) ** (-at[d_qk] / Integer(2)),
)
r"""E exp(s Q K | Q) = exp(s^2 sigma^2 Q^2 / 2), whose mean is (1 - s^2 sigma^4)^(-1/2)."""
transform = Quantity(
    r"\int e^{rx/\sigma_{qk}^2}f_1(x)\,\mathrm dx", lambda at: tilted_mass(at[tilt])
)
density_of_a_product_of_gaussians = Claim(
    id="naitsaada2025.proof-2.1.density",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="law",
    title=(
        r"The product of two independent $\mathcal N(0,\sigma_{qk}^2)$ has density "
        r"$K_0(|x|/\sigma_{qk}^2)/(\pi\sigma_{qk}^2)$, and $U_{d_{qk}}$ its $d_{qk}$-fold convolution."
    ),
    statement=laplace.equals(transform**d_qk),
    domain=Domain((Size(d_qk, 1, 3), _sigma, Real(tilt, -1, 1, open_low=True, open_high=True))),
    hypotheses=(
        GAUSSIAN,
        Hypothesis(r"f_1(x)=\frac1{\pi\sigma_{qk}^2}K_0\left(\frac{|x|}{\sigma_{qk}^2}\right)"),
    ),
    mutants=(Mutant("not convolved", laplace.equals(transform)),),
    printed=(
        r"f_1(x) := \frac{1}{\pi \sigma_{qk}^2} K_0\left(\frac{|x|}{\sigma_{qk}^2}\right), \quad "
        r"f_{d_{qk}}(x) = \underbrace{f_1(x) * \dots * f_1(x)}_{d_{qk} \text{ times}}"
    ),
    note=(
        "Read in Laplace transforms, wherever they are finite: they determine a law, and a convolution "
        "multiplies them."
    ),
)

x, step = Symbol("x", positive=True), Symbol("s", integer=True)


def over_leading_term(at: Any) -> Expr:
    """K_0 over the first term of its expansion at infinity."""
    return besselk(0, at) * exp(at) * sqrt(2 * at / pi)


ratio = family(
    r"\frac{{K_0(xs)}}{{\sqrt{{\pi/(2xs)}}\,e^{{-xs}}}}\Big|_{{s={}}}",
    lambda at, steps: over_leading_term(at[x] * steps),
)
bessel_function_at_infinity = Claim(
    id="naitsaada2025.proof-2.1.K0",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="limit",
    title=r"$K_0(x)\sim\sqrt{\pi/(2x)}\,e^{-x}$ as $x\to\infty$.",
    statement=ForAll(
        step,
        1,
        oo,
        Compare(1 - 1 / (8 * x * step), "<=", ratio(step)) & Compare(ratio(step), "<=", 1),
    )
    & Tends(ratio(step), step, 1),
    domain=Domain((Real(x, 0, open_low=True),)),
    printed=r"K_0(x) \sim \sqrt{\frac{\pi}{2x}} e^{-x}",
    note=(
        r"The bounds, which hold for every $x>0$, are more than the print says; with them the limit along "
        r"$x,2x,3x,\dots$ is the limit."
    ),
)

half = Symbol("m", integer=True, positive=True)


def polynomial(order: int, scale: Any) -> Expr:
    """f(x) e^(x/scale) (m-1)!^2 scale^2m for x > 0, where f is the density of U_2m.

    That is a difference of two Gamma(m) variables of one scale: the integral over y > 0 of
    ((x + y) y)^(m-1) exp(-2y/scale).
    """
    last = order - 1
    return sum(
        binomial(last, j) * x ** (last - j) * factorial(last + j) * (scale / 2) ** (order + j)
        for j in range(order)
    )


def decay(at: Point) -> Any:
    """- lim f'(x) / f(x)."""
    scale = at[sigma_qk] ** 2
    smooth = polynomial(int(at[half]), scale)
    return 1 / scale - limit(cancel(smooth.diff(x) / smooth), x, oo)


rate = Quantity(r"\lim_{x\to\infty}-\tfrac1x\log f_{d_{qk}}(x)", decay)
EVEN = Hypothesis(r"d_{qk}=2m")


def slope_at(at: Point, steps: int) -> Any:
    """-f'/f at x s, exactly; the density may have a kink at zero."""
    if not steps:
        return nan
    scale = at[sigma_qk] ** 2
    smooth = polynomial(int(at[half]), scale)
    return 1 / scale - (smooth.diff(x) / smooth).subs(x, at[x] * steps)


slope = family(r"\bigl(-\log f_{{d_{{qk}}}}\bigr)'(x\cdot {})", slope_at)
density_decays_at_the_rate_of_its_variance = Claim(
    id="naitsaada2025.proof-2.1.convolution-decay.repair",
    parent="naitsaada2025.proof-2.1.convolution-decay",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="limit",
    title=r"$f_{d_{qk}}$ decays like $e^{-|x|/\sigma_{qk}^2}$, up to a power of degree $d_{qk}/2-1$.",
    statement=ForAll(
        step, 1, oo,
        Compare(1 / sigma_qk**2 - (half - 1) / (x * step), "<=", slope(step))
        & Compare(slope(step), "<=", 1 / sigma_qk**2),
    )
    & Tends(slope(step), step, 1 / sigma_qk**2),
    domain=Domain((Factors(half, 1, 3), _sigma, Real(x, 0, open_low=True))),
    hypotheses=(GAUSSIAN, EVEN),
    note=(
        r"The bounds hold for every $x>0$, so that $f_d(x)e^{x/\sigma_{qk}^2}$ grows no faster than "
        r"$x^{d/2-1}$. For every $d=d_{qk}$, odd ones included, "
        r"$f_d(x)=\frac{|x|^{(d-1)/2}K_{(d-1)/2}(|x|/\sigma_{qk}^2)}"
        r"{\sqrt\pi\,\Gamma(d/2)\,2^{(d-1)/2}\sigma_{qk}^{d+1}}$, which has the transform "
        r"$(1+s^2\sigma_{qk}^4)^{-d/2}$; for even $d$ it is elementary, and these are stated."
    ),
)  # fmt: skip

density_decays_at_least_like_the_exponential = Claim(
    id="naitsaada2025.proof-2.1.convolution-decay",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="prose",
    title=r"$f_{d_{qk}}(x)=g(|x|)e^{-|x|}$ with $g$ polynomially bounded.",
    statement=rate.at_least(1),
    domain=Domain((Factors(half, 1, 3), _sigma)),
    hypotheses=(GAUSSIAN, EVEN),
    uses=(density_of_a_product_of_gaussians, bessel_function_at_infinity),
    severity="missing-hypothesis",
    repair=density_decays_at_the_rate_of_its_variance,
    printed=r"f_{d_{qk}}(x) = g(|x|) e^{-|x|}",
    understood=(
        Understood(
            "a decay is one up to powers, as the display says",
            r"$e^{-|x|}*e^{-|x|}=(1+|x|)e^{-|x|}$ decays slower than both factors",
        ),
    ),
    note=(
        r"Right for $\sigma_{qk}\le1$. For even $d_{qk}=2m$ the density is a polynomial of degree $m-1$ in "
        r"$|x|$ times $e^{-|x|/\sigma_{qk}^2}$."
    ),
)
