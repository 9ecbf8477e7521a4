"""Counterexamples as documents hold them."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import AccumBounds, Integer, Rational

from claims.failures import Failure
from claims.records import failure_record
from claims.statement import Compare, Quantity

unknown = Quantity("q", lambda at: AccumBounds(1, 2))


@pytest.mark.parametrize(
    ("left", "sign", "right", "shown"),
    [
        (AccumBounds(1, 2), "<=", Rational(1, 4), ([1, "1/4"], ["least", None])),
        (AccumBounds(1, 2), ">=", Integer(3), ([2, 3], ["most", None])),
        (Integer(3), "<", AccumBounds(1, 2), ([3, 2], [None, "most"])),
        (Integer(0), "=", AccumBounds(1, 2), ([0, 1], [None, "least"])),
    ],
)
def test_of_bounds_the_one_that_decides_is_written(
    left: Any, sign: str, right: Any, shown: tuple[list[Any], list[str | None]]
) -> None:
    comparison = Compare(unknown, sign, right)
    failure = Failure(comparison, {}, left, right)
    record = failure_record(failure, comparison)
    assert ([record["left"], record["right"]], record["known"]) == shown


def test_of_numbers_nothing_is_said_to_be_known_by_bounds() -> None:
    failure = Failure(Compare(unknown, "<=", 1), {}, Integer(2), Integer(1))
    assert "known" not in failure_record(failure, failure.comparison)
