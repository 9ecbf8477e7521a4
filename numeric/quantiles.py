"""Quantiles that intervals are made of, from `scipy.special`: `scipy.stats` takes half a second to load."""

from __future__ import annotations

from scipy.special import betainccinv, betaincinv, stdtrit

__all__ = ["share_interval", "student"]


def student(tail: float, freedom: int) -> float:
    """What a variable of Student's law of so many degrees of freedom exceeds with probability `tail`.

    >>> round(student(0.025, 9), 3)
    2.262
    """
    return -float(stdtrit(freedom, tail))


def share_interval(hits: int, count: int, false_alarm: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a probability, from `hits` among `count` independent trials.

    >>> share_interval(0, 100, 0.1)[0], round(share_interval(0, 100, 0.1)[1], 4)
    (0.0, 0.0295)
    """
    low = betaincinv(hits, count - hits + 1, false_alarm / 2) if hits else 0.0
    high = betainccinv(hits + 1, count - hits, false_alarm / 2) if hits < count else 1.0
    return float(low), float(high)
