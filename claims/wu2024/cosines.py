r"""Cosines between tokens under attention with LayerNorm: App. C.1.1 and App. D, Eq. (26), (27).

phi^{(t)} (alpha^{(t)} in Eq. (26)) is the least inner product of two tokens.  Every layer sees unit
tokens and the masks and classes do not change, so "from layer t on" is read as "from layer 0 on".
The displays use that tokens lie on the sphere, for X^{(0)} too, and that each W^{(t)} is orthogonal.

A display about the network is judged about the network; that it follows from the line before it is
the claim with `.step` at its end.
"""

from __future__ import annotations

from decimal import localcontext
from itertools import combinations_with_replacement
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, eye, sqrt

from claims.domain import Domain, Point, Real, Size
from claims.mask_classes import MasksLike
from claims.masks import Mask, causal, cycle, one_directional, sliding_window, star
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Quantity
from claims.wu2024.lengths import (
    ACUTE,
    ACUTE_AT_FIRST,
    ANY_FLOOR,
    CENTRED,
    FLOOR,
    LONG_ACUTE,
    LONG_COSINES,
    ORTHOGONAL,
    SELF_LOOPS,
    STRONG,
    UNIT,
    layernorm_never_shrinks_a_token,
    phi,
    spread_is_bounded_by_the_cosine_rate,
    unnormalised,
)
from claims.wu2024.masks import SMALL_STRONG_MASKS
from claims.wu2024.notation import WV, G, N, X, attention, d, epsilon, r, source, t
from claims.wu2024.reach import (
    R,
    centre_of_mask,
    edges,
    longest_distance,
    reached_by_all,
    reached_by_centre,
)
from claims.wu2024.setup import AttentionSequence, radius_of_mask, size_of_mask
from claims.wu2024.slow_collapse import nearly_orthogonal, on_the_support, slow_layer
from claims.wu2024.trajectory import DIGITS, decimals, gram, layers_of, mu_squared_of
from claims.wu2024.turns import EachLayer, values
from claims.wu2024.unit_tokens import AcuteRows, Orthogonal

# Tokens after some layers -------------------------------------------------------------------------


def smallest_cosine(rows: ImmutableDenseMatrix) -> Expr:
    """phi of the rows after LayerNorm, exact."""
    products = (rows * rows.T).expand()
    cosines = {
        products[i, j] / sqrt(products[i, i] * products[j, j])
        for i, j in combinations_with_replacement(range(rows.rows), 2)
    }
    return min(cosines, key=float)


EXACT = 2
"""Layers that are followed exactly; roots nest one level deeper with each, so that more layers are
followed to sixty digits."""


def cosine_after(point: Point, count: int) -> Any:
    """phi after so many layers."""
    if count == 0:
        return min(point[X] * point[X].T)
    if not 1 <= count <= EXACT:
        with localcontext(prec=DIGITS):
            return min(map(min, gram(rows_after(point, count))))
    first, *others = point[attention][:count]
    turn, *turns = point[values][:count]
    rows = unnormalised(point[X], first, turn)
    for layer, turn in zip(others, turns, strict=True):
        norms = [sqrt(sum(entry**2 for entry in rows.row(i))) for i in range(rows.rows)]
        scaled = ImmutableDenseMatrix(*rows.shape, lambda i, j, u=rows, n=norms: u[i, j] / n[i])
        rows = unnormalised(scaled, layer, turn)
    return smallest_cosine(rows)


def rows_after(point: Point, count: int) -> Any:
    """The tokens after so many layers, to sixty digits."""
    return layers_of(point, count)[-1].after if count else decimals(point[X])


def layers_in(point: Point) -> int:
    return len(point[attention])


phi_after = Quantity(r"\phi^{(t+r)}", lambda at: cosine_after(at, layers_in(at)))
phi_after_longest = Quantity(r"\phi^{(t+R)}", lambda at: cosine_after(at, layers_in(at)))
phi_now = Quantity(r"\phi^{(t)}", lambda at: cosine_after(at, layers_in(at)))
alpha = Quantity(r"\alpha^{(t_0+t)}", lambda at: cosine_after(at, layers_in(at)))
below_one_over_N = Real(epsilon, 0, 1 / N, open_low=True, open_high=True)

STRONG_MASKS = (*SMALL_STRONG_MASKS, sliding_window(4))
WITHIN_TWO_STEPS = (*SMALL_STRONG_MASKS, cycle(4))
"""Strongly connected masks of ordinary diameter at most two: roots stay one level deep."""
CENTRED_MASKS = (causal(2), star(3), causal(3), sliding_window(3), one_directional(3))
WITH_CENTRE = (centre_of_mask, reached_by_centre)
_LONGEST = (longest_distance, reached_by_all)


def acute_tokens(
    masks: tuple[Mask, ...], layers: Any, distance: Any, *more: Any,
    floor: tuple[Any, Any] = (below_one_over_N, epsilon),
) -> Domain:  # fmt: skip
    """Tokens at no obtuse angle; `layers` attention matrices above a floor, and orthogonal ones."""
    computed, reached = distance
    number, least = floor
    mask = MasksLike(G, masks), size_of_mask, radius_of_mask, computed
    rows = AttentionSequence(attention, floor=least, length=layers)
    turns = EachLayer(values, Orthogonal(WV), layers)
    return Domain(
        (*mask, Size(d, 1, 3), number, *more, rows, AcuteRows(X), turns), (reached, edges)
    )


def two_leaves(mask: Mask) -> dict[Any, Any]:
    """Tokens at one acute angle; two of them share one neighbour only, seen with weight 1/4."""
    quarter = Rational(1, 4)
    rows = {"star": ([1, 0, 0], [quarter, 1 - quarter, 0], [quarter, 0, 1 - quarter])}
    window = (
        [1 - quarter, quarter, 0],
        [quarter, Rational(1, 2), quarter],
        [0, quarter, 1 - quarter],
    )
    layer = ImmutableDenseMatrix(rows.get(mask.name, window))
    tokens = ImmutableDenseMatrix([[99, 0, 0, 20], [0, 99, 0, 20], [0, 0, 99, 20]]) / 101
    return {
        G: mask, N: Integer(3), r: Integer(1), d: Integer(4), epsilon: quarter,
        attention: (layer,), X: tokens, values: (ImmutableDenseMatrix(eye(4)),),
    }  # fmt: skip


def leaves(size: int, layers: int, **more: Any) -> dict[Any, Any]:
    """Orthonormal tokens on a star; leaves give its centre the weight epsilon = 1/(N + 1)."""
    share = Rational(1, size + 1)
    layer = ImmutableDenseMatrix(
        size,
        size,
        lambda i, j: int(i == j) if i == 0 else share * int(j == 0) + (1 - share) * int(i == j),
    )
    identity = ImmutableDenseMatrix(eye(size))
    return {
        G: star(size), N: Integer(size), r: Integer(1), d: Integer(size), epsilon: share,
        t: Integer(layers), attention: (layer,) * layers, X: identity,
        values: (identity,) * layers,
    }  # fmt: skip


centred_tokens = acute_tokens(CENTRED_MASKS, r, WITH_CENTRE)
_connected = acute_tokens(STRONG_MASKS, r, _LONGEST)
_recursion = Compare(1 - phi_after, "<=", (1 - N * epsilon ** (2 * r)) * (1 - phi))
_PRINTED = r"1-\phi^{(t+r)}\leq(1-N\epsilon^{2r})(1-\phi^{(t)})"

least_cosine_grows_over_ordinary_diameter = Claim(
    id="wu2024.thm-2.proof-phi-recursion.repair",
    parent="wu2024.thm-2.proof-phi-recursion",
    source=source("App. C.1.1", "display after (25)"),
    kind="bound",
    title=(
        "Over as many layers as the longest distance of any pair, the cosine gap shrinks by "
        r"$1-N\epsilon^{2R}$."
    ),
    statement=Compare(1 - phi_after_longest, "<=", (1 - N * epsilon ** (2 * R)) * (1 - phi)),
    domain=acute_tokens(WITHIN_TWO_STEPS, R, _LONGEST),
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, STRONG, FLOOR),
    understood=LONG_COSINES,
    note=(
        "The display uses that all $N$ columns of the $r$-step product are positive, which takes the "
        "ordinary diameter $R$; within Def. 5's $r$ only a centre's column is, and $N$ must become 1, as in "
        "what is true instead of `wu2024.cor-1.proof-phi-recursion`, which says more where $R>r$."
    ),
)

least_cosine_grows_by_strong_connectivity = Claim(
    id="wu2024.thm-2.proof-phi-recursion",
    source=source("App. C.1.1", "display after (25)"),
    kind="bound",
    title=r"Over $r$ layers on a strongly connected mask the cosine gap shrinks by $1-N\epsilon^{2r}$.",
    statement=_recursion,
    printed=_PRINTED,
    domain=_connected,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, STRONG, FLOOR),
    uses=(layernorm_never_shrinks_a_token,),
    probes=(_connected.completed(two_leaves(sliding_window(3))),),
    severity="material",
    repair=least_cosine_grows_over_ordinary_diameter,
    understood=(ANY_FLOOR,),
    note=(
        "With $r$ as in Def. 5, tokens 1 and 3 of a sliding window share one column, not $N$: from tokens of "
        "cosine $0.039$, positive as $\\alpha^{(t)}$ is there, theirs after one layer is $0.155$, not $0.219$."
    ),
)

least_cosine_grows_by_centre = Claim(
    id="wu2024.cor-1.proof-phi-recursion.repair",
    parent="wu2024.cor-1.proof-phi-recursion",
    source=source("App. D", "main display"),
    kind="bound",
    title=r"Over $r$ layers on a quasi-strongly connected mask the cosine gap shrinks by $1-\epsilon^{2r}$.",
    statement=Compare(1 - phi_after, "<=", (1 - epsilon ** (2 * r)) * (1 - phi)),
    domain=centred_tokens,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR),
    understood=LONG_COSINES,
    note="Only the column of a centre is positive within $r$ layers, so $N$ must become 1.",
)

least_cosine_grows_by_quasi_strong_connectivity = Claim(
    id="wu2024.cor-1.proof-phi-recursion",
    source=source("App. D", "main display"),
    kind="bound",
    title=(
        r"Over $r$ layers on a quasi-strongly connected mask the cosine gap shrinks by "
        r"$1-N\epsilon^{2r}$."
    ),
    statement=_recursion,
    printed=_PRINTED,
    domain=centred_tokens,
    hypotheses=(UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR),
    uses=(layernorm_never_shrinks_a_token,),
    probes=(centred_tokens.completed(two_leaves(star(3))),),
    severity="material",
    repair=least_cosine_grows_by_centre,
    understood=(ANY_FLOOR,),
    note=(
        "The leaves of a star share the centre's column only, so the sum over $N$ columns is one "
        "term: from orthonormal tokens the cosine of two leaves can be $1/10$, below $3/16$."
    ),
)

# Rates of the network ------------------------------------------------------------------------------

t0 = Symbol("t_0", integer=True, nonnegative=True)
_rated = acute_tokens(CENTRED_MASKS, t, WITH_CENTRE, Size(t, 0, 2))


def _decay(share: Any, exponent: Any) -> Expr:
    return (1 - share) ** exponent


_printed_share, _own_share = N * epsilon ** (2 * r), epsilon ** (2 * r)
_eq_27 = lambda share: Compare(1 - phi_now, "<=", 1 / (1 - share) * _decay(share, t / r))  # noqa: E731
_RATED = (UNIT, ACUTE_AT_FIRST, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR)

cosine_gap_decays_by_one_column = Claim(
    id="wu2024.cor-1.eq-27.repair",
    parent="wu2024.cor-1.eq-27",
    source=source("App. D", "Eq. (27)"),
    kind="rate",
    title=r"From acute tokens the cosine gap is at most $(1-\epsilon^{2r})^{t/r-1}$.",
    statement=_eq_27(_own_share),
    domain=_rated,
    hypotheses=_RATED,
    note="What the recursion gives that holds, with 1 in the place of $N$.",
)

cosine_gap_decays_from_the_start = Claim(
    id="wu2024.cor-1.eq-27",
    source=source("App. D", "Eq. (27)"),
    kind="rate",
    title=r"From acute tokens the cosine gap is at most $(1-N\epsilon^{2r})^{t/r-1}$.",
    statement=_eq_27(_printed_share),
    printed=r"1-\phi^{(t)}\leq C(1-N\epsilon^{2r})^{\frac tr},\quad C:=1/(1-N\epsilon^{2r})",
    domain=_rated,
    hypotheses=_RATED,
    uses=(least_cosine_grows_by_quasi_strong_connectivity,),
    probes=(_rated.completed(leaves(6, 2)),),
    severity="material",
    repair=cosine_gap_decays_by_one_column,
    understood=(ANY_FLOOR,),
    note=(
        "Two layers on a star of six tokens whose leaves give its centre the weight $1/7$: the leaves "
        "keep a cosine near 0.10, and 0.12 is claimed. That (27) would follow from the recursion is "
        "the claim `wu2024.cor-1.eq-27.step`."
    ),
)


def _spread(at: Point) -> Any:
    with localcontext(prec=DIGITS):
        return mu_squared_of(rows_after(at, layers_in(at))).sqrt()


spread_now = Quantity(r"\mu(X^{(t)})", _spread)
squared_spread_now = Quantity(
    r"\mu(X^{(t)})^2", lambda at: mu_squared_of(rows_after(at, layers_in(at)))
)
_mu = lambda share: Compare(  # noqa: E731
    spread_now, "<=", sqrt(N) / sqrt(1 - share) * _decay(share, t / (2 * r))
)
spread_decays_by_one_column = Claim(
    id="wu2024.eq-26.mu-constant.repair",
    parent="wu2024.eq-26.mu-constant",
    source=source("App. D", "last display"),
    kind="bound",
    title=r"From acute tokens $\mu$ is at most $C'(1-\epsilon^{2r})^{t/(2r)}$.",
    statement=_mu(_own_share),
    domain=_rated,
    hypotheses=_RATED,
    understood=LONG_ACUTE,
    note="What the recursion gives that holds, with 1 in the place of $N$ but for $C'$.",
)

spread_decays_by_all_columns = Claim(
    id="wu2024.eq-26.mu-constant",
    source=source("App. D", "last display"),
    kind="bound",
    title=r"From acute tokens $\mu$ is at most $C'(1-N\epsilon^{2r})^{t/(2r)}$, with App. D's $C'$.",
    statement=_mu(_printed_share),
    printed=(
        r"\mu(X^{(t)})\leq C'(1-N\epsilon^{2r})^{\frac t{2r}},\quad C'=\sqrt{CN},\quad "
        r"C:=1/(1-N\epsilon^{2r})"
    ),
    domain=_rated,
    hypotheses=_RATED,
    uses=(cosine_gap_decays_from_the_start, spread_is_bounded_by_the_cosine_rate),
    probes=(_rated.completed(leaves(16, 4)),),
    severity="material",
    repair=spread_decays_by_one_column,
    understood=(ANY_FLOOR,),
    note=(
        "With the constant of App. D false for the leaves of a large star, whose cosines grow too "
        "slowly at first. That it would follow from (27) is `wu2024.eq-26.mu-constant.step`."
    ),
)

_late = acute_tokens(STRONG_MASKS, t, _LONGEST, Size(t0, 0, 4), Size(t, 0, 2))
_eq_26 = lambda share, period: Compare(  # noqa: E731
    1 - alpha, "<=", 2 * _decay(share, -t0 / period) * _decay(share, (t0 + t) / period)
)

_SLOW = slow_layer(25)
_slow_start = _late.completed(
    {
        G: on_the_support(_SLOW), d: Integer(26), epsilon: Rational(1, 26), t0: Integer(0),
        t: Integer(28), attention: (_SLOW,) * 28, X: nearly_orthogonal(25),
        values: (ImmutableDenseMatrix(eye(26)),) * 28,
    }
)  # fmt: skip
_LATE = (UNIT, Hypothesis(r"\alpha^{(t_0)}\ge0"), ORTHOGONAL, SELF_LOOPS, STRONG, FLOOR)

cosine_gap_decays_over_longest_distance = Claim(
    id="wu2024.thm-2.eq-26.repair",
    parent="wu2024.thm-2.eq-26",
    source=source("App. C.1.1", "Eq. (26)"),
    kind="rate",
    title=r"Once acute, the cosine gap is at most $(1-N\epsilon^{2R})^{t/R-1}$ after $t$ more layers.",
    statement=Compare(
        1 - alpha, "<=",
        1 / (1 - N * epsilon ** (2 * R)) * _decay(N * epsilon ** (2 * R), t / R),
    ),
    domain=_late,
    hypotheses=_LATE,
    note="With the longest distance of any pair in the place of Def. 5's $r$, and without $t_0$.",
)  # fmt: skip

cosine_gap_decays_from_t0 = Claim(
    id="wu2024.thm-2.eq-26",
    source=source("App. C.1.1", "Eq. (26)"),
    kind="rate",
    title=r"Once acute, the cosine gap is at most $2(1-N\epsilon^{2r})^{(t-t_0)/r}$.",
    statement=_eq_26(_printed_share, r),
    printed=(
        r"1-\alpha^{(t)}\leq C(1-N\epsilon^{2r})^{\frac tr},\quad C:=2/(1-N\epsilon^{2r})^{t_0/r}"
    ),
    domain=_late,
    hypotheses=_LATE,
    uses=(least_cosine_grows_by_strong_connectivity,),
    probes=(_slow_start,),
    severity="material",
    repair=cosine_gap_decays_over_longest_distance,
    understood=(ANY_FLOOR,),
    note=(
        "Of the network: the tokens of the domain are those of layer $t_0$, and $t$ counts from "
        "there. On 25 tokens all attend to the first one with $\\epsilon=1/26$, the second and third "
        "else to themselves, and the first one to the end of a chain that starts at these two. So the "
        "two share one column, not $N$, and what they hear comes late: from acute, independent tokens "
        "the gap after 28 layers is about 0.738, and 0.696 is claimed."
    ),
)
