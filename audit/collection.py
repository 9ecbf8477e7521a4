"""How often Python looks for cycles of objects: terms make many objects and few cycles."""

from __future__ import annotations

import gc

__all__ = ["collect_seldom"]

COLLECTED = 50_000
"""New objects after which it looks."""


def collect_seldom() -> None:
    """A tenth of the time that the papers take to load, and the tests to run, went into looking."""
    gc.set_threshold(COLLECTED)
