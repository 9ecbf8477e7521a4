"""Which estimator reads which quantity, and readings of quantities around one point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Generator, Tensor

from claims.domain import Point
from claims.evaluation import as_place
from claims.points import Memory
from claims.statement import Quantity
from claims.tables import Table
from claims.terms import value_of
from numeric.agreement import as_measured
from numeric.drawing import CHUNKS, Lot, Stream
from numeric.estimates import Estimate
from numeric.reach import UNLIMITED, Reach

__all__ = [
    "LARGER_REACH", "LARGER_SAMPLERS", "REACH", "READERS", "SAMPLERS", "Readings", "measures",
    "reach_of_reading", "readable",
]  # fmt: skip

Sampler = Callable[[Point, Generator, int], Tensor]
Direct = Callable[..., Any]

SAMPLERS: Table[Any, Sampler] = Table()
READERS: Table[Any, tuple[Direct, int | None]] = Table()
REACH: Table[Any, Reach] = Table()
LARGER_SAMPLERS: Table[Any, Sampler] = Table()
LARGER_READERS: Table[Any, tuple[Direct, int | None]] = Table()
LARGER_REACH: Table[Any, Reach] = Table()
"""Second estimators, for larger sizes, of quantities whose first ones enumerate too much there."""


def readable(quantity: Any) -> bool:
    """Whether an estimator is registered for a quantity or family."""
    return quantity in READERS or quantity in SAMPLERS


def reach_of_reading(quantity: Any) -> Reach:
    """How large the sizes are at which a quantity can be read, by whichever of its estimators."""
    return LARGER_REACH.get(quantity) or REACH.get(quantity, UNLIMITED)


def measures(
    *quantities: Any, reach: Reach = UNLIMITED, larger: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `f(point) -> Measured`, or a tuple of one for each quantity, for any statement.

    The estimator of a family receives the indices after the point.  The point holds the values of
    bound indices too, where a quantity stands under a quantifier.
    """

    readers, reaches = (LARGER_READERS, LARGER_REACH) if larger else (READERS, REACH)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for place, quantity in enumerate(quantities):
            if quantity in readers:
                raise ValueError(f"quantity {quantity.name} has two estimators")
            readers[quantity] = (function, place if len(quantities) > 1 else None)
            reaches[quantity] = reach
        return function

    return register


READING_CHUNKS = 4
"""Chunks of samples behind one reading of a random quantity inside a formula."""


class Readings:
    """Measured values of quantities around one point, each estimator run once for each index.

    `answers` are the truth values that they leave to comparisons, which variants share.

    A random quantity is read with the half-width that is missed with probability `budget`.
    """

    def __init__(
        self, point: Point, seed: int = 0, name: str = "", budget: float = 1e-9,
        larger: bool = False, lot: Lot = CHUNKS,
    ):  # fmt: skip
        self.lot = lot
        self.point, self.seed, self.name, self.budget = point, seed, name, budget
        self.samplers = {**SAMPLERS, **LARGER_SAMPLERS} if larger else SAMPLERS
        self.readers = {**READERS, **LARGER_READERS} if larger else READERS
        self.known: dict[Any, Any] = {}
        self.memory = Memory()
        self.answers: dict[Any, frozenset[bool]] = {}

    def __call__(self, quantity: Quantity, at: Point) -> tuple[Any, float]:
        if quantity in self.samplers:
            return self._sampled(quantity)
        places = tuple(as_place(value_of(a, at)) for a in getattr(quantity, "args", ()))
        function, place = self.readers[getattr(quantity, "func", quantity) if places else quantity]
        found = self.memory((function, places), at, lambda point: function(point, *places))
        measured = as_measured(found if place is None else found[place], quantity)
        return measured.value, measured.error

    def _sampled(self, quantity: Quantity) -> tuple[float, float]:
        if quantity not in self.known:
            estimate = Estimate()
            stream = Stream(self.seed, f"{self.name}/{quantity.name}", 0, self.lot)
            chunks = range(READING_CHUNKS)
            for samples in stream.samples(self.samplers[quantity], self.point, chunks):
                estimate.add(samples)
            self.known[quantity] = (estimate.mean, estimate.half_width(self.budget))
        return self.known[quantity]
