"""The two largest singular values of softmax attention: Lanczos against a full decomposition.

Orthonormal tokens with d_qk = T, so that logits are Q K^T/sqrt(T).  Both sides work on the same matrix,
one after the other, on one thread; the largest relative difference of their values is part of the result.
"""

from __future__ import annotations

from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from benchmarks.timing import one_thread, spread, timed
from numeric.naitsaada2025.ensembles import attention, key_query_logits
from numeric.naitsaada2025.extreme_singular_values import largest_singular_values
from numeric.sampling import generator

__all__ = ["drawn", "run"]

SIZES = (512, 1024, 2048, 4096)
ROUNDS = 3
NAMES = ("seconds", "full_seconds")
REQUIRED = {"relative_difference": 1e-6, "ratio_at_4096": 20.0}


def drawn(size: int) -> Tensor:
    """One softmax attention of this size, (1, T, T)."""
    rng = generator(0, "benchmark", "spectra", size)
    return attention("softmax", key_query_logits(rng, 1, size, size))


def measure(size: int, rounds: int) -> dict[str, Any]:
    """Seconds of both for one matrix of this size, by turns, and how far apart their values are."""
    matrices = drawn(size)
    found: dict[str, Any] = {}

    def two() -> None:
        found["two"] = largest_singular_values(matrices, 2, full=2)

    def every() -> None:
        found["every"] = torch.linalg.svdvals(matrices)[:, :2]

    pairs = [(timed(two), timed(every)) for _ in range(rounds)]
    few, many = (
        spread(name, seconds) for name, seconds in zip(NAMES, zip(*pairs, strict=True), strict=True)
    )
    away = ((found["two"] - found["every"]) / found["every"]).abs().max()
    return {
        "T": size, **few, **many, "ratio": many["full_seconds"] / few["seconds"],
        "s_1": float(found["two"][0, 0]), "s_2": float(found["two"][0, 1]),
        "relative_difference": float(away),
    }  # fmt: skip


def run(
    console: Console | None = None, *, sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Both for every size."""
    with one_thread():
        cases = [measure(size, rounds) for size in sizes]
    if console is not None:
        table = Table("T", "two values, s", "all, s", "ratio", "difference", box=None)
        for case in cases:
            table.add_row(
                str(case["T"]), f"{case['seconds']:.3f}", f"{case['full_seconds']:.2f}",
                f"{case['ratio']:.1f}", f"{case['relative_difference']:.1e}",
            )  # fmt: skip
        console.print(table)
    return {"cases": cases, "required": REQUIRED}
