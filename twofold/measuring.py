"""A measurement of the left side from samples, with the error budget of an audit's claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from claims.domain import Point
from claims.errors import UserError
from claims.model import Relation
from claims.statement import Compare
from claims.terms import value_of
from claims.typeset import typeset
from numeric.agreement import FALSE_ALARM_BUDGET
from numeric.estimators import Estimator
from numeric.registry import QUICK, Measurement, measure_case
from twofold.search import Question

__all__ = ["measured"]

CASES = 3


def measured(
    asked: Question, sample: Callable[..., Any], names: Mapping[Any, Any], seed: int
) -> Measurement:
    """The mean of the samples against the right side, at points of the domain that the seed draws."""
    compared = asked.statement
    if not isinstance(compared, Compare) or compared.sign == "!=":
        raise UserError("sample: measures the left side of one comparison by =, <=, <, >= or >")
    relation = Relation(typeset(compared.left), (compared.right,), compared.sign)
    claim = replace(
        asked, statement=relation, define=lambda at: value_of(compared.left, at), probes=()
    )
    theirs = {new: old for old, new in names.items()}

    def run(point: Point, rng: Any, count: int) -> Any:
        return sample({theirs.get(k, k): v for k, v in point.items()}, rng, count)

    draws, estimator = Random(seed), Estimator(run, random=True)
    results = [
        measure_case(
            claim, estimator, asked.domain.draw(draws), (seed, case), FALSE_ALARM_BUDGET / CASES,
            QUICK, (),
        )
        for case in range(CASES)
    ]  # fmt: skip
    statuses = [result.status for result in results]
    said = next((s for s in ("disagrees", "agrees") if s in statuses), "underpowered")
    return Measurement(said, results, set(), set())
