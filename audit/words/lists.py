"""Parts of a sentence joined to one."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed"]


def listed(parts: Sequence[str]) -> str:
    """Parts with commas, and an "and" before the last.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
