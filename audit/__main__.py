"""The program `twofold`, and `python -m audit`: Ctrl-C ends it in one line even while it loads."""

from __future__ import annotations

import os
import signal

from audit.collection import collect_seldom
from audit.signals import loading

__all__ = ["run"]

REMEMBERED = "50000"
"""Results that SymPy keeps of each of its functions: proofs come back to far more than its thousand."""


def run() -> None:
    """Load the command line and run it."""
    collect_seldom()
    os.environ.setdefault("SYMPY_CACHE_SIZE", REMEMBERED)
    with loading():
        from audit.cli import main
    try:
        main(prog_name="twofold")
    finally:
        # The exit status is settled: an interruption of the clean-up would only replace it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()
