r"""Layers of i.i.d. Markov matrices of every size, as terms in the entries of infinite tables.

$A^{(l,n)}$ is made of the first n rows and columns of the l-th table, $A^\perp=A-n^{-1}11^\top$; weights
are $W_1\in\mathbb R^{n\times gn}$ and $W_2,W_3,\dots\in\mathbb R^{gn\times gn}$, $g=\gamma^{-1}$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, KroneckerDelta, Sum, Symbol

from claims.iid_tables import Tables
from claims.model import Understood
from claims.singular import eigenvalue_moduli, singular_values
from claims.terms import Recursion

__all__ = ["NO_ZERO_ROWS", "Chain", "MarkovLayers", "Weights", "identity", "n"]

n = Symbol("n", integer=True, positive=True)
"""The number of tokens."""
_k = Symbol("k", integer=True)
Start = Callable[[Any, Any, Any], Any]
NO_ZERO_ROWS = Understood(
    "$Z>0$: a row of zeros has no shares, which (10) divides by its sum",
    r"With $Z_{11}\in\{0,1\}$, of probability $\frac12$ each, any row of $A$ is missing with probability "
    "$2^{-T}$. Almost surely that happens at finitely many $T$ only",
)


class MarkovLayers:
    """Matrices of layers in the entries of tables, and their singular values."""

    def __init__(self, tables: Tables):
        self.tables = tables
        self._noise = singular_values(
            r"s_{{{0}}}\bigl((Z^{{({3})}}-m)_{{{1},{2}}}\bigr)",
            lambda i, k, layer: self.entry(layer, i, k) - tables.mean,
        )
        self._attention = singular_values(
            r"s_{{{0}}}(A_{{{1},{2}}}^{{({3},{4})}})", self._at(self.weight)
        )
        self._moduli = eigenvalue_moduli(
            r"|\lambda_{{{0}}}(A_{{{1},{2}}}^{{({3},{4})}})|", self._at(self.weight)
        )
        self._rest = singular_values(
            r"s_{{{0}}}(A_{{{1},{2}}}^{{\perp({3},{4})}})", self._at(self.rest_weight)
        )
        self._values = singular_values(
            r"s_{{{0}}}(W_{{{1},{2}}}^{{({3},{4})}})",
            lambda i, k, layer, size: tables.weights(layer, size, i, k),
        )

    @staticmethod
    def _at(weight: Callable[..., Any]) -> Callable[..., Any]:
        return lambda i, k, layer, size: weight(layer, size, i, k)

    def entry(self, layer: Any, row: Any, column: Any) -> Expr:
        return self.tables.entries(layer, row, column)

    def row_sum(self, layer: Any, size: Any, row: Any) -> Expr:
        return Sum(self.entry(layer, row, _k), (_k, 1, size))

    def weight(self, layer: Any, size: Any, row: Any, column: Any) -> Expr:
        """An entry of A."""
        return self.entry(layer, row, column) / self.row_sum(layer, size, row)

    def rest_weight(self, layer: Any, size: Any, row: Any, column: Any) -> Expr:
        r"""An entry of $A^\perp$."""
        return self.weight(layer, size, row, column) - 1 / size

    def noise(self, at: Any, layer: Any, size: Any = n) -> Expr:
        """A singular value of Z - m."""
        return self._noise(at, size, size, layer)

    def attention(self, at: Any, layer: Any, size: Any = n) -> Expr:
        return self._attention(at, size, size, layer, size)

    def modulus(self, at: Any, layer: Any, size: Any = n) -> Expr:
        """That of an eigenvalue of A."""
        return self._moduli(at, size, size, layer, size)

    def rest(self, at: Any, layer: Any, size: Any = n) -> Expr:
        return self._rest(at, size, size, layer, size)

    def values(self, at: Any, layer: Any, rows: Any, columns: Any, size: Any = n) -> Expr:
        """A singular value of a Gaussian matrix."""
        return self._values(at, rows, columns, layer, size)


def product(name: str, weight: Callable[..., Any], start: Start) -> Recursion:
    r"""Entries (n, i, k) of $M_t\cdots M_1C$, from those of $M_l$, (l, n, i, j), and of C, (n, i, k)."""
    return Recursion(
        name, start,
        lambda t, size, i, k, before: Sum(weight(t + 1, size, i, _k) * before(size, _k, k), (_k, 1, size)),
    )  # fmt: skip


class Chain:
    r"""$A_t\cdots A_1C$ and $A^\perp_t\cdots A^\perp_1C$ with their singular values, C of gn columns."""

    def __init__(self, layers: MarkovLayers, start: Start, factor: Any = 1, mark: str = ""):
        self.layers, self.start, self.factor = layers, start, factor
        self.whole = product("P", layers.weight, start)
        self.rest = product(r"P^\perp", layers.rest_weight, start)
        self._whole, self._rest = (
            singular_values(
                rf"s_{{{{{{0}}}}}}(A_{{{{{{3}}}}}}\cdots A_1{mark})".replace("A_", f"A{perp}_"),
                _entries_of(of),
            )
            for perp, of in (("", self.whole), (r"^\perp", self.rest))
        )

    def value(self, at: Any, count: Any, size: Any = n) -> Expr:
        """A singular value of the product of so many factors."""
        return self._whole(at, size, self.factor * size, count, size)

    def rest_value(self, at: Any, count: Any, size: Any = n) -> Expr:
        return self._rest(at, size, self.factor * size, count, size)


class Weights:
    r"""$W_1\cdots W_{t+1}$ with its singular values, and the largest of its factors."""

    def __init__(self, layers: MarkovLayers, factor: Any):
        weights, self.layers, self.factor = layers.tables.weights, layers, factor
        self.product = Recursion(
            "V", lambda size, i, k: weights(1, size, i, k),
            lambda t, size, i, k, before: Sum(
                before(size, i, _k) * weights(t + 2, size, _k, k), (_k, 1, factor * size)
            ),
        )  # fmt: skip
        self._values = singular_values(
            r"s_{{{0}}}(W_1\cdots W_{{{3}+1}})", _entries_of(self.product)
        )

    def value(self, at: Any, count: Any, size: Any = n) -> Expr:
        """A singular value of the product of one factor more."""
        return self._values(at, size, self.factor * size, count, size)

    def first(self, size: Any = n) -> Expr:
        """The largest singular value of $W_1$."""
        return self.layers.values(1, 1, size, self.factor * size, size)

    def square(self, layer: Any, size: Any = n) -> Expr:
        """That of another factor."""
        return self.layers.values(1, layer, self.factor * size, self.factor * size, size)


def identity(size: Any, row: Any, column: Any) -> Expr:
    """Entries of the identity."""
    return KroneckerDelta(row, column)


def _entries_of(of: Recursion) -> Callable[..., Any]:
    return lambda i, k, t, size: of(t, size, i, k)
