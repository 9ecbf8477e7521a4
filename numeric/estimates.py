"""Streaming, mergeable estimates of a mean, with a standard error that survives heavy tails.

Samples are averaged into blocks, and the blocks into a mean.  The standard error comes from the
spread of 32 to 63 block means and is used with Student's t at that many degrees of freedom: a block
of thousands of samples is close to normal even when one sample (a product of Gaussian matrices) is
not, and the small number of degrees of freedom is paid for in the quantile.  When the number of
blocks reaches 64, neighbours merge; memory does not grow.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field

from scipy import stats
from torch import Tensor

__all__ = ["BLOCKS", "Estimate"]

BLOCKS = 32
"""Least number of block means behind a standard error."""
ROUNDING = 1000 * sys.float_info.epsilon
"""Relative rounding of a sample that takes up to a thousand operations; all that is left of an error
bar when samples do not vary.  Its square is added once: a squared norm that is exactly zero comes
out as the square of a rounding error."""

_UNEVEN = (
    "batch of {size} samples: does not fit blocks of {block}; draw in batches of one power of two"
)


@dataclass
class Estimate:
    """Block means of equal size, in the order of the stream.

    >>> import torch
    >>> e = Estimate()
    >>> e.add(torch.arange(128.0, dtype=torch.float64))
    >>> e.samples, e.mean
    (128, 63.5)
    """

    block: int = 1
    means: list[float] = field(default_factory=list)
    _waiting: list[float] = field(default_factory=list)

    @property
    def samples(self) -> int:
        return self.block * len(self.means)

    @property
    def mean(self) -> float:
        return math.fsum(self.means) / len(self.means) if self.means else math.nan

    @property
    def standard_error(self) -> float:
        count = len(self.means)
        if count < 2:
            return math.inf
        centre = self.mean
        spread = math.fsum((x - centre) ** 2 for x in self.means) / (count - 1)
        return math.sqrt(spread / count)

    def half_width(self, false_alarm: float) -> float:
        """Half-width of the two-sided interval missed with probability `false_alarm`."""
        if len(self.means) < BLOCKS:
            return math.inf
        spread = float(stats.t.isf(false_alarm / 2, len(self.means) - 1)) * self.standard_error
        return spread + ROUNDING * max(map(abs, self.means)) + ROUNDING**2

    def add(self, samples: Tensor) -> None:
        """Append a batch.

        Batches shorter than a block wait until they fill one; other lengths must be multiples of
        the block, or the blocks would overlap and the error bar would lie.
        """
        size = samples.numel()
        if size < self.block:
            self._waiting.append(float(samples.mean()))
            if len(self._waiting) * size < self.block:
                return
            if len(self._waiting) * size > self.block:
                raise ValueError(_UNEVEN.format(size=size, block=self.block))
            self.means.append(math.fsum(self._waiting) / len(self._waiting))
            self._waiting.clear()
        elif size % self.block or self._waiting:
            raise ValueError(_UNEVEN.format(size=size, block=self.block))
        else:
            self.means.extend(samples.reshape(-1, self.block).mean(dim=1).tolist())
        self._compress()

    def merge(self, other: Estimate) -> None:
        """Append the blocks of an estimate over the following part of the same stream."""
        while self.block < other.block:
            self._halve()
        while other.block < self.block:
            other._halve()
        self.means.extend(other.means)
        self._compress()

    def _compress(self) -> None:
        while len(self.means) >= 2 * BLOCKS and len(self.means) % 2 == 0:
            self._halve()

    def _halve(self) -> None:
        if len(self.means) % 2:
            raise ValueError(f"{len(self.means)} blocks cannot be paired; add whole chunks")
        pairs = zip(self.means[::2], self.means[1::2], strict=True)
        self.means = [(a + b) / 2 for a, b in pairs]
        self.block *= 2
