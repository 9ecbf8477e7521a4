"""The quick rewriting of terms gives what SymPy gives in general."""

from random import Random
from typing import Any

import pytest
from sympy import (
    Function,
    Integer,
    Rational,
    Sum,
    exp,
    expand,
    expand_power_exp,
    nan,
    simplify,
    sqrt,
    symbols,
    zoo,
)

from claims.algebra import bound_in, expanded, names_in, ranged, replaced, split_powers
from claims.terms import MaxOver, put

x, y, z = symbols("x y z", real=True)
n, k, j = symbols("n k j", integer=True, positive=True)
f = Function("f", real=True)


def terms(count: int, seed: int) -> list[Any]:
    """Random terms of the kinds that statements hold."""
    rng = Random(seed)

    def term(depth: int) -> Any:
        if depth == 0:
            return rng.choice([x, y, z, n, k, Integer(-1), Rational(1, 3), f(k), f(x)])
        a, b = term(depth - 1), term(depth - 1)
        over = (j, 1, n)
        made = rng.choice(
            [
                lambda: a + b, lambda: a * b, lambda: a + b * a, lambda: sqrt(a), lambda: exp(a),
                lambda: a ** rng.choice((2, 3, -1, -2)), lambda: a ** (n + k),
                lambda: Sum(a.xreplace({k: j}), over), lambda: MaxOver(a.xreplace({k: j}), over),
            ]
        )()  # fmt: skip
        return x if made.has(nan, zoo) else made

    return [term(3) for _ in range(count)]


@pytest.mark.parametrize("seed", range(4))
def test_expansion_is_what_sympy_gives(seed: int) -> None:
    for term in terms(150, seed):
        assert expanded(term) == expand(term)
        assert split_powers(term) == expand_power_exp(term)


@pytest.mark.parametrize("seed", range(4))
def test_terms_are_put_in_as_sympy_does(seed: int) -> None:
    values = {x: y + 1, y: x * z, n: n + 1}
    for term in terms(150, seed):
        made, expected = put(term, values), term.subs(values, simultaneous=True)
        assert made == expected or simplify(made - expected) == 0
        assert names_in(term) == term.free_symbols


def test_a_bound_index_is_not_replaced_and_captures_nothing() -> None:
    total = Sum(f(j) * x, (j, 1, n))
    assert put(total + j, {j: k}) == total + k
    moved = put(total, {x: j})
    assert j in moved.free_symbols
    assert moved.doit() == put(moved, {j: y}).subs(y, j).doit()
    assert moved.subs({j: 2, n: 2}).doit() == 2 * (f(1) + f(2))


def test_an_inner_range_holds_the_outer_index() -> None:
    triangle = Sum(f(k) * x, (k, 1, j), (j, 1, n))
    assert bound_in(triangle) == {j, k}
    assert replaced(triangle, {n: n + 1, x: y}) == Sum(f(k) * y, (k, 1, j), (j, 1, n + 1))
    assert replaced(Sum(f(j), (j, 1, j)), {j: n}) == Sum(f(j), (j, 1, n))


def test_a_sum_made_quickly_is_the_sum() -> None:
    for body in (f(j), Sum(f(j) * f(k), (k, 1, n)), x * f(j) + 1):
        quick, slow = ranged(Sum, body, (j, 1, n)), Sum(body, (j, 1, n))
        assert quick == slow
        assert hash(quick) == hash(slow)
        assert quick.is_commutative == slow.is_commutative
