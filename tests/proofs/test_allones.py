"""The algebra of I and 11^T against explicit matrices, and rational functions in lowest terms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Matrix, Rational, exp, eye, ones, simplify, sqrt, symbols

from proofs.calculus.allones import (
    Ones,
    RationalFunctions,
    Spectral,
    centring,
    equicorrelation,
    identity,
    multiply,
    rational,
)
from proofs.calculus.allones import ones as all_ones

n, m, d, rho = symbols("n m d rho", positive=True)
numbers = st.fractions(-3, 3, max_denominator=3).map(lambda q: Rational(q.numerator, q.denominator))
sizes = st.integers(1, 4)


def dense(size, a, b):
    return a * eye(size) + b * ones(size, size)


def written(element: Spectral) -> Matrix:
    return dense(int(element.size), *element.coefficients)


@given(sizes, numbers, numbers, numbers, numbers)
@settings(deadline=None)
def test_algebra_is_that_of_the_matrices(size, a, b, c, e):
    left, right = Spectral.combination(size, a, b), Spectral.combination(size, c, e)
    assert written(left) == dense(size, a, b)
    assert written(left * right) == dense(size, a, b) * dense(size, c, e)
    assert written(left + right) == dense(size, a + c, b + e)
    assert left.trace() == dense(size, a, b).trace()
    assert left * right == right * left


@given(sizes, numbers, numbers)
@settings(deadline=None)
def test_inverse(size, a, b):
    element = Spectral.combination(size, a, b)
    if element.across == 0 or element.along == 0:
        with pytest.raises(ZeroDivisionError, match="both to be non-zero"):
            element.inverse()
    else:
        assert (element * element.inverse()).is_identity


def test_named_elements():
    assert (centring(n) * all_ones(n)).is_zero
    assert centring(n) * centring(n) == centring(n)
    assert identity(n).trace() == n
    assert all_ones(n).trace() == n
    assert centring(n).trace() == n - 1
    assert written(equicorrelation(3, Rational(1, 2))) == Matrix(
        3, 3, lambda i, j: 1 if i == j else Rational(1, 2)
    )


def test_rank_one_products():
    assert multiply(Ones(m, n), Ones(n, d)) == (n, Ones(m, d))
    assert multiply(equicorrelation(n, rho), Ones(n, d)) == (1 + (n - 1) * rho, Ones(n, d))
    assert multiply(Ones(d, n), centring(n)) == (0, Ones(d, n))


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="sizes n and m"):
        identity(n) * identity(m)
    with pytest.raises(ValueError, match="sizes n and m"):
        identity(n) + identity(m)


@pytest.mark.parametrize(
    ("expression", "normal"),
    [
        ((n**2 - 1) / (n + 1), n - 1),
        (1 / (n - 1) - 1 / (n + 1) - 2 / (n**2 - 1), Integer(0)),
        (sqrt(d) / d**2 * sqrt(d), 1 / d),
        ((sqrt(d) + 1) * (sqrt(d) - 1) - d, Integer(-1)),
        (d ** Rational(-3, 2) * d**2, sqrt(d)),
        (exp(n) / exp(n) + rho / 2, rho / 2 + 1),
        (Integer(0), Integer(0)),
    ],
)
def test_normal_forms(expression, normal):
    assert rational(expression) == normal


@given(
    st.lists(
        st.sampled_from([n, m, 1 / n, n + 1, 1 / (n - m), rho - n, Rational(2, 3)]),
        min_size=1,
        max_size=5,
    ),
    st.randoms(),
)
@settings(deadline=None, max_examples=50)
def test_normal_form_is_unique_and_equal(factors, random):
    expression, shuffled = Integer(0), Integer(0)
    for i, factor in enumerate(factors):
        expression = expression * factor + factors[i - 1]
    terms = expression.expand().as_ordered_terms()
    for term in random.sample(terms, len(terms)):
        shuffled = shuffled + term
    assert rational(expression) == rational(shuffled)
    assert simplify(rational(expression) - expression) == 0


def test_wrong_scalars():
    with pytest.raises(TypeError, match="float"):
        rational(0.5 * n)
    with pytest.raises(ZeroDivisionError):
        rational(1 / (n * (m + 1) - n * m - n))
    with pytest.raises(KeyError, match="no generator"):
        RationalFunctions([n]).read(m)
