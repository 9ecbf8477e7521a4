"""Pairs of tokens that keep rank two in wu2024's counterexample: orbits per second, and the measure.

An orbit is one pair of starting angles, followed until a proved rule decides it
(`numeric.basins`).  The weights are shared among processes of one thread each, since the batches fit
a core's cache; `seconds` is the wall-clock time of all weights together.  Beside each simulated share
stands the integral over the separatrix, which uses no sampling.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.timing import repeated
from numeric.basins import frozen_share, kept_share, simulated_share

__all__ = ["run"]

WEIGHTS = (1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
ORBITS, ROUNDS = 2**21, 3
REQUIRED = {"half_width": 0.001, "seconds": 20.0, "orbits_per_second": 1e6}
"""Least accuracy (95%), most seconds for all weights, and least speed on two cores."""


def measure(weight: float, orbits: int) -> dict[str, Any]:
    """The share for one weight, with its interval and the two formulas."""
    torch.set_num_threads(1)
    share = simulated_share(weight, orbits=orbits)
    return {
        "w": weight,
        "share": share.value,
        "half_width": share.half_width,
        "undecided": share.undecided,
        "orbits": share.orbits,
        "integral": kept_share(weight),
        "first_token_at_pole": frozen_share(weight),
    }


def run(
    console: Console | None = None, *, orbits: int = ORBITS, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Measure the share for eight weights on all cores."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("forkserver")) as pool:
        list(pool.map(measure, WEIGHTS[:2], [2**10] * 2))  # start the workers
        found: list[list[dict[str, Any]]] = []
        taken = repeated(
            lambda: found.append(list(pool.map(measure, WEIGHTS, [orbits] * len(WEIGHTS)))), rounds
        )
    cases, seconds = found[-1], taken["seconds"]
    rate = sum(case["orbits"] for case in cases) / seconds
    if console is not None:
        table = Table("w", "share", "+- 95%", "integral", "first token at pole", box=None)
        for case in cases:
            table.add_row(
                f"{case['w']:g}", f"{case['share']:.5f}", f"{case['half_width']:.5f}",
                f"{case['integral']:.5f}", f"{case['first_token_at_pole']:.4f}",
            )  # fmt: skip
        console.print(table)
        console.print(f"{rate / 1e6:.2f} million orbits/s, {seconds:.1f} s", highlight=False)
    return {
        "cases": cases, **taken, "orbits_per_second": round(rate), "required": REQUIRED,
    }  # fmt: skip
