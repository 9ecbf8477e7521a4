"""Benchmarks, each a function `run(console) -> figures`, and the hardware they ran on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from audit.files import write_whole
from audit.run import commit
from numeric import device

__all__ = ["BENCHMARKS", "hardware", "made", "run_benchmark", "write_record"]

BENCHMARKS = (
    "calculus", "kernel", "sampling", "spectra", "statistics", "basins", "adversary", "coverage",
    "false-alarms", "cluster", "audit", "card", "card-audit",
)  # fmt: skip


def run_benchmark(name: str, console: Any) -> dict[str, Any]:
    """Run one benchmark by name; its figures, with the hardware they were measured on."""
    figures = import_module(f"benchmarks.{name.replace('-', '_')}").run(console)
    return {"hardware": hardware(), **figures}


def hardware() -> dict[str, Any]:
    """Processor, cores, device, versions and the load before: a figure without them says little.

    >>> sorted(hardware())
    ['cores', 'device', 'load', 'processor', 'python', 'torch']
    """
    return {
        "device": device.name(),
        "load": round(os.getloadavg()[0], 2),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": version("torch"),
    }


def made() -> dict[str, str]:
    """The commit, in short, and the day of a record that is made now."""
    return {"commit": (commit() or "")[:7], "date": datetime.now(UTC).date().isoformat()}


def write_record(record: Mapping[str, Any], path: Path) -> None:
    """Keep a record, whole or not at all: it may hold the work of hours."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, text.encode(), "the record")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
