r"""Streaming estimates of a mean, with an interval that holds for skewed and heavy-tailed samples.

The interval is a bet against every false mean (Ville's inequality).  For a fixed centre c, a stake s
and b = 1/(2s), let g(y) be 1 - s y for deviations y = Y - c up to b, and 0 beyond.  Its mean is

    E g(y) = 1 - s m + P(y > b) (s E[y | y > b] - 1)   with m = E y,

at most 1 - s m where the mean excess E[y - b | y > b] is at most b: whenever t^2 P(y > t) does not
rise beyond b, so for every regular tail with a variance.  Then the product of g(y) / (1 - s m) over
the samples is a non-negative supermartingale, which ever exceeds 1/a with probability at most a: no
normality, no bound on variance or skewness, and looking again costs nothing.  While all samples are
below b, log(1 - u) >= -u - u^2/2 - k |u|^3 with k = k(s max|y|) <= 0.546 turns this into

    m <= mean(y) + log(1/a) / (n s) + s mean(y^2) / 2 + k s^2 mean(|y|^3),

and likewise below.  A large sample forbids large stakes and so widens the interval; for light tails
and many samples it is sqrt(2 log(1/a) / n) standard deviations wide.

Stakes fall by sqrt(2) from one to the next, beginning at a quarter of the inverse spread of the first
few samples, which fix the centre too and are not counted.  Stake j (from 0) may use 6/(pi^2 (j+1)^2)
of the probability, so that the best of them may be chosen after the fact, at any time.

Of events, which come as booleans, no deviation exceeds one: only stakes with b >= 1 are used, and nothing
is asked of any tail.  Samples of which each is zero or one are taken for events, whatever their type.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field

import torch
from torch import Tensor

__all__ = ["PILOT", "ROUNDING", "Estimate"]

PILOT = 32
"""Samples that fix the centre and the scale of the stakes and are not counted."""
STAKES = 256
"""The last ones serve samples that do not vary at first."""
ROUNDING = 1000 * sys.float_info.epsilon
"""Relative rounding of a sample that takes up to a thousand operations; all that is left of an error
bar when samples do not vary.  Its square is added once: a squared norm that is exactly zero comes
out as the square of a rounding error."""


@dataclass
class Estimate:
    """Sums of powers of the deviations from the centre; memory does not grow.

    >>> import torch
    >>> e = Estimate()
    >>> e.add(torch.arange(160.0, dtype=torch.float64))
    >>> e.samples, e.counted, e.mean
    (160, 128, 95.5)
    """

    samples: int = 0
    counted: int = 0
    centre: float = math.nan
    scale: float = math.nan
    sums: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of y, y^2 and |y|^3."""
    largest: float = 0.0
    """The largest |y|."""
    _pilot: list[Tensor] = field(default_factory=list)
    _events: bool = True
    """Whether no sample was anything but zero or one: one that was never seen may still happen."""

    @property
    def mean(self) -> float:
        return self.centre + self.sums[0] / self.counted if self.counted else math.nan

    @property
    def standard_error(self) -> float:
        if self.counted < 2:
            return math.inf
        first, second, _ = (total / self.counted for total in self.sums)
        return math.sqrt(max(0.0, second - first**2) / (self.counted - 1))

    def half_width(self, false_alarm: float) -> float:
        """Half-width of the two-sided interval that ever misses with probability `false_alarm`."""
        if not self.counted:
            return math.inf
        _, square, cube = (total / self.counted for total in self.sums)
        largest = max(1.0, self.largest) if self._events else self.largest
        scale = max(0.25, self.scale) if self._events else self.scale
        widths = [math.inf]
        for j in range(STAKES):
            stake = 2.0 ** (-2 - j / 2) / scale
            if 2 * stake * largest > 1:
                continue
            share = false_alarm / 2 * 6 / (math.pi * (j + 1)) ** 2
            cost = -math.log(share) / (self.counted * stake)
            third = third_order(stake * largest)
            widths.append(cost + stake * square / 2 + third * stake**2 * cube)
        return min(widths) + self._rounding

    @property
    def _rounding(self) -> float:
        return ROUNDING * (abs(self.centre) + self.largest) + ROUNDING**2

    def add(self, samples: Tensor) -> None:
        """Append samples; how they are cut into batches changes nothing but rounding."""
        if not torch.isfinite(samples).all():
            raise ArithmeticError("a sample is not finite: it would speak for every claim")
        values = samples.detach().reshape(-1).double()
        self._events = self._events and bool(((values == 0) | (values == 1)).all())
        self.samples += values.numel()
        if math.isnan(self.centre):
            values = self._after_pilot(values)
        if not values.numel():
            return
        y = values - self.centre
        square = y.square()
        new = (y.sum(), square.sum(), (square * y.abs()).sum())
        first, second, third = (a + float(b) for a, b in zip(self.sums, new, strict=True))
        self.sums = (first, second, third)
        self.largest = max(self.largest, float(y.abs().max()))
        self.counted += values.numel()

    def _after_pilot(self, values: Tensor) -> Tensor:
        """Fix centre and scale by the first samples of the stream; the others are returned."""
        missing = PILOT - sum(part.numel() for part in self._pilot)
        self._pilot.append(values[:missing])
        if values.numel() < missing:
            return values[:0]
        pilot = torch.cat(self._pilot)
        self._pilot.clear()
        self.centre = float(pilot.mean())
        least = ROUNDING * abs(self.centre) + ROUNDING**2
        self.scale = max(float(pilot.std()), least)
        return values[missing:]


def third_order(reach: float) -> float:
    """The least k such that log(1 - u) >= -u - u^2/2 - k |u|^3 for |u| <= reach.

    >>> third_order(0.0) == 1 / 3, round(third_order(0.5), 4)
    (True, 0.5452)
    """
    if reach < 0.01:  # the next term of the series, where the difference below would cancel
        return 1 / 3 + reach / 4 + reach**2 / 4
    return (-math.log1p(-reach) - reach - reach**2 / 2) / reach**3
