r"""The stable rank of a covariance between two functions of that of the signal, and of two singular values."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.definitions import frobenius_square
from claims.domain import Domain, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import T, d, source
from claims.naitsaada2025.stable_rank import (
    M,
    any_matrix,
    covariance_rank,
    k,
    largest,
    norm,
    rank,
    root,
    second,
)
from claims.statement import Compare, ForAll, Quantity

_several = Domain((Size(T, 2, 3), *any_matrix.variables[1:]), any_matrix.conditions)
EQUAL = ForAll(k, 2, T, Compare(root(k), "=", second))
_quotient = second**2 / largest**2
most, printed = 1 + _quotient * (rank - 1), 1 + (T - 1) * _quotient**2
least = 1 + (rank - 1) ** 2 / (T - 1)
__all__ = ["EQUAL", "least", "most", "norm", "printed"]

covariance_rank_between_functions_of_the_signals = Claim(
    id="naitsaada2025.beyond.stable-rank-of-the-covariance",
    source=source("Sec. 3.1", "Remark 3.5"),
    kind="bound",
    title=(
        r"$1+\frac{(\mathrm{sr}X-1)^2}{T-1}\le\mathrm{sr}(XX^\top)\le1+\frac{s_2^2}{s_1^2}(\mathrm{sr}X-1)$, "
        "which is never above the printed bound; all are one where the bulk is flat."
    ),
    statement=covariance_rank.at_least(least)
    & covariance_rank.at_most(most)
    & Compare(most, "<=", printed)
    & covariance_rank.at_least(1 + _quotient**2)
    & EQUAL.implies(Compare(least, "=", printed)),
    domain=_several,
    hypotheses=(Hypothesis(r"M=X\in\mathbb R^{T\times d},\ X\ne0,\ T\ge2"),),
    note=(
        r"With $\mathrm{sr}(X)-1=\sum_{i\ge2}s_i^2/s_1^2$. The printed bound, $T-1$ times the fourth power of "
        r"$s_2/s_1$, is attained by a flat bulk alone; where the bulk decays, the energy $\mathrm{sr}(X)-1$ "
        "takes the place of the number of tokens. The last bound from below is attained at rank two."
    ),
)

# From means of norms ------------------------------------------------------------------------------

kappa, t = Symbol("kappa", real=True, positive=True), Symbol("t", real=True)
covariance_norm = Quantity(
    r"\|MM^\top\|_F^2", lambda at: frobenius_square(at[M] * at[M].T), nonnegative=True
)
tangent = (1 - 1 / kappa) * (2 * t * norm - t**2 * covariance_norm - kappa)
_tangents = Domain((*_several.variables, Real(kappa, 1), Real(t)), _several.conditions)
_flat = _tangents.completed(
    {
        T: Integer(3),
        d: Integer(3),
        M: ImmutableDenseMatrix.diag(1, Rational(1, 8), Rational(1, 8)),
        kappa: Rational(33, 32),
        t: Rational(33, 32),
    }
)
"""A flat bulk and nearly its own tangent: both sides are nearly equal."""
tangents_below_the_rank = Claim(
    id="naitsaada2025.beyond.stable-rank-from-two-means",
    source=source("Sec. 3.1", "Remark 3.5"),
    kind="bound",
    title=(
        r"$(T-1)(\mathrm{sr}(XX^\top)-1)$ is above tangents that are linear in $\|X\|_F^2$ and "
        r"$\|XX^\top\|_F^2$, so that two means bound the mean of the stable rank from below."
    ),
    statement=Compare((T - 1) * (covariance_rank - 1), ">=", tangent),
    domain=_tangents,
    probes=(_flat,),
    hypotheses=(
        Hypothesis(r"M=X\in\mathbb R^{T\times d},\ X\ne0,\ T\ge2,\ \kappa\ge1,\ t\in\mathbb R"),
    ),
    uses=(covariance_rank_between_functions_of_the_signals,),
    note=(
        r"For a random $X$, with $t=\mathbb E\|X\|_F^2/\mathbb E\|XX^\top\|_F^2$ and "
        r"$\kappa=\mathbb E\|X\|_F^2\big/\sqrt{\mathbb E\|XX^\top\|_F^2}$, where it is above one, the mean of "
        r"both sides is $\mathbb E\,(\mathrm{sr}(XX^\top)-1)\ge\frac{(\kappa-1)^2}{T-1}$."
    ),
)
