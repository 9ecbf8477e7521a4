"""Rules about ends of ranges: one term of a sum apart, a shifted index, one more first case."""

from __future__ import annotations

import pytest
from sympy import Function, Integer, Piecewise, Sum, Symbol, oo

from claims.statement import Compare, ForAll
from proofs.kernel import (
    ProofError,
    assume,
    generalise,
    joint,
    prepended,
    sum_compared,
    sum_split,
)  # fmt: skip

a = Function("a", real=True)
j, n, m = (Symbol(name, integer=True) for name in "jnm")
c = Symbol("c", real=True)


def value(total, size):
    """A sum with 2^k for a(k), written out for n = size; an empty range gives zero."""
    body, (index, low, high) = total.args[0], total.args[1]
    first, last = (int(end.subs(n, size)) for end in (low, high))
    return sum(body.subs(index, k).replace(a, lambda at: 2**at) for k in range(first, last + 1))


def test_the_last_term_stands_apart_where_the_range_is_not_empty():
    total = Sum(a(j), (j, 1, n))
    theorem = sum_split(total)
    assert theorem.formula.right == Sum(a(j), (j, 1, n - 1)) + a(n)
    assert list(theorem.hypotheses) == [Compare(1, "<=", n)]
    assert value(total, 5) == value(Sum(a(j), (j, 1, n - 1)), 5) + 2**5
    assert value(total, 0) == 0 != 2**0  # so that the hypothesis is needed


def test_the_first_term_stands_apart():
    theorem = sum_split(Sum(a(j), (j, 0, n)), first=True)
    assert theorem.formula.right == a(0) + Sum(a(j), (j, 1, n))
    assert theorem.hypotheses == {Compare(0, "<=", n)}


def test_an_index_is_shifted_whatever_the_range():
    total = Sum(a(j), (j, 1, n))
    theorem = sum_split(total, shift=2)
    assert theorem.formula.right == Sum(a(j + 2), (j, -1, n - 2)) and not theorem.hypotheses
    for size in (-3, 0, 1, 6):
        assert value(total, size) == value(theorem.formula.right, size)


@pytest.mark.parametrize(
    "total", [Sum(a(j), (j, 1, oo)), Sum(a(j), (j, 1, c)), Sum(a(j) * a(m), (j, 1, n), (m, 1, n))]
)
def test_sums_without_integer_ends_are_refused(total):
    with pytest.raises(ProofError):
        sum_split(total)


def test_a_first_case_is_put_in_front():
    rest = assume(ForAll(j, 1, n, Compare(a(j), ">=", 0)))
    theorem = prepended(assume(Compare(a(Integer(0)), ">=", 0)), rest)
    assert theorem.formula == ForAll(j, 0, n, Compare(a(j), ">=", 0))


@pytest.mark.parametrize("first", [Compare(a(1), ">=", 0), Compare(a(0), ">", 0)])
def test_another_first_case_is_refused(first):
    rest = assume(ForAll(j, 1, n, Compare(a(j), ">=", 0)))
    with pytest.raises(ProofError):
        prepended(assume(first), rest)


def test_a_first_case_that_the_index_excludes_is_refused():
    k = Symbol("k", integer=True, positive=True)
    rest = assume(ForAll(k, 1, n, Compare(a(k), ">=", 0)))
    with pytest.raises(ProofError):
        prepended(assume(Compare(a(Integer(0)), ">=", 0)), rest)


def test_a_case_inside_an_inner_sum_is_not_summed():
    """SymPy moves such a case out of its sum, to an index of the same name."""
    inner = Sum(Piecewise((1, j <= m), (0, True)), (j, 1, n))
    every = generalise(joint(Compare(inner, "<=", inner)), m, 1, n)
    with pytest.raises(ProofError):
        sum_compared(every)
