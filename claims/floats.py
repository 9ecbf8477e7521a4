"""Numbers as definitions return them: floats of Python and of other libraries, and arrays of one entry."""

from __future__ import annotations

from math import isfinite
from typing import Any

from sympy import Expr, Float, Rational, sympify

__all__ = ["SIXTY_DIGITS", "beside", "entries", "holds_floats", "is_float", "with_all_digits"]

SIXTY_DIGITS = 199
"""Bits of a float of so many digits."""


def is_float(number: Any) -> bool:
    """Whether a number was calculated with floats of fewer than sixty digits.

    >>> from sympy import sqrt
    >>> is_float(0.5), is_float(sqrt(2).evalf() + 1), is_float(sqrt(2)), is_float(sqrt(2).evalf(60))
    (True, True, False, False)
    """
    if not isinstance(number, Expr):
        others = ("_mpf_", "_mpc_", "dtype")  # of mpmath, NumPy and torch
        return isinstance(number, float | complex) or any(hasattr(number, each) for each in others)
    floats = () if number.free_symbols else number.atoms(Float)
    return any(f._prec < SIXTY_DIGITS for f in floats)


def holds_floats(value: Any) -> bool:
    """Whether a number, or an entry of a matrix or tuple, was."""
    several = hasattr(value, "shape") or isinstance(value, tuple | list)
    return (
        any(map(holds_floats, entries(value)))
        if several and not is_float(value)
        else is_float(value)
    )


def with_all_digits(number: Any) -> Any:
    """A number for SymPy, floats as the fractions that they are: beside them nothing small is lost."""
    if getattr(number, "shape", None) == ():
        return with_all_digits(_single(number))
    if isinstance(number, float) and isfinite(number):
        return Rational(number)
    found = sympify(number)
    floats = found.atoms(Float) if isinstance(found, Expr) else ()
    return found.xreplace({f: Rational(f) for f in floats if f.is_finite}) if floats else found


def _single(array: Any) -> Any:
    """What an array without rows holds."""
    value = array.item() if hasattr(array, "item") else array[()]
    return sympify(value) if hasattr(value, "shape") else value


def beside(value: Any, other: Any) -> Any:
    """The entry of an array of one, where no array with rows and columns stands beside it."""
    shape = getattr(value, "shape", None)
    if shape == ():
        return _single(value)
    return value[0, 0] if shape == (1, 1) and not getattr(other, "shape", ()) else value


def entries(array: Any) -> Any:
    """The entries of an array, row by row."""
    return array.ravel().tolist() if hasattr(array, "ravel") else array
