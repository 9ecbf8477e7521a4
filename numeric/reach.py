"""How many tokens or features an estimator can take, and what keeps it from more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "CORNERS",
    "KRONECKER",
    "MOMENTS",
    "PAIRS",
    "UNLIMITED",
    "WRITTEN_OUT",
    "Reach",
    "shortest",
]


@dataclass(frozen=True)
class Reach:
    """The largest number of tokens or features, None for any, and the reason that a report gives."""

    largest: int | None = None
    reason: str = ""


UNLIMITED = Reach()
CORNERS = Reach(
    6, "a term of it reads as many quantities, whose intervals are tried in all corners"
)
KRONECKER = Reach(
    5, "it is compared entry by entry, as an exact matrix with the square of as many rows"
)
MOMENTS = Reach(
    8, "the printed side holds exact moments of the layer before, for every pair of tokens"
)
PAIRS = Reach(40, "its hypotheses compare the distances of all pairs of tokens exactly")
WRITTEN_OUT = Reach(6, "the printed sum is written out over every tuple of tokens")


def shortest(reaches: Iterable[Reach]) -> Reach:
    """The reach of estimators together.

    >>> shortest([UNLIMITED, Reach(4, "a grid over every weight"), Reach(9, "a full Jacobian")])
    Reach(largest=4, reason='a grid over every weight')
    """
    limited = [reach for reach in reaches if reach.largest is not None]
    return min(limited, key=lambda reach: reach.largest or 0, default=UNLIMITED)
