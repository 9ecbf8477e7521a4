"""What an equality of measured numbers has to be told from: twice and half of what it claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Rational, sympify

from claims.statement import And, Compare, ForAll, Formula, Implies, is_measured

__all__ = ["neighbours"]

FACTORS = 2, Rational(1, 2)


def neighbours(statement: Formula) -> Iterator[Formula]:
    r"""Each equality of measured numbers that is asserted, alone, its right side doubled or halved.

    Of zero there is no multiple, and of what stands under "or" nothing is asserted.

    >>> from claims.statement import Quantity, measured_quantity
    >>> slope, height = measured_quantity("s"), measured_quantity("h")
    >>> [each.latex() for each in neighbours(slope.equals(-1) & height.equals(0))]
    ['s = -2', 's = -\\frac{1}{2}']
    """
    if isinstance(statement, And):
        for part in statement.formulas:
            yield from neighbours(part)
    elif isinstance(statement, ForAll):
        for body in neighbours(statement.body):
            yield replace(statement, body=body)
    elif isinstance(statement, Implies):
        for conclusion in neighbours(statement.conclusion):
            yield replace(statement, conclusion=conclusion)
    elif isinstance(statement, Compare) and statement.sign == "=":
        measured = any(map(is_measured, statement.quantities()))
        if measured and 0 not in (sympify(statement.left), sympify(statement.right)):
            for factor in FACTORS:
                yield Compare(statement.left, "=", factor * sympify(statement.right))
