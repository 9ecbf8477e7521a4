r"""Ky Fan's principle for two singular values, and what it says of $A=\varphi\varphi^\top+A^\perp$."""

from __future__ import annotations

from sympy import Integer, Sum, Symbol, symbols

from claims.domain import Domain
from claims.naitsaada2025 import interlacing as claims
from claims.naitsaada2025.markov import A, row_facts
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from claims.terms import Recursion
from proofs.calculation import algebra, linked, square_at, sums_compared, weighed
from proofs.facts import CAUCHY_SCHWARZ, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    fact,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    sum_compared,
    sum_rearranged,
    sum_split,
    unfold,
)
from proofs.naitsaada2025.decompositions import SEVERAL, along_ones, bulk, whole
from proofs.naitsaada2025.rayleigh import Column, Rayleigh

i, k, n = (Symbol(name, integer=True) for name in "ikn")
ONE, TWO = Integer(1), Integer(2)


def share_of_the_first(
    found: Rayleigh, u: Column, z: Column, unit: Theorem, apart: Theorem
) -> Theorem:
    """|z|^2 <u_1, u>^2 + <u_1, z>^2 <= |z|^2 for a unit u and z orthogonal to it."""
    first = lambda a: found.u(a, ONE)  # noqa: E731
    a, b = found.along(u)(ONE), found.along(z)(ONE)
    left = lambda c: first(c) - a * u(c)  # noqa: E731
    over = (i, 1, found.rows)
    mixed = linked(Compare(Sum(left(i) * z(i), over), "=", b), apart)
    length = linked(
        Compare(Sum(left(i) ** 2, over), "=", 1 - a**2), unit, instance(found.unit, ONE)
    )
    bound = fact(CAUCHY_SCHWARZ, a=left(i), b=z(i), k=i, low=1, high=found.rows)
    goal = Compare(found.norm(z) * a**2 + b**2, "<=", found.norm(z))
    return joint(goal, bound, mixed, length)


def below_two(found: Rayleigh, z: Column) -> Theorem:
    """|M^T z|^2 <= s_1^2 c^2 + s_2^2 (|z|^2 - c^2) for c = <u_1, z>: other values are below s_2."""
    c, rows = found.along(z), found.rows
    first, second = (found.root(place) ** 2 for place in (ONE, TWO))
    inside = assume(Compare(k, ">=", 2))
    sign = cut(part(instance(found.order, k), 0), joint(Compare(k, ">=", 1), inside))
    each = joint(
        Compare(found.root(k) ** 2 * c(k) ** 2, "<=", second * c(k) ** 2),
        instance(found.second, k),
        sign,
    )
    others = sum_compared(generalise(each, k, 2, rows))
    values, shares = (
        sum_split(Sum(term, (k, 1, rows)), first=True)
        for term in (found.root(k) ** 2 * c(k) ** 2, c(k) ** 2)
    )
    rest = Sum(c(k) ** 2, (k, 2, rows))
    left = found.pulled_norm(z)
    tail = linked(
        Compare(left, "<=", first * c(ONE) ** 2 + second * rest), found.spread(z), values, others
    )
    less = linked(Compare(rest, "<=", found.norm(z) - c(ONE) ** 2), found.bessel(z), shares)
    p, q, r, s, t = symbols("p q r s t", real=True)
    given = (Compare(p, "<=", r + s**2 * q), Compare(q, "<=", t))
    terms = {p: left, q: rest, r: first * c(ONE) ** 2, s: found.root(TWO), t: less.formula.right}  # type: ignore[attr-defined]
    return algebra(Compare(p, "<=", r + s**2 * t), given, terms, tail, less)


def two_largest(found: Rayleigh, u: Column, z: Column, unit: Theorem, apart: Theorem) -> Theorem:
    """|z|^2 |M^T u|^2 + |M^T z|^2 <= |z|^2 (s_1^2 + s_2^2) for a unit u and z orthogonal to it."""
    size, a, b = found.norm(z), found.along(u)(ONE), found.along(z)(ONE)
    f, s, m, x, y, p, q = symbols("f s m x y p q", real=True)
    given = (
        Compare(p, "<=", f**2 * x**2 + s**2 * (1 - x**2)),
        Compare(q, "<=", f**2 * y**2 + s**2 * (m - y**2)), Compare(m * x**2 + y**2, "<=", m),
        Compare(m, ">=", 0), Compare(f, ">=", s), Compare(s, ">=", 0),
    )  # fmt: skip
    terms = {
        f: found.root(ONE), s: found.root(TWO), m: size, x: a, y: b,
        p: found.pulled_norm(u), q: found.pulled_norm(z),
    }  # fmt: skip
    positive = linked(Compare(size, ">=", 0), sums_compared(lambda c: square_at(z(c)), found.rows))
    order = cut(instance(found.order, TWO), joint(Compare(TWO, "<=", T), SEVERAL))
    own = linked(given[0].substitute(terms), below_two(found, u), unit)
    shown = (
        own, below_two(found, z), share_of_the_first(found, u, z, unit, apart), positive,
        part(order, 0), part(order, 1),
    )  # fmt: skip
    return algebra(Compare(m * p + q, "<=", m * (f**2 + s**2)), given, terms, *shown)


def more_than_the_rest(domain: Domain) -> Theorem:
    """s_1^2(A) + s_2^2(A) >= 1 + s_1^2(A^perp), by u_1(A^perp) and what of the ones is orthogonal to it."""
    u = lambda a: bulk.u(a, ONE)  # noqa: E731
    total = Sum(u(i), (i, 1, T))
    # A function of its own, which the linear normal form takes for one term.
    name = Recursion("z", lambda a: 1 - total * u(a), lambda _, a, before: before(a))
    z = lambda a: name(0, a)  # noqa: E731

    def summed(weight: Column) -> Theorem:
        """sum_i w_i z_i, written out."""
        return weighed(weight, lambda a: recursion_start(name, a), T)

    unit, ones = instance(bulk.unit, ONE), sum_rearranged(Sum(ONE, (i, 1, T)), T)
    apart = linked(Compare(Sum(u(i) * z(i), (i, 1, T)), "=", 0), summed(u), unit)
    whole_z = linked(Compare(Sum(z(i), (i, 1, T)), "=", T - total**2), summed(lambda _: ONE), ones)
    size = linked(Compare(bulk.norm(z), "=", T - total**2), summed(z), apart, whole_z)
    own = along_ones(u)
    pulled = whole.pulled(z)
    flat = fact(CAUCHY_SCHWARZ, a=pulled(n), b=ONE, k=n, low=1, high=T)
    swap = fact(FUBINI, a=whole.m(i, n) * z(i), j=n, k=i, rows=T, columns=T)
    rows = weighed(z, lambda r: instance(assume(row_facts(A)[0]), r), T)
    sums = linked(Compare(Sum(pulled(n), (n, 1, T)), "=", T - total**2), swap, rows, whole_z)
    width = sum_rearranged(Sum(ONE, (n, 1, T)), T)
    least = linked(
        Compare(whole.pulled_norm(z), ">=", (T - total**2) ** 2 / T), flat, sums, width, SEVERAL
    )
    positive = linked(Compare(bulk.norm(z), ">=", 0), sums_compared(lambda c: square_at(z(c)), T))
    f, s, h, c, m, p, q, t = symbols("f s h c m p q t", real=True)
    given = (
        Compare(m * p + q, "<=", m * (f**2 + s**2)), Compare(p, "=", c**2 / t + h**2),
        Compare(q, ">=", (t - c**2) ** 2 / t), Compare(m, "=", t - c**2), Compare(m, ">=", 0),
        Compare(p, "<=", f**2), Compare(t, ">=", 2),
    )  # fmt: skip
    terms = {
        f: whole.root(ONE), s: whole.root(TWO), h: bulk.root(ONE), c: total, m: bulk.norm(z), t: T,
        p: whole.pulled_norm(u), q: whole.pulled_norm(z),
    }  # fmt: skip
    first = linked(given[1].substitute(terms), own, bulk.own(ONE))
    shown = (
        two_largest(whole, u, z, unit, apart), first, least, size, positive,
        linked(given[5].substitute(terms), whole.principle(u), unit), SEVERAL,
    )  # fmt: skip
    found = algebra(Compare(f**2 + s**2, ">=", 1 + h**2), given, terms, *shown)
    read = (
        unfold(claims.two_largest, whole.root(ONE) ** 2 + whole.root(TWO) ** 2, domain),
        unfold(claims.one_more, 1 + bulk.root(ONE) ** 2, domain),
    )
    return joint(Compare(claims.two_largest, ">=", claims.one_more), found, *read)
