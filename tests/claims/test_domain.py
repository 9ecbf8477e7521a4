"""Domains say what is admissible, list it from the smallest on, and draw only from it."""

from __future__ import annotations

from itertools import count, islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol, symbols

from claims.domain import Array, Choice, Condition, Domain, Equal, Point, Real, Size
from claims.errors import UserError
from claims.statement import Compare, Quantity
from claims.terms import family
from claims.time_limits import TimeUp
from claims.variables import Whole

n, d = symbols("n d", integer=True, positive=True)
rho = Symbol("rho", real=True)
X = MatrixSymbol("X", n, d)
PAIRS = Domain((Size(n, 2, 5), Size(d, 1, 3), Real(rho, -1 / (n - 1), 1), Array(X)))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({n: 1}, "n = 1: must be an integer, at least 2"),
        ({rho: Rational(-3, 4)}, r"rho = -3/4: must lie in \[-1/2, 1\]"),
        ({rho: 2}, r"rho = 2: must lie in \[-1/2, 1\]"),
        ({X: ImmutableDenseMatrix([[1]])}, r"X has shape \(1, 1\): must be \(3, 2\)"),
    ],
)
def test_objections_give_value_and_rule(changes: dict, reason: str) -> None:
    point = {n: 3, d: 2, rho: 0, X: ImmutableDenseMatrix.zeros(3, 2), **changes}
    objection = PAIRS.objection(point)
    assert objection is not None
    import re

    assert re.search(reason, objection)


def test_admissible_point_has_no_objection() -> None:
    assert PAIRS.objection({n: 3, d: 2, rho: 0, X: ImmutableDenseMatrix.zeros(3, 2)}) is None


@given(st.integers(0, 2**32))
def test_draws_are_admissible(seed: int) -> None:
    assert PAIRS.objection(PAIRS.draw(Random(seed))) is None


def test_smallest_points_are_admissible_distinct_and_ordered() -> None:
    points = list(islice(PAIRS.smallest(), 300))
    assert all(PAIRS.objection(p) is None for p in points)
    assert len({str(p) for p in points}) == 300
    weights = [int(p[n]) + int(p[d]) + sum(abs(e) for e in p[X]) for p in points]
    assert weights[0] == min(weights) and points[0][X].is_zero_matrix


def test_equal_rows_are_enforced() -> None:
    same = Domain((Size(n, 2, 4), Size(d, 1, 3), Equal(X)))
    for seed in range(20):
        assert same.objection(same.draw(Random(seed))) is None
    uneven = {n: 2, d: 1, X: ImmutableDenseMatrix([[1], [2]])}
    assert "must all be equal" in (same.objection(uneven) or "")


def test_contradictory_hypotheses_are_reported() -> None:
    impossible = Domain((Size(n, 2, 5),), (Condition("n<0", lambda p: p[n] < 0),))
    assert list(impossible.smallest(5)) == []
    with pytest.raises(ValueError, match="satisfiable"):
        impossible.draw(Random(0))


def test_a_variable_has_one_range() -> None:
    """Of two the last one would be drawn from, and points that the first excludes be witnesses."""
    with pytest.raises(UserError, match="is a variable twice"):
        Domain((Real(rho, 0, 1), Size(n, 1), Real(rho, 0, 2)))


@pytest.mark.parametrize(
    "name", [Quantity("q", lambda at: at[n]), family("q_{}", lambda at, k: at[n])(n), 2 * n, Integer(1)]
)  # fmt: skip
def test_what_has_a_value_is_no_variable(name) -> None:
    """A range of it would be a hypothesis that no point obeys: at n = 9 q is 9, whatever stands for q."""
    with pytest.raises(UserError, match="is no variable"):
        Domain((Size(n, 1), Real(name, 0, 5)))


def test_choices_are_exhausted() -> None:
    law = Symbol("law")
    assert [p[law] for p in Domain((Choice(law, ("a", "b")),)).smallest()] == ["a", "b"]


def test_one_size_is_stretched_and_the_others_stay_least() -> None:
    sizes = [(p[n], p[d], p[X].shape) for p in PAIRS.stretched(5)]
    assert sizes == [(7, 1, (7, 1)), (2, 6, (2, 6))]
    assert all(PAIRS.objection(p) is None for p in PAIRS.stretched(5))
    short = Domain((Size(n, 2, 3, reach=3),), (Condition("n<9", lambda at: at[n] < 9),))
    assert [p[n] for p in short.stretched(5)] == [7] and not list(short.stretched(7))


def test_every_integer_is_above_its_least_and_one_further_up() -> None:
    """Draws keep the number of factors small, the reach the sizes."""
    factors = Symbol("q", integer=True, positive=True)
    both = Domain((Size(n, 2, 5), Size(d, 1, 3, reach=2), Whole(factors, 1, 2), Array(X)))
    points = list(both.together(6))
    found = [(point[n], point[d], point[factors]) for point in points]
    assert found == [(4, 2, 3), (3, 2, 4), (8, 2, 2), (3, 2, 2)]
    assert all(both.objection(point) is None for point in points)
    few = Domain((Size(n, 2, 3),), (Condition("n<9", lambda at: at[n] < 9),))
    assert [point[n] for point in few.together(6)] == [4, 8] and len([*few.together(7)]) == 1


def test_a_size_that_a_condition_ties_goes_with_the_one_that_is_raised() -> None:
    tied = Domain((Size(n, 1, 2), Size(d, 1, 2)), (Condition("n<=d", lambda at: at[n] <= at[d]),))
    assert [(p[n], p[d]) for p in tied.far(30)] == [(30, 30), (1, 30)]
    assert (9, 9) in [(p[n], p[d]) for p in tied.together(8)]


def test_a_few_random_points_are_tried_at_chosen_sizes() -> None:
    half = Domain((Size(n, 1, 2), Real(rho, -1, 1)), (Condition("rho>0", lambda at: at[rho] > 0),))
    assert all(len(list(half.far(large))) == 1 for large in range(10, 30))


@given(st.integers(0, 2**32))
def test_magnified_points_are_admissible_and_far(seed: int) -> None:
    free, above = symbols("x y", real=True)
    numbers = (
        Size(n, 1, 2),
        Real(rho, 0, 1),
        Real(free),
        Real(above, 2),
        Array(MatrixSymbol("A", n, n)),
    )
    (point,) = Domain(numbers).magnified(Random(seed))
    assert Domain(numbers).objection(point) is None
    assert abs(point[free]) >= 20 and point[above] >= 22 and 0 <= point[rho] <= 1
    assert all(e == 0 or abs(e) >= 20 for e in point[MatrixSymbol("A", n, n)])


def test_points_are_all_listed_though_a_limit_of_time_struck_once() -> None:
    calls = count()

    def holds(_: Point) -> bool:
        if next(calls) == 3:
            raise TimeUp
        return True

    sizes = Domain((Size(n, 1, 9),), (Condition("n", holds),))
    with pytest.raises(TimeUp):
        list(sizes.smallest(6))
    assert [p[n] for p in sizes.smallest(6)] == [1, 2, 3, 4, 5, 6]


class Counted(Size):
    """A size that counts how often it is drawn."""

    def draw(self, rng: Random, point: Point) -> int:
        DRAWN.append(point[n])
        return super().draw(rng, point)


DRAWN: list[int] = []


def test_a_condition_on_numbers_is_asked_before_the_rest_is_drawn() -> None:
    """And what it refuses is the same, whatever follows; one without a formula waits for all."""
    large = Condition("n>2", lambda at: at[n] > 2, Compare(n, ">", 2))
    both = Condition("n+d>4", lambda at: at[n] + at[d] > 4)
    domain = Domain((Size(n, 1, 4), Counted(d, 1, 3)), (both, large))
    DRAWN.clear()
    rng = Random(0)
    points = [domain.draw(rng) for _ in range(40)]
    assert {int(v) for v in DRAWN} == {3, 4} and len(DRAWN) > len(points)
    assert all(domain.objection(point) is None for point in points)
