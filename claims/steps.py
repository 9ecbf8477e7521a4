"""Functions that step, and comparisons, of numbers: decided exactly.

SymPy decides them by a few digits as soon as they are built: to it the integer part of $\\tanh1000$ is
one, and one less than a multiple of $10^{15}$ may be the multiple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, reduce
from typing import Any

from sympy import (
    Abs,
    Add,
    Expr,
    Float,
    Function,
    Heaviside,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Mod,
    Pow,
    Product,
    Sum,
    ceiling,
    floor,
    frac,
    log,
    sign,
    sympify,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from claims import exact
from claims.whole import whole_part

__all__ = ["built", "misjudged", "misjudges", "rounds", "steps", "summed"]

_SIGNS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def steps(function: Any) -> bool:
    """Whether a kind of term steps, or is a comparison."""
    return function in _STEPS or (isinstance(function, type) and issubclass(function, Relational))


def built(function: Any, *parts: Any) -> Any:
    """A function of terms, which steps exactly, and at numbers is none whose sign SymPy misjudges.

    Raises `ValueError` where what a step is is not decided, or the sign of a number is misjudged.

    >>> from sympy import acos, tanh
    >>> built(floor, 1000 + tanh(1000)), built(Max, 1, tanh(1000))
    (1000, 1)
    >>> built(acos, tanh(10))
    Traceback (most recent call last):
    ...
    ValueError: acos(tanh(10)): SymPy takes its sign for another
    """
    if steps(function):
        return _stepped(function, *parts)
    return _judged(function(*map(_judged, parts)))


def summed(function: Any, *parts: Any) -> Any:
    """A sum; where some numbers are known to sixty digits, of which forty cancel, it is not known from zero."""
    total = built(function, *parts)
    return Float(0, exact.DIGITS) if exact.cancels(total, parts) else total


def _judged(term: Any) -> Any:
    """The term, unless it is a number whose sign SymPy misjudges: then it raises `ValueError`."""
    if misjudged(term):
        raise ValueError(f"{term}: SymPy takes its sign for another")
    return term


def misjudged(term: Any) -> bool:
    """Whether a term is a number that SymPy says a sign of which balls do not show, if there are any.

    It rounds the argument of a function before it evaluates it, and then builds with the sign that it
    sees: where $\\arccos x$ is zero to it, $\\cos(2\\arccos x)$ becomes one.
    """
    return isinstance(term, Expr) and rounds(term) and term.is_number and _misjudged(term)


def misjudges(term: Any) -> bool:
    """Whether a term holds such a number: what SymPy makes of it may be something else.

    >>> from sympy import Symbol, acos
    >>> misjudges(Symbol("x") + acos(1 - Integer(10) ** -20)), misjudges(Symbol("x") + acos(0))
    (True, False)
    """
    return rounds(term) and (misjudged(term) or any(map(misjudges, term.args)))


@lru_cache(maxsize=1 << 17)
def rounds(term: Any) -> bool:
    """Whether a term holds a function whose value SymPy sees with an argument that it has rounded.

    Or roots of roots, of which it takes numbers near zero for zero by their minimal polynomials.
    """
    measured = exact.MEASURED - {log}  # to SymPy the logarithm of 1 + 10^-60 is zero
    function = isinstance(term, Function) and type(term) not in measured
    nested = isinstance(term, Pow) and not (term.exp.is_integer or term.base.is_Rational)
    return function or nested or any(map(rounds, term.args))


@lru_cache(maxsize=1 << 14)
def _misjudged(number: Any) -> bool:
    said = {1: number.is_positive, -1: number.is_negative, 0: number.is_zero}
    if all(word is None for word in said.values()):
        return False
    with suppress(TypeError):  # a function without balls: there is SymPy's word alone
        exact.ball(number, {})
        found = exact.sign(number)
        return any(said.values()) if found is None else said[found] is False
    return False


def _stepped(function: Any, *parts: Any) -> Any:
    """What a function that steps is at numbers; of symbols, and of fractions, what SymPy says."""
    parts = tuple(_with_totals(sympify(part)) for part in parts)
    if function in {floor, ceiling}:
        whole, number = _beside_an_integer(*parts)
        return whole + _decided(function, number)
    if function is frac:
        return _decided(function, _beside_an_integer(*parts)[1])
    return _decided(function, *parts)


def _decided(function: Any, *parts: Any) -> Any:
    numbers = all(part.is_Rational or _irrational(part) for part in parts)
    if not numbers or all(part.is_Rational for part in parts):
        return function(*parts)
    found = None
    with suppress(TypeError):  # a function without balls
        found = _STEPS[function](*parts) if function in _STEPS else _compared(function, parts)
    if found is None:
        raise ValueError(f"{function.__name__} of {', '.join(map(str, parts))}: is not decided")
    return sympify(found)


def _beside_an_integer(x: Any) -> tuple[Any, Any]:
    """What is an integer in a sum, and what is not: SymPy looks at a few digits of a number beside one."""
    number = Add(*(term for term in Add.make_args(x) if _irrational(term)))
    return (x - number, number) if number != 0 and (x - number).is_integer else (Integer(0), x)


def _with_totals(part: Any) -> Any:
    """A part with the values of the sums and products in it that are numbers: SymPy has others."""
    from claims.sums import totalled  # which puts terms in, and so asks for steps

    if not part.has(Sum, Product):
        return part
    if isinstance(part, Sum | Product) and not part.free_symbols:
        return totalled(part)
    return part.func(*map(_with_totals, part.args)) if isinstance(part, Expr) else part


def _irrational(part: Any) -> bool:
    """Whether a part is a number by its form, and no fraction; that it is real shows where it is read."""
    if part.is_Rational or not part.is_number or part.has(AppliedUndef):
        return False
    return part.is_finite is not False and part.is_extended_real is not False


def _compared(relation: Any, parts: Sequence[Any]) -> bool | None:
    left, right = parts
    return exact.compare(left, _SIGNS[relation.rel_op], right)


def _of(rounded: Callable[[Integer], Any], x: Any) -> Any:
    whole = whole_part(x)
    return None if whole is None else rounded(whole)


def _ceiling(x: Any) -> Any:
    return _of(lambda whole: -whole, -x)


def _frac(x: Any) -> Any:
    return _of(lambda whole: x - whole, x)


def _mod(x: Any, by: Any) -> Any:
    return _of(lambda whole: x - by * whole, x / by)


def _heaviside(x: Any, there: Any) -> Any:
    side = exact.sign(x)
    return None if side is None else {-1: 0, 0: there, 1: 1}[side]


def _abs(x: Any) -> Any:
    side = exact.sign(x)
    return None if side is None else x * side


def _delta(left: Any, right: Any) -> int | None:
    equal = exact.agree(left, right)
    return None if equal is None else int(equal)


def _largest(*parts: Any) -> Any:
    def larger(left: Any, right: Any) -> Any:
        above = None if left is None else exact.compare(left, ">=", right)
        return None if above is None else left if above else right

    return reduce(larger, parts)


def _least(*parts: Any) -> Any:
    largest = _largest(*(-part for part in parts))
    return None if largest is None else -largest


_STEPS: dict[Any, Callable[..., Any]] = {
    floor: whole_part, ceiling: _ceiling, frac: _frac, Mod: _mod, Heaviside: _heaviside, Abs: _abs,
    sign: exact.sign, KroneckerDelta: _delta, Max: _largest, Min: _least,
}  # fmt: skip
