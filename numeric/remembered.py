"""Results that are kept for the next call: on each device those made there, of one seed at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from claims.seeds import current_seed
from numeric import device

__all__ = ["remembered"]

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def remembered(
    maxsize: int | None = None,
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Like `functools.lru_cache`, whose draws would be handed on to another device or seed.

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
        of_seed = current_seed()

        @wraps(function)
        def call(*args: Arguments.args, **named: Arguments.kwargs) -> Made:
            nonlocal of_seed
            if of_seed != current_seed():  # what another audit drew is not kept beside this one's
                made.cache_clear()
                of_seed = current_seed()
            result: Made = made(device.current(), *args, **named)
            return result

        return call

    return decorate
