"""Signals: Ctrl-C, a closed terminal and a polite end are one interruption; workers leave it to the parent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

from claims.callbacks import in_callback

__all__ = ["held_back", "interruptible", "leave", "loading", "restore_in_worker"]

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if in_callback(frame):  # where an exception would be lost
        Timer(0.01, os.kill, (os.getpid(), number)).start()
        return
    if _importing(frame):  # a library may turn the exception into another error
        leave(number, frame)
    raise KeyboardInterrupt


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise `KeyboardInterrupt`; one that is ignored (nohup) stays so."""
    before = {number: signal.getsignal(number) for number in _ENDING}
    kept = (signal.SIG_IGN, None)
    ours = [number for number, handler in before.items() if handler not in kept]
    for number in ours:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])


@contextmanager
def loading() -> Iterator[None]:
    """Ctrl-C while modules load ends the program at once: a library may turn it into another error."""
    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def leave(number: int, frame: FrameType | None) -> None:
    """End with one line; what was finished before has been kept as it came."""
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"twofold: interrupted\n")
    os._exit(130)


@contextmanager
def held_back() -> Iterator[None]:
    """Keep those signals from a process that is being forked until it has chosen its handlers."""
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def restore_in_worker() -> None:
    """A terminal sends Ctrl-C to every process; only the parent answers it, and ends the others."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
