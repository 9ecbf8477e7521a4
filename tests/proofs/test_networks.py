"""Index networks: each law for symbolic sizes, its wrong variants, and both at explicit points."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Identity, ImmutableDenseMatrix, MatrixSymbol, Rational, Trace, sqrt, symbols
from sympy.matrices.exceptions import ShapeError
from sympy.matrices.expressions import (
    Inverse,
    KroneckerProduct,
    MatMul,
    MatrixExpr,
    OneMatrix,
    ZeroMatrix,
)

from claims.expressions import Commutation, FrobSq, Named, Shaped, Total, explicit
from proofs.calculus.networks import (
    StructureError,
    difference,
    equal,
    frobenius_square,
    network,
)

n, m, d, k = symbols("n m d k", integer=True, positive=True)
SIZES = {n: 2, m: 4, d: 3, k: 1}
A, B = MatrixSymbol("A", n, n), MatrixSymbol("B", n, n)
X, Y = MatrixSymbol("X", n, d), MatrixSymbol("Y", n, d)
P, Q = MatrixSymbol("P", m, n), MatrixSymbol("Q", d, k)
R, S = MatrixSymbol("R", n, k), MatrixSymbol("S", k, m)
D = Shaped("D", n**2, n**2)
I, K, KP = Identity, Commutation, KroneckerProduct  # noqa: E741
L = I(n) - OneMatrix(n, n) / n


def drawn(*expressions: Any, sizes: dict = SIZES, seed: int = 0) -> dict:
    """Small random rational matrices for all symbols of `expressions`, at the sizes given."""
    rng = Random(seed)
    values: dict[Any, Any] = dict(sizes)
    matrices = {s for e in expressions for s in e.atoms(MatrixSymbol, Shaped)}
    for matrix in sorted(matrices, key=str):
        rows, cols = (int(size.subs(sizes)) for size in matrix.shape)
        entries = [Rational(rng.randint(-6, 6), rng.randint(1, 3)) for _ in range(rows * cols)]
        values[matrix] = ImmutableDenseMatrix(rows, cols, entries)
    return values


def vec(M: MatrixExpr, values: dict) -> ImmutableDenseMatrix:
    """The row-wise vec at a point."""
    matrix = explicit(M, values)
    return ImmutableDenseMatrix(matrix.rows * matrix.cols, 1, list(matrix))


def both_ways(left: Any, right: Any) -> bool:
    """`equal`, after checking that explicit values agree with it."""
    proved = equal(left, right)
    # Several points, since different expressions can agree by accident at one.
    points = [drawn(left, right, seed=seed) for seed in range(3)]
    assert all(explicit(left, at) == explicit(right, at) for at in points) == proved
    return proved


LAWS = [
    ((A * X).T, X.T * A.T),
    (KP(A, P) * KP(B, R), KP(A * B, P * R)),
    (KP(P, Q).T, KP(P.T, Q.T)),
    (KP(A, KP(X, P)), KP(KP(A, X), P)),
    (Trace(KP(A, B)), Trace(A) * Trace(B)),
    (Trace(X * X.T * A), Trace(X.T * A * X)),
    (Trace(A * B), Trace(B.T * A.T)),
    (FrobSq(X), Trace(X.T * X)),
    (FrobSq(KP(A, X)), FrobSq(A) * FrobSq(X)),
    (Total(X), Trace(OneMatrix(n, 1).T * X * OneMatrix(d, 1))),
    (FrobSq(L * X), FrobSq(X) - Total(X * X.T) / n),
    (L * L, L),
    (L * OneMatrix(n, d), ZeroMatrix(n, d)),
    (Trace(L), n - 1),
    (K(n, d) * K(d, n), I(n * d)),
    (K(n, d).T, K(d, n)),
    (Inverse(K(n, d)), K(d, n)),
    (KP(I(n), I(d)), I(n * d)),
    (KP(P, Q) * K(n, k), K(m, d) * KP(Q, P)),
    (KP(X, I(n)) * K(d, n), K(n, n) * KP(I(n), X)),
    (Trace(K(n, n)), n),
    (Trace(K(n, n) * KP(A, B)), Trace(A * B)),
    ((A + B) ** 2, A**2 + A * B + B * A + B**2),
    (A / sqrt(d) / sqrt(d), A / d),
    (Named("c", L * X).T * X, X.T * L * X),
    (Trace(A) ** 3 * Trace(A * B) * FrobSq(X), FrobSq(X) * Trace(B * A) * Trace(A.T) ** 3),
]

WRONG = [
    ((A * B).T, A.T * B.T),
    (KP(A, B), KP(B, A)),
    (KP(A, P) * KP(B, R), KP(B * A, P * R)),
    (Trace(KP(A, B)), Trace(A * B)),
    (Trace(A * B), Trace(A * B.T)),
    (FrobSq(L * X), FrobSq(X) - Total(X * X.T)),
    (L * L, L / n),
    (Trace(L), n),
    (KP(X, I(n)) * K(d, n), KP(I(n), X)),
    (K(n, n) * KP(A, B), KP(A, B) * K(n, n)),
    (Trace(A * A * B), Trace(A * B.T * A)),
    (Trace(A) ** 2, Trace(A * A)),
    (D * D, D * K(n, n) * D),
    (A + 0 * B, A.T),
]


@pytest.mark.parametrize(("left", "right"), LAWS)
def test_law_holds(left: Any, right: Any) -> None:
    assert both_ways(left, right)


@pytest.mark.parametrize(("left", "right"), WRONG)
def test_wrong_variant_is_refused(left: Any, right: Any) -> None:
    assert not both_ways(left, right)


def test_vec_rules() -> None:
    product = P * A * X
    vec_rule = network(KP(P, X.T)) @ network(A).vec()
    assert equal(network(product).vec(), vec_rule)
    assert not equal(network(A * B).vec(), network(KP(A, B)) @ network(I(n)).vec())
    values = drawn(product)
    assert vec(product, values) == explicit(KP(P, X.T), values) * vec(A, values)


def test_commutation_transposes_the_column_wise_vec() -> None:
    # The column-wise vec of M is the row-wise vec of its transpose.
    by_columns, of_transpose = network(X.T).vec(), network(X).vec()
    assert equal(network(K(n, d)) @ by_columns, of_transpose)
    with pytest.raises(StructureError, match=r"\(d, n\)|\(n, d\)"):
        network(K(d, n)) @ by_columns
    values = drawn(X)
    assert explicit(K(n, d), values) * vec(X.T, values) == vec(X, values)


def test_structures_that_do_not_fit_name_both() -> None:
    with pytest.raises(StructureError, match=r"\(n, d\) and \(d, n\)|\(d, n\) and \(n, d\)"):
        equal(KP(X, I(n)) * K(n, d), K(n, n) * KP(I(n), X))
    with pytest.raises(ShapeError, match=r"\(n, d\).*\(d, n\)"):
        equal(X, X.T)
    with pytest.raises(ShapeError, match=r"\(n, d\).*\(m, n\)"):
        network(X) @ network(P)
    with pytest.raises(ShapeError, match=r"D of shape"):
        network(D, {D: ((n, d), (n, n))})


def test_registered_and_inferred_structures_agree() -> None:
    left, right = D * D * KP(A, B), D * K(n, n) * K(n, n) * D * KP(A, I(n)) * KP(I(n), B)
    assert equal(left, right)
    assert equal(left, right, structures={D: ((n, n), (n, n))})


def test_symmetric_facts_are_used_only_when_given() -> None:
    assert not equal(Trace(A * B * A.T), Trace(A * B * A))
    assert equal(Trace(A * B * A.T), Trace(A * B * A), symmetric={A})
    assert not equal(A * B, B * A, symmetric={A, B})


def test_symmetric_shapes_need_the_isomorphism_search() -> None:
    ring = Trace(A * A * A * A * A * A)
    pair_of_rings = Trace(A * A * A) ** 2
    assert equal(ring, Trace((A**6).T))
    assert not equal(ring, pair_of_rings)
    # Undirected rings of 6 and of 3 + 3 look the same to colour refinement.
    assert not equal(ring, pair_of_rings, symmetric={A})


def test_scalars_are_written_back() -> None:
    assert frobenius_square(L * X).scalar() == CENTRED_NORM
    assert network(Trace(R * S * P)).scalar() == Trace(P * R * S)
    for e in (Trace(A * B.T) * Total(A * X), FrobSq(A + B.T), Total(R * R.T)):
        values = drawn(e)
        assert explicit(network(e).scalar(), values) == explicit(e, values)
    with pytest.raises(ValueError, match="no word"):
        network(Trace(KP(A, B) * D)).scalar()
    with pytest.raises(ValueError, match="no scalar"):
        network(A).scalar()


CENTRED_NORM = Trace(X * X.T) - Total(X * X.T) / n


def test_what_is_no_polynomial_is_refused() -> None:
    for e in (Inverse(A), sqrt(FrobSq(X)) * A, A**n):
        with pytest.raises(TypeError, match="name"):
            network(e)


def test_long_products_stay_short() -> None:
    power = network(L).kron(network(L))
    for _ in range(12):
        power = power @ network(KP(L, L))
    assert equal(power, KP(L, L))
    assert len(power.terms) <= 4 * 4


def test_difference_shows_what_is_left() -> None:
    left_over = difference((A + B) ** 2, A**2 + 2 * A * B + B**2)
    assert len(left_over.terms) == 2
    assert {t.coefficient for t in left_over.terms} == {1, -1}


words = st.recursive(
    st.sampled_from([A, B, A.T, L, OneMatrix(n, n), X * Y.T]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] + 2 * p[1]),
        inner.map(lambda e: e.T),
        inner.map(lambda e: MatMul(Trace(A), e)),
    ),
    max_leaves=4,
)


@settings(max_examples=15, deadline=None)
@given(words, words, st.integers(0, 99))
def test_networks_evaluate_as_the_expressions_do(left: Any, right: Any, seed: int) -> None:
    # Built without `doit`, which in SymPy 1.14 fails on Kronecker products of scaled products.
    e = MatMul(KP(left, right), K(n, n), KP(I(n), left))
    values = drawn(A, B, X, Y, sizes={n: 2, d: 3}, seed=seed)
    assert network(e).normal().explicit(values) == explicit(e, values)
