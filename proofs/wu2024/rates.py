r"""Proofs about the bound (6) as a function of r, epsilon and d_QK; witnesses about real collapse."""

from __future__ import annotations

from typing import Any

from sympy import Integer, sqrt

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import rates as claims
from claims.wu2024.notation import N, epsilon, r
from claims.wu2024.rates import larger, more, rate
from proofs import facts
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, assume, cut, discharge, fact, joint, next_integer, unfold
from proofs.registry import proves


def strictly(low: Any, high: Any, power: Any, low_base: Any, high_base: Any) -> Theorem:
    """low < high for low = low_base^(1/power) and so for high: else the bases were the other way.

    Needs low_base < high_base and high >= 0.
    """
    other_way = Compare(high, "<=", low)
    grows = fact(facts.POWER_INCREASES, a=high, b=low, p=power)
    against = discharge(joint(Compare(high_base, "<=", low_base), grows), other_way)
    return joint(Compare(low, "<", high), against, given=(Compare(low_base, "<", high_base),))


def power_below_one(base: Any) -> Theorem:
    """base^r < 1 for 0 < base < 1."""
    falls = fact(facts.POWER_FALLS, a=base, p=1, q=r)
    return joint(
        Compare(base**r, "<", 1), falls, given=(Compare(base, "<", 1), Compare(base, ">", 0))
    )


def bound_rises_with_the_diameter() -> Theorem:
    """(1 - eps^r)^(1/r) < (1 - eps^r')^(1/r') for r < r'."""
    near, far = 1 - epsilon**r, 1 - epsilon**larger
    falls = cut(fact(facts.POWER_FALLS, a=epsilon, p=r + 1, q=larger), next_integer(r, larger))
    less = joint(
        Compare(near, "<", far), falls, given=(Compare(epsilon, "<", 1), Compare(epsilon, ">", 0))
    )
    below_one = power_below_one(epsilon)
    slower = fact(facts.POWER_FALLS, a=near, p=1 / larger, q=1 / r)
    strict = strictly(near ** (1 / larger), far ** (1 / larger), larger, near, far)
    positive = joint(Compare(far ** (1 / larger), ">=", 0), less, below_one)
    order = joint(
        Compare(1 / larger, "<=", 1 / r), given=(Compare(r, "<", larger), Compare(r, ">=", 1))
    )
    inside = joint(
        Compare(near, ">", 0) & Compare(near, "<=", 1), below_one, assume(Compare(epsilon, ">", 0))
    )
    goal = Compare(rate(r, epsilon), "<", rate(larger, epsilon))
    far_positive = joint(Compare(far, ">", 0), less, inside)
    rises = joint(goal, cut(slower, order, inside), cut(strict, less, positive))
    return cut(rises, inside, far_positive)


@proves(claims.larger_diameter_collapses_slower)
def by_powers_of_smaller_numbers(claim: Claim) -> Certificate:
    """1 - eps^r < 1 - eps^r', and a smaller exponent makes a number below one larger."""
    domain = claims.bound_grows_with_the_diameter.domain
    bounds = (
        unfold(claims.bound_near, rate(r, epsilon), domain),
        unfold(claims.bound_far, rate(larger, epsilon), domain),
    )
    rises = bound_rises_with_the_diameter()
    theorem = joint(Compare(claims.bound_near, "<", claims.bound_far), rises, *bounds)
    return conclude(claim, theorem, method="powers of numbers below one")


@proves(claims.smaller_floor_collapses_slower)
def by_powers_of_the_floor(claim: Claim) -> Certificate:
    """eps^r < eps'^r, so 1 - eps^r > 1 - eps'^r, and roots keep the order."""
    domain = claims.bound_falls_with_the_floor.domain
    high, low = 1 - epsilon**r, 1 - more**r
    powers = strictly(epsilon**r, more**r, 1 / r, epsilon, more)
    order = Compare(epsilon, "<", more)
    less = joint(Compare(low, "<", high), powers, given=(order,))
    strict = strictly(low ** (1 / r), high ** (1 / r), r, low, high)
    positive = joint(Compare(high ** (1 / r), ">=", 0), power_below_one(epsilon))
    bounds = (
        unfold(claims.bound_near, rate(r, epsilon), domain),
        unfold(claims.bound_of_more, rate(r, more), domain),
    )
    rooted = joint(
        Compare(low, ">=", 0) & Compare(high, ">=", 0), *map(power_below_one, (epsilon, more))
    )
    theorem = joint(
        Compare(claims.bound_near, ">", claims.bound_of_more),
        cut(cut(strict, less, positive), rooted), *bounds,
    )  # fmt: skip
    return conclude(claim, theorem, method="powers and roots keep the order")


@proves(claims.bound_with_own_floors_is_not_ordered)
def by_the_numbers_of_two_masks(claim: Claim) -> Certificate:
    """1 - 1/N >= 7/8, and (7/8)^2 > 3/4."""
    domain = claim.domain
    bounds = (
        unfold(claims.bound_of_complete, 1 - Integer(1) / N, domain),
        unfold(claims.bound_of_tree, sqrt(3) / 2, domain),
    )
    many = Compare(N, ">=", 8)
    theorem = joint(claims.bound_with_own_floors_is_not_ordered.formula, *bounds, given=(many,))
    return conclude(claim, theorem, method="two numbers")
