r"""The stable rank (5) and what singular values of $X$ say of it for $\Sigma=XX^\top$.

Singular values are the roots of the eigenvalues of $MM^\top$, as many as there are rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import mpmath
from sympy import (
    Float,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
)

from claims.definitions import frobenius_square
from claims.domain import Array, Computed, Condition, Domain, Point, Size, UpTo
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.layers import (
    X0,
    Isotropic,
    Stack,
    W,
    attentions,
    centred,
    forward,
    values,
)
from claims.naitsaada2025.markov import STOCHASTIC, A, Markov
from claims.naitsaada2025.notation import T, d, depth, source
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family

__all__ = [
    "M",
    "SingularVectors",
    "decomposed",
    "fourth_powers",
    "nonzero",
    "singular",
    "to_digits",
]

i, j, k = (Symbol(name, integer=True) for name in "ijk")
M, U, s = MatrixSymbol("M", T, d), MatrixSymbol("U", T, T), MatrixSymbol("s", T, 1)
DIGITS = 70


@lru_cache(maxsize=4096)
def singular(matrix: Any) -> tuple[ImmutableDenseMatrix, ImmutableDenseMatrix]:
    """Singular values, the largest first, and left singular vectors as columns, to sixty digits."""
    gram = matrix * matrix.T
    with mpmath.workdps(DIGITS):
        lines = [[mpmath.mpf(int(e.p)) / int(e.q) for e in row] for row in gram.tolist()]
        found, vectors = mpmath.eigsy(mpmath.matrix(lines))
        order = sorted(range(gram.rows), key=lambda place: -found[place])
        roots = [[_rational(mpmath.sqrt(max(found[place], 0)))] for place in order]
        columns = [[_rational(vectors[row, place]) for place in order] for row in range(gram.rows)]
    return ImmutableDenseMatrix(roots), ImmutableDenseMatrix(columns)


def _rational(value: Any) -> Rational:
    return Rational(mpmath.nstr(value, DIGITS))


@dataclass(frozen=True)
class SingularVectors(Computed):
    """Orthonormal eigenvectors of $MM^\\top$, and singular values in falling order."""

    matrix: Any = M
    roots: Any = s

    def facts(self) -> tuple[Formula, ...]:
        one, other, place, sum_place = (
            Symbol(name, integer=True) for name in ("row", "other", "place", "column")
        )
        rows, cols = self.matrix.shape
        vector, root, m = entry(self.symbol), entry(self.roots), entry(self.matrix)

        def gram(a: Any, b: Any) -> Any:
            return Sum(m(a, sum_place) * m(b, sum_place), (sum_place, 1, cols))

        def all_of(*indices: Any, body: Formula) -> Formula:
            for index in reversed(indices):
                body = ForAll(index, 1, rows, body)
            return body

        spectral = Sum(
            root(place, 1) ** 2 * vector(one, place) * vector(other, place), (place, 1, rows)
        )
        turned = Sum(gram(one, other) * vector(other, place), (other, 1, rows))
        unit = Sum(vector(one, place) ** 2, (one, 1, rows))
        product = Sum(vector(one, place) * vector(one, other), (one, 1, rows))
        return (
            all_of(one, other, body=Compare(gram(one, other), "=", spectral)),
            all_of(one, place, body=Compare(turned, "=", root(place, 1) ** 2 * vector(one, place))),
            all_of(place, body=Compare(unit, "=", 1)),
            all_of(place, other, body=Compare(product, "=", KroneckerDelta(place, other))),
            all_of(place, body=Compare(root(place, 1), ">=", 0) & Compare(root(place, 1), "<=", root(1, 1))),
            ForAll(place, 2, rows, Compare(root(place, 1), "<=", root(2, 1))),
            all_of(place, other, body=Compare(place, "<=", other).implies(
                Compare(root(other, 1), "<=", root(place, 1))
            )),
        )  # fmt: skip


def decomposed(matrix: Any = M, roots: Any = s, vectors: Any = U) -> tuple[Computed, ...]:
    """Singular values and vectors of a matrix of the point."""
    return (
        Computed(roots, lambda at: singular(at[matrix])[0]),
        SingularVectors(vectors, lambda at: singular(at[matrix])[1], matrix=matrix, roots=roots),
    )


def nonzero(matrix: Any) -> Condition:
    """The matrix is not zero."""
    row, column = Symbol("row", integer=True), Symbol("column", integer=True)
    rows, cols = matrix.shape
    square = Sum(Sum(entry(matrix)(row, column) ** 2, (column, 1, cols)), (row, 1, rows))
    return Condition(
        f"{matrix}\\ne0", lambda at: any(e != 0 for e in at[matrix]), Compare(square, ">", 0)
    )


def powers(at: Point, power: int) -> Float:
    """The sum of powers of the singular values."""
    return to_digits(sum(root**power for root in singular(at[M])[0]))


def to_digits(value: Any) -> Float:
    """A number that singular values give, to the digits that they have."""
    return Rational(value).evalf(DIGITS)


def stable_rank(matrix: ImmutableDenseMatrix) -> Float:
    """The squared Frobenius norm over that of the operator norm, the largest singular value."""
    return to_digits(frobenius_square(matrix) / singular(matrix)[0][0] ** 2)


rank = Quantity(r"\mathrm{sr}(M)", lambda at: stable_rank(at[M]))
squares = Quantity(r"\textstyle\sum_is_i^2(M)", partial(powers, power=2), nonnegative=True)
largest = Quantity("s_1(M)", lambda at: to_digits(singular(at[M])[0][0]), nonnegative=True)
NONZERO = Hypothesis(r"M\in\mathbb R^{T\times d},\ M\ne0")
any_matrix = Domain((Size(T, 1, 3), Size(d, 1, 3), Array(M), *decomposed()), (nonzero(M),))
stable_rank_by_singular_values = Claim(
    id="naitsaada2025.eq-5",
    source=source("Sec. 2.3", "Eq. (5)"),
    kind="construction",
    title=r"The stable rank is $\sum_is_i^2/s_1^2$, and lies between one and the number of rows.",
    statement=rank.equals(squares / largest**2) & rank.at_least(1) & rank.at_most(T),
    domain=any_matrix,
    hypotheses=(NONZERO,),
    printed=(
        r"\text{sr}(\mathbf{M}) := \frac{\|\mathbf{M}\|_F^2}{\|\mathbf{M}\|^2} = "
        r"\frac{\sum_i s_i^2(\mathbf{M})}{s_1^2(\mathbf{M})}"
    ),
)

covariance_rank = Quantity(r"\mathrm{sr}(MM^\top)", lambda at: stable_rank(at[M] * at[M].T))
fourth_powers = Quantity(r"\textstyle\sum_is_i^4(M)", partial(powers, power=4), nonnegative=True)
second = Quantity("s_2(M)", lambda at: to_digits(singular(at[M])[0][1]), nonnegative=True)
_several_tokens = Domain((Size(T, 2, 3), *any_matrix.variables[1:]), any_matrix.conditions)
covariance_rank_is_bounded_by_two_singular_values = Claim(
    id="naitsaada2025.rem-3.5.sr-bound",
    source=source("Sec. 3.1", "Remark 3.5, and the proof of Prop. 3.4"),
    kind="bound",
    title=r"$\mathrm{sr}(XX^\top)=\sum_is_i^4(X)/s_1^4(X)\le1+(T-1)s_2^4(X)/s_1^4(X)$.",
    statement=covariance_rank.equals(fourth_powers / largest**4)
    & covariance_rank.at_most(1 + (T - 1) * second**4 / largest**4),
    domain=_several_tokens,
    hypotheses=(Hypothesis(r"M=X_\ell\in\mathbb R^{T\times d},\ X_\ell\ne0"),),
    uses=(stable_rank_by_singular_values,),
    printed=(
        r"\frac{\sum_{i=1}^T s_i^2(\Sigma_\ell)}{s_1^2(\Sigma_\ell)} = \frac{\sum_{i=1}^T "
        r"s_i^4(\mathbf{X}_\ell)}{s_1^4(\mathbf{X}_\ell)} \leq 1 + (T-1) "
        r"\frac{s_2^4(\mathbf{X}_\ell)}{s_1^4(\mathbf{X}_\ell)}"
    ),
    understood=(
        Understood(
            "$T\\ge2$.", "For $T=1$ there is no second singular value, and both sides are one."
        ),
    ),
)

# The proof of Proposition 3.7 -----------------------------------------------------------------------

_eye, _rank_two = ImmutableDenseMatrix.eye(3), ImmutableDenseMatrix.diag(1, 1, 0)
gapless = Domain(
    (
        Size(depth, 1, 2), Size(d, 2, 3), UpTo(T, 2, 3, last=d), Stack(attentions, Markov(A, 2)),
        Isotropic(X0), Stack(values, Array(W, 2)),
        Computed(M, lambda at: forward(at, gap=False)), *decomposed(),
    ),
    (nonzero(M),),
)  # fmt: skip
GAPLESS = (
    STOCHASTIC, Hypothesis(r"X_0X_0^\top=I"),
    Hypothesis(r"M=X_\ell^\perp=A_\ell^\perp\cdots A_1^\perp X_0W_1^V\cdots W_\ell^V\ne0"),
)  # fmt: skip
covariance_rank_by_fourth_powers = Claim(
    id="naitsaada2025.proof-3.7.sr-formula.repair",
    parent="naitsaada2025.proof-3.7.sr-formula",
    source=source("App. A.2", "proof of Prop. 3.7"),
    kind="identity",
    title=r"$\mathrm{sr}(\Sigma_\ell^\perp)/T=T^{-1}\sum_is_i^4(X_\ell^\perp)/s_1^4(X_\ell^\perp)$.",
    statement=Compare(covariance_rank / T, "=", fourth_powers / (T * largest**4)),
    domain=gapless,
    hypotheses=GAPLESS,
    note=(
        r"As in Remark 3.5. The proof's bound (21) then needs $s_1^4$ in its denominator; with squares "
        r"it bounds $\mathrm{sr}(X_\ell^\perp)/T$, which is the larger of the two."
    ),
)
covariance_rank_by_squares = Claim(
    id="naitsaada2025.proof-3.7.sr-formula",
    source=source("App. A.2", "proof of Prop. 3.7, first display"),
    kind="identity",
    title=r"$\mathrm{sr}(\Sigma_\ell^\perp)$ is written with squares of the singular values of $X_\ell^\perp$.",
    statement=Compare(covariance_rank / T, "=", squares / (T * largest**2)),
    domain=Domain(gapless.variables[:-2], gapless.conditions),
    hypotheses=GAPLESS,
    uses=(stable_rank_by_singular_values,),
    severity="material",
    repair=covariance_rank_by_fourth_powers,
    probes=(
        {
            depth: Integer(1), d: Integer(3), T: Integer(3), attentions: (_eye,), X0: _eye,
            values: (_rank_two,), M: centred(_eye) * _rank_two,
        },
    ),
    printed=(
        r"\frac{\text{sr}(\Sigma_\ell^\perp)}{T} = \frac{T^{-1} \sum_{i=1}^T "
        r"s_i^2(\mathbf{A}_\ell^\perp \dots \mathbf{A}_1^\perp \mathbf{X}_0 \mathbf{W}_1^V \dots "
        r"\mathbf{W}_\ell^V)}{s_1^2(\mathbf{A}_\ell^\perp \dots \mathbf{A}_1^\perp \mathbf{X}_0 "
        r"\mathbf{W}_1^V \dots \mathbf{W}_\ell^V)}"
    ),
    note=(
        r"$\Sigma=XX^\top$ has the singular values $s_i^2(X)$, whose squares enter (5): what is printed "
        r"is $\mathrm{sr}(X_\ell^\perp)/T$. The two agree for rank one only, or equal singular values. "
        "The rest of the proof keeps to squares."
    ),
)  # fmt: skip

# Noci et al.'s proxy ------------------------------------------------------------------------------

all_products = Quantity(
    r"\textstyle\sum_{i,j}(MM^\top)_{ij}", lambda at: sum(at[M] * at[M].T, start=Integer(0))
)
norm = Quantity(r"\|M\|_F^2", lambda at: frobenius_square(at[M]), nonnegative=True)
identical = ForAll(i, 1, T, ForAll(k, 1, d, Compare(entry(M)(i, k), "=", entry(M)(Integer(1), k))))
identical_rows_maximise_the_sum_of_products = Claim(
    id="naitsaada2025.sec-2.3.noci-proxy",
    source=source("Sec. 2.3"),
    kind="prose",
    title=r"For a given norm of $M$ the sum of all products of rows is largest when all rows are identical.",
    statement=all_products.at_most(T * norm) & identical.implies(all_products.equals(T * norm)),
    domain=Domain((Size(T, 1, 3), Size(d, 1, 3), Array(M))),
    printed=r"\sum_{i,j} (\mathbf{M}\mathbf{M}^\top)_{i,j}",
    understood=(
        Understood(
            r"$\|M\|_F$ is given.",
            "Without it there is no maximum: twice the rows have four times the sum.",
        ),
    ),
    note=(
        "Rows of given, different norms cannot be identical; the sum is then largest where they are "
        "parallel."
    ),
)

# Spectral measures --------------------------------------------------------------------------------

square = MatrixSymbol("M", T, T)
masses = tuple(
    Quantity(rf"\{name}_M(\mathbb {field})", lambda at: at[T] * Rational(1, int(at[T])))
    for name, field in (("mu", "C"), ("nu", "R"))
)
second_moment = Quantity(
    r"\textstyle\int x^2\,d\nu_M",
    lambda at: to_digits(sum(root**2 for root in singular(at[square])[0]) / at[T]),
)
square_norm = Quantity(r"\|M\|_F^2", lambda at: frobenius_square(at[square]))
spectral_measures_are_probabilities = Claim(
    id="naitsaada2025.sec-2.1.spectral-measures",
    source=source("Sec. 2.1"),
    kind="construction",
    title=r"Both spectral measures have mass one, and $\int x^2d\nu_M=\|M\|_F^2/n$.",
    statement=masses[0].equals(1) & masses[1].equals(1) & second_moment.equals(square_norm / T),
    domain=Domain((Size(T, 1, 3), Array(square), *decomposed(square))),
    hypotheses=(Hypothesis(r"M\in\mathbb R^{n\times n},\ n=T"),),
    printed=(
        r"\mu_{\mathbf{M}_n} := \frac{1}{n} \sum_{i=1}^n \delta_{\lambda_i(\mathbf{M}_n)}, \quad "
        r"\nu_{\mathbf{M}_n} := \frac{1}{n} \sum_{i=1}^n \delta_{s_i(\mathbf{M}_n)}"
    ),
    note="Eigenvalues are counted with multiplicity; that limits exist in many cases asserts nothing.",
)

# Removing the outliers ----------------------------------------------------------------------------

removed = Symbol("r", integer=True)


def largest_gap(matrix: Any) -> Callable[[Point], Integer]:
    """The first place after which singular values of a matrix of the point fall most."""

    def place(at: Point) -> Integer:
        roots = list(singular(at[matrix])[0])
        gaps = [one - other for one, other in pairwise(roots)]
        return Integer(1 + gaps.index(max(gaps)))

    return place


def _gain(at: Point, place: int) -> Any:
    """|u_k^T (M - sum_{l <= r} u_l u_l^T M)|^2."""
    vectors = singular(at[M])[1]
    kept = vectors[:, : int(at[removed])]
    rest = at[M] - kept * (kept.T * at[M])
    return to_digits(frobenius_square(vectors[:, place - 1].T * rest))


gain = family(r"\|u_{{{}}}^\top M^{{\text{{no outliers}}}}\|^2", _gain)
root = family("s_{{{}}}(M)", lambda at, place: to_digits(singular(at[M])[0][place - 1]))
outliers_are_removed = Claim(
    id="naitsaada2025.app-A.5.no-outliers",
    source=source("App. A.5"),
    kind="algorithm",
    title="Taking the first $r$ terms of the SVD away leaves the other singular values as they are.",
    statement=ForAll(
        k, 1, T,
        Compare(k, "<=", removed).implies(Compare(gain(k), "=", 0))
        & Compare(k, ">", removed).implies(Compare(gain(k), "=", root(k) ** 2)),
    ),
    domain=Domain((
        Size(T, 2, 3), Size(d, 1, 3), Array(M), *decomposed(),
        Computed(removed, largest_gap(M), known=(
            Compare(removed, ">=", 1), Compare(removed, "<=", T - 1))),
    )),
    hypotheses=(
        Hypothesis(r"M^{\text{no outliers}}=M-\textstyle\sum_{l\le r}u_lu_l^\top M,\ s_lv_l^\top=u_l^\top M"),
        Hypothesis(r"r=\arg\max_{1\le i\le T-1}(s_i-s_{i+1})"),
    ),
    printed=(
        r"\mathbf{A}^{\text{no outliers}} = \mathbf{A} - \sum_{i=1}^r s_i u_i v_i^\top, \quad r := \arg "
        r"\max_{1 \leq i \leq n-1} (s_i - s_{i+1})"
    ),
    note="Only $1\\le r\\le T-1$ is used: it holds wherever the cut is made.",
)  # fmt: skip
