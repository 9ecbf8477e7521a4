"""Theorem 3, item 1, from its steps: scaling leaves the layer as it is, and signs are counted."""

from __future__ import annotations

from typing import Any

from sympy import Integer, KroneckerDelta, Max, Min, Sum, Symbol, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, entry
from claims.wu2024 import every_rank as claims
from claims.wu2024.coexistence import other_signs, signs
from claims.wu2024.every_rank import rank
from claims.wu2024.notation import N, d, t, w
from proofs.calculation import for_all, linked, summed_over, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import DELTA, DELTA_SUM
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    extremum_compared,
    fact,
    generalise,
    induction,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.coexistence import Counted

DOMAIN = claims.equilibria_of_every_rank_coexist.domain
WEIGHT = Compare(w, "=", N)
STEP_3 = claims.value_matrix_may_be_normalised.domain
i, j, b = (Symbol(name, integer=True) for name in "ijb")
column = Symbol("column", integer=True)


# Step 3 ---------------------------------------------------------------------------------------------


def output(factor: Any, place: Any) -> Any:
    """LN of the mean of the first i images."""
    square = lambda a: (claims.summed_image(i, a, factor) / i) ** 2  # noqa: E731
    return claims.summed_image(i, place, factor) / i / sqrt(Sum(square(column), (column, 1, d)))


def scaling_is_forgotten() -> Theorem:
    """LN(c y) = LN(y) for c > 0 and y != 0."""
    c, positive = claims.scale, (Compare(claims.scale, ">", 0), Compare(i, ">=", 1))
    total = lambda a: claims.summed_image(i, a)  # noqa: E731
    scaled = lambda a: claims.summed_image(i, a, c)  # noqa: E731
    pulled = lambda a: sum_rearranged(scaled(a), c * total(a))  # noqa: E731
    size = Sum(total(column) ** 2, (column, 1, d))
    own = sum_rearranged(Sum((total(column) / i) ** 2, (column, 1, d)), size / i**2)
    squares = sums_compared(
        lambda a: joint(
            Compare((scaled(a) / i) ** 2, "=", c**2 / i**2 * total(a) ** 2), pulled(a),
            given=positive,
        ), d,
    )  # fmt: skip
    outside = sum_rearranged(squares.formula.right, c**2 / i**2 * size)
    defined = instance(assume(claims.NORMS_DEFINED.formula), i)
    roots = [
        joint(Compare(sqrt(found), "=", factor / i * sqrt(size)), defined, *known, given=positive)
        for found, factor, known in (
            (own.formula.left, Integer(1), (own,)),
            (squares.formula.left, c, (squares, outside)),
        )
    ]
    over = ((i, 1, N), (b, 1, d))
    families = ((claims.normed_of_multiple, c), (claims.normed, Integer(1)))
    read = [unfold(f(i, b), output(factor, b), STEP_3, over) for f, factor in families]
    goal = Compare(claims.normed_of_multiple(i, b), "=", claims.normed(i, b))
    here = joint(goal, *read, *roots, pulled(b), defined, given=positive)
    return for_all(here, (i, N), (b, d))


def no_row_grows() -> Theorem:
    """|x W^(t+1)| <= |W| |x W^t|, over |W|^(t+1), is at most |x W^t| over |W|^t."""
    nu, image, unit_image = claims.nu, claims.image, claims.unit_image
    start = Sum(entry(claims.row)(1, j) ** 2, (j, 1, d))
    known = facts_of(STEP_3)
    grows = next(f for f in known if isinstance(f, ForAll) and image(t + 1) in f.body.parts())
    held = ForAll(t, 0, oo, Compare(image(t), "<=", nu**t * start))
    first = joint(Compare(image(Integer(0)), "<=", start), unfold(image(0), start, STEP_3))
    first = joint(held.body.substitute({t: Integer(0)}), first)
    power = joint(Compare(nu ** (t + 1), "=", nu * nu**t))
    step = joint(
        held.body.substitute({t: t + 1}), assume(held.body), instance(assume(grows), t), power,
        given=(Compare(nu, ">", 0),),
    )  # fmt: skip
    every = instance(induction(first, step, t), t)
    read = unfold(unit_image(t), image(t) / nu**t, STEP_3, ((t, 0, oo),))
    a, size, p = symbols("a s p", real=True)
    given = (Compare(a, "<=", p * size), Compare(p, ">", 0))
    values = {a: image(t), size: start, p: nu**t}
    divided = substitute(joint(Compare(a / p, "<=", size), given=given), values)
    positive = joint(Compare(nu**t, ">", 0), given=(Compare(nu, ">", 0),))
    divided = cut(divided, every, positive)
    goal = Compare(unit_image(t), "<=", start)
    return generalise(joint(goal, read, divided), t, 0, oo)


@proves(claims.value_matrix_may_be_normalised)
def by_homogeneity(claim: Claim) -> Certificate:
    """LayerNorm forgets a positive factor; the 2-norm of a product is at most that of its factors."""
    return conclude(
        claim, both(scaling_is_forgotten(), no_row_grows()),
        method="homogeneity and submultiplicativity",
    )  # fmt: skip


# Theorem 3, item 1 ----------------------------------------------------------------------------------


def unit_of_delta(at: Any, index: Any) -> Theorem:
    """sum_j delta_{j,at} <= 1: the index is met once in 1..d, or not at all."""
    total = Sum(KroneckerDelta(index, at), (index, 1, d))
    inside = (Compare(at, ">=", 1), Compare(at, "<=", d))
    goal = Compare(total, "<=", 1)
    met = discharge(
        discharge(joint(goal, fact(DELTA_SUM, place=at, k=index, low=1, high=d)), inside[0]),
        inside[1],
    )
    outside = []
    for premise in (Compare(at, "<", 1), Compare(at, ">", d)):
        other = fact(DELTA, a=index, b=at, term=index, place=index)
        here = (premise, Compare(index, ">=", 1), Compare(index, "<=", d))
        zero = joint(Compare(KroneckerDelta(index, at), "=", 0), other, given=here)
        none = summed_over(zero, (index, d))
        outside.append(discharge(linked(goal, none), premise))
    return joint(goal, met, *outside)


def line_sum(at: Any, other: Any, step: int) -> tuple[Any, Theorem]:
    """A row (step 1) or column (step -1) of the scaled matrix sums to at most one."""
    entries = (KroneckerDelta(other, at) + w * KroneckerDelta(other, at + step)) / (1 + w)
    total = Sum(entries, (other, 1, d))
    own, beside = unit_of_delta(at, other), unit_of_delta(at + step, other)
    small = linked(Compare(total, "<=", 1), own, beside, given=(Compare(w, ">=", 1),))
    return total, extremum_compared(generalise(small, at, 1, d), MaxOver)


def scaled_powers_stay_bounded() -> Theorem:
    """No row or column of W_V/(1 + w) sums to more than one."""
    (rows, rows_small), (columns, columns_small) = line_sum(i, j, 1), line_sum(j, i, -1)
    largest = Max(MaxOver(rows, (i, 1, d)), MaxOver(columns, (j, 1, d)))
    read = unfold(claims.scaled_norm, largest, DOMAIN)
    return joint(claims.scaled_norm.at_most(1), read, rows_small, columns_small)


def signs_up_to_rank(which: Symbol, inside: tuple[Any, ...]) -> Theorem:
    """The first k of N signs."""
    square = Compare(entry(which)(i) ** 2, "=", 1)
    own = (Compare(i, ">=", 1), Compare(i, "<=", rank))
    one = cut(instance(assume(ForAll(i, 1, N, square)), i), *map(assume, (*own, *inside)))
    return generalise(one, i, 1, rank)


@proves(claims.equilibria_of_every_rank_coexist)
def by_steps_one_to_three(claim: Claim) -> Certificate:
    """w = N serves every k; one sign a row gives 2^k; dividing W_V by 1 + w changes nothing."""
    most = Min(N, d)
    counted = Counted(rank, DOMAIN, ((rank, 1, most),), claims.scaled_output_entry, 1 / (1 + w))
    inside = (Compare(rank, ">=", 1), Compare(rank, "<=", most))
    known = [signs_up_to_rank(which, inside) for which in (signs, other_signs)]
    wide = joint(Compare(rank, "<=", N) & Compare(rank, "<=", d), given=inside)
    steep = joint(counted.own.steep, given=(WEIGHT,))
    every = cut(both(*counted.theorem()), wide, steep, *known, assume(WEIGHT), *map(assume, inside))
    theorem = both(scaled_powers_stay_bounded(), generalise(every, rank, 1, most))
    return conclude(claim, theorem, method="Steps 1 to 3 of App. F.1")
