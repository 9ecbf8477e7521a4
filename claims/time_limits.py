"""Limits of time for searches: in the main thread by an alarm, elsewhere by a look at the clock.

Limits nest, and the nearest end counts.  What ended says whose time it was, so that a search which is
cut short from outside passes for one that found nothing at none of the places that remember it.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import getcontext, setcontext
from types import FrameType
from typing import Any

import flint
import mpmath
from sympy.core.parameters import global_parameters

from claims.callbacks import in_callback
from claims.clock import has_signals, process_worked, worked
from claims.intervals import DOUBLE

__all__ = ["TimeUp", "at_most", "searching"]

AGAIN = 0.01
"""Seconds to the next alarm, should one have come where no exception can be raised."""


@dataclass(frozen=True, eq=False)
class _Limit:
    """The time of one block."""

    seconds: float


class TimeUp(Exception):
    """What was looked at for longer than it is worth; `limit` is the one that ended, if any is known."""

    def __init__(self, limit: _Limit | None = None) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"longer than {self.limit.seconds} s" if self.limit else "longer than it is worth"


EVENTS = 64
"""Calls and returns after which a thread looks at its clock: the look costs more than most calls do."""


class _Limits(threading.local):
    """The limit that ends first, its deadline outside the main thread, and what watched calls before."""

    nearest: _Limit | None = None
    deadline = float("inf")
    watcher: Callable[[FrameType, Any, Any], object] | None = None


_limits = _Limits()


@contextlib.contextmanager
def _by_clock(limit: _Limit) -> Iterator[None]:
    """The thread looks at the clock itself, at every so many calls.

    An exception that another thread asks for would be quicker, but it may reach a thread that is just
    being started, and one asked for too late leaves the interpreter busy for ever.
    """
    before, outer, watcher = sys.getprofile(), _limits.deadline, _limits.watcher
    if outer == float("inf"):  # what is set is not ours, and goes on
        _limits.watcher = before
    own = worked() + limit.seconds
    deadline = _limits.deadline = min(own, outer)
    nearest = _limits.nearest = limit if own < outer else _limits.nearest
    further, left, inside = _limits.watcher, EVENTS, True

    def look(frame: FrameType, event: Any, value: Any) -> None:
        nonlocal left
        left -= 1
        if left <= 0 and inside and _may_raise(frame):
            left = EVENTS
            if worked() > deadline:
                raise TimeUp(nearest)
        if further is not None:
            further(frame, event, value)

    sys.setprofile(look)
    try:
        yield
    finally:
        inside = False  # from here on nothing is raised, so that the former one comes back
        sys.setprofile(before)
        _limits.deadline, _limits.watcher = outer, watcher


def _may_raise(frame: FrameType | None) -> bool:
    """Whether an exception raised here reaches the work, and does not cut short how a limit ends."""
    ends_here = frame is not None and frame.f_code.co_filename in {__file__, contextlib.__file__}
    return not ends_here and not in_callback(frame)


_SETTINGS = ("evaluate", "distribute", "exp_is_pow")
"""What SymPy changes for a while, in the thread that it works in."""


@contextlib.contextmanager
def _settings_kept() -> Iterator[None]:
    """Precisions and other settings of arithmetic as they were.

    A limit may strike where a library is about to put back what it changed: SymPy evaluates with two
    bits in between.
    """
    context, bits_of_balls = getcontext(), flint.ctx.prec
    bits = max(mpmath.mp.prec, DOUBLE)  # threads share it: another may be at work with fewer
    settings = {name: getattr(global_parameters, name) for name in _SETTINGS}
    try:
        yield
    finally:
        setcontext(context)
        mpmath.mp.prec, flint.ctx.prec = bits, bits_of_balls
        for name, value in settings.items():
            setattr(global_parameters, name, value)


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` inside when the block works longer, or longer than a block around it may.

    Seconds are of the processor, so that a busy machine gives up no earlier than an idle one.  Outside
    the main thread no signal comes, and the thread looks at its clock instead.

    Only searches use it: they may miss a witness, and invent none.
    """
    with _limited(_Limit(seconds)):
        yield


@contextlib.contextmanager
def searching(seconds: float) -> Iterator[None]:
    """A search that is left where it works longer: what it found so far stands.

    Where the time of a block around it ends, that block is left as well, so that nobody remembers what
    a search would have found in its own time.
    """
    limit = _Limit(seconds)
    try:
        with _limited(limit):
            yield
    except TimeUp as up:
        if up.limit not in (limit, None):
            raise


@contextlib.contextmanager
def _limited(limit: _Limit) -> Iterator[None]:
    before = _limits.nearest
    block = _by_alarm if has_signals() else _by_clock
    try:
        with _settings_kept(), block(limit):
            yield
    finally:
        _limits.nearest = before


@contextlib.contextmanager
def _by_alarm(limit: _Limit) -> Iterator[None]:
    """The processor's clock interrupts the work."""

    def stop(_: int, frame: FrameType | None) -> None:
        # One raised elsewhere would be lost, and the alarm's clock runs while garbage is collected: the
        # next alarm comes soon.
        if _may_raise(frame) and process_worked() - started >= granted:
            raise TimeUp(nearest)

    started, before = process_worked(), signal.signal(signal.SIGPROF, stop)
    outer, _ = signal.getitimer(signal.ITIMER_PROF)
    granted = min(limit.seconds, outer) if outer else limit.seconds
    nearest = _limits.nearest = limit if not outer or limit.seconds < outer else _limits.nearest
    signal.setitimer(signal.ITIMER_PROF, granted, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # first: an alarm without handler ends the program
        signal.signal(signal.SIGPROF, before)
        if outer:
            left = max(outer - (process_worked() - started), 1e-6)
            signal.setitimer(signal.ITIMER_PROF, left, AGAIN)
