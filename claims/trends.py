"""Statements about measured quantities that have no closed form: trends of simulations.

What is measured is an interval, a pair (mean, half-width) that misses its mean with a probability
far below the audit's budget.  A statement is tested at the end of the interval that is worse for
it, so that an interval that cannot tell does not speak for the claim.
"""

from __future__ import annotations

from typing import Any, NoReturn

from claims.domain import Point

__all__ = ["Interval", "NoClosedForm", "away", "least", "most", "no_closed_form"]

Interval = tuple[float, float]


class NoClosedForm(Exception):
    """A quantity that can only be measured was asked for exactly."""


def no_closed_form(point: Point) -> NoReturn:
    """The definition of a mean over networks that nothing but a simulation evaluates."""
    raise NoClosedForm("a mean over random networks without a closed form: measure it")


def least(interval: Any) -> float:
    """The lower end."""
    mean, half_width = interval
    return mean - half_width


def most(interval: Any) -> float:
    """The upper end.

    >>> most((2.0, 0.5)), least((2.0, 0.5)), away((2.0, 0.5), 1.0)
    (2.5, 1.5, (0.5, 1.5))
    """
    mean, half_width = interval
    return mean + half_width


def away(interval: Any, centre: float) -> tuple[float, float]:
    """The least and the largest distance of the interval from a number."""
    ends = abs(least(interval) - centre), abs(most(interval) - centre)
    inside = least(interval) <= centre <= most(interval)
    return (0.0 if inside else min(ends)), max(ends)
