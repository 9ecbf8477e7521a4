r"""Masks as graphs: Definitions 1-5, the masked softmax of Sec. 3.1, A1, and the trade-off of Sec. 4.1.

Def. 5's diameter r is the least, over centre nodes c, of the longest distance from c: what graph
theory calls a radius.  The usual diameter, the longest distance over all ordered pairs, is another
number wherever a mask is strongly connected but not complete (sliding window: floor(N/2) and N - 1).
Definitions 1-4 (reachable, connected, centre) carry no statement of their own and are not claims.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import combinations, pairwise, permutations
from operator import or_
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Symbol, ceiling, floor
from sympy.matrices.expressions import HadamardProduct
from sympy.matrices.expressions.matexpr import MatrixElement

from claims.domain import Array, Computed, Condition, Domain, Point, Size
from claims.expressions import Entrywise, Named, ones
from claims.masks import (
    Mask,
    causal,
    complete,
    directed_cycle,
    one_directional,
    sliding_window,
    star,
)
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry
from claims.wu2024.notation import WK, WQ, G, N, X, d, source
from claims.wu2024.setup import size_of_mask

SELF_LOOPS = Hypothesis(r"\text{A1: } (i,i)\in E(\mathcal G)\ \forall i\in[N]")
SEVERAL_TOKENS = Understood(
    r"more than one token, so that $r\ge1$", "$N=1$: $r=0$, and the exponent $t/r$ has no value"
)
STRONGLY_CONNECTED = Hypothesis(r"\mathcal G\ \text{strongly connected}")
SMALL_STRONG_MASKS = (complete(2), sliding_window(3), complete(3), directed_cycle(3))
"""Strongly connected masks on which a layer is followed exactly."""
SHARES, FEW, DEGREES = (0.2, 0.5, 0.8), 64, (8, 16, 32)
"""Of all edges, in a random graph on few tokens; on many, how many a token has: distances stay above two."""
NEIGHBOURS = Hypothesis(r"\mathcal N_i\ne\emptyset\ \forall i\in[N]")


@dataclass(frozen=True)
class Graphs:
    """Any directed graph on at least `low` tokens; with all self-loops, a centre node, or strongly
    connected.  `high` only limits what is listed and drawn.
    """

    symbol: Any = G
    low: int = 2
    high: int = 5
    loops: bool = True
    strong: bool = False
    centred: bool = False
    tokens: Any = None
    """The number of tokens, as facts name it; N for the mask of the paper."""

    def _connected(self, mask: Mask) -> bool:
        if self.strong:
            return mask.is_strongly_connected
        return mask.is_quasi_strongly_connected or not self.centred

    def _free(self, size: int) -> list[tuple[int, int]]:
        """The edges that a graph may or may not have."""
        span = range(1, size + 1)
        return [*permutations(span, 2), *([] if self.loops else [(i, i) for i in span])]

    def _mask(self, size: int, edges: Any) -> Mask:
        loops = {(i, i) for i in range(1, size + 1)} if self.loops else set()
        # The name lists the edges, so that a printed witness can be drawn again.
        arrows = [f"{j}>{i}" for j, i in sorted(edges)]
        name = " ".join([*(["loops"] if self.loops else []), *arrows]) or "no edges"
        return Mask(name, size, frozenset(edges) | frozenset(loops))

    def of_weight(self, weight: int, point: Point) -> Iterator[Mask]:
        yield from _listed(self, weight)

    def draw(self, rng: Random, point: Point) -> Mask:
        while True:
            size, place = rng.randint(self.low, self.high), rng.randrange(len(SHARES) + 1)
            if place == len(SHARES):
                edges = self._far_apart(rng, size)
            else:
                share = SHARES[place] if size <= FEW else DEGREES[place] / size
                edges = [edge for edge in self._free(size) if rng.random() < share]
            mask = self._mask(size, edges)
            if self._connected(mask):
                return mask

    def _far_apart(self, rng: Random, size: int) -> list[tuple[int, int]]:
        """From token to token in some order, and back to the first where a graph must be strong.

        Distances are as long as they can be, which few random graphs come near.
        """
        order = rng.sample(range(1, size + 1), size)
        steps = list(pairwise(order))
        return [*steps, (order[-1], order[0])] if self.strong and size > 1 else steps

    def of_size(self, rng: Random, point: Point, size: int) -> Mask:
        """A random graph on so many tokens."""
        return replace(self, low=size, high=size).draw(rng, point)

    def objection(self, value: Any, point: Point) -> str | None:
        if value.size < self.low:
            return f"{value} has {value.size} tokens: must be at least {self.low}"
        if self.loops and not value.has_self_loops:
            return f"{value}: some token does not attend to itself"
        if not self._connected(value):
            return f"{value}: not {'strongly' if self.strong else 'quasi-strongly'} connected"
        return None

    def relaxed(self) -> Graphs | None:
        """Without self-loops."""
        return replace(self, loops=False) if self.loops else None

    def facts(self) -> tuple[Formula, ...]:
        """Edges are marked by one, others by zero; self-loops.  Radius and distances bring their own facts."""
        tokens = self.tokens or (N if self.symbol == G else None)
        if tokens is None:
            return ()
        token, end = Symbol("token", integer=True), Symbol("end", integer=True)
        edge = entry(self.symbol)(token, end)
        one_or_none = Compare(edge * (1 - edge), "=", 0)
        inside = Compare(edge, ">=", 0) & Compare(edge, "<=", 1) & one_or_none
        flag = ForAll(end, 1, tokens, inside)
        loops = ForAll(token, 1, tokens, Compare(entry(self.symbol)(token, token), "=", 1))
        size = Compare(tokens, ">=", self.low), ForAll(token, 1, tokens, flag)
        return (*size, *((loops,) if self.loops else ()))


LISTED = 4
"""Larger graphs are too many to be listed; they are drawn."""


@cache
def _listed(graphs: Graphs, weight: int) -> tuple[Mask, ...]:
    """All graphs of one weight: size above the least, plus edges that need not be there."""
    found = []
    for size in range(graphs.low, min(graphs.high, graphs.low + weight, LISTED) + 1):
        count = weight - (size - graphs.low)
        if count < size * graphs.strong or count < (size - 1) * graphs.centred:
            continue  # every token needs an edge from another one, but for one centre
        for edges in combinations(graphs._free(size), count):
            mask = graphs._mask(size, edges)
            if graphs._connected(mask):
                found.append(mask)
    return tuple(found)


# Definition 5 -------------------------------------------------------------------------------------

FAMILIES = (complete, causal, one_directional, sliding_window, star)


@cache
def _radii(size: int) -> tuple[Integer, ...]:
    """r of complete, causal, uni-directional, sliding window and star, by shortest paths."""
    return tuple(Integer(family(size).radius) for family in FAMILIES)


_RADII = (
    r"\bigl(r(\text{complete}),\ r(\text{causal}),\ r(\text{uni-directional}),\ "
    r"r(\text{sliding window}),\ r(\text{star})\bigr)"
)
_one = Integer(1)
diameters_of_the_named_masks = Claim(
    id="wu2024.def-5.diameter",
    source=source("Sec. 3", "Definitions 1-5"),
    kind="construction",
    title=(
        "The masks used in practice have centre nodes and diameters $1$, $1$, $N-1$, "
        r"$\lfloor N/2\rfloor$, $1$."
    ),
    statement=Relation(_RADII, ((_one, _one, N - 1, floor(N / 2), _one),)),
    domain=Domain((Size(N, 2, 64),)),
    define=lambda point: _radii(int(point[N])),
    hypotheses=(Hypothesis(r"(j,i)\in E\ \text{when token } i \text{ attends to } j;\ N\ge2"),),
    mutants=variants(
        ("longest distance over all pairs", (_one, _one, N - 1, N - 1, _one)),
        ("half of N rounded up", (_one, _one, N - 1, ceiling(N / 2), _one)),
        ("N for N - 1", (_one, _one, N, floor(N / 2), _one)),
        ("causal mask as long as its chain", (_one, N - 1, N - 1, floor(N / 2), _one)),
        lhs=_RADII,
    ),
    note=(
        "Def. 5 is a definition; what is claimed is that it applies to the paper's masks and what "
        "it gives, and to the star, which is ours. It is a radius: the sliding window's longest "
        "distance is $N-1$."
    ),
)


# The masked softmax of Sec. 3.1 -------------------------------------------------------------------

d_QK = Symbol("d_{QK}", integer=True, positive=True)
support = MatrixSymbol(r"M_{\mathcal G}", N, N)
weights = MatrixSymbol(r"E", N, N)
"""e^R entry by entry.  W_Q is sqrt(d_QK) log 2 times the point's integer matrix, so E is rational."""
_i, _j = (Symbol(name, integer=True) for name in "ij")


def fewest_neighbours(mask: Mask) -> int:
    """The least number of tokens that one token attends to."""
    return min(len(mask.neighbours(i)) for i in range(1, mask.size + 1))


def integer_scores(point: Point) -> ImmutableDenseMatrix:
    """R / log 2 for R = X W_Q (X W_K)^T / sqrt(d_QK)."""
    return point[X] * point[WQ] * (point[X] * point[WK]).T


def masked_softmax(weights_at: Any, mask: Mask) -> ImmutableDenseMatrix:
    """Row i is normalised over the tokens that i attends to; `weights_at` holds e^R."""
    rows = []
    for i in range(mask.size):
        allowed = [j - 1 for j in mask.neighbours(i + 1)]
        total = sum(weights_at[i, j] for j in allowed)
        rows.append([weights_at[i, j] / total if j in allowed else 0 for j in range(mask.size)])
    return ImmutableDenseMatrix(rows)


def _attention_and_row_sums(point: Point) -> tuple[Any, Any]:
    attention = masked_softmax(point[weights], point[G])
    return attention, attention * ImmutableDenseMatrix.ones(point[G].size, 1)


def normalised(kept: Any, totals: Any, *, by_column: bool = False) -> Entrywise:
    """[kept_ij / totals_i], with totals_j where columns are normalised."""
    total = MatrixElement(totals, 0, _j) if by_column else MatrixElement(totals, _i, 0)
    return Entrywise(MatrixElement(kept, _i, _j) / total, [(_i, N)], [(_j, N)])


kept = Named(r"(M_{\mathcal G}\circ E)", HadamardProduct(support, weights))
row_totals = Named(r"(M_{\mathcal G}\circ E)\mathbf 1", kept * ones(N))
_reversed = Named(r"(M_{\mathcal G}^\top\circ E)", HadamardProduct(support.T, weights))
_ATTENTION = (
    r"\bigl(\mathrm{softmax}_{\mathcal G}(R),\ \mathrm{softmax}_{\mathcal G}(R)\mathbf 1\bigr)"
)
masked_attention_is_row_stochastic = Claim(
    id="wu2024.sec-3.1.masked-softmax",
    source=source("Sec. 3.1"),
    kind="identity",
    title="Masked attention normalises $e^R$ over each token's neighbours, so its rows sum to one.",
    statement=Relation(_ATTENTION, ((normalised(kept, row_totals), ones(N)),)),
    domain=Domain(
        (
            Graphs(high=4, loops=False), size_of_mask, Size(d, 1, 3), Size(d_QK, 1, 4),
            Array(X, 1), Array(WQ, 1), Array(WK, 1),
            Computed(support, lambda at: at[G].matrix),
            Computed(weights, lambda at: integer_scores(at).applyfunc(lambda m: Integer(2) ** m)),
        ),
        (Condition(NEIGHBOURS.latex, lambda at: fewest_neighbours(at[G]) > 0),),
    ),
    define=_attention_and_row_sums,
    hypotheses=(
        NEIGHBOURS,
        Hypothesis(
            r"E_{ij}=e^{R_{ij}};\ \text{in the tests}\ "
            r"W_Q\in\sqrt{d_{QK}}\,\log2\,\mathbb Z^{d\times d}"
        ),
    ),
    mutants=variants(
        (
            "normalised over all tokens",
            (normalised(kept, Named(r"E\mathbf 1", weights * ones(N))), ones(N)),
        ),
        (
            "normalised by columns",
            (normalised(kept, Named(r"\mathbf 1^\top(M_{\mathcal G}\circ E)", ones(1, N) * kept),
                        by_column=True), ones(N)),
        ),
        (
            "edges the other way round",
            (normalised(_reversed, Named(r"(M_{\mathcal G}^\top\circ E)\mathbf 1",
                                         _reversed * ones(N))), ones(N)),
        ),
        ("rows sum to N", (normalised(kept, row_totals), N * ones(N))),
        lhs=_ATTENTION,
    ),
    printed=(
        r"A_{ij} = \text{softmax}_{\mathcal{G}}(R_{ij}) = \frac{\exp(R_{ij})}{\sum_{k \in "
        r"\mathcal{N}_i} \exp(R_{ik})} \text{ if } (j, i) \in E(\mathcal{G}), \quad A_{ij} = 0 "
        r"\text{ otherwise}"
    ),
    note=(
        "That the rows sum to one is not displayed; it is what the normalisation gives, and what the "
        "later products of these matrices use."
    ),
    understood=(
        Understood(
            "Every token has a neighbour, as A1 gives.",
            "A token without one has a row of zeros, which does not sum to one.",
        ),
    ),
)  # fmt: skip


# A1 -----------------------------------------------------------------------------------------------

fewest = Quantity(
    r"\min_{i\in[N]}|\mathcal N_i|", lambda at: Integer(fewest_neighbours(at[G])), integer=True
)
every_token_has_a_neighbour = Claim(
    id="wu2024.assumption.A1",
    source=source("Sec. 4", "A1"),
    kind="assumption",
    title="With self-loops every token has a neighbour, so masked attention is always defined.",
    statement=fewest.at_least(1),
    domain=Domain((Graphs(low=1), size_of_mask)),
    hypotheses=(SELF_LOOPS,),
    uses=(masked_attention_is_row_stochastic,),
    printed=(
        r"\text{A1 ensures that every token has a neighbor so that the masked attention computation is "
        r"well-defined for every token in every layer}"
    ),
    note=(
        "A1 itself is an assumption; what it is said to ensure is claimed. That attention is then well "
        "defined is `wu2024.sec-3.1.masked-softmax`. Self-loops are enough, not "
        "necessary: on a directed cycle every token has a neighbour."
    ),
)


# Depth ---------------------------------------------------------------------------------------------


def layers_to_mix(mask: Mask) -> int:
    """The first k for which the product of k attention matrices on the mask is positive."""
    attends = {i: mask.neighbours(i) for i in range(1, mask.size + 1)}
    reached = {i: sum(1 << (j - 1) for j in attends[i]) for i in attends}
    everywhere, layers = (1 << mask.size) - 1, 1
    while any(tokens != everywhere for tokens in reached.values()):
        reached = {i: reduce(or_, (reached[j] for j in attends[i])) for i in reached}
        layers += 1
    return layers
