r"""Sec. 4.1's trade-off: depth needed to mix all tokens, against the speed of rank collapse.

The cited theorem asks for at least the diameter of the mask in layers; the number of layers that
mixing takes, k*, is the longest distance over all ordered pairs.  Def. 5's r does not order it, nor
does it order how fast tokens collapse.  The universality theorem of Yun et al. itself is cited and
not examined.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol

from claims.domain import Condition, Domain, Real
from claims.masks import cycle, spider, star
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Quantity
from claims.wu2024.masks import SELF_LOOPS, STRONGLY_CONNECTED, Graphs, layers_to_mix
from claims.wu2024.notation import G, epsilon, source
from claims.wu2024.rates import (
    CONSTANT,
    larger_diameter_collapses_slower,
    patient_attention,
    rate,
    second_modulus,
)  # fmt: skip
from claims.wu2024.setup import size_of_mask

other = Symbol(r"\mathcal{G}'")
_TWO = ((G, r"\mathcal G"), (other, r"\mathcal G'"))


def of_masks(name: str, value: Any) -> tuple[Quantity, Quantity]:
    """A number of either mask."""

    def number(symbol: Any) -> Any:
        return lambda at: Integer(value(at[symbol]))

    first, second = (
        Quantity(f"{name}({letter})", number(symbol), integer=True) for symbol, letter in _TWO
    )
    return first, second


depth, depth_of_other = of_masks("k^*", layers_to_mix)
radius, radius_of_other = of_masks("r", lambda mask: mask.radius)
longest, longest_of_other = of_masks("R", lambda mask: mask.ordinary_diameter)
_DEPTH = Hypothesis(
    r"k^*(\mathcal G)=\min\{k:\ A^{(k-1)}\cdots A^{(0)}>0\},\quad A^{(t)}_{ij}>0\iff(j,i)\in E"
)
_same_tokens = Condition(r"N=N'", lambda at: at[G].size == at[other].size)


def two_masks(smaller: Quantity, larger: Quantity, *more: Any) -> Domain:
    """Strongly connected masks on the same tokens, ordered by a number."""
    graphs = (Graphs(G, strong=True, high=4), size_of_mask, Graphs(other, strong=True, high=4))
    latex = f"{smaller.name}<{larger.name}"
    less = Condition(
        latex, lambda at: smaller.define(at) < larger.define(at), smaller.below(larger)
    )
    return Domain((*graphs, *more), (_same_tokens, less))


_HYPOTHESES = (STRONGLY_CONNECTED, SELF_LOOPS, _DEPTH)
smaller_distance_mixes_faster = Claim(
    id="wu2024.sec-4.1.smaller-diameter-efficient.repair",
    parent="wu2024.sec-4.1.smaller-diameter-efficient",
    source=source("Sec. 4.1", "Trade-off, last sentence"),
    kind="prose",
    title="Masks of smaller longest distance between tokens need fewer layers to mix all tokens.",
    statement=depth.below(depth_of_other),
    domain=two_masks(longest, longest_of_other),
    hypotheses=(*_HYPOTHESES, Hypothesis(r"R=\max_{j,i}\mathrm{dist}(j,i)")),
    note="The depth needed is the longest distance over all ordered pairs, not Def. 5's diameter.",
)

_by_radius = two_masks(radius, radius_of_other)
_spider = _by_radius.completed({G: spider(3, 2), other: cycle(7)})
smaller_diameter_needs_fewer_layers = Claim(
    id="wu2024.sec-4.1.smaller-diameter-efficient",
    source=source("Sec. 4.1", "Trade-off, last sentence"),
    kind="prose",
    title="Masks of smaller diameter are more efficient: they need no more layers to mix all tokens.",
    statement=depth.at_most(depth_of_other),
    domain=_by_radius,
    hypotheses=(*_HYPOTHESES, Hypothesis(r"r\ \text{of Def. 5, the same number of tokens}")),
    uses=(),
    probes=(_spider,),
    severity="missing-hypothesis",
    repair=smaller_distance_mixes_faster,
    note=(
        "Def. 5's diameter is a radius and does not order the depth needed: a spider of three legs of "
        "length two has $r=2$ and needs 4 layers, the cycle on as many tokens has $r=3$ and needs 3."
    ),
)

# More prone to collapse ---------------------------------------------------------------------------


def _collapse(symbol: Any) -> Any:
    return lambda at: second_modulus(patient_attention(at[symbol], at[epsilon]))


collapse, collapse_of_other = (
    Quantity(rf"\lambda_2(A_{{{letter}}})", _collapse(symbol)) for symbol, letter in _TWO
)
_floors = Condition(
    r"\epsilon\le1/|\mathcal N_i|,\,1/|\mathcal N_i'|",
    lambda at: at[epsilon] * max(at[G].in_degree, at[other].in_degree) <= 1,
)
_with_floor = Real(epsilon, 0, Rational(1, 2), open_low=True)
_ordered = two_masks(radius, radius_of_other, _with_floor)
_tradeoff = Domain(_ordered.variables, (*_ordered.conditions, _floors))
_star_and_cycle = _tradeoff.completed(
    {G: star(4, undirected=True), other: cycle(4), epsilon: Rational(1, 4)}
)
depth_and_bound_follow_the_diameter = Claim(
    id="wu2024.sec-4.1.tradeoff.repair",
    parent="wu2024.sec-4.1.tradeoff",
    source=source(
        "Sec. 4.1", '"Trade-off between rank collapse and universal approximating power"'
    ),
    kind="prose",
    title="Mixing all tokens takes at least $r$ layers, and the bound (6) is smaller for smaller $r$.",
    statement=depth.at_least(radius)
    & Compare(rate(radius, epsilon), "<", rate(radius_of_other, epsilon)),
    domain=_tradeoff,
    hypotheses=_HYPOTHESES,
    note="Only the bound (6) is ordered by the diameter; collapse itself is not.",
)
depth_needed_is_at_least_the_diameter = Claim(
    id="wu2024.sec-4.1.tradeoff",
    source=source(
        "Sec. 4.1", '"Trade-off between rank collapse and universal approximating power"'
    ),
    kind="prose",
    title="Mixing all tokens takes at least $r$ layers; tokens collapse no slower for smaller $r$.",
    statement=depth.at_least(radius) & collapse.at_most(collapse_of_other),
    domain=_tradeoff,
    hypotheses=(*_HYPOTHESES, CONSTANT, Hypothesis(r"\epsilon\ \text{to each other neighbour}")),
    uses=(larger_diameter_collapses_slower,),
    probes=(_star_and_cycle,),
    severity="material",
    repair=depth_and_bound_follow_the_diameter,
    note=(
        "Masks of smaller diameter are said to be more prone to collapse. At equal floors the "
        "undirected star on four tokens ($r=1$) has rate $1-\\epsilon$, the cycle ($r=2$) "
        "$1-2\\epsilon$. Two numbers are called diameter as well: the depth needed is the longest "
        "distance over all ordered pairs, which is at least $r$."
    ),
)
