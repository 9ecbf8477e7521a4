"""Tables that modules fill while they are imported, such as those of proofs and estimators."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import TypeVar

__all__ = ["Table", "importing"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class Table(dict[Key, Value]):
    """A table that knows which modules wrote each of its entries.

    What depends on an entry depends on those modules, which nobody needs to import by name.

    >>> table = Table()
    >>> table["proof"] = 1
    >>> table.writers["proof"] == {importing()}
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.writers: dict[Key, set[str]] = {}

    def __setitem__(self, key: Key, value: Value) -> None:
        self.writers.setdefault(key, set()).add(importing())
        super().__setitem__(key, value)


def importing() -> str:
    """The module whose body is being executed, the innermost; `__main__` where it has no name."""
    bodies = (frame for frame in _frames() if frame.f_code.co_name == "<module>")
    return str(next((frame.f_globals.get("__name__") for frame in bodies), None) or "__main__")


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
