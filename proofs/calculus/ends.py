"""Limits of functions of one variable at an infinite end, as far as their shape shows them."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Add, Expr, Mul, Poly, Pow, Symbol, exp, fraction, oo, sift, together

from claims import exact

__all__ = ["limit_at"]

INFINITE = (oo, -oo)
AT_INFINITY = {
    sp.exp: (sp.S.Zero, oo), sp.atan: (-sp.pi / 2, sp.pi / 2), sp.tanh: (-sp.S.One, sp.S.One),
    sp.erf: (-sp.S.One, sp.S.One), sp.erfc: (sp.Integer(2), sp.S.Zero), sp.sinh: (-oo, oo),
    sp.cosh: (oo, oo), sp.asinh: (-oo, oo),
}  # fmt: skip
"""Limits of functions where their argument falls, and where it grows, without end."""


def limit_at(e: Expr, place: Symbol, end: Any) -> Any:
    """The limit, finite or infinite, of a function that is real and continuous up to an infinite end.

    None where its shape does not show one, as of x - log(x) or of sin(x).

    >>> x = Symbol("x", real=True)
    >>> limit_at(sp.atan(2 * x) + x**3 * exp(-x), x, oo)
    pi/2
    """
    if place not in e.free_symbols:
        return e
    if e == place:
        return end
    if (known := _of_rational_function(e, place, end)) is not None:
        return known
    if isinstance(e, Mul) and _is_outweighed(e, place, end):
        return sp.S.Zero
    parts = [limit_at(part, place, end) for part in e.args]
    if None in parts:
        return None
    if isinstance(e, Add):
        return None if {oo, -oo} <= {*parts} else Add(*parts)
    if isinstance(e, Mul):
        return _of_product(parts)
    if isinstance(e, Pow):
        return None if place in e.exp.free_symbols else _of_power(parts[0], e.exp)
    return _of_function(e.func, *parts)


def _of_rational_function(e: Expr, place: Symbol, end: Any) -> Any:
    """By degrees and leading coefficients."""
    if not e.is_rational_function(place):
        return None
    above, below = (Poly(part, place) for part in fraction(together(e)))
    if not all(part.domain == sp.ZZ for part in (above, below)):
        return None
    if above.is_zero:
        return sp.S.Zero
    return above.LC() / below.LC() * end ** (above.degree() - below.degree())


def _is_outweighed(product: Expr, place: Symbol, end: Any) -> bool:
    """Whether a power of e that falls without end, with a polynomial for its exponent, meets algebra only."""
    powers, rest = sift(product.args, lambda factor: isinstance(factor, exp), binary=True)
    exponent = Add(*(power.exp for power in powers))
    falls = exponent.is_polynomial(place) and limit_at(exponent, place, end) == -oo
    return falls and all(_is_algebraic(factor, place) for factor in rest)


def _is_algebraic(e: Expr, place: Symbol) -> bool:
    """Whether a function grows no faster than a power, and vanishes no faster."""
    if e == place or place not in e.free_symbols:
        return True
    fixed = not isinstance(e, Pow) or e.exp.is_Rational
    inside = (e.base,) if isinstance(e, Pow) else e.args
    return isinstance(e, Add | Mul | Pow) and fixed and all(_is_algebraic(a, place) for a in inside)


def _of_product(parts: list[Any]) -> Any:
    """None where what vanishes meets what grows, or a sign is not known."""
    if not any(part in INFINITE for part in parts):
        return Mul(*parts)
    signs = [_sign(part) for part in parts]
    return None if None in signs or 0 in signs else Mul(*signs) * oo


def _sign(part: Any) -> int | None:
    return None if part.free_symbols else exact.sign(part)


def _of_power(base: Any, power: Expr) -> Any:
    if not power.is_Rational:
        return None
    if base in INFINITE:
        return base**power if base == oo or power.is_Integer else None
    sign = _sign(base)
    if sign == 0:
        return base if power.is_positive else None
    real = sign == 1 or (power.is_Integer and (sign == -1 or power.is_positive))
    return base**power if real else None


def _of_function(function: Any, at: Any) -> Any:
    if function == sp.log:
        return sp.log(at) if _sign(at) == 1 else None
    if at in INFINITE:
        return AT_INFINITY[function][at == oo] if function in AT_INFINITY else None
    return function(at) if function in (*AT_INFINITY, sp.sin, sp.cos) else None
