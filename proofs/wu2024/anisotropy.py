"""How narrow the equilibria of full rank are: last coordinates, and the stable rank, for symbolic sizes."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Max, Sum, Symbol, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver
from claims.wu2024 import anisotropy as claims
from claims.wu2024.anisotropy import delta
from claims.wu2024.notation import N, d, k, w
from proofs.calculation import linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    prepended,
    substitute,
    sum_compared,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.grown import Grown
from proofs.wu2024.printed_rows import ALTERNATE, entry_at, unit
from proofs.wu2024.solved_rows import UNIT_SIGNS, W, rows
from proofs.wu2024.spectrum import geometry

# A double cone -------------------------------------------------------------------------------------

ROWS = Grown(k, claims.signs)
row, token = Symbol("n", integer=True), Symbol("i", integer=True)
(WEIGHT,) = (f for f in facts_of(claims.every_sign) if isinstance(f, Compare) and f.left == w)


WIDE = Compare(delta * w**2, ">=", (N - k + 1) ** 2)


def off_axis(at: Any) -> Any:
    return 1 - ROWS.x(at, d) ** 2


@proves(claims.tokens_lie_in_a_narrow_region)
def by_the_last_coordinate(claim: Claim) -> Certificate:
    """The head is at +-e_d, and row n + 1 of the others has the squared sine f_n^2/w^2, f_n <= N - k + 1."""
    head = N - k + 1
    bound = lambda at: Compare(off_axis(at), "<=", head**2 / w**2)  # noqa: E731
    positive = joint(Compare(w, ">", 0), given=(WEIGHT, *ROWS.wide))
    sign = instance(assume(ROWS.unit_signs), Integer(1))
    first = joint(bound(Integer(0)), ROWS.start(d), sign, positive)
    after = instance(ROWS.squares, row - 1)
    signed = instance(assume(ROWS.unit_signs), row + 1)
    share = instance(ROWS.factors, row - 1)
    f, c, v = symbols("f c v", real=True)
    less = joint(
        Compare(f**2 / v**2, "<=", c**2 / v**2), joint(
            Compare(f**2, "<=", c**2), given=(Compare(f, ">=", 1), Compare(f, "<=", c))),
        given=(Compare(v, ">", 0),),
    )  # fmt: skip
    less = cut(substitute(less, {f: ROWS.lead(row - 1), c: head, v: w}), share, positive)
    inside = (Compare(row, ">=", 1), Compare(row, "<=", k - 1))
    later = joint(bound(row), after, signed, less, positive, given=inside)
    steep = joint(ROWS.steep, given=(WEIGHT,))
    later = cut(later, *map(assume, (*inside, *ROWS.wide)), steep)
    every = prepended(first, generalise(later, row, 1, k - 1))
    place = Max(token - head, 0)
    reaches = (Compare(token, "<=", N), *ROWS.wide)
    there = joint(Compare(place, ">=", 0) & Compare(place, "<=", k - 1), given=reaches)
    one = cut(instance(every, place), there, assume(reaches[0]), *map(assume, ROWS.wide))
    reached = extremum_compared(generalise(one, token, 1, N), MaxOver)
    read = unfold(claims.off_axis, reached.formula.left, claims.every_sign)
    enough = joint(Compare(head**2 / w**2, "<=", delta), positive, given=(WIDE,))
    theorem = joint(claims.tokens_lie_in_a_narrow_region.formula, read, reached, enough)
    return conclude(claim, theorem, method="last coordinates of unit rows")


# Stable rank ---------------------------------------------------------------------------------------

i, b = Symbol("i", integer=True), Symbol("b", integer=True)
SHORT, UNIT, ATTAINED = facts_of(claims.printed_equilibrium)[-3:]
LEAST = 1 + (N - 1) * (1 - 1 / w**2)
"""|X* e_d|^2: one from the first row, 1 - 1/w^2 from each of the others."""


def solved(row: Any, column: Any) -> Theorem:
    """An entry of X*, by the rows that (30) gives; for the indices i and b where they stand."""
    over = tuple((k, 1, N) for k in (row, column) if k in {i, b})
    value = rows(row - 1, column)
    return unfold(claims.solved_entry(row, column), value, claims.printed_equilibrium, over)


@cache
def size_is_n() -> Theorem:
    """|X*|_F^2 = N, since rows have unit norm."""
    squares = joint(Compare(claims.solved_entry(i, b) ** 2, "=", rows(i - 1, b) ** 2), solved(i, b))
    row_ = summed_over(squares, (b, N))
    one = joint(Compare(row_.formula.left, "=", 1), row_, unit(i - 1))
    whole = summed_over(cut(one, assume(Compare(i, "<=", N))), (i, N))
    return linked(Compare(claims.squared_size, "=", N), whole)


@cache
def norm_is_large() -> Theorem:
    """|X*|_2^2 >= |X* e_d|^2, from the last coordinates."""
    n = Symbol("n", integer=True)
    signs_ = [instance(assume(f), n) for f in (UNIT_SIGNS, ALTERNATE)]
    other = joint(
        Compare(rows(n - 1, N) ** 2, "=", 1 - 1 / w**2), entry_at(n - 1, N), *signs_,
        given=(W, Compare(n, ">=", 2)),
    )  # fmt: skip
    first = joint(
        Compare(rows(0, N) ** 2, "=", 1), entry_at(Integer(0), N),
        instance(assume(UNIT_SIGNS), Integer(1)), given=(W,),
    )  # fmt: skip
    other = generalise(
        cut(other, assume(Compare(n, ">=", 2)), assume(Compare(n, "<=", N))), n, 2, N
    )
    squares = joint(Compare(claims.solved_entry(i, N) ** 2, "=", rows(i - 1, N) ** 2), solved(i, N))
    column = summed_over(squares, (i, N))
    apart_ = sum_split(column.formula.right, first=True)
    rest = sum_compared(other)
    longest = instance(assume(SHORT), N)
    return linked(
        Compare(LEAST, "<=", claims.squared_norm), longest, column, apart_, rest, first, given=(W,)
    )


@cache
def norm_is_at_most_n() -> Theorem:
    """|X* v|^2 <= |X*|_F^2 for a unit vector v, by Cauchy and Schwarz in every row."""
    row_, along = claims.solved_entry(i, b), claims.longest(b)
    short = fact(CAUCHY_SCHWARZ, a=row_, b=along, k=b, low=1, high=N)
    inside = joint(Compare(short.formula.left, "<=", Sum(row_**2, (b, 1, N))), short, assume(UNIT))
    whole = summed_over(inside, (i, N))
    return joint(Compare(claims.squared_norm, "<=", N), whole, assume(ATTAINED), size_is_n())


def stable_rank() -> Theorem:
    """|X*|_F^2/|X*|_2^2 by definition, with what is known of both."""
    domain, size = claims.printed_equilibrium, claims.squared_size
    return unfold(claims.stable_rank, size / claims.squared_norm, domain)


@proves(claims.stable_rank_is_close_to_one)
def by_a_test_vector(claim: Claim) -> Certificate:
    """The largest singular value is at least |X* e_d|, which is known exactly."""
    positive = joint(Compare(LEAST, ">=", 1), given=(W,))
    theorem = joint(
        claims.stable_rank_is_close_to_one.formula, stable_rank(), size_is_n(), norm_is_large(),
        positive, given=(W,),
    )  # fmt: skip
    return conclude(claim, theorem, method="Rayleigh quotient at $e_d$")


@proves(claims.stable_rank_is_within_delta_of_one)
def by_the_stable_rank_bound(claim: Claim) -> Certificate:
    """The bound on the stable rank falls with w, and is below 1 + delta at the printed least w."""
    method = r"the bound of App. F.2 at $w^2\ge1+1/\delta$"
    positive = joint(Compare(LEAST, ">=", 1), given=(W,))
    wide = Compare(w**2, ">=", 1 / delta + 1)
    enough = joint(Compare(N, "<=", (1 + delta) * LEAST), given=(wide, W))
    theorem = joint(
        claims.stable_rank_is_within_delta_of_one.formula, stable_rank(), size_is_n(),
        norm_is_large(), norm_is_at_most_n(), positive, enough,
    )  # fmt: skip
    return conclude(claim, theorem, method=method)


# Singular values and cosines of (33) ---------------------------------------------------------------


@proves(claims.equilibrium_has_full_rank_and_large_absolute_cosines)
def by_growing_inner_products(claim: Claim) -> Certificate:
    """A combination of the first rows is long by induction on their number; the last two rows attain it."""
    return conclude(claim, geometry(), method="Gram matrix of (33), row by row")
