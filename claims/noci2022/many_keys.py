r"""Assumption 3.1: attention of every layer becomes uniform, almost surely, as d_k grows.

The initialisation is that of Sec. 2; d_v, the depth and the tokens are fixed, as in App. A.5.  Rows of
A are convex weights, so that the tokens of layer l are bounded by

    R = max |X_j| times, for every block before, (1 + |alpha_1| |W^V|)(1 + |alpha_2| |W^F1| |W^F2|),

whose law does not depend on d_k; networks of different d_k may share weights or not.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, S, Symbol
from sympy.matrices.expressions import Identity

from claims.domain import Array, Choice, Domain, Point, Size
from claims.expressions import ones
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.noci2022.network import STRENGTHS
from claims.noci2022.notation import X, d_k, d_v, ell, n, source
from claims.noci2022.softmax import softmax
from claims.noci2022.uniformity import (
    attention_becomes_uniform,
    order_in_d_k,
    power,
    second_moment_along,
    summable_deviations_imply_almost_sure_convergence,
)

activation = Symbol("sigma")
INITIALISATION = Hypothesis(
    r"\text{weights independent, zero-mean; } W^Q,W^K\ \text{i.i.d. of variance}\ 1/d_k,\ "
    r"\text{the others of variance}\ 1/d_v\ (2/d_v\ \text{for}\ W^{F_1}\ \text{and ReLU})"
)
FIXED = Hypothesis(r"X,\ \ell\ \text{and}\ d_v\ \text{fixed},\ d_k\to\infty")


def limit_of_attention(point: Point) -> ImmutableDenseMatrix:
    """Almost sure limit of A^l, query and key weights of variance d_k^-theta; NaN where there is none.

    Given the tokens of the layer, a logit has an exact second moment.  For l = 0 these are those of
    the point; above, they are at most R long, and a moment is at most R^4 times that of unit tokens.
    """
    tokens = point[X]
    if point[ell]:
        first = [[Integer(int(z == 0)) for z in range(tokens.cols)]]
        tokens = ImmutableDenseMatrix(first * tokens.rows)
    rows = [tokens.row(r).T for r in range(tokens.rows)]
    law = (1 / d_k) ** point[power]
    orders = [order_in_d_k(second_moment_along(a, b, law)) for a in rows for b in rows]
    size = tokens.rows
    if all(order < -1 for order in orders):
        return softmax(ImmutableDenseMatrix.zeros(size, size))
    return ImmutableDenseMatrix(size, size, [S.NaN] * size**2)


def _deep(theta: int) -> Domain:
    return Domain(
        (
            Size(n, 2, 3), Size(d_v, 1, 3), Size(ell, 0, 2, reach=2), *STRENGTHS, Array(X),
            Choice(activation, ("relu", "linear")), Choice(power, (Integer(theta),)),
        )
    )  # fmt: skip


_LIMIT = r"\lim_{d_k\to\infty}A^\ell"
_uniform: Any = ones(n, n) / n
attention_of_every_layer_becomes_uniform = Claim(
    id="noci2022.assumption-3.1",
    source=source("Sec. 3.1", "Assumption 3.1"),
    kind="assumption",
    title="As $d_k$ grows, attention becomes uniform in every layer, almost surely.",
    statement=Relation(rf"{_LIMIT}\ \text{{(a.s.)}}", (_uniform,)),
    domain=_deep(1),
    define=limit_of_attention,
    hypotheses=(INITIALISATION, FIXED),
    uses=(attention_becomes_uniform, summable_deviations_imply_almost_sure_convergence),
    mutants=(
        *variants(
            ("1/n^2 for 1/n", ones(n, n) / n**2),
            ("n - 1 for n", ones(n, n) / (n - 1)),
            ("each token attends to itself", Identity(n)),
            lhs=_LIMIT,
        ),
        Mutant("unit variance", Relation(_LIMIT, (_uniform,)), domain=_deep(0)),
    ),
    printed=r"\mathbf{A}^\ell=\frac1n\mathbf{1}_{n\times n}",
    understood=(
        Understood(
            "$d_v$ and the tokens stay fixed, as in App. A.5, to which the sentence points.",
            r"$d_v=d_k$ and $X_{i,:}=X_{j,:}=1_{d_v}$: $\mathbb E[M_{ij}^2]=1$ for every $d_k$.",
        ),
    ),
    note=(
        "The sentence says that the assumption holds almost surely in the limit. App. A.5 shows it for "
        r"given tokens and Glorot's variance (`noci2022.theorem-A.2.uniform`); here the variances are those "
        r"of Sec. 2, and the tokens those of any layer, which move with $d_k$ themselves. They are bounded "
        r"by an $R$ whose law does not: averages by convex weights are no longer than the longest token, "
        r"and $|\sigma(z)|\le|z|$. So $\mathbb P(|M_{ij}|>\epsilon)\le\mathbb E\min(1,R^4/(\epsilon^2"
        r"d_k^2))$, with a sum of at most $2\,\mathbb E R^2/\epsilon$. That predictions are faithful at "
        r"$d_k=d_v\approx512$ is a sentence about simulations, and not judged here."
    ),
)
