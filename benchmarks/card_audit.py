"""The audit on the device in use, as who runs it first has it: `twofold bench card-audit --device cuda`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.audit import audited, longest_of
from claims.registry import index
from numeric import device

__all__ = ["run"]


def run(
    console: Console | None = None, *, selectors: tuple[str, ...] = (), effort: str = "thorough"
) -> dict[str, Any]:
    """Seconds of an audit of the selected claims (all without a selector), and its longest claim."""
    chosen = selectors or tuple(dict.fromkeys(entry.paper for entry in index()))
    with tempfile.TemporaryDirectory() as folder:
        options = "--budget", effort, "--device", device.current().type
        seconds, document = audited(chosen, Path(folder), *options)
    longest, of_longest, _ = longest_of(document)
    figures = {
        "device": device.name(), "selectors": list(chosen), "effort": effort,
        "claims": len(document["claims"]), "audit_seconds": seconds,
        "longest": longest, "longest_seconds": of_longest,
    }  # fmt: skip
    if console is not None:
        console.print(
            f"{figures['device']}: {effort} audit of {figures['claims']} claims in {seconds:,.0f} s",
            highlight=False,
        )
    return figures
