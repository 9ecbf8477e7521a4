"""Results that are kept for the next call, on each device those that were made there."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from numeric import device

__all__ = ["remembered"]

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def remembered(
    maxsize: int | None = None,
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Like `functools.lru_cache`, whose tensors would be handed on to another device.

    >>> @remembered()
    ... def noted(number: int) -> int:
    ...     print("computed")
    ...     return number
    >>> noted(1) + noted(1)
    computed
    2
    """

    def decorate(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
        def on_device(where: Any, *args: Any, **named: Any) -> Made:
            return function(*args, **named)

        made: Any = lru_cache(maxsize)(on_device)

        @wraps(function)
        def call(*args: Arguments.args, **named: Arguments.kwargs) -> Made:
            result: Made = made(device.current(), *args, **named)
            return result

        return call

    return decorate
