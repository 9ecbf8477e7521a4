"""Terms that may have no value, as functions of which nothing is known.

To SymPy $(x^2+x)/x+1/x$ is $x+1+1/x$, and $e^{\\log x}$ is x.  At zero that is so of no number that could
stand for $1/x$ there, and rules of arithmetic hold of any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from sympy import Dummy, Expr, Function, I, Piecewise, Pow, Symbol, Tuple
from sympy.core.symbol import Str
from sympy.logic.boolalg import Boolean

from claims.algebra import binds, composed, names_in, ranged, replaced
from claims.bound import NUMBERED, apart, renamed
from claims.steps import built
from proofs.defined import MARK, everywhere, has_value, least_power

__all__ = ["opaque", "put_apart"]

Form = Callable[[Any], Any]
Values = Mapping[Any, Any]
_NONE: Values = MappingProxyType({})
_HELD: dict[Any, Any] = {}


def put_apart(term: Any, values: Values, form: Form) -> Any:
    """A term with others put in for symbols, where nothing cancels that may have no value.

    >>> from sympy import expand, symbols
    >>> x, y = symbols("x y", real=True)
    >>> put_apart(y / x, {y: x}, expand) == 1, put_apart(y / 2, {y: x}, expand)
    (False, x/2)
    """
    if not isinstance(term, Expr):
        return term
    entering = set(values).union(*(new.free_symbols for new in values.values()))
    return opaque(renamed(apart(term), entering), form, values)


def opaque(e: Any, form: Form, values: Values = _NONE) -> Any:
    """A term with what may have no value held; `form` is the normal form of what stands inside.

    >>> from sympy import expand, symbols
    >>> x, y = symbols("x y", real=True)
    >>> opaque((x**2 + x) / x + 1 / x, expand) == opaque(x + 1 + 1 / x, expand)
    False
    >>> opaque(1 / (x * (x + 1) + 1) ** 2, expand) == opaque(1 / (x**2 + x + 1) ** 2, expand)
    True
    """
    if e in values:
        return opaque(apart(values[e]), form)
    if isinstance(e, Tuple | Boolean) and e.args:
        return built(e.func, *(opaque(part, form, values) for part in e.args))
    if not isinstance(e, Expr) or (everywhere(e) and names_in(e).isdisjoint(values)):
        return e
    if binds(e):
        limits = (
            (index, *(opaque(end, form, values) for end in ends)) for index, *ends in e.args[1:]
        )
        return ranged(type(e), opaque(e.args[0], form, values), *limits)
    if not (composed(e) or isinstance(e, Piecewise)):
        replaced(e, values)  # which refuses indices of its own among the names
        return e.func(*(opaque(part, form, values) for part in e.args))
    parts = [opaque(part, form, values) for part in e.args]
    if not isinstance(e, Pow | Function) or isinstance(e, Piecewise):
        return built(e.func, *parts)
    parts = list(map(form, parts))
    made = built(e.func, *parts)
    if _imaginary(made):  # what is made of it may be real again: the square of a root of minus one
        return _held(Tuple(Str(e.func.__name__), *parts))
    if type(made) is not type(e):  # as of a product, whose inverse is the product of inverses
        return opaque(made, form)
    if has_value(made):
        return made
    least, times = least_power(made)
    return _held(least) ** times


def _imaginary(made: Any) -> bool:
    """Whether a term is written with roots of negative numbers."""
    roots = (p for p in made.atoms(Pow) if not p.exp.is_integer)
    return bool(made.has(I)) or any(root.base.is_negative for root in roots)


def _held(made: Any) -> Any:
    """A function of its symbols, which is one for all names that bound variables have by their depth."""
    symbols = sorted((s for s in made.free_symbols if isinstance(s, Symbol)), key=str)
    bound = sorted(filter(NUMBERED.__contains__, symbols), key=NUMBERED.__getitem__)
    free = [symbol for symbol in symbols if symbol not in NUMBERED]
    key = made.xreplace(dict(zip(bound, map(_argument, range(len(bound))), strict=True)))
    if key not in _HELD:
        _HELD[key] = Function(f"held_{len(_HELD)}", real=True)
    return _HELD[key](MARK, *free, *bound)


@cache
def _argument(number: int) -> Symbol:
    return Dummy(f"argument_{number}", integer=True)
