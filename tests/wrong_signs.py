"""Numbers that SymPy takes for none of the integers or fractions, and inequalities beside poles."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Expr,
    Integer,
    KroneckerDelta,
    Mul,
    Rational,
    Symbol,
    binomial,
    cos,
    exp,
    expand,
    factorial,
    gamma,
    log,
    oo,
    pi,
    sin,
    sqrt,
    tan,
)  # fmt: skip
from wrong_certificates import bare, each, family, i, j, k, m, n, r, s, t, x, y, z

from claims.statement import Compare, Implies
from claims.terms import MaxOver
from proofs import kernel
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import SignOnInterval, SumOfSquares
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


def at(theorem: Theorem, values: dict[Any, Any]) -> Theorem:
    """The theorem with numbers put in, without the hypotheses that then hold."""
    found = kernel.substitute(theorem, values)
    closed = [h for h in found.hypotheses if isinstance(h, Compare) and h.truth({}) is True]
    return kernel.cut(found, *map(kernel.compute, closed))


# Numbers that are none ----------------------------------------------------------------------------

below = Symbol("b", integer=True, negative=True)
WHOLE: tuple[tuple[Expr, dict[Any, Any]], ...] = (
    (factorial(t + 2) / 3 - 2, {t: Integer(1)}),
    ((2 * k + 2) / (2 * m + 1) - 2, {k: Integer(2), m: Integer(1)}),
    ((sqrt(2) * below) ** (below * n) - Rational(1, 1024), {below: Integer(-4), n: Integer(1)}),
    (Rational(3, 2) ** s - 2, {s: log(2) / log(Rational(3, 2))}),
    (binomial(x, n + Rational(1, 2)) - 1, {n: Integer(1), x: Rational(3, 2)}),
    (Mul(0, x, binomial(x, 2), evaluate=False), {x: Integer(3)}),
)  # fmt: skip
"""Terms that are zero somewhere, and to SymPy no integers, so that they would be no zeros either."""


def unequal_where_equal(term: Expr, values: dict[Any, Any]) -> bool:
    """The delta of a term and zero would be zero, and is one where the term is zero."""
    known = kernel.congruent(KroneckerDelta(y, 0), y, term, z)
    return absurd(at(known, {**values, z: Integer(0)}))


def never_zero(term: Expr, values: dict[Any, Any]) -> bool:
    known = kernel.identity((term**2 + term) / term, term + 1)
    return absurd(at(kernel.joint(Compare(term, "!=", 0), known), values))


@family
def numbers_that_may_be_whole() -> Any:
    """Quotients of even and odd numbers, powers of irrational ones, and what is written with a zero."""
    turned = ((-term, values) for term, values in WHOLE)
    false = [*each(unequal_where_equal, *WHOLE, *turned), *each(never_zero, *WHOLE)]
    true = [
        lambda: Rational(1, 2).is_integer is False and ((2 * k + 1) / 2).is_integer is False,
        lambda: (k * (k + 1)).is_integer is True and binomial(k, n).is_integer is True,
        lambda: (Rational(3, 2) ** n).is_integer is False and sqrt(2).is_rational is False,
        lambda: ((2 * k + 1) / (2 * m)).is_zero is False and (2 * k + 1).is_zero is False,
        partial(kernel.identity, ((n + 2) ** 2 + n + 2) / (n + 2), n + 3),
        lambda: kernel.congruent(KroneckerDelta(y, 0), y, 2 * k + 1, Integer(1)).formula.left == 0,
    ]
    return iter(false), iter(true)


# Deltas with a range ------------------------------------------------------------------------------

RANGED = KroneckerDelta(i, j, (1, 2))
"""To SymPy zero at i = j = 5, where an index is none of the range, and one at i = j."""


def equal_beyond_the_range() -> bool:
    return absurd(at(kernel.congruent(RANGED, j, k, i), {i: Integer(5), k: Integer(5)}))


def largest_beyond_the_range() -> bool:
    one = kernel.extremum_bounds(MaxOver(RANGED, (j, 1, 5)), i)
    none = kernel.extremum_reached(MaxOver(RANGED, (j, 1, 5)))
    chosen = kernel.joint(Compare(Integer(0), ">=", 1), at(one, {i: Integer(5)}), none)
    return bare(chosen)


@family
def deltas_with_a_range() -> Any:
    false = [
        equal_beyond_the_range, largest_beyond_the_range,
        partial(kernel.congruent, RANGED, j, k, r), partial(kernel.congruent, exp(RANGED), j, k, r),
    ]  # fmt: skip
    return iter(false), each(kernel.congruent, (KroneckerDelta(i, j), j, k, r))


# Poles of what rises ------------------------------------------------------------------------------


def slope(low: Any, high: Any) -> SignOnInterval:
    return SignOnInterval(Integer(1), x, low, high, ">0")


def rises_from_below(vanishing: Expr, cleared: Compare, values: dict[Any, Any]) -> bool:
    """x + w >= 0 from zero on, where w is zero but at a pole; there w is what arithmetic says: minus one."""
    known = kernel.certified(MonotoneSign(x + vanishing, slope(0, 3), 0, ">=0"))
    read = kernel.joint(Implies(cleared, Compare(x, ">=", 1)), known)
    return absurd(at(read, {x: Integer(0), **values}))


def positive(vanishing: Expr) -> bool:
    found = kernel.certified(MonotoneSign(x + vanishing, slope(0, 3), 0, ">=0"))
    inside = {Compare(x, ">=", Integer(0)), Compare(x, "<=", Integer(3))}
    return found.hypotheses == inside


@family
def what_rises_beside_a_pole() -> Any:
    """What vanishes in general position need not where a term has no value."""
    zero = Compare(y, "=", 0)
    rows = [
        ((y**2 + y) / y - y - 1, zero, {y: Integer(0)}),
        (gamma(y + 1) - y * gamma(y) - 1 + y / y, Compare(gamma(y + 1), "=", -1), {y: Integer(0)}),
    ]
    poles = [
        (y**2 + y) / y - y - 1, gamma(y + 1) - y * gamma(y), tan(y) * cos(y) - sin(y),
        tan(x) * cos(x) - sin(x), sqrt(y) ** 2 - y + (y**2 + 2 * y) / y - y - 2,
    ]  # fmt: skip
    true = [(s**2 + s) / s - s - 1, tan(Integer(1)) * cos(1) - sin(Integer(1)), 0 * x]
    rising = MonotoneSign(x - 1 - log(x), SignOnInterval(x - 1, x, 1, oo, ">=0"), 1, ">=0", x)
    known = lambda: kernel.certified(rising).hypotheses == {Compare(x, ">=", Integer(1))}  # noqa: E731
    return iter([*each(rises_from_below, *rows), *each(positive, *poles)]), iter(
        [*each(positive, true[0], true[2]), known]
    )


# Roots that are nearly equal ----------------------------------------------------------------------


def conjugate_roots(digits: int, k: int) -> tuple[Expr, Expr]:
    """Two roots of one polynomial that agree in so many digits."""
    small = sqrt(Integer(2)) / Integer(10) ** digits
    return (1 + small) ** Rational(1, k), (1 - small) ** Rational(1, k)


def by_their_squares(digits: int) -> bool:
    left, right = conjugate_roots(digits, 2)
    return absurd(kernel.compute(Compare(left, "=", right)))


def weighed(weight: Any) -> Theorem:
    """A weight that shows in no part of what is certified."""
    return kernel.certified(SumOfSquares(expand(weight * x**2), ((weight, x),)))


@family
def conjugates_that_are_nearly_equal() -> Any:
    """A difference has the minimal polynomial of zero among those of which it is nearly a root."""
    near = [conjugate_roots(digits, k) for digits in (300, 500, 2000) for k in (2, 3)]
    turned = cos(pi / 7) / 10**400
    near.append((sqrt(1 + turned), sqrt(1 - turned)))
    false = [
        *(partial(kernel.compute, Compare(u, sign, v)) for u, v in near for sign in ("=", "<=")),
        partial(by_their_squares, 500), *each(kernel.identity, *near[:2]),
        *each(weighed, *(right - left for left, right in near), cos(Rational(1, 10**300)) - 1),
        *(partial(kernel.certified, SumOfSquares(w, (), (w,))) for w in [near[2][1] - near[2][0]]),
    ]  # fmt: skip
    deep = sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3)
    zeros = [
        deep, sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2), sum(cos(c * pi / 7) for c in (1, 3, 5)) - Rational(1, 2),
        (2 + sqrt(5)) ** Rational(1, 3) - (1 + sqrt(5)) / 2, 1 / (sqrt(3) - sqrt(2)) - sqrt(3) - sqrt(2),
    ]  # fmt: skip
    above = [partial(kernel.compute, Compare(left, ">", right)) for left, right in near[:4]]
    return iter(false), iter(
        [
            *above,
            partial(weighed, sqrt(2 - sqrt(2))),
            *(partial(kernel.compute, Compare(zero, "=", 0)) for zero in zeros),
        ]
    )
