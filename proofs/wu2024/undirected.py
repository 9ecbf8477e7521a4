r"""Equilibria on undirected masks: an invertible attention matrix, and W_V its inverse.

With X = I and W_V = A^{-1} the layer returns A I A^{-1} = I.  Strict diagonal dominance makes A
invertible.  On a cycle uniform attention A acts on the Fourier mode C_l, of entries
cos(2 pi l (i - j)/N), as the number (1 + 2 cos(2 pi l/N))/3, and X is a multiple of the sum C of
k modes: so A X is symmetric, hence A X = X A and A X A^{-1} = X.
"""

from __future__ import annotations

from functools import cache

from sympy import FiniteSet, Interval, Symbol, cos, pi, simplify, solveset, sqrt, symbols
from sympy.matrices.expressions import Identity, Inverse, MatrixSymbol

from claims.model import Claim
from claims.wu2024 import undirected as claims
from claims.wu2024.notation import N
from claims.wu2024.undirected import modes
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves


def layer_returns_identity() -> bool:
    A = MatrixSymbol("A", N, N)
    return bool((A * Identity(N) * Inverse(A)).doit() == Identity(N))


def attention_is_dominant() -> bool:
    """Row i holds, up to a positive total, N once and 1 for each of at most N - 1 neighbours."""
    size = Symbol("N", integer=True, positive=True)
    missing = Symbol("c", integer=True, nonnegative=True)  # tokens that token i does not attend to
    return bool((size - (size - 1 - missing)).is_positive)


def factor_drops_out() -> bool:
    c, u, rest = symbols("c u rest", positive=True)
    scaled = c * u / sqrt((c * u) ** 2 + c**2 * rest)
    return bool(simplify(scaled - u / sqrt(u**2 + rest)) == 0)


@cache
def full_rank() -> tuple[Checked, ...]:
    """X = I is fixed for W_V = A^{-1}, and A is invertible."""
    return (
        Checked(
            r"A\,I\,A^{-1}=I,\ \text{with rows of norm one, so } D=I",
            "matrix algebra",
            layer_returns_identity,
        ),
        Checked(
            r"X=I,\ \tfrac1{\sqrt d}W_QW_K^\top=\log N\,I:\quad A_{ii}-\sum_{j\ne i}A_{ij}"
            r"\propto N-(\deg_i-1)\ge1>0,\ \text{so } A^{-1}\ \text{exists}",
            "strict diagonal dominance (Levy-Desplanques, cited)",
            attention_is_dominant,
        ),
        Checked(
            r"\mathrm{LN}(AX(cW_V))=\mathrm{LN}(AXW_V)\ (c>0),\ \text{so } W_V/\|W_V\|_2"
            r"\ \text{serves, which satisfies A3}",
            "a row and its norm scale alike",
            factor_drops_out,
        ),
    )


def averaged_mode() -> bool:
    """(cos(a(s-1)) + cos(a s) + cos(a(s+1)))/3 = (1 + 2 cos a)/3 cos(a s)."""
    a, s = symbols("a s", real=True)
    mean = (cos(a * s - a) + cos(a * s) + cos(a * s + a)) / 3
    return bool(simplify(mean.expand(trig=True) - (1 + 2 * cos(a)) / 3 * cos(a * s)) == 0)


def eigenvalues_vanish_at_thirds_only() -> bool:
    """1 + 2 cos x = 0 on [0, 2 pi) at 2 pi/3 and 4 pi/3; x = 2 pi l/N then makes 3 divide N."""
    x = Symbol("x", real=True)
    zeros = solveset(1 + 2 * cos(x), x, Interval.Ropen(0, 2 * pi))
    return bool(zeros == FiniteSet(2 * pi / 3, 4 * pi / 3))


def sums_telescope() -> bool:
    z, j = symbols("z j")
    return bool(simplify(z ** (j + 1) - z**j - (z - 1) * z**j) == 0)


def modes_are_closed() -> bool:
    """k different modes, closed under l -> N - l, for every 1 <= k <= N: so C is real."""
    return all(
        len(chosen := set(modes(size, rank))) == rank
        and chosen == {-mode % size for mode in chosen}
        for size in range(4, 24)
        for rank in range(1, size + 1)
        if size % 3
    )


@cache
def every_rank() -> tuple[Checked, ...]:
    """On a cycle: A C = sum_l lambda_l C_l is symmetric, and C/N a projection of rank k."""
    return (
        Checked(
            r"AC_l=\lambda_lC_l,\ \lambda_l=\tfrac13(1+2\cos\tfrac{2\pi l}N)\ \Rightarrow\ "
            r"AC=\textstyle\sum_l\lambda_lC_l=(AC)^\top=CA",
            "angle sums; $A$ and $C$ are symmetric",
            averaged_mode,
        ),
        Checked(
            r"\lambda_l=0\iff \tfrac lN\in\{\tfrac13,\tfrac23\},\ \text{impossible for } 3\nmid N",
            r"zeros of $1+2\cos x$",
            eigenvalues_vanish_at_thirds_only,
        ),
        Checked(
            r"\sum_{j<N}z^j=\tfrac{z^N-1}{z-1}=0\ (z^N=1\ne z)\ \Rightarrow\ "
            r"\left(\tfrac CN\right)^2=\tfrac CN",
            "telescoping sum: different modes are orthogonal",
            sums_telescope,
        ),
        Checked(
            r"C_{ii}=k\ \Rightarrow\ \mathrm{rank}\,C=\mathrm{tr}\tfrac CN=k,\ "
            r"\tfrac{(C^2)_{ii}}{Nk}=1:\ X=\tfrac{C}{\sqrt{Nk}}\ \text{has unit rows}",
            r"$k$ modes, closed under $l\mapsto N-l$, each with $\cos0=1$ on the diagonal",
            modes_are_closed,
        ),
    )


@proves(claims.undirected_masks_have_equilibria_of_full_rank)
def by_inverting_attention(claim: Claim) -> Certificate:
    """W_V = A^{-1} undoes the averaging; on cycles it does so for every circulant X at once."""
    method = "$W_V$ the inverse of the attention matrix"
    return argued(claim, steps=(*full_rank(), *every_rank()), method=method)
