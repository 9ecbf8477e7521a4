"""Sec. 1: what a common context is needed for: without a centre node tokens need not collapse.

Then two sets of tokens attend to themselves alone: the tokens from which a token can be reached, for
one token that few reach, and for another one that no token of the first set reaches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Symbol

from claims.domain import Computed, Domain, Point, Size
from claims.masks import Mask
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, Exists, ForAll, Formula
from claims.terms import entry
from claims.wu2024.contraction import width_at, width_decays_exponentially
from claims.wu2024.extrema import RECURSION
from claims.wu2024.masks import SELF_LOOPS, Graphs
from claims.wu2024.notation import G, N, T, attention, source, x
from claims.wu2024.setup import AttentionSequence, size_of_mask

first, second = (MatrixSymbol(name, N, 1) for name in ("a", "b"))
"""Columns that mark with ones two disjoint sets of tokens which attend to themselves alone."""
_i, _j = Symbol("i", integer=True), Symbol("j", integer=True)


@dataclass(frozen=True)
class NoCentre(Graphs):
    """Graphs with self-loops in which no token is reachable by all others."""

    def _connected(self, mask: Mask) -> bool:
        return not mask.is_quasi_strongly_connected

    def objection(self, value: Any, point: Point) -> str | None:
        if value.is_quasi_strongly_connected:
            return f"{value}: token {value.centre_nodes[0]} is a centre node"
        return replace(Graphs(), low=self.low).objection(value, point)


@lru_cache(maxsize=1024)
def apart(mask: Mask) -> tuple[frozenset[int], frozenset[int]]:
    """Two disjoint sets of tokens, each with all tokens that it is reachable from."""
    tokens = range(1, mask.size + 1)
    heard = {i: frozenset(j for j in tokens if mask.hops(j, i) < mask.size) for i in tokens}
    one = min(heard.values(), key=lambda found: (len(found), min(found)))
    other = next((found for found in heard.values() if not found & one), frozenset[int]())
    return one, other


def _marks(place: int) -> Any:
    return lambda at: ImmutableDenseMatrix(
        [Integer(i in apart(at[G])[place]) for i in range(1, int(at[N]) + 1)]
    )


@dataclass(frozen=True)
class Marks(Computed):
    """A set of tokens that attend to no token outside of it, disjoint from those marked before."""

    before: Any = None

    def facts(self) -> tuple[Formula, ...]:
        mark = lambda i: entry(self.symbol)(i, 1)  # noqa: E731
        closed = Compare(mark(_i) * entry(G)(_j, _i) * (1 - mark(_j)), "=", 0)
        inside = Compare(mark(_i) * (1 - mark(_i)), "=", 0)
        every = (
            ForAll(_i, 1, N, ForAll(_j, 1, N, closed)), ForAll(_i, 1, N, inside),
            Exists(_i, 1, N, Compare(mark(_i), "=", 1)),
        )  # fmt: skip
        if self.before is None:
            return every
        disjoint = Compare(mark(_i) * entry(self.before)(_i, 1), "=", 0)
        return (*every, ForAll(_i, 1, N, disjoint))


@dataclass(frozen=True)
class Start(Computed):
    """One on the first set, zero elsewhere."""

    def facts(self) -> tuple[Formula, ...]:
        return (ForAll(_i, 1, N, Compare(entry(self.symbol)(_i), "=", entry(first)(_i, 1))),)


near, far = Marks(first, _marks(0)), Marks(second, _marks(1), before=first)
start = Start(x, _marks(0))


def _stays(masks: Graphs) -> Domain:
    return Domain(
        (
            masks, size_of_mask, near, far, start, Size(T, 0, 3), AttentionSequence(attention, length=T),
        )
    )  # fmt: skip


without_a_centre = _stays(NoCentre(high=4))
_apart = Compare(width_at(T), "=", 1)
no_collapse_without_a_centre_node = Claim(
    id="wu2024.beyond.centre-needed",
    source=source("Sec. 1", 'first contribution: "the key property"'),
    kind="dynamics",
    title="On a mask without a centre node some tokens stay apart for ever, whatever the attention.",
    statement=_apart,
    domain=without_a_centre,
    hypotheses=(
        SELF_LOOPS,
        Hypothesis(r"\mathcal G\ \text{has no centre node}"),
        Hypothesis(r"A^{(s)}\ \text{row-stochastic on}\ \mathcal G\ \text{for every}\ s"),
        RECURSION,
        Hypothesis(
            r"x^{(0)}_i=1\ \text{where}\ a_i=1,\ \text{else}\ 0;\quad a,b\ \text{mark two disjoint sets of "
            r"tokens that attend to themselves alone}"
        ),
    ),
    uses=(width_decays_exponentially,),
    mutants=(
        Mutant("on masks with a centre node", _apart, domain=_stays(Graphs(high=4, centred=True))),
    ),
    note=(
        "A statement of ours: with Theorem 1 it says that the common context, to which all tokens attend "
        "directly or indirectly, is the key property indeed: for a fixed mask with self-loops it is "
        "necessary and sufficient. One feature and $W_V=I$ are enough."
    ),
)
