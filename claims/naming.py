"""Names for bound variables that a calculation made up, so that a reader can tell them apart.

SymPy prints every `Dummy("k")` as `_k`, two different ones alike.  Before a formula is typeset, each is
exchanged for a symbol of its own: `k` where that letter is free, else another letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any

from sympy import Basic, Dummy, Symbol
from sympy.core.function import AppliedUndef

from claims.algebra import with_symbols
from claims.statement import Formula

__all__ = ["with_names"]

_INDICES = "klpqrjih"
_SHORTER = {"index": "i"}
"""What stands for the bare words in which helpers name an index; `index_0` is numbered by them."""


def with_names(thing: Any) -> Any:
    """A formula or a term whose made-up variables have names that nothing else in it has.

    >>> from sympy import Sum, symbols
    >>> k, n = symbols("k n", integer=True)
    >>> with_names(Sum(Dummy("k") * k, (k, 1, n)))
    Sum(k*l, (k, 1, n))
    >>> with_names(Symbol("k", positive=True) * Sum(k, (k, 1, n)))
    k*Sum(l, (l, 1, n))
    """
    symbols = dict.fromkeys(_symbols(thing))
    made_up = [s for s in symbols if isinstance(s, Dummy)] + _doubled(thing, symbols)
    if not made_up:
        return thing
    taken = {s.name for s in symbols if not isinstance(s, Dummy)} | _letters(thing)
    names: dict[Symbol, Symbol] = {}
    for dummy in made_up:
        name = next(name for name in _candidates(dummy.name) if name not in taken)
        taken.add(name)
        names[dummy] = Symbol(name, **dummy._assumptions_orig)
    return _renamed(thing, names)


def _doubled(thing: Any, symbols: Iterable[Symbol]) -> list[Symbol]:
    """Bound variables that bear the name of another: a constant and an index may both be `c`."""
    plain = [s for s in symbols if not isinstance(s, Dummy)]
    often = Counter(s.name for s in plain)
    double = [s for s in plain if often[s.name] > 1]
    free = _free(thing) if double else set()
    return [s for s in double if s not in free]


def _free(thing: Any) -> set[Any]:
    """Symbols that are not bound."""
    if isinstance(thing, tuple):
        return set().union(*map(_free, thing))
    found: Any = getattr(thing, "free_symbols", set())
    return set(found() if callable(found) else found)


def _candidates(name: str) -> Iterator[str]:
    """The name itself, other letters for an index, then the name with a prime, then numbered."""
    bare = _SHORTER.get(name.partition("_")[0], name)
    yield bare
    if len(bare) == 1:
        yield from _INDICES
    yield f"{bare}'"
    yield from (f"{bare}_{number}" for number in count(1))


def _letters(thing: Any) -> set[str]:
    """Letters that functions bear in it: an index of that name would look like one of them."""
    if isinstance(thing, Basic):
        return {letter for f in thing.atoms(AppliedUndef) for letter in f.func.__name__}
    return set()


def _symbols(thing: Any) -> Iterator[Symbol]:
    """Symbols in the order in which a formula holds them, bound ones included."""
    if isinstance(thing, Basic):
        yield from _in_order(thing)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from _symbols(part)
    elif isinstance(thing, Formula) and is_dataclass(thing):
        for each in fields(thing):
            yield from _symbols(getattr(thing, each.name))


@lru_cache(maxsize=65536)
def _in_order(term: Basic) -> tuple[Symbol, ...]:
    """The symbols of a term; remembered, since the steps of a proof repeat their terms."""
    return tuple(sorted(term.atoms(Symbol), key=lambda s: s.sort_key()))


@lru_cache(maxsize=65536)
def _renamed_once(term: Basic, names: tuple[tuple[Symbol, Symbol], ...]) -> Any:
    """A term with names for all of those symbols, bound ones included."""
    return with_symbols(term, dict(names))


def _renamed(thing: Any, names: Mapping[Symbol, Symbol]) -> Any:
    if isinstance(thing, Basic):
        held = [(symbol, names[symbol]) for symbol in _in_order(thing) if symbol in names]
        return _renamed_once(thing, tuple(held)) if held else thing
    if isinstance(thing, tuple):
        return tuple(_renamed(part, names) for part in thing)
    if isinstance(thing, Formula) and is_dataclass(thing):
        return replace(
            thing,
            **{f.name: _renamed(getattr(thing, f.name), names) for f in fields(thing) if f.init},
        )  # type: ignore[type-var]
    return thing
