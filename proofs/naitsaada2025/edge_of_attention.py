r"""The edge of the bulk of softmax attention: transforms of a product and of independent entries, added."""

from __future__ import annotations

from sympy import Integer, Poly, Symbol, cancel, diff, limit, oo, simplify, sqrt, symbols

from claims.model import Claim
from claims.naitsaada2025 import edge_of_attention as claims
from claims.naitsaada2025 import spectral_gap
from claims.naitsaada2025.notation import sigma_qk
from claims.naitsaada2025.spectral_gap import inverse_transform, turning_cubic, turning_point
from claims.statement import Compare
from proofs.calculation import linked
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import Theorem, both, joint, substitute, unfold
from proofs.registry import proves

g, kappa, a, s = symbols("g kappa a s", real=True, positive=True)


def product_of_two() -> bool:
    r"""psi(t) at t = K(g)^(-2) inverts z/((1 + z)^2 (1 + kappa z)): two Marchenko-Pastur laws, multiplied."""
    inverse = inverse_transform(g, kappa, Integer(1), Integer(1))
    psi = g * inverse - 1
    return cancel(psi / ((1 + psi) ** 2 * (1 + kappa * psi)) - inverse**-2) == 0


def moments_of_the_product() -> bool:
    """The first three, as counts of pairings: 1, 2 + kappa, 5 + 6 kappa + kappa^2."""
    t = Symbol("t")
    psi = t + (2 + kappa) * t**2 + (5 + 6 * kappa + kappa**2) * t**3
    rest = Poly(t * (1 + psi) ** 2 * (1 + kappa * psi) - psi, t)
    return all(rest.coeff_monomial(t**order) == 0 for order in range(4))


def turns_at_the_root() -> bool:
    """(1 - kappa a u)^2 u K'(g) is the cubic in u = g^2."""
    slope = diff(inverse_transform(g, kappa, a, s), g) * g**2 * (1 - kappa * a * g**2) ** 2
    powers = (6, 4, 2, 0)
    cubic = sum(c * g**n for c, n in zip(turning_cubic(kappa, a, s), powers, strict=True))
    return cancel(slope - cubic) == 0


def printed_at_wide_queries() -> bool:
    """The least value at kappa = 0 is 2 sigma."""
    turn = turning_point(0, a, s**2)
    return cancel(inverse_transform(turn, 0, a, s**2) - 2 * s) == 0


def meets_the_fixed_width() -> bool:
    """K at x/sqrt(kappa a), times kappa^(-1/2), tends to sqrt(a)/x: least at the pole, x = 1."""
    x = Symbol("x", positive=True)
    value = inverse_transform(x / sqrt(kappa * a), kappa, a, s) / sqrt(kappa)
    return simplify(limit(value, kappa, oo) - sqrt(a) / x) == 0


PRODUCT = (
    Checked(
        r"t\,(1+\psi)^2(1+\kappa\psi)=\psi\ \text{at}\ t=K(g)^{-2},\ \psi=gK(g)-1,\ "
        r"K(g)=\tfrac1g+\tfrac g{1-\kappa g^2}",
        "squared singular values of a product: Marchenko-Pastur laws of both factors, multiplied",
        product_of_two,
    ),
    Checked(
        r"\psi=t+(2+\kappa)t^2+(5+6\kappa+\kappa^2)t^3+\dots", "counts of pairings",
        moments_of_the_product,
    ),
)  # fmt: skip
EDGE = (
    *PRODUCT,
    Checked(
        r"u(1-\kappa\theta^2u)^2K'(g)=c_3u^3+c_2u^2+c_1u-1,\ u=g^2",
        "derivative; the edge is where the inverse of the Cauchy transform turns",
        turns_at_the_root,
    ),
    Checked(r"\min_gK(g)=2\sigma\ \text{at}\ \kappa=0", "at $g=1/\\sigma$", printed_at_wide_queries),
    Checked(
        r"\kappa^{-1/2}K(\tfrac x{\theta\sqrt\kappa})\to\tfrac\theta x", "limit at fixed $x<1$",
        meets_the_fixed_width,
    ),
)  # fmt: skip
METHOD = "free convolution of the linear part of $e^u$ with the rest of its series"


@proves(spectral_gap.second_singular_value_of_softmax_attention)
def by_the_linear_part(claim: Claim) -> Certificate:
    """At d_qk = T the bulk is no quarter circle: its linear part is a product of two matrices."""
    return argued(claim, steps=EDGE, method=METHOD)


@proves(claims.edge_at_proportional_width)
def by_free_convolution(claim: Claim) -> Certificate:
    """Both transforms add, since the rest of the series acts like independent entries."""
    return argued(claim, steps=EDGE, method=METHOD)


INSIDE = (
    Compare(kappa * a * g**2, "<", 1), Compare(kappa, ">", 0), Compare(a, ">", 0),
    Compare(g, ">", 0), Compare(s, ">", 0), Compare(s**2, ">=", a),
)  # fmt: skip


def _above() -> Theorem:
    """Both bounds, for g, kappa, sigma_qk^4 and sigma as numbers."""
    value = inverse_transform(g, kappa, a, s**2)
    pole = joint(Compare(a * g / (1 - kappa * a * g**2), ">", a * g), given=INSIDE[:4])
    means = joint(Compare(1 / g + s**2 * g, ">=", 2 * s), given=INSIDE[3:5])
    first = joint(Compare(value, ">", 2 * s), pole, means)
    rest = joint(Compare((s**2 - a) * g, ">=", 0), given=(INSIDE[3], INSIDE[5]))
    term = joint(Compare(a * g, ">", 0), given=INSIDE[2:4])
    bare = joint(Compare(value, ">", 1 / g), pole, rest, term)
    square = joint(Compare((1 / g) ** 2, ">", kappa * a), given=INSIDE[:4])
    reciprocal = joint(Compare(1 / g, ">", 0), given=INSIDE[3:4])
    more = joint(Compare(value**2, ">", (1 / g) ** 2), bare, reciprocal)
    return both(first, joint(Compare(value**2, ">", kappa * a), more, square))


@proves(claims.edge_above_the_printed)
def by_a_positive_rest(claim: Claim) -> Certificate:
    r"""The pole adds to $\frac1g+\sigma^2g\ge2\sigma$, and $\frac1g>\sigma_{qk}^2\sqrt\kappa$."""
    read = unfold(claims.least_value, claims.BULK, claims.edge_above_the_printed.domain)
    terms = {g: claims.g, kappa: claims.kappa, a: sigma_qk**4, s: spectral_gap.sigma}
    bounds = substitute(_above(), terms)
    theorem = linked(claims.edge_above_the_printed.formula, bounds, read)
    return conclude(claim, theorem, method="arithmetic and geometric mean")
