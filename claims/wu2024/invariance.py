r"""App. F.3, Lemma 12: does the second token stay in {X_{2,d-1} <= -1/w}?

In the notation of `second_token` the region is |y| <= ybar = sqrt(w^2 - 1 - f), and |y'| <= rho ybar
there.  The lemma needs that ybar does not shrink faster than rho ybar; the paper gets this from
f' <= f, which is false when some |X_{2,j}| with j < d - 1 is small beside its left neighbour.  The
left-hand side of (40) is f.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Sum, Symbol, oo, sqrt

from claims.domain import Computed, Condition, Domain, Point
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family, from_zero
from claims.wu2024.jordan import coordinates_are_iterated_sums_as_printed
from claims.wu2024.notation import d, source, t, w
from claims.wu2024.second_token import (
    RESTING,
    SameSignToken,
    f,
    features,
    prefactor,
    rate,
    ratio_map_is_nondecreasing,
    remainder,
    second,
    update,
)
from claims.wu2024.trajectory import decimal_of, unit_row

NEGATIVE = Hypothesis(r"X_{2,j}^{(0)}<0\ (j\le d-2),\quad X_{2,d-1}^{(0)}\le-\tfrac1w")
EQUATION_40 = Hypothesis(
    r"\tfrac1{w^2}(\tfrac{r_{d-2}}{r_{d-1}})^2+\dots+\tfrac1{w^{2(d-2)}}(\tfrac1{r_{d-1}})^2"
    r"\le\sqrt{w^2-1}"
)
LOG_CONCAVE = Hypothesis(r"X_{2,j}^2\ge X_{2,j-1}X_{2,j+1}\quad(2\le j\le d-2)")
PRINTED_HYPOTHESES = (RESTING, NEGATIVE, EQUATION_40)
REPAIRED_HYPOTHESES = (RESTING, NEGATIVE, LOG_CONCAVE)


def _log_concave(at: Point) -> bool:
    x = list(at[second])[:-1]
    return all(x[j] ** 2 >= x[j - 1] * x[j + 1] for j in range(1, len(x) - 1))


_place = Symbol("j", integer=True)
_start = entry(second)
_convex = Compare(_start(1, _place) ** 2, ">=", _start(1, _place - 1) * _start(1, _place + 1))
in_region = Condition(
    r"X_{2,d-1}\le-\tfrac1w",
    lambda at: at[second][-2] * at[w] <= -1,
    Compare(w * _start(1, d - 1), "<=", -1),
)
_eq_40 = Condition(EQUATION_40.latex, lambda at: remainder(at[second]) ** 2 <= at[w] ** 2 - 1)
_ordered = Condition(LOG_CONCAVE.latex, _log_concave, ForAll(_place, 2, d - 2, _convex))


def _region(among: Condition) -> Domain:
    return Domain((features, rate, SameSignToken(second, signs=(-1,))), (in_region, among))


printed_region, log_concave_region = _region(_eq_40), _region(_ordered)
_TOKEN = ImmutableDenseMatrix([[Rational(e, 5) for e in (-2, -1, -4, 2)]])
_LEAVING = printed_region.completed({d: Integer(4), w: Rational(5, 4), second: _TOKEN})
"""Four features, X_2 = (-2, -1, -4, 2)/5, w = 5/4: the witness of everything below."""

# The root of the boundary -------------------------------------------------------------------------

RATIOS = Hypothesis(r"r_2,\dots,r_{d-1}>0,\quad r_jw^{j-1}=X_{2,j}/X_{2,1}")
BOUNDARY = Hypothesis(r"X_{2,j}^{(t)}<0\ (j\le d-2),\quad X_{2,d-1}^{(t)}=-\tfrac1w")
_squares = Sum(_start(1, _place) ** 2, (_place, 1, d - 2)) / _start(1, d - 1) ** 2
"""The left-hand side of (40), and f: both are functions of the ratios alone."""
last_ratio = Quantity(
    r"\frac{X_{2,d}^{(t)}}{X_{2,d-1}^{(t)}}", lambda at: at[second][-1] / at[second][-2]
)
boundary = Domain(
    (
        features, SameSignToken(second, signs=(-1,)),
        Computed(
            w, lambda at: -1 / at[second][-2],
            known=(Compare(w * _start(1, d - 1), "=", -1), Compare(w, ">", 1)),
        ),
    ),
    (
        Condition(
            EQUATION_40.latex,
            lambda at: at[second][-2] != 0 and remainder(at[second]) ** 2 <= at[w] ** 2 - 1,
            Compare(_squares, "<=", sqrt(w**2 - 1)),
        ),
    ),
)  # fmt: skip
"""Tokens with X_{2,d-1} = -1/w: each is there for one w, which is above 1."""
under_the_root = w**2 - 1 - f
_either_root = Compare(last_ratio, "=", sqrt(under_the_root)) | Compare(
    last_ratio, "=", -sqrt(under_the_root)
)
root_exists_on_the_boundary = Claim(
    id="wu2024.app-F3.lemma-12-root.step",
    source=source("App. F.3", "proof of Lemma 12, first display"),
    kind="identity",
    title=(
        "On the boundary $X_{2,d-1}=-1/w$ the ratio $X_{2,d}/X_{2,d-1}$ is $\\pm\\sqrt{w^2-1-f}$, which is "
        "well defined."
    ),
    statement=Compare(under_the_root, ">=", 0) & _either_root,
    printed=(
        r"\frac{X_{2,d}^{(t)}}{X_{2,d-1}^{(t)}} = \pm \sqrt{w^2 - 1 - "
        r"\frac{\left(X_{2,1}^{(t)}\right)^2 + \dots + \left(X_{2,d-2}^{(t)}\right)^2}"
        r"{\left(X_{2,d-1}^{(t)}\right)^2}} = \pm \sqrt{w^2 - 1 - f(t, r_1, \dots, r_{d-2})}"
    ),
    domain=boundary,
    hypotheses=(RESTING, BOUNDARY, RATIOS, EQUATION_40),
    note=(
        "Unit norm alone gives the root, and (40) is idle: it is printed of the ratios of layer 0, and stands "
        "here of the layer on the boundary. By itself (40) would not give it, which is a claim of its own: "
        "`wu2024.app-F3.lemma-12-root.given-40`. The arguments of $f$ are one more: "
        "`wu2024.app-F3.lemma-12-root.arguments`."
    ),
)

# (40) as the reason for the root --------------------------------------------------------------------


def _equation_40(at: Point) -> Any:
    """The left-hand side of (40), from r_j w^{j-1} = X_{2,j}/X_{2,1}; so r_1 = 1."""
    token, weight, last = list(at[second]), at[w], int(at[d]) - 1
    r = [e / (token[0] * weight**k) for k, e in enumerate(token)]
    return sum((r[last - 1 - k] / r[last - 1]) ** 2 / weight ** (2 * k) for k in range(1, last))


equation_40 = Quantity(
    r"\sum_{k=1}^{d-2}\frac1{w^{2k}}\left(\frac{r_{d-1-k}}{r_{d-1}}\right)^2", _equation_40
)
ratios_alone = Domain((features, rate, SameSignToken(second, signs=(-1,))))
"""(40) is about ratios of coordinates: any token has some, wherever it is."""


def _given_40(bound: Any) -> Formula:
    return Compare(equation_40, "<=", bound).implies(Compare(under_the_root, ">=", 0))


root_exists_by_the_corrected_bound = Claim(
    id="wu2024.app-F3.lemma-12-root.given-40.repair",
    parent="wu2024.app-F3.lemma-12-root.given-40",
    source=source("App. F.3", "Lemma 12, Eq. (40)"),
    kind="bound",
    title="(40) with $w^2-1$ on its right is what makes $\\sqrt{w^2-1-f}$ real.",
    statement=_given_40(w**2 - 1),
    domain=ratios_alone,
    hypotheses=(RESTING, RATIOS),
    note=(
        "The left-hand side of (40) is $f$. So corrected, (40) holds of every token of the region: by unit "
        "norm $f=1/X_{2,d-1}^2-1-(X_{2,d}/X_{2,d-1})^2\\le w^2-1$ where $X_{2,d-1}\\le-1/w$."
    ),
)
root_exists_by_the_printed_bound = Claim(
    id="wu2024.app-F3.lemma-12-root.given-40",
    source=source("App. F.3", "Lemma 12, Eq. (40); first line of its proof"),
    kind="bound",
    title="(40), by which the root is said to be well defined, bounds $f$ by $w^2-1$.",
    statement=_given_40(sqrt(w**2 - 1)),
    domain=ratios_alone,
    hypotheses=(RESTING, RATIOS),
    probes=(
        ratios_alone.completed(
            {
                d: Integer(3), w: Rational(5, 4),
                second: ImmutableDenseMatrix([[Rational(e, 21) for e in (-4, -5, 20)]]),
            }
        ),
    ),
    printed=(
        r"\frac{1}{w^2} \left(\frac{r_{d-2}}{r_{d-1}}\right)^2 + \frac{1}{w^4} "
        r"\left(\frac{r_{d-3}}{r_{d-1}}\right)^2 + \dots + \frac{1}{w^{2(d-3)}} "
        r"\left(\frac{r_2}{r_{d-1}}\right)^2 + \frac{1}{w^{2(d-2)}} \left(\frac{1}{r_{d-1}}\right)^2 "
        r"\leq \sqrt{w^2 - 1}"
    ),
    severity="misprint",
    repair=root_exists_by_the_corrected_bound,
    note=(
        'The proof says that "given the conditions on $r_2,\\dots,r_{d-1}$ in (40)" the root of $w^2-1-f$ '
        "is well defined; whether (40) is the reason is judged here, of ratios alone. That the root exists "
        "on the boundary is true by unit norm: `wu2024.app-F3.lemma-12-root.step`. The bound of (40) needs "
        "$w^2-1$, and has its root, which is the larger one for $w<\\sqrt2$: with $d=3$, $w=5/4$ and "
        "$X_{2,1}/X_{2,2}=4/5$, $f=16/25\\le3/4$, but $w^2-1=9/16$. No token of the region has such "
        "ratios, so that (40) is no condition there for $w\\le\\sqrt2$; for $w>\\sqrt2$ it excludes "
        "tokens whose root is real."
    ),
)  # fmt: skip

# Layer by layer -----------------------------------------------------------------------------------

_DIGITS = 60


@lru_cache(maxsize=4096)
def _orbit(token: ImmutableDenseMatrix, weight: Any, layers: int) -> tuple[Decimal, ...]:
    """The second token after some layers beside e_d, to sixty digits."""
    from_zero(layers)
    with localcontext() as context:
        context.prec = _DIGITS
        if layers == 0:
            return tuple(map(decimal_of, token))
        before = (Decimal(0), *_orbit(token, weight, layers - 1))
        moved = [b + decimal_of(weight) * a for a, b in pairwise(before)]
        moved[-1] += 1
        return tuple(unit_row(moved))


def _remainder_after(point: Point, layers: int) -> Decimal:
    *head, last, _ = _orbit(point[second], point[w], layers)
    with localcontext() as context:
        context.prec = _DIGITS
        return sum(((e / last) ** 2 for e in head), start=Decimal(0))


height = family(
    r"X_{{2,d-1}}^{{({})}}", lambda at, layers: _orbit(at[second], at[w], layers)[int(at[d]) - 2]
)
remainder_after = family("f^{{({})}}", _remainder_after)
_shrinks = Compare(remainder_after(t + 1), "<=", remainder_after(t))
_shrinking = ForAll(t, 0, oo, _shrinks & Compare(remainder_after(t), "<=", w**2 - 1))

remainder_shrinks_if_log_concave = Claim(
    id="wu2024.app-F3.lemma-12-f-monotone.repair",
    parent="wu2024.app-F3.lemma-12-f-monotone",
    source=source("App. F.3", "proof of Lemma 12"),
    kind="bound",
    title="If its first $d - 1$ coordinates are log-concave, the second token's remainder shrinks.",
    statement=_shrinking,
    domain=log_concave_region,
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "$f$ can grow at first, whatever (40) says: it never does when the moduli of the first "
        "$d - 1$ coordinates are log-concave (no condition for $d = 3$), and then (40) is not needed."
    ),
)
remainder_shrinks_as_printed = Claim(
    id="wu2024.app-F3.lemma-12-f-monotone",
    source=source("App. F.3", "proof of Lemma 12"),
    kind="bound",
    title="The squared ratios of the second token's first coordinates do not grow with depth.",
    statement=_shrinking,
    printed=(
        r"\bar{y}^{(t)} = \sqrt{w^2 - 1 - f(t, r_1, \dots, r_{d-2})},\quad "
        r"f(\cdot)\ \text{is monotone non-increasing in}\ t"
    ),
    domain=printed_region,
    hypotheses=PRINTED_HYPOTHESES,
    uses=(coordinates_are_iterated_sums_as_printed,),
    probes=(_LEAVING,),
    severity="material",
    repair=remainder_shrinks_if_log_concave,
    note=(
        "For $d\\ge4$ it may grow: $f' = \\sum_j(X_j+wX_{j-1})^2/(X_{d-1}+wX_{d-2})^2$, which exceeds "
        "$f$ when $X_{d-2}$ is small beside $X_{d-3}$. For $d = 3$ it is true."
    ),
)


# The last lines of the proof: one step ------------------------------------------------------------


def _at_boundary(point: Point, side: int) -> Any:
    """h at a ratio +-ybar: on the boundary X_{2,d-1} is -1/w."""
    token, weight, place = point[second], point[w], int(point[d]) - 2
    z = side * sqrt(weight**2 - 1 - remainder(token))
    scale = -1 / (weight * token[place])
    head = [e * scale for e in list(token)[:-1]]
    moved = update(ImmutableDenseMatrix([[*head, -z / weight]]), weight)
    return moved[-1] / moved[-2]


def _room(point: Point, token: Any) -> Any:
    return point[w] ** 2 - 1 - remainder(token)


def _next(point: Point) -> Any:
    return update(point[second], point[w])


next_ratio = Quantity(r"h(y^{(t)})", lambda at: _next(at)[-1] / _next(at)[-2])
"""X_{2,d}/X_{2,d-1} one layer on."""
factor = Quantity(r"\rho", lambda at: prefactor(at[second], at[w]))
room = Quantity(r"(\bar y^{(t)})^2", lambda at: _room(at, at[second]))
next_room = Quantity(r"(\bar y^{(t+1)})^2", lambda at: _room(at, _next(at)))
high = Quantity(r"h(\bar y^{(t)})", lambda at: _at_boundary(at, 1))
low = Quantity(r"h(-\bar y^{(t)})", lambda at: _at_boundary(at, -1))


_turned_over = Compare(1, "<=", next_room * next_ratio**2)
_stays_within = Compare(next_ratio**2, "<=", next_room)
inside_ends = (
    Compare(-high, "<=", next_ratio)
    & Compare(next_ratio, "<=", high)
    & Compare(high**2, "<=", next_room)
)
"""What the lines before the last one give."""


def _last_lines(last: Formula) -> Formula:
    """The inequalities of the last lines, those with ybar squared, and the last one as given."""
    ends = Compare(high**2, "=", factor**2 * room) & Compare(low**2, "=", factor**2 * room)
    return (
        Compare(-high, "<=", next_ratio)
        & Compare(next_ratio, "<=", high)
        & Compare(factor, "<=", 1)
        & ends
        & Compare(factor**2 * room, "<=", next_room)
        & last
    )


one_step_inside_the_region = Claim(
    id="wu2024.app-F3.lemma-12-last-lines.repair",
    parent="wu2024.app-F3.lemma-12-last-lines",
    source=source("App. F.3", "end of the proof of Lemma 12"),
    kind="bound",
    title="If its first $d - 1$ coordinates are log-concave, the second token's last ratio is bounded.",
    statement=_last_lines(_stays_within),
    domain=log_concave_region,
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "$\\rho\\,\\bar y\\le\\bar y'$ fails where $f$ grows; it holds when the moduli of the first "
        "$d - 1$ coordinates are log-concave. "
        "Bounds on moduli are read as bounds on squares, so that $\\bar y'$ need not be real."
    ),
)
one_step_as_printed = Claim(
    id="wu2024.app-F3.lemma-12-last-lines",
    source=source("App. F.3", "end of the proof of Lemma 12"),
    kind="bound",
    title="From a token of the region, the next last ratio stays within the next bound.",
    statement=_last_lines(_stays_within),
    printed=(
        r"\left| h\left(\pm \bar{y}^{(t)}\right)\right| = \frac{X_{2,1}^{(t+1)}}{X_{2,d-1}^{(t+1)}} "
        r"\frac{X_{2,d-1}^{(t)}}{X_{2,1}^{(t)}} \bar{y}^{(t)} \leq \bar{y}^{(t+1)}"
    ),
    domain=printed_region,
    hypotheses=PRINTED_HYPOTHESES,
    uses=(ratio_map_is_nondecreasing, remainder_shrinks_as_printed),
    probes=(_LEAVING,),
    severity="material",
    repair=one_step_inside_the_region,
    note=(
        "For $d\\ge4$, $\\rho\\,\\bar y\\le\\bar y'$ fails with the monotony of $f$, and the ratio "
        "itself can leave $[-\\bar y',\\bar y']$. The line after it prints the ratio upside down, which is "
        "judged by itself: `wu2024.app-F3.lemma-12-last-lines.ratio`."
    ),
)

_FROM_THE_LINE_BEFORE = Hypothesis(r"|h(\pm\bar y^{(t)})|\le\bar y^{(t+1)}\ \text{is given}")
last_ratio_is_inside = Claim(
    id="wu2024.app-F3.lemma-12-last-lines.ratio.repair",
    parent="wu2024.app-F3.lemma-12-last-lines.ratio",
    source=source("App. F.3", "last display of the proof of Lemma 12"),
    kind="bound",
    title="A next ratio $X_{2,d}/X_{2,d-1}$ between ends that the next bound holds lies in that bound.",
    statement=inside_ends.implies(_stays_within),
    domain=printed_region,
    hypotheses=(*PRINTED_HYPOTHESES, _FROM_THE_LINE_BEFORE),
    note="$X_{2,d}$ over $X_{2,d-1}$, as everywhere else in the proof.",
)
last_ratio_is_inside_as_printed = Claim(
    id="wu2024.app-F3.lemma-12-last-lines.ratio",
    source=source("App. F.3", "last display of the proof of Lemma 12"),
    kind="bound",
    title="One layer on, the inverse ratio $X_{2,d-1}/X_{2,d}$ is said to lie in the next bound.",
    statement=inside_ends.implies(_turned_over),
    printed=(
        r"\frac{X_{2,d-1}^{(t+1)}}{X_{2,d}^{(t+1)}} \in "
        r"\left[-\bar{y}^{(t+1)}, \bar{y}^{(t+1)}\right]"
    ),
    domain=printed_region,
    hypotheses=(*PRINTED_HYPOTHESES, _FROM_THE_LINE_BEFORE),
    severity="misprint",
    repair=last_ratio_is_inside,
    note=(
        "The display follows from the line before it with the ratio the other way round, which is what "
        "$h$ maps. As printed it fails for $d=3$ too, where the line before holds. Squares are compared: "
        "$1\\le(\\bar y^{(t+1)})^2(X_{2,d}/X_{2,d-1})^2$, both ratios at $t+1$."
    ),
)


# The lemma ----------------------------------------------------------------------------------------

_stays = ForAll(t, 0, oo, Compare(height(t), "<=", -1 / w))
log_concave_tokens_stay = Claim(
    id="wu2024.app-F3.lemma-12.repair",
    parent="wu2024.app-F3.lemma-12",
    source=source("App. F.3", "Lemma 12"),
    kind="bound",
    title="A second token with log-concave first coordinates never leaves $X_{2,d-1}\\le-1/w$.",
    statement=_stays,
    domain=log_concave_region,
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "In place of (40) the moduli of the first $d - 1$ coordinates must be log-concave, "
        "$X_{2,j}^2\\ge X_{2,j-1}X_{2,j+1}$; for $d = 3$ this is no condition, and the lemma holds "
        "without (40)."
    ),
)
region_is_invariant_as_printed = Claim(
    id="wu2024.app-F3.lemma-12",
    source=source("App. F.3", "Lemma 12, Eq. (40)"),
    kind="bound",
    title="Under (40) the second token never leaves the region $X_{2,d-1}\\le-1/w$.",
    statement=_stays,
    printed=r"X_{2,d-1}^{(t)} \leq -1/w",
    domain=printed_region,
    hypotheses=PRINTED_HYPOTHESES,
    uses=(one_step_as_printed,),
    probes=(_LEAVING,),
    severity="material",
    repair=log_concave_tokens_stay,
    note=(
        "True for $d = 3$, false for every $d\\ge4$: from $X_2 = (-2, -1, -4, 2)/5$ with $w = 5/4$ "
        "the token leaves in one step, although (40) holds, with $w^2-1$ for $\\sqrt{w^2-1}$ too "
        "(`wu2024.app-F3.lemma-12-root.given-40`): $5/16\\le9/16$. Adding features that are nearly zero in "
        "front gives the same for larger $d$."
    ),
)
