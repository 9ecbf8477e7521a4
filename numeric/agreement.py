"""Agreement of a measurement with a claim: by standard error and an error budget, never by tolerance.

The budget is the probability that a whole audit raises any false alarm.  It is divided evenly over
all claims of the index (encoded or not, so that adding a claim to a run changes no verdict), then
over the cases of a claim, and so holds by the union bound.

Drawing is sequential.  After each look either the interval tells the claim from its nearest false
variant, or drawing goes on (the sample doubles), or the cap is reached.  Looking again is paid for
already: the interval of `numeric.estimates` holds at all times at once.

Power is part of "agrees": an interval that leaves the claim and something false beside it, and is not
short either, says `underpowered` and names what it could not tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from numeric.budget import FALSE_ALARM_BUDGET
from numeric.estimates import Estimate

__all__ = [
    "FALSE_ALARM_BUDGET", "SHORT", "BadEstimator", "Candidate", "CaseResult", "Contest", "Measured",
    "as_measured", "compare", "distance", "draw_until_told", "rounding", "size",
]  # fmt: skip

CHUNK = 2048
"""Samples per draw, each from a stream of its own."""
SHORT = 0.02
"""A half-width of this share of the value has power whatever stands near the claim."""
COMPUTED = 1e-6
"""Half-widths of values that were computed are rounding up to this share of one plus their size; wider ones
are those of something that was drawn, or bounded."""
SAME = 1e-9
"""Statements whose values differ by less of their size say the same at a point."""
NO_DIGIT = 1e-60
"""What is left of a zero where sides are decimals of sixty digits and more."""


class BadEstimator(ArithmeticError):
    """What an estimator returned speaks for no claim."""


@dataclass(frozen=True)
class Measured:
    """A deterministic measurement: a number, array or flags, and a bound on its rounding error."""

    value: Any
    error: float = 0.0


def as_measured(found: Any, name: object) -> Measured:
    """What a direct estimator returned.  Raises `BadEstimator` for anything else than `Measured`."""
    if isinstance(found, Measured):
        return found
    raise BadEstimator(
        f"the estimator of {name} returned an object of type {type(found).__name__}, must return "
        "Measured(value, error); mend the estimator"
    )


def rounding(*scales: Any, operations: int = 1000) -> float:
    """A bound on accumulated float64 rounding for quantities of the given magnitudes."""
    size = max((float(torch.as_tensor(s).abs().max()) for s in scales), default=1.0)
    return operations * torch.finfo(torch.float64).eps * max(size, 1e-300)


@dataclass
class CaseResult:
    """One case: estimate against every candidate value, by name ("claim" is the statement itself)."""

    at: dict[str, Any]
    estimate: Any
    standard_error: float
    half_width: float
    samples: int
    claimed: Any
    status: str
    z: float | None
    killed: list[str] = field(default_factory=list)
    looks: list[tuple[int, float, float]] = field(default_factory=list)
    """Samples, mean and half-width each time the test looked at the data."""
    excluded: list[str] = field(default_factory=list)
    """Variants that the interval excludes."""
    nearest: str | None = None
    """What an underpowered interval could not tell from the claim."""
    scale: str = "small"
    half_widths: dict[str, float] = field(default_factory=dict)
    """Of each quantity of a formula, by its name, where it is not exact."""
    fails: list[dict[str, Any]] = field(default_factory=list)
    """The comparisons of a formula that the readings rule out."""


@dataclass(frozen=True)
class Candidate:
    """What a statement says of the left-hand side at one point: a relation to each of its sides."""

    name: str
    relation: str
    sides: tuple[Any, ...]

    def fits(self, value: Any, width: float) -> bool:
        """Whether a measured value leaves the statement possible."""
        return all(compare(self.relation, value, side, width) for side in self.sides)

    def says_the_same(self, other: Candidate) -> bool:
        """Whether both compare with the same values, up to rounding."""
        return all(_same(mine, other.sides[0]) for mine in self.sides)


@dataclass(frozen=True)
class Contest:
    """A claim at one point, and the false statements that samples of its left-hand side must exclude.

    `rivals` were written by hand, and samples are drawn until each is excluded; for `variants`, made
    by machine and as near as they happen to be, a short interval is enough.  A value that was
    computed and not `drawn` has power where nothing else is stated, if it is exact up to rounding.
    Of `more` it is only said which are excluded, so that who tries more of them asks for no shorter
    interval.
    """

    claim: Candidate
    rivals: tuple[Candidate, ...] = ()
    variants: tuple[Candidate, ...] = ()
    drawn: bool = True
    more: tuple[Candidate, ...] = ()

    @classmethod
    def among(cls, claimed: float, *others: float) -> Contest:
        """An equality against others."""
        rivals = (Candidate(f"{value:g}", "=", (value,)) for value in others)
        return cls(Candidate("claim", "=", (claimed,)), tuple(rivals))

    def status(self, value: Any, width: float) -> str:
        """ "disagrees", "agrees", or "underpowered"."""
        if not self.claim.fits(value, width):
            return "disagrees"
        return "agrees" if self.confused(value, width) is None else "underpowered"

    def told(self, value: Any, width: float) -> bool:
        """Whether more samples would decide no more.

        Once the claim is excluded its rivals are to follow; one of them may be true, and stays, when
        the interval is a fourth of the way from it to the claim: others may be near the truth.
        """
        if self.claim.fits(value, width):
            return self.confused(value, width) is None and not self._rivals_left(value, width)
        left = self._rivals_left(value, width)
        gaps = [distance(other.sides[0], self.claim.sides[0]) for other in left]
        return 4 * width < min(gaps, default=math.inf)

    def _rivals_left(self, value: Any, width: float) -> list[Candidate]:
        """Rivals that say something else than the claim here and are not excluded."""
        if self.claim.relation in CONVERSE:
            return []  # a rival of a bound may be true as well
        return [
            rival
            for rival in self.rivals
            if rival.fits(value, width) and not rival.says_the_same(self.claim)
        ]

    def confused(self, value: Any, width: float) -> Candidate | None:
        """What the interval leaves beside the claim, the nearest first; None where it has power."""
        if width <= SHORT * size(value):
            return None
        others = self.others(rounded=self._rounded(value, width))
        left = [other for other in others if other.fits(value, width)]
        if not others and not self._rounded(value, width):
            left = [Candidate("anything near", self.claim.relation, self.claim.sides)]
        return min(left, key=lambda c: distance(c.sides[0], self.claim.sides[0]), default=None)

    def _rounded(self, value: Any, width: float) -> bool:
        """Whether a value was computed, so that nothing but rounding stands between it and the exact one."""
        return not self.drawn and width <= COMPUTED * (1 + size(value))

    def others(self, *, rounded: bool = False) -> list[Candidate]:
        """False statements that say something else here; a bound is to be told from its converse, but by
        a value that is exact up to rounding."""
        converse = CONVERSE.get(self.claim.relation)
        if converse is not None and rounded:
            return []
        if converse is not None:
            return [Candidate("the converse", converse, (side,)) for side in self.claim.sides]
        others = (*self.rivals, *self.variants)
        return [other for other in others if not other.says_the_same(self.claim)]


CONVERSE = {"<=": ">=", "<": ">=", ">=": "<=", ">": "<="}


def _same(first: Any, second: Any) -> bool:
    return compare("=", first, second, SAME * max(size(first), size(second)) + NO_DIGIT)


def size(value: Any) -> float:
    """The largest absolute entry of a number, an array, or a tuple of them."""
    if isinstance(value, tuple):
        return max(map(size, value), default=0.0)
    return float(torch.as_tensor(value, dtype=torch.float64).abs().max())


def distance(first: Any, second: Any) -> float:
    """The largest difference of two entries; infinite between shapes."""
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return max(map(distance, first, second), default=0.0)
    try:
        left, right = (torch.as_tensor(side, dtype=torch.float64) for side in (first, second))
    except (TypeError, ValueError):
        return math.inf
    if left.ndim and right.ndim and left.shape != right.shape:
        return math.inf
    return float((left - right).abs().max())


def draw_until_told(
    draw: Callable[[range], Iterable[Tensor]],
    contest: Contest,
    budget: float,
    max_samples: int,
    watch: Callable[[int, float, float], None] = lambda samples, mean, half_width: None,
    chunk: int = CHUNK,
) -> tuple[Estimate, float]:
    """Draw until the interval has told the candidates apart, or the cap is reached.

    `draw(chunks)` yields the i.i.d. samples of the chunks of those numbers, in order, each of `chunk`
    samples.  Returns the estimate and the half-width of its interval, which at all looks together
    misses with probability `budget`; `watch` sees every look: samples so far, their mean, the half-width.
    """
    estimate, chunks, target = Estimate(), 0, 1
    while True:
        for samples in draw(range(chunks, target)):
            estimate.add(samples)
        chunks = target
        width = estimate.half_width(budget)
        watch(estimate.samples, estimate.mean, width)
        if contest.told(estimate.mean, width) or 2 * target * chunk > max_samples:
            return estimate, width
        target *= 2


def compare(relation: str, estimate: Any, claimed: Any, width: float) -> bool:
    """Whether an estimate with the given half-width is consistent with `lhs relation claimed`."""
    if isinstance(estimate, tuple):
        return len(estimate) == len(claimed) and all(
            compare(relation, a, b, width) for a, b in zip(estimate, claimed, strict=True)
        )
    left, right = (torch.as_tensor(side, dtype=torch.float64) for side in (estimate, claimed))
    if left.ndim and right.ndim and left.shape != right.shape:
        return False
    unequal = left != right  # equal infinities agree, although their difference is undefined
    difference = (left - right)[unequal]
    if difference.isnan().any():
        return False
    signs = {"<=": 1, "<": 1, ">=": -1, ">": -1}  # an interval cannot tell < from <=
    excess = signs[relation] * difference if relation in signs else difference.abs()
    return bool((excess <= width).all())
