"""Definitions that change, that are no functions of their point, and digits that show too little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count
from typing import Any

from sympy import (
    Expr,
    Integer,
    KroneckerDelta,
    Matrix,
    Max,
    Rational,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    oo,
    sqrt,
    tanh,
)  # fmt: skip
from wrong_certificates import bare, claim_of, each, family, judged, k, n, x

from claims import terms
from claims.domain import Choice, Condition, Domain, Real, Size
from claims.events import Events
from claims.gaussian_growth import Growth, Shares
from claims.iid_shares import Gamma, Iid
from claims.iid_tables import Tables
from claims.ranks import gram_rank
from claims.singular import singular_values
from claims.statement import Compare, Quantity
from claims.terms import Recursion
from proofs import facts, kernel
from proofs.certificate import Certificate
from proofs.kernel import Theorem

SIZE = Size(n, 1, 3)


def sizes() -> Domain:
    """Another domain each time, of which nothing is remembered."""
    return Domain((SIZE,))


# What is said once --------------------------------------------------------------------------------


def _recursion() -> Recursion:
    return Recursion("g", lambda: Integer(0), lambda t, before: before())


def assigned(make: Callable[[], Any], name: str, value: Any) -> bool:
    """Something that theorems may rest on is something else afterwards."""
    made = make()
    setattr(made, name, value)
    return getattr(made, name) is value


def deleted(make: Callable[[], Any], name: str) -> bool:
    made = make()
    delattr(made, name)
    return True


@family
def what_changes_after_a_theorem() -> Any:
    one = lambda *places: Integer(1)  # noqa: E731
    quantity = lambda: Quantity("q", one)  # noqa: E731
    member = lambda: terms.family("q", one)  # noqa: E731
    exponential = lambda: Iid("Z", lambda at: Gamma(Integer(1), Integer(1)))  # noqa: E731
    grown = lambda: Growth("N", lambda at, place: Shares.equal(1))  # noqa: E731
    events = lambda: Events(n, Symbol("c"))  # noqa: E731
    false = [
        *each(
            assigned, (quantity, "define", one), (member, "define_at", one), (member, "kept", True),
            (_recursion, "start", one), (_recursion, "step", one), (_recursion, "function", None),
            (_recursion, "written", ((), Integer(1), Integer(1))), (_recursion, "circular", False),
            (exponential, "at", one), (exponential, "moment", one), (grown, "shares", one),
            (grown, "above", None), (events, "chance", one), (events, "exponent", k),
        ),
        *each(deleted, (quantity, "define"), (member, "define_at"), (_recursion, "start")),
    ]  # fmt: skip
    return iter(false), each(assigned, (quantity, "stands_for", "p"))


def later(values: Callable[[], Any], change: Callable[[Any], None]) -> bool:
    """Whether values that were listed are others once the list is changed, or what stands in it."""
    listed = values()
    chosen = Choice(x, listed)
    before = list(map(str, chosen.values))
    change(listed)
    return list(map(str, chosen.values)) != before


def _raised(listed: list[Any]) -> None:
    listed[0][0, 0] = 2


@family
def choices_that_grow() -> Any:
    false = each(
        later, (lambda: [1], lambda listed: listed.append(2)), (lambda: [Matrix([[1]])], _raised),
        (lambda: ([1],), lambda listed: listed[0].append(2)),
    )  # fmt: skip
    return false, each(lambda values: Choice(x, values).values == values, (((1, 2), True),))


class _Loose(Recursion):
    """Of which another function is said."""

    def __call__(self, t: Any, *others: Any) -> Expr:
        return Integer(0)


class _OnePoint(Domain):
    """Which shows one point only."""

    def smallest(self, limit: int = 1) -> Iterator[dict[Any, Any]]:
        return iter([{n: Integer(1)}])


@family
def kinds_of_their_own() -> Any:
    loose = _Loose("g", lambda: Integer(1), lambda t, before: before())
    size = Quantity("n", lambda at: at[n])
    false = [lambda: kernel.recursion_start(loose)]
    false += each(kernel.unfold, (size, n, _OnePoint((SIZE,))))
    return iter(false), each(kernel.recursion_start, _recursion())


@family
def values_that_rest_on_themselves() -> Any:
    """By singular values, ranks or laws of which they are the entries."""

    def start_of(make: Callable[[Any], Any], step: bool = False) -> Theorem:
        inside: list[Any] = []
        one = lambda t, before: inside[0]() if step else before()  # noqa: E731
        made = Recursion("g", lambda: Integer(1) if step else inside[0]() + 1, one)
        inside.append(make(made(0)))
        return kernel.recursion_start(made)

    def singular(value: Any) -> Any:
        made = singular_values("s", lambda i, k: value)
        return lambda: made(1, 1, 1)

    def rank(value: Any) -> Any:
        made = gram_rank("r", lambda i, k: value)
        return lambda: made(1, 1)

    def law(value: Any) -> Any:
        tables = Tables("Z", value, Integer(1), Integer(9))
        return lambda: tables.entries(1, 1, 1)

    made = (singular, rank, law, lambda value: singular(singular(value)()))
    other = _recursion()(0)
    true = [lambda: start_of(lambda _: singular(other)), lambda: start_of(lambda _: rank(other))]
    return each(start_of, *made, (singular, True)), iter(true)


# Functions of the point ---------------------------------------------------------------------------


def twice(define: Callable[[Any], Any], kept: bool = False) -> bool:
    """What a definition gives at one time and at another."""
    scale = [1]
    value = lambda at, *places: scale[0] * define(at)  # noqa: E731
    q = terms.family("q", value, kept=True)(1) if kept else Quantity("q", value)
    one = kernel.unfold(q, n, sizes())
    scale[0] = 2
    return bare(kernel.joint(Compare(n, "=", 2 * n), one, kernel.unfold(q, 2 * n, sizes())))


def counted() -> Theorem:
    """The first one asked for is another one than all others."""
    numbers = count()
    value = lambda at: at[n] + min(next(numbers), 1) + 0 * len(at)  # noqa: E731
    return kernel.unfold(Quantity("q", value), n + 1, sizes())


def in_a_wider_domain(define: Callable[[Any], Any], term: Any, *more: Any) -> Certificate:
    """A value that was read where a variable is missing, where it is not."""
    q = Quantity("q", define)
    return judged(claim_of(q.equals(term), SIZE, *more), kernel.unfold(q, term, sizes()))


def _where_there_is_one(at: Any) -> Any:
    try:
        return Max(0, at[x] - 10)
    except KeyError:
        return Integer(0)


@family
def definitions_that_are_no_functions_of_the_point() -> Any:
    far, there = Real(x, 0, oo), Real(x, 0, 1)
    clipped = lambda value: Max(0, value - 10)  # noqa: E731
    false = [
        lambda: twice(lambda at: dict(at)[n]), lambda: twice(lambda at: at[n], kept=True), counted,
        *each(
            in_a_wider_domain, (lambda at: clipped(at.get(x, Integer(0))), Integer(0), far),
            (lambda at: clipped(at[x]) if x in at else Integer(0), Integer(0), far),
            (lambda at: clipped(dict(at).get(x, Integer(0))), Integer(0), far),
            (_where_there_is_one, Integer(0), far), (lambda at: Integer(len(at)), Integer(1), there),
        ),
    ]  # fmt: skip
    return iter(false), each(in_a_wider_domain, (lambda at: at[n] ** 2, n**2, there))


def chosen(define: Callable[[Any], Any], *values: Any) -> Certificate:
    q = Quantity("q", define)
    claim = claim_of(q.equals(1), Choice(x, values), SIZE)
    return judged(claim, kernel.unfold(q, Integer(1), claim.domain))


@family
def values_that_are_equal_and_told_apart() -> Any:
    """To Python True and 1.0 are 1, and what was remembered of one was said of the other."""
    kind = lambda of: lambda at: Integer(0) if isinstance(at[x], of) else Integer(1)  # noqa: E731
    nested = lambda at: Integer(0) if at[x][0] is True else Integer(1)  # noqa: E731
    false = each(chosen, (kind(bool), 1, True), (kind(float), 1, 1.0), (nested, (1, 2), (True, 2)))
    return false, each(chosen, (kind(float), 1, 2))


# Digits -------------------------------------------------------------------------------------------

S = singular_values(
    "s", lambda i, k: KroneckerDelta(i, 1) * KroneckerDelta(k, 1) + KroneckerDelta(i + k, 3)
)
GOLDEN = (1 + sqrt(5)) / 2
ROOT = Recursion("g", lambda: Integer(2), lambda t, before: (before() + 5 / before()) / 2)
HALVED = Quantity("c", lambda at: Decimal(2).sqrt() / Decimal(10) ** 45)
SLOW = Quantity(
    "e", lambda at: Decimal("2.71828182845904523536028747135266249775724709369995957496697")
)


def value(quantity: Any, term: Any) -> Theorem:
    return kernel.unfold(quantity, term, sizes())


@family
def what_forty_digits_do_not_show() -> Any:
    own, tiny = S(1, 2, 2), exp(-104 * n)
    hidden = [
        GOLDEN + Rational(1, 10**45), GOLDEN + exp(-104), GOLDEN * cos(exp(-60)), GOLDEN + tiny,
        GOLDEN + 1 / (10**45 + n), GOLDEN + Sum(exp(-104 * k), (k, 1, n)), GOLDEN + (n - 1) * tiny,
        GOLDEN * erf(12), GOLDEN * tanh(60 * n), GOLDEN ** (1 + tiny), (1 + ROOT(8)) / 2,
        sqrt(GOLDEN**2 + tiny),
    ]  # fmt: skip
    short = exp(1)
    transcendental = [short + tiny, short * erf(12), short * cos(exp(-50 * n)), short + exp(-104)]
    false = [(own, term) for term in hidden] + [(SLOW, term) for term in transcendental]
    false += [
        (own - GOLDEN, exp(-104)), (own * exp(-104), 0), (own / 10**45, 0), (own * tiny, 0),
        (n + own * tiny, n), (HALVED, 0), (HALVED, exp(-103)),
        (n + HALVED, n),
    ]  # fmt: skip
    true = [
        (own, GOLDEN), (own**2, GOLDEN + 1), (own - GOLDEN, 0), (2 * n * own, n + n * sqrt(5)), (SLOW, short),
    ]  # fmt: skip
    return each(value, *false), each(value, *true)


# Laws ---------------------------------------------------------------------------------------------

F = Symbol("f", real=True)
FOURTH = Quantity(r"\mathbb E\,Z^4", lambda at: at[F])


def rows_of(mean: Any, deviation: Any, fourth: Any, *variables: Any) -> Certificate:
    """What is so almost surely of tables, beside the size of a matrix."""
    tables, layer = Tables("Z", mean, deviation, fourth), Symbol("l", integer=True, positive=True)
    places = {"row": Symbol("i", integer=True), "column": k, "size": n, "layer": layer}
    rows = kernel.fact(facts.ROW_SUMS, entry=tables.entries(layer, places["row"], k), **places)
    size = Quantity("n", lambda at: at[n])
    both = kernel.both(rows, kernel.unfold(size, n, sizes()))
    light = (Condition.of(tables.light),)
    return judged(claim_of(both.formula, SIZE, *variables, conditions=light), both)


@family
def laws_that_there_are_not() -> Any:
    one = Integer(1)
    false = each(
        rows_of, (one, one, Integer(5)), (one, -one, Integer(50)), (-one, one, Integer(50)),
        (one, one, FOURTH, Real(F, 0, 2)), (one, one, FOURTH, Real(F, 0, 8)), (F, one, FOURTH, Real(F, 0, 1)),
    )  # fmt: skip
    return false, each(rows_of, (one, one, FOURTH, Real(F, 0, 9)), (one, one, FOURTH, Real(F)))
