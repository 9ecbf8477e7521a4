"""Comparing measured values: which truth values their intervals leave possible.

A measured quantity comes with the half-width of its interval.  A term of several quantities varies
over a box; its range is taken from the corners and the centre, which is exact for terms that are
monotone in each quantity, as those of the statements are at the widths in question.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from mpmath import mpmathify
from sympy import Dummy, Expr, lambdify, sympify
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
                names[atom] = _MEASURED[len(names)]
                read[names[atom]] = readings(atom, at)
    sides = [s.xreplace(names) if isinstance(s, Expr) and names else s for s in (left, right)]
    return sides[0], sides[1], read


def _difference(left: Any, right: Any, inside: list[Any], at: Any) -> Any:
    """`left - right` as a function of the measured quantities."""
    terms, known = [], {}
    for side in (left, right):
        if isinstance(side, Expr) and inside and side.has(*inside):
            terms.append(side)
            others = side.free_symbols - set(inside)
            known |= {s: value_of(s, at) for s in others if isinstance(value_of(s, at), Expr | int)}
        else:
            terms.append(constant := _CONSTANTS[len(terms)])
            known[constant] = value_of(side, at)
    values = [_number(v) for v in known.values()]
    sides = [_compiled(term, (*inside, *known)) for term in terms]

    def difference(corner: Any) -> float:
        a, b = (side(*corner, *values) for side in sides)
        return 0.0 if a == b else float(a - b)  # infinities equal themselves

    return difference


def _number(value: Any) -> Any:
    """To thirty digits."""
    return mpmathify(str(sympify(value).evalf(30)).replace("oo", "inf"))


_CONSTANTS = tuple(Dummy(f"side_{k}", real=True) for k in range(2))
_MEASURED = tuple(Dummy(f"measured_{k}", real=True) for k in range(32))


@lru_cache(maxsize=4096)
def _compiled(term: Expr, symbols: tuple[Any, ...]) -> Any:
    """A term as a function; one statement is asked about at many points."""
    return lambdify(symbols, term, "mpmath")


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
