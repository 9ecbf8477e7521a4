"""Seconds of work, by which searches end: the processor's, less those of the garbage collector.

A collection goes through all that the process holds: among thousands of tests one of half a second falls
into a definition of microseconds, which would pass for costly ever after.
"""

from __future__ import annotations

import gc
import signal
import threading
from time import process_time, thread_time

__all__ = ["has_signals", "process_worked", "worked"]

WATCHED = 5.0
"""How much longer work takes where its calls are counted, about: see `worked`."""


class _Collections(threading.local):
    """When the collection that a thread is in began, by its clock, and seconds of those before."""

    began: float | None = None
    seconds = 0.0


_collections = _Collections()


def gc_callback(phase: str, _: dict[str, int]) -> None:
    """Called by the collector, in the thread that it stops; its name says so to `in_callback`."""
    if phase == "start":
        _collections.began = thread_time()
    elif _collections.began is not None:
        _collections.seconds += thread_time() - _collections.began
        _collections.began = None


gc.callbacks.append(gc_callback)


def worked() -> float:
    """Seconds of work of this thread so far, by the processor's clock.

    Outside the main thread a limit counts calls, which takes longer than the calls: there seconds are
    shorter, so that a search ends about where it would have ended in the main thread.
    """
    return (thread_time() - _collections.seconds) / (1.0 if has_signals() else WATCHED)


def process_worked() -> float:
    """Seconds of work of the process so far, less those of collections in this thread."""
    return process_time() - _collections.seconds


def has_signals() -> bool:
    """Whether an alarm of the processor's clock reaches this thread."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGPROF")
