"""That orders fail whatever their constants are: at sizes beyond a number that grows with the constant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sympy import Expr, Symbol, oo, sqrt, symbols
from sympy.functions import floor

from claims.model import Claim
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import a, bound, first_size, growth, ratio
from claims.statement import And, Compare, Exists, ForAll, Formula, Not
from claims.steps import built
from proofs.calculation import algebra, body_at, place, power_falls
from proofs.facts import INTEGER_PART, POWER_FALLS, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    choose,
    cut,
    derived,
    exists,
    fact,
    identity,
    joint,
    part,
    substitute,
)
from proofs.naitsaada2025.mean_squares import METHOD, at_least_the_first, terms

size = place("t")
LATE = Compare(size, ">=", first_size)
TOKENS, FACTORS, SHAPE = (Compare(k, ">=", n) for k, n in ((first_size, 2), (p, 2), (a, 1)))
WEIGHTS, WIDENS, SIGN = Compare(q, ">=", 1), Compare(growth, ">=", 1), Compare(bound, ">", 0)
RANGES = (TOKENS, FACTORS, SHAPE, WEIGHTS, WIDENS, SIGN)
FIRST = ratio.subs(T, size)
"""r at a size."""


def at_a_size_beyond(
    number: Expr, least: Theorem, claim: Claim, fails: Theorem, ranges: Sequence[Formula] = RANGES,
    name: Symbol = size,
) -> Theorem:  # fmt: skip
    """There is a size at which a claim fails, where `fails` says so of sizes of its range with t > x >= 0.

    `name` is what the size is called there.
    """
    every = claim.formula
    assert isinstance(every, ForAll)
    parts = fact(INTEGER_PART, x=number)
    reached = every.low + built(floor, number) + 1
    late, beyond = Compare(name, ">=", every.low), Compare(name, ">", number)
    above = joint(
        Compare(reached, ">", number), parts, joint(Compare(every.low, ">=", 0), given=ranges)
    )
    there = exists(above, Exists(name, every.low, oo, beyond), reached)
    there = cut(there, joint(Compare(reached, ">=", every.low), parts, least))
    shape = Exists(every.index, every.low, every.high, Not(every.body))
    some = exists(fails, shape, name)
    values = [h for h in some.hypotheses if name in h.free_symbols() and h not in {late, beyond}]
    return choose(there, name, cut(some, *(joint(h, given=[late, *ranges]) for h in values)))


def opposite_at_size(claim: Claim) -> Not:
    """That the claim fails at the size."""
    return Not(body_at(claim.formula, size))


@cache
def two_tokens() -> Theorem:
    """t >= 2."""
    return joint(Compare(size, ">=", 2), given=[LATE, TOKENS])


@cache
def first_at_size() -> Theorem:
    """The sum of powers of r at a size is at least r."""
    return cut(substitute(at_least_the_first(), {T: size}), two_tokens())


def measured(quantity: Any, value: Expr, claim: Claim) -> Theorem:
    """A mean at a size, by the calculus."""
    return derived(
        quantity, value.subs(T, size), claim.domain, METHOD, over=((size, first_size, oo),)
    )


BEYOND = bound * (a + 1) + 1
"""Sizes above it have C/t^2 < r."""


@cache
def square_below_first() -> Theorem:
    """C/t^2 < r."""
    far = Compare(size, ">", BEYOND)
    wide = joint(
        Compare(bound * (a * size + 1), "<=", bound * (a + 1) * size),
        two_tokens(),
        given=[SHAPE, SIGN],
    )
    longer = joint(
        Compare(bound * (a + 1) * size, "<", (size - 1) * size), two_tokens(), given=[far]
    )
    return joint(
        Compare(bound / size**2, "<", FIRST), wide, longer, two_tokens(), given=[SHAPE, SIGN]
    )


@cache
def power_below_square() -> Theorem:
    """C/t^p <= C/t^2."""
    small = joint(Compare(1 / size, "<=", 1), two_tokens())
    positive = joint(Compare(1 / size, ">", 0), two_tokens())
    falls = power_falls(1 / size, 2, p, positive, small, assume(FACTORS))
    return joint(Compare(bound * size**-p, "<=", bound * size**-2), falls, given=[SIGN])


def nonnegative() -> Theorem:
    return joint(Compare(BEYOND, ">=", 0), given=[SHAPE, SIGN])


def along_ones_is_larger(claim: Claim) -> Theorem:
    r"""$\mathbb E\|\varphi^\top M\|^2\ge r>Ct^{-2}\ge Ct^{-p}$."""
    value = measured(claims.along_at(size), terms(p), claim)
    goal = opposite_at_size(claim)
    fails = joint(goal, value, first_at_size(), square_below_first(), power_below_square())
    return at_a_size_beyond(BEYOND, nonnegative(), claim, fails, RANGES[:3])


# With weights -------------------------------------------------------------------------------------

WIDTH = growth * size


@cache
def weights_are_positive() -> Theorem:
    """d^q > 0."""
    return joint(Compare(WIDTH**q, ">", 0), two_tokens(), given=[WIDENS])


@cache
def wider_is_less() -> Theorem:
    """d^-p <= t^-p."""
    x, y = symbols("x y", positive=True)
    split = substitute(identity((x * y) ** -p, x**-p * y**-p), {x: size, y: growth})
    split = cut(split, joint(Compare(size, ">", 0), two_tokens()))
    less = cut(
        fact(POWER_INCREASES, a=1 / growth, b=1, p=p),
        joint(Compare(1 / growth, "<=", 1), given=[WIDENS]),
        joint(Compare(1 / growth, ">=", 0), given=[WIDENS]),
        joint(Compare(p, ">=", 0), assume(FACTORS)),
    )  # fmt: skip
    some = joint(Compare(size**-p, ">", 0), two_tokens())
    return joint(Compare(WIDTH**-p, "<=", size**-p), split, less, some)


@cache
def exponents_added() -> Theorem:
    """d^(q-p) = d^q d^-p."""
    x = Symbol("x", positive=True)
    split = substitute(identity(x ** (q - p), x**q * x**-p), {x: WIDTH})
    return cut(split, joint(Compare(WIDTH, ">", 0), two_tokens(), given=[WIDENS]))


def along_ones_with_weights_is_larger(claim: Claim, order: Expr) -> Theorem:
    r"""$\mathbb E\|\varphi^\top MW\|^2\ge d^qr>d^qCt^{-2}\ge d^qCt^{-p}\ge d^qCd^{-p}$."""
    value = measured(claims.weighted(WIDTH), (growth * T) ** q * terms(p), claim)
    total = value.formula.right / WIDTH**q  # type: ignore[attr-defined]
    small = joint(
        Compare(bound * order, "<", total),
        first_at_size(), square_below_first(), power_below_square(), wider_is_less(), given=[SIGN],
    )  # fmt: skip
    y, s, w, c = symbols("y s w c", real=True)
    least = algebra(
        Compare(c * w * y, "<", w * s), (Compare(c * y, "<", s), Compare(w, ">", 0)),
        {c: bound, w: WIDTH**q, y: order, s: total}, small, weights_are_positive(),
    )  # fmt: skip
    fails = joint(opposite_at_size(claim), value, least, exponents_added())
    return at_a_size_beyond(BEYOND, nonnegative(), claim, fails)


def with_weights_in_features(claim: Claim) -> Theorem:
    return along_ones_with_weights_is_larger(claim, WIDTH**-p)


def with_weights_in_tokens(claim: Claim) -> Theorem:
    return along_ones_with_weights_is_larger(claim, size**-p)


# Beyond the outlier -------------------------------------------------------------------------------

SHARE = 2 * (a + 1) * (2 * bound + bound**2)
"""Where the root of d is above it, r is more than what the print allows."""
ROOT = sqrt(WIDTH)
THREE = Compare(p, ">=", 3)


@cache
def long_root() -> Theorem:
    r"""$\sqrt d>2(a+1)(2C+C^2)$ and $\sqrt d\ge1$."""
    wide = joint(Compare(WIDTH, ">=", size), two_tokens(), given=[WIDENS])
    w, u, k = symbols("w u k", real=True)
    long = algebra(
        And((Compare(u, ">", k), Compare(u, ">=", 1))),
        (Compare(u**2, "=", w), Compare(u, ">=", 0), Compare(w, ">", k**2), Compare(w, ">=", 1)),
        {w: WIDTH, u: ROOT, k: SHARE},
        joint(Compare(WIDTH, ">", SHARE**2), wide, given=[Compare(size, ">", SHARE**2)]),
        joint(Compare(WIDTH, ">=", 1), wide, two_tokens()),
    )  # fmt: skip
    return cut(
        long,
        joint(Compare(ROOT**2, "=", WIDTH), wide, two_tokens()),
        joint(Compare(ROOT, ">=", 0), wide, two_tokens()),
    )


@cache
def error_is_small() -> Theorem:
    """d^(-p/2) <= d^(-3/2)."""
    x, y = symbols("x y", positive=True)
    falls = fact(POWER_FALLS, a=1 / x, p=3, q=p)
    falls = cut(falls, joint(Compare(1 / x, "<=", 1), given=[Compare(x, ">=", 1)]))
    falls = cut(substitute(falls, {x: ROOT}), long_root())
    read = identity((x * y) ** (-p / 2), (sqrt(x) * sqrt(y)) ** -p)
    read = cut(substitute(read, {x: size, y: growth}), joint(Compare(size, ">", 0), two_tokens()))
    return joint(Compare(WIDTH ** (-p / 2), "<=", ROOT**-3), falls, read)


@cache
def first_beside_width() -> Theorem:
    """1/(2(a+1)d) <= r."""
    half = joint(Compare(1 / (2 * (a + 1) * size), "<=", FIRST), two_tokens(), given=[SHAPE])
    wide = joint(Compare(1 / WIDTH, "<=", 1 / size), two_tokens(), given=[WIDENS])
    x, y, b = symbols("x y b", real=True)
    both = algebra(
        Compare(x / (2 * (b + 1)), "<=", y / (2 * (b + 1))), (Compare(x, "<=", y), Compare(b, ">=", 1)),
        {x: 1 / WIDTH, y: 1 / size, b: a}, wide, assume(SHAPE),
    )  # fmt: skip
    return joint(Compare(1 / (2 * (a + 1) * WIDTH), "<=", FIRST), half, both)


@cache
def more_than_allowed() -> Theorem:
    r"""$2Cy+C^2y^2\le(2C+C^2)v^3<\frac{v^2}{2(a+1)}\le s$ for $0\le y\le v^3$, $v\le1$, $2(a+1)(2C+C^2)v<1$."""
    y, v, s, b, c = symbols("y v s b c", real=True)
    small = [Compare(y, ">=", 0), Compare(y, "<=", v**3), Compare(v, "<=", 1), Compare(v, ">", 0)]
    signs = [Compare(c, ">", 0), Compare(b, ">=", 1)]
    room = Compare(2 * (b + 1) * (2 * c + c**2) * v, "<", 1)
    most = joint(Compare(y**2, "<=", y), joint(Compare(y, "<=", 1), given=small), given=small[:1])
    error = joint(
        Compare(2 * c * y + c**2 * y**2, "<=", (2 * c + c**2) * v**3), most, given=[*small, *signs]
    )
    less = joint(
        Compare((2 * c + c**2) * v**3, "<", v**2 / (2 * (b + 1))), given=[room, small[3], *signs]
    )
    goal = Compare(2 * c * y + c**2 * y**2, "<", s)
    return joint(goal, error, less, given=[Compare(v**2 / (2 * (b + 1)), "<=", s)])


def mean_and_first_factor_are_larger(claim: Claim) -> Theorem:
    r"""$1+\sum r^k\ge1+\frac1{2(a+1)d}>(1+Cd^{-p/2})^2$."""
    value = measured(claims.following_ones(WIDTH), (growth * T) ** q * (1 + terms(p)), claim)
    total, y = value.formula.right / WIDTH**q - 1, WIDTH ** (-p / 2)  # type: ignore[attr-defined]
    u, k = symbols("u k", real=True)
    short = algebra(
        And((Compare(1 / u, "<=", 1), Compare(1 / u, ">", 0), Compare(k / u, "<", 1))),
        (Compare(u, ">", k), Compare(u, ">=", 1)), {u: ROOT, k: SHARE}, long_root(),
    )  # fmt: skip
    names = dict(zip(symbols("y v s b c", real=True), (y, 1 / ROOT, total, a, bound), strict=True))
    error = joint(
        Compare(2 * bound * y + bound**2 * y**2, "<", total),
        cut(
            substitute(more_than_allowed(), names),
            joint(Compare(y, ">=", 0), two_tokens(), given=[WIDENS]),
            error_is_small(), *(part(short, place_) for place_ in range(3)),
            joint(Compare(SHARE / ROOT, "<", 1), short),
            joint(Compare(ROOT**-2 / (2 * (a + 1)), "<=", total), first_beside_width(), first_at_size()),
        ),
    )  # fmt: skip
    z, x, w, c = symbols("z x w c", real=True)
    least = algebra(
        Compare(w * (1 + c * z) ** 2, "<", w * (1 + x)),
        (Compare(2 * c * z + c**2 * z**2, "<", x), Compare(w, ">", 0)),
        {c: bound, w: WIDTH**q, z: y, x: total}, error, weights_are_positive(),
    )  # fmt: skip
    fails = joint(opposite_at_size(claim), value, least)
    large = joint(Compare(SHARE**2, ">=", 0))
    return at_a_size_beyond(
        SHARE**2, large, claim, cut(fails, joint(Compare(p, ">=", 2), assume(THREE)))
    )
