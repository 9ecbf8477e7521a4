"""The device estimators compute on.  Draws are made on the CPU, so a device changes no sample."""

from __future__ import annotations

import torch

from claims.errors import UserError

__all__ = ["NoDevice", "current", "name", "use"]

_current = torch.device("cpu")


class NoDevice(UserError):
    """A device that was asked for and is not there."""


def use(choice: str) -> torch.device:
    """Select "cpu", "cuda" or "auto" (a GPU where there is one)."""
    global _current
    available = torch.cuda.is_available()
    if choice == "cuda" and not available:
        raise NoDevice(
            "device 'cuda': torch sees no CUDA device here; use --device cpu or --device auto"
        )
    if choice not in {"auto", "cpu", "cuda"}:
        raise NoDevice(f"device {choice!r}: must be one of auto, cpu, cuda")
    _current = torch.device("cuda" if available and choice != "cpu" else "cpu")
    return _current


def current() -> torch.device:
    """The selected device."""
    return _current


def name() -> str:
    """The hardware's name, as reports print it."""
    return torch.cuda.get_device_name() if _current.type == "cuda" else "cpu"
