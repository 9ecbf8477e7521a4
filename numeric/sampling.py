"""Random streams: one seed argument, split by claim, case and chunk.

A stream is identified by words, not by order of use, so that a sample does not depend on how many
workers ran, in what order, or in what batches.  Draws are made on the CPU and moved, so that a GPU
sees the same numbers.
"""

from __future__ import annotations

from hashlib import sha256

import torch
from torch import Generator, Tensor

from numeric import device

__all__ = ["generator", "normal", "stream_seed"]


def stream_seed(seed: int, *words: object) -> int:
    """A 63-bit seed for the stream named by `words` under the audit's `seed`.

    >>> stream_seed(0, "claim", 1) == stream_seed(0, "claim", 1) != stream_seed(0, "claim", 2)
    True
    """
    name = "/".join(map(str, (seed, *words)))
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *words: object) -> Generator:
    """A CPU generator for one named stream."""
    return torch.Generator("cpu").manual_seed(stream_seed(seed, *words))


def normal(
    rng: Generator, *shape: int, std: float = 1.0, dtype: torch.dtype = torch.float64
) -> Tensor:
    """I.i.d. N(0, std^2) entries; float64 unless a caller shows that less cannot change a verdict."""
    return std * _standard(rng, shape, dtype).to(device.current())


def _standard(rng: Generator, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Every Gaussian of the project comes from here, so that a test can enumerate the law instead."""
    return torch.randn(*shape, generator=rng, dtype=dtype)
