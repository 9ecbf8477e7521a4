"""The program `twofold`, and `python -m audit`: Ctrl-C ends it in one line even while it loads."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

__all__ = ["run"]


def run() -> None:
    """Load the command line and run it."""
    before = signal.signal(signal.SIGINT, _leave)
    from audit.cli import main

    signal.signal(signal.SIGINT, before)
    try:
        main(prog_name="twofold")
    finally:
        # The exit status is settled: an interruption of the clean-up would only replace it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"twofold: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    run()
