"""Which values a figure's settings may take, and how much work they ask for.

A setting means the same in every figure that has it, so that its range stands here once.  Sizes have
no upper end of their own: what they cost together is compared with the figure's defaults, which take
well under a minute on two cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claims.errors import UserError

__all__ = [
    "RANGES",
    "WORK_LIMIT",
    "Range",
    "SettingError",
    "require_affordable",
    "require_in_range",
]


class SettingError(UserError):
    """A setting that a figure cannot use, or that would take too long."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included unless an end is open."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, value: float) -> bool:
        above = self.low < value if self.open_low else self.low <= value
        return above and (value < self.high if self.open_high else value <= self.high)

    def __str__(self) -> str:
        """
        >>> print(Range(0, 1, open_high=True))
        at least 0 and less than 1
        >>> print(Range(2, float("inf"), open_high=True))
        at least 2
        """
        low = f"greater than {self.low:g}" if self.open_low else f"at least {self.low:g}"
        high = f"less than {self.high:g}" if self.open_high else f"at most {self.high:g}"
        return low if self.high == float("inf") else f"{low} and {high}"


_SPREAD = Range(1e-3, 1e3)
"""Squared norms of gradients go with the sixth power of the input's scale, and their variance with
the twelfth: within this range nothing over- or underflows."""
_CORRELATION = Range(0, 1, open_high=True)
_SEVERAL = Range(2, float("inf"), open_high=True)
_WEIGHT = Range(1, 1e6, open_low=True)
_RATE = Range(1e-12, 1e3)

RANGES: Mapping[str, Range] = {
    "std": _SPREAD, "stds": _SPREAD, "scales": _SPREAD, "tau": _SPREAD, "taus": _SPREAD,
    "factors": Range(1e-6, 1e6), "temperature": Range(1e-6, 1e6),
    "correlation": _CORRELATION, "correlations": _CORRELATION, "dropout": _CORRELATION,
    "tokens": _SEVERAL, "counts": _SEVERAL, "networks": _SEVERAL, "draws": _SEVERAL,
    "w": _WEIGHT, "weights": _WEIGHT, "first": Range(-1e6, 1e6), "second": Range(-1e6, 1e6),
    "adam_rate": _RATE, "sgd_rate": _RATE,
}  # fmt: skip
"""By name; `weights` of a model is a folder, and only numbers are compared."""

POWERS: Mapping[str, int] = {"tokens": 2, "counts": 2, "width": 2, "widths": 2, "d_v": 2, "grid": 2}
"""How work grows with a size, at least; with every other size it grows in proportion."""
WORK_LIMIT = 1000.0


def require_in_range(name: str, value: Any, where: str) -> None:
    """Raise `SettingError` for a number outside the range of its name."""
    if isinstance(value, tuple):
        for each in value:
            require_in_range(name, each, where)
        return
    allowed = RANGES.get(name)
    if allowed is not None and isinstance(value, int | float) and value not in allowed:
        raise SettingError(f"{where}: {name}={value}: must be {allowed}")


def require_affordable(
    settings: Mapping[str, Any], defaults: Mapping[str, Any], where: str, limit: float = WORK_LIMIT
) -> None:
    """Raise `SettingError` when the settings ask for too many times the work of the defaults."""
    factors = {name: _work(name, settings[name]) / _work(name, defaults[name]) for name in defaults}
    total = 1.0
    for factor in factors.values():
        total *= max(1.0, factor)
    if total > limit:
        name = max(factors, key=lambda each: factors[each])
        raise SettingError(
            f"{where}: {name}={_said(settings[name])}: at least {total:.2g} times the work of the defaults, "
            f"which take up to a minute, so {_duration(total)}; choose smaller sizes, or add --long"
        )


def _work(name: str, value: Any) -> float:
    """What a setting contributes to the work: a size its power, a list one entry after the other."""
    if isinstance(value, tuple):
        return sum(_work(name, each) for each in value)
    if name == "doublings":
        return 2.0 ** min(value, 1000)
    if isinstance(value, int) and not isinstance(value, bool):
        return float(min(value, 10**30)) ** POWERS.get(name, 1)
    return 1.0


def _said(value: Any, limit: int = 40) -> str:
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _duration(minutes: float) -> str:
    """
    >>> _duration(3000.0)
    'up to 2.1 days'
    """
    hours = minutes / 60
    return f"up to {hours:.2g} hours" if hours < 48 else f"up to {hours / 24:.2g} days"
