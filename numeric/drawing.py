"""The samples of one case, chunk by chunk: named streams, batches that fit, finite values.

Chunk number c of a case has the stream (seed, claim, case, c) on a processor.  On a card it is drawn
in parts of `PART` samples with the streams (seed, claim, case, c, part): parts of several chunks are
computed together, as many as memory allows, and half as many after memory ran out.  Since a part is
drawn from its own generator, no sample depends on what it was computed with, but for the rounding of
batched sums; the numbers of a card and of a processor differ, as their generators do.

Where one sample holds the matrices of a real layer, chunks and parts are small, a processor draws
in parts too, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from numeric import device
from numeric.agreement import CHUNK, BadEstimator
from numeric.device import TooLarge
from numeric.sampling import Together, generator, stream_seed

__all__ = ["CHUNKS", "LARGE", "PART", "Lot", "NotFinite", "Stream"]

PART = 128
"""Samples from one generator on a card; divides a chunk."""
AT_ONCE = 2**18
"""Most samples of a batch: beyond, a card is busy anyway."""

Run = Callable[[Point, Generator, int], Tensor]


@dataclass(frozen=True)
class Lot:
    """Samples of a chunk, and those of a part of it, which one generator draws."""

    chunk: int
    part: int


CHUNKS = Lot(CHUNK, PART)
LARGE = Lot(64, 4)
"""For samples of a hundred megabytes and more."""


class NotFinite(BadEstimator):
    """A sample that is no number."""


@dataclass(frozen=True)
class Stream:
    """The stream of one case of a claim (or of a quantity that a formula reads)."""

    seed: int
    claim: str
    case: int | str
    lot: Lot = CHUNKS

    def samples(self, run: Run, point: Point, chunks: range) -> Iterator[Tensor]:
        """The samples of the given chunks, in order, in batches of any length."""
        if device.active().in_parts or self.lot is not CHUNKS:
            yield from self._in_parts(run, point, chunks)
            return
        for chunk in chunks:
            rng = generator(self.seed, self.claim, self.case, chunk)
            try:
                values = run(point, rng, self.lot.chunk)
            except device.active().out_of_memory as error:
                raise self._too_large(error, self.lot.chunk) from None
            yield self._finite(self._drawn(values, self.lot.chunk), f"{chunk}")

    def _in_parts(self, run: Run, point: Point, chunks: range) -> Iterator[Tensor]:
        card, each = device.active(), self.lot.part
        parts = [(chunk, part) for chunk in chunks for part in range(self.lot.chunk // each)]
        size, limit, done = 1, max(1, AT_ONCE // each) if card.in_parts else 1, 0
        while done < len(parts):
            batch = parts[done : done + size]
            rngs = [
                card.generator(stream_seed(self.seed, self.claim, self.case, *part))
                for part in batch
            ]
            card.begin()
            try:
                values = run(point, Together(rngs, each), each * len(batch))  # type: ignore[arg-type]
            except card.out_of_memory as error:
                card.release()
                if size == 1:
                    raise self._too_large(error, each) from None
                size = limit = size // 2
                continue
            first, last = ("/".join(map(str, part)) for part in (batch[0], batch[-1]))
            yield self._finite(self._drawn(values, each * len(batch)), f"{first} to {last}")
            done += len(batch)
            taken = max(1, card.peak() // len(batch))
            size = max(1, min(limit, card.room() // taken))

    def _drawn(self, values: Any, count: int) -> Tensor:
        """As many real numbers as were asked for: other shapes would count as more samples or fewer."""
        if isinstance(values, Tensor) and values.shape == (count,) and not values.is_complex():
            return values
        found = f"an object of type {type(values).__name__}"
        if isinstance(values, Tensor):
            found = f"a {str(values.dtype).removeprefix('torch.')} tensor of shape {tuple(values.shape)}"
        raise BadEstimator(
            f"the estimator of {self.claim} returned {found}, must return a real tensor of shape "
            f"({count},), a sample for each of count = {count}; mend the estimator"
        )

    def _finite(self, values: Tensor, place: str) -> Tensor:
        bad = int((~torch.isfinite(values)).sum())
        if bad:
            raise NotFinite(
                f"{self.claim}, case {self.case}, stream {self._name}/{place}: {bad} of "
                f"{values.numel()} samples are not finite; mend the estimator"
            )
        return values

    def _too_large(self, error: Exception, count: int) -> TooLarge:
        reason = str(error).splitlines()[0] if str(error) else "out of memory"
        return TooLarge(
            f"{self.claim}, case {self.case}: {count} samples do not fit in memory: {reason}"
        )

    @property
    def _name(self) -> str:
        return f"{self.seed}/{self.claim}/{self.case}"
