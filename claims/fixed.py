"""Things that do not change once they are made, since theorems may rest on what they were."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from claims.errors import UserError

__all__ = ["Fixed"]

WORDS = frozenset({"stands_for"})
"""What is shown beside a name, and no theorem rests on."""


class Fixed:
    """What was said of it once stays so, and no name stands in the place of what its class does."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        own = getattr(type(self), name, None)
        if (
            (name in vars(self) and name not in WORDS)
            or callable(own)
            or isinstance(own, property | cached_property)
        ):
            raise _changed(self, name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise _changed(self, name)


def _changed(made: Any, name: str) -> UserError:
    which = getattr(made, "name", type(made).__name__)
    return UserError(f"{which}: its {name} does not change, as theorems may rest on it")
