"""Cases, deltas and names inside of ranges; definitions at indices that are none; signs that are denied."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sympy import (
    Eq,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Piecewise,
    Product,
    Rational,
    Sum,
    Symbol,
    Trace,
    pi,
    sin,
)  # fmt: skip
from wrong_certificates import (
    Offer,
    a,
    b,
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
    p,
    r,
    s,
    x,
    y,
    z,
)  # fmt: skip

from claims.domain import Domain, Real, Size
from claims.expressions import Entrywise, FrobSq, Total
from claims.ranks import gram_rank
from claims.singular import least_singular_value
from claims.statement import Compare, ForAll, Implies, Quantity
from claims.terms import MaxOver, Recursion, value_of
from claims.terms import family as of_family
from proofs import facts, kernel
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


def denied(theorem: Theorem) -> bool:
    """Whether a theorem without free symbols is false, and what it needs is true."""
    needed = all(hypothesis.truth({}) is True for hypothesis in theorem.hypotheses)
    return needed and theorem.formula.truth({}) is False


# Cases --------------------------------------------------------------------------------------------

ABOVE = Piecewise((1, j > 2), (0, True))
ONCE = Sum(ABOVE, (j, 1, 3))
"""It is one, as k > 2 for one k alone."""
INSIDE = y * Sum(Piecewise((1, k > j), (0, True)), (k, 1, 3))
"""To SymPy a case for j that is taken out of a sum over k, as soon as it is summed over j."""


def put_beside(kind: Any) -> bool:
    """A sum over an index, put where the same letter is bound, is a number still."""
    return denied(kernel.congruent(kind(z * j, (j, 1, 3)), z, ONCE, Integer(1)))


def put_in_linear_form() -> Theorem:
    pulled = kernel.sum_rearranged(Sum(z * a(j), (j, 1, n)), z * Sum(a(j), (j, 1, n)))
    return kernel.substitute(pulled, {z: ONCE})


def one_term() -> Theorem:
    return kernel.sum_at_least_term(kernel.assume(ForAll(j, 1, 3, ge(INSIDE, 0))), Integer(1))


def compared(term: Any) -> Theorem:
    return kernel.sum_compared(kernel.assume(ForAll(j, 1, 3, le(term, 1))))


@family
def cases_that_leave_their_range() -> Any:
    sigma = least_singular_value("s", Symbol("X"))(m, n)
    rank = gram_rank("r", lambda u, v: Piecewise((1, Eq(u, v)), (0, True)))(n, n)
    largest = MaxOver(Piecewise((1, k > j), (0, True)), (k, 1, 3))
    over = {"k": j, "low": 1, "high": 3}
    false = [
        *each(put_beside, Sum, Product), put_in_linear_form, one_term, *each(compared, largest, INSIDE),
        partial(kernel.fact, facts.FUBINI, a=INSIDE, j=j, k=i, rows=n, columns=m),
        partial(kernel.fact, facts.CAUCHY_SCHWARZ, a=INSIDE, b=a(j), **over),
        partial(kernel.fact, facts.JENSEN, w=a(j), x=INSIDE, **over),
        partial(kernel.fact, facts.RAYLEIGH, sigma=sigma, x=ABOVE, j=j),
        partial(
            kernel.fact, facts.GRAM_RANK, rank=rank, left=a(i), right=b(k), first=a(i), last=b(k),
            i=i, k=k, a=j, b=r, size=1,
        ),
    ]  # fmt: skip
    apart = Sum(Piecewise((1, k > 2), (0, True)), (k, 1, 3))
    true = [
        lambda: not denied(kernel.congruent(Sum(z * j, (j, 1, 3)), z, apart, Integer(1))),
        partial(compared, ABOVE), partial(compared, largest.subs(j, i)),
        partial(kernel.fact, facts.FUBINI, a=ABOVE * a(i), j=j, k=i, rows=n, columns=m),
        partial(kernel.fact, facts.CAUCHY_SCHWARZ, a=ABOVE, b=a(j), **over),
        partial(kernel.fact, facts.RAYLEIGH, sigma=sigma, x=a(j), j=j),
    ]  # fmt: skip
    return iter(false), iter(true)


def captured(inside: Any) -> bool:
    """Whether j, which enters where j is bound, becomes that j."""
    found = kernel.congruent(inside, x, j, k).formula
    at_one = {j: Integer(1), k: Integer(1), y: Integer(1)}
    return value_of(found.left, at_one) != value_of(found.right, at_one)


@family
def names_captured_under_a_case() -> Any:
    """The branches of cases, and their conditions, have bound names as all else has."""
    total, largest, product = (kind(x * j, (j, 1, 2)) for kind in (Sum, MaxOver, Product))
    one, zero = Integer(1), Integer(0)
    false = [
        *each(captured, *(Piecewise((t, y > 0), (0, True)) for t in (total, largest, product))),
        *each(captured, *(Piecewise((one, t > 3 * x), (zero, True)) for t in (total, product + x + 1))),
        lambda: captured(1 + 2 * Piecewise((total, y > 0), (largest, True))),
        lambda: absurd(
            kernel.substitute(
                kernel.identity(Piecewise((total, y > 0), (0, True)), Piecewise((3 * x, y > 0), (0, True))),
                {x: j},
            ),
            kernel.identity(Sum(j**2, (j, 1, 2)), 5),
        ),
    ]  # fmt: skip
    apart = Piecewise((Sum(x * i, (i, 1, 2)), y > 0), (0, True))
    return iter(false), each(lambda term: not captured(term), apart, total)


def asked_of_a_quotient(condition: Any) -> bool:
    """What holds for y z with 1/z for y is asked where z is not zero."""
    found = kernel.congruent(Piecewise((1, condition), (0, True)), y, 1 / z, p)
    away = Implies(Compare(z, "=", 0), Compare(p, "!=", 1 / z))
    never = kernel.substitute(
        kernel.joint(away, kernel.discharge(found, Compare(1 / z, "=", p))), {p: 1 / z}
    )
    return bare(kernel.joint(Compare(z, "!=", 0), never))


@family
def needs_lost_in_a_condition() -> Any:
    conditions = (y * z > 0, Eq(y * z, 1), y * z >= 1)
    true = partial(kernel.congruent, Piecewise((1, y * s > 0), (0, True)), y, 1 / s, p)
    return each(asked_of_a_quotient, *conditions), iter([true])


# Ranges -------------------------------------------------------------------------------------------


@family
def extrema_whose_ends_bear_their_index() -> Any:
    """The name of the index is free in the ends of its range, and bound beside the extremum."""
    rising = Piecewise((0, Eq(j, 1)), (1, Eq(j, 2)), (3, Eq(j, 3)), (5, True))

    def reached(at: Any) -> bool:
        some = kernel.extremum_reached(MaxOver(rising, (j, 1, 5 - at)))
        return denied(kernel.substitute(some, {at: Integer(2)}))

    return iter([partial(reached, j)]), iter([lambda: not reached(k)])


def met(delta: Any, wanted: Any, values: Any) -> bool:
    return denied(kernel.substitute(kernel.identity(Sum(delta, (j, 1, n)), wanted), values))


@family
def deltas_met_between_integers() -> Any:
    """To SymPy a delta is met as soon as its place lies within the range of a sum."""

    def within(low: Any, high: Any) -> Piecewise:
        return Piecewise((1, (low >= 1) & (high >= low)), (0, True))

    one, two = Integer(1), Integer(2)
    half, three = Rational(3, 2), Integer(3)
    false = [
        partial(met, KroneckerDelta(j, x), within(x, n), {x: half, n: two}),
        partial(met, KroneckerDelta(j, s), within(s, n), {s: half, n: two}),
        partial(met, KroneckerDelta(2 * j, k), within(k / 2, n), {k: three, n: two}),
        partial(met, KroneckerDelta(2 * j, x), within(x / 2, n), {x: three, n: two}),
        partial(
            kernel.identity, Product(1 - KroneckerDelta(j, x), (j, 1, n)),
            Piecewise((0, (x >= 1) & (n >= x)), (1, True)),
        ),
    ]  # fmt: skip
    true = [
        lambda: not met(KroneckerDelta(j, k), within(k, n), {k: one, n: two}),
        partial(kernel.identity, Sum(KroneckerDelta(j, n) * a(j), (j, 1, n)), a(n)),
        partial(kernel.identity, Sum(KroneckerDelta(x, y), (j, 1, n)), n * KroneckerDelta(x, y)),
    ]
    return iter(false), iter(true)


@family
def deltas_with_a_range_of_their_own() -> Any:
    """Out of its range a delta is zero, and to SymPy one where its places are one name."""
    delta = KroneckerDelta(p_ := Symbol("p", integer=True), j, (0, 3))

    def diagonal() -> bool:
        there = kernel.congruent(delta, p_, Integer(5), j)
        return absurd(
            kernel.cut(kernel.substitute(there, {j: Integer(5)}), kernel.compute(ge(5, 5)))
        )

    def recursive() -> bool:
        g = Recursion("g", lambda o: Integer(0), lambda t, o, before: KroneckerDelta(t, o, (0, 3)))
        t = Symbol("t", integer=True, nonnegative=True)
        one = kernel.substitute(kernel.recursion_step(g, t, t), {t: Integer(5)})
        return absurd(one, kernel.recursion_step(g, Integer(5), Integer(5)))

    false = [
        diagonal, recursive, partial(kernel.fact, facts.DELTA, a=Integer(5), b=j, term=delta, place=p_),
        partial(kernel.joint, ge(delta**2, 0)),
    ]  # fmt: skip
    whole = KroneckerDelta(p_, j)
    return iter(false), each(kernel.congruent, (whole, p_, Integer(5), j))


@family
def sums_inside_of_matrices() -> Any:
    """As it expands a matrix, SymPy has a value for each sum in it, also of negative length."""
    matrix, place = MatrixSymbol("A", n, n), Symbol("q")
    makers = (
        lambda u: Trace(u * matrix),
        lambda u: Total(u * matrix),
        lambda u: FrobSq(u * matrix),
    )

    def filled(make: Any, inside: Any) -> Any:
        return kernel.congruent(make(place), place, inside, inside).formula.left

    def equal(make: Any, inside: Any, value: Any) -> Iterator[Offer]:
        left, right = filled(make, inside), make(value)
        yield partial(kernel.joint, Compare(left, "=", right))
        yield partial(kernel.sum_rearranged, left, right)

    total, product = Sum(x, (j, 1, k)), Product(x, (j, 1, k))
    false = [
        *(o for make in makers for o in equal(make, total, k * x)),
        *equal(makers[0], product, x**k),
    ]
    other = Sum(x, (i, 1, k))
    true = (
        Compare(y * (filled(make, total) + 1), "=", y * filled(make, other) + y) for make in makers
    )
    return iter(false), each(kernel.joint, *true)


# Definitions --------------------------------------------------------------------------------------


@family
def indices_that_are_no_integers() -> Any:
    """A definition is looked at for integers alone."""
    wave = of_family("f", lambda at, place: sin(pi * place))
    loose = (x, s, Symbol("c"), Symbol("u", rational=True))
    false = (
        partial(kernel.unfold, wave(u), Integer(0), Domain((Real(u, 1, 5),)), ((u, 1, 5),))
        for u in loose
    )
    true = partial(kernel.unfold, wave(k), Integer(0), Domain((Size(n, 1),)), ((k, 1, 5),))
    return false, iter([true])


def declared(value: Any, **signs: Any) -> Theorem:
    """The definition of a quantity that declares what it is not."""
    q = Quantity("q", lambda at: value.subs(n, at[n]), **signs)
    return kernel.unfold(q, value, Domain((Size(n, 1),)))


def never_zero() -> bool:
    """q = n - 1, which declares that it is not zero, divides."""
    q, domain = Quantity("q", lambda at: at[n] - 1, zero=False), Domain((Size(n, 1),))
    quotient = kernel.identity((q**2 + q) / q, q + 1)
    away = kernel.joint(Compare(q, "!=", 0), quotient)
    theorem = kernel.joint(away.formula, away, kernel.unfold(q, n - 1, domain))
    return judged(claim_of(away.formula, Size(n, 1)), theorem).status == "proved"


@family
def quantities_that_deny_what_they_are() -> Any:
    false = [
        partial(declared, -n, negative=False), partial(declared, n, positive=False),
        partial(declared, n - 1, zero=False), partial(declared, n, integer=False),
        partial(declared, n - 3, nonnegative=False), never_zero,
    ]  # fmt: skip
    true = [
        partial(declared, n, negative=False), partial(declared, -n, positive=False),
        partial(declared, n, zero=False),
    ]  # fmt: skip
    return iter(false), iter(true)


@family
def products_that_go_back() -> Any:
    """From one to minus one there is no factor, and to SymPy the inverse of the one between."""
    domain = Domain((Size(n, 1), Real(x, Rational(1, 2), 1)))
    product = Product(x, (j, 1, n - 2))
    power = Quantity("q", lambda at: at[x] ** (at[n] - 2))
    natural = Quantity("q", lambda at: at[x] ** max(0, at[n] - 2))
    wave = of_family("f", lambda at, place: Integer(1))
    terms = (Piecewise((product, x > 0), (0, True)), product, product * wave(1))
    false = ((power, term, domain) for term in terms)
    return each(kernel.unfold, *false), each(kernel.unfold, *((natural, t, domain) for t in terms))


@family
def needs_lost_inside_of_matrices() -> Any:
    """What may have no value beside a matrix, or in its entries, cancels there as elsewhere."""
    square, place = MatrixSymbol("A", n, n), Symbol("q", real=True)
    makers = (
        lambda u: Trace(u * square), lambda u: Total(u * square), lambda u: FrobSq(u * square),
        lambda u: Total(Entrywise(u * i, [(i, n)], [(j, n)])),
    )  # fmt: skip

    def vanishing(make: Any) -> bool:
        """Whether A is said to be 0 A for a zero y with q = 1/y."""
        found = kernel.congruent(make(place * y), place, 1 / y, p)
        return found.hypotheses == {Compare(1 / y, "=", p)}

    def cancelled(make: Any) -> Theorem:
        return kernel.joint(Compare(make((x**2 + x) / x), "=", make(x + 1)))

    def apart(make: Any) -> Theorem:
        return kernel.joint(Compare(y * (make((x + y) / x) + 1), "=", y * make((y + x) / x) + y))

    false = [*each(vanishing, *makers), *each(cancelled, *makers)]
    known = (partial(kernel.congruent, make(place * s), place, 1 / s, p) for make in makers)
    return iter(false), iter([*each(apart, *makers), *known])
