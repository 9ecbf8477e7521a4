"""Equilibria of every rank, one for each vector of signs: the construction read off the claims.

What is known of the rows stands in `proofs.wu2024.grown`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer, Piecewise, S, Sum, Symbol, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import entry
from claims.wu2024 import coexistence as claims
from claims.wu2024.coexistence import b, i
from claims.wu2024.notation import N, X, d, k, w
from proofs.calculation import (
    at_places,
    conjuncts,
    for_all,
    integers_apart,
    linked,
    summed_over,
    sums_compared,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    discharge,
    generalise,
    instance,
    joint,
    part,
    prepended,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.grown import Grown, n

SQUARE = r"all integers $N=d\ge1$, all real $w>1$"
COLUMN = (Compare(b, ">=", 1), Compare(b, "<=", d))


class Counted:
    """The tokens of one rank as a claim defines them: at rest, of that rank, told apart."""

    def __init__(
        self, rank: Any, domain: Domain, over: tuple[Any, ...] = (),
        output: Any = claims.output_entry, scale: Any = S.One,
    ):  # fmt: skip
        """`output` is the layer with `scale` times (31), over what the rank ranges over."""
        self.rank, self.head, self.domain, self.over = rank, N - rank + 1, domain, over
        self.output, self.scale = output, scale
        self.own, self.other = Grown(rank, claims.signs), Grown(rank, claims.other_signs)

    def read(self, term: Any, value: Any, *over: Any) -> Theorem:
        return unfold(term, value, self.domain, (*self.over, *over))

    def row(self, late: bool) -> Theorem:
        """X_i is row 0 in the head and row i - c after it."""
        at, ends = (i - self.head, (self.head, N)) if late else (Integer(0), (1, self.head))
        over = ((i, *ends), (b, 1, d))
        return self.read(claims.row_entry(self.rank, i, b), self.own.x(at, b), *over)

    # One layer ----------------------------------------------------------------------------------

    def head_sum(self, column: Any) -> Any:
        """The sum of X_j W_V over i tokens of the head."""
        x = lambda a: self.own.x(0, a)  # noqa: E731
        return i * Piecewise((x(column), column <= 1), (x(column) + w * x(column - 1), True))

    def head_sum_is(self, column: Any) -> Theorem:
        goal = Compare(self.head_sum(column), "=", i * self.own.x(0, column))
        before = self.own.start(column - 1)
        return joint(goal, before, given=(Compare(column, "<=", d),))

    def later_sum_is(self, column: Any) -> Theorem:
        return instance(self.own.known(self.own.rests, i - self.head), column)

    def normed(self, late: bool) -> Theorem:
        """LN of the mean is the row, whose norm is one."""
        own, at = self.own, i - self.head if late else Integer(0)
        total = own.lead(at) if late else i
        same: Callable[[Any], Theorem] = self.later_sum_is if late else self.head_sum_is
        sums = (lambda a: own.sums(at, a, self.rank)) if late else self.head_sum
        positive = [Compare(i, ">=", 1), Compare(w, ">=", 1), *self.own.wide]
        share = self.scale * total / i
        square = lambda a: (self.scale * sums(a) / i) ** 2  # noqa: E731
        norms = sums_compared(
            lambda a: joint(
                Compare(square(a), "=", share**2 * own.x(at, a) ** 2), same(a), given=positive
            ), d,
        )  # fmt: skip
        unit = own.known(own.units, at)
        large = [instance(own.factors, at)] if late else []
        size = linked(
            Compare(sqrt(norms.formula.left), "=", share), norms, unit, *large, given=positive
        )
        column = Symbol("column", integer=True)
        out = (self.scale * sums(b) / i) / sqrt(Sum(square(column), (column, 1, d)))
        output = self.output(self.rank, i, b)
        ends = (self.head, N) if late else (1, self.head)
        read = self.read(output, out, (i, *ends), (b, 1, d))
        goal = Compare(output, "=", claims.row_entry(self.rank, i, b))
        here = joint(goal, read, size, same(b), self.row(late), *large, given=(*positive, *COLUMN))
        side = Compare(i, ">=" if late else "<=", self.head)
        inside = (side, Compare(i, "<=", N), *positive, *self.own.wide)
        return discharge(cut(here, *map(assume, inside)), side)

    def rests(self) -> Theorem:
        """Every coordinate is as before the layer."""
        early, late = self.normed(False), self.normed(True)
        inside = (Compare(i, ">=", 1), Compare(i, "<=", N))
        goal = early.formula.conclusion
        here = cut(joint(goal, early, late), *map(assume, (*inside, *COLUMN)))
        return for_all(here, (i, N), (b, d))

    # Rank ---------------------------------------------------------------------------------------

    def head_is_one_row(self) -> Theorem:
        first = self.read(claims.row_entry(self.rank, 1, b), self.own.x(0, b), (b, 1, d))
        goal = Compare(claims.row_entry(self.rank, i, b), "=", claims.row_entry(self.rank, 1, b))
        here = joint(goal, first, self.row(False))
        return for_all(here, (i, self.head), (b, d))

    def independent(self) -> Theorem:
        none = claims.nothing_combined(self.rank)

        def read(j: Any) -> Theorem:
            entry_ = claims.row_entry(self.rank, N - self.rank + j, b)
            value = self.read(entry_, self.own.x(j - 1, b), (j, 1, self.rank), (b, 1, d))
            sides = (
                claims.entry(claims.coefficients)(1, j) * x for x in (entry_, value.formula.right)
            )
            return joint(Compare(next(sides), "=", next(sides)), value)

        total = instance(assume(none), b)
        zero = joint(
            Compare(self.own.combination(b), "=", 0), total, sums_compared(read, self.rank)
        )
        zero = cut(zero, *map(assume, COLUMN))
        return discharge(cut(self.own.independent, generalise(zero, b, 1, d)), none)

    # Different signs ----------------------------------------------------------------------------

    def last(self, at: Any, *over: Any) -> Theorem:
        """The last coordinates of row `at` agree."""
        wanted: Any = claims.told_apart(self.rank)
        place = N - self.rank + at
        agree = at_places(assume(wanted.premise), place, d)
        values = [
            self.read(family(self.rank, place, d), grown.x(at - 1, d), *over)
            for family, grown in ((claims.row_entry, self.own), (claims.other_entry, self.other))
        ]
        return joint(Compare(self.own.x(at - 1, d), "=", self.other.x(at - 1, d)), agree, *values)

    def told_apart(self) -> Theorem:
        wanted: Any = claims.told_apart(self.rank)
        equal = lambda a: Compare(self.own.free(a), "=", self.other.free(a))  # noqa: E731
        first = joint(equal(1), self.last(Integer(1)), self.own.start(d), self.other.start(d))
        a = Symbol("a", integer=True)
        over = (a, 1, self.rank)
        roots = [instance(grown.squares, a - 2).formula for grown in (self.own, self.other)]
        shown = [
            joint(
                found.conclusion,
                instance(grown.squares, a - 2),
                given=(Compare(a, "<=", self.rank),),
            )
            for found, grown in zip(roots, (self.own, self.other), strict=True)
        ]
        rest = joint(equal(a), self.last(a, over), *shown)
        inside = (Compare(a, ">=", 2), Compare(a, "<=", self.rank), *self.own.wide)
        rest = cut(rest, *map(assume, inside))
        every = prepended(first, generalise(rest, a, 2, self.rank))
        return discharge(every, wanted.premise)

    def theorem(self) -> tuple[Theorem, ...]:
        return (self.rests(), self.head_is_one_row(), self.independent(), self.told_apart())


# Full rank ------------------------------------------------------------------------------------------


def solved(counted: Counted) -> Theorem:
    """Each row has the sign of its last coordinate free: the others are the row before, moved."""
    own, row = counted.own, claims.row_entry
    inside = (Compare(i, ">=", 1), Compare(i, "<=", N - 1))
    sign = instance(assume(own.unit_signs), Integer(1))
    read = counted.read(row(N, 1, d), own.x(0, d))
    first = joint(Compare(row(N, 1, d) ** 2, "=", 1), read, own.start(d), sign)
    following = conjuncts(claims.solved)[1].body
    squares = instance(own.squares, i - 1)
    value = joint(squares.formula.conclusion, squares, given=inside)
    one = joint(Compare(own.lead(i - 1), "=", 1), instance(own.factors, i - 1))
    square = joint(
        following.formulas[0], counted.read(row(N, i + 1, d), own.x(i, d), (i, 1, N - 1)), value,
        instance(assume(own.unit_signs), i + 1), one, own.short(i - 1),
    )  # fmt: skip
    over = ((i, 1, N - 1), (b, 1, d - 1))
    inner = joint(
        following.formulas[1].body, counted.read(row(N, i + 1, b), own.x(i, b), *over),
        counted.read(row(N, i, b + 1), own.x(i - 1, b + 1), *over), own.inner(i - 1, b), one,
        own.short(i - 1),
    )  # fmt: skip
    rest = cut(both(square, generalise(inner, b, 1, d - 1)), *map(assume, inside))
    return both(first, generalise(rest, i, 1, N - 1))


class Chained:
    """Any unit rows with (30) are those built from the signs of their last coordinates, row by row."""

    def __init__(self, counted: Counted):
        self.counted, self.own, self.x = counted, counted.own, entry(X)
        self.unit, self.first, self.following = map(assume, claims.RowsOfAChain(X).facts()[-3:])

    def agree(self, at: Any, column: Any) -> Compare:
        return Compare(self.x(at + 1, column), "=", self.own.x(at, column))

    def row(self, at: Any, inner: Theorem, *last: Theorem) -> Theorem:
        """Where all coordinates but the last agree, the norm gives its square, and the sign the rest."""
        x, own, place = self.x, self.own, Symbol("place", integer=True)
        norms = instance(self.unit, at + 1), own.known(own.units, at)
        squares = joint(
            Compare(x(at + 1, place) ** 2, "=", own.x(at, place) ** 2),
            substitute(inner, {b: place}),
        )
        before = Compare(place, ">=", 1), Compare(place, "<=", d - 1)
        rest = summed_over(cut(squares, *map(assume, before)), (place, d - 1))
        apart = [sum_split(norm.formula.left) for norm in norms]
        same = linked(Compare(x(at + 1, d) ** 2, "=", own.x(at, d) ** 2), *norms, *apart, rest)
        signs = [instance(assume(f), at + 1) for f in (claims.has_these_signs, own.unit_signs)]
        end = joint(self.agree(at, d), same, *signs, *last)
        other = Symbol("other", integer=True)
        sides = [
            discharge(congruent(term, other, b, d), Compare(b, "=", d))
            for term in (x(at + 1, other), own.x(at, other))
        ]
        inside = Compare(b, "<=", d - 1)
        parts = discharge(inner, inside), end, *sides, integers_apart(d - 1, b)
        whole = joint(self.agree(at, b), *parts, given=(COLUMN[1],))
        return generalise(cut(whole, *map(assume, COLUMN)), b, 1, d)

    def theorem(self) -> Theorem:
        own, x = self.own, self.x
        inside = (*COLUMN[:1], Compare(b, "<=", d - 1), Compare(w, ">", 1))
        zero = joint(
            self.agree(Integer(0), b), instance(self.first, b + 1), own.start(b), given=inside
        )
        start = self.row(Integer(0), zero, own.start(d))
        known = ForAll(b, 1, d, self.agree(n, b))
        moved = joint(
            self.agree(n + 1, b), instance(part(instance(self.following, n + 1), 1), b + 1),
            instance(assume(known), b + 1), own.inner(n, b), instance(own.factors, n),
            given=inside,
        )  # fmt: skip
        squares = instance(own.squares, n)
        free = joint(squares.formula.conclusion, squares, given=(own.next,))
        step = self.row(n + 1, moved, free)
        every = own.at_row(lambda at: ForAll(b, 1, d, self.agree(at, b)), start, step)
        one = instance(own.known(every, i - 1), b)
        read = self.counted.read(claims.row_entry(N, i, b), own.x(i - 1, b), (i, 1, N), (b, 1, d))
        here = joint(Compare(x(i, b), "=", claims.row_entry(N, i, b)), one, read)
        here = cut(here, *map(assume, (Compare(i, ">=", 1), Compare(i, "<=", N), *COLUMN)))
        return discharge(for_all(here, (i, N), (b, d)), claims.has_these_signs)


@proves(claims.full_rank_equilibria_are_counted_by_signs)
def by_signs(claim: Claim) -> Certificate:
    """Full rank is k = N = d, with a head of one token; one sign a row is free."""
    counted = Counted(N, claims.full_rank_equilibria_are_counted_by_signs.domain)
    whole = both(solved(counted), *counted.theorem(), Chained(counted).theorem())
    return conclude(claim, whole, method="one free sign a row")


# Step 2 --------------------------------------------------------------------------------------------


def head_sum(column: Any) -> Any:
    """The sum of the head's X_j W_V, with the head at e_d."""
    last = lambda a: Piecewise((Integer(1), a >= d), (Integer(0), True))  # noqa: E731
    moved = Piecewise((last(column), column <= 1), (last(column) + w * last(column - 1), True))
    return (N - k + 1) * moved


def head_is_summed() -> Theorem:
    """beta of the head's last token, and the last two coordinates of the token after it."""
    domain = claims.equilibria_of_every_rank_are_built_from_signs.domain
    head = N - k + 1
    least = (Compare(k, "<=", N), Compare(d, ">=", 2), Compare(k, ">=", 1), Compare(w, ">=", N))
    place = Symbol("c", integer=True)

    def squares(term: Any, low: int) -> tuple[Any, Theorem]:
        """A sum of squares of which only the last one is not zero."""
        total = Sum(term(place) ** 2, (place, low, d))
        apart = sum_split(total)
        inside = (Compare(place, ">=", low), Compare(place, "<=", d - 1))
        zero = joint(Compare(term(place) ** 2, "=", 0), given=(*inside, *least))
        none = summed_over(zero, (place, low, d - 1))
        return total, linked(Compare(total, "=", term(d) ** 2), apart, none, given=least)

    norm, norm_is = squares(head_sum, 1)
    moved = lambda a: -head_sum(a) / w  # noqa: E731
    rest, rest_is = squares(moved, 2)
    read = [
        unfold(claims.head_beta, 1 / sqrt(norm), domain),
        unfold(claims.across, -head_sum(d) / w, domain),
        unfold(claims.last_square, 1 - rest, domain),
    ]
    return both(
        joint(claims.head_beta.equals(1 / head), read[0], norm_is, given=least),
        joint(claims.across.equals(-head / w), read[1], given=least),
        joint(claims.last_square.equals(1 - head**2 / w**2), read[2], rest_is, given=least),
    )


@proves(claims.equilibria_of_every_rank_are_built_from_signs)
def by_signs_after_the_head(claim: Claim) -> Certificate:
    """The head counts as one row with the sum c e_d; after it the rows are those of Step 1."""
    counted = Counted(k, claims.equilibria_of_every_rank_are_built_from_signs.domain)
    return conclude(
        claim, both(head_is_summed(), *counted.theorem()),
        method="the recursion (32) from $ce_d$, one free sign a row",
    )  # fmt: skip
