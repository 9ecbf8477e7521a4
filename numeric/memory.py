"""What memory cannot hold is refused before it is allocated, and what would take too long is stopped.

A system that promises more memory than it has ends the process that takes the promise at its word.
Inside `refusing` the shape of every result that may be large is found first, on torch's device without
memory, and compared with what is free.  Work is counted in multiplications, never by the clock: two
runs stop at the same place.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from claims.errors import UserError
from numeric import device
from numeric.device import UNCHECKED, refuse_beyond_memory

__all__ = ["TooMuch", "give_back", "refusing"]

META = torch.device("meta")
DECOMPOSED = 16
"""Multiplications of a decomposition, over those of a product of the same shape."""


class TooMuch(UserError):
    """An estimator that would take more operations than it was given."""


class refusing(TorchDispatchMode):
    """Raises `TooLarge`, with shape and size, before an operation whose result does not fit.

    With `most`, raises `TooMuch` once so many multiplications were asked for.

    >>> one = torch.ones(1, 1)
    >>> with refusing():
    ...     one.expand(2**30, 1) @ one.expand(1, 2**30)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    numeric.device.TooLarge: an array of shape 1073741824 x 1073741824 needs 4294967296.0 GiB ...
    >>> with refusing(most=10**6):
    ...     torch.linalg.matrix_power(torch.ones(64, 64), 2**8).shape
    Traceback (most recent call last):
    numeric.memory.TooMuch: it takes more than 1e+06 multiplications at this size
    """

    def __init__(self, most: float = float("inf")) -> None:
        super().__init__()
        self.most, self.done = most, 0.0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if _may_be_large((args, kwargs)):
            for shape in tree_leaves(_shapes(func, args, kwargs)):
                if isinstance(shape, Tensor):
                    refuse_beyond_memory(tuple(shape.shape), shape.itemsize)
        made = func(*args, **kwargs)
        self.done += _multiplications(str(func), args, made)
        if self.done > self.most:
            raise TooMuch(f"it takes more than {self.most:.0e} multiplications at this size")
        return made


def _may_be_large(arguments: Any) -> bool:
    """A result has at most as many entries as all arguments multiplied; a size may count twice."""
    bound = 1
    for leaf in tree_leaves(arguments):
        if isinstance(leaf, Tensor):
            bound *= max(1, leaf.numel())
        elif isinstance(leaf, int) and not isinstance(leaf, bool):
            bound *= max(1, leaf**2)
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


def _multiplications(name: str, args: Any, made: Any) -> float:
    """About how many an operation takes: as many as entries, but for products and decompositions."""
    entries = sum(leaf.numel() for leaf in tree_leaves(made) if isinstance(leaf, Tensor))
    if "mm" in name.split(".")[1]:
        factors = [leaf for leaf in tree_leaves(args) if isinstance(leaf, Tensor)]
        return entries * factors[-1].shape[-2]
    if "linalg" in name and "vector_norm" not in name:  # a norm decomposes nothing
        sizes = [leaf.shape for leaf in tree_leaves(args) if isinstance(leaf, Tensor)]
        return DECOMPOSED * max(s.numel() * min(s[-2:]) for s in sizes if len(s) > 1)
    return entries


def give_back() -> None:
    """Return to the system what is free, which the C library of Linux keeps, and to others what is cached
    of a card's memory."""
    device.active().release()
    with suppress(AttributeError, OSError, TypeError):  # other systems have no such call
        ctypes.CDLL(None).malloc_trim(0)
