r"""Singular values of a row-stochastic matrix under its rank-one changes (Lemma A.3, Thm A.5).

$A^\perp=A-T^{-1}1_{T\times T}$ has rows that sum to zero, so that $AA^\top$ is $\varphi\varphi^\top$
plus $A^\perp A^{\perp\top}$, for every row-stochastic $A$, a product of such matrices included.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Rational, Sum, Symbol

from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.crossings import crossing
from claims.naitsaada2025.decompositions import (
    both_decomposed,
    rest,
    rest_vectors,
    vectors,
)
from claims.naitsaada2025.markov import rows_over_their_sums
from claims.naitsaada2025.notation import T, d, source
from claims.naitsaada2025.stable_rank import decomposed, nonzero
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, family

DIGITS = 60


@lru_cache(maxsize=4096)
def squared_singular_values(matrix: Matrix) -> tuple[Decimal, ...]:
    """s_1^2 >= s_2^2 >= ..., as many as there are rows, to fifty digits."""
    with mpmath.workdps(DIGITS):
        gram = (matrix * matrix.T).evalf(DIGITS)
        rows = [[mpmath.mpf(str(e)) for e in row] for row in gram.tolist()]
        values = sorted(mpmath.eigsy(mpmath.matrix(rows), eigvals_only=True), reverse=True)
        return tuple(Decimal(mpmath.nstr(max(v, 0), DIGITS - 10)) for v in values)


def square_sum(matrix: Matrix) -> Any:
    """The sum of all squared singular values: the trace of the Gram matrix."""
    return (matrix * matrix.T).trace()


def mean(size: int) -> Matrix:
    """11^T/T."""
    return Matrix(size, size, lambda i, j: Rational(1, size))


# Row-stochastic matrices ---------------------------------------------------------------------------

table = MatrixSymbol("Z", T, T)
A = MatrixSymbol("A", T, T)
W = MatrixSymbol("W", T, d)
i, j, m = (Symbol(name, integer=True) for name in "ijm")
weight = entry(A)

ROW_STOCHASTIC = Hypothesis(r"A\in\mathbb R^{T\times T},\ A_{ij}\ge0,\ \textstyle\sum_jA_{ij}=1")
ORTHOGONAL_PART = Hypothesis(r"A^\perp=A-\varphi\varphi^\top,\ \varphi=T^{-1/2}(1,\dots,1)^\top")
_row, _column = (Symbol(name, integer=True) for name in ("row", "column"))
ROWS_SUM_TO_ONE = ForAll(_row, 1, T, Compare(Sum(weight(_row, _column), (_column, 1, T)), "=", 1))
ENTRIES = ForAll(_row, 1, T, ForAll(_column, 1, T, Compare(weight(_row, _column), ">=", 0)))


def stochastic_rows(values: Matrix) -> Matrix:
    """Rows of absolute values over their sums; a row of zeros becomes uniform."""
    rows = [[abs(value) for value in row] for row in values.tolist()]
    return rows_over_their_sums([row if any(row) else [1] * values.cols for row in rows])


stochastic = Computed(A, lambda at: stochastic_rows(at[table]), known=(ROWS_SUM_TO_ONE, ENTRIES))
row_stochastic = Domain((Size(T, 2, 4), Array(table), stochastic))


def perp(at: Point) -> Matrix:
    """A^perp."""
    return at[A] - mean(int(at[T]))


gram = family("(AA^\\top)_{{{}{}}}", lambda at, a, b: (at[A] * at[A].T)[a - 1, b - 1])
perp_gram = family(
    r"(U\Sigma^2U^\top)_{{{}{}}}", lambda at, a, b: (perp(at) * perp(at).T)[a - 1, b - 1]
)
perp_row_sum = family(r"(A^\perp1)_{{{}}}", lambda at, a: sum(perp(at).row(a - 1)))

gram_is_the_projection_plus_the_gram_of_the_rest = Claim(
    id="naitsaada2025.lemma-A.3.eq-25",
    source=source("App. A.3, proof of Lemma A.3", "Eq. (25), (26)"),
    kind="identity",
    title=r"$AA^\top$ is $\varphi\varphi^\top$ plus the Gram matrix of $A^\perp$, and $A^\perp\varphi=0$.",
    statement=ForAll(i, 1, T, ForAll(j, 1, T, Compare(gram(i, j), "=", 1 / T + perp_gram(i, j))))
    & ForAll(i, 1, T, Compare(perp_row_sum(i), "=", 0)),
    domain=row_stochastic,
    hypotheses=(
        ROW_STOCHASTIC,
        ORTHOGONAL_PART,
        Hypothesis(
            r"A^\perp=U\Sigma V^\top,\ \text{so that}\ U\Sigma^2U^\top=A^\perp A^{\perp\top}"
        ),
    ),
    printed=r"\mathbf{A}\mathbf{A}^\top = \varphi\varphi^\top + \mathbf{U}\Sigma^2\mathbf{U}^\top",
    note=(
        "Rows of $A^\\perp$ sum to zero, columns need not: $A^\\top A$ has no such form. (26) is (25) "
        r"between $U^\top$ and $U$, and $A^\perp\varphi=0$ makes the last singular value zero."
    ),
)

all_squares = Quantity(r"\sum_{i=1}^{n}s_i^2(A)", lambda at: square_sum(at[A]))
other_squares = Quantity(r"\sum_{i=1}^{n-1}s_i^2(A^\perp)", lambda at: square_sum(perp(at)))

squared_singular_values_sum_to_one_more = Claim(
    id="naitsaada2025.lemma-A.3.eq-27",
    source=source("App. A.3, proof of Lemma A.3", "Eq. (27)"),
    kind="identity",
    title=r"The squared singular values of $A$ sum to one more than those of $A^\perp$.",
    statement=all_squares.equals(1 + other_squares),
    domain=row_stochastic,
    hypotheses=(ROW_STOCHASTIC, ORTHOGONAL_PART, Hypothesis("n=T")),
    uses=(gram_is_the_projection_plus_the_gram_of_the_rest,),
    printed=(
        r"s_1^2(\mathbf{A}) + \dots + s_n^2(\mathbf{A}) = 1 + s_1^2(\mathbf{A}^\perp) + \dots + "
        r"s_{n-1}^2(\mathbf{A}^\perp)"
    ),
    note="The last singular value of $A^\\perp$ is zero, so that it may be counted or not.",
)

one_matrix = Domain((*row_stochastic.variables, *both_decomposed))
lower, upper = MatrixSymbol("z", T, T - 1), MatrixSymbol("w", T, T - 1)
"""What singular vectors of A and of A^perp have in common, see `claims.naitsaada2025.crossings`."""

square = family("s_{{{}}}^2(A)", lambda at, k: squared_singular_values(at[A])[k - 1])
perp_square = family(r"s_{{{}}}^2(A^\perp)", lambda at, k: squared_singular_values(perp(at))[k - 1])

singular_values_interlace = Claim(
    id="naitsaada2025.lemma-A.3.eq-28",
    source=source("App. A.3, proof of Lemma A.3", "Eq. (28)"),
    kind="bound",
    title=r"The squared singular values of $A$ and of $A^\perp$ interlace.",
    statement=ForAll(
        i, 1, T - 1,
        Compare(square(i), ">=", perp_square(i)) & Compare(perp_square(i), ">=", square(i + 1)),
    )
    & Compare(square(T), ">=", 0),
    domain=Domain((
        *one_matrix.variables, crossing(lower, rest_vectors, vectors, level=False),
        crossing(upper, vectors, rest_vectors, level=True),
    )),
    hypotheses=(ROW_STOCHASTIC, ORTHOGONAL_PART, Hypothesis("n=T")),
    uses=(gram_is_the_projection_plus_the_gram_of_the_rest,),
    printed=(
        r"s_1^2(\mathbf{A}) \geq s_1^2(\mathbf{A}^\perp) \geq s_2^2(\mathbf{A}) \geq "
        r"s_2^2(\mathbf{A}^\perp) \geq \dots \geq s_{n-1}^2(\mathbf{A}^\perp) \geq "
        r"s_n^2(\mathbf{A}) \geq 0"
    ),
)  # fmt: skip


def exactly(*terms: Any) -> Decimal:
    """A sum with all its digits."""
    with localcontext(prec=DIGITS):
        return sum(terms, start=Decimal(0))


two_largest = Quantity("s_1^2(A)+s_2^2(A)", lambda at: exactly(*squared_singular_values(at[A])[:2]))
one_more = Quantity(
    r"1+s_1^2(A^\perp)", lambda at: exactly(Decimal(1), squared_singular_values(perp(at))[0])
)

two_largest_squares_exceed_those_of_the_rest = Claim(
    id="naitsaada2025.lemma-A.3.combined",
    source=source("App. A.3, proof of Lemma A.3", "after Eq. (28)"),
    kind="bound",
    title=r"The two largest squared singular values of $A$ exceed the largest of $A^\perp$ by at least one.",
    statement=Compare(two_largest, ">=", one_more),
    domain=one_matrix,
    hypotheses=(ROW_STOCHASTIC, ORTHOGONAL_PART),
    uses=(squared_singular_values_sum_to_one_more, singular_values_interlace),
    printed=r"s_1^2(\mathbf{A}) + s_2^2(\mathbf{A}) \geq 1 + s_1^2(\mathbf{A}^\perp)",
)

# Products with further matrices --------------------------------------------------------------------


def product_with_weights(symbol: Any, of: Any, value: Callable[[Point], Matrix]) -> Computed:
    """A matrix of the point times W, and that its entries are those of a product."""
    term = Sum(of(_row, m) * entry(W)(m, _column), (m, 1, T))
    same = Compare(entry(symbol)(_row, _column), "=", term)
    known = ForAll(_row, 1, T, ForAll(_column, 1, d, same))
    return Computed(symbol, value, known=(known,))


AW, REST_W, MEAN_W = (
    MatrixSymbol(name, T, d) for name in ("AW", r"A^\perp W", r"\varphi\varphi^\top W")
)
SPECTRA = {
    matrix: (MatrixSymbol(f"s({matrix})", T, 1), MatrixSymbol(f"U({matrix})", T, T))
    for matrix in (W, AW, REST_W, MEAN_W)
}
"""Singular values and vectors of the weights and their products."""
_rest_with_weights = (
    Size(T, 2, 4), Size(d, 1, 3), Array(table), stochastic, Array(W), *both_decomposed,
    *decomposed(W, *SPECTRA[W]),
    product_with_weights(REST_W, entry(rest), lambda at: Matrix(perp(at) * at[W])),
    *decomposed(REST_W, *SPECTRA[REST_W]),
)  # fmt: skip
with_weights = Domain((
    *_rest_with_weights,
    product_with_weights(AW, weight, lambda at: Matrix(at[A] * at[W])),
    product_with_weights(MEAN_W, lambda a, b: 1 / T, lambda at: Matrix(mean(int(at[T])) * at[W])),
    *(found for matrix in (AW, MEAN_W) for found in decomposed(matrix, *SPECTRA[matrix])),
))  # fmt: skip
second_of_product = Quantity(
    "s_2^2(AW)", lambda at: squared_singular_values(Matrix(at[A] * at[W]))[1]
)
largest_weight = Quantity("s_1^2(W)", lambda at: squared_singular_values(at[W])[0])

# The bound on the stable rank ----------------------------------------------------------------------

c = Symbol("c", real=True, positive=True)
CLOSE = Fraction(1, 10**30)


def signal(at: Point) -> Matrix:
    """A^perp X_0 W."""
    return Matrix(perp(at) * at[W])


def stable_rank_of_covariance(at: Point) -> Any:
    """sum_i s_i^4/s_1^4 of the signal: the stable rank of its covariance."""
    squares = squared_singular_values(signal(at))
    with localcontext(prec=DIGITS):
        return sum(s**2 for s in squares) / squares[0] ** 2


def share_above(at: Point) -> Any:
    """Which share of the squared singular values is above c."""
    squares = squared_singular_values(signal(at))
    level = Fraction(int(at[c].p), int(at[c].q)) + CLOSE
    return Rational(sum(Fraction(s) > level for s in squares), len(squares))


def product_of_largest(at: Point) -> Any:
    """s_1^2(A^perp) s_1^2(X_0 W)."""
    with localcontext(prec=DIGITS):
        return squared_singular_values(perp(at))[0] * squared_singular_values(at[W])[0]


stable_rank = Quantity(r"\mathrm{sr}(\Sigma^\perp)", stable_rank_of_covariance)
share = Quantity("P_T", share_above)
edges = Quantity(r"\Pi", product_of_largest)
signals = Domain(
    (*_rest_with_weights, Real(c, 0, open_low=True)),
    (Condition(r"\Sigma^\perp\ne0", lambda at: any(signal(at)), nonzero(REST_W).formula),),
)
_one_layer = (
    ROW_STOCHASTIC,
    ORTHOGONAL_PART,
    Hypothesis(r"X^\perp=A^\perp X_0W,\ \Sigma^\perp=X^\perp X^{\perp\top}\ne0,\ c>0"),
    Hypothesis(r"P_T=\tfrac1T\#\{i:s_i^2(X^\perp)>c\},\ \Pi=s_1^2(A^\perp)\,s_1^2(X_0W)"),
)  # fmt: skip

stable_rank_by_the_share_above_a_level = Claim(
    id="naitsaada2025.eq-21.repair",
    parent="naitsaada2025.eq-21",
    source=source("App. A.2, proof of Prop. 3.7", "Eq. (21)"),
    kind="bound",
    title="For one layer: the stable rank of the covariance, from below, by fourth powers of singular values.",
    statement=Compare(stable_rank / T * edges**2, ">=", c**2 * share),
    domain=signals,
    hypotheses=_one_layer,
    note=(
        r"$\sum_is_i^4(X^\perp)\ge c^2TP_T$ and $s_1^4(X^\perp)\le\Pi^2$. For $\ell$ layers it is the same "
        r"with the printed product of $2\ell$ squared norms for $\Pi$, since norms are submultiplicative."
    ),
)


def _gap_point() -> dict[Any, Any]:
    """A = I, X_0 W with singular values 1, 3/4, 3/4, 3/4, 3/4, and a level just below 9/16."""
    size, unit = 5, Matrix.eye(5)
    along = Matrix(size, 1, [1, -1, 0, 0, 0])
    values = Rational(3, 4) * unit + Rational(1, 8) * along * along.T
    point = {T: Integer(size), d: Integer(size), table: unit, W: values, c: Rational(11, 20)}
    for variable in signals.variables:
        if isinstance(variable, Computed):
            point[variable.symbol] = variable.value(point)
    return point


stable_rank_by_the_share_above_a_level_as_printed = Claim(
    id="naitsaada2025.eq-21",
    source=source("App. A.2, proof of Prop. 3.7", "Eq. (21)"),
    kind="bound",
    title="The stable rank of the covariance, from below, by squares of singular values; for one layer.",
    statement=Compare(stable_rank / T * edges, ">=", c * share),
    domain=signals,
    hypotheses=_one_layer,
    severity="material",
    repair=stable_rank_by_the_share_above_a_level,
    probes=(_gap_point(),),
    printed=(
        r"\frac{\text{sr}(\Sigma_\ell^\perp)}{T} \geq \frac{c P_T}{s_1^2(\mathbf{A}_\ell^\perp) \dots "
        r"s_1^2(\mathbf{A}_1^\perp) s_1^2(\mathbf{X}_0 \mathbf{W}_1^V) \dots s_1^2(\mathbf{W}_\ell^V)}"
    ),
    note=(
        r"The proof writes $\sum_is_i^2(X^\perp)/s_1^2(X^\perp)$ for the stable rank of $\Sigma^\perp$, which "
        r"is $\sum_is_i^4(X^\perp)/s_1^4(X^\perp)$ and can be smaller. Here for one layer; with $A=I$ and one "
        r"singular value of $X_0W$ above four equal ones it fails, and so near such matrices. (21) is derived "
        r"for any threshold $c$, and is judged for all; the bound after it needs one good $c$. The network "
        r"itself may satisfy it: for $\ell=\gamma=\sigma_A=m=1$ and long contexts "
        r"$cP_T\le\tfrac1T\sum_is_i^2(X^\perp)\to1$ and $\Pi\to16$, so that the right side is at most "
        r"$\tfrac1{16}$, below the limit $\tfrac{16}{243}$ of the left."
    ),
)
