"""A measurement denies no true statement, and speaks for none that it could not have denied."""

from __future__ import annotations

import math
from itertools import count
from random import Random
from typing import Any

import pytest
import torch
from sympy import (
    Expr,
    Integer,
    MatrixSymbol,
    Piecewise,
    Rational,
    Sum,
    ceiling,
    cos,
    exp,
    floor,
    gamma,
    log,
    ones,
    pi,
    sign,
    symbols,
)
from sympy import Ne as differs

from audit.examine import hold_to_definition
from claims.domain import Domain, Size
from claims.errors import OnlyMeasured
from claims.model import Claim, Relation, Source
from claims.seeds import seeded
from claims.statement import Compare, ForAll, Quantity, measured_family, measured_quantity
from numeric.agreement import BadEstimator, Measured
from numeric.definitions import members
from numeric.estimates import Estimate
from numeric.registry import QUICK, directly, measure, measures, samples
from numeric.sampling import normal
from numeric.sides import side_values
from numeric.thinning import thinned
from numeric.trends import mean_and_reach

n, d, j, k = symbols("n d j k", integer=True, positive=True)
X = MatrixSymbol("X", n, d)
_NUMBERS = count()


def read(value: float, error: float) -> Expr:
    """A quantity that is measured so."""
    quantity = measured_quantity("q")
    measures(quantity)(lambda point: Measured(value, error))
    return quantity


def claim(statement: Any, *variables: Any, define: Any = None) -> Claim:
    domain = Domain(variables or (Size(n, 1),))
    name = f"toy.power-{next(_NUMBERS)}"
    return Claim(name, Source("toy", "s"), "bound", "", statement, domain, define)


def status(stated: Claim) -> str:
    with seeded(0):
        found = measure(stated, seed=0, budget=1e-9, effort=QUICK)
    assert found is not None
    return found.status


# Between the corners of an interval -----------------------------------------------------------------

half = Rational(1, 2)


@pytest.mark.parametrize(
    ("value", "error", "term", "sign"),
    [
        (0.0, 0.7, lambda q: (q**2 - half**2) ** 2 - Rational(1, 10**6), "<="),  # q = 1/2
        (0.0, 0.7, lambda q: (q**2 - half**2) ** 2, "="),
        (0.0, 1.0, lambda q: cos(2 * pi * q), "<="),
        (0.0, 1.0, lambda q: cos(2 * pi * q) + 1, "="),
        (0.0, 1.0, lambda q: q * (q - 1) * (q + 1), "!="),
        (1.0, 1.0, lambda q: q * (q - 1) * (q - 2), ">"),
    ],
)
def test_what_a_value_inside_of_the_interval_makes_true_is_possible(
    value: float, error: float, term: Any, sign: str
) -> None:
    """Corners and centre all deny it."""
    assert status(claim(Compare(term(read(value, error)), sign, 0))) != "disagrees"


@pytest.mark.parametrize(
    ("value", "error", "term", "sign"),
    [
        (0.0, 0.7, lambda q: (q**2 - half**2) ** 2 + half, "<="),
        (0.0, 1.0, lambda q: cos(2 * pi * q) + 2, "<="),
        (3.0, 1.0, lambda q: q * (q - 1), "<="),
        (3.0, 1.0, lambda q: 2 * q - 1, "<"),
        (3.0, 1.0, lambda q: 1 / q, "="),
    ],
)
def test_what_no_value_inside_of_the_interval_makes_true_is_denied(
    value: float, error: float, term: Any, sign: str
) -> None:
    assert status(claim(Compare(term(read(value, error)), sign, 0))) == "disagrees"


@pytest.mark.parametrize(
    ("sign", "expected"),
    [("<", "agrees"), ("<=", "agrees"), ("!=", "agrees"), (">", "disagrees"), ("=", "disagrees")],
)
@pytest.mark.parametrize(("value", "error"), [(1.0, 0.0), (1.5, 1e-9)])
def test_a_difference_below_every_float_has_a_sign(
    value: float, error: float, sign: str, expected: str
) -> None:
    tiny = exp(-1000)
    assert status(claim(Compare(read(value, error) * tiny, sign, 2 * tiny))) == expected


# Indices and ranges that are no integers ------------------------------------------------------------


def test_a_member_of_a_family_is_read_at_its_own_place() -> None:
    tail = measured_family("T_{{{}}}")
    measures(tail)(lambda point, level: Measured(math.exp(-level), 1e-9))
    at = Rational(3, 2)
    assert status(claim(Compare(tail(at), "<=", Rational(1, 4)))) == "agrees"
    assert status(claim(Compare(tail(at), ">=", Rational(1, 3)))) == "disagrees"
    assert status(claim(Compare(tail(2 * at), "<=", Rational(1, 20)))) == "agrees"


def test_no_member_outside_of_its_range_is_read() -> None:
    pairs = ForAll(j, n / 2, n, ForAll(k, -n / 2, -1, Compare(2 * (j - k), ">=", n + 2)))
    for seed in range(60):
        at = {n: Integer(19)}
        few = thinned(pairs, at, Random(seed))
        assert few != pairs and few.truth(at) is True
    first = ForAll(j, n / 2, n, Compare(j, ">", 0))
    assert {point[j] for name, point in members(first, {n: 3}) if name == j} == {2, 3}


@pytest.mark.parametrize(
    ("side", "exact"),
    [
        (Sum(k, (k, 1, n / 2)), lambda m: (m // 2) * (m // 2 + 1) / 2),
        (Sum(k, (k, n / 2, n)), lambda m: sum(range(-(-m // 2), m + 1))),
        (floor(log(n**3) / log(n)), lambda m: 3),
        (ceiling(log(n**5) / log(n)), lambda m: 5),
        (sign(log(n**3) - 3 * log(n)) * n, lambda m: 0),
        (Piecewise((1, differs(log(n**3) / log(n), 3)), (2, True)), lambda m: 2),
        (Sum(floor(log(n**3) / log(n)) * k, (k, 1, 2)), lambda m: 9),
        (
            gamma(n + 1) * 10**20 + n - gamma(n + 1) * 10**20,
            lambda m: m,
        ),
        ((n + Rational(1, 10**9)) ** 2 - n**2 - Rational(2, 10**9) * n, lambda m: 1e-18),
    ],
)
def test_right_sides_do_not_step_or_cancel_by_rounding(side: Any, exact: Any) -> None:
    """At sizes where matrices are floats; a true statement would be denied."""
    for size in (9, 10, 17, 22, 31):
        at = {n: Integer(size), d: Integer(1), X: ones(size, 1)}
        (found,) = side_values(Relation("a", (side,)), at)
        assert found == pytest.approx(exact(size), rel=1e-12)


# What may not have been seen ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [torch.bool, torch.float64, torch.int64])
def test_a_rare_event_may_come_as_a_number(kind: torch.dtype) -> None:
    """None of two hundred thousand: its probability may be a millionth, and is no tenth of a hundredth."""
    estimate = Estimate()
    for _ in range(100):
        estimate.add(torch.zeros(2048).to(kind))
    assert 1e-6 < estimate.half_width(1e-9) < 1e-3
    estimate.add(torch.full((1,), 0.5))  # no event, after all
    if kind is not torch.bool:
        assert estimate.half_width(1e-9) < 1e-3


def test_samples_that_do_not_vary_are_known_to_rounding() -> None:
    for value in (0.5, 2.0, 1e-9):
        estimate = Estimate()
        estimate.add(torch.full((4096,), value))
        assert estimate.half_width(1e-9) < 1e-9 * value


def test_runs_in_which_nothing_happened_leave_its_probability_open() -> None:
    for runs in (torch.zeros(32), torch.ones(32)):
        mean, reach = mean_and_reach(runs.double())
        assert mean == float(runs[0]) and 0.2 < reach < 1
    mean, reach = mean_and_reach((torch.arange(400) < 100).double())
    assert mean == 0.25 and reach < 0.25
    assert mean_and_reach(torch.full((32,), 0.5).double())[1] < 1e-9


# Power ------------------------------------------------------------------------------------------------


def nothing_exact(at: Any) -> Any:
    raise OnlyMeasured("only measured")


@pytest.mark.parametrize(
    ("value", "error", "relation", "expected"),
    [
        (8.0, 100.0, "<=", "underpowered"),
        (6.0, 100.0, ">=", "underpowered"),
        (8.0, 100.0, "=", "underpowered"),
        (6.0, 1e-9, "<=", "agrees"),
        (7.0, 1e-9, "<=", "agrees"),
        (7.0, 1e-9, "=", "agrees"),
        (3.0, 1.0, "<=", "agrees"),
        (8.0, 0.5, "<=", "disagrees"),
    ],
)
def test_a_value_with_a_wide_error_speaks_for_no_bound(
    value: float, error: float, relation: str, expected: str
) -> None:
    stated = claim(Relation("r", (Integer(7),), relation), define=nothing_exact)
    directly(stated)(lambda point: Measured(value, error))
    assert status(stated) == expected


@pytest.mark.parametrize(
    ("value", "error", "right", "expected"),
    [
        (1.0, 100.0, 7, "underpowered"),
        (1.0, 100.0, 0, "underpowered"),
        (6.5, 1.0, 7, "agrees"),
        (0.1, 0.2, 0, "agrees"),
        (1.0, 1.0, 7, "disagrees"),
    ],
)
def test_an_equality_is_told_from_another_order_of_magnitude(
    value: float, error: float, right: int, expected: str
) -> None:
    assert status(claim(Compare(read(value, error), "=", right))) == expected


def wide(mean: int) -> tuple[Quantity, Claim]:
    """A quantity that is one, and samples with that mean that say little."""
    quantity = Quantity("q", lambda at: Integer(1))
    samples(quantity)(lambda point, rng, size: 1 + 30 * normal(rng, size))
    return quantity, claim(Compare(quantity, "=", mean))


def test_what_the_definition_denies_is_not_supported_for_want_of_a_proof() -> None:
    for right in (2, 3):
        _, stated = wide(right)
        with seeded(0):
            found = measure(stated, seed=0, budget=1e-9, effort=QUICK)
            assert found is not None and found.status == "agrees"
            with pytest.raises(BadEstimator, match="fails by its definition at n = 1"):
                hold_to_definition(stated, None, found, 0, "quick")
    _, true = wide(1)
    with seeded(0):
        found = measure(true, seed=0, budget=1e-9, effort=QUICK)
        hold_to_definition(true, None, found, 0, "quick")
