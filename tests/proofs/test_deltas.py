"""Delta sums against explicit summation in rationals, and what they must refuse."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    Add,
    Expr,
    IndexedBase,
    Integer,
    Mul,
    Rational,
    acos,
    exp,
    loggamma,
    pi,
    sqrt,
    symbols,
)  # fmt: skip

from proofs.calculus.deltas import (
    Delta,
    Index,
    RangeError,
    delta,
    delta_equal,
    delta_sum,
    tidy,
    unequal,
    vanishes,
)
from proofs.calculus.normal import same

n = symbols("n", integer=True, positive=True)
m = symbols("m", integer=True, positive=True)
rho = symbols("rho", real=True)
a, b, c, d, e = (Index(name, n) for name in "abcde")


def summed_by_hand(expression: Expr, indices: list[Index], point: dict) -> Expr:
    """The sum with every index written out; `point` fixes symbols and free indices."""
    ranges = [range(1, int(i.range.subs(point)) + 1) for i in indices]
    total = Integer(0)
    for values in product(*ranges):
        at = {i: Integer(v) for i, v in zip(indices, values, strict=True)}
        total += expression.xreplace(at).xreplace(point)
    return total


def centring(x: Index, y: Index) -> Expr:
    return delta(x, y) - 1 / n


def correlation(x: Index, y: Index) -> Expr:
    return delta(x, y) + rho * unequal(x, y)


@pytest.mark.parametrize("size", range(1, 6))
def test_centred_fourth_moment_sum(size: int) -> None:
    summand = centring(a, b) * centring(c, d) * correlation(a, c) * correlation(b, d)
    result = delta_sum(summand, [a, b, c, d])
    assert vanishes(result - (n - 1) * (1 - rho) ** 2)
    point = {n: Integer(size), rho: Rational(2, 7)}
    # Five to the fourth summands are slow to substitute one by one; smaller sizes are as telling.
    if size <= 3:
        assert result.xreplace(point) == summed_by_hand(summand, [a, b, c, d], point)


@pytest.mark.parametrize("size", range(1, 6))
def test_free_indices_stay(size: int) -> None:
    summand = correlation(a, b) * correlation(b, c) * centring(c, d)
    result = delta_sum(summand, [b, c])
    for x, y in product(range(1, size + 1), repeat=2):
        point = {n: Integer(size), rho: Rational(-1, 3), a: Integer(x), d: Integer(y)}
        assert result.xreplace(point) == summed_by_hand(summand, [b, c], point)


def test_centring_is_idempotent() -> None:
    assert delta_equal(delta_sum(centring(a, b) * centring(b, c), [b]), centring(a, c))
    assert not delta_equal(delta_sum(centring(a, b) * centring(b, c), [b]), delta(a, c))


def test_many_indices_do_not_explode() -> None:
    ring = [a, b, c, d, e, Index("f", n), Index("g", n)]
    summand = Mul(*(correlation(x, y) for x, y in zip(ring, ring[1:] + ring[:1], strict=True)))
    eigenvalues = (1 + (n - 1) * rho) ** 7 + (n - 1) * (1 - rho) ** 7
    assert vanishes(delta_sum(summand, ring) - eigenvalues)


def test_two_ranges_in_one_sum() -> None:
    p, q = Index("p", m), Index("q", m)
    assert delta_sum(delta(a, b) * (1 + delta(p, q)), [a, b, p, q]) == m * n * (m + 1)


def test_arrays_are_contracted_and_unknown_sums_refused() -> None:
    A = IndexedBase("A")
    assert delta_sum(delta(a, b) * A[b, c], [b]) == A[a, c]
    assert delta_equal(delta(a, b) * A[a, c], delta(a, b) * A[b, c])
    with pytest.raises(ValueError, match="sum over b"):
        delta_sum(A[a, b] * (1 + delta(a, c)), [b])


def test_refusals_name_the_rule() -> None:
    p = Index("p", m)
    with pytest.raises(RangeError, match=r"range n.*range m"):
        delta(a, p)
    with pytest.raises(ValueError, match="summed once"):
        delta_sum(delta(a, b), [a, a])
    with pytest.raises(ValueError, match="polynomial in its deltas"):
        delta_sum(1 / (1 + delta(a, b)), [a])
    with pytest.raises(ValueError, match="polynomial in its deltas"):
        delta_sum(exp(delta(a, b)), [a])
    with pytest.raises(ValueError, match="no Index"):
        delta_sum(Delta(a, 2), [a])


def test_equal_ranges_in_another_form_agree() -> None:
    x, y = Index("x", n * (n + 1)), Index("y", n**2 + n)
    assert vanishes(delta_sum(delta(x, y), [x, y]) - n**2 - n)


pairs = st.sampled_from([(x, y) for x in (a, b, c, d) for y in (a, b, c, d) if x != y])
numbers = st.fractions(-3, 3, max_denominator=4).map(lambda q: Rational(q.numerator, q.denominator))
monomials = st.tuples(numbers, st.integers(-1, 2), st.lists(pairs, max_size=4))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(monomials, min_size=1, max_size=3),
    st.sets(st.sampled_from([a, b, c, d])),
    st.integers(1, 3),
    st.data(),
)
def test_random_polynomials_agree_with_explicit_sums(terms, over, size, data) -> None:
    summand = Add(*(q * n**k * Mul(*(Delta(x, y) for x, y in deltas)) for q, k, deltas in terms))
    indices = sorted(over, key=str)
    free = {i: Integer(data.draw(st.integers(1, size))) for i in (a, b, c, d) if i not in over}
    point = {n: Integer(size), **free}
    assert delta_sum(summand, indices).xreplace(point) == summed_by_hand(summand, indices, point)


def test_tidy_decides_roots_of_positive_symbols() -> None:
    x = symbols("x", positive=True)
    assert vanishes((1 - x) / (1 + sqrt(x)) - 1 + sqrt(x))
    assert not vanishes((1 - x) / (1 + sqrt(x)) - 1 - sqrt(x))
    assert tidy(2 * x / sqrt(x)) == 2 * sqrt(x)


NEAR = 1 - Rational(1, 10**20)


@pytest.mark.parametrize("number", [acos(NEAR), loggamma(2 - NEAR), 3 * acos(NEAR) ** 2])
def test_what_sympy_takes_for_zero_is_none(number) -> None:
    """It looks at twenty digits of the argument, and sees one."""
    assert not vanishes(number) and not same(n + number, n) and not same(n * number, Integer(0))
    assert vanishes(acos(1)) and same(n + acos(Rational(1, 2)), n + pi / 3)
