r"""Inner products of the rows (33), and how short a combination of them can be, for every N and w > 1.

Row n + 1 is row n moved and divided by -w, with a new last coordinate of modulus $s=\sqrt{1-1/w^2}$.  So
$\langle X_{n+1},X_{p+1}\rangle=\langle X_n,X_p\rangle/w^2\pm s^2$, and up to signs the product of rows $n<p$ is
$f(n)=1-(1-s)w^{-2n}$.  It does not see p: for $v_k$, a combination c of the first k rows, the products with all
later rows are $\pm F_k$, and by induction, for every $\lambda\le1-f(k-1)$,

    $|v_k|^2\ge\lambda|c|^2+F_k^2/f(k-1)$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, sqrt, symbols

from claims.statement import Compare, ForAll, Implies
from claims.terms import Recursion
from claims.wu2024 import anisotropy as claims
from claims.wu2024.notation import N, w
from proofs.calculation import linked, summed_over
from proofs.facts import POWER_FALLS
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    sum_split,
)
from proofs.wu2024.printed_rows import (
    ALTERNATE,
    entry_at,
    moved_rows,
    n,
    unit,
)
from proofs.wu2024.solved_rows import W, rows

S = sqrt(1 - 1 / w**2)
b, g = Symbol("b", integer=True), Symbol("g", integer=True, positive=True)
c = Symbol("c", integer=True)


def product(one: Any, other: Any) -> Sum:
    """The inner product of two rows."""
    return Sum(rows(one, c) * rows(other, c), (c, 1, N))


def share(at: Any) -> Expr:
    """1 - f."""
    return (1 - S) * w ** (-2 * at)


def reach(at: Any) -> Expr:
    """f."""
    return 1 - share(at)


# Inner products -------------------------------------------------------------------------------------


def claim_at(at: Any) -> Compare:
    return Compare(product(at, at + g), "=", (-1) ** g * reach(at))


@cache
def last_of(at: Any) -> Theorem:
    """The last coordinate of row at >= 1."""
    goal = Compare(rows(at, N), "=", (-1) ** at * S)
    found = joint(goal, entry_at(at, N), given=(W, Compare(at, ">=", 1)))
    return cut(found, joint(Compare(at, ">=", 0), given=(Compare(at, ">=", 1),)))


def first_products() -> Theorem:
    """X_1 = e_d picks the last coordinate."""
    apart = sum_split(product(Integer(0), g))
    zero = joint(
        Compare(rows(0, c) * rows(g, c), "=", 0), recursion_start(rows, c),
        given=(Compare(c, "<=", N - 1),),
    )  # fmt: skip
    none = summed_over(zero, (c, N - 1))
    sign = instance(assume(ALTERNATE), Integer(1))
    return linked(claim_at(Integer(0)), apart, none, sign, recursion_start(rows, N), last_of(g))


def next_products() -> Theorem:
    """<X_{n+1}, X_{p+1}> = <X_n, X_p>/w^2 + the product of the last coordinates."""
    one, other = n + 1, n + 1 + g
    apart = sum_split(product(one, other))
    moved = [substitute(substitute(moved_rows(), {n: at}), {b: c}) for at in (n, n + g)]
    term = joint(
        Compare(rows(one, c) * rows(other, c), "=", rows(n, c + 1) * rows(n + g, c + 1) / w**2),
        *moved, given=(Compare(c, "<=", N - 1), W),
    )  # fmt: skip
    summed_ = summed_over(term, (c, N - 1))
    shifted = sum_split(summed_.formula.right, shift=-1)
    first = sum_split(product(n, n + g), first=True)
    head = joint(
        Compare(rows(n, 1), "=", 0), entry_at(n, Integer(1)), given=(Compare(n + 1, "<=", N - 1),)
    )
    body = linked(
        Compare(product(one, other), "=", product(n, n + g) / w**2 + rows(one, N) * rows(other, N)),
        apart, summed_, shifted, first, head, given=(W,),
    )  # fmt: skip
    signs_ = identity((-1) ** (n + 1) * (-1) ** (n + 1 + g), (-1) ** g)
    x, y, first_sign, second_sign, both_, root = symbols("x y e f g s", real=True)
    lemma = joint(
        Compare(x * y, "=", both_ * root**2),
        given=(Compare(x, "=", first_sign * root), Compare(y, "=", second_sign * root),
               Compare(first_sign * second_sign, "=", both_)),
    )  # fmt: skip
    put_in = {
        x: rows(one, N), y: rows(other, N), first_sign: (-1) ** one, second_sign: (-1) ** other,
        both_: (-1) ** g, root: S,
    }  # fmt: skip
    ends = cut(substitute(lemma, put_in), last_of(one), last_of(other), signs_)
    power = next_power(n)
    known = assume(claim_at(n))
    square = joint(Compare(S**2, "=", 1 - 1 / w**2), given=(W,))
    return joint(claim_at(n + 1), body, ends, power, known, square, given=(W,))


def next_power(at: Any) -> Theorem:
    """w^(-2 (n + 1)) = w^(-2n)/w^2."""
    base, exponent = Symbol("a", positive=True), Symbol("e", real=True)
    adds = joint(Compare(base ** (exponent - 2), "=", base**exponent / base**2))
    return cut(
        substitute(adds, {base: w, exponent: -2 * at}), joint(Compare(w, ">", 0), given=(W,))
    )


@cache
def products() -> Theorem:
    """For all n with n + g < N: <X_n, X_{n+g}> = (-1)^g f(n)."""

    def body(at: Any) -> Implies:
        return Implies(Compare(at + g, "<=", N - 1), claim_at(at))

    following = Compare(n + 1 + g, "<=", N - 1)
    known = joint(claim_at(n), assume(body(n)), given=(following,))
    step = cut(next_products(), known, assume(following))
    inside = joint(
        Compare(n + 1, "<=", N - 1) & Compare(n + g, "<=", N - 1) & Compare(n, "<=", N - 1),
        given=(following,),
    )  # fmt: skip
    real = joint(Compare(w, "!=", 0) & Compare(1 - 1 / w**2, ">=", 0), given=(W,))
    step = discharge(cut(step, inside, real, assume(following)), following)
    first = discharge(
        cut(first_products(), real, assume(Compare(g, "<=", N - 1))), Compare(g, "<=", N - 1)
    )
    start = joint(body(Integer(0)), first)
    return induction(start, step, n)


# Combinations ---------------------------------------------------------------------------------------

u = claims.shortest
sums = Recursion("V", lambda c: Integer(0), lambda k, c, before: before(c) + u(k + 1) * rows(k, c))
"""The combination u of the first k rows."""
along = Recursion(
    "F", lambda: Integer(0), lambda k, before: before() + (-1) ** k * u(k + 1) * reach(k)
)
"""Its product with a later row, up to the sign of that row."""
size = Recursion("Q", lambda: Integer(0), lambda k, before: before() + u(k + 1) ** 2)
p = Symbol("p", integer=True)
NEXT = Compare(n + 1, "<=", N - 1)


def with_row(k: Any, row: Any) -> Sum:
    return Sum(sums(k, c) * rows(row, c), (c, 1, N))


def squared(k: Any) -> Sum:
    return Sum(sums(k, c) ** 2, (c, 1, N))


def later_rows(k: Any) -> ForAll:
    return ForAll(p, k, N - 1, Compare(with_row(k, p), "=", (-1) ** p * along(k)))


@cache
def products_with_later_rows() -> Theorem:
    """For all k: <v_k, X_p> = (-1)^p F_k for the rows p >= k."""
    start = recursion_start(sums, c)
    none = summed_over(joint(Compare(sums(0, c) * rows(p, c), "=", 0), start), (c, N))
    begin = linked(later_rows(Integer(0)).body, none, recursion_start(along))
    term = joint(
        Compare(sums(n + 1, c) * rows(p, c), "=",
                sums(n, c) * rows(p, c) + u(n + 1) * (rows(n, c) * rows(p, c))),
        recursion_step(sums, n, c),
    )  # fmt: skip
    total = summed_over(term, (c, N))
    split = linked(
        Compare(with_row(n + 1, p), "=", with_row(n, p) + u(n + 1) * product(n, p)), total
    )
    beyond = (Compare(p, ">=", n + 1), Compare(p, "<=", N - 1))
    pair = instance(substitute(products(), {g: p - n}), n)
    pair = joint(Compare(product(n, p), "=", (-1) ** (p - n) * reach(n)), pair, given=beyond)
    pair = cut(pair, joint(Compare(p - n, ">", 0) & Compare(p - n, ">=", 1), given=beyond))
    before = instance(assume(later_rows(n)), p)
    adds, square = (
        identity((-1) ** (p - n) * (-1) ** n, (-1) ** p),
        identity((-1) ** n * (-1) ** n, 1),
    )
    y, e, f, h, s_, r_, a_ = symbols("y e f h s r a", real=True)
    lemma = joint(
        Compare(y, "=", e * (a_ + f * s_ * r_)),
        given=(
            Compare(y, "=", e * a_ + s_ * (h * r_)),
            Compare(h * f, "=", e),
            Compare(f * f, "=", 1),
        ),
    )
    put_in = {
        y: with_row(n + 1, p), e: (-1) ** p, a_: along(n), f: (-1) ** n, s_: u(n + 1), r_: reach(n),
        h: (-1) ** (p - n),
    }  # fmt: skip
    whole = joint(
        Compare(put_in[y], "=", (-1) ** p * along(n) + u(n + 1) * ((-1) ** (p - n) * reach(n))),
        split, pair, before,
    )  # fmt: skip
    found = cut(substitute(lemma, put_in), whole, adds, square)
    step = joint(later_rows(n + 1).body, found, recursion_step(along, n))
    step = cut(step, *map(assume, beyond), joint(Compare(p, ">=", n), given=beyond[:1]))
    return induction(generalise(begin, p, 0, N - 1), generalise(step, p, n + 1, N - 1), n)


def signed(k: Any) -> Expr:
    return (-1) ** k * u(k + 1)


@cache
def one_more_row(k: Any) -> Theorem:
    """|v_{k+1}|^2 = |v_k|^2 + 2 x F_k + x^2 for x = (-1)^k u_{k+1}; F and |u|^2 gain f(k) x and x^2."""
    term = joint(
        Compare(sums(n + 1, c) ** 2, "=", sums(n, c) ** 2 + 2 * u(n + 1) * (sums(n, c) * rows(n, c))
                + u(n + 1) ** 2 * rows(n, c) ** 2),
        recursion_step(sums, n, c),
    )  # fmt: skip
    total = summed_over(term, (c, N))
    own = unit(n)
    cross = instance(instance(products_with_later_rows(), n), n)
    goal = Compare(squared(n + 1), "=", squared(n) + 2 * signed(n) * along(n) + u(n + 1) ** 2)
    inside = Compare(n, "<=", N - 1)
    found = linked(goal, total, own, cross, given=(inside,))
    square = identity(signed(n) ** 2, u(n + 1) ** 2)
    theorem = joint(
        Compare(squared(n + 1), "=", squared(n) + 2 * signed(n) * along(n) + signed(n) ** 2)
        & Compare(along(n + 1), "=", along(n) + reach(n) * signed(n))
        & Compare(size(n + 1), "=", size(n) + signed(n) ** 2),
        found, square, recursion_step(along, n), recursion_step(size, n),
    )  # fmt: skip
    return substitute(theorem, {n: k}) if k != n else theorem


# How short ------------------------------------------------------------------------------------------

LEAST = share(N - 2)
"""lambda = 1 - f(N - 2), the least squared singular value."""


@cache
def shares(k: Any) -> Theorem:
    """0 < f(k) <= f(k + 1) < 1 and lambda <= 1 - f(k), for k <= N - 2."""
    small = joint(Compare(S, "<", 1) & Compare(S, ">", 0), given=(W,))
    base = w**-2
    below = joint(Compare(base, ">", 0) & Compare(base, "<=", 1), given=(W,))
    first = cut(fact(POWER_FALLS, a=base, p=k, q=N - 2), below)
    least = cut(fact(POWER_FALLS, a=base, p=0, q=k), below)
    power = joint(
        Compare(w ** (-2 * k), ">", 0) & Compare(w ** (-2 * k), "<=", 1), least, given=(W,)
    )
    following = next_power(k)
    x, y, z, r = symbols("x y z r", real=True)
    lemma = joint(
        Compare(1 - (1 - r) * x, ">", 0) & Compare((1 - r) * x, ">", 0)
        & Compare((1 - r) * y, "<=", (1 - r) * x) & Compare((1 - r) * z, "<=", (1 - r) * x),
        given=(Compare(r, ">", 0), Compare(r, "<", 1), Compare(x, ">", 0), Compare(x, "<=", 1),
               Compare(y, "<=", x), Compare(z, "<=", x)),
    )  # fmt: skip
    put_in = {x: w ** (-2 * k), y: w ** (-2 * (k + 1)), z: w ** (-2 * (N - 2)), r: S}
    lower = joint(Compare(put_in[y], "<=", put_in[x]), following, power, given=(W,))
    inside = Compare(k, "<=", N - 2)
    found = cut(substitute(lemma, put_in), small, power, lower, first, assume(inside))
    return joint(
        Compare(reach(k), ">", 0) & Compare(reach(k), "<", 1) & Compare(reach(k), "<=", reach(k + 1))
        & Compare(LEAST, "<=", 1 - reach(k)), found,
    )  # fmt: skip


def long_at(k: Any) -> Compare:
    """|v|^2 >= lambda |u|^2 + F^2/f(k) after k + 1 rows."""
    return Compare(squared(k + 1), ">=", LEAST * size(k + 1) + along(k + 1) ** 2 / reach(k))


q, f0, f1, x, o, m, lam = symbols("q f h x o m l", real=True)
"""|v|^2, f(k), f(k + 1), +-u_{k+2}, F, |u|^2 and lambda."""


@cache
def stays_long() -> Theorem:
    """For all k < N - 1: so long after k + 1 rows."""

    def body(at: Any) -> Implies:
        return Implies(Compare(at, "<=", N - 2), long_at(at))

    given = (
        Compare(q, ">=", lam * m + o**2 / f0), Compare(f0, ">", 0), Compare(f0, "<=", f1),
        Compare(lam, "<=", 1 - f1),
    )  # fmt: skip
    less = joint(Compare(o**2 / f1, "<=", o**2 / f0), given=given[1:3])
    split = joint(
        Compare((o + f1 * x) ** 2 / f1, "=", o**2 / f1 + 2 * o * x + f1 * x**2), given=given[1:3]
    )
    own = joint(Compare(lam * x**2, "<=", (1 - f1) * x**2), given=given[3:])
    lemma = joint(
        Compare(q + 2 * x * o + x**2, ">=", lam * (m + x**2) + (o + f1 * x) ** 2 / f1), less, split,
        own, given=given,
    )  # fmt: skip
    put_in = {
        q: squared(n + 1), f0: reach(n), f1: reach(n + 1), x: signed(n + 1), o: along(n + 1),
        m: size(n + 1), lam: LEAST,
    }  # fmt: skip
    following = Compare(n + 1, "<=", N - 2)
    before = joint(long_at(n), assume(body(n)), given=(following,))
    known = cut(
        substitute(lemma, put_in), before, shares(n), shares(n + 1),
        joint(Compare(n, "<=", N - 2), given=(following,)), assume(following),
    )  # fmt: skip
    step = joint(long_at(n + 1), known, one_more_row(n + 1))
    step = cut(
        step, joint(Compare(n + 1, "<=", N - 1) & Compare(n, "<=", N - 2), given=(following,))
    )
    zero = Integer(0)
    starts = [recursion_start(along), recursion_start(size)]
    none = linked(
        Compare(squared(zero), "=", 0),
        summed_over(joint(Compare(sums(0, c) ** 2, "=", 0), recursion_start(sums, c)), (c, N)),
    )
    alone = {symbol: Integer(0) for symbol in (q, o, m)}
    alone |= {f0: reach(zero), f1: reach(zero), x: signed(zero), lam: LEAST}
    trivial = substitute(lemma, alone)
    first = cut(trivial, shares(zero), joint(Compare(0, ">=", 0)))
    begin = joint(long_at(zero), first, one_more_row(zero), none, *starts)
    inside = Compare(0, "<=", N - 2)
    begin = cut(begin, joint(Compare(0, "<=", N - 1), given=(inside,)), assume(inside))
    start = discharge(begin, inside)
    return induction(joint(body(zero), start), discharge(step, following), n)


@cache
def last_row_too() -> Theorem:
    """|v_N|^2 >= lambda |u|^2."""
    given = (Compare(q, ">=", lam * m + o**2 / f0), Compare(f0, ">", 0), Compare(lam, "=", 1 - f0))
    square = joint(
        Compare(o**2 / f0 + 2 * o * x + f0 * x**2, ">=", 0),
        joint(Compare((o + f0 * x) ** 2 / f0, ">=", 0), given=given[1:2]), given=given[1:2],
    )  # fmt: skip
    lemma = joint(Compare(q + 2 * x * o + x**2, ">=", lam * (m + x**2)), square, given=given)
    put_in = {
        q: squared(N - 1), f0: reach(N - 2), x: signed(N - 1), o: along(N - 1), m: size(N - 1),
        lam: LEAST,
    }  # fmt: skip
    every = instance(stays_long(), N - 2)
    before = joint(every.formula.conclusion, every)
    two = (Compare(N, ">=", 2),)
    found = cut(
        substitute(lemma, put_in), before, shares(N - 2), joint(Compare(LEAST, "=", 1 - reach(N - 2))),
        joint(Compare(N - 2, ">=", 0), given=two),
    )  # fmt: skip
    row = one_more_row(N - 1)
    return joint(Compare(squared(N), ">=", LEAST * size(N)), found, row)
