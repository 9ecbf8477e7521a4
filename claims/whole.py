"""Integers beside numbers: which lie in a range, and the integer part of a number, decided exactly."""

from __future__ import annotations

from math import floor
from typing import Any

import flint
from sympy import Integer, Rational, sympify
from sympy import floor as symbolic_floor

from claims.exact import compare, is_rounded, read_off, sign
from claims.floats import is_float

__all__ = ["members", "whole", "whole_between", "whole_part"]


def whole(value: Any) -> int:
    """A size, an index or an exponent, which is an integer.  Raises `ValueError` for what is none.

    >>> whole(Integer(3))
    3
    >>> whole(Rational(3, 2))
    Traceback (most recent call last):
    ...
    ValueError: 3/2: must be an integer
    """
    found = int(value)
    if found != value:
        raise ValueError(f"{value}: must be an integer")
    return found


def members(low: Any, high: Any) -> range | None:
    """The same as `whole_between`; None where it is not decided."""
    try:
        return whole_between(low, high)
    except ValueError:
        return None


def whole_between(low: Any, high: Any) -> range:
    """The integers from `low` to `high`, which need be none themselves.

    Raises `ValueError` where it is not decided on which side of an integer an end lies.

    >>> from sympy import tanh
    >>> list(whole_between(Rational(1, 2), 2)), list(whole_between(0, Rational(-1, 2)))
    ([1, 2], [])
    >>> list(whole_between(1, tanh(1000)))
    []
    """
    return range(-_whole_below(-low), _whole_below(high) + 1)


def _whole_below(end: Any) -> int:
    """The largest integer that is no larger than the end of a range."""
    if isinstance(end, int | flint.fmpq | Rational) or getattr(end, "is_infinite", False):
        return floor(end)
    found: Any = None
    if is_float(end) or is_rounded(end):
        near = round(end)
        found = near if end == near else floor(end)
        if found != near and compare(end, "!=", Integer(near)) is None:
            found = None  # rounding may have moved it across the integer
    else:
        found = whole_part(sympify(end))
    if found is None:
        raise ValueError(f"{end}: on which side of an integer it lies is not decided")
    return int(found)


def whole_part(x: Any) -> Integer | None:
    """The largest integer that is no larger than an exact number; None where that is not decided.

    By balls, and where they enclose an integer, by the side of it on which the number lies: to SymPy the
    integer part of $\\tanh1000$ is one.
    """
    if x.is_Rational:
        return symbolic_floor(x)
    found = read_off(x, lambda ball: ball.floor().unique_fmpz())
    if found is not None:
        return Integer(int(found))
    near = read_off(x, lambda ball: (ball + 0.5).floor().unique_fmpz())
    if near is None or (side := sign(x - Integer(int(near)))) is None:
        return None
    return Integer(int(near)) - (side < 0)
