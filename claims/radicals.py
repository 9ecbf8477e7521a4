r"""How near to zero a number that is written with roots may be without being zero.

C. Burnikel, S. Funke, K. Mehlhorn, S. Schirra, S. Schmitt, A separation bound for real algebraic expressions,
Algorithmica 55 (2009): such a number is $U/L$ for algebraic integers of a field of degree at most D, the
product of the degrees of its roots.  With $|U|\le u$ and $|L|\le l$, also of all their conjugates, the norm
of U, an integer, is zero or at least one, so that $|U/L|\ge u^{1-D}/l$ or $U=0$.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from sympy import Add, Mul, Pow, cos, pi, sin

__all__ = ["separation"]

Bits = tuple[int, int]
"""Binary logarithms of bounds of U and of L, rounded up."""


def separation(e: Any) -> int | None:
    """A b such that the number is zero or at least 2^-b; None for one that is not written with roots.

    >>> from sympy import log, sqrt
    >>> separation(sqrt(2) - 1), separation(log(2))
    (2, None)
    """
    degrees: dict[Any, int] = {}
    try:
        above, below = _bits(e, degrees)
    except _OtherNumber:
        return None
    degree = reduce(lambda product, k: product * k, degrees.values(), 1)
    return (degree - 1) * above + below


class _OtherNumber(TypeError):
    """A part of a number that is no root of one, nor made of such."""


def _bits(e: Any, degrees: dict[Any, int]) -> Bits:
    if e.is_Rational:
        return abs(int(e.p)).bit_length(), int(e.q).bit_length() - (e.q == 1)
    if isinstance(e, Add):
        return reduce(_sum, (_bits(part, degrees) for part in e.args))
    if isinstance(e, Mul):
        parts = [_bits(part, degrees) for part in e.args]
        return sum(u for u, _ in parts), sum(low for _, low in parts)
    if isinstance(e, Pow) and e.exp.is_Rational:
        return _power(e, degrees)
    if isinstance(e, sin | cos) and (turns := e.args[0] / pi).is_Rational:
        degrees[e] = 2 * int(turns.q)  # twice that is a sum of roots of unity
        return 1, 1
    raise _OtherNumber(e)


def _sum(left: Bits, right: Bits) -> Bits:
    return max(left[0] + right[1], left[1] + right[0]) + 1, left[1] + right[1]


def _power(e: Pow, degrees: dict[Any, int]) -> Bits:
    above, below = _bits(e.base, degrees)
    times, k = int(e.exp.p), int(e.exp.q)
    if k > 1:
        degrees[e.base, k] = k
        if above >= below:
            above = -(-(above + (k - 1) * below) // k)
        else:
            below = -(-((k - 1) * above + below) // k)
    bits = abs(times) * above, abs(times) * below
    return bits if times > 0 else bits[::-1]
