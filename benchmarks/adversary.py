"""The adversary beside a random search: points looked at until a bound fails, and how near others come.

The random search draws what the adversary starts from, points of the claim's domain at random numbers
of the same three spreads, and reads the same margins; it neither climbs nor steps.  Violations of both
are exact.
"""

from __future__ import annotations

import math
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from audit.examine import load_witnesses
from benchmarks.timing import spread
from claims.model import Claim
from claims.registry import encoded
from claims.witness import fails
from numeric.adversary import COARSE, SCALES, TOUCHING, attack
from numeric.scenes import Judge, Scene

__all__ = ["random_search", "run"]

FALSE = (
    "noci2022.lemma-3.1.input", "wu2024.sec-4.1.rate-monotone-r", "wu2024.lemma-2.upper",
    "wu2024.app-F3.lemma-12", "naitsaada2025.proof-3.6.P2-edge",
    "naitsaada2025.prop-A.9.no-isometry", "naitsaada2025.proof-3.7.denominator",
)  # fmt: skip
"""Bounds that fail, not at the first points that are looked at."""
TRUE = (
    "im2026.lemma-D.2.jac", "naitsaada2025.lemma-A.2.elementary", "noci2022.fig-14",
    "im2026.eq-41.softmax-dev",
)  # fmt: skip
"""Bounds that hold, and that are nearly attained somewhere."""
SEEDS, MOST, ROUNDS = range(5), 2000, (1, 2, 4, 8)


def random_search(claim: Claim, seed: int, most: int) -> tuple[int | None, float | None]:
    """Points until the bound fails (None: not among `most`), and the best ratio of the two sides."""
    rng, judge = Random(f"random/{claim.id}/{seed}"), Judge(claim)
    best: float | None = None
    for looked in range(1, most + 1):
        scene = Scene.around(claim, claim.domain.draw(rng))
        place = [rng.gauss(0, SCALES[looked % len(SCALES)]) for _ in range(scene.size)]
        point = scene.at(place, COARSE) if place else scene.point
        if point is None or (margin := judge(point)) is None:
            continue
        if (
            margin.value > TOUCHING
            and claim.domain.objection(point) is None
            and fails(claim, point)
        ):
            return looked, margin.ratio
        if margin.ratio is not None and math.isfinite(margin.ratio):
            best = margin.ratio if best is None else max(best, margin.ratio)
    return None, best


def measure_failing(claim_id: str, seeds: range, most: int) -> dict[str, Any]:
    """Points and seconds of both until the bound fails, over seeds; `most` where it did not."""
    claim = encoded()[claim_id]
    starts, drawn, seconds, drawn_seconds = [], [], [], []
    for seed in seeds:
        started = perf_counter()
        found = attack(claim, seed=seed)
        between = perf_counter()
        looked, _ = random_search(claim, seed, most)
        starts.append(found.starts if found.violated else most)
        drawn.append(most if looked is None else looked)
        seconds.append(between - started)
        drawn_seconds.append(perf_counter() - between)
    return {
        "claim": claim_id, **spread("points", starts), **spread("random_points", drawn),
        **spread("seconds", seconds), **spread("random_seconds", drawn_seconds),
        "found": sum(s < most for s in starts), "random_found": sum(s < most for s in drawn),
        "seeds": len(seeds),
    }  # fmt: skip


def measure_holding(claim_id: str, seeds: range, rounds: tuple[int, ...]) -> list[dict[str, Any]]:
    """The best ratio after so many rounds, and that of as many random points; over seeds."""
    claim, rows = encoded()[claim_id], []
    for number in rounds:
        climbed = [attack(claim, seed=seed, rounds=number, readings=math.inf) for seed in seeds]
        points = round(median(found.starts for found in climbed))
        drawn = [random_search(claim, seed, points)[1] or 0.0 for seed in seeds]
        assert not any(found.violated for found in climbed)
        rows.append({
            "claim": claim_id, "rounds": number, "points": points,
            **spread("ratio", [found.best_ratio or 0.0 for found in climbed]),
            **spread("random_ratio", drawn),
        })  # fmt: skip
    return rows


def run(
    console: Console | None = None, *, false: tuple[str, ...] = FALSE, true: tuple[str, ...] = TRUE,
    seeds: range = SEEDS, most: int = MOST, rounds: tuple[int, ...] = ROUNDS,
) -> dict[str, Any]:  # fmt: skip
    """Bounds that fail and bounds that hold."""
    load_witnesses()
    failing = [measure_failing(claim_id, seeds, most) for claim_id in false]
    holding = [row for claim_id in true for row in measure_holding(claim_id, seeds, rounds)]
    if console is not None:
        table = Table("bound that fails", "points", "random", "found", "random", box=None)
        for row in failing:
            points, drawn = (f"{row[name]:g}" for name in ("points", "random_points"))
            shares = (f"{row[name]}/{row['seeds']}" for name in ("found", "random_found"))
            table.add_row(row["claim"], points, drawn, *shares)
        console.print(table)
        table = Table("bound that holds", "points", "ratio", "random", box=None)
        for row in holding:
            ratios = (f"{row[name]:.6f}" for name in ("ratio", "random_ratio"))
            table.add_row(row["claim"], str(row["points"]), *ratios)
        console.print(table)
    return {"failing": failing, "holding": holding, "most": most}
