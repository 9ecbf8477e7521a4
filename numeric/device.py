"""The device estimators compute on, seen through what drawing needs of it.

On a processor a chunk of samples is drawn at once from one stream.  On a card it is drawn in parts,
each from a generator there with a stream of its own, and as many parts are computed together as fit
(`numeric.drawing`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import Generator

from claims.errors import UserError

__all__ = [
    "PROCESSOR", "UNCHECKED", "Allowance", "Card", "Device", "NoDevice", "TooLarge", "active", "current",
    "name", "refuse_beyond_memory", "use", "using",
]  # fmt: skip


class NoDevice(UserError):
    """A device that was asked for and is not there."""


class TooLarge(UserError):
    """Samples that do not fit in the memory of the device."""


SHARE = 0.5
"""Of the free memory, for one batch."""
SHARED_BY = 16
"""Processes that draw on one card."""


@dataclass(frozen=True)
class Allowance:
    """How much work one case at the sizes of real layers may take, by kind: each alone fills it."""

    multiplications: float
    """In products of matrices."""
    entries: float
    """Of the results of all other operations."""
    drawn: float
    """Random numbers."""
    decomposed: float
    """Multiplications of a product of the shape that is decomposed, solved or inverted."""
    calls: float

    def divided(self, by: float) -> Allowance:
        """A part of it."""
        return Allowance(*(getattr(self, field.name) / by for field in fields(self)))


class Device:
    """A processor: one stream for each chunk; memory is the system's."""

    name = "cpu"
    in_parts = False
    at = torch.device("cpu")
    allowance = Allowance(2.0**39, 2.0**35, 2.0**31, 2.0**36, 2.0**19)
    """Half a minute of one core: 2e10 multiplications in a second, 1e9 entries, 6e7 normal numbers."""
    chunk_entries = 2**14
    """Of the largest batched matrix of a chunk: 128 KB.  A chunk stays in cache, and its buffers on the
    allocator's heap; larger ones are returned to the system and cost a page fault every 4 KB."""
    out_of_memory: tuple[type[Exception], ...] = (MemoryError, TooLarge, torch.OutOfMemoryError)

    def generator(self, seed: int) -> Generator:
        """A generator whose numbers are made on the device."""
        return torch.Generator(self.at).manual_seed(seed)

    def free(self) -> int:
        """Bytes that may still be allocated, by the system and by the process's control group."""
        left = [os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
        with suppress(OSError, ValueError, StopIteration):
            lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
            left = [next(int(line.split()[1]) for line in lines if "MemAvailable" in line) << 10]
        with suppress(OSError, ValueError):
            limit, used = (
                int(Path(f"/sys/fs/cgroup/memory.{end}").read_text(encoding="ascii"))
                for end in ("max", "current")
            )
            left.append(limit - used)
        return min(left)

    def room(self) -> int:
        """Bytes for a batch that is sized by what one part of it took."""
        return int(SHARE * self.free())

    def begin(self) -> None:
        """Forget the most that was allocated."""

    def peak(self) -> int:
        """The most bytes that were allocated since; 0 where it is not known."""
        return 0

    def release(self) -> None:
        """Give back what is cached."""


class Card(Device):
    """A CUDA device: chunks are drawn in parts, as many at once as its free memory holds."""

    in_parts = True
    chunk_entries = 2**26
    """512 MB: enough work for the whole card, and room beside other processes."""
    allowance = Allowance(2.0**45, 2.0**38, 2.0**35, 2.0**34, 2.0**17)
    """A second or two of the card, which a dozen processes share, or ten of the program that calls it."""

    def __init__(self, place: str = "cuda") -> None:
        self.at = torch.device(place)
        self.name = torch.cuda.get_device_name(self.at)
        self.began = 0

    def free(self) -> int:
        cached = torch.cuda.memory_reserved(self.at) - torch.cuda.memory_allocated(self.at)
        return int(torch.cuda.mem_get_info(self.at)[0]) + cached

    def room(self) -> int:
        """As on a processor, but that other processes find as much."""
        total = int(torch.cuda.mem_get_info(self.at)[1])
        return min(super().room(), total // SHARED_BY)

    def begin(self) -> None:
        torch.cuda.reset_peak_memory_stats(self.at)
        self.began = torch.cuda.memory_allocated(self.at)

    def peak(self) -> int:
        return int(torch.cuda.max_memory_allocated(self.at)) - self.began

    def release(self) -> None:
        torch.cuda.empty_cache()


PROCESSOR = Device()
_active = PROCESSOR
UNCHECKED = 2**28
"""Bytes that are allocated without a look at what is free."""


def use(choice: str) -> torch.device:
    """Select "cpu", "cuda" or "auto" (a GPU where there is one)."""
    available = torch.cuda.is_available()
    if choice == "cuda" and not available:
        raise NoDevice(
            "device 'cuda': torch sees no CUDA device here; use --device cpu or --device auto"
        )
    if choice not in {"auto", "cpu", "cuda"}:
        raise NoDevice(f"device {choice!r}: must be one of auto, cpu, cuda")
    _select(Card() if available and choice != "cpu" else PROCESSOR)
    return _active.at


def _select(device: Device) -> None:
    """Compute on a device; what is made without naming one is made there."""
    global _active
    _active = device
    torch.set_default_device(device.at if device.in_parts else None)  # a default costs every call


@contextmanager
def using(device: Device) -> Iterator[Device]:
    """Compute on a device of one's own making."""
    before = _active
    _select(device)
    try:
        yield device
    finally:
        _select(before)


def active() -> Device:
    """The selected device, with what drawing needs of it."""
    return _active


def current() -> torch.device:
    """The selected device, as torch names it."""
    return _active.at


def name() -> str:
    """The hardware's name, as reports print it."""
    return _active.name


def refuse_beyond_memory(shape: tuple[int, ...], itemsize: int, on: Device | None = None) -> None:
    """Raise `TooLarge` before an array is allocated that a device cannot hold, the selected one if none is
    named."""
    size = itemsize
    for length in shape:
        size *= length
    if size <= UNCHECKED:
        return
    holder = on or _active
    free = holder.free()
    if size > free:
        raise TooLarge(
            f"an array of shape {' x '.join(map(str, shape))} needs {size / 2**30:.1f} GiB and "
            f"{holder.name} has {max(free, 0) / 2**30:.1f} GiB free; take smaller sizes"
        )
