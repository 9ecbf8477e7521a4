"""What memory cannot hold is refused before it is allocated, and what would take too long is stopped.

A system that promises more memory than it has ends the process that takes the promise at its word.
Inside `refusing` the shape of every result that may be large is found first, on torch's device without
memory, and compared with what is free.  Work is counted, never timed: two runs stop at the same place.
"""

from __future__ import annotations

import ctypes
import math
from contextlib import suppress
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from claims.errors import UserError
from numeric import device
from numeric.device import PROCESSOR, UNCHECKED, refuse_beyond_memory

__all__ = ["TooMuch", "about_to_draw", "give_back", "refusing"]

META = torch.device("meta")
BESIDE = 4
"""What a processor does while a card is in use may take a quarter of what it may take alone."""
SPECTRAL = frozenset({"_linalg_svd", "linalg_eig", "_linalg_eigvals", "linalg_eigvals"})
"""Decompositions for which a card takes as long as one core, while a dozen processes wait for it."""
FREE = frozenset({"linalg_vector_norm", "_linalg_check_errors"})
"""What decomposes nothing, in spite of its name."""


class TooMuch(UserError):
    """An estimator that would take more work than it was given."""


class refusing(TorchDispatchMode):
    """Raises `TooLarge`, with shape and size, before an operation whose result does not fit.

    With `limited`, raises `TooMuch` once the device's allowance is spent, and before an operation that
    would spend it alone.  Spectral decompositions of what lies on a card are computed by the processor.

    >>> one = torch.ones(1, 1)
    >>> with refusing():
    ...     one.expand(2**30, 1) @ one.expand(1, 2**30)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    numeric.device.TooLarge: an array of shape 1073741824 x 1073741824 needs 4294967296.0 GiB ...
    >>> with refusing(limited=True):
    ...     torch.linalg.svdvals(one.expand(2**13, 2**13))
    Traceback (most recent call last):
    numeric.memory.TooMuch: it takes more work than a case is given on cpu
    """

    entered: ClassVar[list[refusing]] = []

    def __init__(self, limited: bool = False) -> None:
        super().__init__()
        self.limited, self.multiplications, self.spent = limited, 0.0, 0.0
        self.place = device.active()

    def __enter__(self) -> Self:
        self.entered.append(self)
        super().__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self.entered.pop()
        super().__exit__(*exc)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if _may_be_large((args, kwargs)):
            for shape in tree_leaves(_shapes(func, args, kwargs)):
                if isinstance(shape, Tensor):
                    refuse_beyond_memory(tuple(shape.shape), shape.itemsize)
        operands = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        name = str(func).split(".")[1]
        away = name in SPECTRAL and any(_is_away(leaf) for leaf in operands)
        here = away or (bool(operands) and not any(_is_away(leaf) for leaf in operands))
        kind, amount = _work(name, operands)
        if kind == "multiplications":
            self.multiplications += amount
        self.spend(kind, amount, here=here)
        made = _by_the_processor(func, args, kwargs) if away else func(*args, **kwargs)
        if kind == "calls":
            found = sum(leaf.numel() for leaf in tree_leaves(made) if isinstance(leaf, Tensor))
            self.spend("entries", found, here=here)
        return made

    def spend(self, kind: str, amount: float, *, here: bool) -> None:
        """Count work of a kind, done by the processor (`here`) or where the samples are."""
        beside = here and self.place.at.type != "cpu"
        allowance = PROCESSOR.allowance.divided(BESIDE) if beside else self.place.allowance
        self.spent += amount / getattr(allowance, kind) + (kind != "entries") / allowance.calls
        if self.limited and self.spent > 1:
            raise TooMuch(f"it takes more work than a case is given on {self.place.name}")


def about_to_draw(shape: tuple[int, ...], itemsize: int, where: torch.device) -> None:
    """To be called before random numbers are drawn: those that do not fit, or take too long, are refused."""
    here = where.type == "cpu"
    for place in {PROCESSOR if here else device.active(), device.active()}:
        refuse_beyond_memory(shape, itemsize, place)
    if refusing.entered:
        refusing.entered[-1].spend("drawn", math.prod(shape), here=here)


def _is_away(tensor: Tensor) -> bool:
    return tensor.device.type not in {"cpu", "meta"}


def _by_the_processor(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """An operation on what lies on a card, computed by the processor, its result back on the card."""
    at: list[torch.device] = []

    def fetched(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        at.append(leaf.device)
        return leaf.cpu()

    made = func(*tree_map(fetched, args), **tree_map(fetched, kwargs))
    return tree_map(lambda leaf: leaf.to(at[0]) if isinstance(leaf, Tensor) else leaf, made)


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


def _work(name: str, operands: list[Tensor]) -> tuple[str, float]:
    """What an operation takes beside the entries of its result: a kind of work, and how much of it.

    >>> ones = torch.ones(3, 5)
    >>> _work("mm", [ones, ones.T]), _work("linalg_inv_ex", [torch.ones(2, 4, 4)]), _work("add", [ones])
    (('multiplications', 45), ('decomposed', 128), ('calls', 0))
    """
    matrices = [leaf for leaf in operands if leaf.ndim > 1]
    if "mm" in name and len(matrices) > 1:
        left, right = matrices[-2:]
        return "multiplications", left.numel() * right.shape[-1]
    if "linalg" in name and name not in FREE and matrices:
        return "decomposed", max(leaf.numel() * min(leaf.shape[-2:]) for leaf in matrices)
    return "calls", 0


def give_back() -> None:
    """Return to the system what is free, which the C library of Linux keeps, and to others what is cached
    of a card's memory."""
    device.active().release()
    with suppress(AttributeError, OSError, TypeError):  # other systems have no such call
        ctypes.CDLL(None).malloc_trim(0)
