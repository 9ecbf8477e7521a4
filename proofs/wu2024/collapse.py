r"""Proofs of Theorem 1: a floor for the softmax, the rate through columns, and limits of tokens.

The rate rests on two facts proved for every N: r layers give a centre weight at least eps^r in every
row, so widths of columns contract by 1 - eps^r; and mu is at most sqrt(N)/2 times such widths.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, exp, log, sqrt, symbols

from claims.model import Claim
from claims.wu2024 import collapse as claims
from claims.wu2024.collapse import ranges
from claims.wu2024.dynamics import C, largest, product_bound
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import N, epsilon, r, t
from proofs.certificate import Certificate, Checked, Limit
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves
from proofs.wu2024.contraction import between_multiples, floor_is_at_most_half, shared_part
from proofs.wu2024.dynamics import (
    convex_combination,
    one_layer_more,
    operator_norm,
    score_from_norms,
)
from proofs.wu2024.steps import (
    algebra,
    bounded,
    cauchy_schwarz,
    nonnegative,
    positive_column,
)

# The floor of the attention -----------------------------------------------------------------------


def softmax_from_below() -> tuple[Any, ...]:
    """-log A_ij = log sum_k e^(R_ik - R_ij), at most log N + 2B for scores in [-B, B]."""
    own, score, bound = symbols("R_ij R_ik B", real=True)
    most, count, more = symbols("E n h", positive=True)
    return (
        algebra(
            r"e^{R_{ik}}/e^{R_{ij}}=e^{R_{ik}-R_{ij}}", exp(score) / exp(own), exp(score - own)
        ),
        nonnegative(
            r"2B-(R_{ik}-R_{ij})=(B-R_{ik})+(B+R_{ij})\ge0",
            2 * bound - (score - own), bound - score, bound + own,
            given=(bound - score, bound + own),
        ),
        Checked(r"e^x\ \text{increases}", "its derivative is positive",
                lambda: exp(own).diff(own).is_positive),
        nonnegative(
            r"Ne^{2B}-|\mathcal N_i|e^{2B}=(N-|\mathcal N_i|)e^{2B}\ge0",
            (count + more) * most - count * most, more * most,
        ),
        algebra(r"\log(Ne^{2B})=\log N+2B", log(count * exp(2 * bound)).expand(force=True),
                log(count) + 2 * bound),
    )  # fmt: skip


@proves(claims.attention_has_a_positive_floor)
def by_bounded_scores(claim: Claim) -> Certificate:
    """A3 bounds the tokens, A2 the scores, and a softmax of scores in [-B, B] is at least e^-2B/N."""
    score = C**2 * product_bound**2 * largest / sqrt(d_QK)
    return bounded(
        claim, claims.attention_has_a_positive_floor, (log(N) + 2 * score,),
        steps=(
            one_layer_more(), *convex_combination(), operator_norm(), *cauchy_schwarz(),
            score_from_norms(), *softmax_from_below(),
        ),
        method="bounded tokens, bounded scores, softmax from below",
        scope="all N, d, T, all masks with self-loops, all weights under A2 and A3 with S >= 1",
    )  # fmt: skip


# The rate (6) -------------------------------------------------------------------------------------


def mu_from_ranges() -> tuple[Any, ...]:
    """sum_i (y_i - mean)^2 <= sum_i (y_i - c)^2 at the middle c = (m+M)/2, each at most (M-m)^2/4."""
    y, low, high, mean, c, total = symbols("y_i m M g c s", real=True)
    count = Symbol("n", positive=True)
    middle = (low + high) / 2
    cross = (y - mean) ** 2 + 2 * (y - mean) * (mean - c) + (mean - c) ** 2
    return (
        algebra(r"(y_i-c)^2=(y_i-g)^2+2(y_i-g)(g-c)+(g-c)^2", (y - c) ** 2, cross),
        algebra(
            r"\textstyle\sum_i(y_i-g)=s-Ng=0\ \text{for } s=\sum_iy_i,\ g=s/N",
            (total - count * mean).subs(mean, total / count), Integer(0),
        ),
        nonnegative(
            r"\tfrac14(M-m)^2-(y_i-\tfrac{m+M}2)^2=(M-y_i)(y_i-m)\ge0",
            (high - low) ** 2 / 4 - (y - middle) ** 2, (high - y) * (y - low),
            given=(high - y, y - low),
        ),
    )  # fmt: skip


@proves(claims.tokens_collapse_exponentially)
def by_widths_of_columns(claim: Claim) -> Certificate:
    """mu(P X W) <= |W| mu(P X) <= S sqrt(N)/2 (sum of squared widths of P X)^(1/2)."""
    reached = (
        product_bound * sqrt(N * ranges) / 2 * (1 - epsilon**r) ** (t / r - (r - 1) / r),
    )  # fmt: skip
    return bounded(
        claim, claims.tokens_collapse_exponentially, reached,
        steps=(
            one_layer_more(), operator_norm(), *mu_from_ranges(), *positive_column(),
            *shared_part(), *floor_is_at_most_half(), *between_multiples(),
        ),
        method="widths of columns contract over r layers; mu from widths",
        scope="all N >= 2, d, t >= 0, all quasi-strongly connected masks with self-loops, "
        "all attention in A_{G,eps}, all W_V with products of norm at most S, S >= 1",
    )  # fmt: skip


# What tokens converge to --------------------------------------------------------------------------


def distances_vanish() -> tuple[Any, ...]:
    """(1 - q)^(t/r) -> 0 for 0 < q < 1."""
    q, size, layers = symbols("q r T", positive=True)
    sample = tuple({q: Rational(1, 2**k), size: Integer(k)} for k in (1, 2, 3))
    return (Limit((1 - q) ** (layers / size), layers, Integer(0), sample, "0 < 1 - q < 1"),)


def squeezed_columns() -> tuple[Any, ...]:
    """m <= y_i <= M with M falling, m rising and M - m -> 0: every y_i tends to the same number."""
    y, low, high, limit = symbols("y_i m M c", real=True)
    return (
        nonnegative(
            r"(M-m)-(y_i-m)=M-y_i\ge0", (high - low) - (y - low), high - y, given=(high - y,)
        ),
        algebra(
            r"y_i-c=(y_i-m)+(m-c),\ \text{both of size at most } M-m\ \text{for } m\le c\le M",
            y - limit, (y - low) + (low - limit),
        ),
    )  # fmt: skip


def limit_of_the_product() -> Checked:
    """P X W_t - 1 c W = (P X - 1 c) W_t + 1 c (W_t - W), entry by entry and hence as matrices."""
    p, c, w, limit = symbols("p c w_t w", real=True)
    return algebra(
        r"PX\tilde W^{(t)}-\mathbf 1cW=(PX-\mathbf 1c)\tilde W^{(t)}+\mathbf 1c(\tilde W^{(t)}-W)",
        p * w - c * limit, (p - c) * w + c * (w - limit), "distributivity, A3 bounds the first term",
    )  # fmt: skip


@proves(claims.tokens_converge_to_a_common_vector)
def by_squeezing_the_columns(claim: Claim) -> Certificate:
    """Columns of P X are squeezed to constants; what is left moves with the value products."""
    method = "columns between their extrema; product of limits"
    scope = (
        "all quasi-strongly connected masks with self-loops, all attention in A_{G,eps} and all "
        "value matrices under A3, the same or not in every layer"
    )
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    steps = (
        one_layer_more(), *positive_column(), *shared_part(), *floor_is_at_most_half(),
        *distances_vanish(), *squeezed_columns(), limit_of_the_product(),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)
