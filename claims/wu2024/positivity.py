r"""Products of D A become positive: Lemma 8 of App. C.1, and the class M_{G,eps,C_1,C_2} of Eq. (21).

A product of L factors has a positive entry (i, j) where token i is within distance L of token j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, diag

from claims.domain import Choice, Computed, Domain, Point
from claims.masks import (
    Mask,
    causal,
    complete,
    cycle,
    one_directional,
    sliding_window,
)
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.cosines import SELF_LOOPS, STRONG, R
from claims.wu2024.notation import G, N, attention, epsilon, r, source
from claims.wu2024.setup import AttentionSequence, radius_of_mask, size_of_mask

C_1, C_2 = (Symbol(f"C_{i}", positive=True) for i in (1, 2))
scales = Symbol("D^{(0..T-1)}")
"""Holds a tuple of columns, the diagonals of D^{(t)}, at a point."""
count = Symbol("L", integer=True, positive=True)
"""The number of factors of a product."""

CLASS = Hypothesis(r"D^{(t)}A^{(t)}\in\mathcal M_{\mathcal G,\epsilon,C_1,C_2}\ \text{of Eq. (21)}")
swap = Mask("swap", 2, frozenset({(1, 2), (2, 1)}))


@dataclass(frozen=True)
class Scales:
    """A tuple of diagonals with entries from C_1 to C_2, as many as `length` says."""

    symbol: Any
    length: Any

    def _entries(self, point: Point) -> int:
        return int(point[N]) * int(point[self.length])

    def _columns(self, entries: list[Any], point: Point) -> tuple[ImmutableDenseMatrix, ...]:
        size = int(point[N])
        parts = (entries[i : i + size] for i in range(0, len(entries), size))
        return tuple(ImmutableDenseMatrix(size, 1, part) for part in parts)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """All C_1; all C_2; the first C_2, the others C_1."""
        size = self._entries(point)
        upper = {0: 0, 1: size, 2: 1}.get(weight)
        if upper is not None:
            yield self._columns([point[C_2]] * upper + [point[C_1]] * (size - upper), point)

    def draw(self, rng: Random, point: Point) -> Any:
        low, high = point[C_1], point[C_2]
        steps = (Rational(rng.randint(0, 4), 4) for _ in range(self._entries(point)))
        return self._columns([low + (high - low) * step for step in steps], point)

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != int(point[self.length]):
            return f"{self.symbol}: {len(value)} diagonals: must be {point[self.length]}"
        low, high = point[C_1], point[C_2]
        if not all(low <= entry <= high for column in value for entry in column):
            return f"{self.symbol} = {value}: entries must lie in [{low}, {high}]"
        return None


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


def matrix_class(
    masks: tuple[Mask, ...], length: Callable[[Point], Any], *more: Computed
) -> Domain:
    """Products of `length` matrices of the class (21)."""
    return Domain(
        (
            Choice(G, masks),
            size_of_mask,
            radius_of_mask,
            *more,
            Computed(count, length),
            Computed(epsilon, lambda at: Rational(1, 2 * at[G].in_degree)),
            Choice(C_1, (Integer(1), Rational(1, 2))),
            Choice(C_2, (Integer(1), Integer(2))),
            AttentionSequence(attention, floor=epsilon, length=count),
            Scales(scales, count),
        )
    )


# Lemma 8 ------------------------------------------------------------------------------------------

WITH_A_LONG_WINDOW = (complete(2), sliding_window(5), sliding_window(3), complete(3), cycle(4))


def bound_flags(point: Point) -> tuple[bool, ...]:
    """Entries >= (eps C_1)^L and <= C_2^L for L factors; the same for L - 1; entries <= 1."""
    entries, length = list(product_of(factors(point))), int(point[count])
    low, high = point[epsilon] * point[C_1], point[C_2]
    least, largest = min(entries), max(entries)
    return (
        bool(least >= low**length),
        bool(largest <= high**length),
        bool(least >= low ** (length - 1)),
        bool(largest <= high ** (length - 1)),
        bool(largest <= 1),
    )


products_over_the_longest_distance_are_positive = Claim(
    id="wu2024.lemma-8.positive-product.repair",
    parent="wu2024.lemma-8.positive-product",
    source=source("App. C.1", "Lemma 8"),
    kind="bound",
    title="Products of R + 1 matrices, R the longest distance, have entries from (eps C_1)^(R+1) to C_2^(R+1).",
    statement=Proposition(
        r"(\epsilon C_1)^{T+1}\le P_{ij}^{(t+T:t)}\le C_2^{T+1}\quad\text{for } T=R",
        lambda point, f: f[0] and f[1],
    ),
    domain=matrix_class(
        WITH_A_LONG_WINDOW,
        lambda at: at[R] + 1,
        Computed(R, lambda at: Integer(at[G].ordinary_diameter)),
    ),
    define=bound_flags,
    hypotheses=(SELF_LOOPS, STRONG, CLASS),
    note=(
        "T must be the ordinary diameter (or more), and T + 1 factors give the exponent T + 1. The "
        "lemma itself, that some T, C_3 and C_4 exist, is true."
    ),
)


_sequence = matrix_class(WITH_A_LONG_WINDOW, lambda at: at[r] + 1)
_positive = Proposition(
    r"\exists\,\epsilon,C_1,C_2>0:\ (\epsilon C_1)^T\le P_{ij}^{(t+T:t)}\le C_2^T\quad\text{for } T=r",
    lambda point, f: f[0] and f[1],
)
products_over_the_diameter_are_positive = Claim(
    id="wu2024.lemma-8.positive-product",
    source=source("App. C.1", "Lemma 8 and its proof"),
    kind="bound",
    title="Products P^(t+T:t) over the diameter T = r of Def. 5 have entries between positive constants.",
    statement=_positive,
    domain=_sequence,
    define=bound_flags,
    hypotheses=(SELF_LOOPS, STRONG, CLASS),
    mutants=(
        Mutant(
            "the class's own constants to the power T",
            Proposition(
                r"(\epsilon C_1)^r\le P_{ij}^{(t+r:t)}\le C_2^r",
                lambda point, f: f[2] and f[3],
            ),
        ),
        Mutant("entries at most 1", Proposition(r"P_{ij}^{(t+r:t)}\le1", lambda point, f: f[4])),
        Mutant(
            "quasi-strongly connected",
            _positive,
            domain=matrix_class((causal(2), one_directional(3)), lambda at: at[r] + 1),
        ),
        Mutant("no self-loops", _positive, domain=matrix_class((swap,), lambda at: at[r] + 1)),
    ),
    severity="material",
    repair=products_over_the_longest_distance_are_positive,
    note=(
        "The display's constants are free, so the class's constants are tried to the power T + 1, the "
        "number of factors. A sliding window over 5 tokens has r = 2, but tokens 1 and 5 are 4 steps "
        "apart, and 3 factors leave P_15 = 0. The lemma survives with the ordinary diameter for T."
    ),
)
