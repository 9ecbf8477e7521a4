r"""Proofs of Lemma 4 and Lemma 5: scores are bounded, and tokens stay in the rotated initial cone."""

from __future__ import annotations

from typing import Any

from sympy import MatrixSymbol, exp, sqrt, symbols

from claims.model import Claim
from claims.wu2024 import cone as claims
from claims.wu2024.cone import C
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import N, d
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.cosines import convex_combinations_are_short
from proofs.wu2024.lengths import rotations_keep_length
from proofs.wu2024.steps import (
    average_is_below_maximum,
    bounded,
    cauchy_schwarz,
    nonnegative,
)

TOKENS = "all N, d >= 1, all masks with self-loops, all orthogonal value matrices, all t"


def scores_are_bounded() -> tuple[Any, ...]:
    """|R_ij| <= C^2/sqrt(d_QK) = s, so 1/A_ij = 1 + sum over others of e^{R_ik - R_ij} <= 1 + (N-1)e^{2s}."""
    one, other, bound = symbols("q_i k_j C", nonnegative=True)
    size, rest, few, many = symbols("s e n N", nonnegative=True)
    first, second = symbols("R_{ik} R_{ij}", real=True)
    return (
        *cauchy_schwarz(),
        nonnegative(
            r"C^2-\|X_iW_Q\|\|X_jW_K\|\ge0\ \text{for unit tokens and norms}\le C",
            bound**2 - one * other, bound * (bound - one), one * (bound - other),
            given=(bound - one, bound - other),
        ),
        nonnegative(
            r"2s-(R_{ik}-R_{ij})\ge0\ \text{for } |R|\le s", 2 * size - (first - second),
            size - first, size + second, given=(size - first, size + second),
        ),
        nonnegative(
            r"(N-1)e-(n_i-1)e\ge0,\ e=e^{2s},\ n_i\le N\ \text{neighbours}",
            (many - 1) * rest - (few - 1) * rest, (many - few) * rest, given=(many - few,),
        ),
        Checked(
            r"e^x\ \text{increases}", "its derivative e^x is positive",
            lambda: bool(exp(first).diff(first).is_positive),
        ),
    )  # fmt: skip


@proves(claims.attention_has_a_floor_under_layernorm)
def by_bounded_scores(claim: Claim) -> Certificate:
    """Unit tokens have scores within C^2/sqrt(d_QK) of zero, whatever the layer."""
    return bounded(
        claim, claims.attention_has_a_floor_under_layernorm,
        (1 + (N - 1) * exp(2 * C**2 / sqrt(d_QK)),), steps=scores_are_bounded(),
        method="Cauchy-Schwarz inequality for the scores",
        scope="all N >= 2, d >= 1, d_QK >= 1, all masks with self-loops, all layers",
    )  # fmt: skip


def sums_stay_at_least_one() -> tuple[Any, ...]:
    """Induction over layers: a' = A D a has row sums sum_j A_ij D_jj s_j >= 1 for D, s >= 1."""
    weight, scale, total = symbols("A_{ij} D_{jj} s_j", nonnegative=True)
    tokens = MatrixSymbol("X", N, d)
    a, layer, diagonal = (MatrixSymbol(name, N, N) for name in ("a", "A", "D"))
    before, value = (MatrixSymbol(name, d, d) for name in ("V", "W"))
    stepped = layer * (diagonal * (a * tokens * before)) * value
    gathered = (layer * diagonal * a) * tokens * (before * value)
    return (
        Checked(
            r"A\,(D\,aX^{(0)}\tilde W)\,W=(ADa)\,X^{(0)}(\tilde WW)",
            "associativity, N and d symbolic",
            lambda: bool(stepped.doit() == gathered.doit()),
        ),
        nonnegative(r"A_{ij}D_{jj}a_{jk}\ge0", weight * scale * total),
        nonnegative(
            r"A_{ij}(D_{jj}s_j-1)\ge0,\ \text{summed over } j,\ \textstyle\sum_jA_{ij}=1",
            weight * (scale * total - 1), weight * (scale - 1) * total, weight * (total - 1),
            given=(scale - 1, total - 1),
        ),
        *convex_combinations_are_short(),
        rotations_keep_length(),
    )  # fmt: skip


@proves(claims.rows_are_nonnegative_combinations)
def by_unrolling_layers(claim: Claim) -> Certificate:
    """Products of the matrices A and D >= 1, which are not negative, applied to rotated tokens."""
    return argued(
        claim, steps=sums_stay_at_least_one(),
        method="induction over layers",
        scope=f"{TOKENS}, all unit tokens for which no row of A X W vanishes",
    )  # fmt: skip


def norms_stay_above_the_hull() -> tuple[Any, ...]:
    """|sum_j a_j X_j| = s |x| with x in the hull and s >= 1; and |x| >= <x, v> > 0 under (i)."""
    total, norm, least = symbols("s g gamma", nonnegative=True)
    weight, product_, smallest = symbols("a_j c_j c", nonnegative=True)
    return (
        nonnegative(
            r"s\|x\|-\gamma=(s-1)\|x\|+(\|x\|-\gamma)\ge0,\ x=\tfrac1s\textstyle\sum_ja_jX_j",
            total * norm - least, (total - 1) * norm, norm - least, given=(total - 1, norm - least),
        ),
        nonnegative(
            r"a_j(\langle X_j,v\rangle-c)\ge0,\ \text{so } \langle x,v\rangle\ge c="
            r"\min_j\langle X_j,v\rangle>0\ \text{on the hull}",
            weight * (product_ - smallest), given=(product_ - smallest,),
        ),
        *cauchy_schwarz(),
    )  # fmt: skip


@proves(claims.layernorm_scales_are_bounded)
def by_the_hull_of_the_initial_tokens(claim: Claim) -> Certificate:
    """A row of A X W is a convex combination of unit tokens, and at least a point of the initial hull."""
    steps = (*sums_stay_at_least_one(), *norms_stay_above_the_hull(), *average_is_below_maximum())
    return argued(
        claim, steps=steps,
        method="norms on the ball and on the hull of the initial tokens",
        scope=f"{TOKENS}, all initial unit tokens in an open hemisphere",
    )  # fmt: skip
