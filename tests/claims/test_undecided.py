"""What looks like a counterexample and is none: rounding, forms of one number, ends that are no integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from sympy import (
    Float,
    Integer,
    Matrix,
    Product,
    Rational,
    Sum,
    Symbol,
    cos,
    exp,
    oo,
    pi,
    sqrt,
    symbols,
    tanh,
)

from claims.domain import Domain, Real, Size
from claims.exact import agree, compare
from claims.model import Claim, Relation, Source
from claims.points import Memory
from claims.statement import Compare, Exists, ForAll, Quantity
from claims.sums import totalled
from claims.terms import value_of
from claims.whole import whole_between
from proofs.decide import refute
from proofs.digits import agrees

n, k = symbols("n k", integer=True, positive=True)
x = Symbol("x", real=True)
nearly_one = tanh(1000)
one = sqrt(3 + 2 * sqrt(2)) - sqrt(2)
"""The number one, which SymPy does not see."""


def refuted(statement: Any, *variables: Any, define: Callable[[Any], Any] | None = None) -> bool:
    claim = Claim(
        "toy.undecided", Source("toy", "s"), "bound", "", statement, Domain(variables), define  # type: ignore[arg-type]
    )  # fmt: skip
    return refute(claim, method="exact evaluation").status == "refuted"


def _rooted(number: int) -> Any:
    return mpmath.sqrt(number) ** 2


# Floats -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "root", [lambda at: math.sqrt(at[n]), lambda at: sqrt(at[n]).evalf(), lambda at: sqrt(at[n]).n(30)]
)  # fmt: skip
def test_a_definition_in_floats_refutes_nothing_by_rounding(root: Callable[[Any], Any]) -> None:
    for sign in ("=", "<=", ">="):
        assert not refuted(Relation("a", (sqrt(n),), sign), Size(n, 1), define=root)
        assert not refuted(Compare(Quantity("q", root) ** 2, sign, n), Size(n, 1))
    assert refuted(Relation("a", (n,)), Size(n, 1), define=root)
    assert refuted(Relation("a", (n + 1,), ">="), Size(n, 1), define=root)


@pytest.mark.parametrize(
    ("left", "relation", "right", "expected"),
    [
        (1 / 3, "=", Rational(1, 3), None),
        (1 / 3, "!=", Rational(1, 3), None),
        (1 / 3, "<", Rational(1, 3), None),
        (1 / 3, ">=", Rational(1, 3), None),
        (0.5, "=", Rational(1, 2), True),
        (0.5, "<=", Rational(1, 2), True),
        (0.5, "!=", Rational(1, 2), None),
        (0.5, "<", Rational(1, 2), None),
        (0.5, "<", Rational(3, 4), True),
        (0.5, "=", Rational(3, 4), False),
        (Float(0.1) * 3, "=", Rational(3, 10), None),
        (1e300, "=", Integer(10) ** 300, None),
        (math.inf, "=", oo, True),
        (math.inf, "<=", Integer(3), False),
        (1.0, "<", oo, True),
        (Float(1.5), "<=", oo, True),
        (Float(1.5), "<=", -oo, False),
        (oo, "=", Float(1.5), False),
        (math.nan, "=", Integer(1), None),
        (0.5 + 0.25j, "=", Rational(1, 2), False),
    ],
)
def test_floats_decide_what_their_rounding_does_not(
    left: Any, relation: str, right: Any, expected: bool | None
) -> None:
    assert compare(left, relation, right) is expected


@pytest.mark.parametrize(
    "number",
    [
        np.float64,
        np.float32,
        np.longdouble,
        np.int64,
        np.array,
        torch.tensor,
        mpmath.mpf,
        mpmath.mpc,
        _rooted,
    ],
)
def test_numbers_of_other_libraries_are_numbers(number: Callable[[Any], Any]) -> None:
    for sign in ("=", "<=", ">="):
        assert not refuted(
            Relation("a", (n,), sign), Size(n, 1), define=lambda at: number(int(at[n]))
        )
    assert refuted(Relation("a", (n + 1,)), Size(n, 1), define=lambda at: number(int(at[n])))
    assert agree(np.array([[1.0, 2.0]]), Matrix([[1, 2]])) is True
    assert agree(np.array([[1.0, 2.5]]), Matrix([[1, 2]])) is False
    assert agree(np.array([1.0, 2.0]), Matrix([[1, 2]])) is False


# Sets, tables, and matrices of one entry -----------------------------------------------------------


def test_members_of_sets_are_compared_as_numbers() -> None:
    assert agree(frozenset({one, Integer(2)}), {Integer(1), Integer(2)}) is True
    assert agree({one}, {Integer(1), Integer(2)}) is False
    assert agree({Integer(2)}, {1, 3}) is False
    assert agree({1.0 / 3}, {Rational(1, 3)}) is None
    assert agree({"a": one}, {"a": Integer(1)}) is True
    assert agree({"a": one}, {"a": Integer(2)}) is agree({"a": one}, {"b": one}) is False
    assert agree({"a", "b"}, {"b", "a"}) is True and agree({"a"}, {"b"}) is False
    assert agree({1}, (1,)) is False and agree(frozenset(), set()) is True


def test_a_matrix_of_one_entry_stands_for_it() -> None:
    assert agree(Matrix([[one]]), Integer(1)) is agree(1, Matrix([[1]])) is True
    assert agree(Matrix([[2]]), 1) is agree(Matrix([[1, 1]]), 1) is False
    assert agree(Matrix([[1]]), Matrix([[1, 1]])) is False
    assert not refuted(Relation("a", (n,)), Size(n, 1), define=lambda at: Matrix([[at[n]]]))


# Ranges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, nearly_one, []),
        (nearly_one, 1, [1]),
        (-nearly_one, nearly_one, [0]),
        (3 + nearly_one, 5, [4, 5]),
        (one, 2 * one, [1, 2]),
        (sqrt(2), 2 + sqrt(3), [2, 3]),
        (1, 2.0, [1, 2]),
        (0.5, Float(2.5), [1, 2]),
    ],
)
def test_an_end_of_a_range_is_on_the_right_side_of_an_integer(
    low: Any, high: Any, expected: list[int]
) -> None:
    assert list(whole_between(low, high)) == expected


def test_an_end_that_rounding_may_have_moved_is_not_decided() -> None:
    for low, high in ((1, 3 * 1.1 / 1.1 - 4e-16), (3.0000000000000004, 5)):
        with pytest.raises(ValueError, match="on which side of an integer"):
            whole_between(low, high)


def test_what_is_said_of_no_index_is_not_refuted_by_the_next() -> None:
    below = Quantity("q", lambda at: tanh(30 * at[n]))
    assert not refuted(ForAll(k, 1, below, Compare(k, ">", 1)), Size(n, 1))
    assert refuted(Exists(k, 1, below, Compare(k, ">=", 1)), Size(n, 1))
    assert refuted(ForAll(k, 0, below, Compare(k, ">", 1)), Size(n, 1))


@pytest.mark.parametrize("kind", [Sum, Product])
@pytest.mark.parametrize("body", [Integer(1), k, k**2, exp(k), 2 * k - 3])
@pytest.mark.parametrize(
    ("low", "high"), [(1, n / 2), (n / 2, n), (1, sqrt(n)), (1, n / 2 - 1), (n / 3, n / 2)]
)
def test_sums_end_at_the_last_integer_of_their_range(
    kind: Any, body: Any, low: Any, high: Any
) -> None:
    """SymPy adds half a term up to a half, and so do closed forms."""
    total, zero = kind(body, (k, low, high)), Quantity("0", lambda at: Integer(0))
    for size in range(1, 8):
        at = {n: Integer(size)}
        assert agree(value_of(total, at), value_of(total + zero, at)) is True
    half = Quantity("half", lambda at: Integer(int(at[n]) // 2))
    assert not refuted(Relation("h", (Sum(1, (k, 1, n / 2)),)), Size(n, 1), define=half.define)
    assert refuted(Relation("h", (n / 2,)), Size(n, 1), define=half.define)


@pytest.mark.parametrize(("size", "total"), [(1, 0), (2, 1), (3, 1), (5, 3), (7, 6)])
def test_balls_around_sums_end_there_too(size: int, total: int) -> None:
    at, half = {n: Integer(size)}, Sum(k, (k, 1, n / 2))
    assert agrees(Decimal(total), half, at, {}) is True
    assert agrees(Decimal(total + 1), half, at, {}) is False


def test_sums_within_sums_end_there_too() -> None:
    j = Symbol("j", integer=True)
    assert totalled(Sum(1, (j, 1, k / 2), (k, 1, 5))) == 6
    assert totalled(Sum(Sum(j, (j, 1, k / 2)), (k, 1, 5))) == 8
    assert totalled(Sum(Rational(1, 2) ** k, (k, Rational(1, 2), oo))) == 1


# Real numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "end", [one, cos(pi / 7) * 0 + one, ((1 + sqrt(5)) / 2) ** 2 - (1 + sqrt(5)) / 2]
)
def test_an_open_end_is_left_out_however_it_is_written(end: Any) -> None:
    value = Quantity("x", lambda at: at[x])
    assert not refuted(Compare(value, ">", end), Real(x, end, 3, open_low=True))
    assert not refuted(Compare(value, "<", end), Real(x, 0, end, open_high=True))
    assert refuted(Compare(value, ">", end), Real(x, end, 3))
    assert refuted(Compare(value, "<", end), Real(x, 0, end))
    assert Real(x, end, 3, open_low=True).objection(Integer(1), {}) is not None
    assert Real(x, end, 3).objection(Integer(1), {}) is None


@pytest.mark.parametrize(
    ("low", "high"),
    [(5, oo), (3, oo), (-oo, -5), (-oo, -3), (10, 200), (-200, -10), (7, Rational(15, 2))],
)
def test_numbers_far_from_zero_are_drawn_inside_of_their_range(low: Any, high: Any) -> None:
    """Not at its end alone, where another statement may be true."""
    for variable in (Real(x, low, high), Real(x, low, high, open_low=True, open_high=True)):
        drawn = {variable.draw(Random(seed), {}) for seed in range(20)}
        assert len(drawn) > 5 and all(variable.objection(value, {}) is None for value in drawn)
    assert Real(x, 5, 5).draw(Random(0), {}) == 5


# Points --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "read",
    [
        str, repr, "{}".format, lambda at: at == {n: 2}, lambda at: at != {n: 2}, lambda at: {n: 2} == at,
        lambda at: list(reversed(at)) and at[n], lambda at: at.pop(n), lambda at: at.popitem(),
        lambda at: at.setdefault(n, 5), lambda at: at.pop("m", 7) and at[n],
    ],
)  # fmt: skip
def test_a_point_knows_that_it_was_read_by_any_way(read: Callable[[Any], Any]) -> None:
    memory = Memory()
    assert [memory("read", {n: size}, read) for size in (1, 2, 3)] == [
        read({n: size}) for size in (1, 2, 3)
    ]
