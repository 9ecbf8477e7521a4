"""Numbers in closed form as a document writes them, read without running anything.

SymPy's own parser runs Python, and a document may have been edited; this reads a grammar of its own
off the syntax tree: integers, decimals, + - * / **, a few constants and functions of one argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Mul, Pow, Rational

__all__ = ["NoClosedForm", "closed_form"]

LONGEST, DEEPEST, LARGEST_EXPONENT = 1000, 10, 1000
CONSTANTS = {"E": sympy.E, "I": sympy.I, "oo": sympy.oo, "pi": sympy.pi}
FUNCTIONS = {
    name: getattr(sympy, name)
    for name in ("acos", "asin", "atan", "cos", "cosh", "exp", "log", "sin", "sinh", "tan", "tanh")
}
_LETTERS = re.compile(r"[A-Za-z0-9+\-*/(). ]+")
_NUMBER_THEN_WORD = re.compile(r"\d[A-Za-z]")
"""Python reads `1or 2` and `0x10` as well; no document holds them."""


class NoClosedForm(ValueError):
    """Text that is no number in closed form, or one beyond the limits on length, depth or exponent."""


def closed_form(text: str) -> Expr:
    """The number that `text` writes, its operations left as they are written.

    >>> closed_form("-3/4"), closed_form("sqrt(2)*log(2)/16")
    (-3/4, sqrt(2)*log(2)/16)
    >>> closed_form("__import__('os')")
    Traceback (most recent call last):
    audit.formulas.closed_forms.NoClosedForm: not a number in closed form
    """
    known = len(text) <= LONGEST and _LETTERS.fullmatch(text) and not _NUMBER_THEN_WORD.search(text)
    if not known:
        raise NoClosedForm("not a number in closed form")
    try:
        return _built(ast.parse(text.strip(), mode="eval").body, DEEPEST)
    except (SyntaxError, RecursionError, MemoryError):
        raise NoClosedForm("not a number in closed form") from None


def _built(node: ast.expr, depth: int) -> Expr:
    if depth == 0:
        raise NoClosedForm(f"nested more than {DEEPEST} deep")
    below = depth - 1
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int(value)):
            return Integer(value)
        case ast.Constant(value=float(value)):
            return Rational(*Fraction(repr(value)).as_integer_ratio())
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _product(Integer(-1), _built(operand, below))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            # A sum of many terms is one level: they lean to the left.
            return _OPERATIONS[type(op)](_built(left, depth), _built(right, below))
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument], keywords=[]):
            return Pow(_built(argument, below), Rational(1, 2), evaluate=False)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_built(argument, below), evaluate=False)
    raise NoClosedForm("not a number in closed form")


def _sum(left: Expr, right: Expr) -> Expr:
    return Add(*Add.make_args(left), right, evaluate=False)


def _product(left: Expr, right: Expr) -> Expr:
    """The product with its leading numbers multiplied: -(3 x) is (-3) x."""
    factors: list[Any] = [*Mul.make_args(left), *Mul.make_args(right)]
    first, others = factors[0], factors[1:]
    if first.is_Rational and others and others[0].is_Rational:
        first, others = first * others[0], others[1:]
    if not others:
        return first
    return Mul(*others, evaluate=False) if first == 1 else Mul(first, *others, evaluate=False)


def _quotient(left: Expr, right: Expr) -> Expr:
    if right.is_zero:
        raise NoClosedForm("divided by zero")
    if left.is_Rational and right.is_Rational:
        return left / right
    return _product(left, Pow(right, -1, evaluate=False))


def _power(base: Expr, exponent: Expr) -> Expr:
    if not exponent.is_Rational or max(abs(exponent.p), exponent.q) > LARGEST_EXPONENT:
        raise NoClosedForm(f"an exponent that is no fraction of numbers up to {LARGEST_EXPONENT}")
    if base.is_zero and exponent < 0:
        raise NoClosedForm("divided by zero")
    return Pow(base, exponent, evaluate=False)


_OPERATIONS: dict[type, Callable[[Any, Any], Expr]] = {
    ast.Add: _sum,
    ast.Sub: lambda left, right: _sum(left, _product(Integer(-1), right)),
    ast.Mult: _product,
    ast.Div: _quotient,
    ast.Pow: _power,
}
