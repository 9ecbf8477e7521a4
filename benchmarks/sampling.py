r"""Time to 1 % standard error of E||dS/dW^Q||_F^2 under true softmax: ours against autograd.

Tokens are one fixed draw with unit entry variance; W^Q, W^K, W^V have i.i.d. N(0, 1/d) entries.
The baseline loops over `torch.autograd.functional.jacobian`, one draw of the weights at a time.
Ours is `gradient_norm_samples`, which also averages W^V out.  For either,

    time = seconds per sample * (coefficient of variation / 0.01)^2,

with the seconds of both measured alternately in one run (medians), and the baseline's coefficient
of variation taken from fast samples of the same law (W^V drawn), since its own would take days.
The two estimators are also compared on equal weights, so that a fast wrong answer shows.

Everything runs on one thread: samples are independent, so further cores are used by further
processes, and two threads on a busy two-core machine were seen to take 10 to 50 times as long for
these small products.  One Jacobian at n = d = 128 took 28 s on two threads and 32 s on one.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from benchmarks.timing import one_thread, spread, timed
from numeric.gradient_norms import gradient_norm_samples
from numeric.jacobians import (
    chunk_size,
    query_gradient_norm,
)
from numeric.layers import Sizes, Variances, Weights, attention, draw_entries, draw_weights
from numeric.sampling import generator

__all__ = ["run"]

TARGET = 0.01
FAMILIES = ("queries", "keys", "values")
REQUIRED = {32: 1000.0, 128: 3000.0}
BASELINE_LIMIT_S = 75.0
BASELINE_LIMIT_BYTES = 12e9


def problem(n: int, d: int) -> tuple[Tensor, Variances]:
    """Tokens (n, v) with unit-variance entries, and weight variances 1/d."""
    x = draw_entries((n, d), 1.0, generator(0, "benchmark", "tokens", n, d))
    return x, Variances(q=1 / d, k=1 / d, v=1 / d)


def sampler(n: int, d: int, *, average: bool, stream: object) -> Callable[[int], Tensor]:
    """The fast sampler of one problem, as a function of the number of samples."""
    x, variances = problem(n, d)
    rng = generator(0, "benchmark", n, d, average, stream)
    return lambda count: gradient_norm_samples(
        "queries", x, d, variances, rng, count, average_values=average
    )


def variation(samples: Tensor) -> float:
    """Coefficient of variation: standard deviation over mean."""
    return float(samples.std() / samples.mean())


def baseline_norm(x: Tensor, weights: Weights, outputs: int | None = None) -> float:
    """||dS/dW^Q||_F^2 by autograd, of the first `outputs` entries of S only if given."""

    def layer(wq: Tensor) -> Tensor:
        return attention(x, wq, weights.wk, weights.wv).flatten()[:outputs]

    return float(torch.autograd.functional.jacobian(layer, weights.wq).square_().sum())


def measure_baseline(n: int, d: int, index: int) -> dict[str, Any]:
    """Seconds of one Jacobian and its deviation from the fast form on the same weights.

    A Jacobian beyond the time or memory limit is projected from its first 64 outputs, whose cost
    is proportional to their number; `projected` says so.
    """
    x, variances = problem(n, d)

    def one(outputs: int | None) -> tuple[float, float]:
        start = time.perf_counter()
        # The baseline draws its own weights, as a loop over samples must.
        weights = draw_weights(Sizes(d, d), variances, generator(0, "benchmark", n, d, index))
        norm = baseline_norm(x, weights, outputs)
        seconds = time.perf_counter() - start
        fast = float(query_gradient_norm(x, weights.wq, weights.wk, weights.wv))
        return seconds, abs(norm / fast - 1)

    if n * d > 64:
        projection = one(64)[0] * n * d / 64
        held = 3 * 8 * (n * d) * (d * d)  # the rows, their stack, and one temporary
        if projection > BASELINE_LIMIT_S or held > BASELINE_LIMIT_BYTES:
            return {"seconds": projection, "deviation": None, "projected": True}
    seconds, deviation = one(None)
    return {"seconds": seconds, "deviation": deviation, "projected": False}


def matmul_rate(n: int, batch: int) -> float:
    """Float64 flops of torch.bmm per second of the processor, on `batch` n x n matrices, output reused."""
    left, right = torch.rand(2, batch, n, n, dtype=torch.float64)
    out = torch.empty_like(left)
    repeats = max(1, int(2e8 / (2 * batch * n**3)))

    def work() -> None:
        for _ in range(repeats):
            torch.bmm(left, right, out=out)

    work()
    return repeats * 2 * batch * n**3 / timed(work, time.process_time)


def matmul_flops(n: int, d_v: int, d_k: int) -> int:
    """Flops of one query sample's products: X W^Q, X W^K; logits, keys' Gram; A P, A Q, A (P o Q)."""
    return 2 * (2 * n * d_v * d_k + 2 * n * n * d_k + 3 * n**3)


def against_matmul(n: int, d: int, count: int, rounds: int = 9) -> dict[str, float]:
    """The flops of sampling, over those of torch.bmm in the same time, and the rate of torch.bmm.

    By turns, and in seconds of the processor: what else a machine does slows both alike.
    """
    ours = sampler(n, d, average=True, stream="matmul")
    ours(count)
    rates, shares = [], []
    for _ in range(rounds):
        rates.append(matmul_rate(n, chunk_size(n, d, d)))
        seconds = timed(lambda: ours(count), time.process_time) / count
        shares.append(matmul_flops(n, d, d) / seconds / rates[-1])
    return {**spread("bmm_flops_per_second", rates), **spread("matmul_fraction", shares)}


def draw_seconds(d: int, count: int) -> float:
    """Seconds per sample spent on drawing W^Q and W^K alone."""
    rng = generator(0, "benchmark", "draws", d)
    batch = chunk_size(d, d, d)
    rounds = max(1, count // batch)

    def work() -> None:
        for _ in range(2 * rounds):
            draw_entries((batch, d, d), 1 / d, rng)

    work()
    return timed(work) / (rounds * batch)


def compare(n: int, d: int, *, rounds: int, count: int, cv_count: int) -> dict[str, Any]:
    """Baseline and ours at one size, measured in alternation."""
    ours = sampler(n, d, average=True, stream="timing")
    ours(count)
    fast, slow = [timed(lambda: ours(count)) / count], []
    for index in range(rounds):
        slow.append(measure_baseline(n, d, index))
        fast.extend(timed(lambda: ours(count)) / count for _ in range(3))
    seconds = statistics.median(fast)
    baseline = statistics.median(s["seconds"] for s in slow)
    cv = variation(sampler(n, d, average=True, stream="cv")(cv_count))
    cv_drawn = variation(sampler(n, d, average=False, stream="cv")(cv_count))
    projected = [s["seconds"] * (cv_drawn / TARGET) ** 2 for s in slow]
    times = [statistics.median(projected), seconds * (cv / TARGET) ** 2]
    checked = [s["deviation"] for s in slow if s["deviation"] is not None]
    return {
        "n": n,
        "d": d,
        "baseline_seconds_per_sample": baseline,
        "baseline_samples_timed": rounds,
        "baseline_projected": any(s["projected"] for s in slow),
        "baseline_cv": cv_drawn,
        **spread("baseline_seconds_to_target", projected),
        "seconds_per_sample": seconds,
        "samples_per_second": 1 / seconds,
        "cv": cv,
        **spread("seconds_to_target", [s * (cv / TARGET) ** 2 for s in fast]),
        "ratio": times[0] / times[1],
        "required": REQUIRED.get(n),
        "met": times[0] / times[1] >= REQUIRED.get(n, 0.0),
        "largest_relative_deviation": max(checked, default=None),
        **against_matmul(n, d, count),
        "draw_share": draw_seconds(d, count) / seconds,
    }


def family(parameter: str, n: int, d: int, *, rounds: int, count: int) -> dict[str, Any]:
    """Seconds per sample of one family of estimators, and of one Jacobian by autograd, in alternation."""
    x, variances = problem(n, d)
    rng = generator(0, "benchmark", parameter, n, d)

    def ours() -> Tensor:
        return gradient_norm_samples(parameter, x, d, variances, rng, count)  # type: ignore[arg-type]

    def jacobian() -> Tensor:
        w = draw_weights(Sizes(d, d), variances, generator(0, "benchmark", parameter))
        inputs = {"queries": w.wq, "keys": w.wk, "values": w.wv}

        def layer(moved: Tensor) -> Tensor:
            return attention(x, *(inputs | {parameter: moved}).values())

        found: Tensor = torch.autograd.functional.jacobian(layer, inputs[parameter])
        return found.square().sum()

    ours()
    fast, slow = [], []
    for _ in range(rounds):
        slow.append(timed(jacobian))
        fast.append(timed(ours) / count)
    return {
        "family": parameter, "n": n, "d": d, **spread("seconds", fast),
        **spread("baseline_seconds", slow),
        "ratio": statistics.median(slow) / statistics.median(fast),
    }  # fmt: skip


def slope(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Least-squares slope of log seconds over log size."""
    horizontal = [math.log(s) for s in sizes]
    return statistics.linear_regression(horizontal, [math.log(s) for s in seconds]).slope


def growth(sizes: Sequence[int], fixed: int, budget: float) -> dict[str, Any]:
    """Seconds per sample over n at d = `fixed`, and over d at n = `fixed`, with log-log slopes."""

    def per_sample(n: int, d: int) -> dict[str, float]:
        draw = sampler(n, d, average=True, stream="growth")
        count = max(4, int(budget / matmul_flops(n, d, d)))
        draw(count)
        return spread("seconds", [timed(lambda: draw(count)) / count for _ in range(5)])

    over = {"n": [per_sample(n, fixed) for n in sizes], "d": [per_sample(fixed, d) for d in sizes]}
    medians = {axis: [found["seconds"] for found in cases] for axis, cases in over.items()}
    return {
        "sizes": list(sizes),
        "fixed": fixed,
        "cases": [
            {"axis": axis, "size": size, **found}
            for axis, cases in over.items()
            for size, found in zip(sizes, cases, strict=True)
        ],
        **{f"slope_{axis}": slope(sizes, seconds) for axis, seconds in medians.items()},
    }


def show(console: Console, result: dict[str, Any]) -> None:
    """Two tables: the comparison, and growth with n and d."""
    table = Table(title="Time to 1 % standard error of E||dS/dW^Q||^2, true softmax, float64")
    for heading in ("n = d", "autograd", "ours", "ratio", "required", "samples/s", "matmul rate"):
        table.add_column(heading, justify="right")
    for case in result["cases"]:
        mark = " (projected)" if case["baseline_projected"] else ""
        table.add_row(
            str(case["n"]),
            f"{case['baseline_seconds_to_target']:.3g} s{mark}",
            f"{1e3 * case['seconds_to_target']:.3g} ms",
            f"{case['ratio']:,.0f}",
            "-" if case["required"] is None else f"{case['required']:,.0f}",
            f"{case['samples_per_second']:,.0f}",
            f"{case['matmul_fraction']:.0%}",
        )
    console.print(table)
    table = Table(title="Microseconds per sample, by what is differentiated by")
    for heading in ("", "ours", "one Jacobian by autograd", "ratio"):
        table.add_column(heading, justify="right")
    for case in result["families"]:
        fast, slow = (1e6 * case[name] for name in ("seconds", "baseline_seconds"))
        table.add_row(case["family"], f"{fast:.1f}", f"{slow:,.0f}", f"{case['ratio']:,.0f}")
    console.print(table)
    grown = result["growth"]
    table = Table(title=f"Microseconds per sample, other size {grown['fixed']}")
    for heading in ("", *map(str, grown["sizes"]), "slope"):
        table.add_column(heading, justify="right")
    for axis in ("n", "d"):
        cells = [f"{1e6 * c['seconds']:.1f}" for c in grown["cases"] if c["axis"] == axis]
        table.add_row(axis, *cells, f"{grown[f'slope_{axis}']:.2f}")
    console.print(table)


def run(console: Console | None = None, *, quick: bool = False) -> dict[str, Any]:
    """The whole benchmark; `quick` uses tiny sizes, to show that it works and nothing more."""
    with one_thread():
        if quick:
            cases = [compare(8, 8, rounds=1, count=64, cv_count=256)]
            families = [family(name, 8, 8, rounds=1, count=64) for name in FAMILIES]
            grown = growth((4, 8), 4, budget=1e5)
        else:
            # One to two minutes, most of it the single 16384 x 16384 Jacobian.
            cases = [
                compare(32, 32, rounds=7, count=4096, cv_count=2**15),
                compare(128, 128, rounds=1, count=256, cv_count=2**12),
            ]
            families = [family(name, 32, 32, rounds=5, count=2048) for name in FAMILIES]
            grown = growth((16, 32, 64, 128), 32, budget=5e8)
    result = {"threads": 1, "cases": cases, "families": families, "growth": grown}
    if console is not None:
        show(console, result)
    return result


if __name__ == "__main__":
    run(Console())
