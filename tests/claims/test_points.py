"""Points that say what was read of them, and values remembered by that."""

from typing import Any

import pytest
from sympy import Integer, Symbol

from claims.points import Memory, Remembered, Watched
from claims.statement import Compare, ForAll, Quantity
from claims.terms import Recursion, evaluated, family, value_of

n, m, k = (Symbol(name, integer=True) for name in "nmk")


@pytest.mark.parametrize(
    "go_over",
    [dict, list, len, lambda p: {**p}, lambda p: p | {}, lambda p: {} | p, lambda p: p.copy(),
     lambda p: list(p.items()), lambda p: list(p.values()), lambda p: sorted(p.keys(), key=str)],
)  # fmt: skip
def test_who_goes_over_a_point_has_read_all_of_it(go_over: Any) -> None:
    point = Watched({n: 1, m: 2})
    go_over(point)
    assert point.whole
    assert point.read == {n, m}


def test_what_is_asked_for_is_read_whether_it_is_there_or_not() -> None:
    point = Watched({n: 1, m: 2})
    assert (point[n], point.get(k), k in point) == (1, None, False)
    assert point.read == {n, k}
    assert not point.whole


def test_a_value_is_not_taken_for_a_point_that_differs_in_what_was_read() -> None:
    memory = Memory()
    double = lambda at: 2 * at[n] + at.get(k, 0)  # noqa: E731
    assert memory("double", {n: 3}, double) == 6
    assert memory("double", {n: 4}, double) == 8
    assert memory("double", {n: 3, k: 1}, double) == 7
    assert memory("other", {n: 3}, lambda at: at[n]) == 3


def test_a_function_of_the_whole_point_is_asked_each_time() -> None:
    memory, size = Memory(), lambda at: len(list(at))
    assert [memory("size", at, size) for at in ({n: 1}, {n: 1, m: 2}, {n: 1})] == [1, 2, 1]


def test_what_an_inner_value_read_was_read_by_the_outer_one() -> None:
    memory = Memory()
    inner = lambda at: at[m]  # noqa: E731
    outer = lambda at: at[n] + memory("inner", at, inner)  # noqa: E731
    assert memory("inner", {m: 5}, inner) == 5  # so that the outer one finds it known
    assert memory("outer", {n: 1, m: 5}, outer) == 6
    assert memory("outer", {n: 1, m: 7}, outer) == 8


def test_values_that_cannot_be_hashed_are_no_obstacle() -> None:
    memory = Memory()
    assert [memory("sum", {n: [1, j]}, lambda at: sum(at[n])) for j in (2, 3)] == [3, 4]


def test_a_definition_is_asked_once_for_the_indices_that_it_does_not_read() -> None:
    asked = []
    quantity = Quantity("q", lambda at: asked.append(at[n]) or at[n] + 1)
    member = family("f_{{{}}}", lambda at, j: asked.append(j) or at[n] * j)
    grown = Recursion("g", lambda: Integer(1), lambda t, before: before() + member(t + 1) + m)
    statement = ForAll(k, 0, 3, Compare(grown(3) + k, ">", quantity))
    assert statement.truth({n: Integer(1), m: Integer(0)})
    assert sorted(asked) == [1, 1, 2, 3]
    assert value_of(grown(3), {n: Integer(1), m: Integer(5)}) == 22
    assert evaluated(quantity.define, {n: Integer(9)}) == 10


def test_a_definition_knows_nothing_of_indices_that_are_bound_around_it() -> None:
    """It is one number in a sum, and under a quantifier, as it is to the kernel."""
    from sympy import Sum

    square = Quantity("s", lambda at: at[k] ** 2 + at[n])
    total = Sum(square * k, (k, 1, 3))
    wrapped = Quantity("w", lambda at: value_of(total, at))
    for size, place in ((0, 2), (1, 2), (1, 5)):
        at = {n: Integer(size), k: Integer(place)}
        assert value_of(wrapped, at) == 6 * (place**2 + size)
        assert ForAll(k, 1, 3, Compare(square, "=", place**2 + size)).truth(at) is True
    with pytest.raises(KeyError):
        value_of(wrapped, {n: Integer(0)})


def test_a_point_that_is_filled_further_is_looked_at_anew() -> None:
    """As points are while they are drawn: what was remembered of an earlier one is not told again."""
    doubled = family(r"2n_{{{}}}", lambda at, place: 2 * at[n] * place)
    every, filled = ForAll(k, 1, 3, Compare(doubled(k), "=", 2 * k)), {n: Integer(1)}
    assert every.truth(filled) is True
    filled[n] = Integer(2)
    assert every.truth(filled) is False


def test_an_interrupted_iterator_goes_on_where_it_was() -> None:
    calls = []

    def numbers() -> Any:
        for j in range(3):
            calls.append(j)
            if calls == [0, 1]:
                raise TimeoutError
            yield j

    remembered = Remembered(numbers)
    with pytest.raises(TimeoutError):
        list(remembered)
    assert list(remembered) == [0, 1, 2]
    assert list(remembered) == [0, 1, 2]
