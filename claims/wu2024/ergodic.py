r"""Infinite products of D A: Lemmas 6 and 9 of App. C.1.

P^{(t)} = M^{(t)} ... M^{(0)}; for Lemma 6, M^{(t)} = D^{(t)} A^{(t)} is of the class of Eq. (21).
There are positive rank one matrices S^{(t)} with P^{(t)}/S^{(t)} -> 1 entry by entry exactly when the
cross ratios P_ik P_jl/(P_il P_jk) are finite from some t on and tend to one: those of S^{(t)} are
one, and S_ij = P_i1 P_1j/P_11 is as close to P as the cross ratios are to one.  So it is S in Lemma 6.
Everything here is exact: sequences are periodic, or have products in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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

from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Tends
from claims.terms import family
from claims.wu2024.cosines import R
from claims.wu2024.hartfiel import decay, row_allowable_matrices_have_ergodic_products
from claims.wu2024.lengths import SELF_LOOPS, STRONG
from claims.wu2024.notation import N, attention, epsilon, source
from claims.wu2024.positivity import (
    C_1,
    C_2,
    CLASS,
    CLASS_OF,
    Scales,
    factors,
    i,
    j,
    products_over_the_longest_distance_are_positive,
    scales,
)
from claims.wu2024.setup import Endless, EndlessAttention

# Lemma 6 -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndlessScales(Endless, Scales):
    """Diagonals for every layer; examples use some of them again and again."""

    length: Any = 1

    def facts(self) -> tuple[Formula, ...]:
        return Scales(self.symbol, oo).facts()


kappa = Symbol("kappa", positive=True)
"""What R + 1 layers leave of the quotients' range is at most 1 - kappa."""
_contraction = Computed(
    kappa,
    lambda at: (at[epsilon] * at[C_1] / at[C_2]) ** (at[R] + 1),
    known=(Compare(kappa, "=", (epsilon * C_1) ** (R + 1) / C_2 ** (R + 1)),),
)
_endless = Domain(
    (
        *CLASS_OF, _contraction, EndlessAttention(attention, floor=epsilon, length=2),
        EndlessScales(scales, 2),
    )
)  # fmt: skip


def _powers(point: Point, count: int) -> ImmutableDenseMatrix:
    """The product of the first layers, so many."""
    matrices = factors(point)
    product_ = ImmutableDenseMatrix.eye(int(point[N]))
    for layer in range(count):
        product_ = matrices[layer % len(matrices)] * product_
    return product_


def _product(point: Point, layer: int, row: int, column: int) -> Any:
    return _powers(point, layer + 1)[row - 1, column - 1]


def _against_rank_one(point: Point, layer: int, row: int, column: int) -> Any:
    """P_ij/S_ij for S_ij = P_i1 P_1j/P_11."""
    p = _powers(point, layer + 1)
    return p[row - 1, column - 1] * p[0, 0] / (p[row - 1, 0] * p[0, column - 1])


ell = Symbol("t", integer=True)
product_after = family(r"P_{{{1}{2}}}^{{({0})}}", _product)
against_rank_one = family(
    r"\frac{{P_{{{1}{2}}}^{{({0})}}}}{{S_{{{1}{2}}}^{{({0})}}}}", _against_rank_one
)
_distance = (1 - kappa) ** ((ell + 2) / (R + 1) - 2) / kappa**2
_near_rank_one = (
    Compare(product_after(ell, i, j), ">", 0)
    & Compare(Abs(against_rank_one(ell, i, j) - 1), "<=", _distance)
)  # fmt: skip
_rank_one = Hypothesis(r"S_{ij}^{(t)}=P_{i1}^{(t)}P_{1j}^{(t)}/P_{11}^{(t)}")
long_products_are_ergodic = Claim(
    id="wu2024.lemma-6.ergodicity",
    source=source("App. C.1", "Lemma 6, Eq. (20)-(22)"),
    kind="limit",
    title="On strongly connected masks with self-loops products of $DA$ become ergodic.",
    statement=ForAll(
        i,
        1,
        N,
        ForAll(
            j,
            1,
            N,
            Tends(against_rank_one(ell, i, j), ell, Integer(1))
            & ForAll(ell, R, oo, _near_rank_one),
        ),
    ),
    domain=_endless,
    hypotheses=(
        SELF_LOOPS,
        STRONG,
        CLASS,
        _rank_one,
        Hypothesis(r"\kappa=(\epsilon C_1/C_2)^{R+1},\ R=\max_{i,j}\mathrm{dist}(i,j)"),
    ),
    uses=(
        row_allowable_matrices_have_ergodic_products,
        products_over_the_longest_distance_are_positive,
    ),
    mutants=(
        Mutant(
            "of rank one from the first products on",
            ForAll(
                i,
                1,
                N,
                ForAll(j, 1, N, ForAll(ell, R, oo, Compare(against_rank_one(ell, i, j), "=", 1))),
            ),
        ),
    ),
    printed=(
        r"\lim_{t \rightarrow \infty} \frac{P_{ij}^{(t)}}{S_{ij}^{(t)}} = 1, \quad \forall i, j "
        r"\in [N]"
    ),
    note=(
        "Def. 6 does not repeat that the mask is strongly connected with self-loops; without either "
        "the statement fails. $S$ is given, and the limit stands with how fast it is reached. Examples "
        "repeat two matrices; the proof takes any sequence."
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
