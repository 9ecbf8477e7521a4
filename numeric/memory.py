"""What memory cannot hold is refused before it is allocated, operation by operation.

A system that promises more memory than it has ends the process that takes the promise at its word.
Inside `refusing` the shape of every result that may be large is found first, on torch's device without
memory, and compared with what is free.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from numeric.device import UNCHECKED, refuse_beyond_memory

__all__ = ["refusing"]

META = torch.device("meta")


class refusing(TorchDispatchMode):
    """Raises `TooLarge`, with shape and size, before an operation whose result does not fit.

    >>> with refusing():
    ...     torch.ones(2**30, 1) @ torch.ones(1, 2**30)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    numeric.device.TooLarge: an array of shape 1073741824 x 1073741824 needs 4294967296.0 GiB ...
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if _may_be_large((args, kwargs)):
            for made in tree_leaves(_shapes(func, args, kwargs)):
                if isinstance(made, Tensor):
                    refuse_beyond_memory(tuple(made.shape), made.itemsize)
        return func(*args, **kwargs)


def _may_be_large(arguments: Any) -> bool:
    """A result has at most as many entries as all arguments multiplied (sizes are arguments too)."""
    bound = 1
    for leaf in tree_leaves(arguments):
        if isinstance(leaf, Tensor):
            bound *= max(1, leaf.numel())
        elif isinstance(leaf, int) and not isinstance(leaf, bool):
            bound *= max(1, abs(leaf))
    return bound > UNCHECKED // 8


def _shapes(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The result without its entries; None where its shape depends on entries."""
    without = lambda leaf: leaf.to(META) if isinstance(leaf, Tensor) else leaf  # noqa: E731
    moved = tree_map(without, kwargs)
    if "device" in moved:
        moved["device"] = META
    try:
        return func(*tree_map(without, args), **moved)
    except (RuntimeError, NotImplementedError):
        return None
