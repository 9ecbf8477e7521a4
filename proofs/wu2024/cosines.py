r"""Proofs about the least cosine over one period and over many, from `proofs.wu2024.acute`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Symbol, floor, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import MinOver
from claims.wu2024 import cosines as claims
from claims.wu2024.lengths import i, j, phi
from claims.wu2024.notation import N, X, epsilon, r, t
from claims.wu2024.reach import R
from claims.wu2024.unit_tokens import AcuteRows
from proofs.calculation import algebra, at_places, extremum_over, one_power_less, power_falls
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import INTEGER_PART
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    instance,
    joint,
    part,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.acute import (
    Acute,
    after,
    bound_after_layers,
    everywhere,
    f,
    s,
    shared_is_nonnegative,
    sphere_of,
)
from proofs.wu2024.lengths import cosine_of, least_cosine, least_cosine_bounds
from proofs.wu2024.norms import (
    spread_of_unit_rows,
    squared_spread_is_nonnegative,
)
from proofs.wu2024.spherical import to_last_layer

SPHERE = r"all $N$, $d\ge1$, all unit tokens at no obtuse angle, all orthogonal value matrices"

# One period ---------------------------------------------------------------------------------------


def least_is_above(every: Theorem) -> Theorem:
    """From `product(i, j) >= c` for all pairs: the least is at least c."""
    return extremum_over(MinOver, at_places(every, i, j), (i, N), (j, N))


def at_the_start(acute: Acute, bound: Expr, below: Callable[[Any, Any], Theorem]) -> list[Theorem]:
    """The hypotheses of `bound_after_layers` from those of the domain, for tokens X and a bound of theirs."""
    known = assume(AcuteRows(X).facts()[0])
    sphere = acute.sphere
    unit = joint(Compare(sphere.product(0, i, i), "=", 1), sphere.start(i, i), instance(known, i))
    pair = joint(Compare(sphere.product(0, i, j), ">=", bound), sphere.start(i, j), below(i, j))
    return [generalise(unit, i, 1, N), everywhere(pair)]


def below_all(one: Any, other: Any) -> Theorem:
    """0 <= <X_i, X_j>."""
    return at_places(assume(AcuteRows(X).facts()[1]), one, other)


@cache
def period(layers: Any, everyone: bool) -> Theorem:
    """min <X_i, X_j> after `layers` layers is at least phi + (1 - phi) q."""
    acute, least = Acute(layers, Integer(0), everyone), least_cosine()
    _, pairs = after(acute, layers)
    put_ = {f: least}
    range_ = [
        joint(Compare(least, "<=", 1), least_cosine_bounds(Integer(1), Integer(1)),
              instance(assume(AcuteRows(X).facts()[0]), Integer(1))),
        least_is_nonnegative(),
    ]  # fmt: skip
    put_in = cut(substitute(pairs, put_), *range_, *at_the_start(acute, least, least_cosine_bounds))
    return least_is_above(put_in)


@cache
def least_is_nonnegative() -> Theorem:
    """phi >= 0 for tokens at no obtuse angle."""
    pair = joint(Compare(cosine_of(i, j), ">=", 0), below_all(i, j))
    return least_is_above(everywhere(pair))


def judged(claim: Claim, printed: Claim, layers: Any, everyone: bool) -> Certificate:
    grown = period(layers, everyone)
    after_them = claims.phi_after_longest if everyone else claims.phi_after
    size = unfold(after_them, grown.formula.left, printed.domain)
    least = unfold(phi, least_cosine(), printed.domain)
    share = (N if everyone else 1) * epsilon ** (2 * layers)
    goal = Compare(1 - after_them, "<=", (1 - share) * (1 - phi))
    return conclude(claim, joint(goal, grown, size, least), method="induction over layers")


@proves(claims.least_cosine_grows_by_strong_connectivity)
def by_all_columns(claim: Claim) -> Certificate:
    """Within the ordinary diameter R every column of the product is positive, N in all."""
    return judged(claim, claims.least_cosine_grows_over_ordinary_diameter, R, True)


@proves(claims.least_cosine_grows_by_quasi_strong_connectivity)
def by_one_column(claim: Claim) -> Certificate:
    """Within Def. 5's r one column of the product is positive, that of a centre."""
    return judged(claim, claims.least_cosine_grows_by_centre, r, False)


# Rates --------------------------------------------------------------------------------------------

m, v = symbols("m v", integer=True, nonnegative=True)
_last = symbols("n", integer=True, nonnegative=True)


def share(everyone: bool) -> Expr:
    """q: what one period adds."""
    return N * epsilon ** (2 * R) if everyone else epsilon ** (2 * r)


@cache
def share_is_small(everyone: bool) -> Theorem:
    """0 < q < 1, from N epsilon < 1."""
    steps = R if everyone else r
    small = Compare(epsilon, "<", 1 / N)
    q, below_one = share(everyone), joint(Compare(epsilon, "<=", 1), given=(small,))
    lower = power_falls(epsilon, 1, 2 * steps, below_one)
    return joint(Compare(q, ">", 0) & Compare(q, "<", 1), lower, given=(small,))


def _floor_in_range(everyone: bool) -> list[Theorem]:
    """0 <= 1 - (1 - q)^m <= 1."""
    q, small = share(everyone), share_is_small(everyone)
    below_one = power_falls(1 - q, 0, m, small)
    power = joint(Compare((1 - q) ** m, ">=", 0), small)
    floor_ = 1 - (1 - q) ** m
    return [joint(Compare(floor_, ">=", 0), below_one), joint(Compare(floor_, "<=", 1), power)]


@cache
def over_periods(layers: Any, everyone: bool) -> Theorem:
    """After v + m periods: all cosines at least 1 - (1 - q)^m, where n periods end at the last layer."""
    steps, q = R if everyone else r, share(everyone)
    start = symbols("u", integer=True, nonnegative=True)
    acute = Acute(layers, start, everyone)
    units, pairs = after(acute, steps)
    sphere, floor_ = acute.sphere, 1 - (1 - q) ** m
    here = lambda k: v + k * steps  # noqa: E731
    case = lambda k: And((  # noqa: E731
        ForAll(i, 1, N, Compare(sphere.product(here(k), i, i), "=", 1)),
        ForAll(i, 1, N, ForAll(j, 1, N, Compare(
            sphere.product(here(k), i, j), ">=", 1 - (1 - q) ** k))),
    ))  # fmt: skip
    now = assume(case(m))
    put_in = {start: here(m), f: floor_}
    fits = assume(Compare(v + (m + 1) * steps, "<=", layers))
    known = [part(now, 0), part(now, 1), *_floor_in_range(everyone), fits]
    unit = cut(substitute(units, put_in), *known)
    grown = cut(substitute(pairs, put_in), *known)
    pair = everywhere(
        joint(
            Compare(sphere.product(here(m + 1), i, j), ">=", 1 - (1 - q) ** (m + 1)),
            at_places(grown, i, j),
        )
    )
    step = both(unit, pair)
    whole = assume(Compare(v + _last * steps, "=", layers))
    inside = joint(
        Compare(v + (m + 1) * steps, "<=", layers), whole,
        given=(Compare(m + 1, "<=", _last),),
    )  # fmt: skip
    begin = both(*(assume(g) for g in case(Integer(0)).formulas))
    every = to_last_layer(begin, cut(step, inside), m, _last)
    last = part(instance(every, _last), 1)
    return joint(last.formula, last)


@cache
def acute_at_the_start(layers: Any, everyone: bool) -> Theorem:
    """Up to the last layer: unit tokens at no obtuse angle."""
    acute = Acute(layers, Integer(0), everyone)
    zero = substitute(bound_after_layers(layers, Integer(0), everyone), {f: Integer(0)})
    known = cut(zero, *at_the_start(acute, Integer(0), below_all))
    case = instance(known, s)
    shared = shared_is_nonnegative(acute, s)
    pair = joint(Compare(acute.product(s, i, j), ">=", 0), at_places(part(case, 1), i, j), shared)
    return generalise(both(part(case, 0), everywhere(pair)), s, 0, layers)


@cache
def gap_of_the_network(layers: Any, everyone: bool) -> Theorem:
    """1 - min <X_i, X_j> <= (1 - q)^(layers/period - 1) after all layers."""
    steps, q = R if everyone else r, share(everyone)
    sphere = sphere_of(layers)
    whole = floor(layers / steps)
    parts = fact(INTEGER_PART, x=layers / steps)
    count = joint(Compare(whole, ">=", 0), parts)
    rest = joint(Compare(layers - whole * steps, ">=", 0), parts)
    begun = instance(acute_at_the_start(layers, everyone), layers - whole * steps)
    put_in = {v: layers - whole * steps, _last: whole}
    periods = substitute(over_periods(layers, everyone), put_in)
    first = both(
        part(begun, 0),
        everywhere(joint(
            Compare(sphere.product(layers - whole * steps, i, j), ">=", 0), at_places(part(begun, 1), i, j)
        )),
    )  # fmt: skip
    below = joint(Compare(layers - whole * steps, "<=", layers), count)
    grown = cut(cut(periods, part(first, 0), part(first, 1), count, rest), below, count, rest)
    small = share_is_small(everyone)
    rate = power_falls(1 - q, layers / steps - 1, whole, small, parts)
    pair = joint(
        Compare(sphere.product(layers, i, j), ">=", 1 - (1 - q) ** (layers / steps - 1)),
        at_places(grown, i, j), rate,
    )  # fmt: skip
    return cut(everywhere(pair), below)


@cache
def one_period_less(layers: Any, everyone: bool) -> Theorem:
    """(1 - q)^(layers/period - 1) = (1 - q)^(layers/period) / (1 - q)."""
    exponent = layers / (R if everyone else r)
    return one_power_less(1 - share(everyone), exponent, share_is_small(everyone))


@proves(claims.cosine_gap_decays_from_the_start)
def by_periods_from_the_start(claim: Claim) -> Certificate:
    """Whole periods from a gap of at most one, and floor(t/r) >= t/r - 1."""
    domain = claims.cosine_gap_decays_by_one_column.domain
    least = least_is_above(gap_of_the_network(t, False))
    size = unfold(claims.phi_now, least.formula.left, domain)
    q = share(False)
    goal = Compare(1 - claims.phi_now, "<=", 1 / (1 - q) * (1 - q) ** (t / r))
    return conclude(
        claim, joint(goal, least, size, one_period_less(t, False)),
        method="the recursion over whole periods",
    )  # fmt: skip


@cache
def spread_of_the_network(layers: Any) -> Theorem:
    """mu^2 <= N (1 - q)^(layers/r - 1) after all layers."""
    sphere = sphere_of(layers)
    pairs = gap_of_the_network(layers, False)
    units = part(instance(acute_at_the_start(layers, False), layers), 0)
    bound = 1 - (1 - share(False)) ** (layers / r - 1)

    def below(a: Any, b: Any) -> Theorem:
        return joint(Compare(bound, "<=", sphere.product(layers, a, b)), at_places(pairs, a, b))

    return spread_of_unit_rows(sphere.at(layers), units, bound, below)


@proves(claims.spread_decays_by_all_columns)
def by_the_mean_cosine(claim: Claim) -> Certificate:
    """mu^2 is at most N times the cosine gap."""
    domain, squared = claims.spread_decays_by_one_column.domain, spread_of_the_network(t)
    whole = squared.formula.left
    size = unfold(claims.spread_now, sqrt(whole), domain)
    base, q, small = Symbol("b", positive=True), share(False), share_is_small(False)
    a, e, y = symbols("a e y", real=True)
    squared_below = Compare(a, "<=", y**2), Compare(y, ">=", 0), Compare(a, ">=", 0)
    bound_of_mu = sqrt(N / base) * base ** (e / 2)
    root = algebra(
        Compare(sqrt(a), "<=", y), squared_below, {y: bound_of_mu},
        joint(Compare(bound_of_mu, ">=", 0)),
    )  # fmt: skip
    squared_bound = joint(
        Compare(whole, "<=", N * (1 - q) ** (t / r) / (1 - q)), squared, one_period_less(t, False)
    )
    bound = cut(
        substitute(root, {a: whole, base: 1 - q, e: t / r}), squared_bound, small,
        squared_spread_is_nonnegative(sphere_of(t).at(t)),
    )  # fmt: skip
    goal = Compare(claims.spread_now, "<=", sqrt(N) / sqrt(1 - q) * (1 - q) ** (t / (2 * r)))
    return conclude(claim, joint(goal, bound, size), method=r"$\mu$ by the mean cosine")


@proves(claims.cosine_gap_decays_from_t0)
def by_periods_of_the_longest_distance(claim: Claim) -> Certificate:
    """Whole periods of R layers from a gap of at most one."""
    domain = claims.cosine_gap_decays_over_longest_distance.domain
    least, q = least_is_above(gap_of_the_network(t, True)), share(True)
    size = unfold(claims.alpha, least.formula.left, domain)
    goal = Compare(1 - claims.alpha, "<=", 1 / (1 - q) * (1 - q) ** (t / R))
    shown = joint(goal, least, size, one_period_less(t, True))
    return conclude(claim, shown, method="the recursion over whole periods")
