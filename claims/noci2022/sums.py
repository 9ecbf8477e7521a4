r"""Sums over tokens as App. A.2 prints them: Kronecker deltas, moments at sites, index sums.

Everything here is definitional: an `IndexSum` stands as printed until its symbols are given numbers,
and is then added up term by term in exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any

from sympy import (
    Dummy,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Rational,
    Symbol,
    lambdify,
    prod,
    symbols,
    sympify,
)

from claims.definitions import correlated_expectation
from claims.noci2022.notation import rho

__all__ = ["IndexSum", "TokenMoment", "a", "a2", "b", "b2", "correlated", "unequal"]

a, b, a2, b2 = symbols("a b a' b'", integer=True, positive=True)


def unequal(first: Any, second: Any) -> Expr:
    """The paper's delta with an inequality sign."""
    return 1 - KroneckerDelta(first, second)


def correlated(first: Any, second: Any) -> Expr:
    """E[X_{first, j} X_{second, j}] in units of sigma_x^2, as the model prints it."""
    return KroneckerDelta(first, second) + rho * unequal(first, second)


class TokenMoment(Expr):
    r"""E[X_{ai} X_{bj} ...] of the tokens, for sites a, i, b, j, ...; a number at numeric sites."""

    is_commutative = True

    def __new__(cls, scale: Any, correlation_: Any, *sites: Any) -> Expr:
        sites = tuple(map(sympify, sites))
        if all(site.is_Integer for site in sites):
            return scale ** (len(sites) // 4) * _moment_at(sympify(correlation_), sites)
        return super().__new__(cls, sympify(scale), sympify(correlation_), *sites)

    @property
    def pairs(self) -> tuple[tuple[Expr, Expr], ...]:
        """The sites (token, dimension)."""
        return tuple(zip(self.args[2::2], self.args[3::2], strict=True))

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        factors = "".join(f"X_{{{printer._print(a)} {printer._print(i)}}}" for a, i in self.pairs)
        body = rf"\mathbb E[{factors}]"
        return body if exp is None else rf"{body}^{{{exp}}}"


@cache
def _moment_at(correlation_: Expr, sites: tuple[Integer, ...]) -> Expr:
    places = list(zip(sites[::2], sites[1::2], strict=True))
    x = symbols(f"x_:{len(places)}")
    covariance = [
        [0 if i != j else 1 if a == b else correlation_ for b, j in places] for a, i in places
    ]
    return correlated_expectation(prod(x), x, covariance)


class IndexSum(Expr):
    r"""A sum over indices which each run from 1 to one size, left standing as printed.

    Evaluated term by term, in exact fractions, once all of its symbols are given numbers.

    >>> n = Symbol("n", integer=True, positive=True)
    >>> IndexSum(unequal(a, b) / n, n, a, b).xreplace({n: 3})
    2
    """

    is_commutative = True

    def __new__(cls, body: Any, size: Any, *indices: Symbol) -> Expr:
        return super().__new__(cls, sympify(body), sympify(size), *indices)

    @property
    def body(self) -> Expr:
        return self.args[0]

    @property
    def size(self) -> Expr:
        return self.args[1]

    @property
    def indices(self) -> tuple[Expr, ...]:
        return self.args[2:]

    @property
    def own_indices(self) -> set[Any]:
        return set(self.indices)

    @property
    def limits(self) -> tuple[tuple[Expr, Expr, Expr], ...]:
        """Each index with its range, as SymPy's sums have them."""
        return tuple((index, Integer(1), self.size) for index in self.indices)

    @property
    def free_symbols(self) -> set[Any]:
        return super().free_symbols.difference(self.indices)

    def _xreplace(self, rule: Any) -> tuple[Expr, bool]:
        if not self.free_symbols <= set(rule):
            return super()._xreplace(rule)
        total = _written_out(self, frozenset((s, _fraction(rule[s])) for s in self.free_symbols))
        return Rational(total.numerator, total.denominator), True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        running = ",".join(map(printer._print, self.indices))
        body = rf"\sum_{{{running}}}\left({printer._print(self.body)}\right)"
        return body if exp is None else rf"\left({body}\right)^{{{exp}}}"


def _fraction(value: Any) -> Fraction:
    exact = sympify(value)
    return Fraction(int(exact.p), int(exact.q))


@lru_cache(maxsize=4096)
def _written_out(total: IndexSum, at: frozenset[tuple[Any, Fraction]]) -> Fraction:
    """The sum, term by term; a sum directly inside another is one sum over both sets of indices."""
    values = dict(at)
    ranges, body = [], total
    while isinstance(body, IndexSum):
        size = int(values[body.size])
        ranges += [(index, range(1, size + 1)) for index in body.indices]
        body = body.body
    term, symbols_, inner, constants = _compiled(body, tuple(index for index, _ in ranges))
    sums = (_written_out(s, at) for s in inner)
    arguments = [*(values[s] for s in symbols_), *sums, *constants]
    choices = product(*(choices for _, choices in ranges))
    return sum((term(*choice, *arguments) for choice in choices), start=Fraction(0))


@cache
def _compiled(body: Expr, indices: tuple[Symbol, ...]) -> tuple[Any, ...]:
    """One term as a Python function of indices, symbols, inner sums and rational constants.

    Constants are arguments because 1/3 in Python code would be a float.
    """
    inner = tuple(s for s in body.atoms(IndexSum) if not s.free_symbols & set(indices))
    named = {s: Dummy() for s in inner}
    body = body.xreplace(named)
    constants = tuple(r for r in body.atoms(Rational) if not r.is_Integer)
    named_constants = {r: Dummy() for r in constants}
    body = body.xreplace(named_constants)
    body = body.replace(KroneckerDelta, Function("same"))
    body = body.replace(TokenMoment, Function("moment"))
    free = tuple(body.free_symbols.difference(indices, named.values(), named_constants.values()))
    arguments = (*indices, *free, *named.values(), *named_constants.values())
    term = lambdify(arguments, body, modules=[{"same": _same, "moment": _moment_fraction}])
    return term, free, inner, tuple(map(_fraction, constants))


def _same(first: int, second: int) -> int:
    return int(first == second)


def _moment_fraction(scale: Fraction, correlation_: Fraction, *sites: int) -> Fraction:
    """A moment depends on its sites only through which of them agree."""
    tokens, dimensions = _relabelled(sites[::2]), _relabelled(sites[1::2])
    pattern = tuple(label for pair in zip(tokens, dimensions, strict=True) for label in pair)
    return scale ** (len(sites) // 4) * _moment_of_pattern(correlation_, pattern)


def _relabelled(labels: tuple[int, ...]) -> tuple[int, ...]:
    order = list(dict.fromkeys(labels))
    return tuple(map(order.index, labels))


@cache
def _moment_of_pattern(correlation_: Fraction, sites: tuple[int, ...]) -> Fraction:
    exact = Rational(correlation_.numerator, correlation_.denominator)
    return _fraction(_moment_at(exact, tuple(map(Integer, sites))))
