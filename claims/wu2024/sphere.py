r"""Theorem 2 and Corollary 1 as they stand: rates on the sphere, and random initial tokens.

Both theorems say that some C and epsilon exist; here they are given.  `least` is epsilon_0, the
least attention weight on an edge, and the theorems' epsilon is smaller, so that N epsilon < 1.  For
Corollary 1 the gap 1 - phi contracts by 1 - eps_0^{2r} over r layers.  For Theorem 2 tokens contract by
1 - (eps_0 gamma)^r over r layers in the chart X_i/<X_i, v>, gamma the least <X_i, v> at the start.
Tokens are followed to sixty digits.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import complete
from claims.model import Claim, Hypothesis, Mutant, Relation
from claims.statement import Compare, Quantity
from claims.wu2024.cone import (
    ABOVE,
    BOUNDED_WEIGHTS,
    HEMISPHERE_ABOVE,
    THEOREM_2,
    direction,
    independent_tokens,
    margin,
)
from claims.wu2024.cosines import (
    ACUTE_AT_FIRST,
    CENTRED,
    CENTRED_MASKS,
    ORTHOGONAL,
    SELF_LOOPS,
    UNIT,
    WITH_CENTRE,
    acute_tokens,
    cosine_gap_decays_from_t0,
    cosine_gap_decays_from_the_start,
    squared_spread_now,
)
from claims.wu2024.lengths import (
    LONG_ACUTE,
    LONG_SPREAD,
    spread_is_bounded_by_the_cosine_rate,
)
from claims.wu2024.masks import SEVERAL_TOKENS, Graphs
from claims.wu2024.notation import WV, G, N, X, attention, d, epsilon, r, source, t
from claims.wu2024.setup import EndlessAttention, Periodic, radius_of_mask, size_of_mask
from claims.wu2024.sphere_limits import tokens_collapse_under_layernorm
from claims.wu2024.trajectory import (
    decimals,
    layers_of,
    least_squared_norm,
    mu_squared_of,
)
from claims.wu2024.turns import EndlessLayers, values
from claims.wu2024.unit_tokens import Orthogonal, UnitRows

least = Symbol("epsilon_0", positive=True)
"""The least attention weight on an edge (Lemma 4), with N epsilon_0 < 1."""
ATTENDING = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon_0\ \text{on edges (Lemma 4)},\ N\epsilon_0<1")

_layers = EndlessAttention(attention, floor=least, length=2)


def spread_at(point: Point) -> Decimal:
    """mu(X^{(t)})^2."""
    count = int(point[t])
    layers = layers_of(point, count)
    rows = layers[count - 1].after if count else decimals(point[X])
    return mu_squared_of(rows)


# Corollary 1 ---------------------------------------------------------------------------------------

smaller = Symbol(r"\epsilon_1", positive=True)
"""The epsilon of Corollary 1, below the least attention weight on an edge."""
largest_floor = smaller * N ** (1 / (2 * r))
"""epsilon_0, the least attention weight on an edge, so that N epsilon_1^{2r} = epsilon_0^{2r}."""
_below_one = Condition(
    r"N\epsilon_0<1", lambda at: at[N] * at[smaller] * at[N] ** (1 / (2 * at[r])) < 1,
    Compare(N * largest_floor, "<", 1),
)  # fmt: skip
_small_enough = Real(smaller, 0, N ** (-1 - 1 / (2 * r)), open_low=True, open_high=True)
_acute = acute_tokens(
    CENTRED_MASKS, t, WITH_CENTRE, Size(t, 0, 2), floor=(_small_enough, largest_floor)
)
_acute = _acute.with_conditions(_below_one)
_factor = 1 - N * smaller ** (2 * r)
acute_tokens_collapse_exponentially = Claim(
    id="wu2024.cor-1.rate",
    source=source("Sec. 4.2", "Corollary 1, Eq. (8)"),
    kind="rate",
    title="Tokens with non-negative cosines collapse exponentially on quasi-strongly connected masks.",
    statement=Compare(squared_spread_now, "<=", N / _factor * _factor ** (t / r)),
    printed=r"\mu(X^{(t)})\leq C(1-N\epsilon^{2r})^{\frac t{2r}},\quad\forall t\geq0",
    domain=_acute,
    hypotheses=(
        UNIT, SELF_LOOPS, CENTRED, ORTHOGONAL, ACUTE_AT_FIRST, BOUNDED_WEIGHTS,
        ATTENDING, Hypothesis(r"\epsilon_1=\epsilon_0N^{-1/(2r)},\quad C^2=N/(1-N\epsilon_1^{2r})"),
    ),
    uses=(cosine_gap_decays_from_the_start, spread_is_bounded_by_the_cosine_rate),
    understood=(SEVERAL_TOKENS, *LONG_ACUTE),
    note=(
        "True although its printed recursion is not: $C$ and $\\epsilon$ are free, and the recursion "
        "that holds (1 in place of $N$) gives the printed form for a smaller $\\epsilon$."
    ),
)  # fmt: skip

# Theorem 2 -----------------------------------------------------------------------------------------

_floor = Real(least, 0, 1 / N, open_low=True, open_high=True)


def turning(tokens: tuple[Any, ...], value: Any, *more: Condition, floor: Any = _floor) -> Domain:
    """Strongly connected masks; the epsilon of Theorem 2 is epsilon_0 gamma."""
    smaller = Computed(
        epsilon, lambda at: at[least] * at[margin],
        known=(Compare(epsilon, "=", least * margin),),
    )  # fmt: skip
    features, rows, *above, layers = tokens
    return Domain(
        (
            Graphs(strong=True, high=3), size_of_mask, radius_of_mask, Size(t, 0, 16), features,
            floor, rows, *above, layers, value, smaller,
        ),
        more,
    )  # fmt: skip


_share = Rational(3, 8)
_sticky = ImmutableDenseMatrix([[5, 3], [3, 5]]) / 8
"""Two tokens that keep 5/8 of themselves: tokens of opposite sign stay so."""


def two_tokens(
    rows: ImmutableDenseMatrix, value: ImmutableDenseMatrix, above: Any, layers: int
) -> Domain:
    """Two given tokens under the sticky layer, after so many layers; gamma is as given."""
    deep = Condition(rf"N=2,\ t\ge{layers}", lambda at: at[N] == 2 and at[t] >= layers)
    size, attending = Choice(d, (Integer(rows.cols),)), Choice(attention, ((_sticky,) * 2,))
    tokens = size, Choice(X, (rows,)), Choice(margin, (above,)), attending
    return turning(tokens, Choice(values, ((value,) * 2,)), deep, floor=Choice(least, (_share,)))


_opposite = two_tokens(ImmutableDenseMatrix([1, -1]), ImmutableDenseMatrix([[1]]), Integer(1), 4)
_mirrored = ImmutableDenseMatrix([[4, 3], [4, -3]]) / 5
_stretched = two_tokens(_mirrored, ImmutableDenseMatrix([[1, 0], [0, 8]]), Rational(4, 5), 10)
_theorem = turning(
    (Size(d, 2, 3), UnitRows(X), *HEMISPHERE_ABOVE, _layers),
    EndlessLayers(values, Orthogonal(WV)),
    independent_tokens,
)
_unit = ImmutableDenseMatrix.eye(2)
_probe = _theorem.completed(
    {
        G: complete(2), d: Integer(2), least: _share, attention: Periodic((_sticky,) * 2),
        X: _unit, direction: ImmutableDenseMatrix([[3, 4]]) / 5,
        values: Periodic((_unit,) * 2), t: Integer(3),
    }
)  # fmt: skip
_factor = 1 - N * epsilon ** (2 * r)
_constant = 2 * N * d / margin**2 * (1 - epsilon**r) ** (-2 * (r - 1) / r)
spread_in_turn = Quantity(r"\mu(X^{(t)})^2", spread_at)
_rate = Compare(spread_in_turn, "<=", _constant * _factor ** (t / r))
tokens_in_a_hemisphere_collapse_exponentially = Claim(
    id="wu2024.thm-2.rate",
    source=source("Sec. 4.2", "Theorem 2, Eq. (7)"),
    kind="rate",
    title="Independent tokens collapse exponentially on strongly connected masks.",
    statement=Compare(N * epsilon, "<", 1) & _rate,
    printed=(
        r"\text{there exist } C>0,\ \epsilon>0\ \text{such that } N\epsilon<1\ \text{and}\quad "
        r"\mu(X^{(t)})\leq C(1-N\epsilon^{2r})^{\frac t{2r}}\quad\forall t\geq0"
    ),
    domain=_theorem,
    hypotheses=(
        *THEOREM_2, BOUNDED_WEIGHTS, ATTENDING, ABOVE,
        Hypothesis(
            r"\epsilon=\epsilon_0\gamma,\quad "
            r"C^2=\tfrac{2Nd}{\gamma^2}(1-\epsilon^r)^{-2(r-1)/r}"
        ),
    ),
    uses=(
        tokens_collapse_under_layernorm,
        cosine_gap_decays_from_t0,
        spread_is_bounded_by_the_cosine_rate,
    ),
    mutants=(
        Mutant("neither (i) nor (ii)", _rate, _opposite),
        Mutant("not orthogonal: W = diag(1, 8)", _rate, _stretched),
    ),
    probes=(_probe,),
    understood=(SEVERAL_TOKENS, *LONG_SPREAD),
    note=(
        r"True although its printed recursion is not: $C$ and $\epsilon$ are free, and these serve "
        r"from the first layer on. In the chart $X_i/\langle X_i,v\rangle$ a layer is an average with "
        r"weights of at least $\epsilon_0\gamma$ on edges, and contracts by $1-\epsilon^r$ over $r$ layers; "
        r"$(1-\epsilon^r)^2\le1-N\epsilon^{2r}$ because $N\epsilon<1$. Condition "
        "(ii) implies (i), and (i) alone, with quasi-strong connectivity, would do."
    ),
)  # fmt: skip

# Random initial tokens -----------------------------------------------------------------------------


def in_open_hemisphere(tokens: ImmutableDenseMatrix) -> bool:
    """Some v has a positive product with every token: the hull does not hold the origin."""
    return bool(least_squared_norm(tokens) > 0)


@cache
def chance_of_both(tokens: int, features: int) -> Expr:
    """P((i) and full rank) for uniform tokens, averaging over their signs.

    Signs are independent and fair given the lines that tokens span, and the number of sign patterns
    that lie in a hemisphere is the same for all lines in general position, of which random ones are
    almost surely; points of the moment curve are in general position, and of full rank.
    """
    curve = ImmutableDenseMatrix(tokens, features, lambda i, j: Integer(i + 1) ** j)
    good = sum(
        in_open_hemisphere(ImmutableDenseMatrix([s * curve.row(i) for i, s in enumerate(signs)]))
        for signs in product((1, -1), repeat=tokens)
    )
    return Rational(good, 2**tokens) * int(curve.rank() == min(tokens, features))


_enough = Condition(r"N\le d", lambda at: at[N] <= at[d])
_too_few = Condition(r"N>d", lambda at: at[N] > at[d])
_CHANCE = r"\mathbb P(\text{(i) and } X^{(0)}\ \text{has full rank})"
_surely = Relation(_CHANCE, (Integer(1),))
_sizes = (Size(N, 2, 4), Size(d, 1, 4))
random_tokens_meet_both_conditions = Claim(
    id="wu2024.thm-2.random-init",
    source=source("Sec. 4.2", "paragraph after Theorem 2"),
    kind="probability-bound",
    title="At most $d$ tokens drawn uniformly from the sphere meet (i) and (ii) almost surely.",
    statement=_surely,
    domain=Domain(_sizes, (_enough,)),
    define=lambda point: chance_of_both(int(point[N]), int(point[d])),
    hypotheses=(
        Hypothesis(r"N\le d"),
        Hypothesis(r"X_{i,:}^{(0)}\ \text{i.i.d. uniform on}\ \mathbb S^{d-1}"),
        Hypothesis(
            r"\text{(i) says}\ \exists v\in\mathbb S^{d-1}:\ \langle X_{i,:}^{(0)},v\rangle>0\ "
            r"\text{for all}\ i"
        ),
    ),
    mutants=(Mutant("N > d", _surely, domain=Domain((Size(N, 2, 4), Size(d, 1, 3)), (_too_few,))),),
    note=(r"For $N>d$ the chance of (i) is $2^{-(N-1)}\sum_{k<d}\binom{N-1}{k}$, less than one."),
)
