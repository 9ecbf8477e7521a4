"""Formulas at points where terms have no value: any number may stand for $1/0$ and $\\log(-1)$.

Rules of arithmetic hold whatever such terms stand for, as long as they are functions of what stands
inside; so a theorem holds for every choice, and this looks at some.  Evaluated here anew, without
anything that the project or SymPy makes of a term: fractions, and sixty digits for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from math import ceil as upwards
from math import comb
from math import factorial as product_up_to
from math import floor as downwards
from typing import Any

import mpmath
import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from claims.exact import conjunction, negated
from claims.statement import And, Compare, Exists, ForAll, Iff, Implies, Not, Or
from claims.terms import MaxOver, MinOver

__all__ = ["Open", "Total"]

LONGEST = 40
"""Terms of a sum that are added."""
SURE = mpmath.mpf(10) ** -35
"""Numbers nearer than this to each other may be equal."""
ANYTHING = (0, 1, -1, 2, Fraction(1, 2), Fraction(-5, 3), 7)


class Open(Exception):
    """What is not decided here: a step of a number near it, a long sum, a power of zero."""


class Total:
    """One choice of what terms without value stand for, at one point."""

    def __init__(self, choice: int, point: Mapping[Any, Any]):
        self.choice = choice
        self.point = {symbol: _number(value) for symbol, value in point.items()}

    # Formulas -------------------------------------------------------------------------------------

    def holds(self, formula: Any) -> bool | None:
        try:
            with mpmath.workdps(60):
                return self._holds(formula)
        except (Open, ArithmeticError, ValueError):
            return None

    def _holds(self, f: Any) -> bool | None:
        if isinstance(f, Compare):
            return _compared(self.value(f.left), f.sign, self.value(f.right))
        if isinstance(f, And):
            return conjunction(self.holds(part) for part in f.formulas)
        if isinstance(f, Or):
            return negated(conjunction(negated(self.holds(part)) for part in f.formulas))
        if isinstance(f, Not):
            return negated(self.holds(f.body))
        if isinstance(f, Implies):
            return self._holds(Or((Not(f.premise), f.conclusion)))
        if isinstance(f, Iff):
            left, right = self.holds(f.left), self.holds(f.right)
            return None if left is None or right is None else left is right
        if isinstance(f, ForAll):
            return conjunction(
                inside.holds(f.body) for inside in self._over(f.index, f.low, f.high)
            )
        if isinstance(f, Exists):
            return negated(
                conjunction(
                    negated(inside.holds(f.body)) for inside in self._over(f.index, f.low, f.high)
                )
            )
        return None

    def _over(self, index: Any, low: Any, high: Any) -> Iterator[Total]:
        """The members of a range; one that is long leaves what holds for all of it open."""
        first, last = (self._end(end) for end in (low, high))
        if last - first >= LONGEST:
            raise Open
        for k in range(first, last + 1):
            yield Total(self.choice, {**self.point, index: k})

    def _end(self, end: Any) -> int:
        found = self.value(end)
        if not isinstance(found, Fraction) or found.denominator != 1:
            raise Open
        return int(found)

    # Terms ----------------------------------------------------------------------------------------

    def value(self, e: Any) -> Any:
        e = sp.sympify(e)
        if e.is_Rational:
            return Fraction(int(e.p), int(e.q))
        if isinstance(e, sp.Symbol):
            return self.point[e]
        if isinstance(e, sp.NumberSymbol):
            return mpmath.mpf(str(e.evalf(70)))
        if isinstance(e, sp.Add | sp.Mul):
            parts = [self.value(part) for part in e.args]
            return _sum(parts) if isinstance(e, sp.Add) else _product(parts)
        if isinstance(e, sp.Pow):
            return self._power(e.base, e.exp)
        if isinstance(e, sp.Sum | sp.Product | MaxOver | MinOver):
            return self._ranged(e)
        if isinstance(e, sp.Piecewise):
            return self._cases(e)
        if isinstance(e, sp.Function | sp.Max | sp.Min):
            return self._function(type(e), [self.value(part) for part in e.args])
        raise Open

    def _anything(self, kind: str, *inside: Any) -> Fraction:
        """What stands for a term without value: a function of its kind and of what stands inside."""
        said = [f"{float(part):.12g}" for part in inside]
        digest = sha256(f"{self.choice} {kind} {said}".encode()).digest()
        return Fraction(ANYTHING[digest[0] % len(ANYTHING)])

    def _inverse(self, number: Any) -> Any:
        if number == 0:
            return self._anything("inverse", 0)
        if not isinstance(number, Fraction) and abs(number) < SURE:
            raise Open
        return 1 / number

    def _power(self, base: Any, exponent: Any) -> Any:
        number = self.value(base)
        if exponent.is_Rational:
            root = number if exponent.q == 1 else self._root(number, int(exponent.q))
            return (root if exponent > 0 else self._inverse(root)) ** abs(int(exponent.p))
        power = self.value(exponent)
        if number > 0 or (exponent.is_integer and number != 0):
            whole = isinstance(power, Fraction) and power.denominator == 1 and abs(power) < 200
            return number ** int(power) if whole else mpmath.power(_float(number), _float(power))
        raise Open  # a power is the product of others, so that it cannot be anything

    def _root(self, number: Any, order: int) -> Any:
        if number < 0:
            return self._anything(f"root of order {order}", number)
        return number if number in (0, 1) else mpmath.root(_float(number), order)

    def _ranged(self, e: Any) -> Any:
        *outer, (index, low, high) = map(tuple, e.args[1:])
        body = type(e)(e.args[0], *outer) if outer else e.args[0]
        parts = [inside.value(body) for inside in self._over(index, low, high)]
        if isinstance(e, sp.Sum | sp.Product):
            return _sum(parts) if isinstance(e, sp.Sum) else _product(parts)
        if not parts:
            raise Open
        return _furthest(parts, ">=" if isinstance(e, MaxOver) else "<=")

    def _cases(self, e: sp.Piecewise) -> Any:
        for branch, condition in e.args:
            if self._condition(condition):
                return self.value(branch)
        raise Open

    def _condition(self, condition: Any) -> bool:
        if isinstance(condition, BooleanAtom):
            return bool(condition)
        if isinstance(condition, sp.And | sp.Or | sp.Not):
            parts = [self._condition(part) for part in condition.args]
            return {sp.And: all(parts), sp.Or: any(parts), sp.Not: not parts[0]}[type(condition)]
        if not isinstance(condition, Relational):
            raise Open
        sign = "=" if condition.rel_op == "==" else condition.rel_op
        found = _compared(self.value(condition.lhs), sign, self.value(condition.rhs))
        if found is None:
            raise Open
        return found

    def _function(self, kind: Any, parts: list[Any]) -> Any:
        if kind in (sp.Max, sp.Min):
            return _furthest(parts, ">=" if kind is sp.Max else "<=")
        if kind is sp.KroneckerDelta:
            return Fraction(bool(_sure(_compared(parts[0], "=", parts[1]))))
        if kind is sp.binomial:
            return self._binomial(*parts)
        (x,) = parts
        if kind in _STEPS:
            return _STEPS[kind](x)
        if kind in _SMOOTH:
            low, high, name = _SMOOTH[kind]
            inside = (low is None or x > low) and (high is None or x < high)
            ends = [end for end in (low, high) if end is not None and _float(abs(x - end)) < SURE]
            if ends:
                return (
                    _AT_ENDS[kind](ends[0]) if kind in _AT_ENDS else self._anything(name, ends[0])
                )
            return getattr(mpmath, name)(_float(x)) if inside else self._anything(name, x)
        if kind is sp.factorial:
            whole = isinstance(x, Fraction) and x.denominator == 1
            if whole and 0 <= x < 60:
                return Fraction(product_up_to(int(x)))
            raise Open
        raise Open

    def _binomial(self, n: Any, k: Any) -> Any:
        if not all(isinstance(x, Fraction) and x.denominator == 1 for x in (n, k)) or n < 0:
            raise Open
        return Fraction(comb(int(n), int(k)) if k >= 0 else 0)


_SMOOTH: dict[Any, tuple[int | None, int | None, str]] = {
    sp.exp: (None, None, "exp"), sp.log: (0, None, "log"), sp.sin: (None, None, "sin"),
    sp.cos: (None, None, "cos"), sp.atan: (None, None, "atan"), sp.tanh: (None, None, "tanh"),
    sp.sinh: (None, None, "sinh"), sp.cosh: (None, None, "cosh"), sp.asinh: (None, None, "asinh"),
    sp.acos: (-1, 1, "acos"), sp.asin: (-1, 1, "asin"), sp.acosh: (1, None, "acosh"),
    sp.atanh: (-1, 1, "atanh"), sp.erf: (None, None, "erf"), sp.gamma: (0, None, "gamma"),
    sp.loggamma: (0, None, "loggamma"), sp.tan: (None, None, "tan"),
}  # fmt: skip
"""Where functions have values, and their names in mpmath."""
_AT_ENDS: dict[Any, Any] = {
    sp.acos: lambda end: mpmath.acos(end),
    sp.asin: lambda end: mpmath.asin(end),
    sp.acosh: lambda _: Fraction(0),
}


def _number(value: Any) -> Any:
    if isinstance(value, Fraction | mpmath.mpf):
        return value
    value = sp.sympify(value)
    return (
        Fraction(int(value.p), int(value.q))
        if value.is_Rational
        else mpmath.mpf(str(value.evalf(70)))
    )


def _float(x: Any) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _mixed(parts: list[Any]) -> list[Any]:
    return parts if all(isinstance(p, Fraction) for p in parts) else [_float(p) for p in parts]


def _sum(parts: list[Any]) -> Any:
    return sum(_mixed(parts), start=Fraction(0)) if _exact(parts) else mpmath.fsum(_mixed(parts))


def _product(parts: list[Any]) -> Any:
    found = Fraction(1) if _exact(parts) else mpmath.mpf(1)
    for part in _mixed(parts):
        found *= part
    return found


def _exact(parts: list[Any]) -> bool:
    return all(isinstance(part, Fraction) for part in parts)


def _compared(left: Any, sign: str, right: Any) -> bool | None:
    left, right = _mixed([left, right])
    if not _exact([left, right]) and abs(left - right) <= SURE * (1 + abs(left) + abs(right)):
        return {"=": True, "!=": False}.get(sign)
    return {
        "=": left == right, "!=": left != right, "<": left < right, "<=": left <= right,
        ">": left > right, ">=": left >= right,
    }[sign]  # fmt: skip


def _sure(answer: bool | None) -> bool:
    if answer is None:
        raise Open
    return answer


def _furthest(parts: list[Any], sign: str) -> Any:
    first, *rest = parts
    for other in rest:
        near = _compared(other, sign, first)
        first = other if near else first  # of two that may be equal either will do
    return first


def _stepping(step: Any) -> Any:
    def of(x: Any) -> Any:
        if not isinstance(x, Fraction) and abs(x - mpmath.nint(x)) < SURE:
            raise Open
        return Fraction(
            int(step(x if isinstance(x, Fraction) else mpmath.floor(x) + mpmath.mpf(1) / 2))
        )

    return of


def _sign(x: Any) -> Fraction:
    if not isinstance(x, Fraction) and abs(x) < SURE:
        raise Open
    return Fraction((x > 0) - (x < 0))


_STEPS: dict[Any, Any] = {
    sp.Abs: abs, sp.sign: _sign, sp.floor: _stepping(downwards), sp.ceiling: _stepping(upwards),
}  # fmt: skip
