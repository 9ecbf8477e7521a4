r"""Tokens of rank one (Sec. 3.1, App. A.1.3): their mean, second moment and covariance.

Rank-one tokens are X = a x^T with coefficients a, one per token; they are collapsed when X = 1 x^T.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Symbol, ZeroMatrix

from claims.domain import Array, Computed, Condition, Domain, Equal, Point, Real, Size
from claims.expressions import FrobSq, Named, Total
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.notation import X, centre, d_v, n, source, xbar
from claims.noci2022.setup import tokens
from claims.statement import Compare

a, x = MatrixSymbol("a", n, 1), MatrixSymbol("x", d_v, 1)
c = Symbol("c", real=True)

RANK_ONE = Hypothesis(r"\mathrm{rank}(X)=1")

nonzero_x = Condition(r"x\ne0", lambda point: any(point[x]), Compare(FrobSq(x), ">", 0))
nonzero_a = Condition(r"a\ne0", lambda point: any(point[a]))
tied_tokens = Computed(X, lambda at: ImmutableDenseMatrix.ones(at[n], 1) * at[x].T)
rank_one_tokens = Computed(X, lambda at: at[a] * at[x].T)
rank_one = Domain(
    (Size(n, 2, 4), Size(d_v, 1, 3), Array(a), Array(x), rank_one_tokens), (nonzero_x, nonzero_a)
)


def centred_covariance(point: Point) -> ImmutableDenseMatrix:
    """(1/n) sum_k (X_ki - mean_i)(X_kj - mean_j)."""
    rows = point[X].tolist()
    size, width = len(rows), len(rows[0])
    mean = [sum(row[i] for row in rows) / Integer(size) for i in range(width)]
    return ImmutableDenseMatrix(
        width,
        width,
        lambda i, j: sum((r[i] - mean[i]) * (r[j] - mean[j]) for r in rows) / Integer(size),
    )


_COVARIANCE = r"\tfrac1n\sum_k(X_k-\bar x)(X_k-\bar x)^\top"
covariance = X.T * X / n - xbar * xbar.T

covariance_of_tokens_is_the_centred_gram_matrix = Claim(
    id="noci2022.sec3.1.centred-covariance",
    source=source("Sec. 3.1", "after Lemma 3.1"),
    kind="identity",
    title=r"The centred token covariance is $X^\top X/n$ minus the outer square of the mean token.",
    statement=Relation(_COVARIANCE, (covariance, X.T * centre * X / n)),
    domain=tokens,
    define=centred_covariance,
    mutants=variants(
        ("n - 1 for n", X.T * centre * X / (n - 1)),
        ("n too often", X.T * X / n - n * xbar * xbar.T),
        ("not centred", X.T * X / n),
        ("dropped 1/n", X.T * centre * X),
        lhs=_COVARIANCE,
    ),
    printed=(
        r"\frac{1}{n} (\mathbf{X}^{\ell})^{\top} \mathbf{X}^{\ell} - \bar{\mathbf{x}}^{\ell} "
        r"(\bar{\mathbf{x}}^{\ell})^{\top}"
    ),
    note=r"The form $X^\top LX/n$ is not displayed here; App. A.1.2 has it, times $n$.",
)


_rank_one_covariance = (FrobSq(a) / n - Total(a) ** 2 / n**2) * (x * x.T)

covariance_of_rank_one_tokens = Claim(
    id="noci2022.sec3.1.rank-one-zero-covariance.repair",
    parent="noci2022.sec3.1.rank-one-zero-covariance",
    source=source("Sec. 3.1", "after Lemma 3.1"),
    kind="identity",
    title=r"Rank-one tokens $ax^\top$ have as covariance the variance of their coefficients times $xx^\top$.",
    statement=Relation(_COVARIANCE, (_rank_one_covariance,)),
    domain=rank_one,
    define=centred_covariance,
    hypotheses=(RANK_ONE, Hypothesis(r"X=a x^\top")),
    mutants=variants(
        ("zero", ZeroMatrix(d_v, d_v)),
        ("not centred", FrobSq(a) / n * (x * x.T)),
        lhs=_COVARIANCE,
    ),
    note=(
        "Rank one makes the rows proportional, but the covariance vanishes only if the "
        r"coefficients $a_k$ are all equal, that is for $X=1x^\top$, the case treated from there "
        "on."
    ),
)

rank_one_tokens_have_zero_covariance = Claim(
    id="noci2022.sec3.1.rank-one-zero-covariance",
    source=source("Sec. 3.1", "after Lemma 3.1"),
    kind="prose",
    title="Tokens of rank one are proportional to one vector and have zero covariance.",
    statement=Relation(_COVARIANCE, (ZeroMatrix(d_v, d_v),)),
    domain=rank_one,
    define=centred_covariance,
    hypotheses=(RANK_ONE,),
    uses=(covariance_of_tokens_is_the_centred_gram_matrix,),
    mutants=(
        Mutant(
            "equal norms for rank one",
            Relation(_COVARIANCE, (ZeroMatrix(d_v, d_v),)),
            domain=Domain((Size(n, 2, 3), Size(d_v, 1, 3), Equal(X))),
        ),
    ),
    severity="missing-hypothesis",
    repair=covariance_of_rank_one_tokens,
    note=(
        "Tokens of rank one are $a_kx$, proportional as the sentence says; but the tokens $0$ and $1$ "
        "have covariance $1/4$. The coefficients must be equal."
    ),
)


def rank_one_moments(point: Point) -> tuple[Any, Any, Any]:
    """Mean-token outer square and X^T X for X = a x^T, and X^T X - n xbar xbar^T for X = c 1 x^T."""
    rows = point[X].tolist()
    size, width = len(rows), len(rows[0])
    mean = [sum(row[i] for row in rows) / Integer(size) for i in range(width)]
    equal = {X: ImmutableDenseMatrix(size, width, lambda _, i: point[c] * point[x][i])}
    return (
        ImmutableDenseMatrix(width, width, lambda i, j: mean[i] * mean[j]),
        ImmutableDenseMatrix(width, width, lambda i, j: sum(row[i] * row[j] for row in rows)),
        centred_covariance(equal) * size,
    )


_MOMENTS = (
    r"\left(\bar x\bar x^\top,\ X^\top X,\ (X^\top X-n\bar x\bar x^\top)|_{a_1=\dots=a_n=c}\right)"
)
_outer = Named(r"xx^\top", x * x.T)
_zero = ZeroMatrix(d_v, d_v)
_square_sum, _sum_square = FrobSq(a) * _outer, Total(a, r"(\textstyle\sum_ka_k)") ** 2 * _outer

moments_of_rank_one_tokens = Claim(
    id="noci2022.A.1.3.rank-one-entries",
    source=source("App. A.1.3", "proof of Theorem 3.2"),
    kind="identity",
    title="Mean and second moment of tokens $a_kx$; with equal $a_k$ their scatter is zero.",
    statement=Relation(_MOMENTS, ((_sum_square / n**2, _square_sum, _zero),)),
    domain=Domain((Size(n, 2, 4), Size(d_v, 1, 3), Array(a), Array(x), rank_one_tokens, Real(c))),
    define=rank_one_moments,
    hypotheses=(Hypothesis(r"X_k=a_k x"),),
    mutants=variants(
        ("1/n for 1/n^2", (_sum_square / n, _square_sum, _zero)),
        ("square of the sum for the sum of squares", (_sum_square / n**2, _sum_square, _zero)),
        ("n xbar xbar^T left out", (_sum_square / n**2, _square_sum, n * c**2 * _outer)),
        lhs=_MOMENTS,
    ),
    printed=(
        r"(\bar{\mathbf{x}}^\ell (\bar{\mathbf{x}}^\ell)^\top)_{ij} = \frac{1}{n^2} (\sum_k a_k)^2 "
        r"x_i x_j, \quad ((\mathbf{X}^\ell)^\top \mathbf{X}^\ell)_{ij} = \sum_k a_k^2 x_i x_j, "
        r"\quad ((\mathbf{X}^\ell)^\top \mathbf{X}^\ell)_{ij} - n (\bar{\mathbf{x}}^\ell "
        r"(\bar{\mathbf{x}}^\ell)^\top)_{ij} = 0 \ \forall i, j"
    ),
)
