r"""Coverage of the interval at the level of the error budget, on the project's most skewed samples.

A test may miss with probability 1e-9; counting would take 1e11 tests.  Two roads lead there instead:

* importance sampling: a law with the shape of an estimator's samples (2^18 of them, each equally
  likely, so that mean and moment generating function are known exactly) is tilted to e^{-ty} or
  e^{ty}, where misses are common, and each miss counts with its likelihood ratio;
* Chernoff's bound: a stake misses where a sum of bounded functions of the samples is large; the
  exponential moments of such a sum follow from those of one sample.

The looks are those of a test: after 2048 samples, 4096 and so on; their probabilities are added up.
Student's t on 32 to 63 block means, with the budget shared over the looks, stands beside it: that was
the interval before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import stats
from torch import Tensor

from audit.examine import load_witnesses
from benchmarks.false_alarms import random_true_statements, skewness
from claims.model import Claim
from claims.registry import index
from numeric import registry as measuring
from numeric import sampling
from numeric.agreement import CHUNK, FALSE_ALARM_BUDGET
from numeric.cases import choose_cases
from numeric.estimates import PILOT, STAKES, Estimate
from numeric.sampling import generator, normal

__all__ = ["INTERVALS", "Law", "chernoff_bound", "miss_probability", "run"]

POOL, TESTS, LOOKS, WORST = 2**17, 100, 5, 2
TILTS = (3.0, 5.0, 7.0, 9.0)
"""Of the sum of the samples, in standard deviations."""
ORDERS = (0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0)
"""Exponential moments among which the bound chooses."""
Floats = NDArray[np.float64]
Interval = Callable[[Tensor, int, float], tuple[float, float]]


@dataclass(frozen=True)
class Law:
    """A finite law: each of its sorted values is equally likely."""

    name: str
    values: Floats

    @classmethod
    def of(cls, name: str, samples: Tensor) -> Law:
        return cls(name, np.sort(samples.double().numpy()))

    @property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)

    @property
    def spread(self) -> float:
        return float(self.values.std())

    @property
    def skewness(self) -> float:
        return float(stats.skew(self.values))


def betting(samples: Tensor, look: int, budget: float) -> tuple[float, float]:
    """The project's interval; it holds at all looks at once."""
    estimate = Estimate()
    estimate.add(samples)
    return estimate.mean, estimate.half_width(budget)


def student(samples: Tensor, look: int, budget: float) -> tuple[float, float]:
    """Student's t on 32 block means, the budget shared over the looks as 6 / (pi^2 (look + 1)^2)."""
    blocks = samples.reshape(32, -1).mean(dim=1)
    quantile = float(stats.t.isf(budget * 3 / (math.pi * (look + 1)) ** 2, 31))
    return float(blocks.mean()), quantile * float(blocks.std()) / math.sqrt(32)


INTERVALS: dict[str, Interval] = {"student": student, "betting": betting}


def miss_probability(
    law: Law, side: int, budget: float, tests: int = TESTS, looks: int = LOOKS
) -> dict[str, dict[str, float]]:
    """P(an interval lies above (side 1) or below (side -1) the mean), for each interval, over all looks.

    The probabilities of the looks are added up; at each, of several tilts the one with the least
    relative error is taken.
    """
    totals = {name: {"probability": 0.0, "error": 0.0, "misses": 0.0} for name in INTERVALS}
    for look in range(looks):
        results = [_tilted(law, side, budget, x, tests, look) for x in TILTS]
        for name, total in totals.items():
            seen = [r[name] for r in results if r[name]["probability"] > 0]
            if seen:
                best = min(seen, key=lambda r: r["error"] / r["probability"])
                total["probability"] += best["probability"]
                total["error"] = math.hypot(total["error"], best["error"])
                total["misses"] += best["misses"]
    return totals


def _tilted(
    law: Law, side: int, budget: float, x: float, tests: int, look: int
) -> dict[str, dict[str, float]]:
    """Miss probabilities at a look, by samples from the law tilted to `x` standard deviations."""
    count, mean = CHUNK * 2**look, law.mean
    exponents = side * x / (law.spread * math.sqrt(count)) * (law.values - mean)
    exponents -= exponents.max()  # a constant factor of weights and of their mean
    weights = np.exp(exponents)
    log_moment, cumulative = math.log(weights.mean()), np.cumsum(weights) / weights.sum()
    rng = np.random.default_rng(sampling.stream_seed(0, "coverage", law.name, side, x, look))
    found = {name: np.zeros(tests) for name in INTERVALS}
    for test in range(tests):
        places = np.searchsorted(cumulative, np.sort(rng.random(count)))
        rng.shuffle(places)
        ratio = count * log_moment - float(exponents[places].sum())
        samples = torch.from_numpy(law.values[places])
        for name, interval in INTERVALS.items():
            value, width = interval(samples, look, budget)
            if side * (value - mean) > width:
                found[name][test] = math.exp(min(700.0, ratio))
    return {
        name: {
            "probability": float(weight.mean()),
            "error": float(weight.std(ddof=1)) / math.sqrt(tests),
            "misses": float((weight > 0).sum()),
        }
        for name, weight in found.items()
    }


def chernoff_bound(law: Law, side: int, budget: float, looks: int = LOOKS) -> float:
    """A bound on P(the project's interval lies above or below the mean at some look), for a known law.

    With y the deviation that the stake s bets against, the interval misses by this stake only where
    sum(-s y - (s y)^2/2 - |s y|^3/3) >= log(1/a) and no sample is beyond b = 1/(2s).  The left side
    has exponential moments of every order; the best of a few bounds the probability.  Centre and
    scale, which the pilot fixes, are taken as the law's own.
    """
    y = side * (law.values - law.mean)
    largest, total = float(np.abs(y).max()), 0.0
    for j in range(STAKES):
        stake = 2.0 ** (-2 - j / 2) / law.spread
        share = budget / 2 * 6 / (math.pi * (j + 1)) ** 2
        u = stake * y[np.abs(y) <= 1 / (2 * stake)]
        if stake * largest < 1e-3:  # a martingale up to rounding: at all looks together, its share
            total += share
            continue
        term = u - u**2 / 2 - np.abs(u) ** 3 / 3
        moments = [(r, math.log(max(np.exp(r * term).sum(), 1e-300) / len(y))) for r in ORDERS]
        for look in range(looks):
            count = CHUNK * 2**look - PILOT
            total += math.exp(min(0.0, *(r * math.log(share) + count * m for r, m in moments)))
    return total


@contextmanager
def free_lengths() -> Iterator[None]:
    """Gaussian matrices keep their random lengths, as they did before."""
    with patch.object(sampling, "_at_one_radius", lambda standard, degree: standard):
        yield


def samples_of(claim: Claim, case: int, count: int, *, fixed: bool) -> Tensor:
    """Samples of a claim's estimator at one of its cases, by chunks."""
    point = choose_cases(claim, measuring.QUICK.cases, seed=0)[case]
    estimator = measuring.estimator_of(claim)
    assert estimator is not None

    def draw(chunk: int) -> Tensor:
        return estimator.run(point, generator(0, "coverage", claim.id, case, chunk), CHUNK)

    if fixed:
        return torch.cat([draw(chunk) for chunk in range(count // CHUNK)])
    with free_lengths():
        return torch.cat([draw(chunk) for chunk in range(count // CHUNK)])


def skewness_table(claims: Sequence[Claim], count: int = 2**14) -> list[dict[str, Any]]:
    """Skewness of the samples of every true statement at its cases, lengths free and fixed."""
    rows = []
    for claim in claims:
        for case in range(measuring.QUICK.cases):
            found = {
                name: skewness(samples_of(claim, case, count, fixed=fixed))
                for name, fixed in (("free", False), ("fixed", True))
            }
            rows.append({"claim": claim.id, "case": case, **found})
    return rows


def laws(rows: list[dict[str, Any]], claims: Sequence[Claim], worst: int, pool: int) -> list[Law]:
    """The most skewed samples, lengths free and fixed, and powers of one Gaussian."""
    by_id = {claim.id: claim for claim in claims}
    found = [
        Law.of(f"z^{power}", normal(generator(0, "coverage", power), pool) ** power)
        for power in (2, 4, 6)
    ]
    for name, fixed in (("free", False), ("fixed", True)):
        for row in sorted(rows, key=lambda row: -abs(row[name]))[:worst]:
            samples = samples_of(by_id[row["claim"]], row["case"], pool, fixed=fixed)
            found.append(Law.of(f"{row['claim']}, case {row['case']}, {name} lengths", samples))
    return found


SIDES = {"too_low": -1, "too_high": 1}


def coverage_of(law: Law, budget: float, tests: int, looks: int) -> dict[str, Any]:
    """Both intervals on one law, to both sides."""
    result: dict[str, Any] = {"law": law.name, "skewness": round(law.skewness, 2)}
    for word, side in SIDES.items():
        found = miss_probability(law, side, budget, tests, looks)
        result[word] = {**found, "bound": chernoff_bound(law, side, budget, looks)}
    return result


def run(
    console: Console | None = None, *, tests: int = TESTS, looks: int = LOOKS, worst: int = WORST,
    pool: int = POOL,
) -> dict[str, Any]:  # fmt: skip
    """Miss probabilities of both intervals on the most skewed samples, at the budget of one test."""
    torch.set_num_threads(1)
    load_witnesses()
    claims = random_true_statements()
    budget = FALSE_ALARM_BUDGET / (2 * len(index())) / measuring.QUICK.cases
    rows = skewness_table(claims)
    chosen = laws(rows, claims, worst, pool)
    cases = [coverage_of(law, budget, tests, looks) for law in chosen]
    figures = {
        "budget_of_one_test": budget, "samples": CHUNK * 2 ** (looks - 1), "looks": looks,
        "tests": tests, "pool": pool, "cases": cases,
    }  # fmt: skip
    if console is not None:
        _show(figures, console)
    return figures


def _show(figures: dict[str, Any], console: Console) -> None:
    """A row for each law: promised, and found for either interval and side."""
    table = Table(title=f"Probability of a miss; promised: {figures['budget_of_one_test']:.1e}")
    for heading in ("samples", "skewness", "Student low", "high", "bets low", "high", "bound"):
        table.add_column(heading, justify="left" if heading == "samples" else "right")
    for case in figures["cases"]:
        cells = [f"{case[word][name]['probability']:.0e}" for name in INTERVALS for word in SIDES]
        bound = sum(case[word]["bound"] for word in SIDES)
        table.add_row(case["law"], f"{case['skewness']:.1f}", *cells, f"{bound:.0e}")
    console.print(table)
