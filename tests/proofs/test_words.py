"""Normal forms of trace words: invariances, values, shapes and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Identity, Integer, MatrixSymbol, Trace, ZeroMatrix, exp, sqrt, symbols
from sympy.matrices.exceptions import ShapeError
from sympy.matrices.expressions import HadamardProduct, Inverse, MatAdd, MatMul, MatPow, Transpose

from claims.expressions import FrobSq, Named, Shaped, Total, explicit, ones
from proofs.calculus.wick import Gaussian, equal, expectation, trace_normal_form
from proofs.calculus.words import Alphabet

n, m, d = symbols("n m d", integer=True, positive=True)
X, Y = MatrixSymbol("X", n, d), MatrixSymbol("Y", d, n)
A, S = MatrixSymbol("A", n, n), MatrixSymbol("S", n, n)
v, w = MatrixSymbol("v", n, 1), MatrixSymbol("w", n, 1)
J, L = ones(n, n), Identity(n) - ones(n, n) / n
xbar = Named("xbar", X.T * ones(n) / n)

LETTERS = {
    n: [(A, n), (A.T, n), (X, d), (Y.T, d), (J, n), (L, n), (ones(n, d), d), (v, 1)],
    d: [(Y, n), (X.T, n), (ones(d, n), n)],
    1: [(v.T, n), (w.T, n)],
}


@st.composite
def closed_words(draw, most=6):
    """Factors of a word that starts and ends with n rows."""
    factors, at = [], n
    for _ in range(draw(st.integers(1, most))):
        factor, at = draw(st.sampled_from(LETTERS[at]))
        factors.append(factor)
    if at != n:
        factors.append(Y if at == d else w.T)
    return factors


POINTS = st.fixed_dictionaries({n: st.integers(1, 3), d: st.integers(1, 2)})


def filled(point, random):
    point = {key: Integer(value) for key, value in point.items()}
    for symbol in (X, Y, A, v, w, S):
        rows, cols = (int(explicit(side, point)) for side in symbol.shape)
        point[symbol] = [[random.randint(-2, 2) for _ in range(cols)] for _ in range(rows)]
    return point


@given(closed_words(), POINTS, st.randoms())
@settings(deadline=None, max_examples=60)
def test_normal_form_keeps_the_value(factors, sizes, random):
    expression, point = Trace(MatMul(*factors)), filled(sizes, random)
    assert explicit(trace_normal_form(expression), point) == explicit(expression, point)


@given(closed_words(), st.integers(0, 6))
@settings(deadline=None, max_examples=60)
def test_rotations_and_transposes_are_identified(factors, turn):
    turn %= len(factors)
    rotated = factors[turn:] + factors[:turn]
    reverse = [Transpose(factor).doit() for factor in factors[::-1]]
    normal = trace_normal_form(Trace(MatMul(*factors)))
    assert trace_normal_form(Trace(MatMul(*rotated))) == normal
    assert trace_normal_form(Trace(MatMul(*reverse))) == normal


@given(closed_words())
@settings(deadline=None, max_examples=40)
def test_normal_form_is_idempotent(factors):
    normal = trace_normal_form(Trace(MatMul(*factors)))
    assert trace_normal_form(normal) == normal


def test_chiral_words_stay_apart():
    B = MatrixSymbol("B", n, n)
    assert not equal(Trace(A * B * S * A.T), Trace(A * S * B * A.T))
    assert not equal(Trace(A * A * B), Trace(A * A * B.T))
    assert equal(Trace(A * B * S), Trace(S.T * B.T * A.T))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (FrobSq(X.T * X - n * xbar * xbar.T), FrobSq(X.T * L * X)),
        (FrobSq(xbar), Total(X * X.T) / n**2),
        (Total(X * X.T) ** 2, Trace((J * X * X.T) ** 2)),
        (Trace(J * A * J * A), Total(A) ** 2),
        (Trace(v * w.T * A * v * w.T), Trace(w.T * v) * Trace(w.T * A * v)),
        (Trace(L * L * A), Trace(A) - Total(A) / n),
        (FrobSq(X * Y) / FrobSq(Transpose(X * Y)), Integer(1)),
        (Trace(A) ** 2 / Trace(A.T), Trace(A)),
        (sqrt(d) * Trace(A) / d - Trace(A.T) / sqrt(d), Integer(0)),
        (Trace(Inverse(Identity(n) + J) * (Identity(n) + J)), n),
        (Trace(ZeroMatrix(n, n)) + Trace(A - A), Integer(0)),
        (Trace((Identity(n) - Named("L", L)) * A), Total(A) / n),
        (Total((Identity(n) - Named("L", L)) * A), Total(A)),
        (Total(ones(n, d)), n * d),
        (Trace(MatAdd(Identity(1), 2 * ones(1, 1)) * v.T * w), 3 * Trace(w.T * v)),
        (Trace(A) * Trace(MatMul(Trace(A), A)), Trace(A) ** 3),
    ],
)
def test_identities(left, right):
    assert equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (FrobSq(X.T * X - n * xbar * xbar.T), FrobSq(X.T * X)),
        (FrobSq(xbar), Total(X * X.T) / n),
        (Trace(L * A), Trace(A)),
        (Total(A) ** 2, Total(A * A)),
        (Trace(A) / Trace(A * A), 1 / Trace(A)),
    ],
)
def test_false_twins_are_told_apart(left, right):
    assert not equal(left, right)


def test_matrices_compare_too():
    assert equal(A * (Identity(n) - L), A * J / n)
    assert equal(X.T * L * X, X.T * X - n * xbar * xbar.T)
    assert not equal(X.T * L * X, X.T * X)
    with pytest.raises(ShapeError):
        equal(X, Y)


def test_symmetric_letters_are_their_own_transpose():
    letters = Alphabet(symmetric=[S])
    s, a = letters.matrix(S), letters.matrix(A)
    assert letters.transpose(s) == s
    assert letters.trace(a + s) == letters.trace(letters.transpose(a) + s)
    plain = Alphabet()
    s, a = plain.matrix(S), plain.matrix(A)
    assert plain.trace(a + s) != plain.trace(plain.transpose(a) + s)


@pytest.mark.parametrize(
    "expression",
    [
        Trace(MatMul(X, A)),
        Trace(MatAdd(A, MatMul(X, X.T), MatMul(ones(n, m), ones(d, n)))),
        FrobSq(MatMul(X, X)),
        Total(MatMul(A, Y)),
        Trace(X),
        Trace(MatMul(X, MatPow(A, 2))),
    ],
)
def test_shapes_must_agree(expression):
    with pytest.raises(ShapeError, match=r"has shape \(.*\) and .* has shape \(.*must agree"):
        trace_normal_form(expression)


def test_unreadable_nodes_are_named():
    with pytest.raises(TypeError, match="HadamardProduct"):
        trace_normal_form(Trace(HadamardProduct(A, S)))
    with pytest.raises(TypeError, match="Inverse"):
        trace_normal_form(Trace(Inverse(A) * S))
    for traced in (Identity(n) + Trace(A) * Identity(n), (1 + Trace(A)) * Identity(n)):
        with pytest.raises(TypeError, match="Inverse"):  # not n, as without the trace
            trace_normal_form(Trace(Inverse(traced)))
    assert trace_normal_form(Trace(Inverse(2 * Identity(n)))) == n / 2
    with pytest.raises(ValueError, match="polynomials in Trace"):
        trace_normal_form(A[0, 0])


@pytest.mark.parametrize("expression", [1 / FrobSq(X), exp(Trace(X * Y)), sqrt(FrobSq(X))])
def test_random_scalars_must_be_polynomial(expression):
    with pytest.raises(ValueError, match=r"polynomials .* of the random X"):
        expectation(expression, [Gaussian(X)])


def test_a_matrix_without_a_formula_is_a_letter():
    K = Shaped("K", n, n)
    assert trace_normal_form(Trace(K * L)) == Trace(K) - Total(K) / n
