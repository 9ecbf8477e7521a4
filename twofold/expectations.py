"""Expectations of Gaussian matrices as quantities: exact at a point, and a value by the calculus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy.matrices.expressions import MatrixExpr

from claims.definitions import entries
from claims.definitions import expectation as written_out
from claims.domain import Point
from claims.errors import UserError
from claims.expressions import Total, explicit
from claims.statement import Quantity
from claims.typeset import typeset
from proofs.calculus.wick import Gaussian, expectation

__all__ = ["Expected", "expected", "symbols_of"]


class Expected(Quantity):
    """The expectation of a scalar in Gaussian matrices; see `expected`."""

    term: Any
    laws: tuple[Gaussian, ...]

    def _sympystr(self, printer: Any) -> str:
        return f"E[{printer._print(self.term)}]"

    def derived(self) -> Any:
        """The value for symbolic sizes, by Gaussian integration by parts."""
        return expectation(self.term, self.laws)

    def renamed(self, names: Mapping[Any, Any]) -> Expected:
        """The same expectation with other names for its sizes and variances."""
        laws = (
            Gaussian(law.symbol.xreplace(names), law.variance.xreplace(names)) for law in self.laws
        )
        return expected(self.term.xreplace(names), *laws)

    def symbols(self) -> set[Any]:
        """What the domain has to give a range: everything but the random matrices."""
        random = {law.symbol for law in self.laws}
        terms = [self.term, *(law.variance for law in self.laws)]
        terms += [side for law in self.laws for side in law.symbol.shape]
        return set().union(*map(symbols_of, terms)) - random


def symbols_of(term: Any) -> set[Any]:
    """The free symbols of a term; the name that a `Total` bears is none of them."""
    return set(term.free_symbols) - {total.args[1] for total in term.atoms(Total)}


def expected(term: Any, *laws: Gaussian) -> Expected:
    r"""$\mathbb E$ of a polynomial in traces, `FrobSq` and `Total` of words in Gaussian matrices.

    Entries of a matrix with a law are independent with mean zero and the law's variance; matrices
    without one are deterministic, and stand in the domain as `Array`.

    >>> from sympy import Eq, MatrixSymbol, symbols
    >>> from twofold import Array, FrobSq, Gaussian, Real, Size, check
    >>> n, d, m, s = symbols("n d m s")
    >>> X, W = MatrixSymbol("X", n, d), MatrixSymbol("W", d, m)
    >>> mean = expected(FrobSq(X * W), Gaussian(W, s**2))
    >>> check(Eq(mean, m * s**2 * FrobSq(X)), [Size(n), Size(d), Size(m), Real(s), Array(X)]).verdict
    'proved'

    Raises `UserError` without a law, or for a law with covariances.
    """
    if not laws or any(not isinstance(law, Gaussian) for law in laws):
        raise UserError("expected: needs a law for each random matrix, such as Gaussian(W, s**2)")
    if any(side is not None for law in laws for side in law.covariances):
        raise UserError(
            "expected: entries must be independent; multiply the matrix by a root instead"
        )
    if isinstance(term, MatrixExpr):
        raise UserError(f"expected: {term} is a matrix; take FrobSq, Total or Trace of it")

    def define(at: Point) -> Any:
        values: dict[Any, Any] = dict(at)
        variances: dict[Any, Any] = {}
        for law in laws:
            rows, cols = (int(explicit(side, at)) for side in law.symbol.shape)
            values[law.symbol] = drawn = entries(law.symbol.name, rows, cols)
            variances |= dict.fromkeys(drawn, explicit(law.variance, at))
        return written_out(explicit(term, values), variances)

    made = Expected(rf"\mathbb E\left[{typeset(term)}\right]", define)
    made.term, made.laws = term, laws
    return made
