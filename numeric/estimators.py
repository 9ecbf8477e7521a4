"""Estimators and their registration: the first of a claim, and a second one for larger sizes.

Two kinds: `samples` returns i.i.d. samples of the left-hand side, `directly` computes it (with a
bound on rounding).  Both work from the definition and never see a right-hand side.

Where the first estimator enumerates a law, its second one (`larger=True`) draws from it, or averages
it by its structure, and is used at the scales of `numeric.larger`.  What has several components may
be measured there by a number that is made of them, on both sides alike (`of`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Generator, Tensor

from claims.domain import Point
from claims.model import Claim
from claims.statement import Quantity
from claims.tables import Table
from numeric.agreement import Measured
from numeric.reach import UNLIMITED, Reach
from numeric.readings import LARGER_REACH, LARGER_SAMPLERS, REACH, SAMPLERS

__all__ = ["ESTIMATORS", "LARGER", "Estimator", "directly", "estimator_of", "samples"]

Sampler = Callable[[Point, Generator, int], Tensor]
Direct = Callable[[Point], Measured]
Functional = Callable[[Any, Point], Any]
"""From a value of a side of a statement, in floats, to the number that is compared."""


@dataclass(frozen=True)
class Estimator:
    """A registered estimator and whether it is random."""

    run: Any
    random: bool
    reach: Reach = UNLIMITED
    of: Functional | None = None
    """What of the sides it measures; None for all that they hold."""

    def seen(self, side: Any, point: Point) -> Any:
        """A side of a statement as this estimator measures it."""
        return side if self.of is None else self.of(side, point)


ESTIMATORS: Table[str, Estimator] = Table()
LARGER: Table[str, Estimator] = Table()


def _register(claims: Sequence[Claim], estimator: Estimator, larger: bool) -> None:
    known = LARGER if larger else ESTIMATORS
    for claim in claims:
        if claim.id in known:
            raise ValueError(f"{claim.id} has two estimators")
        known[claim.id] = estimator


def samples(
    *claims: Claim | Quantity,
    reach: Reach = UNLIMITED,
    larger: bool = False,
    of: Functional | None = None,
) -> Callable[[Sampler], Sampler]:
    """Register `f(point, rng, count) -> Tensor[count]`: i.i.d. samples with mean the left-hand side.

    They are real numbers, as many as `count` says; events come as booleans, so that one that was never
    seen may still have a small probability.

    A claim's quantity may so be read inside the formulas of other claims; a quantity that stands in
    formulas only is registered itself.
    """
    samplers, reaches = (LARGER_SAMPLERS, LARGER_REACH) if larger else (SAMPLERS, REACH)

    def register(function: Sampler) -> Sampler:
        estimator = Estimator(function, random=True, reach=reach, of=of)
        _register([c for c in claims if isinstance(c, Claim)], estimator, larger)
        for claim in claims:
            quantity = claim.quantity if isinstance(claim, Claim) else claim
            if quantity is not None and of is None:
                samplers[quantity] = function
                reaches[quantity] = reach
        return function

    return register


def directly(
    *claims: Claim,
    reach: Reach = UNLIMITED,
    larger: bool = False,
    of: Functional | None = None,
) -> Callable[[Direct], Direct]:
    """Register `f(point) -> Measured`: the left-hand side itself, up to rounding."""

    def register(function: Direct) -> Direct:
        _register(claims, Estimator(function, random=False, reach=reach, of=of), larger)
        return function

    return register


def estimator_of(claim: Claim, *, larger: bool = False) -> Estimator | None:
    """The estimator of a claim, or its second one where larger sizes are asked for and it has one.

    A repair without one of its own is measured by its parent's.
    """
    tables = (LARGER, ESTIMATORS) if larger else (ESTIMATORS,)
    for name in filter(None, (claim.id, claim.parent)):
        for table in tables:
            if name in table:
                return table[name]
    return None
