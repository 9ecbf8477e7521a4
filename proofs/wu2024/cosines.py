r"""Proofs about the least cosine, for every number of tokens and features.

With b the row of weights in X_i^{(t+T)} = sum_k b_k X_k^{(t)} W, LayerNorm's factors D >= 1 make b at
least the row P_i of the product of the T attention matrices.  At no obtuse angle this bounds the
cosines from below by sum P_ik P_jl <X_k, X_l>, whose weights sum to one; the pairs k = l, of cosine
one, weigh at least eps^(2T) for each column of P that is positive in both rows.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, symbols

from claims.model import Claim
from claims.wu2024 import cosines as claims
from claims.wu2024.cosines import R, earlier, t0
from claims.wu2024.lengths import phi
from claims.wu2024.notation import N, epsilon, k, r, t
from proofs.certificate import Certificate, Checked
from proofs.registry import proves
from proofs.wu2024.steps import algebra, bounded, nonnegative, positive_column, powers_keep_order

SPHERE = "all N >= 2, d >= 1, all unit tokens at no obtuse angle, all orthogonal value matrices"


def convex_combinations_are_short() -> tuple[Any, ...]:
    """1 - ||sum_k a_k X_k||^2 = sum_kl a_k a_l (1 - <X_k, X_l>) >= 0: hence D >= 1."""
    a, b = symbols("a_k a_l", nonnegative=True)
    c, u, v = symbols("c_{kl} u v", real=True)
    return (
        algebra(
            r"\textstyle\sum_{k,l}a_ka_l-\sum_{k,l}a_ka_l\langle X_k,X_l\rangle"
            r"=\sum_{k,l}a_ka_l(1-\langle X_k,X_l\rangle)",
            a * b - a * b * c, a * b * (1 - c), "for every pair, hence for every N",
        ),
        nonnegative(
            r"\tfrac12\|X_k-X_l\|_2^2\ge0,\ \text{feature by feature}", (u - v) ** 2 / 2
        ),
        algebra(
            r"\tfrac12(u-v)^2=\tfrac12(u^2+v^2)-uv,\ \text{so } 1-\langle X_k,X_l\rangle\ge0",
            (u - v) ** 2 / 2, (u**2 + v**2) / 2 - u * v, "summed over features, unit norms",
        ),
        nonnegative(
            r"a_ka_l(1-\langle X_k,X_l\rangle)\ge0", a * b * (1 - c), given=(1 - c,)
        ),
    )  # fmt: skip


def weights_are_at_least_the_product() -> tuple[Any, ...]:
    """b_ik >= P_ik, by induction over layers: D a b - a P = a b (D - 1) + a (b - P) >= 0."""
    a, b, product, factor = symbols("A_{ij} b_{jk} P_{jk} D_{ii}", nonnegative=True)
    c = symbols("c_{kl}", nonnegative=True)
    other, row = symbols("b_{jl} P_{il}", nonnegative=True)
    return (
        nonnegative(
            r"D_{ii}A_{ij}b_{jk}-A_{ij}P_{jk}\ge0\ \text{for } D_{ii}\ge1,\ b_{jk}\ge P_{jk}",
            factor * a * b - a * product, a * b * (factor - 1), a * (b - product),
            given=(factor - 1, b - product),
        ),
        nonnegative(
            r"(b_{ik}b_{jl}-P_{ik}P_{jl})\langle X_k,X_l\rangle\ge0",
            (b * other - product * row) * c, (b - product) * other * c, product * (other - row) * c,
            given=(b - product, other - row),
        ),
    )  # fmt: skip


def shared_columns(columns: Any) -> tuple[Any, ...]:
    """sum_kl w_kl c_kl >= s + (1 - s) phi, s the weight of the pairs k = l, and s >= n eps^(2T)."""
    weight, c, share, f, floor = symbols(r"w c s \phi q", nonnegative=True)
    first, second, power = symbols(r"P_{ik} P_{jk} \epsilon^T", nonnegative=True)
    return (
        nonnegative(r"w_{kl}c_{kl}-w_{kl}\phi\ge0,\ k\ne l", weight * (c - f), given=(c - f,)),
        nonnegative(
            r"P_{ik}P_{jk}-\epsilon^{2T}\ge0\ \text{for } P_{ik},P_{jk}\ge\epsilon^T",
            first * second - power**2, (first - power) * second, power * (second - power),
            given=(first - power, second - power),
        ),
        nonnegative(
            rf"s+(1-s)\phi-(q+(1-q)\phi)=(s-q)(1-\phi)\ge0,\ q={columns}\,\epsilon^{{2T}}\le s",
            share + (1 - share) * f - (floor + (1 - floor) * f), (share - floor) * (1 - f),
            given=(share - floor, 1 - f),
        ),
        algebra(r"1-(q+(1-q)\phi)=(1-q)(1-\phi)", 1 - (floor + (1 - floor) * f),
                (1 - floor) * (1 - f)),
    )  # fmt: skip


def growth_of_cosines(columns: Any) -> tuple[Any, ...]:
    return (
        *convex_combinations_are_short(),
        *weights_are_at_least_the_product(),
        *positive_column(),
        *shared_columns(columns),
    )


@proves(claims.least_cosine_grows_by_strong_connectivity)
def by_all_columns(claim: Claim) -> Certificate:
    """Within the ordinary diameter R every column of the product is positive, N in all."""
    return bounded(
        claim, claims.least_cosine_grows_over_ordinary_diameter,
        ((1 - N * epsilon ** (2 * R)) * (1 - phi),), steps=growth_of_cosines("N"),
        method="positive entries of the R-step product",
        scope=f"{SPHERE}; all strongly connected masks with self-loops",
    )  # fmt: skip


@proves(claims.least_cosine_grows_by_quasi_strong_connectivity)
def by_one_column(claim: Claim) -> Certificate:
    """Within Def. 5's r one column of the product is positive, that of a centre."""
    return bounded(
        claim, claims.least_cosine_grows_by_centre,
        ((1 - epsilon ** (2 * r)) * (1 - phi),), steps=growth_of_cosines("1"),
        method="a centre's column of the r-step product",
        scope=f"{SPHERE}; all quasi-strongly connected masks with self-loops",
    )  # fmt: skip


# From the recursion to a rate ----------------------------------------------------------------------

SEQUENCES = "all N >= 2, r >= 1, t_0 >= 0, t >= 0, N eps < 1 and all sequences with the recursion"


def followed_steps() -> tuple[Any, ...]:
    """gap_{t+r} <= (1 - q) gap_t, k times, from a gap of at most one: (1 - q)^k gap <= (1 - q)^k."""
    shrink, gap, power = symbols("1-q g (1-q)^k", nonnegative=True)
    after = symbols("g'", nonnegative=True)
    return (
        nonnegative(
            r"(1-q)^{k+1}g-g_{+r}\ge0\ \text{for } g_{+r}\le(1-q)g',\ g'\le(1-q)^kg",
            shrink * power * gap - shrink * after, shrink * (power * gap - after),
            given=(power * gap - after,),
        ),
        nonnegative(r"(1-q)^k-(1-q)^kg\ge0\ \text{for } g\le1", power * (1 - gap), given=(1 - gap,)),
        *powers_keep_order(),
    )  # fmt: skip


def whole_periods() -> tuple[Any, ...]:
    """t - t_0 = k r + s with s <= r - 1: (t - t_0)/r - 1 <= k, so (1-q)^k <= (1-q)^((t-t_0)/r - 1)."""
    steps_, rest, beyond = symbols("k s h", integer=True, nonnegative=True)
    period = rest + 1 + beyond
    exponent = (steps_ * period + rest) / period
    return (
        algebra(r"k=\tfrac{t-t_0}r-\tfrac sr", steps_, exponent - rest / period),
        nonnegative(
            r"k-(\tfrac{t-t_0}r-1)=\tfrac{r-s}r\ge0", steps_ - (exponent - 1), (1 + beyond) / period
        ),
    )


def two_is_enough() -> tuple[Any, ...]:
    """(1-q)^(-s/r) <= 2: s = 0 for r = 1; for r >= 2, q = N eps^(2r) < N^(1-2r) <= N^-3 <= 1/8."""
    size, beyond, share = symbols("N-2 h s", nonnegative=True)
    n = size + 2

    def an_eighth() -> bool:
        # N^3 - 8 >= 0 for N = 2 + (N - 2), and eps < 1/N makes further powers of eps smaller.
        parts = (n**3 - 8).expand().as_ordered_terms()
        return all(bool(part.is_nonnegative) for part in parts)

    return (
        Checked(
            r"r\ge2:\ q=N\epsilon^{2r}\le N\epsilon^4\le N^{-3}\le\tfrac18",
            "nonnegative coefficients in N - 2; N eps < 1",
            an_eighth,
        ),
        nonnegative(
            r"(1-q)^{s/r}\ge1-q\ge\tfrac78\ge\tfrac12", Integer(7) / 8 - Integer(1) / 2
        ),
        nonnegative(
            r"s\le r-1:\ 1-\tfrac sr\ge0", 1 - share / (share + 1 + beyond),
            (1 + beyond) / (share + 1 + beyond),
        ),
        algebra(r"t<t_0:\ 1-\alpha^{(t)}\le1-(-1)=2", 1 - Integer(-1), Integer(2)),
    )  # fmt: skip


def decay(exponent: Expr) -> Expr:
    return (1 - N * epsilon ** (2 * r)) ** exponent


@proves(claims.cosine_gap_decays_from_t0)
def by_periods_from_t0(claim: Claim) -> Certificate:
    """Before t_0 the gap is at most 2; after it, whole periods count, and 2 covers the rest."""
    return bounded(
        claim, claims.cosine_gap_decays_from_t0,
        (decay(k) * earlier, 2 * decay(-t0 / r) * decay(t / r)),
        steps=(*followed_steps(), *whole_periods(), *two_is_enough()),
        method="the recursion over whole periods", scope=SEQUENCES,
    )  # fmt: skip


@proves(claims.cosine_gap_decays_from_the_start)
def by_periods_from_the_start(claim: Claim) -> Certificate:
    """k = floor(t/r) periods from a gap of at most one, and k >= t/r - 1."""
    return bounded(
        claim, claims.cosine_gap_decays_from_the_start,
        (decay(k) * earlier, decay(t / r) / decay(Integer(1))),
        steps=(*followed_steps(), *whole_periods()),
        method="the recursion over whole periods", scope=f"{SEQUENCES}; t_0 = 0",
    )  # fmt: skip
