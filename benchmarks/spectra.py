"""The two largest singular values of softmax attention: Lanczos against a full decomposition.

Orthonormal tokens with d_qk = T, so that logits are Q K^T/sqrt(T).  Both sides work on the same matrix,
one after the other, on one thread; the largest relative difference of their values is part of the result.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.sampling import one_thread
from numeric.naitsaada2025.ensembles import attention, key_query_logits
from numeric.naitsaada2025.extreme_singular_values import largest_singular_values
from numeric.sampling import generator

__all__ = ["run"]

SIZES = (512, 1024, 2048, 4096)
REQUIRED = {"relative_difference": 1e-6, "ratio_at_4096": 20.0}


def measure(size: int) -> dict[str, Any]:
    """Seconds of both for one matrix of this size, and how far apart their values are."""
    rng = generator(0, "benchmark", "spectra", size)
    matrices = attention("softmax", key_query_logits(rng, 1, size, size))
    started = perf_counter()
    few = largest_singular_values(matrices, 2, full=2)
    between = perf_counter()
    whole = torch.linalg.svdvals(matrices)[:, :2]
    full_seconds = perf_counter() - between
    seconds = between - started
    return {
        "T": size, "seconds": seconds, "full_seconds": full_seconds,
        "ratio": full_seconds / seconds, "s_1": float(few[0, 0]), "s_2": float(few[0, 1]),
        "relative_difference": float(((few - whole) / whole).abs().max()),
    }  # fmt: skip


def run(console: Console | None = None, *, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Both for every size."""
    with one_thread():
        cases = [measure(size) for size in sizes]
    if console is not None:
        table = Table("T", "two values, s", "all, s", "ratio", "difference", box=None)
        for case in cases:
            table.add_row(
                str(case["T"]), f"{case['seconds']:.3f}", f"{case['full_seconds']:.2f}",
                f"{case['ratio']:.1f}", f"{case['relative_difference']:.1e}",
            )  # fmt: skip
        console.print(table)
    return {"cases": cases, "required": REQUIRED}
