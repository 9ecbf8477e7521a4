"""How many threads a training run takes: one for small matrices, torch's choice for large ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import torch

__all__ = ["on_few_threads"]

SMALL_WIDTH = 128
"""Up to this width the threads of a matrix product mostly wait for each other; on a busy machine a
training run takes ten times as long with them."""

Measure = TypeVar("Measure", bound=Callable[..., Any])


def on_few_threads(measure: Measure) -> Measure:
    """A figure's function, of settings with `width` or without, on one thread where that is small."""

    @wraps(measure)
    def measured(settings: Any, *rest: Any, **named: Any) -> Any:
        before = torch.get_num_threads()
        if settings.values.get("width", 0) <= SMALL_WIDTH:
            torch.set_num_threads(1)
        try:
            return measure(settings, *rest, **named)
        finally:
            torch.set_num_threads(before)

    return measured  # type: ignore[return-value]
