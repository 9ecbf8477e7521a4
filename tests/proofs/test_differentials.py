"""Jacobians of attention for symbolic sizes: proofs, wrong variants, and explicit points."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import Any

import pytest
from sympy import (
    Identity,
    ImmutableDenseMatrix,
    IndexedBase,
    MatrixSymbol,
    Rational,
    Symbol,
    Trace,
    sqrt,
    symbols,
    zeros,
)
from sympy.matrices.exceptions import ShapeError
from sympy.matrices.expressions import KroneckerProduct, MatrixExpr, OneMatrix

from claims.expressions import Commutation, FrobSq, Shaped, explicit
from proofs.calculus.deltas import Index, delta_equal
from proofs.calculus.differentials import (
    gradient,
    jacobian,
    quotient_rule_softmax_entry,
    softmax_jacobian,
    softmax_jacobian_entry,
    substitute,
)
from proofs.calculus.networks import Network, StructureError, equal, network

n, d, dk, dv = symbols("n d d_k d_v", integer=True, positive=True)
# d_k is a square so that sqrt(d_k) is rational at the point.
SIZES = {n: 2, d: 3, dk: 1, dv: 2}
A, X = MatrixSymbol("A", n, n), MatrixSymbol("X", n, d)
WV, WQ, WK = MatrixSymbol("W^V", d, dv), MatrixSymbol("W^Q", d, dk), MatrixSymbol("W^K", d, dk)
D = Shaped(r"\partial A/\partial M", n**2, n**2)
M = X * WQ * WK.T * X.T / sqrt(dk)
S = A * X * WV
THROUGH = {A: (M, D)}
I, K, KP = Identity, Commutation, KroneckerProduct  # noqa: E741

BY_V = KP(A * X, I(dv))
BY_Q = KP(I(n), WV.T * X.T) * D * KP(X, X * WK) / sqrt(dk)
BY_K = KP(I(n), WV.T * X.T) * D * K(n, n) * KP(X, X * WQ) / sqrt(dk)
INNER = KP(I(n), X * WK * WQ.T) + K(n, n) * KP(I(n), X * WQ * WK.T)
BY_X = KP(I(n), WV.T * X.T) * D * INNER / sqrt(dk) + KP(A, WV.T)


def drawn(*expressions: Any, sizes: dict = SIZES, seed: int = 0) -> dict:
    """Small random rational matrices for all symbols of `expressions`, at the sizes given."""
    rng = Random(seed)
    values: dict[Any, Any] = dict(sizes)
    for matrix in sorted({s for e in expressions for s in e.atoms(MatrixSymbol, Shaped)}, key=str):
        rows, cols = (int(size.subs(sizes)) for size in matrix.shape)
        entries = [Rational(rng.randint(-6, 6), rng.randint(1, 3)) for _ in range(rows * cols)]
        values[matrix] = ImmutableDenseMatrix(rows, cols, entries)
    return values


def directional(Y: MatrixExpr, W: MatrixSymbol, values: dict) -> ImmutableDenseMatrix:
    """d vec_r(Y) / d vec_r(W)^T at a point, entry by entry, by SymPy's scalar derivatives."""
    t = Symbol("t")
    columns = []
    for place in range(len(values[W])):
        step = zeros(*values[W].shape)
        step[place] = t
        moved = explicit(Y, {**values, W: values[W] + step})
        columns.append(ImmutableDenseMatrix(len(moved), 1, list(moved.diff(t).subs(t, 0))))
    return ImmutableDenseMatrix.hstack(*columns)


def chained(W: MatrixSymbol, values: dict) -> ImmutableDenseMatrix:
    """dS/dW at a point with A a function of M whose Jacobian has the entries given for D."""
    direct = directional(S, W, values)
    return direct + directional(S, A, values) * values[D] * directional(M, W, values)


@pytest.mark.parametrize(
    ("variable", "statement"), [(WV, BY_V), (WQ, BY_Q), (WK, BY_K), (X, BY_X)], ids="VQKX"
)
def test_attention_jacobians(variable: MatrixSymbol, statement: MatrixExpr) -> None:
    derived = jacobian(S, variable, THROUGH)
    assert equal(derived, statement)
    values = drawn(S, M, D)
    by_entries = chained(variable, values)
    assert explicit(statement, values) == by_entries
    assert derived.explicit(values) == by_entries


WRONG = {
    "W^Q for W^K": (WQ, KP(I(n), WV.T * X.T) * D * KP(X, X * WQ) / sqrt(dk)),
    "no root": (WQ, KP(I(n), WV.T * X.T) * D * KP(X, X * WK) / dk),
    "D transposed": (WQ, KP(I(n), WV.T * X.T) * D.T * KP(X, X * WK) / sqrt(dk)),
    "no commutation": (WK, KP(I(n), WV.T * X.T) * D * KP(X, X * WQ) / sqrt(dk)),
    "commutation on the left": (WK, KP(I(n), WV.T * X.T) * K(n, n) * D * KP(X, X * WQ) / sqrt(dk)),
    "no direct part": (X, KP(I(n), WV.T * X.T) * D * INNER / sqrt(dk)),
    "one side of M only": (X, BY_X - KP(I(n), WV.T * X.T) * D * KP(I(n), X * WK * WQ.T) / sqrt(dk)),
    "A transposed": (X, BY_X - KP(A, WV.T) + KP(A.T, WV.T)),
    "A left out": (WV, KP(X, I(dv))),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_attention_jacobian_is_refused(name: str) -> None:
    variable, statement = WRONG[name]
    assert not equal(jacobian(S, variable, THROUGH), statement)
    # The square root of d_k must be told from d_k, so here d_k is 4.
    values = drawn(S, M, D, sizes={**SIZES, dk: 4})
    assert explicit(statement, values) != chained(variable, values)


def test_wrong_shapes_are_refused() -> None:
    swapped = KP(I(n), WV.T * X.T) * D * KP(X * WK, X) / sqrt(dk)
    with pytest.raises(StructureError, match=r"\(d, d_k\) and \(d_k, d\)"):
        equal(jacobian(S, WQ, THROUGH), swapped)
    with pytest.raises(ShapeError, match=r"multi-indices"):
        equal(jacobian(S, WV, THROUGH), KP(I(dv), A * X))
    small = Shaped("D", n, n)
    with pytest.raises(StructureError, match=r"Jacobian D of shape \(n, n\).*A of shape \(n, n\)"):
        jacobian(S, X, {A: (M, small)})


def test_by_x_is_fast() -> None:
    start = process_time()
    assert equal(jacobian(S, X, THROUGH), BY_X)
    assert process_time() - start < 1


def test_product_rule() -> None:
    p, q, r, s = symbols("p q r s", integer=True, positive=True)
    L, W, R = MatrixSymbol("L", p, q), MatrixSymbol("W", q, r), MatrixSymbol("R", r, s)
    assert equal(jacobian(L * W * R, W), KP(L, R.T))
    assert not equal(jacobian(A * A, A), KP(A, I(n)) + KP(I(n), A))
    assert equal(jacobian(A * A, A), KP(A, I(n)) + KP(I(n), A.T))
    # At square shapes B in place of its transpose is well shaped, and still wrong.
    B = MatrixSymbol("B", n, n)
    C = MatrixSymbol("C", n, n)
    assert not equal(jacobian(C * A * B, A), KP(C, B))
    assert equal(jacobian(W, W), I(q * r))
    # The Frobenius product of dY/dA with Y, for Y = A (x) B, is A scaled by the square of B.
    contracted = jacobian(KP(A, B), A).T @ network(KP(A, B)).vec()
    assert equal(contracted, network(A).vec().kron(network(FrobSq(B))))


def test_transpose_jacobian_is_a_commutation() -> None:
    derived = jacobian(X.T, X)
    assert equal(derived, K(d, n))
    values = drawn(X)
    assert derived.explicit(values) == directional(X.T, X, values) == explicit(K(d, n), values)
    with pytest.raises(StructureError):
        equal(derived, K(n, d))


def test_gradients_of_scalars() -> None:
    assert equal(gradient(FrobSq(X), X), 2 * X)
    assert equal(gradient(Trace(A) ** 2, A), 2 * Trace(A) * I(n))
    assert equal(gradient(Trace(X.T * A * X), X), (A + A.T) * X)
    assert not equal(gradient(Trace(X.T * A * X), X), 2 * A * X)
    assert equal(gradient(Trace(X.T * A * X), X), 2 * A * X, symmetric={A})
    column = MatrixSymbol("v", n, 1)
    assert equal(gradient(column.T * A * column, column), (A + A.T) * column)


def softmax_at(values: dict, size: int) -> ImmutableDenseMatrix:
    """The softmax Jacobian at a row-stochastic A, from its entries."""
    a = values[A]

    def entry(row: int, col: int) -> Any:
        (p, q), (i, j) = divmod(row, size), divmod(col, size)
        return int(i == p) * (int(j == q) * a[i, j] - a[i, q] * a[i, j])

    return ImmutableDenseMatrix(size**2, size**2, entry)


def test_softmax_jacobian_entry_follows_from_the_quotient_rule() -> None:
    base = IndexedBase("A")
    p, q, i, j = (Index(name, n) for name in "pqij")
    derived = quotient_rule_softmax_entry(base, p, q, i, j)
    assert delta_equal(derived, softmax_jacobian_entry(base, p, q, i, j))
    # Without the second part, or with the wrong row in it, it is another function.
    assert not delta_equal(derived, softmax_jacobian_entry(base, q, p, i, j))


@pytest.mark.parametrize(
    "names", [["p", "q", "i", "j"], ["j'", "q", "i", "j"], ["p", "p'", "i", "p''"]]
)
def test_the_index_that_is_summed_over_is_none_of_those_given(names: list[str]) -> None:
    base, indices = IndexedBase("A"), [Index(name, n) for name in names]
    derived = quotient_rule_softmax_entry(base, *indices)
    assert delta_equal(derived, softmax_jacobian_entry(base, *indices))
    with pytest.raises(ValueError, match="four different ones"):
        quotient_rule_softmax_entry(base, *indices[:3], indices[0])


def test_softmax_jacobian_network_has_those_entries() -> None:
    stochastic = ImmutableDenseMatrix(3, 3, [Rational(x, 6) for x in (1, 2, 3, 4, 1, 1, 2, 2, 2)])
    values = {n: 3, A: stochastic}
    assert softmax_jacobian(A).explicit(values) == softmax_at(values, 3)


def uniform(net: Network) -> Network:
    """A network at uniform attention, with the Jacobian of softmax there."""
    return substitute(substitute(net, D, softmax_jacobian(A)), A, OneMatrix(n, n) / n)


L = I(n) - OneMatrix(n, n) / n


def test_softmax_jacobian_at_uniform_attention() -> None:
    at_uniform = substitute(softmax_jacobian(A), A, OneMatrix(n, n) / n)
    assert equal(at_uniform, KP(I(n), L) / n)
    assert not equal(at_uniform, KP(I(n), L))
    assert not equal(at_uniform, KP(L, I(n)) / n)


def test_uniform_attention_forms() -> None:
    mean = OneMatrix(n, n) / n
    assert equal(uniform(jacobian(S, WV, THROUGH)), KP(mean * X, I(dv)))
    by_q = KP(X, WV.T * X.T * L * X * WK) / (n * sqrt(dk))
    assert equal(uniform(jacobian(S, WQ, THROUGH)), by_q)
    assert not equal(uniform(jacobian(S, WQ, THROUGH)), n * by_q)
    given = {A: (M, KP(I(n), L) / n)}
    by_x = KP(I(n), WV.T * X.T * L) * INNER / (n * sqrt(dk)) + KP(mean, WV.T)
    for derived in (uniform(jacobian(S, X, THROUGH)), jacobian(S, X, given)):
        assert equal(substitute(derived, A, mean), by_x)
    values = drawn(X, WV, WQ)
    assert uniform(jacobian(S, WQ, THROUGH)).explicit({**values, **drawn(WK)}) == explicit(
        by_q, {**values, **drawn(WK)}
    )


def test_substitution_fills_each_place_once() -> None:
    assert equal(substitute(network(A * A), A, A + I(n)), A * A + 2 * A + I(n))
    with pytest.raises(StructureError, match="shapes"):
        substitute(network(A * X), A, X)


def test_chains_of_two_steps() -> None:
    # S = A X with A a function of M, and M itself a symbol standing for a function of N = X X^T.
    B = MatrixSymbol("B", n, n)
    E = Shaped("E", n**2, n**2)
    derived = jacobian(A * X, X, {A: (B, D), B: (X * X.T, E)})
    of_gram = KP(I(n), X) + K(n, n) * KP(I(n), X)
    assert equal(derived, KP(A, I(d)) + KP(I(n), X.T) * D * E * of_gram)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="listed in `through`"):
        jacobian(S, A, THROUGH)
    with pytest.raises(ValueError, match="differential is not known"):
        jacobian(D * KP(A, A), A)
    assert jacobian(D * KP(A, I(n)), A, constants={D}).terms
    with pytest.raises(ValueError, match="depends on itself"):
        jacobian(S, X, {A: (A * A, D)})
