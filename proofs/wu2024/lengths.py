r"""Proofs about lengths and distances of unit tokens, for all N and d."""

from __future__ import annotations

from typing import Any

from sympy import Identity as UnitMatrix
from sympy import Integer, MatrixSymbol, Trace, sqrt, symbols

from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.wu2024 import lengths as claims
from claims.wu2024.lengths import C, cosine, phi, rho
from claims.wu2024.notation import N, X, d, mu_squared
from proofs.calculus.wick import equal
from proofs.certificate import Certificate, Checked
from proofs.registry import proves
from proofs.wu2024.cosines import convex_combinations_are_short
from proofs.wu2024.steps import algebra, bounded, nonnegative

SPHERE = "all N >= 1, d >= 1 and all unit tokens"


def polarised() -> Checked:
    """|x - y|^2/2 = (|x|^2 + |y|^2)/2 - <x, y> for vectors of any length."""
    one, other = (MatrixSymbol(name, d, 1) for name in "xy")
    inner = Trace(one.T * other)
    return Checked(
        r"\tfrac12\|x-y\|_2^2=\tfrac12(\|x\|_2^2+\|y\|_2^2)-\langle x,y\rangle",
        "normal form of traces, d symbolic",
        lambda: equal(FrobSq(one - other) / 2, (FrobSq(one) + FrobSq(other)) / 2 - inner),
    )


@proves(claims.distance_is_bounded_by_the_cosine_gap)
def by_polarisation(claim: Claim) -> Certificate:
    """Equality with the own cosine gap; the least cosine gives the largest gap."""
    least, c = symbols(r"\phi c", real=True)
    largest = nonnegative(
        r"(1-\phi)-(1-c)=c-\phi\ge0", (1 - least) - (1 - c), c - least, given=(c - least,)
    )
    unit = algebra(r"\tfrac12(1+1)-c=1-c", Integer(2) / 2 - c, 1 - c)
    return bounded(
        claim, claims.distance_is_bounded_by_the_cosine_gap, (1 - cosine, 1 - phi),
        steps=(polarised(), unit, largest), method="polarisation", scope=SPHERE,
    )  # fmt: skip


def spread_by_cosines() -> tuple[Any, ...]:
    """mu^2 = |X|^2 - |X^T 1|^2/N = sum over pairs of (1 - c_ij)/N <= (N - 1)(1 - phi)."""
    total = Trace(X * X.T) - Trace(ones(1, N) * X * X.T * ones(N, 1)) / N
    c, least, size = symbols(r"c_{ij} \phi N", real=True)
    centring = UnitMatrix(N) - ones(N, N) / N
    return (
        Checked(
            r"\mu(X)^2=\|X\|_F^2-\tfrac1N\|X^\top1\|_2^2",
            "normal form of traces, N and d symbolic",
            lambda: equal(mu_squared(), total) and equal(FrobSq(centring * X), total),
        ),
        algebra(
            r"N-\tfrac1N\textstyle\sum_{i,j}c_{ij}=\tfrac1N\sum_{i\ne j}(1-c_{ij})",
            size - (size + size * (size - 1) * c) / size, size * (size - 1) * (1 - c) / size,
            "N unit norms; c the mean of the N(N-1) cosines",
        ),
        nonnegative(
            r"\tfrac1{N(N-1)}\textstyle\sum_{i\ne j}(1-c_{ij})\le1-\phi",
            (1 - least) - (1 - c), c - least, given=(c - least,),
        ),
    )  # fmt: skip


@proves(claims.spread_is_bounded_by_the_cosine_rate)
def by_mean_cosine(claim: Claim) -> Certificate:
    """mu^2 is N - 1 times one minus the mean cosine, and so at most N C rho."""
    gap, size, share = symbols("g N-1 Crho", nonnegative=True)
    wider = nonnegative(
        r"NC\rho-(N-1)(1-\phi)=C\rho+(N-1)(C\rho-(1-\phi))\ge0",
        (size + 1) * share - size * gap, share, size * (share - gap), given=(share - gap,),
    )  # fmt: skip
    return bounded(
        claim, claims.spread_is_bounded_by_the_cosine_rate,
        (sqrt(C * N) * sqrt(rho), sqrt(C * (N - 1)) * sqrt(rho)),
        steps=(*spread_by_cosines(), wider), method="mu as the mean cosine", scope=SPHERE,
    )  # fmt: skip


def rotations_keep_length() -> Checked:
    """||x W||^2 = x W W^T x^T, where W W^T = I."""
    row, value = MatrixSymbol("x", 1, d), MatrixSymbol("W", d, d)
    return Checked(
        r"\|xW\|_2^2=\mathrm{tr}(xWW^\top x^\top)=\|x\|_2^2\ \text{for } WW^\top=I",
        "normal form of traces, d symbolic",
        lambda: equal(FrobSq(row * value), Trace(row * value * value.T * row.T)),
    )


@proves(claims.layernorm_never_shrinks_a_token)
def by_convexity(claim: Claim) -> Certificate:
    """A convex combination of unit vectors has norm at most one, rotated or not."""
    return bounded(
        claim, claims.layernorm_never_shrinks_a_token, (Integer(1),),
        steps=(*convex_combinations_are_short(), rotations_keep_length()),
        method="norm of a convex combination", scope=f"{SPHERE}; all masks and orthogonal W",
    )  # fmt: skip


@proves(claims.convex_combinations_stay_on_the_sphere)
def by_convexity_of_the_ball(claim: Claim) -> Certificate:
    """Two different tokens already have a mean of norm below one."""
    return bounded(
        claim, claims.convex_combinations_stay_in_the_ball, (Integer(1),),
        steps=(*convex_combinations_are_short(), rotations_keep_length()),
        method="norm of a convex combination", scope=f"{SPHERE}; all masks and orthogonal W",
    )  # fmt: skip
