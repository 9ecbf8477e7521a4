"""A preference among counterexamples changes which one is shown, and never whether one is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Symbol

from claims.domain import Array, Domain, Point, Real, Size
from claims.model import Claim, Relation, Source
from claims.natural import more_natural, oddity
from proofs.decide import find_witness

n, a, rho = Symbol("n", integer=True), Symbol("a"), Symbol("rho")
d = Symbol("d", integer=True)
X, V = MatrixSymbol("X", n, d), MatrixSymbol("V", n, 1)
SIZE = Size(n, 2, 2)
TWO = {n: Integer(2), d: Integer(1)}


def chosen(
    domain: Domain, found: Point, fails: Callable[[Point], Any] = lambda p: True,
    length: Callable[[Point], int] = lambda p: 1, following: Any = (),
) -> Any:  # fmt: skip
    ask = lambda p: domain.objection(p) is None and bool(fails(p))  # noqa: E731
    return more_natural(domain, found, ask, length, following)


def test_zero_and_negative_strengths_are_odd_and_replaced() -> None:
    domain = Domain((Real(a),))
    assert [oddity(domain, {a: Integer(v)}) for v in (1, 0, -2)] == [0, 1, 1]
    assert chosen(domain, {a: Integer(0)}) == {a: 1}
    assert chosen(domain, {a: Integer(-3)}) == {a: 3}
    assert chosen(domain, {a: Integer(0)}, lambda p: p[a] < 1) == {a: Rational(1, 2)}


def test_a_correlation_is_taken_inside_its_range() -> None:
    domain = Domain((Real(rho, -1, 1),))
    assert chosen(domain, {rho: Integer(-1)}) == {rho: Rational(1, 2)}


def test_tokens_are_distinct_and_nonzero() -> None:
    domain = Domain((SIZE, Size(d, 1, 1), Array(X)))
    for entries in ([0, 0], [0, 1], [1, 1]):
        found = chosen(domain, {**TWO, X: ImmutableDenseMatrix(2, 1, entries)})
        assert found[X] == ImmutableDenseMatrix([[1], [2]])
    strengths = {**TWO, V: ImmutableDenseMatrix([[1], [1]])}
    assert oddity(Domain((SIZE, Array(V))), strengths) == 0
    averages = ImmutableDenseMatrix([[Rational(1, 2)] * 2] * 2)
    assert (
        oddity(Domain((Array(MatrixSymbol("A", 2, 2)),)), {MatrixSymbol("A", 2, 2): averages}) == 0
    )


def test_what_holds_elsewhere_stays_as_it_was_found() -> None:
    domain = Domain((Real(a),))
    assert chosen(domain, {a: Integer(0)}, lambda p: p[a] == 0) == {a: 0}


def test_a_counterexample_that_is_longer_to_write_is_not_preferred() -> None:
    domain = Domain((Real(a),))
    assert chosen(domain, {a: Integer(0)}, length=lambda p: 9 * int(p[a] != 0)) == {a: 0}


def test_points_that_follow_are_looked_at_where_variables_hang_together() -> None:
    domain = Domain((Real(a), Real(rho)))
    tied = lambda p: p[a] == -p[rho] or p[a] == 2 * p[rho]  # noqa: E731
    following = [{a: Integer(1), rho: Integer(1)}, {a: Integer(2), rho: Integer(1)}]
    found = chosen(domain, {a: Integer(-1), rho: Integer(1)}, tied, following=following)
    assert found == {a: 2, rho: 1}


def test_the_search_shows_the_natural_witness_and_loses_none() -> None:
    claim = Claim(
        id="toy.trend", source=Source("toy", "Sec. 1"), kind="bound", title="",
        statement=Relation("a^2", (a,)), domain=Domain((Real(a),)), define=lambda p: p[a] ** 2,
    )  # fmt: skip
    # 0 and 1 satisfy it; -1 is smaller, and odd
    assert find_witness(claim).point == {a: Rational(1, 2)}
    only = Claim(
        id="toy.zero", source=Source("toy", "Sec. 1"), kind="bound", title="",
        statement=Relation("a^2", (Integer(0),), ">"), domain=Domain((Real(a),)),
        define=lambda p: p[a] ** 2,
    )  # fmt: skip
    assert find_witness(only).point == {a: 0}
