"""Whatever is offered to the kernel's rules, what they make of it is true at every point looked at."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_theorems import POINTS, falsified, theorems
from sympy import Rational, Symbol

from claims.statement import Compare
from claims.witness import TimeUp, at_most
from proofs import kernel

SECONDS = 3.0
"""For one sequence of offers: some terms are not simplified in a year."""


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)  # fmt: skip
@given(st.integers(0, 10**9))
def test_random_theorems_are_true(seed: int) -> None:
    try:
        with at_most(SECONDS):
            for theorem in theorems(Random(seed), 14):
                assert falsified(theorem) is None, (
                    theorem,
                    theorem.formula.latex(),
                    falsified(theorem),
                )
    except (TimeUp, RecursionError):
        pass


def test_a_false_theorem_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Symbol("x", real=True)
    theorem = kernel.assume(Compare(x, ">", Rational(1, 3)))
    assert falsified(theorem) is None
    object.__setattr__(theorem, "hypotheses", frozenset())
    point: Any = falsified(theorem)
    assert point in POINTS and point[x] <= Rational(1, 3)


def test_many_kinds_of_theorems_are_made() -> None:
    made = [theorem for seed in range(25) for theorem in _some(seed)]
    assert len(made) > 100
    assert len({theorem.rule for theorem in made}) >= 10
    assert sum(falsified(theorem) is None for theorem in made) == len(made)


def _some(seed: int) -> list[Any]:
    found: list[Any] = []
    try:
        with at_most(SECONDS):
            found += theorems(Random(seed), 14)
    except (TimeUp, RecursionError):
        pass
    return found
