r"""Cosines between tokens under attention with LayerNorm: App. C.1.1 and App. D, Eq. (26), (27).

phi^{(t)} (alpha^{(t)} in Eq. (26)) is the least inner product of two tokens.  Every layer sees unit
tokens and the masks and classes do not change, so "from layer t on" is read as "from layer 0 on".
The displays use that tokens lie on the sphere, for X^{(0)} too, and that W^{(t)} is orthogonal; one
orthogonal matrix serves all layers here, since inner products do not see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, eye, sqrt

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import Mask, causal, complete, cycle, one_directional, sliding_window, star
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.lengths import (
    ORTHOGONAL,
    UNIT,
    layernorm_never_shrinks_a_token,
    least_cosine,
    phi,
    unnormalised,
)
from claims.wu2024.notation import (
    WV,
    G,
    N,
    X,
    attention,
    d,
    epsilon,
    k,
    r,
    source,
    t,
)  # fmt: skip
from claims.wu2024.setup import (
    AcuteRows,
    AttentionSequence,
    Orthogonal,
    radius_of_mask,
    size_of_mask,
)

R = Symbol("R", integer=True, positive=True)
"""The ordinary diameter: the longest distance over all ordered pairs of tokens."""

ACUTE = Hypothesis(r"\phi^{(t)}\ge0")
SELF_LOOPS = Hypothesis(r"\text{A1: } (i,i)\in E\ \forall i")
STRONG = Hypothesis(r"\mathcal G\ \text{strongly connected}")
CENTRED = Hypothesis(r"\mathcal G\ \text{quasi-strongly connected}")
FLOOR = Hypothesis(r"A_{ij}^{(t)}\ge\epsilon\ \text{for }(j,i)\in E,\quad N\epsilon<1")

# Tokens after some layers -------------------------------------------------------------------------


def smallest_cosine(rows: ImmutableDenseMatrix) -> Expr:
    """phi of the rows after LayerNorm, exact."""
    gram = (rows * rows.T).expand()
    cosines = {
        gram[i, j] / sqrt(gram[i, i] * gram[j, j])
        for i, j in combinations_with_replacement(range(rows.rows), 2)
    }
    return min(cosines, key=float)


def gap_after_layers(point: Point) -> Expr:
    """1 - phi after every layer of the sequence, LayerNorm after each."""
    first, *others = point[attention]
    rows = unnormalised(point[X], first, point[WV])
    for layer in others:
        norms = [sqrt(sum(entry**2 for entry in rows.row(i))) for i in range(rows.rows)]
        scaled = ImmutableDenseMatrix(*rows.shape, lambda i, j, u=rows, n=norms: u[i, j] / n[i])
        rows = unnormalised(scaled, layer, point[WV])
    return 1 - smallest_cosine(rows)


ordinary_diameter = Computed(R, lambda at: Integer(at[G].ordinary_diameter))
below_one_over_N = Real(epsilon, 0, 1 / N, open_low=True, open_high=True)

STRONGLY_CONNECTED = (complete(2), sliding_window(3), complete(3), sliding_window(4))
WITHIN_TWO_STEPS = (complete(2), sliding_window(3), complete(3), cycle(4))
"""Strongly connected masks of ordinary diameter at most two: roots stay one level deep."""
QUASI_STRONGLY_CONNECTED = (causal(2), star(3), causal(3), sliding_window(3), one_directional(3))


def acute_tokens(masks: tuple[Mask, ...], layers: Any, *more: Computed) -> Domain:
    """Tokens at no obtuse angle and `layers` attention matrices with entries above epsilon."""
    return Domain(
        (
            Choice(G, masks),
            size_of_mask,
            radius_of_mask,
            *more,
            Size(d, 1, 3),
            below_one_over_N,
            AttentionSequence(attention, floor=epsilon, length=layers),
            AcuteRows(X),
            least_cosine,
            Orthogonal(WV),
        )
    )


def two_leaves(mask: Mask) -> dict[Any, Any]:
    """Orthonormal tokens; two of them share one neighbour only, seen with weight 1/4."""
    quarter = Rational(1, 4)
    rows = {"star": ([1, 0, 0], [quarter, 1 - quarter, 0], [quarter, 0, 1 - quarter])}
    window = (
        [1 - quarter, quarter, 0],
        [quarter, Rational(1, 2), quarter],
        [0, quarter, 1 - quarter],
    )
    layer = ImmutableDenseMatrix(rows.get(mask.name, window))
    identity = ImmutableDenseMatrix(eye(3))
    point = {
        G: mask, N: Integer(3), r: Integer(1), d: Integer(3), epsilon: quarter,
        attention: (layer,), X: identity, phi: Integer(0), WV: identity,
    }  # fmt: skip
    return point


_GAP = r"1-\phi^{(t+r)}"
_recursion = (1 - N * epsilon ** (2 * r)) * (1 - phi)
_one_column = (1 - epsilon ** (2 * r)) * (1 - phi)
_too_fast = variants(
    ("epsilon^r for epsilon^{2r}", (1 - N * epsilon**r) * (1 - phi)),
    ("N^2 for N", (1 - N**2 * epsilon ** (2 * r)) * (1 - phi)),
    ("cosines reach one", Integer(0) * phi),
    lhs=_GAP,
    relation="<=",
)
_acute = acute_tokens(QUASI_STRONGLY_CONNECTED, r)

least_cosine_grows_over_ordinary_diameter = Claim(
    id="wu2024.thm-2.proof-phi-recursion.repair",
    parent="wu2024.thm-2.proof-phi-recursion",
    source=source("App. C.1.1", "display after (25)"),
    kind="bound",
    title="Over as many layers as the longest distance of any pair, the cosine gap shrinks by 1 - N eps^(2R).",
    statement=Relation(r"1-\phi^{(t+R)}", ((1 - N * epsilon ** (2 * R)) * (1 - phi),), "<="),
    domain=acute_tokens(WITHIN_TWO_STEPS, R, ordinary_diameter),
    define=gap_after_layers,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, STRONG, FLOOR),
    note=(
        "The display uses that all N columns of the r-step product are positive, which takes the "
        "ordinary diameter R; within Def. 5's r only a centre's column is, and N must become 1."
    ),
)

least_cosine_grows_by_strong_connectivity = Claim(
    id="wu2024.thm-2.proof-phi-recursion",
    source=source("App. C.1.1", "display after (25)"),
    kind="bound",
    title="Over r layers on a strongly connected mask the cosine gap shrinks by 1 - N eps^(2r).",
    statement=Relation(_GAP, (_recursion,), "<="),
    domain=acute_tokens(STRONGLY_CONNECTED, r),
    define=gap_after_layers,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, STRONG, FLOOR),
    uses=(layernorm_never_shrinks_a_token,),
    mutants=_too_fast,
    probes=(two_leaves(sliding_window(3)),),
    severity="material",
    repair=least_cosine_grows_over_ordinary_diameter,
    note=(
        "With r as in Def. 5, tokens 1 and 3 of a sliding window share one column, not N: from "
        "orthonormal tokens their cosine after one layer can be 1/10, below 3/16."
    ),
)

least_cosine_grows_by_centre = Claim(
    id="wu2024.cor-1.proof-phi-recursion.repair",
    parent="wu2024.cor-1.proof-phi-recursion",
    source=source("App. D", "main display"),
    kind="bound",
    title="Over r layers on a quasi-strongly connected mask the cosine gap shrinks by 1 - eps^(2r).",
    statement=Relation(_GAP, (_one_column,), "<="),
    domain=_acute,
    define=gap_after_layers,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR),
    mutants=_too_fast,
    note="Only the column of a centre is positive within r layers, so N must become 1.",
)

least_cosine_grows_by_quasi_strong_connectivity = Claim(
    id="wu2024.cor-1.proof-phi-recursion",
    source=source("App. D", "main display"),
    kind="bound",
    title="Over r layers on a quasi-strongly connected mask the cosine gap shrinks by 1 - N eps^(2r).",
    statement=Relation(_GAP, (_recursion,), "<="),
    domain=_acute,
    define=gap_after_layers,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR),
    uses=(layernorm_never_shrinks_a_token,),
    mutants=_too_fast,
    probes=(two_leaves(star(3)),),
    severity="material",
    repair=least_cosine_grows_by_centre,
    note=(
        "The leaves of a star share the centre's column only, so the sum over N columns is one "
        "term: from orthonormal tokens the cosine of two leaves can be 1/10, below 3/16."
    ),
)

# From the recursion to a rate ----------------------------------------------------------------------

t0 = Symbol("t_0", integer=True, nonnegative=True)
factors = Symbol(r"(\theta_s)_{s\le t}")
"""Holds numbers in [0, 1] at a point: how far each gap stays below what the recursion allows."""
widest = Symbol("g", positive=True)
"""The most that a gap may be in the r layers from t_0 on; one says that no cosine is negative."""
earlier = Symbol(r"1-\phi^{(t-kr)}", nonnegative=True)
"""The gap that the recursion has followed, k steps of r layers, to layer t >= t_0."""


@dataclass(frozen=True)
class Factors:
    """A tuple of t + 1 rationals in [0, 1]; all ones is the slowest sequence of gaps."""

    symbol: Any

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        count = int(point[t]) + 1
        if weight <= count:  # the last ones are halved
            halves = (Rational(1, 2),) * weight
            yield (Integer(1),) * (count - weight) + halves

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(Rational(rng.choice((4, 4, 4, 3, 2, 0)), 4) for _ in range(int(point[t]) + 1))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[t] + 1 or not all(0 <= factor <= 1 for factor in value):
            return f"{self.symbol} = {value}: must be {point[t] + 1} numbers in [0, 1]"
        return None


def gap_by_recursion(point: Point, layer: Any) -> Expr:
    """1 - phi at a layer: at most 2 before t_0, at most `widest` for r layers, then the recursion."""
    start, step = int(point[t0]), int(point[r])
    layer = int(layer)
    factor = point[factors][layer]
    if layer < start:
        return 2 * factor
    if layer < start + step:
        return point[widest] * factor
    shrink = 1 - point[N] * point[epsilon] ** (2 * step)
    return factor * shrink * gap_by_recursion(point, layer - step)


followed = (
    Computed(k, lambda at: max(Integer(0), (at[t] - at[t0]) // at[r])),
    Computed(earlier, lambda at: gap_by_recursion(at, at[t] - at[k] * at[r])),
)
"""How many steps the recursion makes from a layer at or after t_0 to layer t, and from where."""


def gaps(first_layer: Any) -> Domain:
    """Sequences of gaps that obey the recursion from layer t_0 on, and are at most one there."""
    sizes = (Size(N, 2, 4), below_one_over_N, Size(r, 1, 3), first_layer, Size(t, 0, 9))
    return Domain((*sizes, Choice(widest, (Integer(1),)), Factors(factors), *followed))


slowest = Computed(factors, lambda at: (Integer(1),) * (int(at[t]) + 1))
obtuse_at_first = Domain(
    (
        Size(N, 2, 4),
        below_one_over_N,
        Choice(r, (Integer(2), Integer(3))),
        Choice(t0, (Integer(0),)),
        Size(t, 0, 9),
        Choice(widest, (Integer(2),)),
        slowest,
        *followed,
    ),
    (Condition(r"r\nmid t", lambda at: at[t] % at[r] != 0),),
)
"""Cosines of either sign for r layers; from there on the recursion with equality."""


def slowest_gaps(domain: Domain, period: int, first: int, layer: int) -> dict[Any, Any]:
    """Two tokens and epsilon = 1/4: gaps as large as the recursion allows."""
    sizes = {N: 2, r: period, t0: first, t: layer, widest: 1}
    point = {symbol: Integer(value) for symbol, value in sizes.items()}
    ones = (Integer(1),) * (layer + 1)
    return domain.completed({**point, epsilon: Rational(1, 4), factors: ones})


def gap_at_t(point: Point) -> Expr:
    return gap_by_recursion(point, point[t])


_q = N * epsilon ** (2 * r)
_decay = (1 - _q) ** (t / r)
_PHI, _ALPHA = r"1-\phi^{(t)}", r"1-\alpha^{(t)}"
_steps = (1 - _q) ** k * earlier
_late, _always = (1 - _q) ** (-t0 / r), 1 / (1 - _q)
RECURSION = Hypothesis(
    r"1-\phi^{(t+r)}\le(1-N\epsilon^{2r})(1-\phi^{(t)}),\ \phi^{(t)}\ge0\ \text{for } t\ge t_0"
)
COSINE = Hypothesis(r"-1\le\phi^{(t)}\le1,\quad N\epsilon<1")
_eventually = Relation(_ALPHA, (_steps, 2 * _late * _decay), "<=")
_from_the_start = Relation(_PHI, (_steps, _always * _decay), "<=")
_from_layer_t0, _from_layer_0 = gaps(Size(t0, 0, 4)), gaps(Choice(t0, (Integer(0),)))

cosine_gap_decays_from_t0 = Claim(
    id="wu2024.thm-2.eq-26",
    source=source("App. C.1.1", "Eq. (26)"),
    kind="rate",
    title="The recursion from t_0 on gives a cosine gap of at most 2 (1 - N eps^(2r))^((t - t_0)/r).",
    statement=_eventually,
    domain=_from_layer_t0,
    define=gap_at_t,
    hypotheses=(
        RECURSION,
        COSINE,
        Hypothesis(r"k=\lfloor(t-t_0)/r\rfloor,\ k=0\ \text{for } t<t_0"),
    ),
    uses=(least_cosine_grows_by_strong_connectivity,),
    given=(least_cosine_grows_by_strong_connectivity,),
    mutants=(
        *variants(
            ("C = 1/(1 - N epsilon^{2r})^{t_0/r}", _late * _decay),
            ("t_0 forgotten in C", 2 * _decay),
            ("2t/r for t/r", 2 * _late * (1 - _q) ** (2 * t / r)),
            ("k + 1 for k", (1 - _q) * _steps),
            lhs=_ALPHA,
            relation="<=",
        ),
        Mutant("cosines of either sign", _eventually, obtuse_at_first),
    ),
    probes=(slowest_gaps(_from_layer_t0, 1, 2, 1), slowest_gaps(_from_layer_t0, 1, 0, 9)),
    note=(
        "Judged with the printed recursion as a hypothesis, and that recursion is refuted. C serves "
        "t - t_0 not a multiple of r, since N eps^(2r) <= 1/8 for r >= 2."
    ),
)

cosine_gap_decays_from_the_start = Claim(
    id="wu2024.cor-1.eq-27",
    source=source("App. D", "Eq. (27)"),
    kind="rate",
    title="The recursion from layer 0 on gives a cosine gap of at most (1 - N eps^(2r))^(t/r - 1).",
    statement=_from_the_start,
    domain=_from_layer_0,
    define=gap_at_t,
    hypotheses=(RECURSION, COSINE, Hypothesis(r"t_0=0,\quad k=\lfloor t/r\rfloor")),
    uses=(least_cosine_grows_by_quasi_strong_connectivity,),
    given=(least_cosine_grows_by_quasi_strong_connectivity,),
    mutants=(
        *variants(
            ("C = 1", _decay),
            ("2t/r for t/r", _always * (1 - _q) ** (2 * t / r)),
            ("k + 1 for k", (1 - _q) * _steps),
            lhs=_PHI,
            relation="<=",
        ),
        Mutant("cosines of either sign", _from_the_start, obtuse_at_first),
    ),
    probes=(slowest_gaps(_from_layer_0, 2, 0, 1), slowest_gaps(_from_layer_0, 1, 0, 9)),
    note="Judged with the printed recursion as a hypothesis, and that recursion is refuted.",
)
