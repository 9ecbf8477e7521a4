r"""After Prop. A.8: the rank of $\Sigma_\ell^\perp$, whose attention matrices have rows that sum to zero."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, Rational, Sum, Symbol

from claims.domain import Array, Computed, Condition, Domain, Point, Size, UpTo
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.layers import (
    X0,
    Isotropic,
    Stack,
    W,
    attentions,
    forward,
    gapless,
    i,
    j,
    m,
    t,
    values,
)
from claims.naitsaada2025.markov import STOCHASTIC, A, Markov
from claims.naitsaada2025.notation import T, d, depth, source
from claims.ranks import exact_rank, gram_rank
from claims.statement import And, Compare, ForAll, Formula, Quantity
from claims.terms import entry

inverse_attentions, inverse_values = Symbol("A^{+}_{1..L}"), Symbol("(W^V)^{+}_{1..L}")
"""Hold the pseudo-inverses, one per layer, which are inverses where there are any."""


def pseudo_inverse(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Of Moore and Penrose; the inverse of an invertible matrix."""
    if exact_rank(matrix) < matrix.rows:
        return ImmutableDenseMatrix(matrix.pinv())
    return ImmutableDenseMatrix(matrix.to_DM().to_field().inv().to_Matrix())


def _inverses(symbol: Symbol, stack: Symbol) -> Computed:
    return Computed(symbol, lambda at: tuple(map(pseudo_inverse, at[stack])))


def inverted(stack: Symbol, inverse: Symbol, size: Any) -> Formula:
    """In every layer the product of the two is the identity."""
    product = Sum(entry(stack)(t, i, m) * entry(inverse)(t, m, j), (m, 1, size))
    same = Compare(product, "=", KroneckerDelta(i, j))
    return ForAll(t, 0, depth - 1, ForAll(i, 1, size, ForAll(j, 1, size, same)))


def covariance_rank(at: Point) -> Integer:
    """The rank of X X^T for the signal X of the model without the gap."""
    signal = forward(at, gap=False)
    return Integer(exact_rank(signal * signal.T))


rank = Quantity(r"\mathrm{rank}(\Sigma_\ell^\perp)", covariance_rank)
rank_of_gram = gram_rank(r"\mathrm{{rank}}(X_\ell^\perp X_\ell^{{\perp\top}})", gapless)
_invertible = Condition(
    r"A_1,\dots,A_\ell,W_1^V,\dots,W_\ell^V\ \text{invertible}",
    lambda at: all(exact_rank(m) == m.rows for m in (*at[attentions], *at[values])),
    And((inverted(attentions, inverse_attentions, T), inverted(values, inverse_values, d))),
)


_weight = entry(attentions)(t, i, j)
ROW_SUMS = ForAll(t, 0, depth - 1, ForAll(i, 1, T, Compare(Sum(_weight, (j, 1, T)), "=", 1)))


def invertible_layers(fewest: int) -> Domain:
    """One layer or two over this many orthonormal tokens at least."""
    return Domain(
        (
            Size(depth, 1, 2), Size(d, fewest, 3), UpTo(T, fewest, 3, last=d),
            Stack(attentions, Markov(A, 2), known=(ROW_SUMS,)), Isotropic(X0),
            Stack(values, Array(W, 2)),
            _inverses(inverse_attentions, attentions), _inverses(inverse_values, values),
        ),
        (_invertible,),
    )  # fmt: skip


_one: Any = {"source": source("App. A.4", "after Prop. A.8"), "kind": "prose"}
_hypotheses = (
    STOCHASTIC,
    Hypothesis(r"X_0X_0^\top=I,\ T\le d"),
    Hypothesis(
        r"\Sigma_\ell^\perp=X_\ell^\perp X_\ell^{\perp\top},\ "
        r"X_\ell^\perp=A_\ell^\perp\cdots A_1^\perp X_0W_1^V\cdots W_\ell^V,\ \ell=L"
    ),
)
_eye, _square = ImmutableDenseMatrix.eye(2), invertible_layers(2)

from_one_token = invertible_layers(1)
covariance_misses_one_dimension = Claim(
    id="naitsaada2025.prop-A.8.full-rank.repair",
    parent="naitsaada2025.prop-A.8.full-rank",
    title=r"For $\gamma\le1$ the rank of $\Sigma_\ell^\perp$ is $T-1$ at every depth.",
    statement=rank.equals(T - 1),
    domain=from_one_token,
    hypotheses=_hypotheses,
    note=(
        "Invertible matrices are almost sure for Gaussian $W$ and for $Z$ with a density; without them "
        "the rank is at most $T-1$. One zero among $T$ singular values leaves the limit law as it is."
    ),
    **_one,
)
covariance_has_full_rank = Claim(
    id="naitsaada2025.prop-A.8.full-rank",
    title=r"$\gamma\le1$ ensures that $\Sigma_\ell^\perp$ is of full rank.",
    statement=rank.equals(T),
    domain=_square,
    hypotheses=_hypotheses,
    severity="misprint",
    repair=covariance_misses_one_dimension,
    probes=(
        _square.completed({
            depth: Integer(1), d: Integer(2), T: Integer(2),
            attentions: (ImmutableDenseMatrix([[2, 1], [1, 2]]) * Rational(1, 3),),
            X0: _eye, values: (_eye,),
        }),
    ),
    printed=r"\Sigma_\ell^\perp \text{ is full-rank}",
    understood=(
        Understood("$T\\ge2$.", r"For $T=1$ there is no other weight than 1, and $\Sigma_\ell^\perp=0$."),
    ),
    note=(
        r"$A_\ell^\perp1=0$, so that the square matrix $A_\ell^\perp$ is singular at every size, and with "
        r"it $\Sigma_\ell^\perp$: one singular value is zero for every $\gamma$. The proof of Lemma A.3 says "
        r"so of $A^\perp$; that the limit law has no atom at zero is right. Asked here of invertible attention "
        r"and value matrices only."
    ),
    **_one,
)  # fmt: skip
