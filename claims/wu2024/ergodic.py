r"""Infinite products of non-negative matrices: Lemmas 6, 7 and 9 of App. C.1.

P^{(t)} = M^{(t)} ... M^{(0)}; for Lemma 6, M^{(t)} = D^{(t)} A^{(t)} is of the class of Eq. (21).
There are positive rank one matrices S^{(t)} with P^{(t)}/S^{(t)} -> 1 entry by entry exactly when the
cross ratios P_ik P_jl/(P_il P_jk) are finite from some t on and tend to one: those of S^{(t)} are
one, and S_ij = P_i1 P_1j/P_11 is as close to P as the cross ratios are to one.
Everything here is exact: sequences are periodic, or have products in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import lcm
from random import Random
from typing import Any

from sympy import (
    Abs,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    ceiling,
    oo,
)

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import family
from claims.wu2024.cosines import SELF_LOOPS, STRONG
from claims.wu2024.notation import N, source
from claims.wu2024.positivity import (
    CLASS,
    factors,
    i,
    j,
    matrix_class,
    product_of,
    products_over_the_longest_distance_are_positive,
)

# Lemma 6 -------------------------------------------------------------------------------------------

CLOSE = 10**6
"""Cross ratios within one part in so many count as one."""
Integers = list[list[int]]


def integers(matrix: ImmutableDenseMatrix) -> Integers:
    """A positive multiple of a rational matrix; cross ratios do not see the factor."""
    denominator = lcm(*(int(e.q) for e in matrix))
    return [[int(e * denominator) for e in row] for row in matrix.tolist()]


def square(matrix: Integers) -> Integers:
    columns = list(zip(*matrix, strict=True))
    return [[sum(map(int.__mul__, row, c)) for c in columns] for row in matrix]


def cross_ratios_are_one(matrix: Integers) -> bool:
    """Whether all P_ik P_jl are within 1/CLOSE of P_il P_jk, for a positive matrix."""
    pairs = list(product(range(len(matrix)), repeat=2))
    return all(
        CLOSE * a[k] * b[m] <= (CLOSE + 1) * a[m] * b[k]
        for a, b in product(matrix, repeat=2)
        for k, m in pairs
    )


def limit_of_cross_ratios(point: Point) -> Any:
    """One where powers of the product over one period become ergodic, infinite where they never do.

    Squared until the cross ratios are one, or until entries are still zero after (N-1)^2 + 1
    periods, when they stay zero (Wielandt).
    """
    matrix = integers(product_of(factors(point)))
    size, periods = len(matrix), 1
    while True:
        positive = all(e > 0 for row in matrix for e in row)
        if positive and cross_ratios_are_one(matrix):
            return Integer(1)
        if not positive and periods > (size - 1) ** 2:
            return oo
        matrix, periods = square(matrix), 2 * periods


_RATIO = r"\lim_{t\to\infty}\max_{i,j,k,l}\frac{P_{ik}^{(t)}P_{jl}^{(t)}}{P_{il}^{(t)}P_{jk}^{(t)}}"
cross_ratio = Quantity(_RATIO, limit_of_cross_ratios, extended_real=True, real=None)
ERGODIC = Hypothesis(
    r"\text{ergodic: }\exists\,S^{(t)}>0\ \text{of rank one},\ P_{ij}^{(t)}/S_{ij}^{(t)}\to1,"
    r"\ \text{which says that the cross ratios tend to one}"
)

# Lemma 7 -------------------------------------------------------------------------------------------

head = MatrixSymbol("M^{(0)}", N, N)
decay = Symbol("alpha", nonnegative=True)


@dataclass(frozen=True)
class Nonnegative(Array):
    """A matrix of integers that are not negative."""

    def relaxed(self) -> Array:
        return Array(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        for places in combinations_with_replacement(range(rows * cols), weight):
            yield ImmutableDenseMatrix(rows, cols, [places.count(i) for i in range(rows * cols)])

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        entries = [max(0, rng.randint(-1, self.height)) for _ in range(rows * cols)]
        return ImmutableDenseMatrix(rows, cols, entries)

    def objection(self, value: Any, point: Point) -> str | None:
        if min(value) < 0:
            return f"{self.symbol} has the entry {min(value)}: must not be negative"
        return super().objection(value, point)


def limit_for_flattening(point: Point) -> Any:
    r"""One where the products are ergodic, else infinite (a zero entry) or above one.

    M^{(t)} = (1-c) I + c 11^T with c = (t+1)^{-alpha} for t >= 1, so a_t/b_t = c, and the products
    are (1 + (N-1) c) ... times 11^T/N + lambda (I - 11^T/N), lambda the product of the ratios
    (1-c)/(1 + (N-1) c).  It vanishes exactly when the sum of c diverges: one factor is zero for
    alpha = 0, and otherwise log((1-c)/(1+(N-1)c)) = -N c + O(c^2) is summable with c.
    """
    diverges = bool(point[decay] <= 1)
    columns = all(any(point[head].col(j)) for j in range(point[head].cols))
    rows = all(any(point[head].row(i)) for i in range(point[head].rows))
    flattened = diverges or point[head].rank() == 1  # lambda = 0, or the product had rank one
    return Integer(1) if columns and flattened and (rows or diverges) else oo


followed_ratio = Quantity(_RATIO, limit_for_flattening, extended_real=True, real=None)
_rows = Condition(
    r"M^{(t)}\ \text{row allowable}", lambda at: all(any(at[head].row(i)) for i in range(at[N]))
)
_columns = Condition(
    r"\text{no column of } M^{(t)}\ \text{is zero}",
    lambda at: all(any(at[head].col(j)) for j in range(at[N])),
)
ROW_ALLOWABLE = Hypothesis(_rows.latex)
DIVERGENT = Hypothesis(r"\textstyle\sum_ta_t/b_t=\infty")


def products(exponents: tuple[Any, ...], *conditions: Condition) -> Domain:
    """A first matrix, and then matrices with a_t/b_t = (t+1)^-alpha."""
    sizes = (Size(N, 2, 3), Choice(decay, tuple(map(Integer, exponents))))
    return Domain((*sizes, Nonnegative(head, 2)), conditions)


divergent_ratios_of_allowable_matrices_imply_ergodicity = Claim(
    id="wu2024.lemma-7.hartfiel.repair",
    parent="wu2024.lemma-7.hartfiel",
    source=source("App. C.1", "Lemma 7"),
    kind="limit",
    title="Matrices with no zero row or column and divergent sum of $a_t/b_t$ have ergodic products.",
    statement=followed_ratio.equals(1),
    domain=products((1, 0), _rows, _columns),
    hypotheses=(ROW_ALLOWABLE, Hypothesis(_columns.latex), DIVERGENT, ERGODIC),
    note=(
        "No column may be zero either: a zero column of $M^{(0)}$ stays one in every product, and no "
        "positive $S$ is near it. This asks more than is needed: once a product is positive, row "
        "allowable factors keep it so, whatever their columns."
    ),
)
row_allowable_matrices_have_ergodic_products = Claim(
    id="wu2024.lemma-7.hartfiel",
    source=source("App. C.1", "Lemma 7 (cited)"),
    kind="limit",
    title="Row allowable matrices with divergent sum of $a_t/b_t$ have ergodic products.",
    statement=followed_ratio.equals(1),
    domain=products((1, 0), _rows),
    hypotheses=(ROW_ALLOWABLE, DIVERGENT, ERGODIC),
    mutants=(
        Mutant("summable ratios", followed_ratio.equals(1), domain=products((2,), _rows, _columns)),
    ),
    severity="missing-hypothesis",
    repair=divergent_ratios_of_allowable_matrices_imply_ergodicity,
    printed=(
        r"\text{If } \sum_{t=0}^\infty \frac{a_t}{b_t} = \infty, \text{ then } "
        r"\{P^{(t)}\}_{t=0}^\infty \text{ is ergodic}"
    ),
    note=(
        "$M^{(0)}=[[1,0],[1,0]]$ is row allowable with $a_0=0$, and its zero column remains. In the "
        "paper's use, products of the class (21), no column is zero, so that nothing is lost."
    ),
)

_two_factors = Domain(matrix_class(2))
long_products_are_ergodic = Claim(
    id="wu2024.lemma-6.ergodicity",
    source=source("App. C.1", "Lemma 6, Eq. (20)-(22)"),
    kind="limit",
    title="On strongly connected masks with self-loops products of $DA$ become ergodic.",
    statement=cross_ratio.equals(1),
    domain=_two_factors,
    hypotheses=(SELF_LOOPS, STRONG, CLASS, ERGODIC),
    uses=(
        row_allowable_matrices_have_ergodic_products,
        products_over_the_longest_distance_are_positive,
    ),
    printed=(
        r"\lim_{t \rightarrow \infty} \frac{P_{ij}^{(t)}}{S_{ij}^{(t)}} = 1, \quad \forall i, j "
        r"\in [N]"
    ),
    note=(
        "Def. 6 does not repeat that the mask is strongly connected with self-loops; without either "
        "the statement fails. Examples repeat two matrices; the argument takes any sequence."
    ),
    understood=(
        Understood(
            "the mask is strongly connected with self-loops, as App. C assumes throughout",
            "two tokens that attend to each other only",
        ),
    ),
)

# Lemma 9 -------------------------------------------------------------------------------------------

u, v = MatrixSymbol("u", N, 1), MatrixSymbol("v", N, 1)
deviation = MatrixSymbol("c", N, N)
growth = Symbol("g", positive=True)


@dataclass(frozen=True)
class Positive(Array):
    """A column of positive entries; with `unit`, one of norm 1."""

    unit: bool = False

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight == 0:
            size, _ = self.shape(point)
            yield self._scaled([1] * size)

    def draw(self, rng: Random, point: Point) -> Any:
        size, _ = self.shape(point)
        return self._scaled([rng.randint(1, 4) for _ in range(size)])

    def _scaled(self, entries: list[int]) -> ImmutableDenseMatrix:
        norm = Integer(sum(e * e for e in entries)) ** Rational(1, 2) if self.unit else 1
        return ImmutableDenseMatrix(len(entries), 1, [Integer(e) / norm for e in entries])


def row_factor_at(point: Point, layer: int, token: int) -> Any:
    return point[growth] ** layer * point[u][token - 1]


def column_factor_at(point: Point, layer: int, token: int) -> Any:
    return point[v][token - 1]


def error_at(point: Point, layer: int, row: int, column: int) -> Any:
    """u_i v_j c_ij/(t+1)^alpha."""
    rank_one = row_factor_at(point, layer, row) * column_factor_at(point, layer, column)
    return rank_one * point[deviation][row - 1, column - 1] / Integer(layer + 1) ** point[decay]


def product_at(point: Point, layer: int, row: int, column: int) -> Any:
    rank_one = row_factor_at(point, layer, row) * column_factor_at(point, layer, column)
    return rank_one + error_at(point, layer, row, column)


row_factor = family(r"u_{{{1}}}^{{({0})}}", row_factor_at)
column_factor = family(r"v_{{{1}}}^{{({0})}}", column_factor_at)
entry_of_product = family(r"P_{{{1}{2}}}^{{({0})}}", product_at)
error = family(r"E_{{{1}{2}}}^{{({0})}}", error_at)
step, token = Symbol("t", integer=True), Symbol("k", integer=True)
tolerance = Symbol("delta", positive=True)
onset = Symbol("T", integer=True, nonnegative=True)
"""The layer from which on P_ij/(u_i v_j) is within delta of one."""


def onset_at(point: Point) -> Integer:
    """The first such layer; zero where there need not be one."""
    largest = max(abs(e) for e in point[deviation])
    return Integer(max(0, ceiling(largest / point[tolerance]) - 1)) if point[decay] else Integer(0)


def everywhere(formula: Formula) -> Formula:
    return ForAll(i, 1, N, ForAll(j, 1, N, formula))


RANK_ONE = tuple(
    ForAll(step, 0, oo, formula)
    for formula in (
        ForAll(i, 1, N, Compare(row_factor(step, i), ">", 0)),
        ForAll(i, 1, N, Compare(column_factor(step, i), ">", 0)),
        Compare(Sum(column_factor(step, token) ** 2, (token, 1, N)), "=", 1),
        everywhere(Compare(
            entry_of_product(step, i, j), "=",
            row_factor(step, i) * column_factor(step, j) + error(step, i, j),
        )),
    )
)  # fmt: skip
"""P = u v^T + E with u and v positive and v of norm one."""


def eventually_within(term: Any) -> Formula:
    """From layer T on |x_ij| <= delta; since delta is any, x tends to zero."""
    return ForAll(step, onset, oo, everywhere(Compare(Abs(term), "<=", tolerance)))


_ratio = entry_of_product(step, i, j) / (row_factor(step, i) * column_factor(step, j))
NEARLY_RANK_ONE = eventually_within(_ratio - 1)


def rank_one_and_error(exponent: int, *known: Formula) -> Domain:
    growths = (Integer(1), Integer(2), Rational(1, 2))
    return Domain(
        (
            Size(N, 2, 3), Positive(u), Positive(v, unit=True), Array(deviation, 2),
            Choice(growth, growths), Choice(decay, (Integer(exponent),)),
            Real(tolerance, 0, open_low=True), Computed(onset, onset_at, known=(*RANK_ONE, *known)),
        )
    )  # fmt: skip


_vanishes = eventually_within(error(step, i, j) / row_factor(step, i))
error_vanishes_relative_to_the_row = Claim(
    id="wu2024.lemma-9.error-term",
    source=source("App. C.1", "Lemma 9"),
    kind="limit",
    title="Where $P$ is nearly rank one, the error in a row is small against that row's factor $u_i$.",
    statement=_vanishes,
    domain=rank_one_and_error(1, NEARLY_RANK_ONE),
    hypotheses=(
        Hypothesis(r"P^{(t)}=u^{(t)}(v^{(t)})^\top+E^{(t)},\ u,v>0,\ \|v^{(t)}\|_2=1"),
        Hypothesis(
            r"\text{(22): } P_{ij}^{(t)}/(u_i^{(t)}v_j^{(t)})\to1;\ \text{given }\delta>0,\ "
            r"|P_{ij}^{(t)}/(u_i^{(t)}v_j^{(t)})-1|\le\delta\ \text{for } t\ge T"
        ),
    ),
    uses=(long_products_are_ergodic,),
    mutants=(
        Mutant(
            "P_ij/u_i vanishes",
            eventually_within(entry_of_product(step, i, j) / row_factor(step, i)),
        ),
        Mutant("without ergodicity", _vanishes, domain=rank_one_and_error(0)),
        Mutant("E itself vanishes as fast", eventually_within(error(step, i, j))),
    ),
    printed=(
        r"\lim_{t \rightarrow \infty} \frac{E_{ij}^{(t)}}{u_i^{(t)}} = 0, \quad \forall i, j \in "
        "[N]"
    ),
    note=(
        r"The limit as the definition has it: for each $\delta>0$ there is a layer $T$ from which on "
        r"the error is below $\delta$, and the one that (22) gives serves. Examples have "
        r"$P_{ij}/S_{ij}=1+c_{ij}/(t+1)^\alpha$ and $u$ growing like $g^t$; the proof takes any."
    ),
)
