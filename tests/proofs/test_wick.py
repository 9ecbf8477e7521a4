"""Expectations of trace words against entry-by-entry moments, pairings and known values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    Identity,
    Integer,
    Matrix,
    MatrixSymbol,
    Rational,
    Symbol,
    Trace,
    expand,
    factorial2,
    prod,
    sqrt,
    symbols,
)
from sympy.matrices.exceptions import ShapeError
from sympy.matrices.expressions import MatMul, MatPow

from benchmarks import calculus as benchmark
from claims.definitions import correlated_expectation, entries
from claims.expressions import FrobSq, Named, Total, explicit, ones
from proofs.calculus.wick import (
    Calculus,
    Gaussian,
    equal,
    expectation,
    expectation_of_matrix,
)

n, m, d = symbols("n m d", integer=True, positive=True)
sigma, tau, rho = symbols("sigma tau rho", positive=True)
G, H = MatrixSymbol("G", n, m), MatrixSymbol("H", m, n)
A, B = MatrixSymbol("A", n, n), MatrixSymbol("B", m, m)
R, C = MatrixSymbol("R", n, n), MatrixSymbol("C", m, m)
g, h = MatrixSymbol("g", n, 1), MatrixSymbol("h", 1, m)
X = MatrixSymbol("X", n, d)
J, L = ones(n, n), Identity(n) - ones(n, n) / n
equicorrelated = (1 - rho, 1 + (n - 1) * rho)

LETTERS = {
    "n": [
        (G, "m"),
        (H.T, "m"),
        (A, "n"),
        (A.T, "n"),
        (J, "n"),
        (L, "n"),
        (g, "1"),
        (ones(n, m), "m"),
    ],
    "m": [(H, "n"), (G.T, "n"), (B, "m"), (ones(m, n), "n")],
    "1": [(g.T, "n"), (h, "m")],
}
CLOSE = {"n": [], "m": [H], "1": [g.T]}
MOST_GAUSSIANS = 6


@st.composite
def traces(draw):
    """A closed word over Gaussian, fixed and all-ones letters, starting with n rows."""
    factors, at = [], "n"
    for _ in range(draw(st.integers(1, 6))):
        factor, at = draw(st.sampled_from(LETTERS[at]))
        factors.append(factor)
    return Trace(MatMul(*factors, *CLOSE[at]))


def gaussian_order(expression):
    return sum(1 for trace in expression for factor in trace.args[0].args if factor.has(G, H, g, h))


products = st.lists(traces(), min_size=1, max_size=2).filter(
    lambda found: 0 < gaussian_order(found) <= MOST_GAUSSIANS
)
points = st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)])


def by_entries(expression, laws, point):
    """The definition: the word in entries, every monomial by its moment under the covariance."""
    variables, blocks, values = [], [], dict(point)
    for law in laws:
        rows, cols = (int(explicit(side, point)) for side in law.symbol.shape)
        values[law.symbol] = entries(str(law.symbol), rows, cols)
        variables += list(values[law.symbol])
        sides = zip(law.covariances, (rows, cols), strict=True)
        row, col = (dense(covariance, size, point) for covariance, size in sides)
        variance = explicit(law.variance, point)
        blocks.append(
            [
                [variance * row[a, b] * col[i, j] for b in range(rows) for j in range(cols)]
                for a in range(rows)
                for i in range(cols)
            ]
        )
    covariance = Matrix.diag(*map(Matrix, blocks))
    return correlated_expectation(expand(explicit(expression, values)), variables, covariance)


def dense(covariance, size, point):
    if covariance is None:
        return Matrix.eye(size)
    if isinstance(covariance, MatrixSymbol):
        return Matrix(point[covariance])
    across, along = (explicit(value, point) for value in covariance)
    return across * Matrix.eye(size) + (along - across) / size * Matrix.ones(size, size)


def filled(sizes, random):
    """A point with small integer matrices and symmetric covariances."""
    rows, cols = map(Integer, sizes)
    point = {n: rows, m: cols, sigma: Integer(2), tau: Rational(1, 2), rho: Rational(1, 3)}
    for symbol, size in ((A, rows), (B, cols), (R, rows), (C, cols)):
        square = Matrix(size, size, lambda i, j: random.randint(-2, 2))
        point[symbol] = square if symbol in (A, B) else square + square.T
    return point


@given(products, points, st.randoms())
@settings(deadline=None, max_examples=60)
def test_random_words_against_entries(found, sizes, random):
    laws = [Gaussian(G, sigma**2), Gaussian(H, tau), Gaussian(g), Gaussian(h)]
    point, expression = filled(sizes, random), prod(found)
    derived = explicit(expectation(expression, laws), point)
    assert derived == by_entries(expression, laws, point)


@given(
    products,
    points,
    st.randoms(),
    st.sampled_from([(equicorrelated, None), (equicorrelated, C), (R, None), (R, C), (None, C)]),
)
@settings(deadline=None, max_examples=60)
def test_correlated_random_words_against_entries(found, sizes, random, covariances):
    laws = [
        Gaussian(G, sigma**2, *covariances),
        Gaussian(H),
        Gaussian(g, 1, equicorrelated),
        Gaussian(h),
    ]
    point, expression = filled(sizes, random), prod(found)
    derived = explicit(expectation(expression, laws), point)
    assert derived == by_entries(expression, laws, point)


@pytest.mark.parametrize("word", [benchmark.WISHART, benchmark.SANDWICH])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_agrees_with_all_pairings(word, k):
    laws = [Gaussian(benchmark.G)]
    assert equal(benchmark.family(word, k), benchmark.by_pairings(word, k), laws)


def test_pairings_are_all_listed_once():
    found = list(benchmark.pairings(tuple(range(8))))
    assert len(found) == len(set(found)) == factorial2(7)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Trace((G * G.T) ** 2), n * m * (n + m + 1)),
        (Trace((G * G.T) ** 3), n * m * (n**2 + m**2 + 3 * n * m + 3 * n + 3 * m + 4)),
        (Trace(G * G.T) ** 2, n * m * (n * m + 2)),
        (FrobSq(G) ** 4, n * m * (n * m + 2) * (n * m + 4) * (n * m + 6)),
        (Trace(G * B * G.T * A), Trace(A) * Trace(B)),
        (Trace(G * H * G * H), n * m),
        (Trace(G * H) ** 2, n * m),
        (FrobSq(G * H), n**2 * m),
        (FrobSq(G * H * G), n * m * (n * m + 2)),
        (Total(G * G.T), n * m),
        (Trace(G * H), Integer(0)),
    ],
)
def test_known_values(expression, value):
    derived = expectation(expression, [Gaussian(G), Gaussian(H)])
    assert equal(derived, value)


def test_chi_square_moments_at_high_order():
    """For one row, tr (g g^T)^k is the k-th power of a chi-square: m (m+2) ... (m+2k-2)."""
    value = expectation(Trace(MatPow(G * G.T, 20)), [Gaussian(G)])
    assert expand(value.subs(n, 1) - prod(m + 2 * i for i in range(20))) == 0
    assert expand(value.subs({n: m, m: n}, simultaneous=True) - value) == 0


def test_equicorrelated_tokens():
    law = Gaussian(X, sigma**2, equicorrelated)
    xbar = Named("xbar", X.T * ones(n) / n)
    scatter = X.T * X - n * xbar * xbar.T
    scattered = sigma**4 * (1 - rho) ** 2 * d * (n - 1) * (n + d)
    assert equal(FrobSq(X.T * L * X), scattered, [law])
    assert equal(FrobSq(scatter), scattered, [law])
    assert equal(FrobSq(xbar), sigma**2 * d * (1 + (n - 1) * rho) / n, [law])
    assert equal(Total(X * X.T), sigma**2 * d * n * (1 + (n - 1) * rho), [law])
    assert not equal(FrobSq(X.T * L * X), scattered * (n + d + 1) / (n + d), [law])


def test_uncorrelated_and_fully_correlated_rows_are_limits():
    law = Gaussian(X, 1, equicorrelated)
    value = expectation(FrobSq(X * X.T) * Total(X * X.T), [law])
    assert equal(value.subs(rho, 0), expectation(FrobSq(X * X.T) * Total(X * X.T), [Gaussian(X)]))
    shared = value.subs(rho, 1)
    assert expand(shared - n**4 * d * (d + 2) * (d + 4)) == 0


def test_order_eight_with_correlated_rows_agrees_with_entries():
    law = Gaussian(X, 1, equicorrelated)
    value = expectation(FrobSq(X.T * L * X) * Total(X * X.T) ** 2, [law])
    for size, width in ((2, 1), (2, 2)):
        point = {n: Integer(size), d: Integer(width), rho: Rational(1, 4)}
        expected = by_entries(FrobSq(X.T * L * X) * Total(X * X.T) ** 2, [law], point)
        assert explicit(value, point) == expected


@pytest.mark.parametrize(
    "expression",
    [
        Trace(G * G.T * G * H * A),
        Trace(G * H) * FrobSq(G),
        Trace(G * H) * Trace(A),
        FrobSq(G) * Total(G),
    ],
)
def test_odd_orders_vanish(expression):
    assert expectation(expression, [Gaussian(G)]) == 0


def test_deterministic_traces_and_coefficients_pass_through():
    derived = expectation(FrobSq(G) * Trace(A.T) / sqrt(m) + Trace(A) / FrobSq(A), [Gaussian(G)])
    assert equal(derived, sqrt(m) * n * Trace(A) + Trace(A) / FrobSq(A))


def test_expectations_of_matrices():
    law = Gaussian(G, sigma**2)
    assert expectation_of_matrix(G * G.T, [law]) == (m * sigma**2 * Identity(n)).doit()
    assert expectation_of_matrix(G * H * G, [law]) == sigma**2 * H.T
    assert equal(
        expectation_of_matrix(G * G.T * G * G.T, [law]), sigma**4 * m * (n + m + 1) * Identity(n)
    )
    assert expectation_of_matrix(G, [law]).is_ZeroMatrix
    correlated = expectation_of_matrix(X * X.T, [Gaussian(X, 1, equicorrelated)])
    assert equal(correlated, d * ((1 - rho) * Identity(n) + rho * J))
    assert equal(expectation_of_matrix(g * g.T * A * g, [Gaussian(g)]), 0 * g)


def test_no_name_stands_for_the_matrix_that_is_multiplied_with():
    for name in ("<dual>", "dual", "_dual"):
        dual = MatrixSymbol(name, n, n)
        assert not equal(dual * A, A * dual) and equal(dual * A * L * L, dual * A * L)
        assert expectation_of_matrix(dual * G * G.T, [Gaussian(G)]) == m * dual


def test_integrating_one_matrix_after_another_is_integrating_both():
    expression, laws = FrobSq(G * H * G), [Gaussian(G, sigma), Gaussian(H, tau)]
    inner = expectation(expression, laws[:1])
    assert equal(expectation(inner, laws[1:]), expectation(expression, laws))
    assert equal(expectation(expression, laws[::-1]), expectation(expression, laws))


@pytest.mark.parametrize("k", [6, 12, 20])
def test_states_are_few(k):
    """The number of states, which governs time, stays far below the (2k-1)!! pairings."""
    calculus = Calculus([Gaussian(G)])
    letters = calculus.alphabet
    letter = letters.matrix(G)
    word = letters.least((letter + letters.transpose(letter)) * k)
    calculus.evaluate([(word,)])
    assert calculus.states <= k**2


def test_states_that_meet_keep_their_values_apart():
    """tr(G B G^T A)^2, (tr G B G^T A)^2 and no trace: the first two meet; three pairings, three, one."""
    calculus = Calculus([Gaussian(G)])
    letters = calculus.alphabet
    left, a, b = (letters.matrix(x) for x in (G, A, B))
    once = left + b + letters.transpose(left) + a
    states = [(letters.least(2 * once),), (letters.least(once),) * 2, ()]
    together = calculus.evaluate(states)
    assert together == {state: calculus.evaluate([state])[state] for state in states}
    pairings = [sum(sum(p.coeffs()) for p in together[state].values()) for state in states]
    assert pairings == [3, 3, 1]


def test_wrong_laws():
    with pytest.raises(TypeError, match="no MatrixSymbol"):
        Gaussian(Symbol("g"))
    with pytest.raises(ValueError, match="G has 2 laws"):
        expectation(FrobSq(G), [Gaussian(G), Gaussian(G, 2)])
    for law in (Gaussian(H, FrobSq(G)), Gaussian(H, 1, (1, FrobSq(G)))):
        with pytest.raises(ValueError, match="the law of H holds G, which is random itself"):
            expectation(FrobSq(H), [law, Gaussian(G)])
        assert expectation(FrobSq(H), [law]).has(G)
    with pytest.raises(ValueError, match="the law of X holds A"):
        expectation(FrobSq(X) * Trace(A), [Gaussian(X, 1, A), Gaussian(A)])
    with pytest.raises(ShapeError, match="must agree"):
        Gaussian(G, row_covariance=C)
    with pytest.raises(ShapeError, match="must agree"):
        expectation(FrobSq(G * A), [Gaussian(G)])
    with pytest.raises(TypeError, match="pair of eigenvalues"):
        Gaussian(G, row_covariance=rho)
