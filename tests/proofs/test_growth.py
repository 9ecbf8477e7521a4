"""Chances behind Gaussian matrices: what the proofs of Lemma A.2 and Prop. 3.6 give, and what they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from sympy import Integer, Max, Min, Rational, exp, factorial

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import concentration, gradient_floor
from claims.naitsaada2025.concentration import (
    a,
    off_norm,
    off_square,
    squared_norm,
    t,
    upper_tail,
    v,
)
from claims.naitsaada2025.gradient_floor import below_level, energy, grown, level, short
from claims.naitsaada2025.notation import d, depth, q
from claims.statement import Formula, Quantity
from proofs.confirm import confirmed_at_points
from proofs.naitsaada2025 import concentration as by
from proofs.naitsaada2025 import gradient_floor as floor

FURTHER = Max(t, t**2)


def tail(deviation: Any, exponent: Rational, times: Any) -> Any:
    """The printed form of a bound: so many times exp(-d min(s, s^2) exponent)."""
    s = (1 + deviation) ** (1 / q) - 1
    return times * exp(-d * Min(s, s**2) * exponent)


SUB_WEIBULL, OVERWHELMING = (
    concentration.norm_is_sub_weibull, concentration.norm_concentrates_with_overwhelming_probability,
)  # fmt: skip
DEVIATES = concentration.product_of_chi_squares_deviates_at_rate_d
SHORT, DEEP = (
    gradient_floor.gradient_grows_at_least_like_the_printed_power,
    gradient_floor.gradient_diverges_with_depth,
)
EIGHTH, COUNTED = Rational(1, 8), 2 * q * factorial(a) / concentration.slowness(FURTHER) ** a
STRONGER: list[tuple[Callable[[Claim], Any], Claim, Formula]] = [
    (by.by_chernoff, DEVIATES, off_square.at_most(tail(t, Rational(1, 7), 2 * q))),
    (by.by_chernoff, DEVIATES, off_square.at_most(tail(t, EIGHTH, q))),
    (by.by_chernoff, DEVIATES, off_square.at_most(tail(FURTHER, EIGHTH, 2 * q))),
    (by.by_chernoff, DEVIATES, off_norm.at_most(tail(2 * FURTHER, EIGHTH, 2 * q))),
    (by.by_the_mean_of_the_squares, SUB_WEIBULL, upper_tail.at_most(2 * exp(-v ** (2 / q) / 2))),
    (by.by_the_mean_of_the_squares, SUB_WEIBULL, upper_tail.at_most(exp(-3 * v ** (2 / q) / 8))),
    (by.by_the_mean_of_the_squares, SUB_WEIBULL, upper_tail.at_most(2 * exp(-3 * v ** (4 / q) / 8))),
    (by.by_chernoff_for_every_power, OVERWHELMING, off_norm.at_most(COUNTED / a / d**a)),
    (by.by_chernoff_for_every_power, OVERWHELMING, off_norm.at_most(COUNTED / d ** (a + 1))),
    (floor.by_a_chi_square_in_each_layer, SHORT, short.at_most((depth - 1) * exp(-d / 10))),
    (floor.by_a_chi_square_in_each_layer, SHORT, short.at_most((depth - 2) * exp(-d / 11))),
    (floor.by_the_mean_inverse, DEEP, below_level.at_most(level / (d * (d - 1) ** (depth - 1)))),
    (floor.by_the_mean_inverse, DEEP, below_level.at_most(level / (d * (d - 2) ** depth))),
    (floor.by_the_mean_inverse, DEEP, below_level.at_most(level / (d**2 * (d - 2) ** (depth - 1)))),
]  # fmt: skip


@cache
def derived(judge: Callable[[Claim], Any], claim: Claim) -> bool:
    """Whether a claim is proved as it is, and without words."""
    proved = judge(claim)
    return proved.status == "proved" and not proved.theorem.argued and proved.recheck() == []


@pytest.mark.parametrize(("judge", "claim", "stronger"), STRONGER)
def test_a_stronger_statement_is_not_proved(
    judge: Callable[[Claim], Any], claim: Claim, stronger: Formula
) -> None:
    assert derived(judge, claim)
    assert judge(replace(claim, statement=stronger)).status != "proved"


CONCLUSION = gradient_floor.gradient_is_above_the_edge_of_the_values


@pytest.mark.parametrize("claim", [SHORT, CONCLUSION, DEEP], ids=lambda claim: claim.id)
def test_attention_that_is_not_stochastic_is_not_covered(claim: Claim) -> None:
    """Half of a stochastic matrix has a quarter of its energy."""
    judge = {
        SHORT.id: floor.by_a_chi_square_in_each_layer, CONCLUSION.id: floor.by_a_floor_above_the_edge,
        DEEP.id: floor.by_the_mean_inverse,
    }[claim.id]  # fmt: skip
    assert judge(claim).status == "proved"
    halved = [
        replace(variable, value=lambda at: gradient_floor.attention(at) / 2)
        if variable.symbol is gradient_floor.A
        else variable
        for variable in claim.domain.variables
    ]
    wider = replace(claim, domain=Domain(tuple(halved), claim.domain.conditions))
    assert judge(wider).status != "proved"


def test_without_the_depth_that_is_enough_the_edge_is_not_reached() -> None:
    shallow = Domain(CONCLUSION.domain.variables, CONCLUSION.domain.conditions[:-1])
    assert floor.by_a_floor_above_the_edge(replace(CONCLUSION, domain=shallow)).status != "proved"


LEVEL = (d / 2) ** (depth - 1) / energy
UP, DOWN = squared_norm.above(d, q, (1 + t) * d**q), squared_norm.below(d, q, Max(0, 1 - t) * d**q)
READ: list[tuple[Quantity, Any, Domain, list[Any]]] = [
    (
        short, grown.below(d, depth - 1, LEVEL), SHORT.domain,
        [grown.below(d, depth - 1, LEVEL * energy), squared_norm.below(d, depth - 1, LEVEL),
         grown.below(d + 1, depth - 1, LEVEL)],
    ),
    (
        below_level, grown.below(d, depth - 1, level / d / energy), DEEP.domain,
        [grown.below(d, depth - 1, level / d), grown.below(d, depth - 1, level / energy),
         squared_norm.below(d, depth - 1, level / d / energy)],
    ),
    (
        off_square, UP + DOWN, DEVIATES.domain,
        [UP, DOWN, UP + squared_norm.below(d, q, (1 - t) ** 2 * d**q),
         squared_norm.above(d, Integer(1), (1 + t) * d**q) + DOWN],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("quantity", "term", "domain", "others"), READ)
def test_a_definition_read_otherwise_is_noticed(
    quantity: Quantity, term: Any, domain: Domain, others: list[Any]
) -> None:
    assert confirmed_at_points(quantity, term, domain)
    assert not any(confirmed_at_points(quantity, other, domain) for other in others)


def test_behind_attention_nothing_is_argued() -> None:
    """The triangle inequality is derived as well, and every step of the bound for Lemma A.2."""
    theorem = by.by_the_triangle_inequality(
        concentration.attention_adds_what_its_bulk_spills
    ).theorem
    assert theorem is not None and not theorem.argued
