r"""The rows that (30) gives from +-e_d on, one sign each: unit norm and the last coordinates.

Row i + 1 is the moved row -X_i/w with a free last coordinate, whose modulus the unit norm fixes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, sqrt

from claims.statement import Compare, Implies
from claims.terms import Recursion, entry
from claims.wu2024.coexistence import signs
from claims.wu2024.notation import N, w
from claims.wu2024.unit_tokens import Signs
from proofs.calculation import linked, summed_over
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    sum_split,
)

free = entry(signs)
(UNIT_SIGNS,) = Signs(signs, N).facts()
W = Compare(w, ">", 1)
rows = Recursion(
    "X",
    lambda b: Piecewise((free(1), b >= N), (0, True)),
    lambda i, b, before: Piecewise(
        (-before(b + 1) / w, b <= N - 1),
        (free(i + 2) * sqrt(1 - moved_norm(before)), True),
    ),
)
"""Row i + 1: (30) solved for a row of unit norm, its last coordinate of the given sign."""
place, number = Symbol("c", integer=True), Symbol("i", integer=True)


def moved_norm(before: Any) -> Any:
    """The squared norm of the moved coordinates -X_{i,c}/w, c >= 2."""
    return Sum((-before(place) / w) ** 2, (place, 2, N))


def row(i: Any) -> Any:
    return lambda b: rows(i, b)


def norm_of(i: Any) -> Sum:
    return Sum(rows(i, place) ** 2, (place, 1, N))


def moved_is_short(unit: Theorem) -> Theorem:
    """The moved coordinates of a unit row have a squared norm of at most 1/w^2, and so below one."""
    squares = generalise(joint(Compare(rows(number, place) ** 2, ">=", 0)), place, 1, N)
    apart = sum_split(norm_of(number), first=True)
    rest = apart.formula.right.atoms(Sum).pop()
    own = instance(squares, Integer(1))
    bound = joint(Compare(rest, "<=", 1), apart, own, unit)
    return linked(
        Compare(w**2 * moved_norm(row(number)), "<=", 1)
        & Compare(moved_norm(row(number)), "<=", 1),
        bound, given=(W,),
    )  # fmt: skip


def last_square(unit: Theorem) -> Theorem:
    """X_{i+1,N}^2 is what the moved coordinates leave of one."""
    sign = instance(assume(UNIT_SIGNS), number + 2)
    return joint(
        Compare(rows(number + 1, N) ** 2, "=", 1 - moved_norm(row(number))),
        recursion_step(rows, number, N), sign, moved_is_short(unit),
    )  # fmt: skip


@cache
def rows_have_unit_norm() -> Theorem:
    """|X_i| = 1 for every row that has a sign, by induction: the last coordinate fills up."""
    body = Implies(Compare(number, "<=", N - 1), Compare(norm_of(number), "=", 1))
    unit = joint(body.conclusion, assume(body), given=(Compare(number + 1, "<=", N - 1),))
    apart = sum_split(norm_of(number + 1))
    bounds = (Compare(place, "<=", N - 1), W)
    moved = joint(
        Compare(rows(number + 1, place) ** 2, "=", (-rows(number, place + 1) / w) ** 2),
        recursion_step(rows, number, place), given=bounds,
    )  # fmt: skip
    summed = summed_over(moved, (place, N - 1))
    shifted = sum_split(summed.formula.right, shift=-1)
    step = joint(Compare(norm_of(number + 1), "=", 1), apart, summed, shifted, last_square(unit))
    step = cut(step, joint(Compare(w, "!=", 0), given=(W,)))
    inside = Compare(number + 1, "<=", N - 1)
    step = discharge(cut(step, assume(inside), assume(Compare(number, ">=", 0))), inside)
    return induction(first_row_is_a_unit(body), step, number)


def first_row_is_a_unit(body: Any) -> Theorem:
    """X_1 is its last coordinate, a sign."""
    apart = sum_split(norm_of(Integer(0)))
    zero = joint(
        Compare(rows(0, place) ** 2, "=", 0), recursion_start(rows, place),
        given=(Compare(place, "<=", N - 1),),
    )  # fmt: skip
    none = summed_over(zero, (place, N - 1))
    sign = instance(assume(UNIT_SIGNS), Integer(1))
    return linked(
        body.substitute({number: Integer(0)}), apart, none, sign, recursion_start(rows, N)
    )
