r"""Rows of the products P share a limit of their norm, Eq. (23)-(24), from the gathering of tokens.

By Rayleigh's principle

    sigma_min |P_i - P_k| <= |Y_i - Y_k|,

at one layer or at two, and the right side decays in the chart.  Rows of Y are unit vectors, so that
|v^T X^{(0)} W~| = 1/|P_1| for v the direction of the first row, and sigma_min <= 1/|P_i| <= sqrt(N).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, sqrt, symbols

from claims.statement import Compare
from claims.terms import MaxOver
from claims.wu2024.cone import sigma_min
from claims.wu2024.notation import N, d, t
from proofs.calculation import (
    at_places,
    extremum_over,
    linked,
    place,
    squared,
    sums_compared,
    weighed,
)
from proofs.facts import RAYLEIGH
from proofs.kernel import (
    Theorem,
    cut,
    extremum_bounds,
    fact,
    instance,
    joint,
    part,
    substitute,
)
from proofs.wu2024.averages import i, j
from proofs.wu2024.chart import (
    FRAME,
    at_layer,
    contraction_below_one,
    units,
    width_bound,
    x,
)
from proofs.wu2024.gathering import SPHERE, products_agree
from proofs.wu2024.mixtures import mixed_at, mixture, shares
from proofs.wu2024.norms import (
    Row,
    cauchy_schwarz,
    combination,
    entry_below_norm,
    exchanged,
    inner,
    minus,
    root_below,
    row,
    summed,
)
from proofs.wu2024.turning import (
    all_tokens_are_rotated,
    earlier,
    squared_gap,
    squared_move,
    turns,
)


def row_factor(u: Any, one: Any) -> Expr:
    """u_i = |P_i|."""
    return sqrt(inner(shares(u, one), shares(u, one), N))


# Norms of rows ------------------------------------------------------------------------------------


def rayleigh(values: Row, mixed: Row, read: Any) -> Theorem:
    """sigma^2 |x|^2 <= |y|^2 where y = x X, which `read(k)` says."""
    n = place("n")
    below = fact(RAYLEIGH, sigma=sigma_min, x=values(n), j=n)
    squares = squared(read, d)
    norm = inner(values, values, N)
    return linked(Compare(sigma_min**2 * norm, "<=", inner(mixed, mixed)), below, squares)


def unit(u: Any, one: Any) -> Theorem:
    """|Y_i|^2 = 1."""
    return instance(part(at_layer(u), 0), one)


@cache
def factor_is_bounded(u: Any, one: Any) -> Theorem:
    """1/N <= |P_i|^2 <= 1/sigma^2."""
    own, token = shares(u, one), row(FRAME.at(u), one)
    above = rayleigh(own, token, lambda p: mixed_at(u, one, p))
    norm = inner(own, own, N)

    def of_feature(p: Any) -> Theorem:
        """Y_ip^2 <= |P_i|^2 sum_j X_jp^2."""
        schwarz = cauchy_schwarz(own, lambda n: x(n, p), N)
        column = inner(lambda n: x(n, p), lambda n: x(n, p), N)
        return linked(Compare(token(p) ** 2, "<=", norm * column), schwarz, mixed_at(u, one, p))

    rows = sums_compared(of_feature, d)
    swap = exchanged(lambda n, p: x(n, p) ** 2, N, d)
    ones = sums_compared(lambda n: instance(units, n), N)
    return linked(
        Compare(sigma_min**2 * norm, "<=", 1) & Compare(norm * N, ">=", 1), above, unit(u, one),
        rows, swap, ones,
    )  # fmt: skip


_a, _b, _c, _s, _w = symbols("a b c s w", real=True)


def close(u: Any) -> Expr:
    """sqrt(d) width/sigma."""
    return sqrt(d) * width_bound(u) / sigma_min


@cache
def norms_are_close() -> Theorem:
    """||a| - |b|| <= sqrt(d) w/s where s^2 (a^2 + b^2 - 2 c) <= d w^2 and c^2 <= a^2 b^2."""
    inside = joint(
        Compare(_c, "<=", _a * _b),
        given=(Compare(_c**2, "<=", _a**2 * _b**2), Compare(_a, ">=", 0), Compare(_b, ">=", 0)),
    )
    square = joint(
        Compare(((_a - _b) * _s) ** 2, "<=", d * _w**2), inside,
        given=(Compare(_s**2 * (_a**2 + _b**2 - 2 * _c), "<=", d * _w**2),),
    )  # fmt: skip
    scaled = root_below((_a - _b) * _s, _w, square)
    return joint(
        Compare(Abs(_a - _b), "<=", sqrt(d) * _w / _s), scaled, given=(Compare(_s, ">", 0),)
    )


def rows_are_close(u: Any, one: tuple[Any, Any], other: tuple[Any, Any], gap: Theorem) -> Theorem:
    """sigma^2 |P_i - P_k|^2 <= d width^2 for rows at layers, `gap` about the rows of Y there."""
    moved = minus(*(row(FRAME.at(w), a) for w, a in (one, other)))
    apart = minus(*(shares(*p) for p in (one, other)))

    def read(p: Any) -> Theorem:
        """sum_j (P_ij - P_kj) X_jp = Y_ip - Y_kp."""
        left = combination(apart, x)(p)
        return linked(Compare(left, "=", moved(p)), mixed_at(*one, p), mixed_at(*other, p))

    goal = Compare(sigma_min**2 * inner(apart, apart, N), "<=", d * width_bound(u) ** 2)
    return linked(goal, gap, rayleigh(apart, moved, read))


def factors_are_close(
    u: Any, one: tuple[Any, Any], other: tuple[Any, Any], gap: Theorem
) -> Theorem:
    """||P_i| - |P_k|| <= sqrt(d) width/sigma for rows at layers, `gap` about the rows of Y there."""
    rows = [shares(*p) for p in (one, other)]
    norms = [inner(a, a, N) for a in rows]
    product, width = inner(rows[0], rows[1], N), width_bound(u)
    terms = {_a: sqrt(norms[0]), _b: sqrt(norms[1]), _c: product, _s: sigma_min, _w: width}
    positive = [
        joint(Compare(norm, ">", 0), factor_is_bounded(*p))
        for norm, p in zip(norms, (one, other), strict=True)
    ]
    squares = [
        joint(Compare(sqrt(q) ** 2, "=", q), p) for q, p in zip(norms, positive, strict=True)
    ]
    bound = linked(
        Compare(sigma_min**2 * (norms[0] + norms[1] - 2 * product), "<=", d * width**2),
        rows_are_close(u, one, other, gap),
    )  # fmt: skip
    return cut(
        substitute(norms_are_close(), terms), bound, cauchy_schwarz(rows[0], rows[1], N), *squares, *positive,
        joint(Compare(width, ">=", 0), contraction_below_one()), contraction_below_one(),
    )  # fmt: skip


# Eq. (23), (24) -----------------------------------------------------------------------------------


@cache
def factors_meet(one: Any, other: Any) -> Theorem:
    """|u_i - u_k| is small at the last layer."""
    return factors_are_close(t, (t, one), (t, other), squared_gap(t, (t, one), (t, other)))


@cache
def factors_share_a_limit() -> Theorem:
    return extremum_over(MaxOver, factors_meet(i, j), (i, N), (j, N))


def largest_factor_move(u: Any, later: Any) -> Expr:
    """max |u_i(t) - u_i(t_1)|."""
    return MaxOver(Abs(row_factor(later, i) - row_factor(u, i)), (i, 1, N))


@cache
def factors_settle() -> Theorem:
    """No later layer moves a factor further than that."""
    move = factors_are_close(earlier, (t, i), (earlier, i), squared_move())
    return extremum_over(MaxOver, move, (i, N))


def direction_of_first_row(n: Any) -> Expr:
    """v."""
    return shares(t, Integer(1))(n) / row_factor(t, Integer(1))


def norm_of_mixture() -> Expr:
    """|v^T X W~|."""
    turned = turned_row(combination(direction_of_first_row, x))
    return sqrt(summed(lambda q: turned(q) ** 2))


def turned_row(values: Row) -> Row:
    """A row of tokens, turned by W~."""
    return combination(values, turns(t), d)


@cache
def first_row_is_not_zero() -> Theorem:
    """|P_1|^2 > 0."""
    norm = inner(shares(t, Integer(1)), shares(t, Integer(1)), N)
    return joint(Compare(norm, ">", 0), factor_is_bounded(t, Integer(1)))


@cache
def mixture_is_inverse() -> Theorem:
    """|v^T X W~| = 1/u_1: rows of P X W~ have norm one."""
    first, length, positive = Integer(1), row_factor(t, Integer(1)), first_row_is_not_zero()
    mixed = combination(direction_of_first_row, x)

    def of_token(p: Any) -> Theorem:
        """(v^T X)_p = Y_1p/|P_1|."""
        goal = Compare(mixed(p), "=", FRAME.tokens(t, first, p) / length)
        return linked(goal, mixed_at(t, first, p))

    def of_feature(q: Any) -> Theorem:
        """((v^T X) W~)_q^2 = X_1q^2/|P_1|^2."""
        terms = weighed(lambda p: turns(t)(p, q), lambda p: cut(of_token(p), positive), d)
        value = turned_row(mixed)(q)
        whole = at_places(all_tokens_are_rotated(), t, first, q)
        squared = Compare(value**2, "=", SPHERE.tokens(t, first, q) ** 2 / length**2)
        return linked(squared, terms, whole, positive)

    squares = sums_compared(of_feature, d)
    whole = norm_of_mixture().base
    one = linked(Compare(whole, "=", 1 / length**2), squares, sphere_is_unit(first))
    return joint(Compare(sqrt(whole), "=", 1 / length), one, positive)


def sphere_is_unit(one: Any) -> Theorem:
    """|X_i|^2 = 1."""
    return joint(
        Compare(SPHERE.product(t, one, one), "=", 1), unit(t, one),
        at_places(products_agree(), t, one, one),
    )  # fmt: skip


@cache
def mixture_stays_away_from_zero() -> Theorem:
    """sigma <= |v^T X W~|."""
    return joint(
        Compare(norm_of_mixture(), ">=", sigma_min), mixture_is_inverse(),
        factor_is_bounded(t, Integer(1)), first_row_is_not_zero(),
    )  # fmt: skip


@cache
def mixture_is_close_to_inverses() -> Theorem:
    """max ||v^T X W~| - 1/u_i| <= N sqrt(d) width/sigma."""
    one, other = row_factor(t, Integer(1)), row_factor(t, i)
    lengths = [
        joint(Compare(length, ">", 0) & Compare(length**2 * N, ">=", 1), factor_is_bounded(t, p))
        for length, p in ((one, Integer(1)), (other, i))
    ]
    product = joint(Compare(one * other * N, ">=", 1), *lengths)
    whole = joint(
        Compare(Abs(norm_of_mixture() - 1 / other), "<=", N * close(t)), product, *lengths,
        factors_meet(Integer(1), i), mixture_is_inverse(),
    )  # fmt: skip
    return cut(
        extremum_over(MaxOver, whole, (i, N)), first_row_is_not_zero(), contraction_below_one()
    )


# What is not of rank one ---------------------------------------------------------------------------


def error(one: Any, column: Any) -> Expr:
    """P_ij - u_i v_j."""
    return shares(t, one)(column) - row_factor(t, one) * direction_of_first_row(column)


@cache
def entries_are_close() -> Theorem:
    """|P_ij - P_1j| <= sqrt(d) width/sigma."""
    one, first = (t, i), (t, Integer(1))
    apart = minus(shares(*one), shares(*first))
    rows = rows_are_close(t, one, first, squared_gap(t, one, first))
    width, gap = width_bound(t), apart(j)
    scaled = joint(
        Compare((gap * sigma_min) ** 2, "<=", d * width**2), rows, entry_below_norm(apart, j, N)
    )
    root = root_below(gap * sigma_min, width, scaled, contraction_below_one())
    goal = Compare(Abs(gap), "<=", close(t))
    return joint(goal, root, given=(Compare(sigma_min, ">", 0),))


@cache
def errors_are_small() -> Theorem:
    """|P_ij - u_i v_j| <= |P_ij - P_1j| + |u_1 - u_i| |P_1j|/u_1 <= 2 sqrt(d) width/sigma."""
    p, q, e = symbols("p q e", real=True)
    given = (
        Compare(Abs(p - q), "<=", e), Compare(Abs(_a - _b), "<=", e), Compare(_b, ">", 0),
        Compare(q**2, "<=", _b**2),
    )  # fmt: skip
    share = joint(Compare(Abs(q), "<=", _b), given=given[2:])
    turned = joint(Compare(Abs((_b - _a) * q), "<=", e * _b), share, given=given[1:3])
    small = joint(Compare(Abs((_b - _a) * q / _b), "<=", e), turned, given=given[2:3])
    bound = joint(
        Compare(Abs(p - _a * (q / _b)), "<=", 2 * e),
        joint(Compare(p - _a * (q / _b), "=", p - q + (_b - _a) * q / _b), given=given[2:3]),
        small, given=given[:1],
    )  # fmt: skip
    first = Integer(1)
    terms = {
        p: shares(t, i)(j), q: shares(t, first)(j), _a: row_factor(t, i), _b: row_factor(t, first),
        e: close(t),
    }  # fmt: skip
    positive = first_row_is_not_zero()
    length = joint(
        Compare(terms[_b], ">", 0) & Compare(terms[_b] ** 2, "=", terms[_b].base), positive
    )
    return cut(
        substitute(bound, terms), entries_are_close(), factors_meet(i, first), length,
        joint(Compare(terms[q] ** 2, "<=", terms[_b] ** 2), entry_below_norm(shares(t, first), j, N), length),
    )  # fmt: skip


# Rows of P X W~ -----------------------------------------------------------------------------------


def token_of_products(one: Any) -> Row:
    """(P X W~)_i."""
    return turned_row(mixture(t, one))


def largest_unevenness() -> Expr:
    """max ||(P X W~)_i|^2 - 1|."""
    own = token_of_products(i)
    return MaxOver(Abs(inner(own, own) - 1), (i, 1, N))


@cache
def products_have_unit_rows() -> Theorem:
    """P X W~ = X^{(t)}."""

    def of_feature(q: Any) -> Theorem:
        terms = weighed(lambda p: turns(t)(p, q), lambda p: mixed_at(t, i, p), d)
        value = token_of_products(i)(q)
        return linked(
            Compare(value**2, "=", SPHERE.tokens(t, i, q) ** 2), terms,
            at_places(all_tokens_are_rotated(), t, i, q),
        )  # fmt: skip

    squares, own = sums_compared(of_feature, d), token_of_products(i)
    even = linked(Compare(Abs(inner(own, own) - 1), "<=", 0), squares, sphere_is_unit(i))
    largest = extremum_over(MaxOver, even, (i, N))
    return joint(
        Compare(largest_unevenness(), "=", 0), largest, extremum_bounds(largest_unevenness(), 1)
    )
