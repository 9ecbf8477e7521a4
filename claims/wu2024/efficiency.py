r"""Sec. 4.1's trade-off: depth needed to mix all tokens, against the speed of rank collapse.

The cited theorem asks for at least the diameter of the mask in layers; the number of layers that
mixing takes, k*, is the longest distance over all ordered pairs.  Def. 5's r does not order it, nor
does it order how fast tokens collapse.  The universality theorem of Yun et al. itself is cited and
not examined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Integer, KroneckerDelta, Rational, Sum, Symbol

from claims.domain import Computed, Condition, Domain, Real
from claims.masks import cycle, spider, star
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Exists, ForAll, Formula, Quantity
from claims.terms import Recursion, entry, family
from claims.wu2024.masks import SELF_LOOPS, STRONGLY_CONNECTED, Graphs, layers_to_mix
from claims.wu2024.notation import G, N, epsilon, source
from claims.wu2024.rates import (
    COMMON_FLOOR,
    UNIFORM,
    collapse_on,
    larger_diameter_collapses_slower,
    rate,
)
from claims.wu2024.setup import size_of_mask

other = Symbol(r"\mathcal{G}'")
others = Symbol("N'", integer=True, positive=True)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of one mask, and what they are in terms of walks along its edges."""

    mask: Any
    letter: str
    tokens: Any

    def _number(self, name: str, value: Any) -> Quantity:
        at_mask = lambda at: Integer(value(at[self.mask]))  # noqa: E731
        return Quantity(f"{name}({self.letter})", at_mask, integer=True)

    @cached_property
    def depth(self) -> Quantity:
        return self._number("k^*", layers_to_mix)

    @cached_property
    def radius(self) -> Quantity:
        return self._number("r", lambda mask: mask.radius)

    @cached_property
    def longest(self) -> Quantity:
        return self._number("R", lambda mask: mask.ordinary_diameter)

    @cached_property
    def distance(self) -> Any:
        name = rf"\mathrm{{{{dist}}}}_{{{{{self.letter}}}}}({{}},{{}})"
        return family(name, lambda at, j, i: Integer(at[self.mask].hops(j, i)))

    @cached_property
    def walks(self) -> Recursion:
        """The number of walks of s edges from token j to token i, an entry of a product of s layers."""
        token, edges = Symbol("token", integer=True), entry(self.mask)
        return Recursion(
            "walks",
            lambda j, i: KroneckerDelta(j, i),
            lambda s, j, i, before: Sum(
                edges(token, i) * before(j, token), (token, 1, self.tokens)
            ),
        )

    def facts(self) -> tuple[Formula, ...]:
        """Distances are least lengths of walks, R and r their largest and the centre's largest; k*
        is the least number of layers after which walks lead from everywhere to everywhere."""
        j, i, steps, fewer = (Symbol(name, integer=True) for name in ("j", "i", "steps", "fewer"))

        def everywhere(formula: Formula) -> Formula:
            return ForAll(j, 1, self.tokens, ForAll(i, 1, self.tokens, formula))

        def somewhere(formula: Formula) -> Formula:
            return Exists(j, 1, self.tokens, Exists(i, 1, self.tokens, formula))

        apart = self.distance(j, i)
        leads, none = (
            Compare(self.walks(s, j, i), sign, 0) for s, sign in ((steps, ">"), (fewer, "="))
        )
        shortest = Compare(apart, "=", steps) & leads & ForAll(fewer, 0, steps - 1, none)
        return (
            everywhere(Exists(steps, 0, self.tokens - 1, shortest)),
            everywhere(leads.substitute({steps: self.depth})),
            ForAll(fewer, 1, self.depth - 1, somewhere(none)),
            Compare(self.depth, ">=", 1),
            everywhere(Compare(apart, "<=", self.longest)),
            somewhere(Compare(apart, "=", self.longest)),
            ForAll(j, 1, self.tokens, Exists(i, 1, self.tokens, Compare(apart, ">=", self.radius))),
            Compare(self.tokens, ">=", 2).implies(
                Compare(self.longest, ">=", 1) & Compare(self.radius, ">=", 1)
            ),
        )


own, theirs = Numbers(G, r"\mathcal G", N), Numbers(other, r"\mathcal G'", others)
depth, depth_of_other = own.depth, theirs.depth
radius, radius_of_other = own.radius, theirs.radius
longest, longest_of_other = own.longest, theirs.longest
_DEPTH = Hypothesis(
    r"k^*(\mathcal G)=\min\{k:\ A^{(k-1)}\cdots A^{(0)}>0\},\quad A^{(t)}_{ij}>0\iff(j,i)\in E"
)
_same_tokens = Condition(r"N=N'", lambda at: at[G].size == at[other].size)


def two_masks(smaller: Quantity, larger: Quantity, *more: Any) -> Domain:
    """Strongly connected masks on the same tokens, ordered by a number."""
    graphs = (
        Graphs(G, strong=True, high=4, tokens=N),
        Computed(N, size_of_mask.value, known=own.facts()),
        Graphs(other, strong=True, high=4, tokens=others),
        Computed(others, lambda at: Integer(at[other].size), known=theirs.facts()),
    )
    latex = f"{smaller.name}<{larger.name}"
    less = Condition(
        latex, lambda at: smaller.define(at) < larger.define(at), smaller.below(larger)
    )
    return Domain((*graphs, *more), (_same_tokens, less))


_SAME_SIZE = Hypothesis(r"\text{masks of the same number of tokens}")
_HYPOTHESES = (STRONGLY_CONNECTED, SELF_LOOPS, _SAME_SIZE, _DEPTH)
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
    hypotheses=(*_HYPOTHESES, Hypothesis(r"r\ \text{of Def. 5}")),
    uses=(),
    probes=(_spider,),
    severity="material",
    repair=smaller_distance_mixes_faster,
    printed=(
        r"\text{masks with smaller diameters are more efficient in terms of function approximation power}"
    ),
    note=(
        "Def. 5's diameter is a radius and does not order the depth needed: a spider of three legs of "
        "length two has $r=2$ and needs 4 layers, the cycle on as many tokens has $r=3$ and needs 3."
    ),
)

# More prone to collapse ---------------------------------------------------------------------------

collapse, collapse_of_other = collapse_on(G, own.letter), collapse_on(other, theirs.letter)
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
    hypotheses=(*_HYPOTHESES, COMMON_FLOOR),
    note=(
        "Only the bound (6) is ordered by the diameter, and for one floor; collapse itself is not. With the "
        r"$\epsilon$ of its own attention, the complete mask on 18 tokens has $r=1$, $\epsilon=1/18$ and the "
        "rate $17/18$. Tokens 2 to 5 attend to token 1, tokens 6 to 18 to one of these four, and all to "
        r"themselves and to the token before them, token 1 to token 18: then $r=2$, $\epsilon=1/3$, and the "
        r"rate is $\sqrt8/3<17/18$."
    ),
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
    hypotheses=(*_HYPOTHESES, UNIFORM),
    uses=(larger_diameter_collapses_slower,),
    probes=(_star_and_cycle,),
    severity="material",
    repair=depth_and_bound_follow_the_diameter,
    printed=(
        r"\text{with a mask } \mathcal{G} \text{ they need at least the diameter of } \mathcal{G} "
        r"\text{ layers to achieve the full sequence-to-sequence function approximation property. This "
        r"implies that masks with smaller diameters are more efficient in terms of function approximation "
        r"power, yet they are more prone to rank collapse.}"
    ),
    note=(
        "Masks of smaller diameter are said to be more prone to collapse. Under A1-A3 attention tends to "
        "uniform attention on the mask, with which the undirected star on four tokens ($r=1$) has "
        r"$\lambda_2=1/2$, the cycle ($r=2$) $1/3$. Two numbers are called diameter as well: the depth "
        "needed is the longest distance over all ordered pairs, which is at least $r$."
    ),
)
