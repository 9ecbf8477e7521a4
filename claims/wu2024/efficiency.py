r"""Sec. 4.1: whether masks of smaller diameter need fewer layers before all tokens can depend on all.

The cited theorem asks for at least the diameter of the mask in layers; the number of layers that
mixing takes, k*, is the longest distance over all ordered pairs.  Def. 5's r does not order it.
"""

from __future__ import annotations

from sympy import Symbol

from claims.domain import Choice, Condition, Domain, Point
from claims.masks import Mask, complete, cycle, sliding_window, spider, star
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.masks import (
    SELF_LOOPS,
    STRONGLY_CONNECTED,
    depth_needed_is_at_least_the_diameter,
    layers_to_mix,
)
from claims.wu2024.notation import G, source

other = Symbol(r"\mathcal{G}'")

_MASKS: tuple[Mask, ...] = tuple(
    mask
    for size in (3, 4, 5, 7)
    for mask in (
        complete(size), star(size, undirected=True), sliding_window(size), cycle(size),
        *([spider(3, 2)] if size == 7 else []),
    )
)  # fmt: skip
_same_tokens = Condition(r"N=N'", lambda at: at[G].size == at[other].size)
_choices = (Choice(G, _MASKS), Choice(other, _MASKS))
smaller_radius = Domain(
    _choices,
    (
        _same_tokens,
        Condition(r"r(\mathcal G)<r(\mathcal G')", lambda at: at[G].radius < at[other].radius),
    ),
)
smaller_distance = Domain(
    _choices,
    (
        _same_tokens,
        Condition(
            r"R(\mathcal G)<R(\mathcal G')",
            lambda at: at[G].ordinary_diameter < at[other].ordinary_diameter,
        ),
    ),
)


def depths(at: Point) -> tuple[int, int]:
    """Layers until every token can depend on every token, for either mask."""
    return layers_to_mix(at[G]), layers_to_mix(at[other])


_DEPTH = r"k^*(\mathcal G)=\min\{k:\ A^{(k-1)}\cdots A^{(0)}>0\}"
_fewer = Proposition(
    rf"r(\mathcal G)<r(\mathcal G')\ \Rightarrow\ k^*(\mathcal G)\le k^*(\mathcal G'),\quad {_DEPTH}",
    lambda point, value: value[0] <= value[1],
)

smaller_distance_mixes_faster = Claim(
    id="wu2024.sec-4.1.smaller-diameter-efficient.repair",
    parent="wu2024.sec-4.1.smaller-diameter-efficient",
    source=source("Sec. 4.1", "Trade-off, last sentence"),
    kind="prose",
    title="Masks of smaller longest distance between tokens need fewer layers to mix all tokens.",
    statement=Proposition(
        rf"R(\mathcal G)<R(\mathcal G')\ \Rightarrow\ k^*(\mathcal G)<k^*(\mathcal G'),\quad {_DEPTH}",
        lambda point, value: value[0] < value[1],
    ),
    domain=smaller_distance,
    define=depths,
    hypotheses=(STRONGLY_CONNECTED, SELF_LOOPS, Hypothesis(r"R=\max_{j,i}\mathrm{dist}(j,i)")),
    note="The depth needed is the longest distance over all ordered pairs, not Def. 5's diameter.",
)

smaller_diameter_needs_fewer_layers = Claim(
    id="wu2024.sec-4.1.smaller-diameter-efficient",
    source=source("Sec. 4.1", "Trade-off, last sentence"),
    kind="prose",
    title="Masks of smaller diameter are more efficient: they need no more layers to mix all tokens.",
    statement=_fewer,
    domain=smaller_radius,
    define=depths,
    hypotheses=(
        STRONGLY_CONNECTED,
        SELF_LOOPS,
        Hypothesis(r"r\ \text{of Def. 5, the same number of tokens}"),
    ),
    uses=(depth_needed_is_at_least_the_diameter,),
    mutants=(
        Mutant(
            "strictly fewer",
            Proposition(
                r"k^*(\mathcal G)<k^*(\mathcal G')", lambda point, value: value[0] < value[1]
            ),
        ),
        Mutant(
            "more layers",
            Proposition(
                r"k^*(\mathcal G)>k^*(\mathcal G')", lambda point, value: value[0] > value[1]
            ),
        ),
    ),
    severity="missing-hypothesis",
    repair=smaller_distance_mixes_faster,
    note=(
        "Def. 5's diameter is a radius and does not order the depth needed: a spider of three legs of "
        "length two has r = 2 and needs 4 layers, the cycle on as many tokens has r = 3 and needs 3."
    ),
)
