"""What beside the code a result depends on: Python, the libraries' versions, and the device."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from audit.reuse.sources import version_of

__all__ = ["FIXED", "device_name", "environment"]

FIXED = {"python", "machine", "numbers", "device"}
"""What an environment names beside libraries."""
CARDS = ("nvidiactl", "nvidia0", "kfd", "dxg")
"""What Linux has under /dev where there is a card that torch can use; the last two for AMD and WSL."""


def environment(libraries: Iterable[str], device: str) -> dict[str, str | None]:
    """Everything by name; None for a library that is not installed."""
    return {
        "python": f"{sys.version}, -O {sys.flags.optimize}",  # asserts count
        "machine": f"{platform.system()} {platform.machine()}",
        "numbers": _numbers(),
        "device": device_name(device),
        **{library: version_of(library) for library in sorted(libraries)},
    }


def _numbers() -> str:
    """What SymPy calculates with: that of FLINT, else gmpy2, where the shell does not choose."""
    kind = os.environ.get("SYMPY_GROUND_TYPES", "auto").lower()
    return f"{kind}, {version_of('flint')}, {version_of('gmpy2')}"


def device_name(choice: str) -> str:
    """The hardware that this choice of device means; raises `NoDevice` where it is not there.

    Torch, which takes seconds to load, is asked only where there may be a card.
    """
    if choice == "cpu" or (choice == "auto" and _has_no_card()):
        return "cpu"
    from numeric import device

    device.use(choice)
    return device.name()


def _has_no_card() -> bool:
    if platform.system() == "Darwin":
        return True
    here = Path("/dev")
    return platform.system() == "Linux" and not any((here / name).exists() for name in CARDS)
