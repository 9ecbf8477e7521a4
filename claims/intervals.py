"""Comparing measured values: which truth values their intervals leave possible.

A measured quantity comes with the half-width of its interval.  A term of several quantities varies
over a box; its range is taken from the corners and the centre, which is exact for terms that are
monotone in each quantity, as those of the statements are at the widths in question.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from sympy import Dummy, Expr, lambdify, oo, sympify
from sympy.core.function import AppliedUndef

from claims.terms import value_of

__all__ = ["BOTH", "NEITHER", "numbers", "possible"]

BOTH = frozenset({True, False})
NEITHER: frozenset[bool] = frozenset()
CORNERS = 10
"""Quantities whose corners are all tried; beyond that a term belongs into a quantity of its own."""


def numbers(value: Any) -> Any:
    """An exact value as floats: a number, or an array for matrices, tuples and tensors."""
    if isinstance(value, bool | str | float | int):
        return value
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy()
    if hasattr(value, "tolist") and hasattr(value, "rows"):
        return np.array([[float(x) for x in row] for row in value.tolist()]).reshape(value.shape)
    if isinstance(value, tuple | list):
        return np.array([numbers(v) for v in value])
    if hasattr(value, "mid"):
        return float(value.mid())
    return float(value)


def possible(
    left: Any, sign: str, right: Any, readings: Callable[[Any, Any], tuple[Any, float]], at: Any
) -> frozenset[bool]:
    """The truth values of `left sign right` that some point of the intervals gives."""
    left, right, read = _named(left, right, readings, at)
    inside = list(read)
    if any(np.ndim(numbers(value)) for value, _ in read.values()):
        return _arrays(left, sign, right, read, at)
    if len(inside) > CORNERS:
        raise ValueError(
            f"{left} {sign} {right}: more than {CORNERS} measured quantities in one term"
        )
    difference = _difference(left, right, inside, at)
    ends = [
        (value, value - width, value + width)
        for value, width in (map(float, read[q]) for q in inside)
    ]
    values = [difference(corner) for corner in product(*ends)]
    return _signs(np.array(values, dtype=float), sign)


def _named(left: Any, right: Any, readings: Any, at: Any) -> tuple[Any, Any, dict[Any, Any]]:
    """Both sides with a name for each measured quantity, and what was read of it."""
    read: dict[Any, Any] = {}
    names: dict[Any, Any] = {}
    for side in (left, right):
        for atom in _quantities(side):
            if atom not in names:
                names[atom] = Dummy(real=True)
                read[names[atom]] = readings(atom, at)
    sides = [s.xreplace(names) if isinstance(s, Expr) and names else s for s in (left, right)]
    return sides[0], sides[1], read


def _difference(left: Any, right: Any, inside: list[Any], at: Any) -> Any:
    """`left - right` as a function of the measured quantities."""
    sides = [_partly(side, inside, at) for side in (left, right)]
    if all(side in (oo, -oo) for side in sides):
        return lambda corner: 0.0 if sides[0] == sides[1] else float(sides[0])
    function = lambdify(inside, sides[0] - sides[1], "mpmath")
    return lambda corner: float(function(*corner))


def _partly(side: Any, inside: list[Any], at: Any) -> Any:
    """A side with the value of every part that no measured quantity enters."""
    if not isinstance(side, Expr) or side in inside:
        return side
    if not inside or not side.has(*inside):
        value = value_of(side, at)
        return value if isinstance(value, Expr) else sympify(numbers(value))
    return side.func(*(_partly(part, inside, at) for part in side.args))


def _quantities(side: Any) -> list[Any]:
    """Quantities and members of families in a term, in a fixed order."""
    if not isinstance(side, Expr):
        return []
    found = [s for s in side.free_symbols if hasattr(s, "define")]
    found += [a for a in side.atoms(AppliedUndef) if hasattr(a.func, "define_at")]
    return sorted(found, key=str)


def _arrays(left: Any, sign: str, right: Any, read: dict[Any, Any], at: Any) -> frozenset[bool]:
    """Arrays stand alone on a side and agree, or not, entry by entry."""
    values, width = [], 0.0
    for side in (left, right):
        if side in read:
            values.append(np.asarray(numbers(read[side][0])))
            width += float(read[side][1])
        else:
            values.append(np.asarray(numbers(value_of(side, at))))
    a, b = values
    if a.shape != b.shape:
        return frozenset({sign == "!="})
    difference = np.where(a == b, 0.0, a - b)
    widest = difference.flat[np.abs(difference).argmax()] if difference.size else 0.0
    extremes = np.array([widest - width, widest, widest + width])
    if sign in {"<=", "<"}:
        extremes = np.array([difference.max() - width, difference.max() + width])
    elif sign in {">=", ">"}:
        extremes = np.array([difference.min() - width, difference.min() + width])
    return _signs(extremes, sign)


def _signs(values: np.ndarray, sign: str) -> frozenset[bool]:
    """The truth values of `value sign 0` for values between the least and the greatest given."""
    if np.isnan(values).any():
        return frozenset({False})
    low, high = values.min(), values.max()
    found = {
        "=": (low <= 0 <= high, not (low == high == 0)),
        "!=": (not (low == high == 0), low <= 0 <= high),
        "<=": (low <= 0, high > 0),
        "<": (low < 0, high >= 0),
        ">=": (high >= 0, low < 0),
        ">": (high > 0, low <= 0),
    }[sign]
    return frozenset(truth for truth, allowed in zip((True, False), found, strict=True) if allowed)
