r"""What Sec. 4.1 reads off the bound (6): diameter, focus of the attention, and temperature.

The bound's rate is (1 - eps^r)^{1/r}.  Each sentence has a part about the bound and one about collapse.
Under A1-A3 tokens meet and weights are bounded, so that the scores of a row become equal: attention
tends to uniform attention on the mask, whatever eps and d_QK are.  Two masks are therefore compared at
uniform attention A, under which mu(A^t X) falls like t-th powers of the second largest modulus of an
eigenvalue of A, for almost every X; eps and d_QK by mu in networks whose first layer they decide.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import flint
from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, oo, sqrt

from claims.definitions import centring
from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.exact import ball, middle, root_of_squares
from claims.masks import Mask, causal, complete, cycle, star
from claims.model import Claim, Hypothesis, Mutant
from claims.singular import moduli
from claims.statement import Compare, ForAll, Quantity
from claims.terms import family
from claims.wu2024.collapse import tokens_collapse_exponentially
from claims.wu2024.extrema import CENTRED, in_degree
from claims.wu2024.masks import SELF_LOOPS, Graphs, masked_softmax
from claims.wu2024.notation import A, G, N, epsilon, r, source, t
from claims.wu2024.setup import (
    Attention,
    Degree,
    Radius,
    radius_of_mask,
    size_of_mask,
    uniform_attention,
)

UNIFORM = Hypothesis(
    r"W_Q^{(t)}=W_K^{(t)}=0,\ W_V^{(t)}=I:\quad A_{\mathcal G}\ \text{uniform on}\ \mathcal G;\quad "
    r"\lambda_2\ \text{second largest modulus}"
)


def rate(radius: Any, floor: Any) -> Expr:
    """(1 - eps^r)^{1/r}, the rate of the bound (6)."""
    return (1 - floor**radius) ** (1 / radius)


BITS = 256
"""Precision of products of many layers: seventy-seven digits."""


def second_modulus(matrix: ImmutableDenseMatrix) -> Decimal:
    """The largest modulus of an eigenvalue, one eigenvalue 1 left out."""
    # In the basis (1, e_2, ..., e_N), A is block triangular with blocks 1 and the matrix below.
    size = matrix.rows - 1
    deflated = ImmutableDenseMatrix(
        size, size, lambda i, j: matrix[i + 1, j + 1] - matrix[0, j + 1]
    )
    return next(iter(moduli(deflated)), Decimal(0))


def bound_at(radius: Any, floor: Any, name: str) -> Quantity:
    """The rate of the bound (6) for a diameter and a floor, both variables."""
    return Quantity(name, lambda at: rate(at[radius], at[floor]))


def collapse_on(mask: Any, letter: str) -> Quantity:
    """The second largest modulus of uniform attention on a mask: how fast tokens really collapse."""
    name = rf"\lambda_2(A_{{{letter}}})"
    return Quantity(name, lambda at: second_modulus(uniform_attention(at[mask])))


# Networks whose first layer alone is not uniform ---------------------------------------------------

UNIFORM_LATER = Hypothesis(
    r"d=N,\quad X^{(0)}=W_K^{(0)}=W_V^{(t)}=I,\quad W_Q^{(t)}=0\ \text{for}\ t\ge1"
)


def spread_after(first: ImmutableDenseMatrix, mask: Mask, layers: int) -> Decimal:
    """mu(U^{layers - 1} A) for A the first layer's attention, U uniform attention; to sixty digits."""
    size = mask.size
    with flint.ctx.workprec(BITS):
        centred, later, state = (
            flint.arb_mat(size, size, [ball(e, {}) for e in matrix])
            for matrix in (centring(size), uniform_attention(mask), first)
        )
        for _ in range(layers - 1):
            state = later * state
        return middle(root_of_squares((centred * state).entries()))


def spread_of(tokens: str, first: Callable[[Point], Any]) -> Any:
    """mu after t layers, by t."""
    return family(
        rf"\mu({tokens}^{{{{({{}})}}}})",
        lambda at, layers: spread_after(first(at), at[G], int(layers)),
    )


# Larger diameter ----------------------------------------------------------------------------------

larger = Symbol("r'", integer=True, positive=True)
second_mask = Symbol(r"\mathcal{G}'")
COMMON_FLOOR = Hypothesis(r"\epsilon\ \text{a floor as in (5) of both masks}")

bound_near = bound_at(r, epsilon, r"(1-\epsilon^r)^{1/r}")
bound_far = bound_at(larger, epsilon, r"(1-\epsilon^{r'})^{1/r'}")
collapse_near = collapse_on(G, r"\mathcal G")
collapse_far = collapse_on(second_mask, r"\mathcal G'")
_further = Condition.of(Compare(r, "<", larger))
_radii = (Size(r, 1, 4), Size(larger, 1, 5))


def _any_floor(symbol: Symbol) -> Real:
    return Real(symbol, 0, 1, open_low=True, open_high=True)


bound_grows_with_the_diameter = Claim(
    id="wu2024.sec-4.1.rate-monotone-r.repair",
    parent="wu2024.sec-4.1.rate-monotone-r",
    source=source("Sec. 4.1", '"Local vs. global attention"'),
    kind="prose",
    title="At a fixed floor of the attention, the bound (6) is weaker for larger diameters.",
    statement=bound_near.below(bound_far),
    domain=Domain((*_radii, _any_floor(epsilon)), (_further,)),
    hypotheses=(COMMON_FLOOR,),
    note=(
        "Only the upper bound is monotone; collapse itself may be faster for larger diameters. Nor is the "
        r"bound ordered when either mask has the $\epsilon$ of its own attention: `wu2024.beyond.own-floors`."
    ),
)  # fmt: skip

_two_masks = Domain(
    (
        Graphs(G, centred=True, high=4), size_of_mask, radius_of_mask,
        Graphs(second_mask, centred=True, high=4),
        Radius(larger, lambda at: Integer(at[second_mask].radius)),
        Real(epsilon, 0, Rational(1, 2), open_low=True),
    ),
    (
        Condition(r"N=N'", lambda at: at[G].size == at[second_mask].size), _further,
        Condition(
            r"\epsilon\le1/|\mathcal N_i|,\,1/|\mathcal N_i'|",
            lambda at: at[epsilon] * max(at[G].in_degree, at[second_mask].in_degree) <= 1,
        ),
    ),
)  # fmt: skip
_star_and_cycle = _two_masks.completed({G: star(4), second_mask: cycle(4), epsilon: Rational(1, 3)})
larger_diameter_collapses_slower = Claim(
    id="wu2024.sec-4.1.rate-monotone-r",
    source=source("Sec. 4.1", '"Local vs. global attention"'),
    kind="prose",
    title="The rate grows with the diameter, so rank collapse is slower on masks of larger diameter.",
    statement=bound_near.below(bound_far) & collapse_near.at_most(collapse_far),
    domain=_two_masks,
    hypotheses=(SELF_LOOPS, CENTRED, UNIFORM),
    uses=(tokens_collapse_exponentially,),
    probes=(_star_and_cycle,),
    severity="material",
    repair=bound_grows_with_the_diameter,
    printed=(
        r"\text{The exponential rate } (1 - \epsilon^r)^{1/r} \text{ is monotone in the graph diameter } r"
        r"\text{. This means that rank collapse should be slower for graphs with larger diameter } r\text{.}"
    ),
    note=(
        "The second sentence displays no quantity. Under A1-A3 tokens meet and weights are bounded, so that "
        "attention tends to uniform attention on the mask; how fast tokens collapse is read as its second "
        r"largest modulus $\lambda_2$. A bound that is weaker does not make collapse slower: the star on "
        r"four tokens ($r=1$) has $\lambda_2=1/2$, the undirected cycle ($r=2$) $1/3$, and "
        r"$\epsilon=1/3$ is a floor of both."
    ),
)  # fmt: skip

# A floor of its own for either mask ---------------------------------------------------------------


def own_bound(mask: Mask) -> Expr:
    """The rate of the bound (6) for uniform attention, whose floor is one over the largest in-degree."""
    return rate(Integer(mask.radius), Rational(1, mask.in_degree))


def two_generations(tokens: int) -> Mask:
    """Every token attends to itself and to its parent: 1 that of 2 and 3, 2 that of all others."""
    parents = {(max(1, min(2, i - 2)), i) for i in range(2, tokens + 1)}
    loops = {(i, i) for i in range(1, tokens + 1)}
    return Mask("tree", tokens, frozenset(parents | loops))


bound_of_complete = Quantity(
    r"(1-\epsilon^r)^{1/r}", lambda at: own_bound(complete(int(at[N]))), nonnegative=True
)
bound_of_tree = Quantity(
    r"(1-\epsilon'^{r'})^{1/r'}",
    lambda at: own_bound(two_generations(int(at[N]))),
    nonnegative=True,
)
_half_root = sqrt(3) / 2
_complete_is_weaker = (
    bound_of_complete.equals(1 - Integer(1) / N)
    & bound_of_tree.equals(_half_root)
    & bound_of_complete.above(bound_of_tree)
)
bound_with_own_floors_is_not_ordered = Claim(
    id="wu2024.beyond.own-floors",
    source=source("Sec. 4.1", '"Local vs. global attention"'),
    kind="construction",
    title="With the floor of its own attention the complete mask has a weaker bound (6) than a tree.",
    statement=_complete_is_weaker,
    domain=Domain((Size(N, 8, 10),)),
    hypotheses=(
        Hypothesis(r"r=1,\ \epsilon=\tfrac1N\ \text{of uniform attention on the complete mask}"),
        Hypothesis(
            r"r'=2,\ \epsilon'=\tfrac12\ \text{of uniform attention on a tree of depth two: each token "
            r"attends to itself and its parent}"
        ),
    ),
    mutants=(
        Mutant("from seven tokens on", _complete_is_weaker, domain=Domain((Size(N, 7, 10),))),
    ),
    note=(
        r"A statement of ours. The $\epsilon$ of (5) belongs to the mask: it is at most one over the largest "
        "number of neighbours, which uniform attention attains. A mask of smaller diameter may have more "
        "neighbours, and so the weaker bound. The tree has one centre; among strongly connected masks the same "
        r"happens on 18 tokens: `wu2024.sec-4.1.tradeoff.repair`."
    ),
)

# Smaller floor ------------------------------------------------------------------------------------

second = MatrixSymbol("A'", N, N)
more = Symbol(r"\epsilon'", positive=True)
bound_of_more = bound_at(r, more, r"(1-\epsilon'^r)^{1/r}")
_floors = (
    Real(epsilon, 0, 1 / in_degree, open_low=True), Real(more, 0, 1 / in_degree, open_low=True),
)  # fmt: skip
_smaller = Condition.of(Compare(epsilon, "<", more))
_two_floors = Domain(
    (
        Graphs(centred=True, high=3), size_of_mask, Size(r, 1, 3),
        Degree(in_degree, lambda at: Integer(at[G].in_degree), 2), *_floors,
        Attention(A, floor=epsilon), Attention(second, floor=more),
    ),
    (_smaller,),
)  # fmt: skip
_FLOORS = Hypothesis(
    r"A\in\mathcal A_{\mathcal G,\epsilon},\ A'\in\mathcal A_{\mathcal G,\epsilon'}"
)
bound_falls_with_the_floor = Claim(
    id="wu2024.sec-4.1.rate-monotone-eps.repair",
    parent="wu2024.sec-4.1.rate-monotone-eps",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"'),
    kind="prose",
    title=r"The bound (6) falls with $\epsilon$, up to one over the largest number of neighbours.",
    statement=bound_near.above(bound_of_more),
    domain=_two_floors,
    hypotheses=(SELF_LOOPS, CENTRED, _FLOORS),
    note="The collapse itself is not ordered by $\\epsilon$. Uniform attention has the largest $\\epsilon$.",
)

spread_focused = spread_of("X", lambda at: at[A])
spread_even = spread_of("{{X'}}", lambda at: at[second])
_causal_pair = _two_floors.completed(
    {
        G: causal(2), r: Integer(1), epsilon: Rational(1, 3), more: Rational(1, 2),
        A: ImmutableDenseMatrix([[3, 0], [2, 1]]) / 3,
        second: ImmutableDenseMatrix([[2, 0], [1, 1]]) / 2,
    }
)  # fmt: skip
smaller_floor_collapses_slower = Claim(
    id="wu2024.sec-4.1.rate-monotone-eps",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"'),
    kind="prose",
    title=r"The rate falls with $\epsilon$, so smaller $\epsilon$ means slower rank collapse.",
    statement=bound_near.above(bound_of_more)
    & ForAll(t, 1, oo, Compare(spread_focused(t), ">=", spread_even(t))),
    domain=_two_floors,
    hypotheses=(
        SELF_LOOPS, CENTRED, UNIFORM_LATER, _FLOORS,
        Hypothesis(r"(W_Q^{(0)})_{ij}=\sqrt{d_{QK}}\log A_{ij}\ \text{on edges};\quad X'\ \text{with}\ A'"),
    ),
    uses=(tokens_collapse_exponentially,),
    probes=(_causal_pair,),
    severity="material",
    repair=bound_falls_with_the_floor,
    printed=(
        r"\text{the exponential rate is monotone decreasing in } \epsilon\text{, which means that rank "
        r"collapse is slower with smaller } \epsilon"
    ),
    note=(
        "The second sentence displays no quantity. Under A1-A3 attention tends to uniform attention on the "
        r"mask whatever $\epsilon$ is, so that $\epsilon$ acts on early layers. Two networks are compared "
        r"whose first layers have the floors $\epsilon<\epsilon'$ and whose later layers are uniform. Of two "
        r"causal tokens whose second one attends by $2/3,1/3$ in the first layer, $\mu$ is "
        r"$1/3,1/6,1/12,\dots$; by $1/2,1/2$ it is $1/2,1/4,1/8,\dots$: the smaller $\epsilon$ is ahead in "
        "every layer."
    ),
)  # fmt: skip

# Temperature --------------------------------------------------------------------------------------

scores = MatrixSymbol("Z", N, N)
"""Scores are log 3 times this matrix at the larger d_QK, and b times as large at the smaller, b^2 below."""
root = Symbol("b", positive=True)


def attention_at_temperature(point: Point, factor: Any) -> ImmutableDenseMatrix:
    """softmax_G of factor * log 3 * Z."""
    return masked_softmax(point[scores].applyfunc(lambda z: Integer(3) ** (factor * z)), point[G])


def _share(pick: Callable[..., Any], sharp: bool) -> Callable[..., Any]:
    def value(at: Point, i: int) -> Any:
        weights = attention_at_temperature(at, at[root] if sharp else 1)
        return pick(weights[i - 1, j - 1] for j in at[G].neighbours(i))

    return value


least_sharp, least_soft, most_sharp, most_soft = (
    family(rf"\{pick.__name__}_jA{mark}_{{{{{{}}j}}}}", _share(pick, not mark))
    for pick in (min, max)
    for mark in ("", "'")
)
spread_sharp = spread_of("X", lambda at: attention_at_temperature(at, at[root]))
spread_soft = spread_of("{{X'}}", lambda at: attention_at_temperature(at, 1))
i = Symbol("i", integer=True)
_temperatures = Domain(
    (Graphs(high=4, loops=True), size_of_mask, Real(root, 1, open_low=True), Array(scores, 2)),
)
_centred = Domain((Graphs(centred=True, high=4), *_temperatures.variables[1:]))
_evener = ForAll(
    i, 1, N,
    Compare(least_sharp(i), "<=", least_soft(i)) & Compare(most_sharp(i), ">=", most_soft(i)),
)  # fmt: skip
_SAME_SCORES = Hypothesis(
    r"\text{the same } XW_Q(XW_K)^\top:\quad R=bZ\log3\ \text{at } d_{QK}\ (A),\quad "
    r"R=Z\log3\ \text{at } b^2d_{QK}\ (A')"
)
larger_temperature_evens_attention = Claim(
    id="wu2024.sec-4.1.temperature.repair",
    parent="wu2024.sec-4.1.temperature",
    source=source("Sec. 4.1", '"Focused vs. uniform attention"; Sec. 5 (Fig. 3)'),
    kind="prose",
    title=r"Larger $d_{QK}$ makes every row of the attention more even, so that $\epsilon$ does not fall.",
    statement=_evener,
    domain=_temperatures,
    hypotheses=(SELF_LOOPS, _SAME_SCORES),
    note=(
        r"More even rows give a larger $\epsilon$ and a smaller bound (6), not always faster "
        "collapse. Minima and maxima are over the neighbours of a token."
    ),
)

_second_row = ImmutableDenseMatrix([[0, 0], [1, 0]])
larger_temperature_collapses_faster = Claim(
    id="wu2024.sec-4.1.temperature",
    source=source(
        "Sec. 4.1", '"Focused vs. uniform attention"; Sec. 5 (Fig. 3); App. G.2 (Fig. 7)'
    ),
    kind="prose",
    title=r"Larger $d_{QK}$ makes attention more even and rank collapse faster.",
    statement=_evener & ForAll(t, 1, oo, Compare(spread_soft(t), "<=", spread_sharp(t))),
    domain=_centred,
    hypotheses=(
        SELF_LOOPS, CENTRED, _SAME_SCORES, UNIFORM_LATER,
        Hypothesis(r"A,A'\ \text{in the first layer, of}\ X\ \text{and}\ X'"),
    ),
    uses=(smaller_floor_collapses_slower,),
    probes=({G: causal(2), N: Integer(2), root: Integer(2), scores: _second_row},),
    severity="material",
    repair=larger_temperature_evens_attention,
    printed=(
        r"\text{As larger values of } d_{QK} \text{ would make the attention allocation among reachable "
        r"tokens more even, they should make rank collapse happen faster across layers.}"
    ),
    note=(
        "Under A1-A3 attention tends to uniform attention on the mask whatever $d_{QK}$ is, so that $d_{QK}$ "
        "acts on early layers. The networks compared attend uniformly from the second layer on. Attention "
        "sharp on the same token brings tokens together: of two causal tokens with score difference "
        r"$\log9$ in the first layer, $\mu$ is $1/10,1/20,1/40,\dots$ at $d_{QK}=1$ and "
        r"$1/4,1/8,1/16,\dots$ at $d_{QK}=4$."
    ),
)  # fmt: skip
