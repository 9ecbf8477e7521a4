r"""Definition 3.1 and its remarks: row-normalised non-negative variables, and their law.

A law with finitely many atoms is a column of values with a column of probabilities; what depends on
the order of exchangeable variables alone is averaged over that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations
from random import Random
from typing import Any

import mpmath
from sympy import (
    QQ,
    Expr,
    Float,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    exp,
    factorial,
    limit,
    oo,
    sqrt,
    sympify,
)

from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.matrices import exact_matrix
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.notation import T, source
from claims.row_weights import RowWeights
from claims.statement import Compare, Exists, ForAll, Formula, Quantity
from claims.terms import entry, family

__all__ = ["DEFINITION", "Markov", "Weights", "normalised", "row_facts"]

row, column = Symbol("row", integer=True), Symbol("column", integer=True)
i, j, k = (Symbol(name, integer=True) for name in "ijk")
Z, A = MatrixSymbol("Z", T, T), MatrixSymbol("A", T, T)
c = Symbol("c", positive=True)
DEFINITION = Hypothesis(r"Z_{ij}\ge0,\quad\textstyle\sum_kZ_{ik}>0")


@dataclass(frozen=True)
class Weights(RowWeights):
    """Any non-negative table and one on its diagonal, the smallest first; what proofs may use of it."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        # Before ones are added a row may vanish.
        for value in Array.of_weight(self, weight, point):
            if min(value, default=0) >= 0:
                yield value + ImmutableDenseMatrix(rows, cols, lambda a, b: Integer(a == b % rows))

    def facts(self) -> tuple[Formula, ...]:
        rows, cols = self.symbol.shape
        value = entry(self.symbol)(row, column)
        positive = Compare(Sum(value, (column, 1, cols)), ">", 0)
        signs = ForAll(row, 1, rows, ForAll(column, 1, cols, Compare(value, ">=", 0)))
        return ForAll(row, 1, rows, positive), signs


def row_facts(symbol: Any) -> tuple[Formula, ...]:
    """Rows of a matrix sum to one; its entries are not negative."""
    (rows, cols), value = symbol.shape, entry(symbol)(row, column)
    signs = ForAll(row, 1, rows, ForAll(column, 1, cols, Compare(value, ">=", 0)))
    return ForAll(row, 1, rows, Compare(Sum(value, (column, 1, cols)), "=", 1)), signs


def normalised(weights: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Every row over its sum."""
    rows = weights.tolist()
    if all(value.is_Rational for row in rows for value in row):
        return rows_over_their_sums(rows)
    totals = map(sum, rows)
    return ImmutableDenseMatrix(
        [[value / total for value in row] for row, total in zip(rows, totals, strict=True)]
    )


def rows_over_their_sums(rows: list[list[Any]]) -> ImmutableDenseMatrix:
    """The same of rows of rational numbers."""
    found = {}
    for i, row in enumerate(rows):
        values = [QQ(int(value.p), int(value.q)) for value in map(sympify, row)]
        total = sum(values, start=QQ(0))
        found[i] = {j: value / total for j, value in enumerate(values)}
    return exact_matrix(found, (len(rows), len(rows[0])), QQ)


@dataclass(frozen=True)
class Markov(Weights):
    """A row-stochastic matrix: row-normalised weights."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from map(normalised, super().of_weight(weight, point))

    def draw(self, rng: Random, point: Point) -> Any:
        return normalised(super().draw(rng, point))

    def objection(self, value: Any, point: Point) -> str | None:
        if any(sum(value.row(a)) != 1 for a in range(value.rows)):
            return f"{self.symbol} = {value}: rows must sum to one"
        return super().objection(value, point)

    def facts(self) -> tuple[Formula, ...]:
        return row_facts(self.symbol)


# Definition 3.1 -----------------------------------------------------------------------------------

weight = family(r"A[Z]_{{{}{}}}", lambda at, a, b: normalised(at[Z])[a - 1, b - 1])
rescaled = family(r"A[cZ]_{{{}{}}}", lambda at, a, b: normalised(at[c] * at[Z])[a - 1, b - 1])
row_sum = family(r"\sum_jA[Z]_{{{}j}}", lambda at, a: sum(normalised(at[Z]).row(a - 1)))

markov_matrix_is_row_stochastic_and_free_of_scale = Claim(
    id="naitsaada2025.def-3.1",
    source=source("Sec. 3", "Definition 3.1, Eq. (10)"),
    kind="construction",
    title="An i.i.d. Markov matrix is row-stochastic, and the same for $cZ$ as for $Z$.",
    statement=ForAll(
        i, 1, T,
        Compare(row_sum(i), "=", 1)
        & ForAll(j, 1, T, Compare(weight(i, j), ">=", 0) & Compare(rescaled(i, j), "=", weight(i, j))),
    ),
    domain=Domain((Size(T, 1, 4), Weights(Z), Real(c, 0, open_low=True))),
    hypotheses=(DEFINITION,),
    printed=r"\mathbf{A}_{i,j} := \frac{Z_{i,j}}{\sum_{j=1}^T Z_{i,j}}",
    understood=(
        Understood(
            "No row of $Z$ vanishes.",
            r"$Z_{ij}\in\{0,1\}$ with equal probabilities satisfies the definition, and a row "
            "vanishes with probability $2^{-T}$.",
        ),
    ),
    note=(
        r"Since $A[cZ]=A[Z]$ while $\mathrm{Var}(cZ_{11})=c^2\,\mathrm{Var}(Z_{11})$, the matrix "
        r"determines $\sigma/m$ and not $\sigma$: what is said of $A$ in terms of $\sigma$ alone is "
        "said for mean one."
    ),
)  # fmt: skip

# The largest eigenvalue ---------------------------------------------------------------------------

STOCHASTIC = Hypothesis(r"A_{ij}\ge0,\quad\textstyle\sum_jA_{ij}=1")
DIGITS = 60
real, imaginary = MatrixSymbol(r"\Re\lambda", T, 1), MatrixSymbol(r"\Im\lambda", T, 1)
real_vector, imaginary_vector = MatrixSymbol(r"\Re v", T, T), MatrixSymbol(r"\Im v", T, T)


@lru_cache(maxsize=4096)
def eigenpairs(matrix: Any) -> tuple[ImmutableDenseMatrix, ...]:
    """Eigenvalues, the largest modulus first, and eigenvectors whose largest entry has modulus one.

    Real and imaginary parts, to fifty digits.
    """
    with mpmath.workdps(DIGITS):
        values, vectors = mpmath.eig(
            mpmath.matrix([[_number(e) for e in r] for r in matrix.tolist()])
        )
        places = sorted(range(matrix.rows), key=lambda place: -abs(values[place]))
        columns = [[vectors[b, place] for b in range(matrix.rows)] for place in places]
        scaled = [[entry_ / max(map(abs, column_)) for entry_ in column_] for column_ in columns]
        numbers = [[values[place]] for place in places]
        return tuple(
            ImmutableDenseMatrix([[_rational(part(e)) for e in line] for line in lines])
            for lines in (numbers, scaled)
            for part in (mpmath.re, mpmath.im)
        )


def _number(value: Any) -> Any:
    return mpmath.mpf(int(value.p)) / int(value.q)


def _rational(value: Any) -> Rational:
    return Rational(mpmath.nstr(value, DIGITS))


@dataclass(frozen=True)
class Eigenvectors(Computed):
    """What eigenvalues and eigenvectors are: Av = lambda v, and the largest entry of v is one."""

    def facts(self) -> tuple[Formula, ...]:
        a, b = entry(real)(k, 1), entry(imaginary)(k, 1)
        x, y = entry(real_vector), entry(imaginary_vector)

        def times_a(v: Any) -> Expr:
            return Sum(entry(A)(row, column) * v(k, column), (column, 1, T))

        here = x(k, row), y(k, row)
        square = here[0] ** 2 + here[1] ** 2
        equation = Compare(times_a(x), "=", a * here[0] - b * here[1])
        other = Compare(times_a(y), "=", a * here[1] + b * here[0])
        everywhere = ForAll(k, 1, T, ForAll(row, 1, T, equation & other & Compare(square, "<=", 1)))
        return everywhere, ForAll(k, 1, T, Exists(row, 1, T, Compare(square, "=", 1)))


def _part(place: int) -> Any:
    return lambda at: eigenpairs(at[A])[place]


def _modulus(at: Point, place: int) -> Float:
    values = eigenpairs(at[A])
    square = sum(values[part][place - 1, 0] ** 2 for part in (0, 1))
    return sqrt(square).evalf(DIGITS)


modulus = family(r"|\lambda_{{{}}}(A)|", _modulus)
total_of_row = family(r"\sum_jA_{{{}j}}", lambda at, a: sum(at[A].row(a - 1)))
one_is_the_largest_eigenvalue = Claim(
    id="naitsaada2025.intro.lambda1",
    source=source("Sec. 1", "and Theorem 2.1"),
    kind="identity",
    title="One is an eigenvalue with the all-ones eigenvector, and none is larger in modulus.",
    statement=ForAll(i, 1, T, Compare(total_of_row(i), "=", 1))
    & ForAll(k, 1, T, Compare(modulus(k), "<=", 1)),
    domain=Domain((
        Size(T, 1, 3), Markov(A), Computed(real, _part(0)), Computed(imaginary, _part(1)),
        Computed(real_vector, _part(2)), Eigenvectors(imaginary_vector, _part(3)),
    )),
    hypotheses=(STOCHASTIC,),
    printed=r"\lambda_1(\mathbf{A}(\mathbf{X}_0)) = 1",
)  # fmt: skip

# Repeated products --------------------------------------------------------------------------------

x = MatrixSymbol("x", T, 1)
least, top, bottom = (Symbol(name, real=True) for name in (r"\epsilon", "M", "m"))


def _ends(latex: str, symbol: Any, sign: str, end: Any) -> Computed:
    """The largest, or the least, entry of x."""
    known = ForAll(i, 1, T, Compare(entry(x)(i, 1), sign, symbol))
    return Computed(symbol, lambda at: end(at[x]), known=(known,))


mixed = family("(Ax)_{{{}}}", lambda at, a: (at[A] * at[x])[a - 1])
attention_favours_the_all_ones_direction = Claim(
    id="naitsaada2025.sec-1.repeated-product",
    source=source("Sec. 1"),
    kind="prose",
    title=(
        r"With entries of at least $\epsilon$, attention keeps the all-ones direction and shrinks what "
        r"differs between tokens by $1-T\epsilon$ each time."
    ),
    statement=ForAll(
        i, 1, T,
        Compare(total_of_row(i), "=", 1)
        & ForAll(k, 1, T, Compare(mixed(i) - mixed(k), "<=", (1 - T * least) * (top - bottom))),
    ),
    domain=Domain((
        Size(T, 1, 4), Markov(A),
        Computed(least, lambda at: min(at[A]), known=(
            ForAll(i, 1, T, ForAll(j, 1, T, Compare(entry(A)(i, j), ">=", least))),)),
        Array(x), _ends("M", top, "<=", max), _ends("m", bottom, ">=", min),
    )),
    hypotheses=(
        STOCHASTIC, Hypothesis(r"A_{ij}\ge\epsilon"), Hypothesis(r"m\le x_j\le M"),
    ),
    note=(
        r"Softmax entries are positive, so that products of $\ell$ attention matrices shrink every "
        r"direction but the all-ones one at least like $\prod(1-T\epsilon)$, with their least entries "
        r"$\epsilon$."
    ),
)  # fmt: skip

# Dependence within a row --------------------------------------------------------------------------

z = MatrixSymbol("z", 1, T)


def _covariance(at: Point) -> Expr:
    """Cov(A_11, A_12) over all orders of the values of a row."""
    shares = normalised(at[z])
    total = sum((order[0] * order[1] for order in permutations(shares)), start=Integer(0))
    return total / factorial(len(shares)) - Rational(1, int(at[T])) ** 2


covariance = Quantity(r"\mathrm{Cov}(A_{11},A_{12}\mid\{z_1,\dots,z_T\})", _covariance)
shares_squared = Quantity(
    r"\textstyle\sum_jA_{1j}^2", lambda at: sum((e**2 for e in normalised(at[z])), start=Integer(0))
)
entries_of_a_row_are_dependent = Claim(
    id="naitsaada2025.rem-3.2.dependence",
    source=source("Sec. 3", "Remark 3.2"),
    kind="prose",
    title="Entries of one row are negatively correlated, given the values of $Z$ in it.",
    statement=covariance.equals((1 - T * shares_squared) / (T**2 * (T - 1))) & covariance.below(0),
    domain=Domain(
        (Size(T, 2, 3, reach=6), Weights(z)),
        (
            Condition(
                "z_1\\ne z_2", lambda at: at[z][0] != at[z][1],
                Compare(entry(z)(Integer(1), Integer(1)), "!=", entry(z)(Integer(1), Integer(2))),
            ),
        ),
    ),
    hypotheses=(
        DEFINITION,
        Hypothesis(r"z_1,\dots,z_T\ \text{the values in a row, in any order, not all equal}"),
    ),
    understood=(
        Understood("$T\\ge2$.", "For $T=1$ the only entry is the constant one."),
    ),
    note=(
        "The order of i.i.d. variables is uniform given their values, and the mean of an entry given "
        "these is $1/T$ always; so the covariance without the condition is the mean of this one, "
        "negative wherever $Z$ is not constant."
    ),
)  # fmt: skip

# Uniform attention --------------------------------------------------------------------------------

n = Symbol("n", integer=True, positive=True)
atoms, chances = MatrixSymbol("z", 1, n), MatrixSymbol("w", 1, n)


def _mean(at: Point, value: Any) -> Expr:
    """The mean of a function of Z_11."""
    pairs = zip(at[chances], at[atoms], strict=True)
    return sum((w * value(x) for w, x in pairs), start=Integer(0))


variance = Quantity(
    r"\mathrm{Var}(Z_{11})", lambda at: _mean(at, lambda x: (x - _mean(at, lambda y: y)) ** 2)
)
unevenness = Quantity(
    r"\mathbb E(Z_{11}-Z_{12})^2", lambda at: _mean(at, lambda x: _mean(at, lambda y: (x - y) ** 2))
)
_finite_law = Domain((Size(n, 1, 3), Weights(atoms), Markov(chances)))
LAW = Hypothesis(r"Z_{ij}\ \text{i.i.d.},\ \mathbb P(Z_{11}=z_k)=w_k,\ z_k\ge0")
UNIFORM = Hypothesis(
    r"A=T^{-1}1_{T\times T}\ \text{almost surely}\iff Z_{11}=Z_{12}\ \text{almost surely}\quad(T\ge2)"
)
uniform_attention_has_no_variance = Claim(
    id="naitsaada2025.rem-3.2.uniform-instance.repair",
    parent="naitsaada2025.rem-3.2.uniform-instance",
    source=source("Sec. 3", "Remark 3.2, and the caption of Fig. 2"),
    kind="prose",
    title="Uniform attention is the excluded case $\\sigma=0$ of Definition 3.1.",
    statement=unevenness.equals(2 * variance),
    domain=_finite_law,
    hypotheses=(LAW, UNIFORM),
)
uniform_attention_as_an_instance = Claim(
    id="naitsaada2025.rem-3.2.uniform-instance",
    source=source("Sec. 3", "Remark 3.2, and the caption of Fig. 2"),
    kind="prose",
    title="Uniform attention is called an instance of Definition 3.1, which asks for $\\sigma^2>0$.",
    statement=unevenness.equals(0).implies(variance.above(0)),
    domain=_finite_law,
    hypotheses=(LAW, UNIFORM),
    severity="misprint",
    repair=uniform_attention_has_no_variance,
    printed=r"\text{The uniform attention is another instance from this class of matrices}",
    note=(
        "Rows that are constant almost surely come from a constant $Z$, whose variance is zero. With "
        "$\\sigma^2\\ge0$ in the definition the remark holds, and so do trivially the limits with the gap; "
        "(9), (17) and (18), without it, need $\\sigma^2>0$."
    ),
)

# How attention is sampled -------------------------------------------------------------------------

mu, spread = Symbol("mu", real=True), Symbol("s", positive=True)


def _mean_of_exponential(at: Point) -> Expr:
    """E e^B = sum_n E[B^n]/n! for lognormal B > 0: infinite where ratios of terms do not stay below one."""
    count = Symbol("n", positive=True)
    ratio = exp(at[mu] + (count + Rational(1, 2)) * at[spread] ** 2) / (count + 1)
    found = limit(ratio, count, oo)
    if found is not oo:
        raise ArithmeticError(f"ratio of terms tends to {found}")
    return found


mean_of_weights = Quantity(r"\mathbb E e^{B_{11}}", _mean_of_exponential)
LOGNORMAL = Hypothesis(
    r"B_{11}=e^{\mu+sN},\ N\sim\mathcal N(0,1);\quad Z=e^B,\ A=\mathrm{softmax}(B)"
)
_shape = Domain((Real(mu), Real(spread, 0, open_low=True)))


def _lognormal_moment(at: Point, power: int) -> Expr:
    """E e^(power B) for Gaussian B."""
    return exp(power * at[mu] + Rational(power**2, 2) * at[spread] ** 2)


first_moment, second_moment = (
    Quantity(name, partial(_lognormal_moment, power=power), positive=True)
    for name, power in ((r"\mathbb E[Z_{11}]", 1), (r"\mathbb E[Z_{11}^2]", 2))
)
logits_of_lognormal_weights = Claim(
    id="naitsaada2025.app-A.5.sampling.repair",
    parent="naitsaada2025.app-A.5.sampling",
    source=source("App. A.5", "Attention design"),
    kind="construction",
    title=r"With Gaussian $B$ of variance $s^2$ the weights have $\sigma^2/m^2=e^{s^2}-1$, one at $s^2=\log2$.",
    statement=Compare(second_moment / first_moment**2 - 1, "=", exp(spread**2) - 1),
    domain=_shape,
    hypotheses=(Hypothesis(r"B_{11}\sim\mathcal N(\mu,s^2);\quad Z=e^B,\ A=\mathrm{softmax}(B)"),),
    note=r"Then $Z=e^B$ is lognormal, which may be what is meant.",
)
lognormal_logits_have_no_mean = Claim(
    id="naitsaada2025.app-A.5.sampling",
    source=source("App. A.5", "Attention design"),
    kind="construction",
    title="Softmax of lognormal entries is called an i.i.d. Markov matrix of variance one.",
    statement=Compare(mean_of_weights, "<", oo),
    domain=_shape,
    hypotheses=(LOGNORMAL,),
    severity="misprint",
    repair=logits_of_lognormal_weights,
    printed=r"\mathbf{A} := \text{softmax}(\mathbf{B}), \quad \sigma_A = 1",
    note=(
        "A lognormal variable has no exponential moments: whatever its parameters, $e^B$ has infinite "
        r"mean and variance, so that no choice of them makes $\sigma_A=1$."
    ),
)
