"""Standard output and error that may break: a reader that left, a full device, a closed stream.

What a command writes to files must not depend on who reads its output, so the first failure is
remembered and the rest of the text discarded; whoever must know asks.  An encoding that lacks a
character is no failure: the character is spelled out.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from claims.errors import UserError

__all__ = ["OutputLost", "Stream", "failure", "guarded", "require_output", "require_shown"]


class OutputLost(UserError):
    """Standard output was asked for and cannot be written."""


class Stream:
    """A text stream whose first failure to write is remembered in `lost` and ends no program."""

    def __init__(self, inner: Any):
        self._inner = inner
        self.lost: OSError | None = None
        if inner is None:  # closed before the program started
            self._inner = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
            self.lost = OSError(errno.EBADF, "it is closed")

    def write(self, text: str) -> int:
        self._try(self._write, text)
        return len(text)

    def _write(self, text: str) -> None:
        try:
            self._inner.write(text)
        except UnicodeEncodeError:
            from audit.formulas.unicode.plain import in_encoding

            self._inner.write(in_encoding(text, self._inner.encoding))

    def flush(self) -> None:
        self._try(self._inner.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _try(self, method: Any, *args: str) -> None:
        if self.lost is not None:
            return
        try:
            method(*args)
        except OSError as error:
            self.lost = error
            # What is still buffered goes nowhere, or the interpreter would stumble over it at the end.
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._inner.fileno())
                os.close(nowhere)


@contextmanager
def guarded() -> Iterator[Stream]:
    """Replace both standard streams for the time of a command; yields standard output."""
    before = sys.stdout, sys.stderr
    out, err = Stream(sys.stdout), Stream(sys.stderr)
    sys.stdout, sys.stderr = out, err  # type: ignore[assignment]
    try:
        yield out
        out.flush()
        err.flush()
    finally:
        sys.stdout, sys.stderr = before


def failure() -> str | None:
    """Why standard output could not be written; a reader that left, such as `head`, is no failure."""
    sys.stdout.flush()
    lost = getattr(sys.stdout, "lost", None)
    return None if lost is None or lost.errno in (errno.EPIPE, errno.EBADF) else lost.strerror


def require_shown(what: str) -> None:
    """Raise `OutputLost` where a device refused what was written; a reader may leave when it likes."""
    if (reason := failure()) is not None:
        raise OutputLost(f"{what}: standard output cannot be written ({reason})")


def require_output(what: str) -> None:
    """Raise `OutputLost` unless all that was written to standard output has arrived."""
    sys.stdout.flush()
    lost = getattr(sys.stdout, "lost", None)
    if lost is not None:
        raise OutputLost(f"{what}: standard output cannot be written ({lost.strerror})")
