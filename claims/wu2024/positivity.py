r"""Products of D A become positive: Lemma 8 of App. C.1, and the class M_{G,eps,C_1,C_2} of Eq. (21).

A product of L factors has a positive entry (i, j) where token i is within distance L of token j.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, diag, sympify

from claims.domain import Domain, Point, Real
from claims.expressions import explicit
from claims.masks import Mask, sliding_window
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family
from claims.wu2024.cosines import SELF_LOOPS, STRONG, R
from claims.wu2024.extrema import in_degree
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N, attention, epsilon, r, source
from claims.wu2024.setup import (
    AttentionSequence,
    Degree,
    LongestDistance,
    radius_of_mask,
    size_of_mask,
    uniform_attention,
)

C_1, C_2 = (Symbol(f"C_{i}", positive=True) for i in (1, 2))
scales = Symbol("D^{(0..T-1)}")
"""Holds a tuple of columns, the diagonals of D^{(t)}, at a point."""
i, j = Symbol("i", integer=True), Symbol("j", integer=True)

CLASS = Hypothesis(r"D^{(t)}A^{(t)}\in\mathcal M_{\mathcal G,\epsilon,C_1,C_2}\ \text{of Eq. (21)}")
swap = Mask("swap", 2, frozenset({(1, 2), (2, 1)}))
"""Strongly connected, without self-loops."""


@dataclass(frozen=True)
class Scales:
    """A tuple of diagonals with entries from C_1 to C_2, as many as `length` says."""

    symbol: Any
    length: Any

    def _layers(self, point: Point) -> int:
        numbers = {k: v for k, v in point.items() if k != G}
        return int(explicit(sympify(self.length), numbers))

    def _columns(self, entries: list[Any], point: Point) -> tuple[ImmutableDenseMatrix, ...]:
        size = int(point[N])
        parts = (entries[k : k + size] for k in range(0, len(entries), size))
        return tuple(ImmutableDenseMatrix(size, 1, part) for part in parts)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """All C_1; all C_2; the first C_2, the others C_1."""
        size = self._layers(point) * int(point[N])
        upper = {0: 0, 1: size, 2: 1}.get(weight)
        if upper is not None:
            yield self._columns([point[C_2]] * upper + [point[C_1]] * (size - upper), point)

    def draw(self, rng: Random, point: Point) -> Any:
        low, high = point[C_1], point[C_2]
        count = self._layers(point) * int(point[N])
        steps = (Rational(rng.randint(0, 4), 4) for _ in range(count))
        return self._columns([low + (high - low) * step for step in steps], point)

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != self._layers(point):
            return f"{self.symbol}: {len(value)} diagonals: must be {self._layers(point)}"
        low, high = point[C_1], point[C_2]
        if not all(low <= e <= high for column in value for e in column):
            return f"{self.symbol} = {value}: entries must lie in [{low}, {high}]"
        return None

    def facts(self) -> tuple[Formula, ...]:
        layer, row = Symbol("layer", integer=True), Symbol("row", integer=True)
        scale = entry(self.symbol)(layer, row, 1)
        inside = Compare(scale, ">=", C_1) & Compare(scale, "<=", C_2)
        return (ForAll(layer, 0, sympify(self.length) - 1, ForAll(row, 1, N, inside)),)


def factors(point: Point) -> list[ImmutableDenseMatrix]:
    """D^{(t)} A^{(t)}, first layer first."""
    pairs = zip(point[scales], point[attention], strict=True)
    return [diag(*column) * weights for column, weights in pairs]


def product_of(matrices: list[ImmutableDenseMatrix]) -> ImmutableDenseMatrix:
    """The last matrix stands on the left."""
    first, *others = matrices
    for matrix in others:
        first = matrix * first
    return first


longest_distance = LongestDistance(R, lambda at: Integer(at[G].ordinary_diameter))
CLASS_OF = (
    Graphs(strong=True, high=4), size_of_mask, radius_of_mask, longest_distance,
    Degree(in_degree, lambda at: Integer(at[G].in_degree), 2),
    Real(epsilon, 0, 1 / in_degree, open_low=True), Real(C_1, 0, open_low=True), Real(C_2, C_1),
)  # fmt: skip
"""A strongly connected mask with self-loops and the constants of the class (21)."""


def matrix_class(length: Any) -> tuple[Any, ...]:
    """Products of `length` matrices of the class."""
    return (
        *CLASS_OF, AttentionSequence(attention, floor=epsilon, length=length), Scales(scales, length),
    )  # fmt: skip


# Lemma 8 ------------------------------------------------------------------------------------------

product_entry = family(
    r"P_{{{},{}}}^{{(t+T:t)}}", lambda at, i, j: product_of(factors(at))[i - 1, j - 1]
)


def positive_after(steps: Any) -> Formula:
    """(eps C_1)^(T + 1) <= P_ij <= C_2^(T + 1) for T + 1 factors."""
    low = Compare(product_entry(i, j), ">=", (epsilon * C_1) ** (steps + 1))
    high = Compare(product_entry(i, j), "<=", C_2 ** (steps + 1))
    return ForAll(i, 1, N, ForAll(j, 1, N, low & high))


_over_the_longest_distance = Domain(matrix_class(R + 1))
LONGEST = Hypothesis(r"T=R=\max_{i,j}\mathrm{dist}(i,j)")
products_over_the_longest_distance_are_positive = Claim(
    id="wu2024.lemma-8.positive-product",
    source=source("App. C.1", "Lemma 8"),
    kind="bound",
    title=r"Products of $R+1$ factors, $R$ the longest distance, lie in $[(\epsilon C_1)^{R+1},C_2^{R+1}]$.",
    statement=positive_after(R),
    printed=(
        r"\text{there exist } T\in\mathbb N\ \text{and } C_3,C_4>0\ \text{such that for all } t\ge0:\quad "
        r"C_3 \leq P_{i,j}^{(t+T:t)} \leq C_4, \quad \forall 1 \leq i, j \leq N"
    ),
    domain=_over_the_longest_distance,
    hypotheses=(
        SELF_LOOPS, STRONG, CLASS, LONGEST,
        Hypothesis(r"C_3=(\epsilon C_1)^{T+1},\quad C_4=C_2^{T+1}"),
    ),
    note=(
        "$T$, $C_3$ and $C_4$ are free; here they are given. That the diameter of Def. 5 serves for "
        "$T$, as the proof says, is `wu2024.lemma-8.positive-product.step`."
    ),
)  # fmt: skip
products_over_the_ordinary_diameter_are_positive = Claim(
    id="wu2024.lemma-8.positive-product.step.repair",
    parent="wu2024.lemma-8.positive-product.step",
    source=source("App. C.1", "proof of Lemma 8"),
    kind="bound",
    title="With the ordinary diameter for $T$, products of $T+1$ factors lie between positive constants.",
    statement=positive_after(R),
    domain=_over_the_longest_distance,
    hypotheses=(SELF_LOOPS, STRONG, CLASS, LONGEST),
    note="$T$ must be the ordinary diameter (or more), and $T+1$ factors give the exponent $T+1$.",
)

_as_printed = Domain(matrix_class(r + 1))
_window = sliding_window(5)
_far_apart = _as_printed.completed(
    {
        G: _window, epsilon: Rational(1, 3), C_1: Integer(1), C_2: Integer(1),
        attention: (uniform_attention(_window),) * 3,
        scales: (ImmutableDenseMatrix.ones(5, 1),) * 3,
    }
)  # fmt: skip
products_over_the_diameter_are_positive = Claim(
    id="wu2024.lemma-8.positive-product.step",
    source=source("App. C.1", "proof of Lemma 8"),
    kind="bound",
    title=r"Products $P^{(t+T:t)}$ over the diameter $T=r$ of Def. 5 have entries between positive constants.",
    statement=positive_after(r),
    printed=(
        r"(\epsilon C_1)^T \leq P_{i,j}^{(t+T:t)} \leq C_2^T, \quad \forall 1 \leq i, j \leq N"
    ),
    domain=_as_printed,
    hypotheses=(SELF_LOOPS, STRONG, CLASS, Hypothesis(r"T=r")),
    probes=(_far_apart,),
    severity="material",
    repair=products_over_the_ordinary_diameter_are_positive,
    note=(
        "The display's constants are free; those of the class are taken to the power $T+1$, the "
        "number of factors, but the entry that fails is zero, and no positive constant is below it: "
        "a sliding window over 5 tokens has $r=2$, but tokens 1 and 5 are 4 steps apart, and 3 "
        "factors leave $P_{15}=0$. The lemma itself, that some $T$ exists, is true."
    ),
)
