"""A card where there is none: tensors know whether they would be on it, and are refused when mixed.

Numbers are computed by the processor.  What torch would refuse on a card is refused here: operands on
two devices, a generator of the other device, and an array of NumPy made of what lies on the card.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors
from torch.utils._pytree import tree_leaves

from numeric import device
from numeric.device import Device

__all__ = ["Mixed", "pretended_card"]

PLACE = torch.device("cpu:0")
"""Not the processor's own name, and yet a place where torch can put a tensor."""
MAKERS = _device_constructors()
WHERE = Tensor.device.__get__  # type: ignore[attr-defined]
TAKES_BOTH = frozenset(
    {"__getitem__", "__setitem__", "copy_", "index_put_", "__float__", "item", "tolist"}
)


class Mixed(RuntimeError):
    """What a card would refuse."""


class _Numbers(torch.Generator):
    """A generator of the card."""

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return PLACE


class PretendedCard(Device):
    """Everything is drawn in parts, as on a card, and memory is the system's."""

    name, in_parts, at = "a pretended card", True, PLACE

    def generator(self, seed: int) -> torch.Generator:
        return _Numbers().manual_seed(seed)


class _Watched(TorchFunctionMode):
    """Notes of every tensor whether it would be on the card; of what autograd returns it knows nothing."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func == WHERE:
            return PLACE if _on_card(args[0]) else func(*args, **kwargs)
        if func in MAKERS and kwargs.get("device") is None and device.active().in_parts:
            kwargs["device"] = PLACE
        name = getattr(func, "__name__", "")
        operands = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        named = _named_device(args, kwargs)
        _refuse(name, operands, named, kwargs.get("generator"))
        made = func(*args, **kwargs)
        if name == "cpu" or (name == "to" and named is not None):
            made = made.clone() if made is args[0] else made  # else the note would be about both
            named = torch.device("cpu") if name == "cpu" else named
        _note(made, _place_of(func, operands, named))
        return made


def _on_card(tensor: Tensor) -> bool | None:
    """Whether it would be there; None where nothing is known."""
    return getattr(tensor, "_on_card", None)


def _named_device(args: Any, kwargs: dict[str, Any]) -> torch.device | None:
    named = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.device)]
    named += [
        torch.device("cpu") for a in (*args, *kwargs.values()) if isinstance(a, str) and a == "cpu"
    ]
    others = [a for a in args[1:] if isinstance(a, Tensor)]
    if named:
        return named[0]
    return (PLACE if _on_card(others[0]) else torch.device("cpu")) if others else None


def _refuse(name: str, operands: list[Tensor], named: Any, numbers: Any) -> None:
    there = any(_on_card(t) for t in operands)
    here = any(_on_card(t) is False and t.dim() > 0 for t in operands)
    if there and here and name not in {*TAKES_BOTH, "to"}:
        shapes = ", ".join(f"{tuple(t.shape)} {_on_card(t)}" for t in operands)
        raise Mixed(f"{name}: operands on the card (True) and beside it (False): {shapes}")
    if there and name in {"numpy", "__array__"}:
        raise Mixed(f"{name}: NumPy cannot read what lies on a card")
    made_there = there or (not operands and named == PLACE)
    if numbers is not None and made_there != isinstance(numbers, _Numbers):
        raise Mixed(f"{name}: a generator of the other device")


def _place_of(func: Any, operands: list[Tensor], named: torch.device | None) -> bool | None:
    if named is not None and (func in MAKERS or not operands or getattr(func, "__name__", "") in {
        "to", "cpu", "new_zeros", "new_ones", "new_full", "new_empty", "new_tensor", "zeros_like", "ones_like",
    }):  # fmt: skip
        return named == PLACE
    if not operands:
        return False
    known = [_on_card(t) for t in operands]
    return True if any(known) else False if False in known else None


def _note(made: Any, place: bool | None) -> None:
    for leaf in tree_leaves(made):
        if isinstance(leaf, Tensor) and place is not None:
            leaf._on_card = place  # type: ignore[attr-defined]


@contextmanager
def pretended_card() -> Iterator[Device]:
    """Compute on a card that is not there."""
    with _Watched(), device.using(PretendedCard()) as card:
        yield card
