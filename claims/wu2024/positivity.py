r"""Products of D A become positive: Lemma 8 of App. C.1, and the class M_{G,eps,C_1,C_2} of Eq. (21).

A product of L factors has a positive entry (i, j) where token i is within distance L of token j.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, diag, sympify

from claims.domain import Domain, Point, Real, Size
from claims.expressions import explicit
from claims.masks import Mask, sliding_window
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family
from claims.wu2024.cosines import R
from claims.wu2024.extrema import in_degree
from claims.wu2024.lengths import SELF_LOOPS, STRONG
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N, T, attention, epsilon, r, source
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


def _sequences(length: Any) -> tuple[Any, ...]:
    return AttentionSequence(attention, floor=epsilon, length=length), Scales(scales, length)


def matrix_class(length: Any) -> tuple[Any, ...]:
    """Products of `length` matrices of the class."""
    return (*CLASS_OF, *_sequences(length))


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

# Blocks of factors --------------------------------------------------------------------------------


def _factors_from(point: Point, last: int, first: int) -> ImmutableDenseMatrix:
    """P^{(last:first)}, the last factor on the left."""
    return product_of(factors(point)[first : last + 1])


def _blocks(name: str, last: Any, first: Any) -> Any:
    """The product of two neighbouring blocks; the one up to layer T stands on the right."""
    return family(
        rf"\left({name}P^{{{{(T:0)}}}}\right)_{{{{{{}}{{}}}}}}",
        lambda at, i, j: (
            _factors_from(at, last(int(at[T])), first(int(at[T])))
            * _factors_from(at, int(at[T]), 0)
        )[i - 1, j - 1],
    )


def _all(name: str, last: Any) -> Any:
    return family(
        rf"{name}_{{{{{{}}{{}}}}}}",
        lambda at, i, j: _factors_from(at, last(int(at[T])), 0)[i - 1, j - 1],
    )


apart_blocks = _blocks("P^{{(2T+1:T+1)}}", lambda t: 2 * t + 1, lambda t: t + 1)
apart_whole = _all("P^{{(2T+1:0)}}", lambda t: 2 * t + 1)
shared_blocks = _blocks("P^{{(2T:T)}}", lambda t: 2 * t, lambda t: t)
shared_whole = _all("P^{{(2T:0)}}", lambda t: 2 * t)


def _one_product(blocks: Any, whole: Any) -> Formula:
    return ForAll(i, 1, N, ForAll(j, 1, N, Compare(blocks(i, j), "=", whole(i, j))))


_two_blocks = Domain((*CLASS_OF, Size(T, 1, 2), *_sequences(2 * T + 2)))
_BLOCKS = Hypothesis(r"T\ge1"), Hypothesis(r"\text{the blocks}\ k=0\ \text{and}\ k=1")
blocks_without_a_common_factor = Claim(
    id="wu2024.lemma-6.blocks.step.repair",
    parent="wu2024.lemma-6.blocks.step",
    source=source("App. C.1", "after Lemma 8"),
    kind="identity",
    title="The blocks $P^{(k(T+1)+T:k(T+1))}$ multiply to the products of all factors.",
    statement=_one_product(apart_blocks, apart_whole),
    domain=_two_blocks,
    hypotheses=(CLASS, *_BLOCKS),
    note="A block of Lemma 8 has $T+1$ factors, and the next one begins after its last.",
)
blocks_with_a_common_factor = Claim(
    id="wu2024.lemma-6.blocks.step",
    source=source("App. C.1", "after Lemma 8"),
    kind="identity",
    title="The blocks $P^{((k+1)T:kT)}$ are said to multiply to the products of all factors.",
    statement=_one_product(shared_blocks, shared_whole),
    domain=_two_blocks,
    hypotheses=(CLASS, *_BLOCKS),
    printed=r"\text{Then we apply Lemma 7 to } \{P^{(k+1)T:T}\}_{k=0}^\infty \text{ and concludes Lemma 6}",
    severity="misprint",
    repair=blocks_without_a_common_factor,
    note=(
        "Lemma 7 speaks of products of what it is applied to, which must be those of Lemma 6. The printed "
        "upper index is read as $((k+1)T:kT)$; then neighbouring blocks share the factor $kT$, which "
        "their product has twice. With $T$ for the lower end, as it stands, the factor $T$ is repeated too. "
        "Before Lemma 8 App. C.1 calls the factors $D^{(t)}A^{(t)}$ themselves $P^{(t)}$, which Def. 8 has for "
        "their products: $M^{(t)}$ is meant."
    ),
)
