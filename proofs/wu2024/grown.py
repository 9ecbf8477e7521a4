r"""The construction of App. F.1 for one rank k: rows by signs, at rest, independent, told apart.

Row 0 is +-e_d, the last of a head of c = N - k + 1 equal tokens; row n + 1 is the moved sum so far,
-f_n X_n/w with f_0 = c and f_n = 1 after it, and a last coordinate of the given sign.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, oo, sqrt

from claims.statement import And, Compare, ForAll, Formula, Implies
from claims.terms import Recursion, entry
from claims.wu2024.coexistence import b, coefficients, i
from claims.wu2024.notation import N, d, w
from proofs.calculation import linked, summed_over, sums_compared
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    next_integer,
    prepended,
    recursion_start,
    recursion_step,
    sum_rearranged,
    sum_split,
)
from proofs.wu2024.independence import FromTheLast
from proofs.wu2024.norms import picked, summed

n, m = (Symbol(name, integer=True, nonnegative=True) for name in "nm")
place = Symbol("c", integer=True)
c = entry(coefficients)
factor = Recursion("f", lambda rank: N - rank + 1, lambda t, rank, before: Integer(1))
"""The sum of X_j W_V up to row n is f_n X_n."""


def moved_norm(lead: Any, before: Any) -> Any:
    """The squared norm of the moved coordinates."""
    return Sum((-lead * before(place) / w) ** 2, (place, 2, d))


class Grown:
    """The rows for one rank and one vector of signs, with what is known of them."""

    def __init__(self, rank: Any, signs: Any):
        free = self.free = entry(signs)
        self.rank, self.head = rank, N - rank + 1
        self.wide = (Compare(rank, "<=", N), Compare(rank, "<=", d), Compare(rank, ">=", 1))
        self.steep = Implies(Compare(rank, ">=", 2), Compare(w, ">", self.head))
        self.unit_signs = ForAll(i, 1, rank, Compare(free(i) ** 2, "=", 1))
        self.next = Compare(n + 1, "<=", rank - 1)
        self.rows = Recursion(
            "X",
            lambda b, rank: Piecewise((free(1), b >= d), (0, True)),
            lambda t, b, rank, before: Piecewise(
                (-factor(t, rank) * before(b + 1, rank) / w, b <= d - 1),
                (free(t + 2) * sqrt(1 - moved_norm(factor(t, rank), lambda a: before(a, rank))), True),
            ),
        )  # fmt: skip

    # Rows ---------------------------------------------------------------------------------------

    def x(self, at: Any, column: Any) -> Any:
        return self.rows(at, column, self.rank)

    def lead(self, at: Any) -> Any:
        return factor(at, self.rank)

    def norm(self, at: Any) -> Any:
        return Sum(self.x(at, place) ** 2, (place, 1, d))

    def moved(self, at: Any) -> Any:
        return moved_norm(self.lead(at), lambda a: self.x(at, a))

    def step(self, at: Any, column: Any) -> Theorem:
        return recursion_step(self.rows, at, column, self.rank)

    def start(self, column: Any) -> Theorem:
        return recursion_start(self.rows, column, self.rank)

    def at_row(self, claim: Any, start: Theorem, step: Theorem) -> Theorem:
        """For all rows n < k: the claim, from row zero and from row n to row n + 1."""
        inside = lambda at: Implies(Compare(at, "<=", self.rank - 1), claim(at))  # noqa: E731
        known = joint(claim(n), assume(inside(n)), given=(self.next,))
        following = discharge(cut(step, known, assume(self.next)), self.next)
        return induction(joint(inside(Integer(0)), start), following, n)

    def known(self, every: Theorem, at: Any) -> Theorem:
        """What is known of all rows, of one."""
        one = instance(every, at)
        return joint(one.formula.conclusion, one, given=(Compare(at, "<=", self.rank - 1),))

    @cached_property
    def factors(self) -> Theorem:
        """1 <= f_n <= c for all n."""
        body = lambda at: And(  # noqa: E731
            (Compare(self.lead(at), ">=", 1), Compare(self.lead(at), "<=", self.head))
        )
        start = joint(body(Integer(0)), recursion_start(factor, self.rank), given=self.wide)
        step = joint(body(n + 1), recursion_step(factor, n, self.rank), given=self.wide)
        return induction(start, joint(step.formula, step, assume(body(n))), n)

    def short(self, at: Any) -> Theorem:
        """1 <= f < w where a row follows."""
        goal = Compare(self.lead(at), ">=", 1) & Compare(self.lead(at), "<", w)
        follows = Compare(at + 1, "<=", self.rank - 1)
        return joint(
            goal, instance(self.factors, at), given=(self.steep, follows, Compare(at, ">=", 0))
        )

    def inner(self, at: Any, column: Any) -> Theorem:
        """w X_{n+1,b} = -f_n X_{n,b+1} for b < d."""
        goal = Compare(w * self.x(at + 1, column), "=", -self.lead(at) * self.x(at, column + 1))
        given = (Compare(column, "<=", d - 1),)
        return joint(goal, self.step(at, column), self.short(at), given=given)

    @cached_property
    def zeros(self) -> Theorem:
        """Row n is zero up to column d - n - 1."""
        claim = lambda at: ForAll(b, 1, d - 1 - at, Compare(self.x(at, b), "=", 0))  # noqa: E731
        within = Compare(b, "<=", d - 1)
        first = joint(Compare(self.x(0, b), "=", 0), self.start(b), given=(within,))
        before = instance(assume(claim(n)), b + 1)
        step = joint(Compare(self.x(n + 1, b), "=", 0), self.inner(n, b), before, self.short(n))
        inside = (Compare(b, ">=", 1), Compare(b, "<=", d - 2 - n))
        step = cut(step, *map(assume, inside))
        start = generalise(first, b, 1, d - 1)
        return self.at_row(claim, start, generalise(step, b, 1, d - 2 - n))

    @cached_property
    def corners(self) -> Theorem:
        """Row n is not zero in column d - n."""
        claim = lambda at: Compare(self.x(at, d - at), "!=", 0)  # noqa: E731
        sign = instance(assume(self.unit_signs), Integer(1))
        start = cut(joint(claim(Integer(0)), self.start(d), sign), assume(self.wide[2]))
        step = joint(claim(n + 1), self.inner(n, d - n - 1), self.short(n), assume(claim(n)))
        return self.at_row(claim, start, step)

    def moved_is(self, unit: Theorem) -> Theorem:
        """The moved coordinates of row n have the squared norm f_n^2/w^2."""
        apart = sum_split(self.norm(n), first=True)
        zero = instance(self.known(self.zeros, n), Integer(1))
        goal = Compare(self.moved(n), "=", self.lead(n) ** 2 / w**2)
        found = linked(goal, apart, zero, unit, self.short(n))
        return cut(found, assume(self.next), *map(assume, self.wide))

    @cached_property
    def units(self) -> Theorem:
        """Every row has norm one."""
        claim = lambda at: Compare(self.norm(at), "=", 1)  # noqa: E731
        sign = instance(assume(self.unit_signs), Integer(1))
        start = self.filled(
            Integer(0), joint(Compare(self.x(0, d) ** 2, "=", 1), self.start(d), sign),
            lambda k: joint(
                Compare(self.x(0, k) ** 2, "=", 0), self.start(k), given=(Compare(k, "<=", d - 1),)
            ), Integer(0),
        )  # fmt: skip
        step = self.filled(
            n + 1, self.last_square(assume(claim(n))),
            lambda k: joint(
                Compare(self.x(n + 1, k) ** 2, "=", (-self.lead(n) * self.x(n, k + 1) / w) ** 2),
                self.inner(n, k), self.short(n), given=(Compare(k, "<=", d - 1),),
            ), self.moved(n),
        )  # fmt: skip
        return self.at_row(claim, start, cut(step, assume(self.next)))

    def filled(self, at: Any, last: Theorem, inner: Any, moved: Any) -> Theorem:
        """The last coordinate fills the norm of the others up to one."""
        apart = sum_split(self.norm(at))
        terms = summed_over(inner(place), (place, d - 1))
        right = terms.formula.right
        same = sum_split(right, shift=-1) if moved else sum_rearranged(right, Integer(0))
        goal = Compare(self.norm(at), "=", 1)
        return cut(joint(goal, apart, terms, same, last), assume(self.wide[2]))

    def last_square(self, unit: Theorem) -> Theorem:
        """X_{n+1,d}^2 is what the moved coordinates leave of one."""
        sign = instance(assume(self.unit_signs), n + 2)
        moved, short = self.moved_is(unit), self.short(n)
        below = joint(Compare(self.moved(n), "<", 1), moved, short)
        return cut(joint(
            Compare(self.x(n + 1, d) ** 2, "=", 1 - self.moved(n)), self.step(n, d), sign, below,
        ), assume(self.next))  # fmt: skip

    # One layer ----------------------------------------------------------------------------------

    @cached_property
    def sums(self) -> Recursion:
        """The sum of X_j W_V up to row n: (x W_V)_b = x_b + w x_{b-1}."""

        def first(b: Any, rank: Any) -> Any:
            x = lambda column: self.rows(0, column, rank)  # noqa: E731
            return (N - rank + 1) * Piecewise((x(b), b <= 1), (x(b) + w * x(b - 1), True))

        def added(t: Any, b: Any, rank: Any, before: Any) -> Any:
            x = lambda column: self.rows(t + 1, column, rank)  # noqa: E731
            return before(b, rank) + Piecewise((x(b), b <= 1), (x(b) + w * x(b - 1), True))

        return Recursion("T", first, added)

    @cached_property
    def rests(self) -> Theorem:
        """The sum up to row n is f_n X_n: X_{n+1} W_V adds what is missing."""
        total = lambda at, column: self.sums(at, column, self.rank)  # noqa: E731
        claim = lambda at: ForAll(  # noqa: E731
            b, 1, d, Compare(total(at, b), "=", self.lead(at) * self.x(at, b))
        )
        inside = (Compare(b, ">=", 1), Compare(b, "<=", d))
        first = joint(
            claim(Integer(0)).body, recursion_start(self.sums, b, self.rank), self.start(b - 1),
            recursion_start(factor, self.rank), given=inside,
        )  # fmt: skip
        zero = instance(self.known(self.zeros, n), b)
        at_one = joint(Compare(self.x(n, b), "=", 0), zero, given=(Compare(b, "<=", 1),))
        at_one = cut(
            at_one,
            assume(Compare(b, "<=", 1)),
            assume(self.next),
            assume(inside[0]),
            *map(assume, self.wide),
        )
        back = discharge(cut(self.inner(n, b - 1), *map(assume, inside)), Compare(b, ">", 1))
        step = joint(
            claim(n + 1).body, instance(assume(claim(n)), b),
            recursion_step(self.sums, n, b, self.rank), recursion_step(factor, n, self.rank),
            discharge(at_one, Compare(b, "<=", 1)), back, given=inside,
        )  # fmt: skip
        step = cut(step, assume(self.next), *map(assume, inside))
        return self.at_row(claim, generalise(first, b, 1, d), generalise(step, b, 1, d))

    @cached_property
    def squares(self) -> Theorem:
        """X_{n+1,d}^2 = 1 - f_n^2/w^2 > 0, with its sign."""
        unit = self.known(self.units, n)
        moved, short = self.moved_is(unit), self.short(n)
        root = sqrt(1 - self.lead(n) ** 2 / w**2)
        positive = Compare(self.lead(n) ** 2 / w**2, "<", 1)
        value = Compare(self.x(n + 1, d), "=", self.free(n + 2) * root)
        small = joint(positive, short)
        found = cut(joint(positive & value, self.step(n, d), moved, small), assume(self.next))
        return generalise(discharge(found, self.next), n, 0, oo)

    # Rank ---------------------------------------------------------------------------------------

    def combination(self, column: Any) -> Any:
        return summed(lambda j: c(1, j) * self.x(j - 1, column), self.rank)

    @cached_property
    def nothing(self) -> Formula:
        return ForAll(b, 1, d, Compare(self.combination(b), "=", 0))

    def one_term(self, j: Any, here: Any) -> Theorem:
        """In column d - here + 1 rows before `here` are zero, and coefficients after it vanish."""
        row_ = self.x(j - 1, d - here + 1)
        zero = instance(self.known(self.zeros, j - 1), d - here + 1)
        apart = cut(next_integer(j, here), assume(Compare(j, "<", here)))
        inside = (self.coefficients.more, Compare(j, ">=", 1), *self.wide)
        before = cut(zero, apart, *map(assume, inside))
        return self.coefficients.alone(j, c(1, j) * row_, before, self.coefficients.more)

    @property
    def coefficients(self) -> FromTheLast:
        return FromTheLast(lambda k: c(1, k), self.rank, i, m)

    def one_more_vanishes(self) -> Theorem:
        """Column d - k + m + 1 of the combination holds the coefficient of row k - m alone."""
        here = self.rank - m
        column = d - here + 1
        total = instance(assume(self.nothing), column)
        alone = sums_compared(lambda j: self.one_term(j, here), self.rank)
        chosen = picked(lambda j: c(1, j) * self.x(j - 1, column), here, self.rank)
        corner = self.known(self.corners, here - 1)
        zero = joint(Compare(c(1, here), "=", 0), total, alone, chosen, corner)
        zero = cut(zero, assume(self.coefficients.more), *map(assume, self.wide))
        return prepended(zero, assume(self.coefficients.vanish(m)))

    @cached_property
    def independent(self) -> Theorem:
        """The coefficients of a combination that is zero vanish, from the last one up."""
        return self.coefficients.all(self.one_more_vanishes())
