r"""Products of i.i.d. Markov matrices: what is left of $A_p\cdots A_1-\varphi\varphi^\top$ (Lemma A.3).

Exact means are those of rows with law Dirichlet(a, ..., a), which is Definition 3.1 for gamma
variables Z of shape a: mean a, variance a, and variance $1/a$ once the mean is one.  Second moments of
a row, and of a column-free part $A^\perp$, follow from $\mathbb E\,A_{ij}A_{ik}=(a+\delta_{jk})/(T(aT+1))$.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    oo,
    ones,
)

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.naitsaada2025.interlacing import Matrix, mean, normalised, squared_singular_values
from claims.naitsaada2025.notation import T, p, q, source
from claims.statement import Compare, ForAll, Quantity, Tends, measured_family
from claims.terms import entry, family

a, first_size, growth = (
    Symbol(name, integer=True, positive=True) for name in ("a", "T_0", "\\gamma^{-1}")
)
bound = Symbol("C", real=True, positive=True)
size = Symbol("t", integer=True, positive=True)
i, j = (Symbol(name, integer=True) for name in "ij")

GAMMA = Hypothesis(
    r"Z_{ij}\ \text{i.i.d. gamma variables of shape}\ a\ (a=1:\ \text{exponential}),\ \sigma^2=1/a"
)
MARKOV = Hypothesis(r"A_1,\dots,A_p\in\mathbb R^{T\times T}\ \text{independent i.i.d. Markov matrices}")
SEVERAL = Hypothesis(r"p\ge2")

# Exact second moments ------------------------------------------------------------------------------


def row_moments(tokens: int, shape: Any) -> Matrix:
    """E of the products of two entries of one row."""
    divisor = tokens * (shape * tokens + 1)
    return Matrix(tokens, tokens, lambda j, k: (shape + KroneckerDelta(j, k)) / divisor)


def after_factor(second: Matrix, shape: Any, centred: bool) -> Matrix:
    """E[A^T S A], or the same of A less its mean, for independent rows."""
    tokens = second.rows
    own, other = row_moments(tokens, shape), mean(tokens) / tokens
    if centred:
        return second.trace() * (own - other)
    return second.trace() * own + (sum(second) - second.trace()) * other


def after_factors(second: Matrix, count: int, shape: Any, centred: bool = False) -> Matrix:
    """The same after several independent factors."""
    for _ in range(count):
        second = after_factor(second, shape, centred)
    return second


def mean_square_along_ones(tokens: int, count: int, shape: Any) -> Expr:
    """E |phi^T (A_p...A_1 - phi phi^T)|^2; the mean of each factor is phi phi^T."""
    return after_factors(mean(tokens), count, shape).trace() - 2 * mean(tokens).trace() + 1


def mean_square_norm(tokens: int, count: int, shape: Any) -> Expr:
    """E |A_p...A_1 - phi phi^T|_F^2."""
    every = after_factors(Matrix.eye(tokens), count, shape).trace()
    return every - 2 * mean(tokens).trace() + 1


def mean_square_of_rest(tokens: int, count: int, shape: Any) -> Expr:
    """E |A_p^perp...A_1^perp|_F^2."""
    return after_factors(Matrix.eye(tokens), count, shape, centred=True).trace()


ratio = (T - 1) / (T * (a * T + 1))
"""E |x^T A^perp|^2 for a unit vector x."""
_k = Symbol("k", integer=True)
GEOMETRIC = Sum(ratio**_k, (_k, 1, p))

along = Quantity(
    r"\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2",
    lambda at: mean_square_along_ones(int(at[T]), int(at[p]), at[a]),
)
whole = Quantity(
    r"\mathbb E\|A_p\cdots A_1-\varphi\varphi^\top\|_F^2",
    lambda at: mean_square_norm(int(at[T]), int(at[p]), at[a]),
)
rest = Quantity(
    r"\mathbb E\|A_p^\perp\cdots A_1^\perp\|_F^2",
    lambda at: mean_square_of_rest(int(at[T]), int(at[p]), at[a]),
)
along_at = family(
    r"\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2_{{T={}}}",
    lambda at, tokens: mean_square_along_ones(tokens, int(at[p]), at[a]),
)

_shape = Size(a, 1, 2)
several_factors = Domain((Size(T, 2, 4), Size(p, 2, 3), _shape))

# The rate of Lemma A.3 -----------------------------------------------------------------------------

largest_singular_value_of_products = Claim(
    id="naitsaada2025.lemma-A.3.rate.repair",
    parent="naitsaada2025.lemma-A.3.rate",
    source=source("App. A.3", "Lemma A.3, Eq. (24)"),
    kind="rate",
    title=r"$s_1(A_p\cdots A_1-\varphi\varphi^\top)$ is of order $T^{-1/2}$ for every $p\ge2$.",
    statement=along.equals(GEOMETRIC)
    & Compare(along, ">=", ratio)
    & whole.equals(Sum(ratio**_k, (_k, 1, p - 1)) + T * ratio**p)
    & Compare(whole, "<=", p / (a * T)),
    domain=several_factors,
    hypotheses=(MARKOV, GAMMA, SEVERAL),
    note=(
        r"$\|\varphi^\top M\|\le s_1(M)\le\|M\|_F$, so that $\mathbb E s_1^2$ lies between "
        r"$\frac{T-1}{T(aT+1)}$ and $\frac p{aT}$: the term $\varphi\varphi^\top A_1^\perp$, the uneven "
        "column sums of the first factor, does not shrink with more factors."
    ),
)

largest_singular_value_of_products_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.rate",
    source=source("App. A.3", "Lemma A.3, Eq. (24)"),
    kind="rate",
    title=r"$s_1(A_p\cdots A_1-\varphi\varphi^\top)$ is of order $T^{-p/2}$.",
    statement=ForAll(size, first_size, oo, Compare(along_at(size), "<=", bound / size**p)),
    domain=Domain((Size(p, 2, 3), _shape, Real(bound, 0, open_low=True), Size(first_size, 2, 5))),
    hypotheses=(
        MARKOV,
        GAMMA,
        SEVERAL,
        Hypothesis(r"\|\varphi^\top M\|\le s_1(M),\ \text{in mean square};\ C,T_0\ \text{any constants}"),
    ),
    left_open=(bound, first_size),
    severity="material",
    repair=largest_singular_value_of_products,
    printed=(
        r"s_1(\mathbf{A}_p \dots \mathbf{A}_1 - \frac{1}{T} \mathbf{1}_{T \times T}) = O(T^{-p/2})"
    ),
    note=(
        r"$T^p\,\mathbb E\|\varphi^\top(A_p\cdots A_1-\varphi\varphi^\top)\|^2\ge T^{p-1}\frac{T-1}{aT+1}$ "
        r"has no bound for $p\ge2$; for $p=1$ the rate is right. The variable is concentrated, so that "
        "the rate fails with probability near one, not only in mean square."
    ),
)
