r"""Layers of values alone, $A=I$: how fast a stack of Gaussian matrices collapses in depth, exactly.

$\Sigma_L=XX^\top$ with $X=X_0W_1\cdots W_L$.  Two means tell how many directions share the energy:
$\mathbb E(\mathrm{tr}\,\Sigma_L)^2$ and $\mathbb E\,\mathrm{tr}\,\Sigma_L^2$, whose quotient is $T$ for equal
directions and one for a single direction.
"""

from __future__ import annotations

from fractions import Fraction

from sympy import Integer, Matrix, Rational, Symbol, eye, oo

from claims.domain import Choice, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import WIDE, T, d, source
from claims.naitsaada2025.second_moments import (
    Moments,
    gaussian_row,
    identity_moments,
    through_layer,
)
from claims.statement import Compare, ForAll, Tends
from claims.terms import family

layers = Symbol("L", integer=True, nonnegative=True)
__all__ = ["layers", "square_of_the_trace", "trace_of_the_square"]


def moments(tokens: int, features: int, count: int) -> Moments:
    """Of Sigma_L, the innermost layer first; X_0 picks the first T rows of the outermost."""
    found = identity_moments(features if count else tokens)
    for place in range(count):
        rows = tokens if place == count - 1 else features
        found = through_layer(found, rows, gaussian_row)
    return found


def _of_square(at: Point, count: int) -> Rational:
    return Rational(moments(int(at[T]), int(at[d]), count).second_trace())


def _square_of_trace(at: Point, count: int) -> Rational:
    """E sum_ik N_ii N_kk."""
    places = moments(int(at[T]), int(at[d]), count).second.items()
    total = sum((v for (i, j, k, m), v in places if i == j and k == m), start=Fraction(0))
    return Rational(total)


trace_of_the_square = family(r"\mathbb E\,\mathrm{{tr}}\,\Sigma_{{{}}}^2", _of_square)
square_of_the_trace = family(r"\mathbb E(\mathrm{{tr}}\,\Sigma_{{{}}})^2", _square_of_trace)
P, Q = square_of_the_trace(layers), trace_of_the_square(layers)
_orthonormal = Domain(
    (Size(T, 1, 3, reach=4), Size(d, 1, 3, reach=4)),
    (WIDE,),
)
values_alone_collapse_over_as_many_layers_as_features = Claim(
    id="naitsaada2025.beyond.collapse-of-values-alone",
    source=source("Sec. 4", "A = I, of the highest stable rank and without gap"),
    kind="rate",
    title=(
        r"Without any attention the quotient of two means, $\mathbb E(\mathrm{tr}\Sigma_L)^2$ over "
        r"$\mathbb E\,\mathrm{tr}\Sigma_L^2$, exceeds one by at most $(T-1)(\frac{d-1}{d+2})^L$."
    ),
    statement=ForAll(
        layers, 0, oo,
        Compare(P + 2 * Q, "=", T * (T + 2) * (d * (d + 2)) ** layers)
        & Compare(P - Q, "=", T * (T - 1) * (d * (d - 1)) ** layers)
        & Compare(1, "<=", P / Q)
        & Compare(P / Q, "<=", 1 + (T - 1) * ((d - 1) / (d + 2)) ** layers),
    )
    & Tends(P / Q, layers, 1),
    domain=_orthonormal,
    hypotheses=(
        Hypothesis(r"\Sigma_L=XX^\top,\ X=X_0W_1\cdots W_L,\ X_0X_0^\top=I_T"),
        Hypothesis(r"(W_k)_{ij}\sim\mathcal N(0,1)\ \text{independent}"),
    ),
    note=(
        r"Of the two means: $\frac{\mathbb E(\mathrm{tr}\Sigma_L)^2}{\mathbb "
        r"E\,\mathrm{tr}\Sigma_L^2}=\frac{1+2\rho_L}{1-\rho_L}$ with "
        r"$\rho_L=\frac{T-1}{T+2}\bigl(\frac{d-1}{d+2}\bigr)^L$, for all $T\le d$; the bound is attained at "
        r"$L=0$, where it is $T$. For $L=cd$ and $T,d\to\infty$ it tends to $\frac{1+2e^{-3c}}{1-e^{-3c}}$: "
        r"depth collapses the rank at any width, by itself, but width puts it off; the gap needs one layer. "
        r"Both means are of rare networks. In one network "
        r"$\frac{(\mathrm{tr}\Sigma_L)^2}{\mathrm{tr}\Sigma_L^2}-1$ falls more slowly, like $e^{-\lambda L}$ "
        r"with $\lambda=\psi(\tfrac d2)-\psi(\tfrac{d-1}2)\approx\tfrac1d$, twice the difference of the first "
        r"two Lyapunov exponents of Gaussian matrices ($\psi$ the digamma function), again over a number of "
        r"layers of the order of the width."
    ),
)  # fmt: skip

# What may be modified ------------------------------------------------------------------------------

kind = Symbol("W")
periods = Symbol("k", integer=True, positive=True)
GAUSSIAN, ORTHOGONAL = "Gaussian", "orthogonal"


def _directions(at: Point, count: int) -> Rational:
    """E (tr Sigma)^2/E tr Sigma^2; of orthogonal values the powers of a reflection are taken."""
    if at[kind] == GAUSSIAN:
        return _square_of_trace(at, count) / _of_square(at, count)
    size = int(at[d])
    normal = Matrix(size, 1, range(1, size + 1))
    x = (eye(size) - 2 * normal * normal.T / normal.dot(normal)) ** count
    covariance = x[: int(at[T]), :] * x[: int(at[T]), :].T
    return covariance.trace() ** 2 / (covariance**2).trace()


directions = family(
    r"\frac{{\mathbb E(\mathrm{{tr}}\,\Sigma_{{{0}}})^2}}{{\mathbb E\,\mathrm{{tr}}\,\Sigma_{{{0}}}^2}}",
    _directions,
)
_both = Choice(kind, (GAUSSIAN, ORTHOGONAL))
modifications_only_slow_the_collapse = Claim(
    id="naitsaada2025.sec-4.only-slows",
    source=source("Sec. 4", "rank collapse observed in practice"),
    kind="prose",
    title="Modifications of the attention layer only slow the collapse in depth: it goes on.",
    statement=ForAll(
        periods, 1, 3,
        Compare(directions(periods * d) - 1, "<=", (T - 1) * Rational(1, 2) ** periods),
    ),
    domain=Domain((Size(T, 2, 3, reach=4), Size(d, 2, 3, reach=4), _both), _orthonormal.conditions),
    left_open=(kind,),
    probes=tuple({T: Integer(2), d: Integer(2), kind: law} for law in (GAUSSIAN, ORTHOGONAL)),
    hypotheses=(
        Hypothesis(
            r"\Sigma_L=XX^\top,\ X=X_0W_1\cdots W_L,\ X_0X_0^\top=I_T:\ "
            r"\text{the attention matrices are the identity}"
        ),
        Hypothesis(r"W_k\ \text{independent, all standard Gaussian or all orthogonal}"),
        Hypothesis(
            r"\text{collapse: every}\ d\ \text{layers halve, at least, what exceeds one direction, in mean}"
        ),
    ),
    uses=(values_alone_collapse_over_as_many_layers_as_features,),
    printed=(
        r"\text{architectural modifications of the attention layer can only slow the collapse rather "
        r"than completely prevent it}"
    ),
    note=(
        r"What counts as a modification of the attention layer decides. If it is of the attention matrix "
        r"alone, which knows nothing of the values, it is right: a product of Gaussian matrices gathers its "
        r"energy in one direction, and $A_\ell=I$ does not stop it (`naitsaada2025.sec-4.identity-attention`). "
        r"If the values belong to the layer, as $X=A(X_0)W^V$ has it, it is wrong, by the two modifications "
        r"that Sec. 4 itself proposes, taken together: with $A_\ell=I$ and orthogonal values "
        r"$\Sigma_L=\Sigma_0$ and $\mathrm{sr}(\Sigma_L)=T$ at every depth, so that no slower pace is met "
        r"either. Each of the two by itself only slows the collapse "
        r"(`naitsaada2025.sec-4.orthogonal-values`). Nor does the proviso settle it: repeated "
        r"multiplication collapses nothing where the factors are orthogonal."
    ),
)  # fmt: skip
