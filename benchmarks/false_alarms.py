"""False alarms over many seeds: every true statement measured again and again.

Only estimators that draw can raise a false alarm, so only they are run.  What is true is the claim
where its proof holds and its repair where it is refuted, as in the audit.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter
from typing import Any

import torch
from rich.console import Console

from audit.examine import load_witnesses
from claims.model import Claim
from claims.registry import encoded, index
from numeric import registry as measuring
from numeric.agreement import FALSE_ALARM_BUDGET
from proofs import registry as proving

__all__ = ["random_true_statements", "run"]

SEEDS = 100


def random_true_statements() -> list[Claim]:
    """Proved claims, and proved repairs of the others, whose estimator draws."""
    found = []
    for claim in encoded().values():
        prove, estimator = proving.proof_of(claim), measuring.estimator_of(claim)
        if prove is None or estimator is None or not estimator.random:
            continue
        if prove(claim).status == "proved":
            found.append(claim)
        elif claim.repair is not None and prove(claim.repair).status == "proved":
            found.append(claim.repair)
    return found


def alarms_of_seed(seed: int) -> tuple[list[str], float, int]:
    """Statements that one audit's measurements reject, the largest |z|, and the number of tests."""
    torch.set_num_threads(1)
    load_witnesses()
    share = FALSE_ALARM_BUDGET / (2 * len(index()))
    rejected, largest, tests = [], 0.0, 0
    for claim in random_true_statements():
        result = measuring.measure(claim, seed=seed, budget=share, effort=measuring.QUICK)
        assert result is not None
        rejected += [claim.id] * (result.status == "disagrees")
        bound = getattr(claim.statement, "relation", "=") == "<="  # slack is no alarm
        scores = [z if bound else abs(z) for case in result.cases if (z := case.z) is not None]
        largest, tests = max([largest, *scores]), tests + len(result.cases)
    return rejected, largest, tests


def run(console: Console | None = None, *, seeds: int = SEEDS) -> dict[str, Any]:
    """Measure every true statement with `seeds` different seeds and count rejections."""
    started = perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(alarms_of_seed, range(1, seeds + 1)))
    rejected = [claim for found, _, _ in outcomes for claim in found]
    figures = {
        "seeds": seeds,
        "tests": sum(tests for _, _, tests in outcomes),
        "false_alarms": len(rejected),
        "rejected": sorted(set(rejected)),
        "largest_z": max(largest for _, largest, _ in outcomes),
        "false_alarm_budget": FALSE_ALARM_BUDGET,
        "seconds": round(perf_counter() - started, 1),
    }
    if console is not None:
        console.print(
            f"{figures['seeds']} audits, {figures['tests']} tests of true statements: "
            f"{figures['false_alarms']} false alarms, largest |z| {figures['largest_z']:.2f}, "
            f"{figures['seconds']} s",
            highlight=False,
        )
    return figures
