"""The seed of an audit: places where proofs look again and what estimators draw depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["current_seed", "seeded"]

_SEED: ContextVar[int] = ContextVar("seed", default=0)


def current_seed() -> int:
    """The seed of the audit in whose course this is asked; 0 outside of any."""
    return _SEED.get()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, this is the current seed.

    >>> with seeded(3):
    ...     current_seed()
    3
    """
    token = _SEED.set(seed)
    try:
        yield
    finally:
        _SEED.reset(token)
