"""False alarms over many seeds: every true statement measured again and again.

Only estimators that draw can raise a false alarm, so only they are run.  What is true is the claim
that is recorded as proved and the repair of one that is not; the audit holds the record to the proofs.
Skewed samples err to one side (a mean is too low where the rare large samples are missing), so that z
is reported per side, and for the statements with skewed samples by themselves; `benchmarks.coverage`
looks further out.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any

import torch
from rich.console import Console
from scipy import stats
from torch import Tensor

from audit.examine import load_witnesses
from audit.expected import Expected
from claims.model import Claim
from claims.registry import encoded, index
from numeric import registry as measuring
from numeric.agreement import FALSE_ALARM_BUDGET
from numeric.cases import choose_cases
from numeric.estimates import ROUNDING
from numeric.sampling import generator

__all__ = ["audit_of_seed", "per_side", "random_true_statements", "run"]

SEEDS = 100
SKEWED = 2.0
"""The skewness of an exponential law."""
BEYOND = (3, 4, 5)


@cache
def random_true_statements() -> tuple[Claim, ...]:
    """Claims recorded as proved, and the repairs of the others, whose estimator draws."""
    verdicts, found = Expected.read().verdicts, []
    for claim in encoded().values():
        statement = claim if verdicts.get(claim.id) == "proved" else claim.repair
        estimator = measuring.estimator_of(statement) if statement is not None else None
        if statement is not None and estimator is not None and estimator.random:
            found.append(statement)
    return tuple(found)


@dataclass(frozen=True)
class Audit:
    """What one seed's measurements of true statements said."""

    rejected: list[str]
    scores: list[float]
    """z of every test: the estimate's distance from the true value in standard errors, with sign."""
    skewed: list[float]
    """Those of tests whose samples are skewed."""


def audit_of_seed(seed: int) -> Audit:
    """Statements that one audit's measurements reject, and the z of every test."""
    torch.set_num_threads(1)
    load_witnesses()
    share = FALSE_ALARM_BUDGET / (2 * len(index()))
    audit = Audit([], [], [])
    for claim in random_true_statements():
        result = measuring.measure(claim, seed=seed, budget=share, effort=measuring.QUICK)
        assert result is not None
        audit.rejected.extend([claim.id] * (result.status == "disagrees"))
        if getattr(claim.statement, "relation", "=") != "=":
            continue  # slack is no alarm
        scores = [case.z for case in result.cases if case.z is not None]
        audit.scores.extend(scores)
        if claim.id in skewed_statements():
            audit.skewed.extend(scores)
    return audit


@cache
def skewed_statements() -> frozenset[str]:
    """True statements some of whose samples have a skewness of more than `SKEWED`."""
    found = set()
    for claim in random_true_statements():
        estimator = measuring.estimator_of(claim)
        assert estimator is not None
        cases = choose_cases(claim, measuring.QUICK.cases, seed=0)
        for case, point in enumerate(cases):
            stream = generator(0, "skewness", claim.id, case)
            if abs(skewness(estimator.run(point, stream, 2**14))) > SKEWED:
                found.add(claim.id)
    return frozenset(found)


def skewness(samples: Tensor) -> float:
    """The third standardised moment; zero where nothing but rounding varies."""
    if float(samples.std()) <= ROUNDING * float(samples.abs().max()):
        return 0.0
    return float(stats.skew(samples.numpy()))


def per_side(scores: list[float]) -> dict[str, Any]:
    """Number of tests, the extreme z on either side, and how many lie beyond 3, 4 and 5."""
    return {
        "tests": len(scores),
        "lowest_z": min(scores, default=0.0),
        "highest_z": max(scores, default=0.0),
        "below": {str(k): sum(z < -k for z in scores) for k in BEYOND},
        "above": {str(k): sum(z > k for z in scores) for k in BEYOND},
    }


def run(console: Console | None = None, *, seeds: int = SEEDS) -> dict[str, Any]:
    """Measure every true statement with `seeds` different seeds and count rejections."""
    started = perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        audits = list(pool.map(audit_of_seed, range(1, seeds + 1)))
    rejected = [claim for audit in audits for claim in audit.rejected]
    scores = [z for audit in audits for z in audit.scores]
    figures = {
        "seeds": seeds,
        "false_alarms": len(rejected),
        "rejected": sorted(set(rejected)),
        **per_side(scores),
        "skewed": per_side([z for audit in audits for z in audit.skewed]),
        "false_alarm_budget": FALSE_ALARM_BUDGET,
        "seconds": round(perf_counter() - started, 1),
    }
    if console is not None:
        console.print(
            f"{seeds} audits, {len(scores)} tests of true statements: {len(rejected)} false alarms, "
            f"z from {figures['lowest_z']:.2f} to {figures['highest_z']:.2f}, {figures['seconds']} s",
            highlight=False,
        )
        skewed = figures["skewed"]
        console.print(
            f"of them {skewed['tests']} of skewed samples: z from {skewed['lowest_z']:.2f} "
            f"to {skewed['highest_z']:.2f}",
            highlight=False,
        )
    return figures
