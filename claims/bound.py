"""Bound indices under names by depth, so that none bears the name of another one around it.

SymPy's `simplify` takes `j*Sum(j, (j, 1, n))` for `Sum(j**2, (j, 1, n))`, and other functions of its may.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from sympy import Dummy, Symbol

from claims.algebra import binds, names_in, ranged
from claims.terms import put

__all__ = ["apart", "beyond", "place"]

_DEPTHS: dict[Symbol, int] = {}


@cache
def place(depth: int) -> Symbol:
    """The name of a bound index: normal forms stand in theorems, so that a part may bear it free."""
    made = Dummy(f"index_{depth}", integer=True)
    _DEPTHS[made] = depth
    return made


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
    return max((_DEPTHS[name] + 1 for name in names_in(term) if name in _DEPTHS), default=0)


def _apart(term: Any, depth: int, form: Callable[[Any], Any]) -> Any:
    if binds(term):
        return _ranged(term, depth, form)
    if not getattr(term, "args", ()) or not _has_ranges(term):
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


@lru_cache(maxsize=1 << 17)
def _has_ranges(term: Any) -> bool:
    return binds(term) or any(map(_has_ranges, term.args))
