r"""After Prop. A.8: the rank of $\Sigma_\ell^\perp$, whose attention matrices have rows that sum to zero."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.domain import Array, Condition, Domain, Point, Size, UpTo
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.layers import (
    X0,
    Isotropic,
    Stack,
    W,
    attentions,
    forward,
    values,
)
from claims.naitsaada2025.markov import STOCHASTIC, A, Markov
from claims.naitsaada2025.notation import T, d, depth, source
from claims.statement import Quantity


def exact_rank(matrix: ImmutableDenseMatrix) -> int:
    """Over the rational numbers."""
    return int(matrix.to_DM().to_field().rank())


def covariance_rank(at: Point) -> Integer:
    """The rank of X X^T for the signal X of the model without the gap."""
    signal = forward(at, gap=False)
    return Integer(exact_rank(signal * signal.T))


rank = Quantity(r"\mathrm{rank}(\Sigma_\ell^\perp)", covariance_rank)
_invertible = Condition(
    r"A_1,\dots,A_\ell,W_1^V,\dots,W_\ell^V\ \text{invertible}",
    lambda at: all(exact_rank(m) == m.rows for m in (*at[attentions], *at[values])),
)


def invertible_layers(fewest: int) -> Domain:
    """One layer or two over this many orthonormal tokens at least."""
    return Domain(
        (
            Size(depth, 1, 2), Size(d, fewest, 3), UpTo(T, fewest, 3, last=d),
            Stack(attentions, Markov(A, 2)), Isotropic(X0), Stack(values, Array(W, 2)),
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
_eye = ImmutableDenseMatrix.eye(2)

covariance_misses_one_dimension = Claim(
    id="naitsaada2025.prop-A.8.full-rank.repair",
    parent="naitsaada2025.prop-A.8.full-rank",
    title=r"For $\gamma\le1$ the rank of $\Sigma_\ell^\perp$ is $T-1$ at every depth.",
    statement=rank.equals(T - 1),
    domain=invertible_layers(1),
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
    domain=invertible_layers(2),
    hypotheses=_hypotheses,
    severity="misprint",
    repair=covariance_misses_one_dimension,
    probes=(
        {
            depth: Integer(1), d: Integer(2), T: Integer(2),
            attentions: (ImmutableDenseMatrix([[2, 1], [1, 2]]) * Rational(1, 3),),
            X0: _eye, values: (_eye,),
        },
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
