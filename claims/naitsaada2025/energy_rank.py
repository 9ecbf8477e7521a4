r"""The stable rank of a covariance between two functions of that of the signal, and of two singular values."""

from __future__ import annotations

from claims.domain import Domain, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.stable_rank import (
    any_matrix,
    covariance_rank,
    k,
    largest,
    rank,
    root,
    second,
)
from claims.statement import Compare, ForAll

_several = Domain((Size(T, 2, 3), *any_matrix.variables[1:]), any_matrix.conditions)
EQUAL = ForAll(k, 2, T, Compare(root(k), "=", second))
_quotient = second**2 / largest**2
most, printed = 1 + _quotient * (rank - 1), 1 + (T - 1) * _quotient**2
least = 1 + (rank - 1) ** 2 / (T - 1)
__all__ = ["EQUAL", "least", "most", "printed"]

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
