"""Terms, statements and applications of the kernel's rules drawn at random, and points to look at.

What is drawn is seldom reasonable on purpose: indices that bear the name of a free symbol or of another
index around them, ranges that go back, numbers near a step, functions outside of where they have a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from sympy import (
    Abs,
    Expr,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    binomial,
    cancel,
    ceiling,
    cos,
    cosh,
    erf,
    exp,
    expand,
    expand_log,
    expand_power_base,
    factor,
    factorial,
    floor,
    gamma,
    log,
    logcombine,
    loggamma,
    pi,
    powdenest,
    powsimp,
    sign,
    simplify,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
    together,
)
from sympy.polys.polyerrors import BasePolynomialError
from total_values import Total

from claims.errors import UNDEFINED
from claims.statement import Compare, Formula
from claims.terms import MaxOver, MinOver
from proofs import facts, kernel, sense
from proofs.kernel import ProofError, Theorem

REFUSED = (ProofError, *UNDEFINED, NotImplementedError, BasePolynomialError)
"""What an offer or an evaluation that leads nowhere raises."""

__all__ = ["POINTS", "REFUSED", "falsified", "term", "theorems"]

x, y = symbols("x y", real=True)
positive, counted = Symbol("p", positive=True), Symbol("q", nonnegative=True)
j, k, m = symbols("j k m", integer=True)
n = Symbol("n", integer=True, positive=True)
SYMBOLS = (x, y, positive, counted, Symbol("u"), j, k, m, n)
INDICES = (j, k, m, n)
NUMBERS = (Integer(0), Integer(1), Integer(-1), Integer(2), Rational(1, 2), pi, sqrt(2), tanh(1000))
NEAR = (1000 * sqrt(1000001) / 1000001, tanh(10), 1 + Rational(1, 10**10), Rational(355, 113))
"""Numbers near to where a function that is taken of them vanishes."""
FUNCTIONS = (exp, log, sqrt, Abs, floor, ceiling, sign, cos, sin, tanh, atan)
SELDOM = (acos, asin, tan, sinh, cosh, acosh, asinh, atanh, erf, gamma, loggamma)
POWERS = (
    Integer(2),
    Integer(3),
    Integer(-1),
    Rational(1, 2),
    Rational(-1, 2),
    Rational(1, 3),
    k,
    n,
    x,
)


def term(rng: Random, depth: int) -> Any:
    """A term of which nothing is known."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(SYMBOLS + NUMBERS if rng.random() < 0.95 else NEAR)
    inside: Callable[[], Any] = lambda: term(rng, depth - 1)  # noqa: E731
    cases: tuple[Callable[[], Any], ...] = (
        lambda: inside() + inside(),
        lambda: inside() * inside(),
        lambda: inside() - inside(),
        lambda: inside() / inside(),
        lambda: inside() ** rng.choice(POWERS),
        lambda: rng.choice(FUNCTIONS if rng.random() < 0.8 else SELDOM)(inside()),
        lambda: rng.choice((Max, Min))(inside(), inside()),
        lambda: _ranged(rng, rng.choice((Sum, Sum, MaxOver, MinOver)), inside()),
        lambda: Piecewise(
            (inside(), rng.choice((x > 0, y <= x, k >= 1, Ne(x, 0)))), (inside(), True)
        ),
        lambda: rng.choice((factorial(n), factorial(k), binomial(n, k), KroneckerDelta(k, n))),
    )
    return rng.choice(cases)()


def _ranged(rng: Random, kind: Any, inside: Any) -> Any:
    index = rng.choice(INDICES)
    body = rng.choice((inside * index, inside + index, inside, inside * index**2))
    return kind(body, (index, rng.choice((0, 1, k, n)), rng.choice((n, k, m, n + 1, Integer(3)))))


def _said(rng: Random) -> Compare:
    """A comparison that holds wherever its sides have values, or that might."""
    a, b = term(rng, 2), term(rng, 1)
    return rng.choice(
        (
            Compare(a**2, ">=", 0), Compare(Abs(a), ">=", a), Compare(Max(a, b), ">=", a),
            Compare(Min(a, b), "<=", b), Compare(floor(a), "<=", a), Compare(exp(a), ">", 0),
            Compare(a**2 + b**2, ">=", 2 * a * b), Compare(a, "<=", a + b**2), Compare(a, "<=", Abs(b) + a),
            Compare(sqrt(a) ** 2, "=", a), Compare(a * b / b, "=", a), Compare(a, "<=", b),
        )
    )  # fmt: skip


REWRITTEN: tuple[Callable[[Any], Any], ...] = (
    expand, simplify, factor, cancel, together, lambda t: t.doit(), lambda t: powsimp(t, force=True),
    lambda t: logcombine(t, force=True), lambda t: expand_log(t, force=True),
    lambda t: expand_power_base(t, force=True), lambda t: powdenest(t, force=True),
    lambda t: t.replace(Abs, lambda a: a), lambda t: t.replace(floor, lambda a: a),
    lambda t: t.replace(KroneckerDelta, lambda a, b: Integer(0)),
    lambda t: t.replace(MaxOver, lambda body, over: body.subs(over[0], over[2])),
    lambda t: t + KroneckerDelta(k, n) * (k - n), lambda t: t * x / x,
)  # fmt: skip
"""Ways to write a term otherwise, right and wrong."""


def _facts(rng: Random) -> Theorem:
    index, low, high = rng.choice(INDICES), rng.choice((0, 1, k)), rng.choice((Integer(0), n, m))
    a, b = (rng.choice((term(rng, 1), index, 1 / index, term(rng, 1) * index)) for _ in range(2))
    cases: tuple[Callable[[], Theorem], ...] = (
        lambda: kernel.fact(facts.CAUCHY_SCHWARZ, a=a, b=b, k=index, low=low, high=high),
        lambda: kernel.fact(facts.JENSEN, w=a, x=b, k=index, low=low, high=high),
        lambda: kernel.fact(facts.FUBINI, a=a * b, j=m, k=index, rows=n, columns=Integer(2)),
        lambda: kernel.fact(facts.EXP_ABOVE_TANGENT, x=a),
        lambda: kernel.fact(facts.DELTA, a=j, b=k, term=a, place=index),
        lambda: kernel.fact(facts.INTEGER_PART, x=a),
    )  # fmt: skip
    return rng.choice(cases)()


def _counted_up(rng: Random) -> Theorem:
    """Induction, and one case before the first of a range; the cases are tried by arithmetic."""
    index, first = rng.choice((j, k)), rng.choice((Integer(0), Integer(-1), Integer(2)))
    body = rng.choice((_said(rng), Compare((index + x) / x, "=", 1 + index / x)))
    following = body.substitute({index: index + 1})
    assert isinstance(following, Compare)
    start = kernel.joint(body.substitute({index: first}))
    whole = kernel.induction(start, kernel.joint(following, given=[body]), index, first)
    if rng.random() < 0.5:
        return whole
    return kernel.prepended(kernel.joint(body.substitute({index: first - 1})), whole)


def _begun(rng: Random) -> Theorem:
    a = term(rng, 2)
    end = rng.choice((n, k, m, n + 1))
    cases: tuple[Callable[[], Theorem], ...] = (
        lambda: kernel.joint(_said(rng)),
        lambda: kernel.joint(_said(rng)),
        lambda: kernel.identity(a, rng.choice(REWRITTEN)(a)),
        lambda: kernel.identity(a, rng.choice(REWRITTEN)(a)),
        lambda: kernel.assume(Compare(a, rng.choice(("<=", "=", "<")), term(rng, 1))),
        lambda: _facts(rng),
        lambda: _facts(rng),
        lambda: _counted_up(rng),
        lambda: kernel.extremum_bounds(MaxOver(a * j, (j, 1, rng.choice((n, 3)))), rng.choice((1, n, k))),
        lambda: kernel.sum_split(Sum(a * j, (j, rng.choice((0, 1, k, n)), end)), rng.choice((0, 1))),
        lambda: kernel.congruent(a, rng.choice(SYMBOLS), term(rng, 1), term(rng, 1)),
        lambda: kernel.congruent(a * x, x, rng.choice((1 / y, 1 / k, 1 / a, sqrt(a))), term(rng, 1)),
        lambda: kernel.sum_rearranged(Sum(a + j, (j, 1, n)), rng.choice(REWRITTEN)(Sum(a + j, (j, 1, n)))),
    )  # fmt: skip
    return rng.choice(cases)()


def _values(rng: Random) -> dict[Any, Any]:
    chosen = [s for s in SYMBOLS if rng.random() < 0.35] or [x]
    places = (j, k, n, Integer(2), k + 1, Integer(-3))
    return {s: rng.choice(places) if s.is_integer else term(rng, 1) for s in chosen}


def _continued(rng: Random, pool: list[Theorem]) -> Theorem:
    theorem, other = rng.choice(pool), rng.choice(pool)
    low, high = (
        rng.choice((0, 1, k, n, 2)),
        rng.choice((Integer(1), Integer(3), n, k, n + 1, k - 1)),
    )
    place = rng.choice((k, j, n, Integer(1), Integer(2), m))
    cases: tuple[Callable[[], Theorem], ...] = (
        lambda: kernel.substitute(theorem, _values(rng)),
        lambda: kernel.substitute(theorem, _values(rng)),
        lambda: kernel.generalise(theorem, rng.choice(INDICES), low, high),
        lambda: kernel.instance(theorem, place),
        lambda: kernel.sum_compared(theorem),
        lambda: kernel.extremum_compared(theorem, rng.choice((MaxOver, MinOver))),
        lambda: kernel.sum_at_least_term(theorem, place),
        lambda: kernel.both(theorem, other),
        lambda: kernel.joint(_said(rng), theorem, other),
        lambda: kernel.discharge(theorem, rng.choice(sorted(theorem.hypotheses, key=str))),
        lambda: kernel.cut(theorem, other),
        lambda: kernel.part(theorem, rng.choice((0, 1))),
    )
    return rng.choice(cases)()


def theorems(rng: Random, offers: int) -> Iterator[Theorem]:
    """What the kernel makes of so many offers, each of those before it or of none."""
    pool: list[Theorem] = []
    for _ in range(offers):
        try:
            made = _begun(rng) if len(pool) < 2 or rng.random() < 0.25 else _continued(rng, pool)
        except REFUSED:
            continue
        pool.append(made)
        yield made


# Points -------------------------------------------------------------------------------------------

_REALS = (0, 1, -1, 2, -2, Rational(1, 2), Rational(-3, 2), Rational(7, 3), NEAR[0])


def _point(rng: Random) -> dict[Any, Any]:
    drawn = {s: rng.choice(_REALS) for s in (x, y, SYMBOLS[4])}
    drawn |= {s: rng.choice((-2, -1, 0, 1, 2, 3)) for s in (j, k, m)}
    drawn |= {n: rng.choice((1, 2, 3)), counted: rng.choice((0, 1, Rational(1, 2)))}
    return {**drawn, positive: rng.choice((1, 2, Rational(1, 2)))}


POINTS = tuple(_point(Random(seed)) for seed in range(12))


CHOICES = range(3)


def falsified(theorem: Theorem) -> dict[Any, Any] | None:
    """A point at which the hypotheses hold and the formula is false, whatever has no value there."""
    return _where_all_have_values(theorem) or _somewhere(theorem)


def _somewhere(theorem: Theorem) -> dict[Any, Any] | None:
    for point in POINTS:
        for choice in CHOICES:
            total = Total(choice, point)
            if total.holds(theorem.formula) is False and all(map(total.holds, theorem.hypotheses)):
                return {**point, "choice": choice}
    return None


def _where_all_have_values(theorem: Theorem) -> dict[Any, Any] | None:
    formula = theorem.formula
    terms = [piece for piece in formula.walk() if isinstance(piece, Expr)]
    needed: tuple[Formula, ...] = (*theorem.hypotheses, *sense.without_value(*terms))
    for point in POINTS:
        try:
            if all(_holds(f, point) is True for f in needed) and _holds(formula, point) is False:
                return point
        except REFUSED:
            continue
    return None


def _holds(formula: Formula, point: dict[Any, Any]) -> bool | None:
    return formula.substitute(point).truth({})
