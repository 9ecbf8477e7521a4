"""Theorem 2's rate needs what its proof uses: without one of the hypotheses it is not proved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import sqrt

from claims.domain import Array, Domain
from claims.model import Mutant
from claims.statement import Compare
from claims.wu2024 import sphere
from claims.wu2024.cone import margin
from claims.wu2024.notation import WV, X, attention
from claims.wu2024.turns import values
from proofs.registry import proof_of
from proofs.wu2024 import sphere as _sphere  # noqa: F401 (proofs register themselves)

RATE = sphere.tokens_in_a_hemisphere_collapse_exponentially


def without(symbol, weaken):
    """The claim's domain with one variable widened."""
    found = tuple(weaken(v) if v.symbol == symbol else v for v in RATE.domain.variables)
    assert found != RATE.domain.variables
    return Domain(found, RATE.domain.conditions)


@pytest.fixture(scope="module")
def theorem():
    return proof_of(RATE)(RATE)


@pytest.mark.parametrize(
    "domain",
    [
        without(values, lambda v: replace(v, each=Array(WV, 2))),
        without(X, lambda v: Array(X, 2)),
        without(attention, lambda v: replace(v, floor=0)),
        without(margin, lambda v: replace(v, known=())),
    ],
    ids=["any value matrices", "any tokens", "no floor", "no hemisphere"],
)  # fmt: skip
def test_the_rate_is_not_proved_without(theorem, domain):
    assert theorem.status == "proved" and theorem.grade == "derived"
    variant = RATE.variant(Mutant("weaker", RATE.statement, domain=domain))
    assert theorem.rejudge(variant).status != "proved"


def test_a_smaller_constant_is_not_certified(theorem):
    below_one, rate = RATE.statement.formulas
    smaller = Compare(rate.left, "<=", rate.right / sqrt(2))
    variant = RATE.variant(Mutant("smaller", below_one & smaller))
    assert theorem.rejudge(variant).status != "proved"
