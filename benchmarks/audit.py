"""The whole audit, paper by paper: seconds, peak memory, the longest claim, and what is kept afterwards.

Every audit is a program of its own with an empty store, as who runs it first has it; the second run finds
everything kept.  `largest_process_mib` is the largest resident set of any of its processes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from claims.registry import index

__all__ = ["audited", "longest_of", "run"]

ROOT = Path(__file__).resolve().parents[1]
EFFORTS = ("quick", "standard")


def audited(
    selectors: tuple[str, ...], folder: Path, *options: str
) -> tuple[float, dict[str, Any]]:
    """Wall-clock seconds of an audit, and its document; its store lies in the folder."""
    document = folder / "audit.json"
    command = [sys.executable, "-m", "audit", "audit", *selectors, "--json", str(document)]
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH")) if p)
    place = {**os.environ, "PYTHONPATH": path, "TWOFOLD_STORE": str(folder / "store")}
    started = perf_counter()
    done = subprocess.run(
        [*command, *options], cwd=folder, env=place, capture_output=True, text=True, check=False
    )
    seconds = perf_counter() - started
    if not document.exists():
        raise RuntimeError(f"{' '.join(selectors)}: the audit wrote nothing: {done.stderr.strip()}")
    return seconds, json.loads(document.read_text(encoding="utf-8"))


def longest_of(document: dict[str, Any]) -> tuple[str, float, float]:
    """The claim whose witnesses took longest, its seconds, and those of all claims together."""
    spent = {
        record["id"]: sum((record[w] or {}).get("seconds", 0.0) for w in ("proof", "measurement"))
        for record in document["claims"]
    }
    longest = max(spent, key=spent.__getitem__)
    return longest, spent[longest], sum(spent.values())


def measure(selectors: tuple[str, ...], effort: str, workers: int) -> dict[str, Any]:
    """One audit from nothing, and the same once more."""
    options = ("--budget", effort, "--workers", str(workers))
    with tempfile.TemporaryDirectory() as folder:
        seconds, document = audited(selectors, Path(folder), *options)
        again, _ = audited(selectors, Path(folder), *options)
    longest, of_longest, witnesses = longest_of(document)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "selectors": list(selectors), "effort": effort, "workers": workers,
        "claims": len(document["claims"]), "seconds": seconds, "again_seconds": again,
        "witness_seconds": witnesses, "longest": longest, "longest_seconds": of_longest,
        "largest_process_mib": peak,
    }  # fmt: skip


def run(
    console: Console | None = None, *, efforts: tuple[str, ...] = EFFORTS,
    selections: tuple[tuple[str, ...], ...] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Every paper by itself, then all of them, at each effort, with a process for each core."""
    papers = tuple(dict.fromkeys(entry.paper for entry in index()))
    chosen = selections or (*((paper,) for paper in papers), papers)
    cores = os.cpu_count() or 1
    cases = [measure(selectors, effort, cores) for effort in efforts for selectors in chosen]
    if console is not None:
        table = Table(
            "effort", "papers", "claims", "s", "again, s", "longest claim", "s", "MiB", box=None
        )
        for case in cases:
            table.add_row(
                case["effort"], str(len(case["selectors"])), str(case["claims"]),
                f"{case['seconds']:.1f}", f"{case['again_seconds']:.1f}", case["longest"],
                f"{case['longest_seconds']:.1f}", f"{case['largest_process_mib']:.0f}",
            )  # fmt: skip
        console.print(table)
    return {"cases": cases}
