r"""Sec. 3.3: the results carry over to masks that change from layer to layer.

"Similar regularity conditions" are read as A1 and quasi-strong connectivity of every mask, each with
a centre node of its own.  What carries over is the exponential collapse; its rate is another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare
from claims.wu2024.contraction import width_at, width_decays_exponentially
from claims.wu2024.extrema import RECURSION
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N, T, attention, epsilon, r, source, x
from claims.wu2024.setup import Attention
from claims.wu2024.slow_collapse import on_the_support

masks = Symbol(r"\mathcal{G}^{(0..T-1)}")
"""Holds a tuple of masks at a point, first layer first."""
common = Symbol("K", integer=True, positive=True)
"""(N - 1)^2: among so many layers some token is a centre node in at least N - 1."""


@dataclass(frozen=True)
class CentredMasks:
    """One mask for each layer: on N tokens, with self-loops and a centre node."""

    symbol: Any = masks

    def _each(self, point: Point) -> Graphs:
        return Graphs(low=int(point[N]), high=int(point[N]), centred=True)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """The sparsest masks first, two of them in turn."""
        listed = (mask for edges in range(int(point[N]) ** 2) for mask in self._of(edges, point))
        pair = list(islice(listed, weight + 1))
        if len(pair) == weight + 1:
            yield tuple((pair[weight], pair[0])[layer % 2] for layer in range(int(point[T])))

    def _of(self, edges: int, point: Point) -> Iterator[Any]:
        yield from self._each(point).of_weight(edges, point)

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(self._each(point).draw(rng, point) for _ in range(int(point[T])))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[T]:
            return f"{len(value)} masks: must be {point[T]}"
        if any(mask.size != point[N] for mask in value):
            return f"{self.symbol}: every mask must have {point[N]} tokens"
        return next((o for m in value if (o := self._each(point).objection(m, point))), None)


@dataclass(frozen=True)
class AttentionOnMasks:
    """An attention matrix for each layer, at least epsilon on the edges of the layer's mask."""

    symbol: Any = attention
    length: Any = T

    def _layers(self, point: Point) -> Iterator[tuple[Attention, Point]]:
        for mask in point[masks]:
            yield Attention(self.symbol, floor=epsilon), {**point, G: mask}

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        made = [
            next(islice(each.of_weight(weight, at), 1), None) for each, at in self._layers(point)
        ]
        if None not in made and (made or weight == 0):
            yield tuple(made)

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(each.draw(rng, at) for each, at in self._layers(point))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != len(point[masks]):
            return f"{len(value)} layers: must be {len(point[masks])}"
        pairs = zip(value, self._layers(point), strict=True)
        return next((o for m, (each, at) in pairs if (o := each.objection(m, at))), None)


every_layer = Domain(
    (
        Size(N, 2, 4), Size(T, 0, 6), CentredMasks(),
        Computed(r, lambda at: max((Integer(m.radius) for m in at[masks]), default=Integer(1))),
        Computed(common, lambda at: (at[N] - 1) ** 2, known=(Compare(common, "=", (N - 1) ** 2),)),
        Real(epsilon, 0, 1 / N, open_low=True), AttentionOnMasks(), Array(x),
    )
)  # fmt: skip


def _collapsing(period: Any) -> Compare:
    factor = 1 - epsilon**period
    return Compare(width_at(T), "<=", width_at(0) * factor ** (T / period - (period - 1) / period))


def _in_turn(layers: int) -> Point:
    """Centre token 1; what it says reaches one of the tokens 2 and 3 late, each in turn."""
    even = ImmutableDenseMatrix([[4, 0, 0, 0], [1, 1, 0, 2], [0, 1, 1, 2], [0, 1, 0, 3]]) / 4
    order = [0, 2, 1, 3]
    pair = (even, even.extract(order, order).as_immutable())
    used = tuple(pair[layer % 2] for layer in range(layers))
    return every_layer.completed(
        {
            N: Integer(4), T: Integer(layers), masks: tuple(map(on_the_support, used)),
            epsilon: Rational(1, 4), attention: used, x: ImmutableDenseMatrix([0, 9, 7, 10]),
        }
    )  # fmt: skip


def _halved(floor: Any) -> Point:
    """Two tokens, of which the second gives epsilon to the first: the bound is attained."""
    layer = ImmutableDenseMatrix([[1, 0], [floor, 1 - floor]])
    return every_layer.completed(
        {
            N: Integer(2), T: Integer(1), masks: (on_the_support(layer),), epsilon: floor,
            attention: (layer,), x: ImmutableDenseMatrix([0, 1]),
        }
    )  # fmt: skip


changing_masks_collapse_exponentially = Claim(
    id="wu2024.sec-3.3.time-varying-masks",
    source=source("Sec. 3.3", "last sentence"),
    kind="rate",
    title="With masks that change from layer to layer, Corollary 2 keeps an exponential rate, another one.",
    statement=_collapsing(common),
    printed=(
        r"\text{the results can be easily generalized to the case where masks are time-varying and "
        r"satisfy similar regularity conditions}"
    ),
    domain=every_layer,
    hypotheses=(
        Hypothesis(
            r"\mathcal G^{(s)}\ \text{has self-loops (A1) and is quasi-strongly connected, for every}\ s"
        ),
        Hypothesis(r"A^{(s)}\in\mathcal A_{\mathcal G^{(s)},\epsilon},\quad \epsilon\le\tfrac1N"),
        RECURSION,
        Hypothesis(r"K=(N-1)^2"),
    ),
    uses=(width_decays_exponentially,),
    mutants=(
        Mutant("the rate of Corollary 2, r the largest of the masks' diameters", _collapsing(r)),
    ),
    probes=(_halved(Rational(1, 4)), _halved(Rational(1, 2)), _in_turn(2), _in_turn(3)),
    note=(
        'Of "the results" this is Corollary 2, without LayerNorm, from which (6) follows as in App. B.2; '
        "Theorem 2 and Corollary 1, with LayerNorm, are not covered. The paper names neither the conditions "
        "nor the rate, so that some rate is enough. The printed one does not carry over, not even where all "
        "masks have one centre node and the same $r$: what the centre says goes a step farther in each "
        "layer only if the path does not change meanwhile. Four tokens, $\\epsilon=\\frac14$, two masks "
        "in turn with $r=2$ and centre $1$, which stays at $0$: two layers act on the other three as "
        "$P=\\begin{pmatrix}\\frac14&\\frac1{16}&\\frac58\\\\\\frac3{16}&\\frac1{16}&\\frac12\\\\"
        "\\frac14&\\frac1{16}&\\frac{11}{16}\\end{pmatrix}$, and $Pv\\ge\\frac{19}{20}v$ for $v=(9,7,10)$, "
        "so that no $C$ makes the width fall like $(1-\\epsilon^2)^{t/2}$, $1-\\epsilon^2=\\frac{15}{16}$."
    ),
)
