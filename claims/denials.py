"""What the negation of a statement says, as a statement that negates comparisons alone.

A value of sixty digits agrees with another one without being equal to it, so that "not equal" is no more
than open where "equal" is taken for granted: truth does not turn around, and signs do.
"""

from __future__ import annotations

from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
)

__all__ = ["OPPOSITE", "denial"]

OPPOSITE = {"=": "!=", "!=": "=", "<=": ">", ">": "<=", "<": ">=", ">=": "<"}


def denial(formula: Formula) -> Formula | None:
    """A formula that says the contrary; None of one that has no parts to negate."""
    match formula:
        case Compare(left, sign, right):
            return Compare(left, OPPOSITE[sign], right)
        case Not(body):
            return body
        case And(parts):
            return Or(tuple(map(Not, parts)))
        case Or(parts):
            return And(tuple(map(Not, parts)))
        case Implies(premise, conclusion):
            return And((premise, Not(conclusion)))
        case Iff(left, right):
            return Or((And((left, Not(right))), And((right, Not(left)))))
        case ForAll(index, low, high, body):
            return Exists(index, low, high, Not(body))
        case Exists(index, low, high, body):
            return ForAll(index, low, high, Not(body))
        case Monotone():
            return denial(formula.unfolded())
    return None
