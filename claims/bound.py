"""Bound indices: terms put in beside them, and names by depth, so that none is taken for another.

SymPy's `simplify` takes `j*Sum(j, (j, 1, n))` for `Sum(j**2, (j, 1, n))`, and other functions of its may.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sympy import Dummy, Expr, Symbol, sympify

from claims.algebra import binds, bound_in, names_in, ranged, replaced
from claims.steps import built

__all__ = ["NUMBERED", "apart", "beyond", "names_formulas", "place", "put", "renamed", "variable"]


def put(term: Any, values: Mapping[Any, Any]) -> Any:
    """A term with others put in for symbols, all at once; bound indices are renamed where needed."""
    if isinstance(term, tuple):
        return tuple(put(part, values) for part in term)
    if not isinstance(term, Expr):
        return term
    if not all(isinstance(old, Symbol) for old in values):
        entering = set().union(*(getattr(new, "free_symbols", ()) for new in values.values()))
        return renamed(term, entering).subs(values, simultaneous=True)
    present = names_in(term).intersection(values)
    if not present:
        return term
    entered = {old: sympify(values[old]) for old in present}
    entering = set().union(*(names_in(new) for new in entered.values()))
    return replaced(renamed(term, entering), entered)


def renamed(term: Any, names: set[Any]) -> Any:
    """The term with bound indices renamed that bear one of the names, in its cases and conditions too."""
    if bound_in(term).isdisjoint(names):
        return term
    if binds(term):
        (index, low, high), body = tuple(term.args[-1]), term.args[0]
        inner = type(term)(body, *term.args[1:-1]) if len(term.args) > 2 else body
        fresh = Dummy(index.name, **index._assumptions_orig) if index in names else index
        return type(term)(
            renamed(inner, names).xreplace({index: fresh}),
            (fresh, renamed(low, names), renamed(high, names)),
        )
    return built(term.func, *(renamed(part, names) for part in term.args))


NUMBERED: dict[Symbol, tuple[int, int]] = {}
"""Names of bound variables in normal forms: those of formulas, then those of terms, by depth."""
_OF_FORMULAS, _OF_TERMS = 0, 1


@cache
def place(depth: int) -> Symbol:
    """The name of a bound index: normal forms stand in theorems, so that a part may bear it free."""
    return _numbered("index", _OF_TERMS, depth)


@cache
def variable(depth: int) -> Symbol:
    """The name of a bound variable of a formula."""
    return _numbered("bound", _OF_FORMULAS, depth)


def _numbered(stem: str, kind: int, depth: int) -> Symbol:
    made = Dummy(f"{stem}_{depth}", integer=True)
    NUMBERED[made] = (kind, depth)
    return made


def names_formulas(symbol: Any) -> bool:
    """Whether a symbol is the name of a bound variable in normal forms of formulas."""
    return symbol in NUMBERED and NUMBERED[symbol][0] == _OF_FORMULAS


def apart(term: Any, form: Callable[[Any], Any] = lambda part: part) -> Any:
    """A term with bound indices named by depth; `form` is applied to bodies and ends of ranges.

    >>> from sympy import Sum, symbols
    >>> j, n = symbols("j n", integer=True)
    >>> apart(j * Sum(j * Sum(j, (j, 1, n)), (j, 1, n)))
    j*Sum(_index_0*Sum(_index_1, (_index_1, 1, n)), (_index_0, 1, n))
    """
    return _apart(term, beyond(term), form)


def beyond(term: Any) -> int:
    """The least depth from which on no name stands free in a term."""
    numbers = (NUMBERED[name] for name in names_in(term) if name in NUMBERED)
    return max((depth + 1 for kind, depth in numbers if kind == _OF_TERMS), default=0)


def _apart(term: Any, depth: int, form: Callable[[Any], Any]) -> Any:
    if binds(term):
        return _ranged(term, depth, form)
    if not getattr(term, "args", ()) or not bound_in(term):
        return term
    return term.func(*(_apart(part, depth, form) for part in term.args))


def _ranged(term: Any, depth: int, form: Callable[[Any], Any]) -> Any:
    """An inner range may depend on outer indices; of two indices with one name the inner one counts."""
    ranges = [tuple(limits) for limits in term.args[1:]]
    inside, names, limits = depth + len(ranges), dict[Any, Symbol](), list[Any]()
    for n, (index, *ends) in reversed(list(enumerate(ranges))):
        named = (form(_apart(put(end, names), inside, form)) for end in ends)
        limits.insert(0, (place(depth + n), *named))
        names[index] = place(depth + n)
    return ranged(type(term), form(_apart(put(term.args[0], names), inside, form)), *limits)
