"""The program `twofold`, and `python -m audit`: Ctrl-C ends it in one line even while it loads."""

from __future__ import annotations

import signal

from audit.collection import collect_seldom
from audit.signals import loading

__all__ = ["run"]


def run() -> None:
    """Load the command line and run it."""
    collect_seldom()
    with loading():
        from audit.cli import main
    try:
        main(prog_name="twofold")
    finally:
        # The exit status is settled: an interruption of the clean-up would only replace it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()
