r"""Almost sure limits of singular values of products of Markov matrices.

$A_t\cdots A_1C=A^\perp_t\cdots A^\perp_1C+1c_t^\top$ for $c_t$ the mean row of $A_{t-1}\cdots A_1C$, as
$A^\perp1=0$: a change of rank one, and norms of products are at most products of norms.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Integer, Sum, Symbol, sqrt, symbols

from claims.almost_surely import SureLimit
from claims.domain import Domain
from claims.naitsaada2025.markov_layers import Chain, n
from claims.statement import Compare, ForAll, Formula, Tends
from claims.terms import Recursion
from proofs.calculation import at_places, for_all, linked, picked, sums_compared, weighed
from proofs.facts import DELTA_SUM, FUBINI, INTERLACING, NORMS, PRODUCT, RANK_ONE
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    identity,
    induction,
    instance,
    joint,
    limit_combined,
    limit_rewritten,
    part,
    recursion_start,
    recursion_step,
    squeezed,
    substitute,
)
from proofs.naitsaada2025.sure_limits import (
    SIZE,
    Outcome,
    at_every_size,
    at_least_one,
    constant,
    i,
    k,
    x,
    y,
)

__all__ = ["Products", "sign_of"]

t = Symbol("t", integer=True, nonnegative=True)
j = Symbol("j", integer=True)
ZERO, ONE = Integer(0), Integer(1)


def sign_of(values: Any) -> Theorem:
    """A singular value is not negative."""
    order = fact(NORMS, values=values, x=ONE, i=i, k=k)
    return joint(Compare(values, ">=", 0), part(order, 0), part(order, 1))


class Products:
    """Products of so many factors, for one outcome."""

    def __init__(self, outcome: Outcome, chain: Chain):
        self.outcome, self.chain, self.layers = outcome, chain, chain.layers
        self.columns = chain.factor * n
        self.mean = Recursion(
            "c", lambda size, k: Integer(0),
            lambda t, size, k, before: Sum(chain.whole(t, size, j, k), (j, 1, size)) / size,
        )  # fmt: skip
        """The row by which the two products differ."""
        self.bound = Recursion(
            "B", lambda size: Integer(1),
            lambda t, size, before: sqrt(size) * self.layers.rest(ONE, t + 1, size) * before(size),
        )  # fmt: skip
        r"""$\prod_{l\le t}n^{1/2}s_1(A^\perp_l)$."""

    def _split(self, count: Any) -> Formula:
        whole, rest = (of(count, n, i, k) for of in (self.chain.whole, self.chain.rest))
        same: Formula = Compare(whole, "=", rest + self.mean(count, n, k))
        return ForAll(i, 1, n, ForAll(k, 1, self.columns, same))

    @cached_property
    def split(self) -> Theorem:
        """For all t: entry by entry, the product is that of the rests plus the row c in every row."""
        chain, layers, places = self.chain, self.layers, ((i, n), (k, self.columns))
        starts = (recursion_start(of, n, i, k) for of in (chain.whole, chain.rest))
        zero = Compare(chain.whole(0, n, i, k), "=", chain.rest(0, n, i, k) + self.mean(0, n, k))
        start = joint(zero, *starts, recursion_start(self.mean, n, k))
        known, at = assume(self._split(t)), t + 1
        each = weighed(
            lambda a: layers.rest_weight(at, n, i, a), lambda a: at_places(known, a, k), n
        )
        steps = (recursion_step(of, t, n, i, k) for of in (chain.whole, chain.rest))
        goal = Compare(chain.whole(at, n, i, k), "=", chain.rest(at, n, i, k) + self.mean(at, n, k))
        row = self.outcome.rest_row(at)
        step = linked(goal, *steps, recursion_step(self.mean, t, n, k), each, row, SIZE)
        step = cut(step, self.outcome.row_is_positive(at))
        return induction(for_all(start, *places), for_all(step, *places), t)

    def second_below(self, count: Any) -> Theorem:
        r"""$s_2(A_t\cdots A_1C)\le s_1(A^\perp_t\cdots A^\perp_1C)$."""
        chain, row = self.chain, self.mean(count, n, k)
        over = (k, 1, self.columns)
        norm = n * Sum(row**2, over)
        found = fact(
            RANK_ONE, values=chain.value(ONE, count), other=chain.rest_value(ONE, count), left=ONE,
            right=row, norm=norm, i=i, k=k,
        )  # fmt: skip
        entries = instance(self.split, count)
        small = linked(Compare(Sum(1, (i, 1, n)) * Sum(row**2, over), "<=", norm), SIZE)
        return part(cut(found, entries, small), 0)

    def first_grows(self, count: Any) -> Theorem:
        r"""$s_1(A_{t+1}\cdots A_1C)\le s_1(A_{t+1})s_1(A_t\cdots A_1C)$."""
        return self._factor(
            self.chain.whole, self.chain.value, self.layers.attention, count, self.layers.weight
        )

    def rest_grows(self, count: Any) -> Theorem:
        r"""The same of $A^\perp$."""
        return self._factor(
            self.chain.rest, self.chain.rest_value, self.layers.rest, count, self.layers.rest_weight
        )

    def _factor(self, of: Recursion, value: Any, factor: Any, count: Any, weight: Any) -> Theorem:
        found = fact(
            PRODUCT, values=value(ONE, count + 1), left=factor(ONE, count + 1),
            right=value(ONE, count), i=i, k=k, l=j,
        )  # fmt: skip
        terms = Sum(weight(count + 1, n, i, j) * of(count, n, j, k), (j, 1, n))
        same = linked(
            Compare(of(count + 1, n, i, k), "=", terms), recursion_step(of, count, n, i, k)
        )
        return cut(found, for_all(same, (i, n), (k, self.columns)))

    @cached_property
    def bound_tends(self) -> Theorem:
        r"""For all t: $\prod_{l\le t}n^{1/2}s_1(A^\perp_l)\to(2\sigma/m)^t$."""
        limit = 2 * self.outcome.tables.deviation / self.outcome.tables.mean
        body = lambda at: Tends(self.bound(at, n), n, limit**at)  # noqa: E731
        start = at_every_size(recursion_start(self.bound, n))
        step = at_every_size(recursion_step(self.bound, t, n))
        before = {x: self.outcome.rest_tends(ONE, t + 1), y: assume(body(t))}
        return induction(
            limit_rewritten(constant(ONE), start),
            limit_rewritten(limit_combined(x * y, before), step),
            t,
        )

    def rest_below(self, base: Theorem, first: int, scale: Any) -> Theorem:
        r"""For all t from the first on: $n^ts_1^2(A^\perp_t\cdots A^\perp_1C)\le B_t^2c$."""
        rest, factor = self.chain.rest_value(ONE, t), self.layers.rest(ONE, t + 1)
        after, bound = self.chain.rest_value(ONE, t + 1), self.bound(t, n)
        body = Compare(n**t * rest**2, "<=", bound**2 * scale)
        a, b, c, d, e, size = symbols("a b c d e N", real=True)
        given = (
            Compare(a, "<=", b * c), Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(c, ">=", 0),
            Compare(d * c**2, "<=", e), Compare(d, ">=", 0), Compare(size, ">=", 0),
        )  # fmt: skip
        square = joint(Compare(a**2, "<=", b**2 * c**2), given=given[:4])
        inside = joint(Compare(b**2 * (d * c**2), "<=", b**2 * e), given=given[4:5])
        scaled = joint(Compare(d * a**2, "<=", b**2 * e), square, inside, given=given[5:6])
        whole = joint(Compare(size * (d * a**2), "<=", size * (b**2 * e)), scaled, given=given[6:])
        terms = {a: after, b: factor, c: rest, d: n**t, e: bound**2 * scale, size: n}
        grown = cut(
            substitute(whole, terms), self.rest_grows(t), sign_of(after), sign_of(factor),
            sign_of(rest), assume(body), joint(Compare(n**t, ">=", 0)), joint(Compare(n, ">=", 0)),
        )  # fmt: skip
        goal = body.substitute({t: t + 1})
        step = joint(goal, grown, recursion_step(self.bound, t, n))
        return induction(base, step, t, first)

    @cached_property
    def bare_rest_below(self) -> Theorem:
        r"""$n^ts_1^2(A^\perp_t\cdots A^\perp_1)\le B_t^2$ for $t\ge1$, C being the identity."""
        one = alike(
            self.chain.rest_value(ONE, ONE), self.layers.rest(ONE, ONE),
            self._first_is(self.chain.rest, self.layers.rest_weight),
        )  # fmt: skip
        own, rest = self.chain.rest_value(ONE, ONE), self.layers.rest(ONE, ONE)
        root = joint(
            Compare(self.bound(1, n), "=", sqrt(n) * rest),
            recursion_step(self.bound, ZERO, n),
            recursion_start(self.bound, n),
        )
        square = joint(Compare(own**2, "<=", rest**2), one, sign_of(own))
        base = joint(Compare(n * own**2, "<=", self.bound(1, n) ** 2), square, root, SIZE)
        return self.rest_below(base, 1, ONE)

    def _first_is(self, of: Recursion, weight: Any) -> Theorem:
        """The product of one factor is the factor."""
        step, start = recursion_step(of, ZERO, n, i, k), lambda a: recursion_start(of, n, a, k)
        each = weighed(lambda a: weight(1, n, i, a), start, n)
        own = picked(k, lambda a: self.layers.entry(1, i, a), n)
        whole = picked(k, lambda a: ONE, n)
        found = linked(
            Compare(of(1, n, i, k), "=", weight(1, n, i, k)), step, each, own, whole, SIZE
        )
        return cut(found, self.outcome.row_is_positive(ONE))

    @cached_property
    def whole_rows(self) -> Theorem:
        """For all t: rows of the product of t factors sum to one, C being the identity."""
        whole = self.chain.whole
        body = lambda at: ForAll(i, 1, n, Compare(Sum(whole(at, n, i, k), (k, 1, n)), "=", 1))  # noqa: E731
        each = sums_compared(lambda a: recursion_start(whole, n, i, a), n)
        start = linked(
            Compare(Sum(whole(0, n, i, k), (k, 1, n)), "=", 1), each,
            fact(DELTA_SUM, place=i, k=k, low=1, high=n),
        )  # fmt: skip
        at, weight = t + 1, self.layers.weight
        known = assume(body(t))
        steps = sums_compared(lambda a: recursion_step(whole, t, n, i, a), n)
        swap = fact(FUBINI, a=weight(at, n, i, j) * whole(t, n, j, k), j=k, k=j, rows=n, columns=n)
        rows = weighed(lambda a: weight(at, n, i, a), lambda a: instance(known, a), n)
        goal = Compare(Sum(whole(at, n, i, k), (k, 1, n)), "=", 1)
        step = linked(goal, steps, swap, rows, self.outcome.whole_row(at))
        step = cut(step, self.outcome.row_is_positive(at))
        return induction(for_all(start, (i, n)), for_all(step, (i, n)), t)

    @cached_property
    def first_tends(self) -> Theorem:
        r"""For all $t\ge1$: $s_1(A_t\cdots A_1)\to1$."""
        value = lambda at: self.chain.value(ONE, at)  # noqa: E731
        body = lambda at: Tends(value(at), n, ONE)  # noqa: E731

        def lower(at: Any) -> Theorem:
            row = at_places(self.whole_rows, at, i)
            return at_every_size(
                at_least_one(value(at), lambda a, b: self.chain.whole(at, n, a, b), row)
            )

        one = alike(
            value(ONE),
            self.layers.attention(ONE, ONE),
            self._first_is(self.chain.whole, self.layers.weight),
        )
        start = squeezed(
            lower(ONE), at_every_size(cut(one, self.outcome.divisors(ONE))), constant(ONE),
            self.outcome.first_tends(ONE),
        )  # fmt: skip
        before = {x: self.outcome.first_tends(t + 1), y: assume(body(t))}
        above = at_every_size(self.first_grows(t))
        step = squeezed(lower(t + 1), above, constant(ONE), limit_combined(x * y, before))
        return induction(start, step, t, 1)

    def second_squared(self, count: Any, rest: Theorem) -> Theorem:
        r"""$n^ts_2^2(A_t\cdots A_1C)\le b$ from $n^ts_1^2(A^\perp_t\cdots A^\perp_1C)\le b$."""
        second, first = self.chain.value(ONE + 1, count), self.chain.rest_value(ONE, count)
        square = joint(
            Compare(second**2, "<=", first**2), self.second_below(count), sign_of(second)
        )
        power = joint(Compare(n**count, ">=", 0))
        above = rest.formula.right  # type: ignore[attr-defined]
        return joint(Compare(n**count * second**2, "<=", above), square, power, rest)

    def upper_limit(
        self, limit: SureLimit, value: Any, below: Theorem, count: Any, domain: Domain
    ) -> Theorem:
        r"""$\limsup x_n\le v$ from $x_n\le B_t^2$ at every n, where $B_t^2\to v$."""
        tends = limit_combined(x**2, {x: instance(self.bound_tends, count)})
        end = tends.formula.limit  # type: ignore[attr-defined]
        found = self.outcome.sure_limit(limit, end, both(at_every_size(below), tends), domain)
        return joint(Compare(limit, "<=", value), found, identity(end, value))


def alike(values: Any, other: Any, same: Theorem) -> Theorem:
    """Of matrices with the same entries, as `same` says at i and k: one's values are at most the other's."""
    found = fact(
        INTERLACING, values=values, other=other, scale=1, direction=0, low=1, high=1, i=i, k=k
    )
    _, rows, columns, *_ = values.args
    inside = for_all(joint(Compare(1, "<=", 1) & Compare(1, "<=", 1)), (i, rows))
    none = linked(Compare(Sum(0, (k, 1, columns)), "<=", 1), SIZE)
    return part(
        cut(
            found, for_all(same, (i, rows), (k, columns)), none, inside, joint(Compare(1, ">=", 0))
        ),
        0,
    )
