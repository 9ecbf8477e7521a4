r"""Hartfiel's lemma on products of non-negative matrices, as App. C.1 cites it (Lemma 7).

a_t and b_t are the least and the largest entry of M^{(t)}; S_ij = P_i1 P_1j/P_11.  The limit is stated as the
definition has it: given delta > 0 there is a layer T from which on P is within delta of S.  With t_1 the
first layer with a_t > 0, any T will do at which 1 + sum_{t_1 < t <= T} a_t/b_t is at least U^2/(delta L^2), U
and L the largest and the least entry of P^{(t_1)}; since the sum diverges there is one where L > 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
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
    zoo,
)

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll
from claims.terms import family
from claims.wu2024.notation import N, source
from claims.wu2024.positivity import i, j

head = MatrixSymbol("M^{(0)}", N, N)
decay = Symbol("alpha", nonnegative=True)
tolerance = Symbol("delta", positive=True)
first = Symbol("t_1", integer=True, nonnegative=True)
onset = Symbol("T", integer=True, nonnegative=True)
step = Symbol("t", integer=True)
_k, _l = Symbol("k", integer=True), Symbol("l", integer=True)


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


# The sequence of the examples ------------------------------------------------------------------------


def share_at(point: Point, layer: int) -> Any:
    """a_t/b_t = (t+1)^-alpha/2 for t >= 1."""
    return Rational(1, 2) / Integer(layer + 1) ** point[decay]


def factor_at(point: Point, layer: int) -> ImmutableDenseMatrix:
    """The first matrix, and then (1 - c) I + c 11^T."""
    if layer == 0:
        return point[head]
    size, c = int(point[N]), share_at(point, layer)
    return ImmutableDenseMatrix(size, size, lambda a, b: Integer(1) if a == b else c)


def product_at(point: Point, layer: int) -> ImmutableDenseMatrix:
    """P^{(t)}: I and 11^T are all that the later factors are made of."""
    return _flattened(point[head], point[decay], int(point[N]), int(layer))


@lru_cache(maxsize=4096)
def _flattened(start: ImmutableDenseMatrix, exponent: Any, size: int, layer: int) -> Any:
    kept, whole = Integer(1), Integer(1)
    for t in range(1, layer + 1):
        c = Rational(1, 2) / Integer(t + 1) ** exponent
        kept, whole = kept * (1 - c), whole * (1 + (size - 1) * c)
    means = [sum(start.col(b)) / Integer(size) for b in range(size)]
    return ImmutableDenseMatrix(
        size, size, lambda a, b: kept * (start[a, b] - means[b]) + whole * means[b]
    )


def _against(point: Point, layer: int, row: int, column: int) -> Any:
    p = product_at(point, layer)
    below = p[row - 1, 0] * p[0, column - 1]
    return p[row - 1, column - 1] * p[0, 0] / below if below != 0 else zoo


factor = family(
    r"M_{{{1}{2}}}^{{({0})}}", lambda at, layer, a, b: factor_at(at, layer)[a - 1, b - 1]
)
low = family("a_{{{}}}", lambda at, layer: min(factor_at(at, layer)))
high = family("b_{{{}}}", lambda at, layer: max(factor_at(at, layer)))
product_entry = family(
    r"P_{{{1}{2}}}^{{({0})}}", lambda at, layer, a, b: product_at(at, layer)[a - 1, b - 1]
)
against_rank_one = family(r"\frac{{P_{{{1}{2}}}^{{({0})}}}}{{S_{{{1}{2}}}^{{({0})}}}}", _against)


def first_at(point: Point) -> Integer:
    """The first layer whose matrix has no zero."""
    return Integer(0 if min(point[head]) > 0 else 1)


def onset_at(point: Point) -> Integer:
    """The first layer T that will do; t_1 where there is none."""
    start = int(point[first])
    entries = list(product_at(point, start))
    if point[decay] != 0:
        return Integer(start + 16)
    if min(entries) == 0:
        return Integer(start)
    wanted = (max(entries) / min(entries)) ** 2 / point[tolerance] - 1
    return Integer(start + max(0, ceiling(2 * wanted)))


# Facts about the sequence ----------------------------------------------------------------------------

everywhere = lambda body: ForAll(i, 1, N, ForAll(j, 1, N, body))  # noqa: E731
ENTRIES = ForAll(step, 0, oo, everywhere(
    Compare(factor(step, i, j), ">=", low(step)) & Compare(factor(step, i, j), "<=", high(step))
))  # fmt: skip
SIGNS = ForAll(step, 0, oo, Compare(low(step), ">=", 0) & Compare(high(step), ">", 0))
ROWS = ForAll(step, 0, oo, ForAll(i, 1, N, Compare(Sum(factor(step, i, _k), (_k, 1, N)), ">", 0)))
COLUMNS = ForAll(
    step, 0, oo, ForAll(j, 1, N, Compare(Sum(factor(step, _k, j), (_k, 1, N)), ">", 0))
)
POSITIVE = Compare(low(first), ">", 0)
ENOUGH = ForAll(_k, 1, N, ForAll(_l, 1, N, everywhere(Compare(
    product_entry(first, i, j) ** 2, "<=",
    tolerance * (1 + Sum(low(step) / high(step), (step, first + 1, onset)))
    * product_entry(first, _k, _l) ** 2,
))))  # fmt: skip
_rows = Condition(
    r"M^{(t)}\ \text{row allowable}",
    lambda at: all(any(at[head].row(a)) for a in range(at[N])), ROWS,
)  # fmt: skip
_columns = Condition(
    r"\text{no column of } M^{(t)}\ \text{is zero}",
    lambda at: all(any(at[head].col(a)) for a in range(at[N])), COLUMNS,
)  # fmt: skip
ROW_ALLOWABLE = Hypothesis(_rows.latex)
DIVERGENT = Hypothesis(r"\textstyle\sum_ta_t/b_t=\infty")
_LATE = (
    r"\text{given }\delta>0,\ T\ge t_1:\ \textstyle 1+\sum_{t_1<t\le T}a_t/b_t\ge U^2/(\delta L^2)"
)
LATE_ENOUGH = Hypothesis(_LATE)
FIRST_IF_NONE = Hypothesis(r"T=t_1\ \text{where no layer is so late}")
RANK_ONE = Hypothesis(
    r"S_{ij}^{(t)}=P_{i1}^{(t)}P_{1j}^{(t)}/P_{11}^{(t)};\ a_{t_1}>0;\ U=\max_{ij}P_{ij}^{(t_1)},\ "
    r"L=\min_{ij}P_{ij}^{(t_1)}"
)


def products(exponent: int, known: tuple[Any, ...], *conditions: Condition) -> Domain:
    """A first matrix, and then matrices with a_t/b_t = (t+1)^-alpha/2."""
    return Domain(
        (
            Size(N, 2, 3), Choice(decay, (Integer(exponent),)), Nonnegative(head, 2),
            Real(tolerance, 0, open_low=True),
            Computed(first, first_at, known=(ENTRIES, SIGNS, POSITIVE)),
            Computed(onset, onset_at, known=(Compare(onset, ">=", first), *known)),
        ),
        conditions,
    )  # fmt: skip


_near = Compare(product_entry(step, i, j), ">", 0) & Compare(
    Abs(against_rank_one(step, i, j) - 1), "<=", tolerance
)
_ergodic = ForAll(step, onset, oo, everywhere(_near))
divergent_ratios_of_allowable_matrices_imply_ergodicity = Claim(
    id="wu2024.lemma-7.hartfiel.repair",
    parent="wu2024.lemma-7.hartfiel",
    source=source("App. C.1", "Lemma 7"),
    kind="limit",
    title="Matrices with no zero row or column and divergent sum of $a_t/b_t$ have ergodic products.",
    statement=_ergodic,
    domain=products(0, (ENOUGH,), _rows, _columns),
    hypotheses=(ROW_ALLOWABLE, Hypothesis(_columns.latex), DIVERGENT, LATE_ENOUGH, RANK_ONE),
    note=(
        "No column may be zero either: a zero column of $M^{(0)}$ stays one in every product, and no "
        "positive $S$ is near it. This asks more than is needed: once a product is positive, row "
        "allowable factors keep it so, whatever their columns. The limit as the definition has it: "
        r"since $\delta$ is any, $P_{ij}/S_{ij}$ tends to one. Examples have $a_t/b_t=1/2$ for $t\ge1$; the "
        "proof takes any sequence."
    ),
)
_zero_column = products(0, (), _rows)
row_allowable_matrices_have_ergodic_products = Claim(
    id="wu2024.lemma-7.hartfiel",
    source=source("App. C.1", "Lemma 7 (cited)"),
    kind="limit",
    title="Row allowable matrices with divergent sum of $a_t/b_t$ have ergodic products.",
    statement=_ergodic,
    domain=_zero_column,
    hypotheses=(ROW_ALLOWABLE, DIVERGENT, LATE_ENOUGH, FIRST_IF_NONE, RANK_ONE),
    mutants=(
        Mutant("summable ratios", _ergodic, domain=products(2, (), _rows, _columns)),
    ),
    probes=(
        _zero_column.completed(
            {
                N: Integer(2), decay: Integer(0), head: ImmutableDenseMatrix([[1, 0], [1, 0]]),
                tolerance: Rational(1, 2),
            }
        ),
    ),
    severity="missing-hypothesis",
    repair=divergent_ratios_of_allowable_matrices_imply_ergodicity,
    printed=(
        r"\text{If } \sum_{t=0}^\infty \frac{a_t}{b_t} = \infty, \text{ then } "
        r"\{P^{(t)}\}_{t=0}^\infty \text{ is ergodic}"
    ),
    note=(
        "$M^{(0)}$ with both rows $(1,0)$ is row allowable with $a_0=0$, and its zero column remains in "
        "every product, so that no layer is near a positive $S$ ($L=0$ and $T=t_1$). In the paper's use, "
        "products of the class (21), no column is zero, so that nothing is lost."
    ),
)  # fmt: skip
