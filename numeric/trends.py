"""Trends over i.i.d. runs: an interval for a mean."""

from __future__ import annotations

import math

from scipy import stats
from torch import Tensor

from numeric.agreement import FALSE_ALARM_BUDGET

__all__ = ["TREND_BUDGET", "mean_and_reach"]

TREND_BUDGET = FALSE_ALARM_BUDGET * 1e-4
"""Probability that one interval misses its mean: ten of them fit into one claim's share."""
LEAST_RUNS = 32
"""Fewer runs, and Student's t would lean on a normality that logarithms of norms only approach."""


def mean_and_reach(samples: Tensor, false_alarm: float = TREND_BUDGET) -> tuple[float, float]:
    """The mean of i.i.d. samples (runs) and the half-width of Student's interval around it.

    Raises `ArithmeticError` where a run is not finite: it would speak for and against every trend.
    """
    runs = samples.numel()
    if runs < LEAST_RUNS:
        raise ValueError(f"{runs} runs: an interval needs {LEAST_RUNS}; measure more of them")
    mean, error = float(samples.mean()), float(samples.std()) / math.sqrt(runs)
    if not math.isfinite(error):
        raise ArithmeticError(f"mean {mean} over {runs} runs: one of them diverged; leave it out")
    return mean, float(stats.t.isf(false_alarm / 2, runs - 1)) * error
