"""Whatever is offered to the kernel's rules, what they make of it is true at every point looked at."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_theorems import POINTS, REFUSED, falsified, term, theorems
from sympy import Rational, Symbol, log, nan, sympify, zoo
from total_values import Open, Total

from claims.statement import Compare
from claims.terms import value_of
from claims.time_limits import searching
from proofs import kernel, sense
from proofs.kernel import Theorem

SECONDS = 3.0
"""For one sequence of offers: some terms are not simplified in a year."""


def looked_at(seed: int) -> list[tuple[Theorem, Any]]:
    """The theorems of one sequence, as far as time allows, each with a point that falsifies it."""
    found = []
    with suppress(RecursionError), searching(SECONDS):
        for theorem in theorems(Random(seed), 14):
            found.append((theorem, falsified(theorem)))
    return found


@settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
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


def test_numbers_may_stand_for_terms_without_value() -> None:
    """Of $1/x=x$ at zero it is false for some choice that nothing stands for $1/0$ but zero."""
    x = Symbol("x", real=True)
    at_zero = {x: Rational(0)}
    said = Compare(1 / x, "=", x)
    answers = {Total(choice, at_zero).holds(said) for choice in range(20)}
    assert answers == {True, False}
    for choice in range(20):
        total = Total(choice, at_zero)
        assert total.holds(Compare(1 / x**2, "=", (1 / x) ** 2))
        assert total.holds(Compare(x / x, "=", 1)) and total.holds(Compare(2 * x, "=", 0))
        assert total.holds(Compare(log(x) - log(x), "=", 0))


def test_terms_with_values_have_those_of_exact_evaluation() -> None:
    rng, compared = Random(5), 0
    for _ in range(3000):
        with suppress(*REFUSED, Open), searching(1.0):
            drawn, point = term(rng, 2), rng.choice(POINTS)
            value = value_of(drawn, point)
            if not value.is_number or value.has(zoo, nan):
                continue
            if all(f.substitute(point).truth({}) is True for f in sense.without_value(drawn)):
                found = Total(0, point).value(drawn)
                exact = Rational(found) if isinstance(found, Fraction) else sympify(found)
                assert abs(value.evalf(30) - exact) < 1e-15 * (1 + abs(value)), drawn
                compared += 1
        if compared == 60:
            return
    raise AssertionError(f"of 3000 terms only {compared} could be compared")


def test_many_kinds_of_theorems_are_made() -> None:
    made = [each for seed in range(25) for each in looked_at(seed)]
    assert len(made) > 100
    assert len({theorem.rule for theorem, _ in made}) >= 10
    assert all(point is None for _, point in made)
