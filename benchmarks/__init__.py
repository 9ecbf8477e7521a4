"""Benchmarks, each a function `run(console) -> figures`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

BENCHMARKS = ("calculus", "sampling", "false-alarms")


def run_benchmark(name: str, console: Any) -> dict[str, Any]:
    """Run one benchmark by name and return its figures."""
    return import_module(f"benchmarks.{name.replace('-', '_')}").run(console)
