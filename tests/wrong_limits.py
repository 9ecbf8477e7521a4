"""Limits of what is no sequence of real numbers, and ranges without an end."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Abs,
    Dummy,
    Function,
    I,
    Integer,
    Sum,
    Symbol,
    acosh,
    atan,
    atanh,
    besselk,
    binomial,
    ceiling,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    gamma,
    log,
    loggamma,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    zoo,
)
from wrong_certificates import a, bare, claim_of, each, family, ge, i, j, k, le, m, n, p, s, t, x, y

from claims.almost_surely import RandomMatrices
from claims.domain import Size
from claims.statement import Compare, ForAll, Monotone, Quantity, Tends
from claims.terms import family as of_family
from proofs import facts, kernel
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.kernel import Theorem

ONE = Integer(1)


def sequence(term: Any) -> bool:
    """Whether a sequence is said to have a limit, whatever its parameters are."""
    return bare(kernel.limit(term, k))


@family
def sequences_that_are_not_real() -> Any:
    """Roots and logarithms of what is negative far out, or may be for some parameters."""
    false = [
        cos(log(-k) - log(k)), Abs(sqrt(-k)) / sqrt(k), sqrt(-k) / k, log(-k) / k, acosh(-k) / k,
        exp(-Abs(log(1 - k))), cosh(log(exp(-k) - 1)) / k, sqrt(1 / k - 1) + 1 / k, 1 / log(-k),
        Abs(sqrt(x)) / k, sqrt(x) / k, log(x) / k, 1 / (x * k), gamma(x) / k, sqrt(x - k) / k, sqrt(x * k) / k,
        log(x + exp(-k)) / k, log(1 + x * k) / k, x + 1 / (k * x), 1 / x + 1 / k, Abs(log(x + 1 / k)),
    ]  # fmt: skip
    true = [
        log(k) / k**2, sqrt(k - 9) / k**2, 1 / (s * k), log(1 + s * k) / k**2, acosh(k) / k**2,
        log(1 + exp(-k)),
        sqrt(s) / k, x / k, (x * k + 1) / k, exp(-s * k) * x, log(s) + 1 / k, Abs(x) / k,
    ]  # fmt: skip
    return each(sequence, *false), each(sequence, *true)


@family
def signs_of_parameters() -> Any:
    """What is so of positive parameters need not be so of negative ones."""
    false = [
        k**x, k**-x, 1 / k**x, exp(-x * k), atan(x * k), x * k, k ** (x**2 - 1), erf(k * x), exp(-k * p) * x,
        k**x / (1 + k**x), Abs(x) ** k, Abs(x - p) * k, (1 + Abs(x)) ** -k, 1 / (k**x + 1),
    ]  # fmt: skip
    return each(sequence, *false), each(
        sequence, k ** -(1 + s), exp(-s * k), atan(s * k), (1 + s) ** -k
    )


@family
def what_some_parameters_outgrow() -> Any:
    """SymPy compares rates as if they were those of no parameter; the numbers that are drawn are below 98."""
    false = [
        k**n - k**13, k**98 - k**s, (k**13 - k**n) * sqrt(k), k**13 * (k**-n + k ** Integer(-13)),
        (1 + s) ** k - 100**k, 2 ** (n * k) - 2 ** (13 * k), exp(98 * k) - exp(s * k),
        cosh(s * k) - cosh(98 * k),
        (exp(-s * k) + exp(-98 * k)) * exp(98 * k), log(k) ** s - log(k) ** 98, log(k) ** n - k**s,
        exp(k * cos(1 / k)) - 2 ** (s * k), besselk(n, 1 / k) / k**15, sinh(s * k) - exp(98 * k),
        (k / log(k)) ** s / k**98,
    ]  # fmt: skip
    true = [
        k**n * exp(-k), s**k * k**-k, exp(k) / k**n, k**x * exp(-s * k), (1 + s) ** sqrt(k) * exp(-k),
        k * (pi / 2 - atan(s * k)), k * log((k + s) / k), sqrt(k**2 + x * k) - k, Abs(k - s) - k,
        (2 + 1 / k) ** x, (1 + 1 / k) ** (x * k), binomial(k, 2) / k**2, k**13 - k**98,
    ]  # fmt: skip
    return each(sequence, *false), each(sequence, *true)


@family
def special_functions_that_are_misread() -> Any:
    """SymPy lets these tend to the other infinity, and so far out it seems to be the right one."""
    large = 10**30
    false = [
        large * loggamma(log(k) + 1) - log(k) ** 2, 2 ** (large * loggamma(log(k) + 1) - log(k) ** 2),
        large * k + log(erfc(k)), exp(large * k) * erfc(k) ** sqrt(2),
    ]  # fmt: skip
    true = [
        loggamma(k) - k**2, erfc(k) * exp(k**2) - 1 / k, gamma(1 / k) / k, gamma(k) - 2 * k**2,
        3**k * k ** Integer(-2) + erf(k),
    ]  # fmt: skip
    return each(sequence, *false), each(sequence, *true)


def put_together(place: Any, term: Any) -> bool:
    """Whether a sequence that tends to one is said to do so under a term, in a place of it."""
    return bare(kernel.limit_combined(term, {place: kernel.limit(1 - 1 / k, k)}))


@family
def places_of_sequences() -> Any:
    """What a term does with a symbol shows; with a member of a family, a number or another term it does not."""
    places = [a(1), x + y, x**2, exp(x), pi, Integer(7), Integer(-1), floor(x)]
    false = [
        (place, make(place)) for place in places for make in (lambda f: f, lambda f: floor(f / 2))
    ]
    return each(put_together, *false, (x, floor(x)), (x, 1 / x)), each(
        put_together, (x, x**2 + y * x), (s, exp(-s)), (n, n * exp(n)), (x, y)
    )


@family
def what_returns_for_ever() -> Any:
    """Without a value at every seventh, or every fourth place, of which none is looked at."""
    fourth = (1 + (-1) ** k) * (1 - (-1) ** (k * (k + 1) / 2)) / 4
    false = [
        exp(-k) / sin(pi * k / 7), exp(-k) * log(sin(pi * k / 7) ** 2), exp(-k) / (1 - cos(2 * pi * k / 11)),
        exp(-k) / (1 - fourth), exp(-k) * log(Abs(cos(pi * k / 14))), 1 / (k**k * sin(k * pi / 13)),
        exp(-k) / (1 + sin(pi * k / 22 + 1 / k) ** 2 - 1), sqrt(sin(pi * k / 7)) * exp(-k),
    ]  # fmt: skip
    true = [cos(1 / k), 1 / (k * cos(1 / k)), exp(-k) / (2 + exp(-k)), (1 + 1 / k) ** k]
    return each(sequence, *false), each(sequence, *true)


@family
def what_is_real_for_long() -> Any:
    """Beyond every place that is looked at a root, a logarithm or another function has no value."""
    false = [
        sqrt(100 - log(k)), log(10**20 - log(k)), acosh(50 - log(log(k))), sqrt(2**60 - sqrt(k)),
        (100 - log(k)) ** (ONE / 3), atanh(log(k) / 100), log(3 + exp(-k) - log(log(log(k)))),
    ]  # fmt: skip
    true = [
        sqrt(log(k) - log(log(k))), sqrt(1 / log(k)), log(log(k)), atanh(log(k) / k), log(1 - exp(-k)),
        1 / (2**300 - gamma(k)),
    ]  # fmt: skip
    return each(sequence, *(exp(-k) * f for f in false)), each(
        sequence, *(exp(-k) * f for f in true)
    )


def evaluated(term: Any, value: Any, index: Any = k) -> Theorem:
    return kernel.compute(Tends(term, index, Integer(0) + value))


@family
def limits_by_evaluation() -> Any:
    """SymPy takes the value of a step at the wrong side, or limits along the reals, or of complex numbers."""
    false = [
        (floor(erf(k)), 1), (floor(1 - exp(-k)), 1), (ceiling(exp(-k)), 0), (sqrt(-k) ** 2 / k, -1),
        (cos(log(-k) - log(k)), cosh(pi)), (1 / k, 0), (sum(1 for _ in ()) + 0 * k, 0),
    ]  # fmt: skip
    hidden = ForAll(j, 1, 2, Tends(floor(erf(k)), k, Integer(1)))
    return (
        iter([*each(evaluated, *false), partial(kernel.compute, hidden)]),
        each(kernel.compute, ForAll(j, 1, 3, ge(j**2, j)), ~Compare(Integer(2), "=", 1)),
    )


def tends(index: Any) -> Theorem:
    return kernel.assume(Tends(1 / index, index, Integer(0)))


def rising(index: Any, low: Any = 0, high: Any = oo) -> Theorem:
    return kernel.assume(Monotone(a(index), index, "<=", Integer(0) + low, high))


@family
def indices_that_are_none() -> Any:
    """A limit goes through all large integers; what rises does so over a range of them."""
    named = [
        Symbol("e", even=True), Symbol("o", odd=True), x, s, Symbol("c"), Dummy("q", prime=True),
        Symbol("q", integer=True, negative=True), Symbol("z", integer=True, zero=True),
        Quantity("q", lambda at: Integer(1), integer=True),
        Symbol("i", integer=True, composite=True), Symbol("i", integer=True, nonpositive=True),
    ]  # fmt: skip
    ranges = [
        (Symbol("e", even=True),), (m, 0), (m, -3), (k, 0, x), (k, x), (k, oo), (Symbol("o", odd=True),),
        (t, -1), (k, 0, n / 2),
    ]  # fmt: skip
    return (
        iter([*each(tends, *named), *each(rising, *ranges)]),
        iter([*each(tends, k, n, t), *each(rising, (k,), (m, 1), (t, 0, n), (k, -oo), (k, 0, n))]),
    )


M = RandomMatrices("M", lambda at, *_: Integer(1))


def norm_of(rows: Any, columns: Any) -> bool:
    """Whether sizes of a norm are taken for its indices."""
    free = M.norm(k, rows, columns).free_symbols
    return not ({rows, columns} <= free)


def vanishing(rows: Any) -> Theorem:
    mean = M.mean_square(k, rows, Integer(2))
    return kernel.fact(facts.BEPPO_LEVI, mean=mean, k=k, last=n, bound=Integer(1))


@family
def norms_of_random_matrices() -> Any:
    """Sizes that have the names of indices, and sizes that an outcome enters."""
    named = [Symbol(name, integer=True, positive=True) for name in "ij"]
    random = [
        1 + ceiling(Abs(M.entries(Integer(1), 1, 1))), ceiling(Abs(of_family("f", max)(1))) + 1,
        Quantity("q", max, integer=True, positive=True),
    ]  # fmt: skip
    pairs = [(named[0], named[1]), (named[1], named[0]), (named[0], Symbol("r", integer=True))]
    return (
        iter([*each(norm_of, *pairs), *each(vanishing, *random)]),
        iter([*each(vanishing, m, Integer(3)), lambda: not norm_of(m, Symbol("r", integer=True))]),
    )


def equal(left: Any, right: Any) -> Theorem:
    return kernel.congruent(x - y, x, left, right)


@family
def equals_for_infinite_ones() -> Any:
    false = [(oo, oo), (s, oo), (-oo, s), (oo + I, s), (zoo, s), (s + oo, s)]
    return each(equal, *false), each(equal, (s, x), (x, x + y), (Integer(1), s))


def summed(low: Any, high: Any) -> Theorem:
    return kernel.sum_compared(kernel.assume(ForAll(j, low, high, le(a(j), 1))))


def one_of_many(low: Any, high: Any) -> Theorem:
    return kernel.sum_at_least_term(kernel.assume(ForAll(j, low, high, ge(a(j), 0))), i)


@family
def ranges_without_an_end() -> Any:
    """Infinite sums need not have a value, whichever way they go."""
    ends = [(-oo, Integer(3)), (-oo, oo), (Integer(1), oo), (-oo, n), (k, oo), (Integer(1), n + oo)]
    false = [partial(make, *pair) for make in (summed, one_of_many) for pair in ends]
    return iter(false), each(summed, (Integer(1), n), (-n, n))


def concluded(value: Any, term: Any = lambda q: q / k) -> Certificate:
    """A limit that rules find of any real number, claimed of a quantity."""
    q = Quantity("q", lambda at: value)
    found = kernel.limit(term(q), k)
    return conclude(claim_of(found.formula, Size(n, 1)), found, method="toy")


def of_members(value: Any, first: int = 0) -> Certificate:
    """A family with a value from some member on, and none before."""
    f = of_family("f", lambda at, place: value if place >= first else zoo)
    zero = kernel.assume(ForAll(k, 1, oo, Compare(f(k), "=", 0)))
    found = kernel.limit_rewritten(kernel.limit(Integer(0), k), zero)
    stated = zero.formula.implies(found.formula)
    return conclude(
        claim_of(stated, Size(n, 1)), kernel.discharge(found, zero.formula), method="toy"
    )


@family
def quantities_of_no_real_number() -> Any:
    """A limit is not evaluated at points, so that nothing else would deny it."""
    values = [oo, -oo, zoo, I, 1 + I, I * oo]
    shifted = [(value, lambda q: (q * k + 1) / k) for value in (oo, I)]
    false = [*each(concluded, *values, *shifted), *each(of_members, oo, I)]
    return iter(false), iter(
        [
            *each(concluded, Integer(3), sqrt(2), pi),
            *each(of_members, (Integer(0),), (Integer(0), 5)),
        ]
    )


def refuted(term: Any, value: Any) -> bool:
    one = Compare(Quantity("q", lambda at: Integer(1)), "=", 1)
    claim = claim_of(one & Tends(term, k, Integer(0) + value), Size(n, 1))
    return refute(claim, method="toy").status == "refuted"


@family
def true_limits_that_nothing_denies() -> Any:
    """Of a step SymPy gives the value at the wrong side."""
    true = [
        (floor(erf(k)), 0), (floor(1 - 1 / k), 0), (ceiling(exp(-k)), 1), (floor(2 - exp(-k)), 1),
        (10**30 * k + log(erfc(k)), -oo), (10**30 * loggamma(log(k) + 1) - log(k) ** 2, -oo),
        (1 / k, 0), ((k + n) / k, 1), (Sum(1 / (k * j), (j, 1, 3)), 0), (cos(2 * pi * k), 1),
    ]  # fmt: skip
    return each(refuted, *true), each(refuted, (1 / k, 1), (n / k + 1, 0), (exp(-k), 2), (k / 2, 0))


def stepping(name: str) -> Any:
    return Function(name, integer=True)


@family
def opaque_sequences() -> Any:
    """A function of which nothing is known has no limit in closed form."""
    false = [a(k) / k, stepping("f")(k) / k, Sum(a(j), (j, 1, k)) / k, floor(k / 2) / k, a(x) / k]
    return each(sequence, *false), each(sequence, 1 / k)
