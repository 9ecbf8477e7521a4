r"""Jacobians of matrix expressions of symbolic shape, by the product rule and the chain rule.

Layout: with the row-wise vec, dY/dX = d vec_r(Y) / d vec_r(X)^T.  Its rows are the entries (i, j)
of Y and its columns the entries (k, l) of X, both with the column index fast: Y of shape (p, q)
and X of shape (r, s) give shape (pq, rs).

In a network the product rule is to take out one occurrence of X at a time: the labels in its two
slots become the column of the Jacobian, everything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from typing import Any

from sympy import Expr, IndexedBase, Integer, Symbol, sympify
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from claims.expressions import Shaped
from proofs.calculus.deltas import (
    Delta,
    Index,
    StructureError,
    Term,
    delta_sum,
    ranges_of,
    settled,
    splitting,
)
from proofs.calculus.networks import Network, Structures, network

__all__ = [
    "gradient",
    "jacobian",
    "quotient_rule_softmax_entry",
    "softmax_jacobian",
    "softmax_jacobian_entry",
    "substitute",
]

Through = Mapping[MatrixSymbol, tuple[MatrixExpr, MatrixExpr]]
"""For a symbol A standing for a function of M: the argument M and the Jacobian dA/dM."""


def jacobian(
    Y: Any,
    X: MatrixSymbol,
    through: Through | None = None,
    structures: Structures | None = None,
    constants: Collection[Shaped] = (),
) -> Network:
    """dY/dX in row-wise vec, numerator layout; Y is a matrix or a scalar of `network`'s language.

    `through` maps a symbol A in Y to (M, D) when A is a function of M with Jacobian D = dA/dM, of
    shape (entries of A, entries of M): then dY/dX = (dY/dX at fixed A) + (dY/dA) D (dM/dX).

    Raises `ValueError` when X is itself in `through` or symbols of `through` depend on each other
    in a circle, when Y holds a `Shaped` matrix not in `constants` (its differential is not known),
    and `StructureError` when a Jacobian in `through` has the wrong shape.

    >>> from sympy import KroneckerProduct, symbols
    >>> from proofs.calculus.networks import equal
    >>> p, q, r, s = symbols("p q r s", integer=True, positive=True)
    >>> A, W, B = MatrixSymbol("A", p, q), MatrixSymbol("W", q, r), MatrixSymbol("B", r, s)
    >>> equal(jacobian(A * W * B, W), KroneckerProduct(A, B.T))
    True
    """
    through = through or {}
    if X in through:
        raise ValueError(
            f"{X} is listed in `through` as a function of {through[X][0]}: differentiate by a "
            "symbol that is free, or take it out of `through`"
        )
    return _jacobian(sympify(Y), X, through, structures, frozenset(constants), ())


def _jacobian(
    Y: Any,
    X: MatrixSymbol,
    through: Through,
    structures: Structures | None,
    constants: frozenset[Shaped],
    passed: tuple[MatrixSymbol, ...],
) -> Network:
    net = network(Y, structures)
    symbols = {array.symbol for term in net.terms for array in term.arrays}
    unknown = {s for s in symbols if isinstance(s, Shaped)} - constants
    if unknown:
        raise ValueError(
            f"{Y} holds {unknown}, whose differential is not known: pass it in `constants` if it "
            "does not depend on the variable"
        )
    result = _partial(net, X)
    for A, (M, D) in through.items():
        if A not in symbols:
            continue
        if A in passed:
            raise ValueError(f"{A} depends on itself by way of {passed}: break the circle")
        inner = _jacobian(sympify(M), X, through, structures, constants, (*passed, A))
        result = result + _partial(net, A) @ _fitted(D, A, M, structures) @ inner
    return result


def _fitted(
    D: MatrixExpr, A: MatrixSymbol, M: MatrixExpr, structures: Structures | None
) -> Network:
    """D = dA/dM with the entries of A for its row multi-index, and those of M for its column."""
    try:
        return network(D, structures).refined(_entries_of(A), _entries_of(M))
    except StructureError as error:
        raise StructureError(
            f"Jacobian {D} of shape {D.shape}, for {A} of shape {A.shape} by an argument of shape "
            f"{M.shape}, must have one row for each entry of {A} and one column for each entry of "
            f"the argument: {error}"
        ) from None


def _entries_of(matrix: MatrixExpr) -> tuple[Expr, ...]:
    return tuple(size for size in matrix.shape if size != 1)


def _partial(net: Network, X: MatrixSymbol) -> Network:
    """The Jacobian of a network by the arrays called X alone."""
    rows, cols = net.row + net.col, _entries_of(X)
    terms = []
    for term in net.terms:
        for k, array in enumerate(term.arrays):
            if array.symbol == X:
                rest = term.arrays[:k] + term.arrays[k + 1 :]
                terms.append(Term(term.coefficient, rest, term.row + term.col, array.labels))
    return Network(tuple(terms), rows, cols).refined(rows, cols)


def gradient(
    f: Any, X: MatrixSymbol, through: Through | None = None, structures: Structures | None = None
) -> Network:
    """The matrix df/dX_{kl}, of the shape of X, of a scalar f; raises as `jacobian` does.

    >>> from sympy import Trace, symbols
    >>> from proofs.calculus.networks import equal
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> X = MatrixSymbol("X", n, d)
    >>> equal(gradient(Trace(X.T * X), X), 2 * X)
    True
    """
    net = jacobian(f, X, through, structures)
    if net.row:
        raise StructureError(f"{f} of shape {f.shape} is no scalar: use `jacobian`")
    if len(net.col) != len(_entries_of(X)):
        raise StructureError(f"the columns {net.col} do not split into the shape {X.shape} of {X}")
    row = int(X.shape[0] != 1)
    terms = (Term(t.coefficient, t.arrays, t.col[:row], t.col[row:]) for t in net.terms)
    return Network(tuple(terms), net.col[:row], net.col[row:])


def substitute(net: Network, symbol: MatrixExpr, value: Any) -> Network:
    """Put `value` (a network or a matrix) in every place of `symbol`.

    Raises `StructureError` when the shapes, or the multi-indices behind them, do not fit.

    >>> from sympy import OneMatrix, Trace, symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> A = MatrixSymbol("A", n, n)
    >>> substitute(network(Trace(A * A)), A, OneMatrix(n, n) / n).scalar()
    1
    """
    value = value if isinstance(value, Network) else network(value)
    # A value may hold the symbol itself: the places to fill are those of the network given.
    done = [filled for term in net.terms for filled in _filled(term, symbol, value)]
    return Network(tuple(done), net.row, net.col).refined(net.row, net.col)


def _filled(term: Term, symbol: MatrixExpr, value: Network) -> list[Term]:
    places = [k for k, array in enumerate(term.arrays) if array.symbol == symbol]
    # From the last place on, so that the places before it keep their numbers.
    return reduce(
        lambda terms, place: [new for t in terms for new in _replaced(t, place, value)],
        reversed(places),
        [term],
    )


def _replaced(term: Term, place: int, value: Network) -> Iterator[Term]:
    """`term` with its array number `place` replaced by each term of `value`."""
    array = term.arrays[place]
    fitted = value.refined(ranges_of(array.row), ranges_of(array.col))
    split = splitting(array.row, fitted.row, str) or splitting(array.col, fitted.col, str)
    if split:
        yield from _replaced(term.renamed(split), place, value)
        return
    before, after = term.arrays[:place], term.arrays[place + 1 :]
    for piece in fitted.terms:
        t = piece.fresh()
        arrays = before + after + t.arrays
        joined = Term(term.coefficient * t.coefficient, arrays, term.row, term.col)
        pairs = [*zip(array.row, t.row, strict=True), *zip(array.col, t.col, strict=True)]
        yield settled(joined, pairs)


def softmax_jacobian(A: MatrixSymbol) -> Network:
    """dA/dM for A = softmax(M) by rows: d A_pq / d M_ij = delta_ip (delta_jq A_ij - A_iq A_ij).

    Row multi-index (p, q), column multi-index (i, j); A of shape (n, m) gives (nm, nm).

    >>> from sympy import symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> softmax_jacobian(MatrixSymbol("A", n, n)).shape
    (n**2, n**2)
    """
    net = network(A)
    (term,) = net.terms
    (array,) = term.arrays
    (other,) = term.fresh().arrays
    row = array.row
    same = Term(Integer(1), (array,), array.labels, array.labels)
    # Both factors of A_iq A_ij are in row i, which is also the row of both multi-indices.
    moved = other.renamed(dict(zip(other.row, ((x,) for x in row), strict=True)))
    product = Term(Integer(-1), (array, moved), array.labels, moved.labels)
    return Network((same, product), net.row + net.col, net.row + net.col)


def softmax_jacobian_entry(A: IndexedBase, p: Index, q: Index, i: Index, j: Index) -> Expr:
    """d A_pq / d M_ij = delta_ip (delta_jq A_ij - A_iq A_ij), for A = softmax(M) by rows.

    >>> from sympy import symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> softmax_jacobian_entry(IndexedBase("A"), *(Index(x, n) for x in "pqij"))
    (Delta(j, q)*A[i, j] - A[i, j]*A[i, q])*Delta(i, p)
    """
    return Delta(i, p) * (Delta(j, q) * A[i, j] - A[i, q] * A[i, j])


def quotient_rule_softmax_entry(A: IndexedBase, p: Index, q: Index, i: Index, j: Index) -> Expr:
    """The same derivative, derived: A_pq = e_pq / s_p with e = exp(M) and s_p = sum_k e_pk.

    From d e_pq / d M_ij = delta_ip delta_jq e_pq follows d s_p / d M_ij by a sum over k, and the
    quotient rule gives the rest; e_pq = A_pq s_p is put back at the end.  Raises `ValueError` unless
    the indices are four different ones.

    >>> from sympy import symbols
    >>> from proofs.calculus.deltas import delta_equal
    >>> n = symbols("n", integer=True, positive=True)
    >>> indices = [Index(x, n) for x in "pqij"]
    >>> A = IndexedBase("A")
    >>> delta_equal(quotient_rule_softmax_entry(A, *indices), softmax_jacobian_entry(A, *indices))
    True
    """
    if len({p, q, i, j}) < 4:
        raise ValueError(f"indices {p}, {q}, {i}, {j}: must be four different ones")
    e, s = (IndexedBase(Symbol(f"{name}_{A.label}")) for name in ("e", "s"))

    def exponential(row: Index, col: Index) -> Expr:
        return Delta(i, row) * Delta(j, col) * e[row, col]

    k = Index("'".join(x.name for x in (p, q, i, j)), j.range)  # longer than any of their names
    of_sum = delta_sum(exponential(p, k), [k])
    quotient = exponential(p, q) / s[p] - e[p, q] * of_sum / s[p] ** 2
    # e only occurs in rows p and i, and each is A times the sum of its own row.
    back = {e[row, col]: A[row, col] * s[row] for row in (p, i) for col in (q, j)}
    return delta_sum(delta_sum(quotient).xreplace(back))
