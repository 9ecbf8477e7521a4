"""A program in the background that hears every signal, whatever ran the tests."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

__all__ = ["begun"]

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def begun(*command: str, cwd: Path, stdout: int = subprocess.PIPE) -> subprocess.Popen:
    """A program in a session of its own; its standard error is piped."""
    return subprocess.Popen(
        command, cwd=cwd, stdout=stdout, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=_hear,
    )  # fmt: skip


def _hear() -> None:
    """What a shell has its background jobs ignore, and `nohup` all of its own, is passed on to children."""
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
