"""Clocks of the benchmarks: repeats, their median and their spread, on one thread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

__all__ = ["one_thread", "repeated", "spread", "timed"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread, and as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of one call, by the clock on the wall or by another."""
    start = clock()
    work()
    return clock() - start


def spread(name: str, values: Sequence[float]) -> dict[str, float]:
    """The median of repeats under a name, and the least and the greatest beside it.

    >>> spread("seconds", [3.0, 1.0, 2.0])
    {'seconds': 2.0, 'seconds_low': 1.0, 'seconds_high': 3.0}
    """
    return {
        name: statistics.median(values), f"{name}_low": min(values), f"{name}_high": max(values),
    }  # fmt: skip


def repeated(work: Callable[[], Any], rounds: int, name: str = "seconds") -> dict[str, float]:
    """Seconds of so many calls, as their median and spread."""
    return spread(name, [timed(work) for _ in range(rounds)])
