"""Names that are taken, indices that are read unseen, arguments of another kind, needs that are lost."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Abs,
    Dummy,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Product,
    Rational,
    Sum,
    Symbol,
    acos,
    atan,
    binomial,
    expand,
    floor,
    oo,
    sqrt,
)  # fmt: skip
from wrong_certificates import (
    a,
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
    t,
    x,
    y,
)

from claims.algebra import names_in
from claims.bound import variable
from claims.domain import Condition, Domain, Real, Size
from claims.singular import least_singular_value
from claims.statement import And, Compare, Exists, ForAll, Implies, Or, Quantity
from claims.terms import MaxOver, MinOver, Recursion
from claims.terms import family as of_family
from proofs import facts, kernel
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound, SignOnInterval, SumOfSquares
from proofs.certificate import Certificate
from proofs.defined import MARK
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


def at(theorem: Theorem, values: dict[Any, int]) -> Theorem:
    """The theorem with numbers put in, without the hypotheses that then hold."""
    found = kernel.substitute(theorem, {name: Integer(v) for name, v in values.items()})
    closed = [h for h in found.hypotheses if isinstance(h, Compare) and h.truth({}) is True]
    return kernel.cut(found, *map(kernel.compute, closed))


# Arguments of another kind ------------------------------------------------------------------------


@family
def shapes_of_another_kind() -> Any:
    ones = kernel.joint(ge(1, 1))
    some, every = (kind(i, 1, 2, ge(1, i)) for kind in (Exists, ForAll))
    low = kernel.generalise(kernel.joint(ge(-1, -1)), j, 1, 2)
    false = [
        partial(kernel.exists, ones, every, 1), partial(kernel.extremum_compared, low, Sum),
        partial(kernel.extremum_compared, low, Product),
        *each(kernel.sum_split, Product(j + 1, (j, 1, 2)), MaxOver(j, (j, 1, 2)), MinOver(j, (j, 1, 2))),
        partial(kernel.extremum_bounds, Sum(j, (j, 1, 2)), 1),
        partial(kernel.extremum_reached, Sum(j, (j, 1, 2))),
        partial(kernel.generalise, ones, k, oo, oo),
    ]  # fmt: skip
    true = [
        partial(kernel.exists, ones, some, 1), partial(kernel.extremum_compared, low, MinOver),
        partial(kernel.sum_split, Sum(j + 1, (j, 1, 2))),
        partial(kernel.extremum_bounds, MaxOver(j, (j, 1, 2)), 1),
    ]  # fmt: skip
    return iter(false), iter(true)


@family
def signs_that_are_none() -> Any:
    slope = SignOnInterval(Integer(1), x, 0, 1, ">0")

    def rising(sign: Any) -> Theorem:
        return kernel.certified(MonotoneSign(x, slope, 0, sign))

    def signed(sign: Any) -> Theorem:
        return kernel.certified(SignOnInterval(x + 1, x, 0, 1, sign))

    def steep(sign: Any) -> Theorem:
        return kernel.certified(MonotoneSign(x, SignOnInterval(Integer(1), x, 0, 1, sign), 0, sign))

    false = [
        *each(signed, "<", "<=", "=0", "=", "!=0", ""), *each(rising, "<", "=0", "<=", ""),
        *each(steep, ">", "=0", "!="), lambda: kernel.certified(BoxBound(-x, ((x, 0, 1),), max_pieces=0)),
    ]  # fmt: skip
    return iter(false), iter([*each(signed, ">0", ">=0"), *each(rising, ">0", ">=0")])


# Names --------------------------------------------------------------------------------------------


def captured(inner: Any) -> bool:
    """k enters a range whose end binds k: 1 + 2 = 3 times k there is not 1 + 4."""
    total = Sum(1, (j, 1, floor(inner(i * k, (k, 1, 2)))))
    there = at(kernel.congruent(total, i, k, r), {k: 2, r: 2})
    sides = (there.formula.left, there.formula.right)
    sums = [side for side in sides if isinstance(side, Sum)]
    lengths = [kernel.identity(total, total.limits[0][2]) for total in sums]
    return absurd(there, *lengths)


def binds_its_layer(step: Any, first: Any) -> bool:
    """g(1) = g(0) + g(1), or max(g(0), g(1)) + 1, where the step binds the layer that it is for."""
    g = Recursion("g", lambda: Integer(1), step)
    known = kernel.recursion_step(g, Integer(0))
    ranged = next(iter(known.formula.right.atoms(Sum, MaxOver)))
    if isinstance(ranged, MaxOver):
        return absurd(known, kernel.extremum_bounds(ranged, first))
    last = kernel.sum_split(ranged)
    rest = next(iter(last.formula.right.atoms(Sum)))
    before = kernel.sum_split(rest)
    empty = next(iter(before.formula.right.atoms(Sum)))
    return absurd(known, kernel.recursion_start(g), last, before, kernel.identity(empty, 0))


def deep_name(depth: int) -> bool:
    """A free symbol that a normal form gives to the innermost of many bound variables."""
    indices = [Symbol(f"i_{c}", integer=True) for c in range(depth + 1)]
    true = kernel.joint(le(indices[-1], indices[-1]))
    false: Any = le(indices[-1], variable(depth))
    for place in reversed(range(depth + 1)):
        ends = (1, oo) if place == depth else (1, 1)
        true = kernel.generalise(true, indices[place], *ends)
        false = ForAll(indices[place], *ends, false)
    found = kernel.assume(false)
    for _ in range(depth):
        found = kernel.instance(found, 1)
    wrong = kernel.joint(NO, kernel.instance(found, variable(depth) ** 2 + 1))
    return bare(kernel.cut(wrong, true))


def held_name(number: int, root: Expr) -> bool:
    """A function of the name that a comparison gives to what may have no value."""
    held = Function(f"held_{number}", real=True)(y)
    left = ((x**2 + x) / x - x - 1) * (root - held)
    found = kernel.joint(
        Implies(Compare(x, "=", 0), Compare(root, "=", held)), kernel.identity(left, Integer(0))
    )
    return bare(at(found, {x: 0, y: 4}))


def marked(mark: Any) -> Theorem:
    """About a function with the mark of terms that are held, seen before any of those."""
    names_in.cache_clear()
    held = Function("held_0", real=True)(mark, Dummy("u", real=True))
    return kernel.assume(ge(held, 0))


def reads_an_index(quantity: Any, term: Any, *over: Any) -> Theorem:
    return kernel.unfold(quantity, term, Domain(()), over)


SEEN = Quantity("q", lambda point: point[k])
OF_PLACE = of_family("f_{{{}}}", lambda point, place: point[k] * place)


@family
def names_that_are_taken() -> Any:
    doubled = of_family("f_{{{}}}", lambda point, place: Integer(2 * place))
    false = [
        *each(captured, Sum, MaxOver),
        partial(binds_its_layer, lambda t, before: Sum(before(), (t, 0, t + 1)), 0),
        partial(binds_its_layer, lambda t, before: MaxOver(before(), (t, 0, t + 1)) + 1, 1),
        partial(deep_name, 60), *each(held_name, *((c, w) for c in range(3) for w in (sqrt(y), 1 / y))),
        *each(marked, Dummy(MARK.name, dummy_index=MARK.dummy_index), MARK),
        partial(reads_an_index, SEEN + k, 2 * k, (k, 1, 5)),
        partial(reads_an_index, OF_PLACE(j) + k, j * k + k, (j, 1, 2), (k, 1, 5)),
    ]  # fmt: skip
    return iter(false), iter([partial(reads_an_index, doubled(j), 2 * j, (j, 1, 5))])


# Needs --------------------------------------------------------------------------------------------


def rewritten(value: Any, lost: Any) -> Certificate:
    """q = n, written with a divisor that vanishes at one size, would say that q is not that size."""
    q, domain = Quantity("q", lambda point: point[n]), Domain((Size(n, 1),))
    read = kernel.unfold(q, n, domain)
    there = kernel.joint(Compare(q, "!=", lost), read, kernel.rewritten(read, value))
    return judged(claim_of(Compare(q, "!=", lost), Size(n, 1)), there)


def divided(term: Any) -> bool:
    found = at(kernel.fact(facts.DELTA, a=i, b=j, term=term, place=p), {p: 1})
    zero = Implies(Compare(i, "=", 0), Compare(KroneckerDelta(i, j), "=", 0))
    return absurd(at(kernel.joint(zero, found), {i: 0, j: 0}))


P = Symbol("P", integer=True)
INNER = Sum(k + P, (k, 1 - P, 2 - P)) / (k + P)
"""The range of the sum says k + P >= 1 of its own index, not of the k beside it."""


def unasked(known: Any, **terms: Any) -> bool:
    return bare(kernel.fact(known, **terms))


def sign_unsaid() -> Certificate:
    """x <= 1, since s <= 0 cannot be for a symbol that is declared positive; but s may be -1."""
    q = Quantity("q", lambda point: point[x])
    odd = And((le(s, 0), Compare(n, "=", 137)))
    condition = Condition(
        "c", lambda point: point[x] <= 1 or (point[n] == 137 and point[s] <= 0), Or((le(x, 1), odd))
    )
    claim = claim_of(le(q, 1), Real(x, 0, 2), Size(n, 1), Real(s, -1, 1), conditions=(condition,))
    return judged(claim, kernel.unfold(q, x, claim.domain))


@family
def needs_that_are_lost() -> Any:
    sigma = least_singular_value("s", Symbol("X"))
    false = [
        partial(rewritten, expand(n * (n - 97)) / (n - 97), 97), *each(divided, i / p, (i**2 + i) / p),
        partial(unasked, facts.CAUCHY_SCHWARZ, a=k + P, b=INNER, k=k, low=0, high=0),
        partial(unasked, facts.JENSEN, w=k + P, x=INNER, k=k, low=0, high=0),
        partial(kernel.fact, facts.RAYLEIGH, sigma=sigma(m, i), x=a(j), j=j),
        lambda: bare(kernel.identity(Product((j**2 + x * j) / j, (j, 0, n)), Product(j + x, (j, 0, n)))),
        sign_unsaid,
    ]  # fmt: skip
    true = [
        partial(kernel.fact, facts.DELTA, a=i, b=j, term=i / s + p, place=p),
        partial(kernel.fact, facts.RAYLEIGH, sigma=sigma(m, n), x=a(j), j=j),
    ]
    return iter(false), iter(true)


# What SymPy assumes -------------------------------------------------------------------------------


def never_zero(term: Any, at_zero: int) -> bool:
    found = kernel.identity((term**2 + term) / term, term + 1)
    return absurd(at(kernel.joint(Compare(term, "!=", 0), found), {k: at_zero}))


def congruent_with_zero() -> bool:
    found = kernel.congruent(KroneckerDelta(x, 0), x, atan(k), y)
    return absurd(at(found, {k: 0, y: 0}))


def negative(term: Any) -> Theorem:
    return kernel.certified(SumOfSquares(-term, (), (-term,)))


def no_factors() -> bool:
    nothing = kernel.identity(Product(0, (j, 1, t)), 0)
    return absurd(at(nothing, {t: 0}), kernel.identity(Product(0, (j, 1, 0)), 1))


def size_of(term: Any) -> bool:
    found = kernel.substitute(kernel.joint(ge(Abs(x), 0)), {x: term})
    return absurd(at(kernel.joint(ge(-term, 0), found), {k: 3}))


@family
def signs_that_sympy_misjudges() -> Any:
    false = [
        *each(never_zero, (atan(k), 0), (acos(k), 1)), congruent_with_zero, no_factors,
        partial(negative, binomial(k, 3)), partial(size_of, binomial(k, 3)),
    ]  # fmt: skip
    true = [
        partial(kernel.certified, SumOfSquares(binomial(t, 3), (), (binomial(t, 3),))),
        partial(kernel.identity, Product(0, (j, 1, n)), Integer(0)),
        lambda: kernel.identity((atan(n) ** 2 + atan(n)) / atan(n), atan(n) + 1),
        lambda: acos(Rational(1, 3)).is_rational is False,
    ]
    return iter(false), iter(true)
