r"""Proofs of Lemma 3, Corollary 2 and of the columns of the tokens, for every number of tokens.

After r layers every token gives a centre weight at least eps^r.  Two averages that share that part
differ in the rest only, so the width contracts by 1 - eps^r, wherever the centre's entry lies:
Lemma 3 holds for p = 1, and a smaller p says less.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, sqrt, symbols

from claims.definitions import entries
from claims.model import Claim
from claims.wu2024 import contraction as claims
from claims.wu2024.contraction import C_j, K, weights
from claims.wu2024.extrema import spread
from claims.wu2024.notation import d, epsilon, k, p, r, t
from proofs.certificate import Certificate, Checked
from proofs.registry import proves
from proofs.wu2024.steps import (
    algebra,
    average_is_below_maximum,
    bounded,
    nonnegative,
    positive_column,
    powers_keep_order,
)

CENTRED = "all N >= 2, all quasi-strongly connected masks with self-loops, all real x"


def shared_part() -> tuple[Any, ...]:
    """Rows P_i = q e_c + (1 - q) Q_i with Q_i row-stochastic: the width of P x is (1 - q) of Q x."""
    q, c, one, other = symbols("q x_c z_i z_k", real=True)
    entry, rest = symbols("P_{ic} q'", nonnegative=True)
    return (
        algebra(
            r"(qx_c+(1-q)z_i)-(qx_c+(1-q)z_k)=(1-q)(z_i-z_k)",
            (q * c + (1 - q) * one) - (q * c + (1 - q) * other), (1 - q) * (one - other),
        ),
        nonnegative(
            r"(1-q)Q_{ic}=P_{ic}-q\ge0", entry - rest, given=(entry - rest,),
        ),
        algebra(r"\textstyle\sum_jP_{ij}-q=1-q", Integer(1) - q, 1 - q, "rows of P sum to one"),
        *average_is_below_maximum(),
    )  # fmt: skip


def weaker_for_smaller_p() -> tuple[Any, ...]:
    """(1 - p q) - (1 - q) = q (1 - p) >= 0, and powers keep the order."""
    q = symbols(r"\epsilon^r", nonnegative=True)
    return (
        nonnegative(
            r"(1-p\epsilon^r)-(1-\epsilon^r)=\epsilon^r(1-p)\ge0", (1 - p * q) - (1 - q),
            q * (1 - p), given=(1 - p,),
        ),
        *powers_keep_order(),
    )  # fmt: skip


@proves(claims.width_contracts_over_the_diameter)
def by_shared_weight_on_a_centre(claim: Claim) -> Certificate:
    """All rows of the r-step product share weight eps^r on a centre's column."""
    reached = ((1 - p * epsilon**r) ** k * spread, (1 - epsilon**r) ** k * spread)
    return bounded(
        claim, claims.width_contracts_over_the_diameter, reached,
        steps=(*positive_column(), *shared_part(), *weaker_for_smaller_p()),
        method="weight shared on a centre's column", scope=f"{CENTRED}, all k >= 0, 0 <= p <= 1",
    )  # fmt: skip


def between_multiples() -> tuple[Any, ...]:
    """t = k r + s, 0 <= s < r: (1-q)^k = (1-q)^(t/r - s/r) <= (1-q)^(t/r - (r-1)/r), 0 < 1-q <= 1."""
    steps_, rest, beyond = symbols("k s h", integer=True, nonnegative=True)
    period = rest + 1 + beyond  # r > s
    exponent = (steps_ * period + rest) / period
    return (
        algebra(r"k=\tfrac{kr+s}r-\tfrac sr", steps_, exponent - rest / period),
        nonnegative(
            r"\tfrac{r-1}r-\tfrac sr\ge0", (period - 1) / period - rest / period, beyond / period,
        ),
    )  # fmt: skip


def floor_is_at_most_half() -> tuple[Any, ...]:
    """A row with two entries of at least eps sums to one: 1 - 2 eps >= 0; and eps^r <= eps."""
    first, second, rest, e, power = symbols("a b c e f", nonnegative=True)
    return (
        nonnegative(
            r"1-2\epsilon=(a-\epsilon)+(b-\epsilon)+c\ge0\ \text{for a row } a+b+c=1",
            first + second + rest - 2 * e, first - e, second - e, rest,
            given=(first - e, second - e),
        ),
        nonnegative(
            r"\epsilon-\epsilon^r=\epsilon(1-\epsilon^{r-1})\ge0", e - e * power, e * (1 - power),
            given=(1 - power,),
        ),
    )  # fmt: skip


@proves(claims.width_decays_exponentially)
def by_whole_periods(claim: Claim) -> Certificate:
    """Lemma 3 over the whole periods of r layers; in the rest the width does not grow.

    A token that attends to itself and to another leaves eps <= 1/2, so that 1 - eps^r > 0.
    """
    reached = (spread * (1 - epsilon**r) ** (t / r - (r - 1) / r),)
    return bounded(
        claim, claims.width_decays_exponentially, reached,
        steps=(*positive_column(), *shared_part(), *floor_is_at_most_half(), *between_multiples()),
        method="Lemma 3 over whole periods", scope=f"{CENTRED}, all t >= 0",
    )  # fmt: skip


# Columns of the tokens ----------------------------------------------------------------------------


def linear_in_columns() -> Checked:
    """(P X W)_{:,j} = sum_i W_ij P X_{:,i}, entry by entry."""
    product, tokens, value = (entries(name, 3, 3) for name in "pxw")

    def test() -> bool:
        whole = (product * tokens * value).col(0)
        parts = sum((value[i, 0] * product * tokens.col(i) for i in range(3)), start=0 * whole)
        return (whole - parts).expand() == 0 * whole

    return Checked(
        r"(PXW)_{:,j}=\textstyle\sum_iW_{ij}PX_{:,i}",
        "associativity of the matrix product; entries written out for N = d = 3",
        test,
    )


def sum_against_norm() -> tuple[Any, ...]:
    """(sum_i |w_i|)^2 <= d sum_i w_i^2 <= d K^2, Cauchy-Schwarz by Lagrange's identity."""
    one, other, total, squares, size = symbols("w_i w_k S Q d", real=True)
    return (
        algebra(
            r"\textstyle\tfrac12\sum_{i,k}(|w_i|-|w_k|)^2=d\sum_iw_i^2-(\sum_i|w_i|)^2",
            (size * squares - 2 * total * total + squares * size) / 2, size * squares - total**2,
            "the three sums over pairs, by expanding the square",
        ),
        algebra(r"(w_i-w_k)^2=w_i^2-2w_iw_k+w_k^2", (one - other) ** 2,
                one**2 - 2 * one * other + other**2),
    )  # fmt: skip


@proves(claims.weights_can_be_dropped)
def by_columns(claim: Claim) -> Certificate:
    """The triangle inequality over columns, Corollary 2 for each, Cauchy-Schwarz for the weights."""
    decay = (1 - epsilon**r) ** (t / r)
    steps = (
        linear_in_columns(), *positive_column(), *shared_part(), *between_multiples(),
        *sum_against_norm(),
    )  # fmt: skip
    return bounded(
        claim, claims.columns_contract_with_bounded_values,
        (C_j * weights * decay, C_j * sqrt(d) * K * decay), steps=steps,
        method="triangle inequality and Corollary 2 by columns", scope=f"{CENTRED}; all d >= 1, A3",
    )  # fmt: skip
