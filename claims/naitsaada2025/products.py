r"""Products of i.i.d. Markov matrices: what is left of $A_p\cdots A_1-\varphi\varphi^\top$ (Lemma A.3).

Exact means are those of rows with law Dirichlet(a, ..., a), which is Definition 3.1 for gamma
variables Z of shape a: mean a, variance a, and variance $1/a$ once the mean is one.  Second moments of
a row, and of a column-free part $A^\perp$, follow from $\mathbb E\,A_{ij}A_{ik}=(a+\delta_{jk})/(T(aT+1))$.
"""

from __future__ import annotations

from math import prod
from typing import Any

from sympy import (
    Expr,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    oo,
)

from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.interlacing import Matrix, mean, normalised
from claims.naitsaada2025.notation import T, p, q, source
from claims.statement import And, Compare, ForAll, Quantity, Tends, measured_family
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
MARKOV = Hypothesis(
    r"A_1,\dots,A_p\in\mathbb R^{T\times T}\ \text{independent i.i.d. Markov matrices}"
)
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
        Hypothesis(
            r"\|\varphi^\top M\|\le s_1(M),\ \text{in mean square};\ C,T_0\ \text{any constants}"
        ),
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

# The second singular value -------------------------------------------------------------------------

_CHAIN = Hypothesis(
    r"\|\varphi^\top A^\perp\|\le s_1(A^\perp),\ s_2(A)\le s_1(A_p^\perp\cdots A_1^\perp)"
    r"\le\|A_p^\perp\cdots A_1^\perp\|_F,\ A=A_p\cdots A_1,\ A^\perp=A-\varphi\varphi^\top"
)
three_factors = Domain((Size(T, 2, 4), Size(p, 3, 4), _shape))

second_singular_value_is_much_smaller = Claim(
    id="naitsaada2025.lemma-A.3.s2-equals-s1perp.repair",
    parent="naitsaada2025.lemma-A.3.s2-equals-s1perp",
    source=source("App. A.3, proof of Lemma A.3", "after Eq. (28)"),
    kind="rate",
    title=r"For $p\ge3$ factors $s_2(A)$ is smaller than $s_1(A^\perp)$ by a power of $T$.",
    statement=rest.equals(T * ratio**p)
    & Compare(along, ">=", ratio)
    & Compare(rest, "<=", along * T * ratio ** (p - 1)),
    domain=three_factors,
    hypotheses=(MARKOV, GAMMA, _CHAIN),
    note=(
        r"In mean square $s_2^2(A)/s_1^2(A^\perp)\le T r^{p-1}\le a^{1-p}T^{2-p}$. For $p=1$ both are "
        r"$2\sigma T^{-1/2}(1+o(1))$, but by the law of $A$ and not by the printed inequality; for "
        r"$p=2$ the quotient vanishes as well, since $s_1(A_2^\perp A_1^\perp)$ is of order $T^{-1}$."
    ),
)

second_singular_value_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.s2-equals-s1perp",
    source=source("App. A.3, proof of Lemma A.3", "after Eq. (28)"),
    kind="limit",
    title=r"$s_1(A^\perp)$ is $s_2(A)$ up to a factor that tends to one, for every $p$.",
    statement=Compare(along, "<=", 2 * rest),
    domain=three_factors,
    hypotheses=(
        MARKOV,
        GAMMA,
        _CHAIN,
        Hypothesis(r"1+o(1)\le\sqrt2\ \text{for}\ T\ge T_0,\ \text{in mean square};\ p\ge3"),
    ),
    left_open=(T,),
    severity="material",
    repair=second_singular_value_is_much_smaller,
    printed=r"s_1(\mathbf{A}^\perp) = s_2(\mathbf{A})(1 + o(1))",
    note=(
        r"$s_1^2(A)+s_2^2(A)\ge1+s_1^2(A^\perp)$ with $s_1(A)\to1$ bounds $s_1^2(A^\perp)-s_2^2(A)$ by "
        r"$s_1^2(A)-1$, which is of order $1/T$, as large as $s_1^2(A^\perp)$ itself. Here, at every $T$, "
        "the left side is at least $r$ and the right side at most $2Tr^3$."
    ),
)

# With weights --------------------------------------------------------------------------------------

weighted = family(
    r"\mathbb E\|\varphi^\top A^\perp W\|^2_{{d={}}}",
    lambda at, width: (
        width ** int(at[q]) * mean_square_along_ones(width // int(at[growth]), int(at[p]), at[a])
    ),
)
width = Symbol("d", integer=True, positive=True)
along_with_weights = Quantity(
    r"\mathbb E\|\varphi^\top A^\perp W\|^2",
    lambda at: (at[growth] * at[T]) ** at[q] * along.define(at),
)
whole_with_weights = Quantity(
    r"\mathbb E\|A^\perp W\|_F^2", lambda at: (at[growth] * at[T]) ** at[q] * whole.define(at)
)
WEIGHTS = Hypothesis(
    r"A^\perp=A_p\cdots A_1-\varphi\varphi^\top,\ W=W_1\cdots W_q\ \text{standard Gaussian},\ d=T/\gamma"
)
_factor = growth * T

largest_singular_value_with_weights = Claim(
    id="naitsaada2025.eq-30.repair",
    parent="naitsaada2025.eq-30",
    source=source("App. A.3, proof of Theorem A.4", "Eq. (30)"),
    kind="rate",
    title=r"$s_1(A^\perp W)$ is of order at least $d^{(q-1)/2}$ for every $p\ge2$.",
    statement=along_with_weights.equals(_factor**q * GEOMETRIC)
    & Compare(along_with_weights, ">=", _factor**q * ratio)
    & Compare(whole_with_weights, "<=", _factor**q * p / (a * T)),
    domain=Domain((Size(T, 2, 4), Size(p, 2, 3), _shape, Size(q, 1, 2), Size(growth, 1, 2))),
    hypotheses=(MARKOV, GAMMA, SEVERAL, WEIGHTS),
    note=(
        r"$\mathbb E s_1^2(A^\perp W)$ lies between $\frac{(T-1)d^q}{T(aT+1)}$ and "
        r"$\frac{p}{a}\frac{d^q}{T}$. Theorem A.4 needs no more than this: $s_1(A^\perp W)/d^{q/2}\to0$."
    ),
)

largest_singular_value_with_weights_as_printed = Claim(
    id="naitsaada2025.eq-30",
    source=source("App. A.3, proof of Theorem A.4", "Eq. (30)"),
    kind="rate",
    title=r"$s_1(A^\perp W)$ is of order $d^{(q-p)/2}$.",
    statement=ForAll(
        size, first_size, oo,
        Compare(weighted(growth * size), "<=", bound * (growth * size) ** (q - p)),
    ),
    domain=Domain(
        (
            Size(p, 2, 3), _shape, Size(q, 1, 2), Size(growth, 1, 2),
            Real(bound, 0, open_low=True), Size(first_size, 2, 3),
        )
    ),
    hypotheses=(
        MARKOV,
        GAMMA,
        SEVERAL,
        WEIGHTS,
        Hypothesis(r"\|\varphi^\top M\|\le s_1(M),\ \text{in mean square};\ C,T_0\ \text{any constants}"),
    ),
    uses=(largest_singular_value_of_products_as_printed,),
    left_open=(bound, first_size),
    severity="material",
    repair=largest_singular_value_with_weights,
    printed=(
        r"s_1(\mathbf{A}^\perp \mathbf{W}) \leq s_1(\mathbf{A}^\perp) s_1(\mathbf{W}) = "
        r"O(d^{\frac{q-p}{2}})"
    ),
    note=(
        r"The inequality is right, the order inherits Lemma A.3's: $d^{p-q}\,\mathbb E\|\varphi^\top "
        r"A^\perp W\|^2\ge d^p\frac{T-1}{T(aT+1)}$ has no bound for $p\ge2$."
    ),
)  # fmt: skip

# Closure -------------------------------------------------------------------------------------------

covariance_of_rows = Quantity(
    r"\mathrm{Cov}\bigl((A_2A_1)_{11},(A_2A_1)_{21}\bigr)",
    lambda at: _shared_column(int(at[T]), at[a]),
)


def _shared_column(tokens: int, shape: Any) -> Expr:
    """Two rows of A_2 are independent with mean 1/T: E of the squared mean of a column of A_1."""
    second = after_factor(mean(tokens) / tokens, shape, centred=False)
    return second[0, 0] - Rational(1, tokens**2)


first, second = MatrixSymbol("Z_1", T, T), MatrixSymbol("Z_2", T, T)
A1, A2 = MatrixSymbol("A_1", T, T), MatrixSymbol("A_2", T, T)


def _rows_of(matrix: Any) -> tuple[Any, ...]:
    """Row sums and signs of a row-stochastic matrix."""
    row, column = (Symbol(name, integer=True) for name in ("row", "column"))
    own = entry(matrix)(row, column)
    return (
        ForAll(row, 1, T, Compare(Sum(own, (column, 1, T)), "=", 1)),
        ForAll(row, 1, T, ForAll(column, 1, T, Compare(own, ">=", 0))),
    )


def _stochastic(matrix: Any, values: Any) -> Computed:
    return Computed(matrix, lambda at: normalised(at[values]), known=_rows_of(matrix))


sum_of_row = family(
    r"\textstyle\sum_j(A_2A_1)_{{{}j}}", lambda at, k: sum((at[A2] * at[A1]).row(k - 1))
)
product_entry = family("(A_2A_1)_{{{}{}}}", lambda at, k, m: (at[A2] * at[A1])[k - 1, m - 1])
row_stochastic_matrices_are_closed_under_products = Claim(
    id="naitsaada2025.lemma-A.3.closure.repair",
    parent="naitsaada2025.lemma-A.3.closure",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="prose",
    title="Row-stochastic matrices are closed under products; rows of i.i.d. ones become dependent.",
    statement=ForAll(
        i, 1, T,
        Compare(sum_of_row(i), "=", 1) & ForAll(j, 1, T, Compare(product_entry(i, j), ">=", 0)),
    )
    & covariance_of_rows.equals((T - 1) / (T**3 * (a * T + 1))),
    domain=Domain(
        (
            Size(T, 2, 4), _shape, Array(first), Array(second),
            _stochastic(A1, first), _stochastic(A2, second),
        )
    ),
    hypotheses=(
        Hypothesis(r"\text{covariance: } Z_{ij}\ \text{i.i.d. gamma variables of shape}\ a"),
        Hypothesis(r"\text{sums, signs: } A_1,A_2\ \text{row-stochastic}"),
    ),
    note="This is all that $\\lambda_1(A_p\\cdots A_1)=1$ needs.",
)  # fmt: skip

markov_matrices_are_closed_under_products_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.closure",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="prose",
    title="I.i.d. Markov matrices are closed under products, so that rows of a product are independent.",
    statement=covariance_of_rows.equals(0),
    domain=Domain((Size(T, 2, 6), _shape)),
    hypotheses=(
        Hypothesis(r"A_1,A_2\ \text{independent i.i.d. Markov matrices}"),
        GAMMA,
        Hypothesis(r"\text{rows of an i.i.d. Markov matrix are independent (Definition 3.1)}"),
    ),
    severity="misprint",
    repair=row_stochastic_matrices_are_closed_under_products,
    printed=r"\text{the closure of the set of i.i.d. Markov matrices under matrix multiplication}",
    note="Rows of $A_2A_1$ share $A_1$. What is used, $\\lambda_1=1$, holds for row-stochastic matrices.",
)

# The expansion -------------------------------------------------------------------------------------

tables = MatrixSymbol("Z", p * T, T)
layers = Symbol(r"A_{1,\dots,p}")
"""Holds a tuple of row-stochastic matrices at a point, the first factor first."""
layer_weight = entry(layers)
_factor_, _row, _column = (Symbol(name, integer=True) for name in ("factor", "row", "column"))
FACTORS_SUM_TO_ONE = ForAll(
    _factor_, 0, p - 1,
    ForAll(_row, 1, T, Compare(Sum(layer_weight(_factor_, _row, _column), (_column, 1, T)), "=", 1)),
)  # fmt: skip


def split(at: Point) -> tuple[Matrix, ...]:
    """The rows of a tall table, T at a time, each over its sum."""
    tokens, values = int(at[T]), normalised(at[tables])
    return tuple(values[tokens * n : tokens * (n + 1), :] for n in range(int(at[p])))


def product_of(matrices: tuple[Matrix, ...], tokens: int) -> Matrix:
    """A_p...A_1 of (A_1, ..., A_p)."""
    found = Matrix.eye(tokens)
    for matrix in matrices:
        found = matrix * found
    return found


def rests(at: Point) -> tuple[Matrix, ...]:
    """(A_1^perp, ..., A_p^perp)."""
    return tuple(each - mean(each.rows) for each in at[layers])


def leading_row(at: Point) -> Matrix:
    """A row of T^{-1} 11^T (I + A_1^perp + ... + A_{p-1}^perp...A_1^perp)."""
    tokens, matrices = int(at[T]), rests(at)
    terms = (product_of(matrices[:n], tokens) for n in range(len(matrices)))
    return sum((mean(tokens).row(0) * term for term in terms), start=0 * mean(tokens).row(0))


full_entry = family(
    r"(A_p\cdots A_1)_{{{}{}}}", lambda at, k, m: product_of(at[layers], int(at[T]))[k - 1, m - 1]
)
rest_entry = family(
    r"(A_p^\perp\cdots A_1^\perp)_{{{}{}}}",
    lambda at, k, m: product_of(rests(at), int(at[T]))[k - 1, m - 1],
)
leading_entry = family(
    r"\left(\tfrac1T1_{{T\times T}}(I+A_1^\perp+\dots+A_{{p-1}}^\perp\cdots A_1^\perp)\right)_{{{}{}}}",
    lambda at, k, m: leading_row(at)[m - 1],
)
layered = Domain(
    (
        Size(T, 2, 3), Size(p, 1, 3), Array(tables),
        Computed(layers, split, known=(FACTORS_SUM_TO_ONE,)),
    )
)  # fmt: skip
_SPLIT = Compare(full_entry(i, j), "=", leading_entry(i, j) + rest_entry(i, j))

product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests = Claim(
    id="naitsaada2025.lemma-A.3.expansion",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="identity",
    title="A product of row-stochastic matrices is a matrix of equal rows plus the product of their rests.",
    statement=ForAll(i, 1, T, ForAll(j, 1, T, _SPLIT & Compare(leading_entry(i, j), "=", leading_entry(1, j)))),
    domain=layered,
    hypotheses=(
        Hypothesis(r"A_1,\dots,A_p\in\mathbb R^{T\times T}\ \text{row-stochastic}"),
        Hypothesis(r"A_k^\perp=A_k-T^{-1}1_{T\times T}"),
    ),
    printed=(
        r"\mathbf{A}_p \dots \mathbf{A}_1 = T^{-1}\mathbf{1}_{T \times T}(\mathbf{I} + \mathbf{A}_1^\perp "
        r"+ \dots + \mathbf{A}_{p-1}^\perp \dots \mathbf{A}_1^\perp) + \mathbf{A}_p^\perp \dots "
        r"\mathbf{A}_1^\perp"
    ),
    note=(
        "Equal rows: the difference has rank at most one, and exactly one since its rows sum to one. It "
        r"is not $\varphi\varphi^\top$, which is why Lemma A.3 fails."
    ),
)  # fmt: skip

# The second singular value of a product ------------------------------------------------------------

scaled_second = measured_family(r"\mathbb E\,T^ps_2^2(A_p\cdots A_1)_{{T={}}}")
scaled_rest = measured_family(r"\mathbb E\,T^ps_1^2(A_p^\perp\cdots A_1^\perp)_{{T={}}}")
_SIZES = (12, 24, 48)
_FEW = Domain((Choice(p, tuple(map(Integer, (1, 2, 3)))), Choice(a, (Integer(1), Integer(2)))))

second_singular_value_of_products = Claim(
    id="naitsaada2025.lemma-A.3.s2-bound",
    source=source("App. A.3, proof of Lemma A.3", "last lines"),
    kind="bound",
    title=r"$s_2(A_p\cdots A_1)$ is at most $(2\sigma T^{-1/2})^p$, as is $s_1(A_p^\perp\cdots A_1^\perp)$.",
    statement=And(
        tuple(
            Compare(scaled(tokens), "<=", (4 / a) ** p)
            for tokens in _SIZES
            for scaled in (scaled_second, scaled_rest)
        )
    ),
    domain=_FEW,
    hypotheses=(MARKOV, GAMMA, Hypothesis(r"\text{read in mean square, for each}\ T")),
    uses=(product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests,),
    printed=r"s_2(\mathbf{A}) \leq (2\sigma T^{-1/2})^p = O(T^{-p/2})",
    note=(
        r"$s_2(A_p\cdots A_1)\le s_1(A_p^\perp\cdots A_1^\perp)\le\prod_ks_1(A_k^\perp)$, and each factor "
        r"is $2\sigma T^{-1/2}(1+o(1))$. This right part of the proof bounds $s_2(A)$, not "
        r"$s_1(A-\varphi\varphi^\top)$."
    ),
)

# The largest singular value ------------------------------------------------------------------------


def rising(base: Any, count: int) -> Any:
    """base (base + 1) ... (base + count - 1)."""
    return prod(base + k for k in range(count))


def fourth(tokens: Any) -> Expr:
    """E |A A^T|_F^2: fourth powers of the norms of rows, and squared products of two rows."""
    rows = tokens * rising(a, 4) + tokens * (tokens - 1) * rising(a, 2) ** 2
    own, other = (a + 1) / (tokens * (a * tokens + 1)), a / (tokens * (a * tokens + 1))
    pairs = tokens * own**2 + tokens * (tokens - 1) * other**2
    return tokens * rows / rising(a * tokens, 4) + tokens * (tokens - 1) * pairs


mean_fourth = measured_family(r"\mathbb E\,s_1^4(A_p\cdots A_1)_{{T={}}}")
tokens = Symbol("m", integer=True, positive=True)

largest_singular_value_of_products_tends_to_one = Claim(
    id="naitsaada2025.lemma-A.3.s1-product",
    source=source("App. A.3, proof of Lemma A.3", "first part"),
    kind="limit",
    title=r"$s_1(A_p\cdots A_1)$ is at least one and tends to one.",
    statement=And(
        tuple(
            Compare(1, "<=", mean_fourth(n)) & Compare(mean_fourth(n), "<=", fourth(n) ** p)
            for n in _SIZES[:2]
        )
    )
    & Tends(fourth(tokens), tokens, 1),
    domain=_FEW,
    hypotheses=(MARKOV, GAMMA),
    printed=r"\lim s_1(\mathbf{A}_p \dots \mathbf{A}_1) = 1",
    note=(
        r"$s_1\ge\varphi^\top A_p\cdots A_1\varphi=1$, and $\mathbb E s_1^4\le(\mathbb E\|AA^\top\|_F^2)^p$ "
        "by independence, which tends to one for every $p$: convergence in fourth mean. The printed "
        r"route, through $s_1(TD_i)$ and $s_1(T^{-1/2}M_i)$, is right as well."
    ),
)
