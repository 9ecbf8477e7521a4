"""Trends over i.i.d. runs: an interval for a mean, decided or refused, never silently too wide."""

from __future__ import annotations

import math

from scipy import stats
from torch import Tensor

from numeric.agreement import FALSE_ALARM_BUDGET

__all__ = ["TREND_BUDGET", "Interval", "decided_interval", "mean_interval"]

TREND_BUDGET = FALSE_ALARM_BUDGET * 1e-4
"""Probability that one interval misses its mean: ten of them fit into one claim's share."""
LEAST_RUNS = 32
"""Fewer runs, and Student's t would lean on a normality that logarithms of norms only approach."""

Interval = tuple[float, float]


def mean_interval(samples: Tensor, false_alarm: float = TREND_BUDGET) -> Interval:
    """Student's interval for the mean of i.i.d. samples (runs)."""
    runs = samples.numel()
    if runs < LEAST_RUNS:
        raise ValueError(f"{runs} runs: an interval needs {LEAST_RUNS}; measure more of them")
    error = float(samples.std()) / math.sqrt(runs)
    reach = float(stats.t.isf(false_alarm / 2, runs - 1)) * error
    return float(samples.mean()) - reach, float(samples.mean()) + reach


def decided_interval(samples: Tensor, against: float = 0.0) -> Interval:
    """An interval that does not contain `against`.

    Raises `ArithmeticError` when it does: a trend that is lost in the noise is neither confirmed
    nor refuted, and the estimator needs more runs.
    """
    low, high = mean_interval(samples)
    if not (low > against or high < against):  # a mean that is not a number is not decided either
        raise ArithmeticError(
            f"mean in [{low:.4g}, {high:.4g}], {samples.numel()} runs: cannot be told from "
            f"{against}; measure more runs"
        )
    return low, high
