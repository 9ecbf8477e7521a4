"""Rewriting of terms: free names, terms put in for names, and expansion, each part once.

SymPy does the same in general, and walks over the whole of a term many times for it.  What it would
do is done here for the kinds of nodes that statements and proofs consist of, with what is known of
every part remembered; all else is left to SymPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
    Dummy,
    Expr,
    Function,
    Mul,
    NumberSymbol,
    Piecewise,
    Pow,
    Product,
    Sum,
    Tuple,
    exp,
    expand,
    expand_power_exp,
    nan,
)
from sympy.core.function import Application, AppliedUndef
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions import MatrixExpr

from claims.steps import built

__all__ = [
    "binds",
    "bound_in",
    "composed",
    "expanded",
    "names_in",
    "own_indices",
    "ranged",
    "replaced",
    "split_powers",
    "with_symbols",
]

_REMEMBERED = 1 << 17


@lru_cache(maxsize=_REMEMBERED)
def names_in(term: Basic) -> frozenset[Any]:
    """The free symbols of a term."""
    if binds(term) and all(len(limits) == 3 for limits in term.args[1:]):
        names = names_in(term.args[0])
        for index, *ends in term.args[1:]:
            names = (names - {index}).union(*map(names_in, ends))
        return names
    if not term.args or not composed(term):
        return frozenset(term.free_symbols)
    return frozenset().union(*(names_in(part) for part in term.args))


def composed(term: Any) -> bool:
    """Whether a node is a function of its arguments and of nothing else."""
    return isinstance(term, Add | Mul | Pow | Application) and not isinstance(
        term, Piecewise | MatrixExpr
    )


def _has_cases(term: Any) -> bool:
    """Whether a node is one of cases, or a case, or a condition of one."""
    return isinstance(term, Piecewise | ExprCondPair | Boolean)


@lru_cache(maxsize=_REMEMBERED)
def bound_in(term: Any) -> frozenset[Any]:
    """The indices that sums and extrema inside a term bind."""
    inside = frozenset().union(*(bound_in(part) for part in term.args))
    if binds(term):
        return inside.union(limits[0] for limits in term.args[1:])
    return inside


@lru_cache(maxsize=_REMEMBERED)
def own_indices(term: Any) -> frozenset[Any]:
    """The indices inside matrices that are given by their entries, and sums of one paper alone."""
    inside = frozenset().union(*(own_indices(part) for part in getattr(term, "args", ())))
    return inside.union(getattr(term, "own_indices", ()))


def binds(term: Any) -> bool:
    """Whether a term is a body with indices and their ranges."""
    return isinstance(term, Sum | Product) or getattr(term, "binds", False)


def ranged(kind: type, body: Any, *limits: Any) -> Any:
    """A sum over indices (or what is built like one), without SymPy's look at every part of it.

    Raises `ValueError` where SymPy would take a case out of a range inside, past the index of that.
    """
    if kind is not Sum or isinstance(body, Sum) or not _without_cases(body):
        if kind in {Sum, Product} and _moves_a_case(kind, body, frozenset(k for k, *_ in limits)):
            raise ValueError(f"{body}: has a case inside of a range, and would lose its index")
        return kind(body, *limits)
    made = Expr.__new__(Sum)
    made._args = (body, *(Tuple(*limit) for limit in limits))
    made.is_commutative = body.is_commutative
    return made


@lru_cache(maxsize=_REMEMBERED)
def _without_cases(body: Any) -> bool:
    """Whether a term has no case that SymPy would take out of a sum."""
    return isinstance(body, Expr) and body is not nan and not body.has(Piecewise)


def _moves_a_case(kind: Any, body: Any, indices: frozenset[Any]) -> bool:
    """Whether SymPy takes a case with one of the indices out of a range that binds its condition."""
    while type(body) is kind:  # a sum of a sum is one sum to it
        indices, body = indices.union(k for k, *_ in body.args[1:]), body.args[0]
    return _has_moving_case(body, indices)


@lru_cache(maxsize=_REMEMBERED)
def _has_moving_case(term: Any, indices: frozenset[Any]) -> bool:
    if not isinstance(term, Basic) or not term.has(Piecewise):
        return False
    own = {k for k, *_ in term.args[1:]} if binds(term) else own_indices(term)
    if own and any(
        case.has(*indices) and not own.isdisjoint(_conditions_on(case))
        for case in term.atoms(Piecewise)
    ):
        return True
    return any(_has_moving_case(part, indices) for part in term.args)


def _conditions_on(cases: Piecewise) -> set[Any]:
    """What the conditions of cases speak of."""
    return set().union(*(condition.free_symbols for _, condition in cases.args))


def replaced(term: Basic, values: Mapping[Any, Any]) -> Any:
    """A term with terms put in for free symbols, all at once; none of them is bound inside it.

    >>> from sympy import symbols
    >>> x, y, j = symbols("x y j")
    >>> replaced(x + y * Sum(x * j, (j, 1, x)), {x: y, y: x})
    x*Sum(j*y, (j, 1, y)) + y
    """
    return _Replacement(values).of(term)


class _Replacement:
    def __init__(self, values: Mapping[Any, Any]):
        self.values = values
        self.made: dict[Any, Any] = {}

    def of(self, term: Any) -> Any:
        if term in self.values:
            return self.values[term]
        if names_in(term).isdisjoint(self.values):
            return term
        if term not in self.made:
            self.made[term] = self._inside(term)
        return self.made[term]

    def _inside(self, term: Any) -> Any:
        if composed(term) or _has_cases(term):
            return built(term.func, *map(self.of, term.args))
        if binds(term):
            return self._ranged(term)
        names = set(self.values).union(*map(names_in, self.values.values()))
        if own := own_indices(term) & names:
            raise ValueError(f"{term}: has indices of its own, of which {min(own, key=str)} is one")
        return term.subs(self.values, simultaneous=True)

    def _ranged(self, term: Any) -> Any:
        """Outer indices first: they may stand in the ranges of inner ones, and not the other way."""
        inside, limits = self, []
        for index, low, high in reversed(term.args[1:]):
            limits.append((index, inside.of(low), inside.of(high)))
            if index in inside.values:
                rest = {old: new for old, new in inside.values.items() if old != index}
                inside = _Replacement(rest)
        return ranged(type(term), inside.of(term.args[0]), *reversed(limits))


def with_symbols(term: Any, names: Mapping[Any, Any]) -> Any:
    """A term with other symbols for some, bound ones included; no two of them become one.

    >>> from sympy import symbols
    >>> j, k, n = symbols("j k n")
    >>> with_symbols(Sum(j, (j, 1, n)) / j, {j: k})
    Sum(k, (k, 1, n))/k
    """
    made: dict[Any, Any] = dict(names)

    def of(part: Any) -> Any:
        if not part.args:
            return made.get(part, part)
        if part not in made:
            made[part] = again(part)
        return made[part]

    def again(part: Any) -> Any:
        if composed(part) or isinstance(part, Tuple):
            return part.func(*map(of, part.args))
        if binds(part):
            return ranged(type(part), *map(of, part.args))
        return part.xreplace(names)

    return of(term)


# Expansion ----------------------------------------------------------------------------------------


@lru_cache(maxsize=_REMEMBERED)
def expanded(term: Any) -> Any:
    """What SymPy's `expand` gives, of a sum term by term.

    >>> from sympy import symbols
    >>> x, y = symbols("x y")
    >>> expanded(x * (x + y) - y * (x - 1) ** 2)
    -x**2*y + x**2 + 3*x*y - y
    """
    if _is_expanded(term):
        return term
    if isinstance(term, Add) and not isinstance(term, MatrixExpr):
        return Add(*map(expanded, term.args))
    held = {part: _named_alone(part) for part in _sums_in_matrices(term)}
    if not held:
        return expand(term)
    return expand(term.xreplace(held)).xreplace({name: part for part, name in held.items()})


def _sums_in_matrices(term: Any) -> frozenset[Any]:
    """Numbers made of matrices with sums in them, which SymPy evaluates as it expands, and in its own way."""
    if not isinstance(term, Basic) or not (term.has(MatrixExpr) and term.has(Sum, Product)):
        return frozenset()
    if isinstance(term, MatrixExpr) or any(isinstance(part, MatrixExpr) for part in term.args):
        return frozenset({term}) if term.has(Sum, Product) else frozenset()
    return frozenset().union(*map(_sums_in_matrices, term.args))


def _named_alone(part: Any) -> Any:
    """A function in its place, of the names in it, so that it leaves no sum over one of them."""
    return Function("held")(Dummy(), *sorted(names_in(part), key=str))


@lru_cache(maxsize=_REMEMBERED)
def split_powers(term: Any) -> Any:
    """Powers with sums in their exponents as products, as by SymPy's `expand_power_exp`."""
    return term if _has_no_long_exponent(term) else expand_power_exp(term)


@lru_cache(maxsize=_REMEMBERED)
def _has_no_long_exponent(term: Any) -> bool:
    if isinstance(term, exp | Pow) and isinstance(term.exp, Add | Sum):
        return False
    return all(map(_has_no_long_exponent, term.args))


@lru_cache(maxsize=_REMEMBERED)
def _is_expanded(term: Any) -> bool:
    """Whether there is nothing for `expand` to do, as far as is seen at a glance."""
    if isinstance(term, MatrixExpr):
        return False
    if term.is_Symbol or term.is_Number or isinstance(term, NumberSymbol | Tuple):
        return all(map(_is_expanded, term.args))
    return _nothing_to_do(term) and all(map(_is_expanded, term.args))


def _nothing_to_do(term: Any) -> bool:
    """Of a node whose arguments are expanded."""
    if isinstance(term, Add | AppliedUndef | Abs):
        return True
    if isinstance(term, Mul):
        return not any(isinstance(a.base if isinstance(a, Pow) else a, Add) for a in term.args)
    if isinstance(term, Pow):
        root = term.exp.is_Rational and abs(term.exp.p) == 1
        whole = isinstance(term.base, Mul | Pow | exp) or (isinstance(term.base, Add) and not root)
        return not whole and not isinstance(term.exp, Add | Sum)
    if isinstance(term, Sum):
        return not isinstance(term.args[0], Add)
    return binds(term)
