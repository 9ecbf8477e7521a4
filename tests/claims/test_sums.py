"""Sums at numbers: as written out term by term, whichever way their ranges run."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Add, Integer, Mul, Piecewise, Product, Sum, Symbol, exp, oo, sqrt, symbols

from claims.sums import totalled
from claims.terms import value_of

i, j, k = symbols("i j k", integer=True)
x = Symbol("x", real=True)


def by_hand(e: Any) -> Any:
    """Every index of every range in turn; an index counts in the innermost sum that binds it."""
    if isinstance(e, Sum | Product):
        joined = Add if isinstance(e, Sum) else Mul
        body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
        inside = type(e)(body, *inner) if inner else body
        return joined(
            *(by_hand(inside.subs(index, Integer(v))) for v in range(int(low), int(high) + 1))
        )
    return e.func(*map(by_hand, e.args)) if e.args else e


ENDS = [(0, 3), (2, 1), (3, 1), (-1, 0), (5, -2)]
BODIES = [
    j, Integer(2), j * Sum(j + 1, (j, 0, 2)), j * Sum(k * j, (k, 1, j)), Sum(k, (k, j, 2)),
    Sum(1, (k, 1, j - 2)) + j, exp(Sum(1, (k, 1, j - 2))), sqrt(j**2) * Sum(i, (i, j, k), (k, j, 2)),
    Sum(Sum(i, (i, k, j)), (k, 0, 3 - j)), Sum(j * Sum(j**2, (j, 1, 2)), (j, 0, 1)),
    Piecewise((j, j >= 1), (Sum(j, (j, 1, 3)), True)), Sum(1, (k, 1, j**2)), Sum(k * 2**k, (k, 0, j)),
    j * Sum(k * Sum(1, (i, 1, k - 4)), (k, 1, 3)) + j, j + Product(k + 1, (k, 1, j - 3)),
    j * Sum(k * Sum(1, (i, 1, k - 2)), (k, 1, 3)) + j, Sum(1, (k, 1, j**2 - 6)),
]  # fmt: skip


@pytest.mark.parametrize("kind", [Sum, Product])
@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("body", BODIES)
def test_sums_and_products_are_written_out(body: Any, ends: tuple[int, int], kind: Any) -> None:
    total = kind(body, (j, *ends))
    assert (totalled(total) - by_hand(total)).expand() == 0


def test_several_indices_in_one_sum() -> None:
    total = Sum(i * j, (i, j, 3), (j, -1, 5))
    assert totalled(total) == by_hand(total)


@pytest.mark.parametrize("total", [Sum(j, (j, i, 3)), Sum(j, (j, 1, i)), Product(j, (j, 1, i))])
def test_open_ends_are_left_to_closed_forms(total: Any) -> None:
    assert totalled(total) == total.doit()


def test_an_open_range_inside_is_taken_once_for_each_index() -> None:
    assert totalled(Sum(Sum(1, (k, 1, i)), (j, 1, 3))) == 3 * i


def test_closed_forms_reach_far() -> None:
    far = 10**30
    assert totalled(Sum(Sum(1, (k, 1, j)), (j, 0, far))) == far * (far + 1) / Integer(2)
    assert totalled(Sum(Sum(Sum(1, (i, 1, k)), (k, 1, j)), (j, 0, 10**9))) > 10**26
    assert totalled(Sum(2 ** (-k), (k, 0, oo))) == 2
    assert 3 < totalled(Sum(Sum(2 ** (-k), (k, j, oo)), (j, 0, 10**6))) < 4


def test_a_value_is_of_a_term_wherever_it_stands() -> None:
    backwards = x * Sum(2, (j, 1, k)) + exp(Sum(1, (j, 1, k)))
    assert value_of(backwards, {x: Integer(3), k: Integer(-3)}) == 1
    beside = Sum(j * Sum(2 * j, (j, 0, 1)), (j, k, 0))
    assert value_of(beside, {k: Integer(-1), j: Integer(7)}) == -2
    assert value_of(1 + Product(j + 5, (j, 1, k)), {k: Integer(-3)}) == 2
