"""One worker against two, in processes of the audit and on a Dask cluster of this machine.

The cluster is started here, a scheduler and its workers as programs of their own, and stopped again;
each audit has an empty store.  The verdicts of all runs must be the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.audit import ROOT, audited
from benchmarks.timing import spread

__all__ = ["cluster", "program", "run"]

SELECTORS = ("noci2022",)
WORKERS, ROUNDS = (1, 2), 3
REQUIRED = {"two_workers_over_one": 1.7}


@contextmanager
def program(name: str, *args: str, until: str, path: Path = ROOT) -> Iterator[tuple[Any, str]]:
    """A Dask scheduler or worker as a program, once it has said `until`; yields it and that line."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{name}", *args, "--no-dashboard"],
        env={**os.environ, "PYTHONPATH": str(path)}, stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL, cwd=path,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        yield process, next(line for line in process.stderr if until in line)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        process.stderr.close()


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler with so many workers of one thread each."""
    with ExitStack() as parts:
        started = program("scheduler", "--host", "127.0.0.1", "--port", "0", until="Scheduler at:")
        _, line = parts.enter_context(started)
        address = re.search(r"tcp://\S+", line)
        assert address is not None
        for _ in range(workers):
            args = address[0], "--nthreads", "1", "--no-nanny"
            parts.enter_context(program("worker", *args, until="Registered to"))
        yield address[0]


def measure(selectors: tuple[str, ...], place: str, workers: int) -> tuple[float, dict[str, str]]:
    """Seconds of an audit in processes or on a cluster, and its verdicts."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        options = ["--budget", "quick", "--workers", str(workers)]
        if place == "cluster":
            options += ["--scheduler", stack.enter_context(cluster(workers))]
        seconds, document = audited(selectors, Path(folder), *options)
    return seconds, {record["id"]: record["verdict"] for record in document["claims"]}


def run(
    console: Console | None = None, *, selectors: tuple[str, ...] = SELECTORS, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Both places, one worker and two, by turns."""
    taken: dict[tuple[str, int], list[float]] = {}
    verdicts: list[dict[str, str]] = []
    for _ in range(rounds):
        for place in ("processes", "cluster"):
            for workers in WORKERS:
                seconds, found = measure(selectors, place, workers)
                taken.setdefault((place, workers), []).append(seconds)
                verdicts.append(found)
    cases: list[dict[str, Any]] = [
        {
            "place": place, "workers": workers, **spread("seconds", seconds),
            "ratio": spread("s", taken[place, 1])["s"] / spread("s", seconds)["s"],
        }
        for (place, workers), seconds in taken.items()
    ]  # fmt: skip
    same = all(found == verdicts[0] for found in verdicts)
    if console is not None:
        table = Table("where", "workers", "s", "over one worker", box=None)
        for case in cases:
            table.add_row(
                case["place"],
                str(case["workers"]),
                f"{case['seconds']:.1f}",
                f"{case['ratio']:.2f}",
            )
        console.print(table)
    return {
        "selectors": list(selectors), "claims": len(verdicts[0]), "cases": cases,
        "same_verdicts": same, "required": REQUIRED,
    }  # fmt: skip
