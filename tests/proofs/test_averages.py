"""Averages by row-stochastic matrices: facts hold of every point, and proofs need their hypotheses."""

from dataclasses import replace
from random import Random

import pytest
from sympy import Rational

from claims.domain import Domain
from claims.model import Mutant
from claims.statement import Compare
from claims.wu2024 import collapse, contraction, extrema, masks, positivity
from claims.wu2024.contraction import width_at
from claims.wu2024.notation import epsilon, k, p, r, t
from proofs.registry import proof_of
from proofs.wu2024 import collapse as _collapse  # noqa: F401 (proofs register themselves)
from proofs.wu2024 import contraction as _contraction  # noqa: F401
from proofs.wu2024 import positivity as _positivity  # noqa: F401

LEMMA_3 = contraction.width_contracts_over_the_diameter
DOMAINS = {
    "lemma 3": LEMMA_3.domain,
    "floor": collapse.attention_has_a_positive_floor.domain,
    "rate": collapse.tokens_collapse_exponentially.domain,
    "one token": extrema.token_keeps_part_of_its_distance_to_the_maximum.domain,
    "two cases": extrema.two_cases,
    "products": positivity.products_over_the_longest_distance_are_positive.domain,
    "graphs": masks.every_token_has_a_neighbour.domain,
}


@pytest.mark.parametrize("name", DOMAINS)
def test_facts_of_variables_hold_at_points(name):
    domain = DOMAINS[name]
    points = [*domain.smallest(6), *(domain.draw(Random(seed)) for seed in range(4))]
    facts = [f for v in domain.variables for f in getattr(v, "facts", tuple)()]
    facts += [c.formula for c in domain.conditions if c.formula is not None]
    assert facts
    for point in points:
        for fact in facts:
            assert fact.truth(point) is True, f"{fact} at {point}"


def judged(claim, statement=None, domain=None):
    said = claim.statement if statement is None else statement
    variant = claim.variant(Mutant("changed", said, domain=domain))
    return proof_of(variant)(variant).status


def test_lemma_3_is_not_proved_for_p_up_to_two():
    wider = tuple(replace(v, high=2) if v.symbol == p else v for v in LEMMA_3.domain.variables)
    assert judged(LEMMA_3, domain=Domain(wider)) != "proved"


def test_lemma_3_is_not_proved_without_self_loops():
    graphs, *others = LEMMA_3.domain.variables
    assert judged(LEMMA_3, domain=Domain((graphs.relaxed(), *others))) != "proved"


@pytest.mark.parametrize(
    "factor",
    [1 - p * epsilon ** (r - 1), 1 - p * epsilon**r * Rational(101, 100), 1 - p * epsilon],
)
def test_a_faster_contraction_is_not_proved(factor):
    statement = Compare(width_at(k * r), "<=", factor**k * width_at(0))
    assert judged(LEMMA_3, statement) != "proved"


@pytest.mark.parametrize("steps", [t - 1, t - r + Rational(4, 3)])
def test_a_rate_that_begins_too_early_is_refuted(steps):
    """Along a chain of four tokens the last one hears of the first after three layers."""
    claim = contraction.width_decays_exponentially
    faster = Compare(width_at(t), "<=", width_at(0) * (1 - epsilon**r) ** (steps / r))
    found = proof_of(claim)(claim.variant(Mutant("sooner", faster)))
    assert found.status == "refuted"
