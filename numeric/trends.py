"""Trends over i.i.d. runs: an interval for a mean, and for the limit of means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor

from numeric.agreement import FALSE_ALARM_BUDGET, Measured, rounding
from numeric.quantiles import share_interval, student

__all__ = ["LEAST_RUNS", "TREND_BUDGET", "limit_of_means", "mean_and_reach", "mean_of_runs"]

TREND_BUDGET = FALSE_ALARM_BUDGET * 1e-4
"""Probability that one interval misses its mean: ten of them fit into one claim's share."""
LEAST_RUNS = 32
"""Fewer runs, and Student's t would lean on a normality that logarithms of norms only approach."""


def mean_and_reach(samples: Tensor, false_alarm: float = TREND_BUDGET) -> tuple[float, float]:
    """The mean of i.i.d. samples (runs) and the half-width of Student's interval around it.

    Where each is zero or one, they are events, and the interval is Clopper and Pearson's.

    Rounding is counted too: where an average is exact, runs do not differ by anything else.
    Raises `ArithmeticError` where a run is not finite: it would speak for and against every trend.
    """
    runs = samples.numel()
    if runs < LEAST_RUNS:
        raise ValueError(f"{runs} runs: an interval needs {LEAST_RUNS}; measure more of them")
    if ((samples == 0) | (samples == 1)).all():  # one that was never seen may still happen
        hits = int(samples.sum())
        low, high = share_interval(hits, runs, false_alarm)
        return hits / runs, max(high - hits / runs, hits / runs - low)
    mean, error = float(samples.mean()), float(samples.std()) / math.sqrt(runs)
    if not math.isfinite(error):
        raise ArithmeticError(f"mean {mean} over {runs} runs: one of them diverged; leave it out")
    return mean, student(false_alarm / 2, runs - 1) * error + rounding(samples)


def mean_of_runs(runs: Tensor, false_alarm: float = TREND_BUDGET) -> Measured:
    """Their mean, with the half-width of its interval."""
    return Measured(*mean_and_reach(runs, false_alarm))


def limit_of_means(values: Sequence[tuple[float, float]], power: float = 1) -> Measured:
    """The limit of means, with their half-widths, at three sizes, each twice the one before.

    The leading correction, of the given power p of one over the size, is removed once from either pair of
    neighbours.  What is left of the others is taken for as much as the two results lie apart; and for no
    less than what their distance, noise included, allows where the rest falls with power p + 1.
    """
    factor = 2**power
    means, widths = zip(*values, strict=True)
    before, after = ((factor * means[k + 1] - means[k]) / (factor - 1) for k in (0, 1))
    spread = math.hypot(factor * widths[2], widths[1]) / (factor - 1)
    noise = math.hypot(factor * widths[2], (factor + 1) * widths[1], widths[0]) / (factor - 1)
    apart = abs(after - before)
    return Measured(after, spread + max(apart, (apart + noise) / (2 * factor - 1)))
