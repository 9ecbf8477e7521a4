"""What an equality of measured numbers has to be told from: twice and half of what it claims."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Rational, sympify

from claims.statement import Compare

__all__ = ["neighbours"]

FACTORS = 2, Rational(1, 2)


def neighbours(equality: Compare) -> Iterator[Compare]:
    r"""The equality with its right side doubled or halved; of zero, which has no multiples, one off.

    >>> from claims.statement import measured_quantity
    >>> slope = measured_quantity("s")
    >>> [each.latex() for right in (-1, 0) for each in neighbours(slope.equals(right))]
    ['s = -2', 's = -\\frac{1}{2}', 's = 1']
    """
    left, right = equality.left, sympify(equality.right)
    if 0 in (left, right):
        yield Compare(left, "=", right + 1)
    elif isinstance(right, Expr):
        for factor in FACTORS:
            yield Compare(left, "=", factor * right)
