"""What is read off names, words, digits and classes of variables, and is not so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from sympy import Integer, KroneckerDelta, MatrixSymbol, Rational, Sum, Symbol
from wrong_certificates import (
    Offer,
    bare,
    claim_of,
    each,
    family,
    ge,
    i,
    j,
    judged,
    k,
    le,
    m,
    n,
    r,
    t,
    x,
    y,
)

from claims.almost_surely import AlmostSurely, RandomMatrices
from claims.domain import Array, Choice, Condition, Domain, Real, Size
from claims.model import Hypothesis
from claims.ranks import gram_rank
from claims.statement import Compare, Exists, ForAll, Predicate, Quantity, Tends
from claims.terms import MaxOver, Recursion, entry
from proofs import facts, kernel
from proofs.certificate import Certificate
from proofs.conclude import conclude, vacuous
from proofs.kernel import Theorem

# Names inside of ranks ----------------------------------------------------------------------------

RANK = gram_rank("r", lambda row, column: x)(1, 1)
PLACED = gram_rank("r", lambda row, column: k)(1, 1)
WITHIN = Recursion("f", lambda: RANK, lambda layer, before: before())
SHOWN = gram_rank("r", lambda row, column: KroneckerDelta(row, column))(n, n)


def known(rank: Any, only: Any) -> Theorem:
    """The rank of a matrix with one entry is one where that is one."""
    return kernel.fact(
        facts.GRAM_RANK, rank=rank, left=1, right=1, first=only, last=1,
        i=i, k=r, a=j, b=Symbol("b", integer=True), size=1,
    )  # fmt: skip


@family
def ranks_that_hold_a_name() -> Any:
    """That of a matrix with the entry x is one where x is; put in for x, 1 would be said of every x."""
    one = known(RANK, x)
    placed, range_of_one = known(PLACED, k), (ge(k, 1), le(k, 1))
    assumed = kernel.assume(Compare(PLACED, "=", 1))
    started = kernel.recursion_start(WITHIN)
    by_step = kernel.joint(Compare(PLACED, "=", 1), given=[Compare(PLACED, "=", 1), ge(k, 0)])
    some = Exists(k, 1, 1, Compare(PLACED, "=", 1))
    false: list[Offer] = [
        partial(kernel.substitute, one, {x: Integer(1)}), partial(kernel.substitute, one, {x: y}),
        partial(kernel.substitute, started, {x: Integer(1)}),
        partial(kernel.generalise, kernel.joint(assumed.formula, assumed, given=range_of_one), k, 1, 1),
        partial(kernel.generalise, placed, k, 1, 1),
        lambda: kernel.instance(kernel.assume(ForAll(k, 1, 1, assumed.formula)), Integer(1)),
        partial(kernel.exists, assumed, some, Integer(1)),
        lambda: kernel.choose(kernel.assume(some), k, kernel.joint(le(PLACED, 1), assumed)),
        partial(kernel.induction, assumed, by_step, k), partial(kernel.congruent, RANK, x, y, Integer(1)),
        partial(kernel.congruent, WITHIN(t), x, y, Integer(1)),
    ]  # fmt: skip
    true = each(
        lambda term, at: isinstance(kernel.substitute(kernel.assume(term), at), Theorem),
        (le(RANK, y), {y: Integer(1)}), (le(SHOWN, n), {n: m}),
    )  # fmt: skip
    return iter(false), true


HOLDS = Recursion("g", lambda: k, lambda layer, before: before())
SHOWS = Recursion("g", lambda place: place, lambda layer, place, before: before(place))
TOTAL = Quantity("q", lambda at: at[n] * at[k])


def summed_up(term: Any, total: Any) -> bool:
    """The sum of what is nowhere above n + 10^6, as a condition says of all indices from 1 to n."""
    bound = n + 10**6
    condition = Condition.of(ForAll(k, 1, n, le(term, bound)))
    stated = claim_of(le(TOTAL, n * bound), Size(n, 1), Size(k, 1), conditions=(condition,))
    assert condition.formula is not None
    terms = kernel.sum_compared(kernel.assume(condition.formula))
    known = kernel.sum_rearranged(Sum(bound, (k, 1, n)), n * bound)
    read = kernel.unfold(TOTAL, total, stated.domain)
    found = kernel.joint(stated.formula, terms, known, read)
    return conclude(stated, found, method="toy").status == "proved"


@family
def indices_that_are_held_inside() -> Any:
    """To a sum what a recursion holds is the name of the domain, to a quantifier its own index."""
    held = HOLDS(0)
    false: list[Offer] = [
        lambda: summed_up(held, Sum(held, (k, 1, n))),
        *each(
            lambda formula: kernel.assume(formula),
            ForAll(k, 1, n, le(held, n)), Exists(k, 1, n, ge(held, 1)), Tends(held / k, k, 0),
            le(Sum(held, (k, 1, n)), y), ge(MaxOver(held * k, (k, 1, n)), y),
        ),
        lambda: kernel.fact(facts.GEOMETRIC, q=1 - 1 / held, k=k),
        lambda: kernel.fact(facts.CAUCHY_SCHWARZ, a=held, b=k, k=k, low=1, high=n),
    ]  # fmt: skip
    shown = SHOWS(0, k)
    true = each(
        lambda formula: isinstance(kernel.assume(formula), Theorem),
        ForAll(k, 1, n, le(shown, n)), Tends(shown / k, k, 1), le(Sum(shown, (k, 1, n)), y),
        ForAll(j, 1, n, le(held, n)), le(Sum(held, (j, 1, n)), y),
    )  # fmt: skip
    return iter(false), true


# Words and digits ---------------------------------------------------------------------------------

SMALL = Predicate(
    "all numbers are small", lambda at, _: all(value < 10**6 for value in at.values())
)
FEW = Domain((), (Condition("few", lambda at: len(at) < 2),))


@family
def words_evaluated_at_no_point() -> Any:
    """A test, or a hypothesis, that is asked of a point holds where there is nothing to ask of."""
    of = RandomMatrices("M", lambda at, layer, rows, columns: Integer(0))
    false: list[Offer] = [
        *each(kernel.compute, SMALL, le(0, 1) & SMALL, AlmostSurely(of, SMALL), kernel.Within(FEW)),
        lambda: judged(claim_of(SMALL, Size(n, 1)), kernel.compute(SMALL)),
        lambda: bare(kernel.joint(SMALL, kernel.compute(SMALL | le(1, 0)))),
    ]  # fmt: skip
    return iter(false), each(kernel.compute, le(1, 2), AlmostSurely(of, le(1, 2)))


NOTHING, TINY = Quantity("0", lambda at: Integer(0)), Decimal("1e-80")
PAIR = Quantity("(0,n)", lambda at: (Integer(0), at[n]))
SIZES = Domain((Size(n, 1),))


@family
def digits_for_numbers() -> Any:
    """A decimal agrees with whatever has its sixty digits; what may change is none of a theorem's."""

    def unfolded(quantity: Quantity, value: Any) -> Certificate:
        claim = claim_of(Compare(quantity, "=", value), *SIZES.variables)
        return judged(claim, kernel.unfold(quantity, value, claim.domain))

    false: list[Offer] = [
        *each(
            kernel.compute, Compare(TINY, "=", 0), Compare(TINY, "=", Decimal(0)), Compare([1], "=", [1]),
            Compare((TINY,), "=", (0,)), Compare(Rational(0.1), "=", 0.1),
        ),
        partial(unfolded, NOTHING, TINY), partial(unfolded, PAIR, (TINY, n)),
    ]  # fmt: skip
    true = [
        partial(unfolded, NOTHING, Integer(0)), partial(unfolded, PAIR, (Integer(0), n)),
        partial(kernel.compute, Compare((1, 2), "=", (1, 2))),
    ]  # fmt: skip
    return iter(false), iter(true)


# Classes of variables -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Positive(Choice):
    """Any positive number; the values are examples."""

    def objection(self, value: Any, point: Any) -> str | None:
        return None if value > 0 else "must be positive"


@dataclass(frozen=True)
class _AtMost(Choice):
    """Those of the values that are at most n."""

    def objection(self, value: Any, point: Any) -> str | None:
        return None if value <= point[n] else "must be at most n"


@dataclass(frozen=True)
class _Anywhere(Real):
    """Any number; the ends say where it is drawn."""

    def objection(self, value: Any, point: Any) -> str | None:
        return None


VALUE = Quantity("x", lambda at: at[x])
COUNT = Quantity("k", lambda at: at[k])
BEYOND = Quantity("(x-n)^+", lambda at: max(at[x] - at[n], Integer(0)))
LISTED = (Integer(1), Integer(2))


@family
def examples_taken_for_all() -> Any:
    """Of a class beyond its examples no more is known than of none of them, and below them less."""

    def bounded(variable: Any) -> Certificate:
        claim = claim_of(le(VALUE, 2), variable)
        cases = (
            Compare(x, "=", 1) | Compare(x, "=", 2) if isinstance(variable, Choice) else le(x, 2)
        )
        value = kernel.unfold(VALUE, x, claim.domain)
        return judged(claim, kernel.joint(le(VALUE, 2), value, given=[cases]))

    def an_integer(kind: type) -> Certificate:
        claim = claim_of(Compare(COUNT, "!=", Rational(3, 2)), kind(k, LISTED))
        below = kernel.joint(
            claim.statement,
            kernel.unfold(COUNT, k, claim.domain),
            kernel.discharge(kernel.next_integer(Integer(1), k), Compare(1, "<", k)),
        )
        return judged(claim, below)

    def wider(kind: type) -> Certificate:
        few = (Integer(1), Integer(100))
        within = Domain((Size(n, 100, 102), kind(x, few)))
        theorem = kernel.derived(BEYOND, Integer(0), within, "calculus")
        return judged(claim_of(Compare(BEYOND, "=", 0), Size(n, 100, 102), Choice(x, few)), theorem)

    false = [
        *each(bounded, _Positive(x, LISTED), _Anywhere(x, 0, 2)), partial(an_integer, _Positive),
        partial(wider, _AtMost),
    ]  # fmt: skip
    true = [
        *each(bounded, Choice(x, LISTED), Real(x, 0, 2)), partial(an_integer, Choice), partial(wider, Choice)
    ]  # fmt: skip
    return iter(false), iter(true)


# Hypotheses that leave something ------------------------------------------------------------------

SQUARE = Quantity("x^2", lambda at: at[x] ** 2)
CUBE = Quantity("x^3", lambda at: at[x] ** 3)


@family
def hypotheses_that_leave_something() -> Any:
    """What limits a hypothesis makes nothing of a claim that speaks where it holds."""

    def offer(hypothesis: Compare, limited: Compare, stated: Compare) -> Certificate:
        assumed = claim_of(hypothesis, Real(x))
        value = kernel.unfold(SQUARE, x**2, assumed.domain)
        theorem = kernel.joint(hypothesis.implies(limited), value)
        claim = replace(claim_of(stated, Real(x)), hypotheses=(Hypothesis("so", assumed),))
        return vacuous(claim, steps=(), method="m", theorem=theorem)

    zero = SQUARE.equals(0)
    false = each(
        offer, (le(SQUARE, 1), le(x, 1), le(VALUE, 2)), (le(SQUARE, 1), ge(x, -1), le(CUBE, 1)),
        (zero, Compare(x, "=", 0), le(CUBE, 1)),
    )  # fmt: skip
    return false, each(offer, (zero, Compare(x, "=", 0), le(CUBE, 0)))


# Entries ------------------------------------------------------------------------------------------

X = MatrixSymbol("X", n, 1)
LAST = Quantity("X_n", lambda at: at[X][int(at[n]) - 1, 0])
TOKENS = Domain((Size(n, 1), Array(X)))


@family
def places_counted_from_the_end() -> Any:
    """No entry stands before the first, or between two."""

    def offer(place: Any) -> bool:
        try:
            return bool(kernel.unfold(LAST, entry(X)(place, 1), TOKENS))
        except LookupError:
            return False

    return each(offer, Integer(0), n / 2, n - 1), each(offer, n)
