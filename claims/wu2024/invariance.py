r"""App. F.3, Lemma 12: does the second token stay in {X_{2,d-1} <= -1/w}?

In the notation of `second_token` the region is |y| <= ybar = sqrt(w^2 - 1 - f), and |y'| <= rho ybar
there.  The lemma needs that ybar does not shrink faster than rho ybar; the paper gets this from
f' <= f, which is false when some |X_{2,j}| with j < d - 1 is small beside its left neighbour.  The
left-hand side of (40) is f.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, sqrt

from claims.domain import Computed, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.wu2024.jordan import coordinates_are_iterated_sums_as_printed
from claims.wu2024.notation import d, source, t, w
from claims.wu2024.second_token import (
    RESTING,
    SameSignToken,
    features,
    prefactor,
    rate,
    ratio_map_is_nondecreasing,
    remainder,
    second,
    update,
)
from claims.wu2024.setup import jordan

NEGATIVE = Hypothesis(r"X_{2,j}^{(0)}<0\ (j\le d-2),\quad X_{2,d-1}^{(0)}\le-\tfrac1w")
EQUATION_40 = Hypothesis(
    r"\tfrac1{w^2}(\tfrac{r_{d-2}}{r_{d-1}})^2+\dots+\tfrac1{w^{2(d-2)}}(\tfrac1{r_{d-1}})^2"
    r"\le\sqrt{w^2-1}"
)
LOG_CONCAVE = Hypothesis(r"X_{2,j}^2\ge X_{2,j-1}X_{2,j+1}\quad(2\le j\le d-2)")

_negative = SameSignToken(second, signs=(-1,))
_in_region = Condition(r"X_{2,d-1}\le-\tfrac1w", lambda at: at[second][-2] * at[w] <= -1)
_eq_40 = Condition(EQUATION_40.latex, lambda at: remainder(at[second]) ** 2 <= at[w] ** 2 - 1)


def _log_concave(at: Point) -> bool:
    x = list(at[second])[:-1]
    return all(x[j] ** 2 >= x[j - 1] * x[j + 1] for j in range(1, len(x) - 1))


_ordered = Condition(LOG_CONCAVE.latex, _log_concave)
PRINTED_HYPOTHESES = (RESTING, NEGATIVE, EQUATION_40)
REPAIRED_HYPOTHESES = (RESTING, NEGATIVE, LOG_CONCAVE)


def _region(*computed: Any, layers: tuple[int, int] | None, among: Condition) -> Domain:
    times = () if layers is None else (Size(t, *layers),)
    return Domain((features, *times, rate, _negative, *computed), (_in_region, among))


_TOKEN = ImmutableDenseMatrix([[Rational(e, 5) for e in (-2, -1, -4, 2)]])


def _leaving(domain: Domain, layers: int | None) -> Point:
    """Four features, X_2 = (-2, -1, -4, 2)/5, w = 5/4: the witness of everything below."""
    time = {} if layers is None else {t: Integer(layers)}
    return domain.completed({d: Integer(4), **time, w: Rational(5, 4), second: _TOKEN})


f_now = Symbol("f^{(t)}", nonnegative=True)
_f_now = Computed(f_now, lambda at: _remainder_after(at, int(at[t])))


def _remainder_after(point: Point, layers: int) -> Any:
    """f^{(t)}: coordinates before the last move along (31) by themselves, up to scale."""
    token = point[second]
    for _ in range(layers):
        token = token * jordan(token.cols, point[w])
    return remainder(token)


_F = r"f^{(t+1)}"
_shrinking = Relation(_F, (f_now, w**2 - 1), "<=")
_printed_f = _region(_f_now, layers=(0, 4), among=_eq_40)

remainder_shrinks_if_log_concave = Claim(
    id="wu2024.app-F3.lemma-12-f-monotone.repair",
    parent="wu2024.app-F3.lemma-12-f-monotone",
    source=source("App. F.3", "proof of Lemma 12"),
    kind="bound",
    title="If its first d - 1 coordinates are log-concave, the second token's remainder shrinks.",
    statement=_shrinking,
    domain=_region(_f_now, layers=(0, 4), among=_ordered),
    define=lambda point: _remainder_after(point, int(point[t]) + 1),
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "f can grow at first, whatever (40) says: it never does when the moduli of the first d - 1 "
        "coordinates are log-concave (no condition for d = 3), and then (40) is not needed."
    ),
)
remainder_shrinks_as_printed = Claim(
    id="wu2024.app-F3.lemma-12-f-monotone",
    source=source("App. F.3", "proof of Lemma 12"),
    kind="bound",
    title="The squared ratios of the second token's first coordinates do not grow with depth.",
    statement=_shrinking,
    domain=_printed_f,
    define=lambda point: _remainder_after(point, int(point[t]) + 1),
    hypotheses=PRINTED_HYPOTHESES,
    uses=(coordinates_are_iterated_sums_as_printed,),
    mutants=variants(
        ("shrinks by w^2", f_now / w**2),
        ("shrinks by 1 + w", f_now / (1 + w)),
        ("half of ybar", (w**2 - 1) / 4),
        lhs=_F,
        relation="<=",
    ),
    probes=(_leaving(_printed_f, 0),),
    severity="material",
    repair=remainder_shrinks_if_log_concave,
    note=(
        "For d >= 4 it may grow: f' = sum_j (X_j + w X_{j-1})^2/(X_{d-1} + w X_{d-2})^2, which "
        "exceeds f when X_{d-2} is small beside X_{d-3}. For d = 3 it is true."
    ),
)


# The last lines of the proof: one step ------------------------------------------------------------

FLAGS = (
    r"h(y)\in[-h(\bar y),h(\bar y)]",
    r"\rho\le1",
    r"|h(\pm\bar y)|=\rho\,\bar y",
    r"\rho\,\bar y\le\bar y'",
    r"X_{2,d-1}'/X_{2,d}'\in[-\bar y',\bar y']",
    r"X_{2,d}'/X_{2,d-1}'\in[-\bar y',\bar y']",
    r"|h(\pm\bar y)|\le\bar y/2",
)


def _last_lines(point: Point) -> tuple[bool, ...]:
    """Whether each of `FLAGS` holds, in one step from the token."""
    token, weight, place = point[second], point[w], int(point[d]) - 2
    after = update(token, weight)
    bound = sqrt(weight**2 - 1 - remainder(token))  # on the boundary X_{2,d-1} is -1/w
    next_square = weight**2 - 1 - remainder(after)
    factor, ratio = prefactor(token, weight), after[-1] / after[-2]

    def at_boundary(z: Expr) -> Expr:
        scale = -1 / (weight * token[place])
        head = [e * scale for e in list(token)[:-1]]
        moved = update(ImmutableDenseMatrix([[*head, -z / weight]]), weight)
        return moved[-1] / moved[-2]

    high, low = at_boundary(bound), at_boundary(-bound)
    return (
        bool(-high <= ratio) and bool(ratio <= high),
        bool(factor <= 1),
        all(abs(h).equals(factor * bound) for h in (high, low)),
        bool(factor**2 * bound**2 <= next_square),
        bool(after[-1] != 0 and next_square >= 0 and ratio**2 * next_square >= 1),
        bool(ratio**2 <= next_square),
        bool(4 * high**2 <= bound**2 and 4 * low**2 <= bound**2),
    )


def _all_of(*places: int) -> Proposition:
    return Proposition(
        r",\quad ".join(FLAGS[p] for p in places),
        lambda point, flags: all(flags[p] for p in places),
    )


_printed_step = _region(layers=None, among=_eq_40)
one_step_inside_the_region = Claim(
    id="wu2024.app-F3.lemma-12-last-lines.repair",
    parent="wu2024.app-F3.lemma-12-last-lines",
    source=source("App. F.3", "end of the proof of Lemma 12"),
    kind="bound",
    title="If its first d - 1 coordinates are log-concave, the second token's last ratio is bounded.",
    statement=_all_of(0, 1, 2, 3, 5),
    domain=_region(layers=None, among=_ordered),
    define=_last_lines,
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "rho ybar <= ybar' fails where f grows; it holds when the moduli of the first d - 1 "
        "coordinates are log-concave. The ratio of the last line is printed upside down."
    ),
)
one_step_as_printed = Claim(
    id="wu2024.app-F3.lemma-12-last-lines",
    source=source("App. F.3", "end of the proof of Lemma 12"),
    kind="bound",
    title="From a token of the region, the next last ratio stays within the next bound.",
    statement=_all_of(0, 1, 2, 3, 4),
    domain=_printed_step,
    define=_last_lines,
    hypotheses=PRINTED_HYPOTHESES,
    uses=(ratio_map_is_nondecreasing, remainder_shrinks_as_printed),
    mutants=(
        Mutant("the last ratio turned over", _all_of(0, 1, 2, 3, 5)),
        Mutant("only the bound on rho ybar", _all_of(3)),
        Mutant("ybar/2 for ybar", _all_of(6)),
    ),
    probes=(_leaving(_printed_step, None),),
    severity="material",
    repair=one_step_inside_the_region,
    note=(
        "For d >= 4, rho ybar <= ybar' fails with the monotony of f, and the ratio itself can leave "
        "[-ybar', ybar']. The last ratio is also printed upside down, which fails for d = 3 too."
    ),
)


# The lemma ----------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def tokens(token: ImmutableDenseMatrix, weight: Any, layers: int) -> list[Any]:
    """The second token after 0, ..., `layers` layers, exactly."""
    orbit = [token]
    for _ in range(layers):
        after = update(orbit[-1], weight)
        orbit.append(after / sqrt(sum(e**2 for e in after)))
    return orbit


def _height(point: Point) -> Any:
    return tokens(point[second], point[w], int(point[t]))[-1][int(point[d]) - 2]


_HEIGHT = r"X_{2,d-1}^{(t)}"
_stays = Relation(_HEIGHT, (-1 / w,), "<=")
_printed_orbit = _region(layers=(0, 2), among=_eq_40)

log_concave_tokens_stay = Claim(
    id="wu2024.app-F3.lemma-12.repair",
    parent="wu2024.app-F3.lemma-12",
    source=source("App. F.3", "Lemma 12"),
    kind="bound",
    title="A second token with log-concave first coordinates never leaves X_{2,d-1} <= -1/w.",
    statement=_stays,
    domain=_region(layers=(0, 2), among=_ordered),
    define=_height,
    hypotheses=REPAIRED_HYPOTHESES,
    note=(
        "In place of (40) the moduli of the first d - 1 coordinates must be log-concave, "
        "X_{2,j}^2 >= X_{2,j-1} X_{2,j+1}; for d = 3 this is no condition, and the lemma holds "
        "without (40)."
    ),
)
region_is_invariant_as_printed = Claim(
    id="wu2024.app-F3.lemma-12",
    source=source("App. F.3", "Lemma 12, Eq. (40)"),
    kind="bound",
    title="Under (40) the second token never leaves the region X_{2,d-1} <= -1/w.",
    statement=_stays,
    domain=_printed_orbit,
    define=_height,
    hypotheses=PRINTED_HYPOTHESES,
    uses=(one_step_as_printed,),
    mutants=variants(
        ("-1/sqrt(w) for -1/w", -1 / sqrt(w)),
        ("a larger margin", -1 / w - Rational(1, 20)),
        ("all of -1", Integer(-1)),
        lhs=_HEIGHT,
        relation="<=",
    ),
    probes=(_leaving(_printed_orbit, 1),),
    severity="material",
    repair=log_concave_tokens_stay,
    note=(
        "True for d = 3, false for every d >= 4: from X_2 = (-2, -1, -4, 2)/5 with w = 5/4 the "
        "token leaves in one step, although (40) holds. Adding features that are nearly zero in "
        "front gives the same for larger d."
    ),
)
