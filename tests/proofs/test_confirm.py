"""At which points a definition is held to the term that is said to be its value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import process_time
from typing import Any

import pytest
from sympy import (
    Expr,
    Float,
    Function,
    Integer,
    MatrixSymbol,
    Max,
    Min,
    Rational,
    Sum,
    Symbol,
    isprime,
    nan,
    oo,
    symbols,
    zoo,
)  # fmt: skip

from audit.examine import load_witnesses
from claims.domain import Choice, Domain, Point, Real, Size
from claims.errors import OnlyMeasured
from claims.naitsaada2025.chi_square import Factors
from claims.operator_tail import OperatorTail
from claims.points import Placed
from claims.registry import encoded
from claims.seeds import seeded
from claims.statement import Compare, Quantity, measured_quantity
from claims.terms import MaxOver, MinOver, family, value_of
from claims.time_limits import TimeUp, searching
from proofs import confirm
from proofs.confirm import confirmed_at_points, confirmed_identity
from proofs.denied import denied
from proofs.places import far_points, small_points
from proofs.registry import proof_of
from proofs.sense import ProofError

n, depth = (Symbol(name, integer=True, positive=True) for name in ("n", "L"))
x, X = Symbol("x", real=True), MatrixSymbol("X", 1, 2)
layer = Symbol("l", integer=True)
BELOW = ((layer, 1, depth - 1),)


def networks(*depths: int) -> Domain:
    """Of so many layers, the first choice before the others."""
    return Domain((Choice(depth, tuple(map(Integer, depths))), Size(n, 1, 4)))


def test_small_points_are_those_where_the_indices_have_values() -> None:
    """One layer has none below the last one."""
    scaled = family("{}", lambda at, place: at[n] * place)
    assert confirmed_at_points(scaled(layer), n * layer, networks(2), BELOW)
    assert small_points(networks(1), BELOW) == []
    assert not confirmed_at_points(scaled(layer), n * layer, networks(1), BELOW)


class Alternating(Domain):
    """Networks of one layer and of two by turns, so that every other one has readings."""

    def smallest(self, limit: int = 8) -> Iterator[dict[Any, Any]]:
        return iter([{depth: Integer(1 + place % 2)} for place in range(limit)])


def test_readings_are_searched_for_where_the_spread_has_none() -> None:
    by_turns = Alternating(())
    assert [point[depth] for point in small_points(by_turns)] == [1] * 4
    assert [point[depth] for point in small_points(by_turns, BELOW)] == [2] * 4


def test_what_is_no_number_is_refused_however_often_it_is_asked() -> None:
    """Terms at one point share what is known there, but not what was refused."""
    place, endless = Symbol("j", integer=True), family("b_{}", lambda at, k: oo)
    at = Placed({n: Integer(2)}, {place: Integer(1)})
    for term in (1 / endless(place), 2 / endless(place), 1 / endless(place)):
        with pytest.raises(ProofError, match="no real number"):
            confirm._in_numbers(term, at)


def test_a_costly_definition_is_read_once_with_no_integer_at_its_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where one is least this one vanishes, and elsewhere it takes too long for any of the other looks."""
    domain = Domain(tuple(Size(size, 1, 4) for size in symbols("a:e", integer=True, positive=True)))
    allowed: list[float | None] = []

    @contextmanager
    def within(seconds: float | None) -> Iterator[None]:
        allowed.append(seconds)
        with suppress(TimeUp):
            yield
        allowed.pop()

    def late() -> Quantity:
        def define(at: Point) -> Integer:
            if domain.is_raised(at) and (allowed[-1] or 0) < confirm.RAISED_SECONDS:
                raise TimeUp
            return Integer(int(domain.is_raised(at)))

        return Quantity("late", define)

    monkeypatch.setattr(confirm, "_within", within)
    assert not confirmed_at_points(late(), Integer(0), domain)
    monkeypatch.setattr(confirm, "_raised", lambda *_: [])
    assert confirmed_at_points(late(), Integer(0), domain)


def test_a_quantity_is_compared_where_it_has_an_exact_value() -> None:
    def define(at: Point) -> Integer:
        if at[n] > 2:
            raise OnlyMeasured("more than two rows")
        return Integer(at[n] ** 2)

    quantity = Quantity("n^2", define)
    sizes = Domain((Size(n, 1, 3),))
    assert confirmed_at_points(quantity, n**2, sizes)
    assert not confirmed_at_points(quantity, 3 * n - 2 + (n - 1) * (n - 2) + 1, sizes)
    assert not confirmed_at_points(measured_quantity("m"), n**2, sizes)


def test_tails_of_operator_norms() -> None:
    a = Symbol("a", real=True)
    assert OperatorTail(2, 2, 0) == OperatorTail(1, 3, 0) == 1
    assert OperatorTail(n, n, Integer(-1)) == 1
    assert OperatorTail(3, 1, Integer(2)) == OperatorTail(1, 3, Integer(2))
    assert isinstance(OperatorTail(2, 2, a), OperatorTail)  # its form is for thresholds above zero
    assert isinstance(OperatorTail(n, n, Integer(2)), OperatorTail)
    assert 0 < OperatorTail(2, 2, Integer(3)) < OperatorTail(2, 2, Integer(2)) < 1


# Identities with functions of which nothing is known ------------------------------------------------

j, k = symbols("j k", integer=True)
length = Symbol("n", integer=True, positive=True)
f = Function("f", real=True)
squared = Sum(f(j), (j, 1, length)) ** 2


@pytest.mark.parametrize(
    ("left", "right", "agree"),
    [
        (squared, Sum(Sum(f(j) * f(k), (j, 1, length)), (k, 1, length)), True),
        (squared, Sum(f(j) ** 2, (j, 1, length)), False),
        (f(j) * f(k), f(k) * f(j), True),
        (f(j), f(k), False),
        (f(f(j)), f(j), False),
        (MaxOver(2 * f(j), (j, 1, 3)), 2 * MaxOver(f(j), (j, 1, 3)), True),
        (MaxOver(-f(j), (j, 1, 3)), -MaxOver(f(j), (j, 1, 3)), False),
        (MaxOver(-f(j), (j, 1, 3)), -MinOver(f(j), (j, 1, 3)), True),
        (abs(f(j)), f(j), False),
        (abs(Function("h", positive=True)(j)), Function("h", positive=True)(j), True),
        ((-1) ** (2 * Function("i", integer=True)(j)), Integer(1), True),
    ],
)
def test_functions_have_any_values(left, right, agree: bool) -> None:
    assert confirmed_identity(left, right, None) is agree


def test_quantities_are_numbers_of_the_kind_they_declare() -> None:
    kind = Quantity("k", lambda at: 1 / 0, integer=True, positive=True)
    assert confirmed_identity(f(1) * abs(kind), f(1) * kind, None)
    assert not confirmed_identity(f(1) * kind, f(1), None)


def test_equal_sides_deny_a_strict_comparison() -> None:
    domain = Domain((Size(n, 1, 3), Real(x, 0, 3)))
    for fact in (Compare(1, "<", n), Compare(n, "!=", 2), Compare(x, ">", 0)):
        assert denied([], domain, [fact])
    for fact in (Compare(1, "<=", n), Compare(n, "!=", 0), Compare(x, ">", -1)):
        assert not denied([], domain, [fact])
    root = Quantity("r", lambda at: Float("1.41421356237309504880") ** 2)  # equal but for rounding
    assert not denied([], domain, [Compare(root, "!=", 2)])


def test_numbers_far_from_those_drawn_are_looked_at() -> None:
    domain = Domain((Size(n, 1, 3), Real(x, 0)))
    capped = Quantity("q", lambda at: Min(at[x], 9) * at[n])
    whole = Quantity("q", lambda at: at[x] * at[n])
    assert confirmed_at_points(whole, x * n, domain)
    assert not confirmed_at_points(capped, x * n, domain)


def rounded_up(value: Any) -> Any:
    return Max(value, Rational(1, 100))


@pytest.mark.parametrize(
    ("domain", "ends", "whole"),
    [
        (Domain((Size(n),)), lambda at: Min(at[n], 64), n),
        (Domain((Size(n), Real(x, 0, 1))), lambda at: Min(at[n], 64) + at[x], n + x),
        (Domain((Real(x),)), lambda at: Min(at[x], 300), x),
        (Domain((Real(x, 0, open_low=True),)), lambda at: rounded_up(at[x]), x),
        (Domain((Real(x, 0, 1), Size(n))), lambda at: at[n] * (1 - rounded_up(1 - at[x])), n * x),
    ],
)  # fmt: skip
def test_what_ends_far_out_or_next_to_an_end_is_seen(domain: Domain, ends: Any, whole: Any) -> None:
    same = Quantity("q", lambda at: value_of(whole, at))
    assert confirmed_at_points(same, whole, domain)
    assert not confirmed_at_points(Quantity("q", ends), whole, domain)


def test_a_costly_point_does_not_hide_the_next() -> None:
    """Of two sizes one is far out where the definition is costly, the other where the term is wrong."""
    d = Symbol("d", integer=True, positive=True)

    def define(at: Point) -> Any:
        if at[n] >= 20:
            work(10)
        return at[n] + at[d] + (1 if at[d] >= 20 else 0)

    quantity = Quantity("q", define)
    both = Domain((Size(n, 1, 3), Size(d, 1, 3)))
    assert not confirmed_at_points(quantity, n + d, both)
    assert confirmed_at_points(Quantity("p", lambda at: at[n] + at[d]), n + d, both)


def work(seconds: float) -> None:
    began = process_time()
    while process_time() < began + seconds:
        sum(range(100))


def test_what_takes_long_to_be_drawn_is_drawn_once() -> None:
    calls = 0

    class Slow(Choice):
        def draw(self, rng: Any, point: Point) -> Any:
            nonlocal calls
            if point.get(n, 0) >= 20:
                calls += 1
                work(10)
            return super().draw(rng, point)

    slow = Domain((Size(n, 1, 3), Slow(x, (Integer(1), Integer(2)))))
    for number in range(3):
        quantity = Quantity(f"q_{number}", lambda at: at[n] * at[x])
        assert confirmed_at_points(quantity, n * x, slow)
    assert calls == 1


def test_where_neither_side_has_a_value_nothing_is_denied() -> None:
    """Powers of zero: one side is infinite, the other undetermined, and both need another base."""
    assert not confirm._differ(zoo, nan) and not confirm._differ(zoo, Integer(1))
    assert confirm._differ(Integer(1), Integer(2)) and not confirm._differ(Integer(1), Integer(1))


def test_who_asks_with_little_time_takes_no_point_from_others() -> None:
    """A point is given up for good where drawing it takes long, and not where somebody's time ends."""

    class Slow(Choice):
        def draw(self, rng: Any, point: Point) -> Any:
            if point.get(n, 0) >= 20:
                work(0.1)
            return super().draw(rng, point)

    slow = Domain((Size(n, 1, 3), Slow(x, (Integer(1), Integer(2)))))
    with searching(0.02):
        assert not list(far_points(slow))
    assert len(list(far_points(slow))) == 1


def test_members_that_end_far_out_are_seen() -> None:
    """All values of Euler's polynomial are primes as far as the index forty."""
    over = ((layer, 0, oo),)
    prime = family("p_{}", lambda at, k: Integer(isprime(k**2 + k + 41)))
    capped = family("c_{}", lambda at, k: Integer(min(k, 64)))
    whole = family("k_{}", lambda at, k: Integer(k))
    assert confirmed_at_points(whole(layer), layer, Domain((Size(n),)), over)
    for wrong, term in ((prime, Integer(1)), (capped, layer)):
        assert not confirmed_at_points(wrong(layer), term, Domain((Size(n),)), over)


def test_what_has_no_value_contradicts_nothing() -> None:
    endless = Sum(f(j), (j, 1, oo))
    assert confirmed_identity(endless, 2 * endless, None)


VANISHING_AT_FIRST = (
    "wu2024.assumption.A2", "wu2024.sec-4.4.anisotropy", "wu2024.thm-1.proof-eq-17-19",
)  # fmt: skip


@pytest.mark.parametrize("claim_id", VANISHING_AT_FIRST)
def test_twice_a_term_is_refused_though_it_vanishes_at_the_points_looked_at(
    claim_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the smallest tokens much is zero, and so is any multiple of it: others are looked for."""
    load_witnesses("wu2024")
    asked: list[Any] = []

    def noted(*question: Any) -> bool:
        asked.append(question)
        return confirmed_at_points(*question)

    monkeypatch.setattr("proofs.kernel.confirmed_at_points", noted)
    claim = encoded()[claim_id]
    prove = proof_of(claim)
    assert prove is not None and prove(claim).status in {"proved", "refuted"}
    terms = [(q, term, *rest) for q, term, *rest in asked if isinstance(term, Expr)]
    assert terms and all(confirmed_at_points(*question) for question in terms)
    assert not any(confirmed_at_points(q, 2 * term, *rest) for q, term, *rest in terms)


three = Domain(tuple(Size(Symbol(name, integer=True, positive=True), 1, 2) for name in "abc"))
few = Domain((Size(n, 1, 2), Factors(depth, 1, 2)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("domain", "vanishing"),
    [
        (three, lambda at, a, b, c: (at[a] - 1) * (at[b] - 1) * (at[c] - 1) * (at[a] - 2)),
        (few, lambda at, a, b: (at[a] - 1) * (at[b] - 1) * (at[b] - 2) * (at[b] - 3)),
    ],
    ids=["sizes", "layers"],
)
def test_what_differs_only_where_several_integers_are_large_is_seen(
    domain: Domain, vanishing: Any, seed: int
) -> None:
    """An order of matrices, for one, from three of them on, each with several rows."""
    names = [variable.symbol for variable in domain.variables]
    with seeded(seed):
        quantity = Quantity("q", lambda at: at[names[0]] + vanishing(at, *names))
        assert not confirmed_at_points(quantity, names[0], domain)
        honest = Quantity("q", lambda at: at[names[0]])
        assert confirmed_at_points(honest, names[0], domain)
