"""Whatever is offered to the kernel's rules, what they make of it is true at every point looked at."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_theorems import POINTS, falsified, theorems
from sympy import Rational, Symbol

from claims.statement import Compare
from claims.witness import TimeUp, at_most
from proofs import kernel
from proofs.kernel import Theorem

SECONDS = 3.0
"""For one sequence of offers: some terms are not simplified in a year."""


def looked_at(seed: int) -> list[tuple[Theorem, Any]]:
    """The theorems of one sequence, as far as time allows, each with a point that falsifies it."""
    found = []
    with suppress(TimeUp, RecursionError), at_most(SECONDS):
        for theorem in theorems(Random(seed), 14):
            found.append((theorem, falsified(theorem)))
    return found


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)  # fmt: skip
@given(st.integers(0, 10**9))
def test_random_theorems_are_true(seed: int) -> None:
    for theorem, point in looked_at(seed):
        assert point is None, (theorem, theorem.formula.latex(), point)


def test_a_false_theorem_would_be_seen() -> None:
    x = Symbol("x", real=True)
    theorem = kernel.assume(Compare(x, ">", Rational(1, 3)))
    assert falsified(theorem) is None
    object.__setattr__(theorem, "hypotheses", frozenset())
    point: Any = falsified(theorem)
    assert point in POINTS and point[x] <= Rational(1, 3)


def test_many_kinds_of_theorems_are_made() -> None:
    made = [each for seed in range(25) for each in looked_at(seed)]
    assert len(made) > 100
    assert len({theorem.rule for theorem, _ in made}) >= 10
    assert all(point is None for _, point in made)
