"""Matrix expressions as networks of arrays joined by indices, and exact equality between them.

A matrix of symbolic shape is a sum of terms: a scalar times named arrays with a label in each slot.
A label on no free place is summed over its range.  Identities and commutation matrices are no
arrays: row and column places share labels.  All-ones matrices are places whose label is on no array.

Rows and columns are *multi-indices*: A (x) B has rows (i, p), i slow and p fast, as has a row-wise
vec.  A range of one has no label.  Where two multi-indices meet they are brought to a common
refinement (n*d meets (n, d)); if there is none, `StructureError` names both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import networkx as nx
from sympy import Add, Expr, ImmutableDenseMatrix, Integer, Mul, Pow, Trace, prod, sympify
from sympy.matrices import expressions as mx
from sympy.matrices.expressions import MatrixExpr

from claims.expressions import Commutation, FrobSq, Named, Shaped, Total, explicit
from claims.whole import whole
from proofs.calculus.deltas import (
    Array,
    Label,
    Labels,
    Ranges,
    StructureError,
    Table,
    Term,
    common_refinement,
    components,
    joined,
    labels_of,
    ranges_of,
    refined_term,
    settled,
    splitting,
    summed_out,
    tidy,
    vanishes,
)
from proofs.calculus.entries import entries_latex

__all__ = ["Network", "StructureError", "difference", "equal", "frobenius_square", "network"]

Structures = Mapping[MatrixExpr, tuple[Iterable[Any], Iterable[Any]]]
"""For a matrix, the ranges of its row and column multi-index, slowest first."""
MANY = 24
"""Products of more terms are collected at once: powers of I - 11^T/n then stay short."""


@dataclass(frozen=True)
class Network:
    """A sum of terms of one shape, with the ranges of the row and of the column multi-index.

    >>> from sympy import MatrixSymbol, symbols
    >>> A = network(MatrixSymbol("A", *symbols("m n", integer=True, positive=True)))
    >>> (A @ A.T).shape, A.kron(A).row, A.vec().col
    ((m, m), (m, m), ())
    """

    terms: tuple[Term, ...]
    row: Ranges
    col: Ranges

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return prod(self.row, start=Integer(1)), prod(self.col, start=Integer(1))

    @property
    def T(self) -> Network:
        terms = (Term(t.coefficient, t.arrays, t.col, t.row) for t in self.terms)
        return Network(tuple(terms), self.col, self.row)

    def refined(self, row: Ranges, col: Ranges) -> Network:
        """The same network with multi-indices at least as fine as `row` and `col`."""

        def what() -> str:
            return f"shapes {self.shape} and {Network((), row, col).shape}"

        def met(ranges: Ranges, sides: Iterable[Ranges]) -> Ranges:
            return reduce(lambda a, b: common_refinement(a, b, what), sides, ranges)

        # An identity shares its labels, so a finer row can make a column finer.
        net = Network(self.terms, met(self.row, [row]), met(self.col, [col]))
        while True:
            terms = tuple(refined_term(t, net.row, net.col, what) for t in net.terms)
            rows = met(net.row, (ranges_of(t.row) for t in terms))
            cols = met(net.col, (ranges_of(t.col) for t in terms))
            if (net.row, net.col, net.terms) == (rows, cols, terms):
                return net
            net = Network(terms, rows, cols)

    def scaled(self, factor: Any) -> Network:
        terms = (Term(t.coefficient * factor, t.arrays, t.row, t.col) for t in self.terms)
        return Network(tuple(terms), self.row, self.col)

    def __add__(self, other: Network) -> Network:
        left, right = _matched(self, other)
        return Network(left.terms + right.terms, left.row, left.col)

    def __sub__(self, other: Network) -> Network:
        return self + other.scaled(Integer(-1))

    def __matmul__(self, other: Network) -> Network:
        """The matrix product; raises `StructureError` when inner multi-indices do not fit."""
        left, right = self, other
        try:
            while left.col != right.row:
                left = left.refined(left.row, right.row)
                right = right.refined(left.col, right.col)
        except StructureError as error:
            shapes = f"product of {self.shape} with {other.shape}"
            raise StructureError(f"{shapes}: {error}") from None
        terms = []
        for s, t in ((s, t.fresh()) for s in left.terms for t in right.terms):
            term = Term(s.coefficient * t.coefficient, s.arrays + t.arrays, s.row, t.col)
            terms.append(settled(term, zip(s.col, t.row, strict=True)))
        return Network(tuple(terms), left.row, right.col)._compact()

    def kron(self, other: Network) -> Network:
        """The Kronecker product: rows (i, p), columns (j, q), with the left index slow."""
        terms = tuple(
            Term(s.coefficient * t.coefficient, s.arrays + t.arrays, s.row + t.row, s.col + t.col)
            for s, t in ((s, t.fresh()) for s in self.terms for t in other.terms)
        )
        return Network(terms, self.row + other.row, self.col + other.col)._compact()

    def _compact(self) -> Network:
        return self.normal() if len(self.terms) > MANY else self

    def trace(self) -> Network:
        """The trace, as a network of shape (1, 1); raises `StructureError` when not square."""
        net = self
        while net.row != net.col:
            net = net.refined(net.col, net.row)
        return net._summed(lambda t: zip(t.row, t.col, strict=True))

    def total(self) -> Network:
        """The sum of all entries, as a network of shape (1, 1)."""
        return self._summed(lambda t: ((x, x) for x in t.row + t.col))

    def _summed(self, pairs: Callable[[Term], Iterable[tuple[Label, Label]]]) -> Network:
        closed = (settled(Term(t.coefficient, t.arrays, (), ()), pairs(t)) for t in self.terms)
        return Network(tuple(closed), (), ())

    def vec(self) -> Network:
        """The row-wise vec, a column: entry (i, j) at place i * columns + j."""
        terms = (Term(t.coefficient, t.arrays, t.row + t.col, ()) for t in self.terms)
        return Network(tuple(terms), self.row + self.col, ())

    def normal(self, symmetric: Collection[MatrixExpr] = ()) -> Network:
        """One term for each class of terms up to names of summed labels, none with coefficient 0.

        Two networks are equal for all arrays and all sizes exactly when the normal form of their
        difference has no terms.  Matrices in `symmetric` equal their transposes.
        """
        classes = _Classes(frozenset(symmetric))
        net = _harmonised(self)
        groups: dict[Any, list[Term]] = {}
        for term in net.terms:
            groups.setdefault(classes.key(term), []).append(term)
        kept = []
        for terms in groups.values():
            coefficient = tidy(Add(*(t.coefficient for t in terms)))
            if not vanishes(coefficient):
                kept.append(Term(coefficient, terms[0].arrays, terms[0].row, terms[0].col))
        return Network(tuple(kept), net.row, net.col)

    def explicit(self, values: Mapping[Any, Any]) -> ImmutableDenseMatrix:
        """The matrix at a point, summed entry by entry; `values` as in `claims.explicit`."""
        rows, cols = (whole(explicit(size, values)) for size in self.shape)
        entries: dict[tuple[int, int], Any] = {}
        for term in self.terms:
            scale = explicit(term.coefficient, values)
            for place, value in _entries(term, values):
                entries[place] = entries.get(place, Integer(0)) + scale * value
        return ImmutableDenseMatrix(rows, cols, lambda i, j: entries.get((i, j), Integer(0)))

    def scalar(self) -> Expr:
        """A closed network as a SymPy scalar: products of `Trace` and `Total` of words.

        Raises `ValueError` when the network is not closed, or when a label joins more than two
        slots so that its component is no word.
        """
        if self.row or self.col:
            raise ValueError(f"a network of shape {self.shape} is no scalar: take a trace or total")
        terms = self.normal().terms
        return Add(*(t.coefficient * Mul(*map(_word, components(t.arrays, ()))) for t in terms))

    def latex(self) -> str:
        return " + ".join(map(entries_latex, self.terms)) or "0"

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms)) or f"0 of shape {self.shape}"


def _matched(left: Network, right: Network) -> tuple[Network, Network]:
    while (left.row, left.col) != (right.row, right.col):
        left = left.refined(right.row, right.col)
        right = right.refined(left.row, left.col)
    return left, right


def _harmonised(net: Network) -> Network:
    """Give each symbol one multi-index structure, the common refinement of all its occurrences."""
    while True:
        wanted: dict[tuple[MatrixExpr, str], Ranges] = {}
        slots = [(t, a, side) for t in net.terms for a in t.arrays for side in ("row", "col")]
        for _, array, side in slots:
            ranges = ranges_of(getattr(array, side))
            key = array.symbol, side
            known = wanted.get(key, ranges)
            wanted[key] = common_refinement(known, ranges, array.symbol.__str__)
        splits: dict[int, Mapping[Label, Labels]] = {}
        for term, array, side in slots:
            renaming = splitting(getattr(array, side), wanted[array.symbol, side], str)
            if renaming:
                splits.setdefault(id(term), renaming)
        if not splits:
            return net
        terms = tuple(t.renamed(splits.get(id(t), {})) for t in net.terms)
        net = Network(terms, net.row, net.col).refined(net.row, net.col)


class _Classes:
    """Numbers the connected components of terms so that isomorphic ones get the same number."""

    def __init__(self, symmetric: frozenset[MatrixExpr]):
        self.symmetric = symmetric
        self.known: dict[str, list[tuple[int, nx.Graph]]] = {}
        self.count = 0

    def key(self, term: Term) -> tuple:
        """Equal for two terms exactly when renaming summed labels makes them proportional."""
        places = term.row + term.col
        free = {label: f"free {places.index(label)}" for label in dict.fromkeys(places)}
        numbers = sorted(self.number(c, free) for c in components(term.arrays, free))
        return tuple(map(free.get, places)), tuple(numbers)

    def number(self, component: tuple[Array, ...], free: Mapping[Label, str]) -> int:
        # The hash (by colour refinement) is the same for isomorphic graphs and settles nearly all
        # comparisons; the search for an isomorphism makes the answer exact.
        graph = self.graph(component, free)
        digest = nx.weisfeiler_lehman_graph_hash(graph, node_attr="kind", iterations=6)
        alike = self.known.setdefault(digest, [])
        for number, other in alike:
            if nx.is_isomorphic(graph, other, node_match=lambda u, v: u == v):
                return number
        self.count += 1
        alike.append((self.count, graph))
        return self.count

    def graph(self, component: tuple[Array, ...], free: Mapping[Label, str]) -> nx.Graph:
        """Arrays joined to their sides, sides to their slots, slots to the labels they hold."""
        graph = nx.Graph()
        for k, array in enumerate(component):
            graph.add_node(k, kind=array.symbol)
            names = ("side", "side") if array.symbol in self.symmetric else ("row", "col")
            for name, s, side in zip(names, range(2), (array.row, array.col), strict=True):
                graph.add_node((k, s), kind=name)
                graph.add_edge(k, (k, s))
                for p, label in enumerate(side):
                    graph.add_node(label, kind=free.get(label, ("sum", label.range)))
                    graph.add_node((k, s, p), kind=f"slot {p}")
                    graph.add_edges_from([((k, s), (k, s, p)), ((k, s, p), label)])
        return graph


def _entries(term: Term, values: Mapping[Any, Any]) -> Iterator[tuple[tuple[int, int], Any]]:
    """Place and value of each nonzero entry of a term, its coefficient left out."""
    sizes = {label: whole(explicit(label.range, values)) for label in term.labels}

    def place(labels: Labels, at: Mapping[Label, int]) -> int:
        return reduce(lambda so_far, label: so_far * sizes[label] + at[label], labels, 0)

    def table(labels: Labels, value: Callable[[dict[Label, int]], Any]) -> Table:
        choices = product(*(range(sizes[label]) for label in labels))
        return labels, {c: value(dict(zip(labels, c, strict=True))) for c in choices}

    tables = [table((label,), lambda at: 1) for label in dict.fromkeys(term.row + term.col)]
    for a in term.arrays:
        m = values[a.symbol].tolist()
        read = lambda at, a=a, m=m: m[place(a.row, at)][place(a.col, at)]  # noqa: E731
        tables.append(table(tuple(dict.fromkeys(a.labels)), read))
    waiting = set(term.labels).difference(term.row + term.col)
    while waiting:
        # Summing out first what meets the fewest labels keeps the tables small.
        near = {x: [t for t in tables if x in t[0]] for x in waiting}
        label = min(waiting, key=lambda x: len({y for t in near[x] for y in t[0]}))
        waiting.remove(label)
        tables = [t for t in tables if label not in t[0]]
        tables.append(summed_out(reduce(joined, near[label]), label))
    unit: Table = (), {(): Integer(1)}
    labels, entries = reduce(joined, tables, unit)
    for choice, value in entries.items():
        at: dict[Label, int] = dict(zip(labels, choice, strict=True))
        yield (place(term.row, at), place(term.col, at)), value


def _word(component: tuple[Array, ...]) -> Expr:
    """A closed component as a trace of a word (a cycle) or a total of one (a path)."""
    held: dict[Label, list[tuple[int, int]]] = {}
    slots = {(k, s): side for k, a in enumerate(component) for s, side in enumerate((a.row, a.col))}
    for slot, labels in slots.items():
        for label in labels:
            held.setdefault(label, []).append(slot)
    if any(len(s) > 1 for s in slots.values()) or any(len(h) > 2 for h in held.values()):
        rule = "a word joins slots in pairs, with one label in a slot"
        raise ValueError(f"{component} is no word: {rule}; compare networks with `equal` instead")
    ends = [slot for slot, labels in slots.items() if not labels or len(held[labels[0]]) == 1]

    def read(slot: tuple[int, int]) -> list[MatrixExpr]:
        first, factors = slot, []
        while True:
            k, side = slot
            factors.append(component[k].symbol.T if side else component[k].symbol)
            here = k, 1 - side
            if here in ends:
                return factors
            (slot,) = (s for s in held[slots[here][0]] if s != here)
            if slot == first:
                return factors

    words = map(read, ends or slots)
    best = min(words, key=lambda w: (sum(isinstance(f, mx.Transpose) for f in w), str(w)))
    word = best[0] if len(best) == 1 else mx.MatMul(*best)
    return Trace(word) if not ends or word.shape == (1, 1) else Total(word)


def network(expression: Any, structures: Structures | None = None) -> Network:
    """Read a SymPy matrix expression, or a scalar made of traces, norms and totals; keep a network.

    A matrix of `structures` gets the multi-indices given there; every other matrix symbol one
    label for its row and one for its column, split later where it meets a multi-index.
    Raises `StructureError` when shapes or multi-indices do not fit, and `TypeError` for nodes that
    are no polynomials in matrices (an inverse other than that of a permutation, a root of a norm).

    >>> from sympy import MatrixSymbol, symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> X = MatrixSymbol("X", n, d)
    >>> str(network(X * X.T))
    '(1) X[i0;i2] X[i1;i2] at [i0;i1]'
    """
    if isinstance(expression, Network):
        return expression
    return _Reader(structures or {}).read(sympify(expression))


@dataclass(frozen=True)
class _Reader:
    structures: Structures

    def read(self, e: Any) -> Network:
        if not isinstance(e, MatrixExpr):
            return self.scalar(e)
        if isinstance(e, mx.MatrixSymbol | Shaped):
            return self.symbol(e)
        if isinstance(e, mx.MatMul):
            # A scalar factor is a closed network, and its Kronecker product scales.
            scalars = [a for a in e.args if not isinstance(a, MatrixExpr)]
            matrices = [a for a in e.args if isinstance(a, MatrixExpr)]
            scale = reduce(Network.kron, map(self.read, scalars), _closed(1))
            return scale.kron(reduce(Network.__matmul__, map(self.read, matrices)))
        for kind, combine in _COMBINED.items():
            if isinstance(e, kind):
                return reduce(combine, map(self.read, e.args))
        if isinstance(e, Named):
            return self.read(e.definition)
        if isinstance(e, mx.Transpose):
            return self.read(e.arg).T
        if isinstance(e, mx.Inverse):
            return _inverse(self.read(e.arg), e)
        if isinstance(e, mx.MatPow):
            return self.power(e, Network.__matmul__)
        return _constant(e)

    def symbol(self, e: Any) -> Network:
        plain = tuple(_without_ones((size,)) for size in e.shape)
        given = tuple(_without_ones(side) for side in self.structures.get(e, plain))
        for side, size in zip(given, plain, strict=True):
            # Refining the shape itself checks that the multi-indices multiply to it.
            common_refinement(side, size, lambda: f"{e} of shape {e.shape} with structure {given}")
        row, col = map(labels_of, given)
        return _single(Term(Integer(1), (Array(e, row, col),), row, col))

    def scalar(self, e: Any) -> Network:
        if not e.has(MatrixExpr):
            return _closed(e)
        if isinstance(e, Trace):
            return self.read(e.arg).trace()
        if isinstance(e, FrobSq):
            return frobenius_square(self.read(e.args[0]))
        if isinstance(e, Total):
            return self.read(e.args[0]).total()
        if isinstance(e, Add):
            return reduce(Network.__add__, map(self.read, e.args))
        if isinstance(e, Mul):
            return reduce(Network.kron, map(self.read, e.args))
        if isinstance(e, Pow):
            return self.power(e, Network.kron)
        raise TypeError(f"{e} is no polynomial in matrices: name it as a symbol")

    def power(self, e: Any, combine: Any) -> Network:
        base, exponent = e.args
        if not exponent.is_Integer or exponent < 1:
            raise TypeError(f"{e}: only whole positive powers are networks; name it as a symbol")
        return reduce(combine, [self.read(base)] * int(exponent))


_COMBINED = {
    mx.MatAdd: Network.__add__,
    mx.KroneckerProduct: Network.kron,
}


def _without_ones(ranges: Iterable[Any]) -> Ranges:
    return tuple(r for r in map(sympify, ranges) if r != 1)


def _single(term: Term) -> Network:
    return Network((term,), ranges_of(term.row), ranges_of(term.col))


def _closed(value: Any) -> Network:
    return _single(Term(sympify(value), (), (), ()))


def _constant(e: MatrixExpr) -> Network:
    """Identity, commutation, all-ones and zero matrices: labels and no arrays."""
    if isinstance(e, Commutation):
        row = labels_of(_without_ones(e.args))
        return _single(Term(Integer(1), (), row, row[::-1]))
    row, col = (labels_of(_without_ones((size,))) for size in e.shape)
    if isinstance(e, mx.Identity):
        return _single(Term(Integer(1), (), row, row))
    if isinstance(e, mx.OneMatrix | mx.ZeroMatrix):
        ones = _single(Term(Integer(1), (), row, col))
        return ones if isinstance(e, mx.OneMatrix) else Network((), ones.row, ones.col)
    raise TypeError(f"{e}: no network for {type(e).__name__}; name it as a matrix symbol")


def _inverse(net: Network, e: MatrixExpr) -> Network:
    if len(net.terms) == 1:
        (t,) = net.terms
        if not t.arrays and len(t.row) == len(t.col) == len(set(t.row) & set(t.col)):
            return net.T.scaled(t.coefficient**-2)
    raise TypeError(f"{e}: only permutations can be inverted here; name the inverse as a symbol")


def difference(
    left: Any,
    right: Any,
    structures: Structures | None = None,
    symmetric: Collection[MatrixExpr] = (),
) -> Network:
    """The normal form of left - right; each side an expression or a network.

    Raises `StructureError` when the shapes, or the multi-indices behind them, do not fit.
    """
    sides = (network(side, structures) for side in (left, right))
    return Network.__sub__(*sides).normal(symmetric)


def equal(
    left: Any,
    right: Any,
    structures: Structures | None = None,
    symmetric: Collection[MatrixExpr] = (),
) -> bool:
    """Whether two expressions agree for every value of their matrices and every size.

    Raises as `difference` does.

    >>> from sympy import MatrixSymbol, symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> X, W = MatrixSymbol("X", n, d), MatrixSymbol("W", d, d)
    >>> equal((X * W).T, W.T * X.T), equal((X * W).T, W * X.T)
    (True, False)
    >>> equal((X * W).T, W * X.T, symmetric={W})
    True
    """
    return not difference(left, right, structures, symmetric).terms


def frobenius_square(expression: Any, structures: Structures | None = None) -> Network:
    r"""\|M\|_F^2 = tr(M^T M) as a closed network; `Network.scalar` writes it in traces.

    >>> from sympy import Identity, MatrixSymbol, symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> frobenius_square(MatrixSymbol("A", n, n) - Identity(n)).scalar()
    n + Trace(A*A.T) - 2*Trace(A)
    """
    net = network(expression, structures)
    return (net.T @ net).trace()
