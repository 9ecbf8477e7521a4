r"""Proofs that products become ergodic: how the ratio of two columns contracts, for every N.

For positive columns y, z let rho_j = y_j/z_j.  Then (By)_i/(Bz)_i is an average of the rho_j with
weights w_ij = B_ij z_j/(Bz)_i.  If all entries of B lie in [a, b], kappa = a/b, two rows of weights
differ by at most (1 - kappa)/(1 + kappa) in total variation, and by so much the range of ratios
contracts.  No result about Hilbert's metric is used.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, oo, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import ergodic as claims
from claims.wu2024.ergodic import (
    column_factor,
    entry_of_product,
    error,
    onset,
    row_factor,
    step,
    tolerance,
)
from claims.wu2024.notation import N
from claims.wu2024.positivity import i, j
from proofs.calculation import at_places, for_all
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    instance,
    joint,
    part,
    substitute,
    sum_at_least_term,
)
from proofs.registry import proves
from proofs.wu2024.positivity import entries_in_range
from proofs.wu2024.steps import average_is_below_maximum, identity_step, nonnegative

LEVEL = symbols("kappa", positive=True)


def ratios_are_averages() -> tuple[Any, ...]:
    """(By)_i = (Bz)_i sum_j w_ij rho_j, and w_ij/w_kj lies in [m, M] with M = m/kappa^2."""
    one, other, y, z, total, share = symbols("B_{ij} B_{kj} y_j z_j S_i c", positive=True)
    ratio, low, high = one / other / share, LEVEL / share, 1 / (LEVEL * share)
    return (
        identity_step(
            r"B_{ij}y_j=S_i\,w_{ij}\rho_j,\quad w_{ij}=B_{ij}z_j/S_i,\ \rho_j=y_j/z_j,\ S=Bz",
            one * y, total * (one * z / total) * (y / z), "summed over $j$, for every $N$",
        ),
        nonnegative(
            r"w_{ij}/w_{kj}-m\ge0,\quad m=\kappa/c,\ c=S_i/S_k,\ B_{ij}\ge\kappa B_{kj}",
            ratio - low, (one - LEVEL * other) / (other * share), given=(one - LEVEL * other,),
        ),
        nonnegative(
            r"M-w_{ij}/w_{kj}\ge0,\quad M=1/(\kappa c),\ B_{kj}\ge\kappa B_{ij}",
            high - ratio, (other - LEVEL * one) / (LEVEL * other * share),
            given=(other - LEVEL * one,),
        ),
    )  # fmt: skip


def rows_of_weights_are_close() -> tuple[Any, ...]:
    """sum_j (w_ij - w_kj)^+ <= (1-m)(M-1)/(M-m) <= (1-kappa)/(1+kappa), for L_j = w_ij/w_kj."""
    level, low, weight, ratio, high = symbols("kappa m w_{kj} L_j M", nonnegative=True)
    scaled = (1 - level) * low * (1 - level**2) - (1 + level) * (1 - low) * (low - level**2)
    return (
        nonnegative(
            r"L_j\ge1:\ (L_j-m)(M-1)-(M-m)(L_j-1)=(M-L_j)(1-m)\ge0",
            (ratio - low) * (high - 1) - (high - low) * (ratio - 1), (high - ratio) * (1 - low),
            given=(high - ratio, 1 - low),
        ),
        nonnegative(
            r"L_j\le1:\ (L_j-m)(M-1)\ge0", (ratio - low) * (high - 1),
            given=(ratio - low, high - 1),
        ),
        identity_step(
            r"\textstyle\sum_jw_{kj}(L_j-m)(M-1)=(1-m)(M-1),\ \text{term by term}",
            weight * (ratio - low) * (high - 1), (weight * ratio - weight * low) * (high - 1),
            "both rows of weights sum to one",
        ),
        nonnegative(
            r"\kappa^2\left[(1-\kappa)(M-m)-(1+\kappa)(1-m)(M-1)\right]=(1+\kappa)(m-\kappa)^2\ge0,"
            r"\quad M=m/\kappa^2",
            scaled, (1 + level) * (low - level) ** 2,
        ),
    )  # fmt: skip


def range_contracts() -> tuple[Any, ...]:
    """x_i - x_k = sum_j (w_ij - w_kj)(rho_j - min) <= (1-kappa)/(1+kappa) (max - min), and <= 1-kappa."""
    level, weight, gain = symbols("kappa w_{kj} l", nonnegative=True)
    top, bottom, ratio = symbols("rho_{max} rho_{min} rho_j", real=True)
    return (
        nonnegative(
            r"w_{kj}(L_j-1)\left[(\rho_{\max}-\rho_{\min})-(\rho_j-\rho_{\min})\right]\ge0,\ L_j\ge1",
            weight * gain * ((top - bottom) - (ratio - bottom)), weight * gain * (top - ratio),
            given=(top - ratio,),
        ),
        nonnegative(
            r"w_{kj}(1-L_j)(\rho_j-\rho_{\min})\ge0,\ L_j\le1", weight * gain * (ratio - bottom),
            given=(ratio - bottom,),
        ),
        nonnegative(
            r"(1-\kappa)-\frac{1-\kappa}{1+\kappa}=\frac{\kappa(1-\kappa)}{1+\kappa}\ge0",
            (1 - level) - (1 - level) / (1 + level), level * (1 - level) / (1 + level),
            given=(1 - level,),
        ),
    )  # fmt: skip


def divergent_sums_contract_to_zero() -> tuple[Any, ...]:
    """prod 1/(1-kappa_t) >= prod (1+kappa_t) >= 1 + sum kappa_t -> infinity."""
    level, total = symbols("kappa s", nonnegative=True)
    return (
        nonnegative(
            r"1-(1+\kappa)(1-\kappa)=\kappa^2\ge0", 1 - (1 + level) * (1 - level), level**2
        ),
        nonnegative(
            r"(1+s)(1+\kappa)-(1+s+\kappa)=s\kappa\ge0,\ s\ \text{the sum so far}",
            (1 + total) * (1 + level) - (1 + total + level),
            total * level,
        ),
    )


def near_rank_one() -> tuple[Any, ...]:
    """P_ij/S_ij for S_ij = P_i1 P_1j/P_11 is a quotient of two ratios of columns j and 1."""
    a, b, c, e = symbols("P_{ij} P_{i1} P_{1j} P_{11}", positive=True)
    width, least, start = symbols("w rho_{min} rho_0", positive=True)
    return (
        identity_step(
            r"\frac{P_{ij}}{S_{ij}}=\frac{P_{ij}}{P_{i1}}\Big/\frac{P_{1j}}{P_{11}}",
            a / (b * c / e), (a / b) / (c / e),
        ),
        nonnegative(
            r"\tfrac w{\rho_0}-\left(\tfrac{\rho_{\min}+w}{\rho_{\min}}-1\right)\ge0\ \text{for }"
            r"\rho_{\min}\ge\rho_0,\ \text{which never falls}",
            width / start - ((least + width) / least - 1), width * (least - start) / (least * start),
            given=(least - start,),
        ),
    )  # fmt: skip


def contraction() -> tuple[Any, ...]:
    """Ranges of ratios of columns contract by 1 - kappa at a positive factor, and never grow."""
    return (
        *ratios_are_averages(), *rows_of_weights_are_close(), *range_contracts(),
        *average_is_below_maximum(), *divergent_sums_contract_to_zero(), *near_rank_one(),
    )  # fmt: skip


def products_stay_positive() -> tuple[Any, ...]:
    """(M P)_ij = sum_l M_il P_lj > 0 for P > 0 and a row of M not zero; likewise for columns."""
    entry, positive, rest = symbols("M_{il} P_{lj} q", positive=True)
    return (
        nonnegative(r"M_{il}P_{lj}+q-M_{il}P_{lj}\ge0,\ M_{il}P_{lj}>0",
                    entry * positive + rest - entry * positive, rest),
    )  # fmt: skip


@proves(claims.row_allowable_matrices_have_ergodic_products)
def by_contraction_of_ratios(claim: Claim) -> Certificate:
    """Each factor contracts by 1 - a_t/b_t; the first positive factor makes the products positive."""
    return argued(
        claim,
        steps=(*products_stay_positive(), *contraction()),
        method="contraction of ratios of columns",
    )


@proves(claims.long_products_are_ergodic)
def by_blocks_of_positive_products(claim: Claim) -> Certificate:
    """Blocks of R + 1 factors are positive with a/b >= (eps C_1/C_2)^(R+1), in every block."""
    return argued(
        claim,
        steps=(*entries_in_range(), *products_stay_positive(), *contraction()),
        method="contraction of ratios of columns over positive blocks",
    )


def column_factor_at_most_one() -> Theorem:
    """v_j <= |v| = 1."""
    k = symbols("m", integer=True)
    signs, unit = (instance(assume(every), step) for every in claims.RANK_ONE[1:3])
    square = joint(Compare(column_factor(step, k) ** 2, ">=", 0))
    one = sum_at_least_term(generalise(square, k, 1, N), j)
    return joint(
        Compare(column_factor(step, j), "<=", 1) & Compare(column_factor(step, j), ">", 0), one,
        instance(signs, j), unit,
    )  # fmt: skip


@proves(claims.error_vanishes_relative_to_the_row)
def by_dividing_by_the_row_factor(claim: Claim) -> Certificate:
    """E_ij/u_i = v_j (P_ij/S_ij - 1), where 0 < v_j <= |v| = 1."""
    p, e, w, row = symbols("p e w u", real=True)
    near = Compare(Abs(p / (row * w) - 1), "<=", tolerance)
    signs = (Compare(row, ">", 0), Compare(w, ">", 0))
    split = joint(
        Compare(e / row, "=", w * (p / (row * w) - 1)),
        given=(Compare(p, "=", row * w + e), *signs),
    )
    small = joint(
        Compare(Abs(e / row), "<=", tolerance), split, given=(near, Compare(w, "<=", 1), *signs)
    )
    terms = {
        p: entry_of_product(step, i, j), e: error(step, i, j), row: row_factor(step, i),
        w: column_factor(step, j),
    }  # fmt: skip
    positive = at_places(assume(claims.RANK_ONE[0]), step, i)
    inside = column_factor_at_most_one()
    bound = cut(
        substitute(small, terms), at_places(assume(claims.RANK_ONE[3]), step, i, j), positive,
        part(inside, 0), part(inside, 1), at_places(assume(claims.NEARLY_RANK_ONE), step, i, j),
    )  # fmt: skip
    bound = cut(bound, positive, part(inside, 1))
    later = cut(bound, joint(Compare(step, ">=", 0), given=(Compare(step, ">=", onset),)))
    everywhere = for_all(later, (i, N), (j, N))
    return conclude(
        claim, generalise(everywhere, step, onset, oo),
        method="bounded factor times a factor that vanishes",
    )  # fmt: skip
