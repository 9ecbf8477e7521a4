"""Many cases in few items, which cost more than what they check, and shares of what is nearly alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from zlib import crc32

import pytest

__all__ = ["in_batches", "share"]

SIZE = 25


def in_batches(
    cases: Iterable[Any], *, name: Callable[[Any], str] = lambda claim: claim.id
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Runs a test for each of many cases, some in one item; every case that fails is named.

    The items bear the name of their first case.
    """
    every = list(cases)
    batches = [tuple(every[k : k + SIZE]) for k in range(0, len(every), SIZE)]

    def decorate(test: Callable[[Any], None]) -> Callable[[Any], None]:
        @pytest.mark.parametrize(
            "batch", [pytest.param(batch, id=name(batch[0])) for batch in batches]
        )
        def of_a_batch(batch: tuple[Any, ...]) -> None:
            failures = [failure for case in batch if (failure := _failure(test, case, name(case)))]
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(batch)} fail", failures)

        of_a_batch.__name__, of_a_batch.__doc__ = test.__name__, test.__doc__
        return of_a_batch

    return decorate


def share(cases: Iterable[Any], one_of: int, text: Callable[[Any], str] = str) -> Iterator[Any]:
    """One of so many cases that templates and printers treat alike, as the text of each decides.

    What changes is drawn anew, so that nothing is left out for good.
    """
    return (case for case in cases if crc32(text(case).encode()) % one_of == 0)


def _failure(test: Callable[[Any], None], case: Any, name: str) -> Exception | None:
    try:
        test(case)
    except Exception as failure:
        failure.add_note(name)
        return failure
    return None
