r"""Averages by row-stochastic matrices on a mask, layer by layer: what several proofs share.

$x^{(t+1)}_i=\sum_jA^{(t)}_{ij}x^{(t)}_j$, for t below a number of layers.  Entries stay between the
extremes; what a centre is away from an extreme reaches every token, a factor $\epsilon$ for each
step; so the width $M-m$ contracts over as many layers as the diameter.

Free symbols: s the layer from which one counts, n layers more.  Hypotheses are facts of the domain:
of `AttentionSequence`, `Graphs` and `Radius` in `claims.wu2024.setup`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, oo, symbols, sympify

from claims.statement import Compare, Exists, ForAll, Formula, Implies
from claims.terms import MaxOver, MinOver, Recursion, entry
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N, attention, epsilon, r, x
from claims.wu2024.setup import distance, distance_facts, radius_of_mask, row_facts
from proofs import facts
from proofs.calculation import at_places, body_at, linked, summed_over
from proofs.kernel import (
    Theorem,
    assume,
    choose,
    congruent,
    cut,
    discharge,
    exists,
    extremum_bounds,
    extremum_compared,
    fact,
    generalise,
    induction,
    instance,
    joint,
    next_integer,
    part,
    recursion_step,
    sum_at_least_term,
)

__all__ = [
    "Averages", "attended", "entries_of", "split_by_periods", "vector", "walked",
    "weights",
]  # fmt: skip

weights = entry(attention)
i, j, other, centre = symbols("i j l c", integer=True)
s, n = symbols("s n", integer=True, nonnegative=True)
*_, loops = Graphs().facts()
nearer, not_negative = distance_facts()

vector = Recursion(
    "x",
    lambda i: entry(x)(i),
    lambda t, i, before: Sum(weights(t, i, j) * before(j), (j, 1, N)),
)


@cache
def entries_of(length: Any, floor: Any = epsilon, of: Any = weights) -> tuple[Formula, ...]:
    """Of every layer: rows sum to one; entries are not negative; at least the floor on edges."""
    layer = Symbol("layer", integer=True)
    rows = row_facts(lambda i, j: of(layer, i, j), floor, G)[:3]
    return tuple(ForAll(layer, 0, sympify(length) - 1, f) for f in rows)


def attended(length: Any, t: Any, i: Any, j: Any, of: Any = weights) -> Theorem:
    """A_ij >= epsilon where i attends to j."""
    edge = Compare(entry(G)(j, i), "=", 1)
    least = at_places(assume(entries_of(length, of=of)[2]), t, i, j)
    return joint(Compare(of(t, i, j), ">=", epsilon), least, given=(edge,))


# Along walks from a centre ------------------------------------------------------------------------

Level = Callable[[Any, Any], Expr]
HandedOn = Callable[[Any, Any, Any], Theorem]


def within_reach(level: Level, factor: Any, start: Any, steps: Any, length: Any) -> Any:
    """After so many layers level >= factor^steps level(centre) at all tokens within so many steps."""
    away = distance(centre, i)
    near = Compare(away, "<=", steps) & Compare(away, "<=", N - 1)
    enough = Compare(level(start + steps, i), ">=", factor**steps * level(start, centre))
    return Implies(Compare(start + steps, "<=", length), ForAll(i, 1, N, Implies(near, enough)))


def walked(level: Level, factor: Any, handed_on: HandedOn, length: Any) -> Theorem:
    """For all n: from layer s on, n layers hand a centre's level on to tokens within n steps.

    `handed_on(t, i, j)` proves level(t + 1, i) >= factor level(t, j) where i attends to j, t below
    `length`; the factor is positive.  A token attends to itself or to one a step nearer.
    """

    def body(steps: Any) -> Any:
        return within_reach(level, factor, s, steps, length)

    every = body(n).conclusion
    following = body(n + 1).conclusion.body
    reached = joint(every, assume(body(n)), given=(Compare(s + n + 1, "<=", length),))
    cases = at_places(assume(nearer), centre, i)
    at_home, _, further = cases.formula.formulas
    itself = joint(
        Implies(at_home, following), instance(reached, i),
        cut(handed_on(s + n, i, i), instance(assume(loops), i)),
    )  # fmt: skip
    found = assume(body_at(further, j))
    handed = joint(
        following, instance(reached, j), cut(handed_on(s + n, i, j), part(found, 0)), part(found, 1)
    )
    from_nearer = discharge(choose(assume(further), j, handed), further)
    step = joint(following, cases, itself, from_nearer)
    return induction(
        _at_home(level, factor, length),
        discharge(
            generalise(_from_layers(step, length), i, 1, N), Compare(s + n + 1, "<=", length)
        ),
        n,
    )


def _from_layers(theorem: Theorem, length: Any) -> Theorem:
    return cut(theorem, assume(Compare(s + n + 1, "<=", length)))


def _at_home(level: Level, factor: Any, length: Any) -> Theorem:
    """No layers: only the centre itself is at distance zero."""
    formula = within_reach(level, factor, s, 0, length)
    goal = formula.conclusion.body
    away = at_places(assume(not_negative), centre, j)
    cases = at_places(assume(nearer), centre, i)
    _, _, further = cases.formula.formulas
    found = assume(body_at(further, j))
    impossible = discharge(choose(assume(further), j, joint(goal, part(found, 1), away)), further)
    equal = congruent(level(s, other), other, i, centre)
    same = discharge(equal, Compare(i, "=", centre))
    every = generalise(joint(goal, cases, same, impossible), i, 1, N)
    return discharge(every, formula.premise)


# Trajectories -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Averages:
    """x(t + 1, i) = sum_j A_ij(t) x(t, j) for t below `length`; `rest` are further indices of x.

    The weights are those of the attention, or what `by(t, i, j)` gives; `real(t, i)`, where there is
    one, is assumed of every layer and token, so that these weights have a value.
    """

    state: Recursion
    length: Any
    rest: tuple[Any, ...] = ()
    by: Callable[[Any, Any, Any], Expr] = weights
    real: Callable[[Any, Any], Formula] | None = None

    def defined(self, theorem: Theorem, t: Any, token: Any) -> Theorem:
        """The theorem, where the weights of a token have a value."""
        if self.real is None:
            return theorem
        layer = Symbol("layer", integer=True)
        each = ForAll(i, 1, N, self.real(layer, i))
        every = ForAll(layer, 0, sympify(self.length) - 1, each)
        return cut(theorem, at_places(assume(every), t, token))

    def at(self, t: Any, token: Any) -> Expr:
        return self.state(t, token, *self.rest)

    def extreme(self, kind: type, t: Any) -> Expr:
        """M or m at layer t."""
        return kind(self.at(t, other), (other, 1, N))

    def width(self, t: Any) -> Expr:
        return self.extreme(MaxOver, t) - self.extreme(MinOver, t)

    def level(self, kind: type) -> Level:
        """How far a token is from the extreme of layer s."""
        sign = 1 if kind is MaxOver else -1
        return lambda t, token: sign * (self.extreme(kind, s) - self.at(t, token))

    @cache  # noqa: B019
    def one_layer(self, kind: type, t: Any) -> Theorem:
        """M never rises, m never falls: each entry is an average."""
        sign = "<=" if kind is MaxOver else ">="
        extremum = self.extreme(kind, t)
        stochastic, nonnegative, _ = map(assume, entries_of(self.length, of=self.by))
        weight = at_places(nonnegative, t, i, j)
        term = joint(
            Compare(self.by(t, i, j) * self.at(t, j), sign, self.by(t, i, j) * extremum),
            extremum_bounds(extremum, j), weight,
        )  # fmt: skip
        summed = summed_over(term, (j, N))
        after = linked(
            Compare(self.at(t + 1, i), sign, extremum),
            recursion_step(self.state, t, i, *self.rest), summed, at_places(stochastic, t, i),
        )  # fmt: skip
        return extremum_compared(generalise(self.defined(after, t, i), i, 1, N), kind)

    @cache  # noqa: B019
    def stays(self, kind: type) -> Theorem:
        """For all n: M(s + n) <= M(s), and so for m, as long as there are layers."""
        sign = "<=" if kind is MaxOver else ">="

        def body(steps: Any) -> Any:
            inside = Compare(self.extreme(kind, s + steps), sign, self.extreme(kind, s))
            return Implies(Compare(s + steps, "<=", self.length), inside)

        last = Compare(s + n, "<=", self.length - 1)
        step = joint(body(n + 1), assume(body(n)), discharge(self.one_layer(kind, s + n), last))
        return induction(joint(body(0)), step, n)

    def inside(self, kind: type, t: Any, token: Any) -> Theorem:
        """The level of a token is not negative, from layer s on."""
        return joint(
            Compare(self.level(kind)(t, token), ">=", 0), instance(self.stays(kind), t - s),
            extremum_bounds(self.extreme(kind, t), token), given=(Compare(t, "<=", self.length),),
        )  # fmt: skip

    @cache  # noqa: B019
    def handed_on(self, kind: type, t: Any, i: Any, j: Any) -> Theorem:
        """level(t + 1, i) >= A_ij level(t, j), from layer s on."""
        level, k = self.level(kind), Symbol("k", integer=True)
        stochastic, nonnegative, _ = map(assume, entries_of(self.length, of=self.by))
        term = self.by(t, i, k) * level(t, k)
        product = joint(
            Compare(term, ">=", 0), self.inside(kind, t, k), at_places(nonnegative, t, i, k)
        )
        one = sum_at_least_term(generalise(product, k, 1, N), j)
        handed = linked(
            Compare(level(t + 1, i), ">=", self.by(t, i, j) * level(t, j)), one,
            at_places(stochastic, t, i), recursion_step(self.state, t, i, *self.rest),
        )  # fmt: skip
        return self.defined(handed, t, i)

    @cache  # noqa: B019
    def walked(self, kind: type) -> Theorem:
        """For all n: level(s + n, i) >= epsilon^n level(s, c) at tokens within n steps of c."""
        level = self.level(kind)

        def step(t: Any, i: Any, j: Any) -> Theorem:
            least = joint(
                Compare(level(t + 1, i), ">=", epsilon * level(t, j)),
                self.handed_on(kind, t, i, j), attended(self.length, t, i, j, self.by),
                self.inside(kind, t, j),
            )  # fmt: skip
            return self.defined(least, t, i)

        return walked(level, epsilon, step, self.length)

    def toward_centre(self, kind: type, steps: Any, *near: Theorem) -> Theorem:
        """An extreme moves by epsilon^steps times its distance from the centre's entry, in as many layers.

        `near`: the token i is within so many steps of the centre, and within N - 1.
        """
        sign = "<=" if kind is MaxOver else ">="
        end, pull = s + steps, epsilon**steps * self.level(kind)(s, centre)
        moved = self.extreme(kind, s) + (-pull if kind is MaxOver else pull)
        reached = joint(
            within_reach(self.level(kind), epsilon, s, steps, self.length).conclusion,
            instance(self.walked(kind), steps), given=(Compare(end, "<=", self.length),),
        )  # fmt: skip
        entry_after = joint(Compare(self.at(end, i), sign, moved), instance(reached, i), *near)
        return extremum_compared(generalise(entry_after, i, 1, N), kind)

    @cache  # noqa: B019
    def one_period(self) -> Theorem:
        """width(s + r) <= (1 - epsilon^r) width(s), as long as there are layers."""
        goal = Compare(self.width(s + r), "<=", (1 - epsilon**r) * self.width(s))
        near = (instance(assume(near_centre()), i), assume(RADIUS_BELOW))
        found = joint(goal, *(self.toward_centre(kind, r, *near) for kind in (MaxOver, MinOver)))
        whole = choose(assume(CENTRED), centre, found)
        return discharge(whole, Compare(s + r, "<=", self.length))

    def not_negative(self, t: Any) -> Theorem:
        """M - m >= 0."""
        ends = (extremum_bounds(self.extreme(kind, t), 1) for kind in (MaxOver, MinOver))
        return joint(Compare(self.width(t), ">=", 0), *ends)

    @cache  # noqa: B019
    def periods(self, place: Any) -> Theorem:
        """For all n: width(s + n r) <= (1 - p epsilon^r)^n width(s), p = `place` between 0 and 1."""
        factor = 1 - place * epsilon**r

        def body(count: Any) -> Any:
            contracted = Compare(self.width(s + count * r), "<=", factor**count * self.width(s))
            return Implies(Compare(s + count * r, "<=", self.length), contracted)

        t, following = s + n * r, Compare(s + (n + 1) * r, "<=", self.length)
        period = self.shifted(self.one_period(), t)
        between = (Compare(place, ">=", 0), Compare(place, "<=", 1))
        weaker = joint(
            Compare(self.width(t + r), "<=", factor * self.width(t)),
            period, self.not_negative(t), power_at_most_one(), given=(*between, following),
        )  # fmt: skip
        earlier = joint(Compare(t, "<=", self.length), given=(following, Compare(r, ">=", 0)))
        before = joint(body(n).conclusion, assume(body(n)), earlier)
        kept = joint(Compare(factor, ">=", 0), power_at_most_one(), given=between)
        grown = joint(
            Compare(self.width(t + r), "<=", factor ** (n + 1) * self.width(s)),
            weaker,
            before,
            kept,
        )
        return induction(joint(body(0)), discharge(grown, following), n)

    @cache  # noqa: B019
    def decays(self, t: Any) -> Theorem:
        """width(t) <= (1 - epsilon^r)^(t/r - (r-1)/r) width(0): whole periods, and less than one more.

        In less than a period the width does not grow.  Needs 0 < epsilon < 1.
        """
        k, factor = Symbol("k", integer=True), 1 - epsilon**r
        exponent = t / r - (r - 1) / r
        start, layers = t - k * r, Compare(t, "<=", self.length)
        found = assume(split_by_periods(t).formula.body)
        whole = instance(self.shifted(self.periods(Integer(1)), start), k)
        first = [
            instance(self.shifted(self.stays(kind), Integer(0)), start)
            for kind in (MaxOver, MinOver)
        ]
        early = joint(
            Compare(self.width(start), "<=", self.width(0)),
            *first,
            found,
            given=(layers, Compare(k, ">=", 0)),
        )
        power = fact(facts.POWER_FALLS, a=factor, p=exponent, q=k)
        goal = Compare(self.width(t), "<=", factor**exponent * self.width(0))
        bound = joint(
            goal,
            joint(
                Compare(self.width(t), "<=", factor**k * self.width(start)), whole, given=(layers,)
            ),
            early,
            power,
            self.not_negative(0),
            period_factor(),
        )
        small = joint(Compare(exponent, "<=", k), found)
        inside = cut(bound, found, period_factor(), small)
        return choose(split_by_periods(t), k, inside)

    def shifted(self, theorem: Theorem, t: Any) -> Theorem:
        """A theorem about layer s on, at layer t."""
        return instance(generalise(theorem, s, 0, oo), t)


# The diameter and whole periods -------------------------------------------------------------------

CENTRED, RADIUS_BELOW, *_ = radius_of_mask.facts()


def near_centre() -> Formula:
    """All tokens are within r of the centre c."""
    return body_at(CENTRED, centre)


@cache
def power_at_most_one() -> Theorem:
    """epsilon^r <= 1 for 0 < epsilon <= 1."""
    return fact(facts.POWER_FALLS, a=epsilon, p=0, q=r)


FLOOR = (Compare(epsilon, ">", 0), Compare(epsilon, "<", 1))


@cache
def power_below_one() -> Theorem:
    """epsilon^r < 1 for 0 < epsilon < 1 and r >= 1."""
    falls = fact(facts.POWER_FALLS, a=epsilon, p=1, q=r)
    return joint(Compare(epsilon**r, "<", 1), falls, given=FLOOR)


@cache
def period_factor() -> Theorem:
    """0 < 1 - epsilon^r <= 1."""
    factor = 1 - epsilon**r
    return joint(Compare(factor, ">", 0) & Compare(factor, "<=", 1), power_below_one())


@cache
def split_by_periods(t: Any) -> Theorem:
    """There is k with k r <= t <= k r + r - 1: division with remainder, by induction."""
    k = Symbol("k", integer=True)

    def body(total: Any) -> Exists:
        return Exists(k, 0, oo, Compare(k * r, "<=", total) & Compare(total, "<=", k * r + r - 1))

    def put(count: Any) -> Formula:
        return following.body.substitute({k: count})

    shape, following = body(n), body(n + 1)
    found = assume(shape.body)
    beyond = Compare(k * r + r - 1, "<", n + 1)
    within = exists(
        joint(put(k), found, given=(Compare(n + 1, "<=", k * r + r - 1),)), following, k
    )
    next_one = joint(put(k + 1), found, next_integer(k * r + r - 1, n + 1))
    further = cut(exists(next_one, following, k + 1), found)
    step = joint(
        following,
        discharge(within, Compare(n + 1, "<=", k * r + r - 1)),
        discharge(further, beyond),
    )
    start = exists(joint(body(0).body.substitute({k: Integer(0)})), body(0), 0)
    return instance(induction(start, choose(assume(shape), k, step), n), t)
