r"""Sums of absolute values over words, positions and sequences: triangles, products, means.

In such sums the norm of a product is at most that of the factors' norms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, exp, symbols

from claims.im2026.notation import N, T
from claims.statement import Compare
from proofs.calculation import linked, place, summed_over
from proofs.facts import EXP_ABOVE_TANGENT, EXP_INCREASES, FUBINI
from proofs.im2026.bigrams import swapped
from proofs.im2026.contexts import t
from proofs.im2026.orders import COLUMN, PLACE, ROW, TEXT, every
from proofs.kernel import (
    Theorem,
    cut,
    fact,
    identity,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
)

Range = tuple[Any, Any, Any]

# Sums of absolute values --------------------------------------------------------------------------


def total(term: Any, *ranges: Range) -> Any:
    """Sums over indices, the first outermost."""
    for limits in reversed(ranges):
        term = Sum(term, limits)
    return term


def triangle(term: Expr, *ranges: Range) -> Theorem:
    """The absolute value of sums is at most the sum of absolute values."""
    u = Symbol("u", real=True)
    above, below = (
        summed_over(substitute(joint(Compare(sign * u, "<=", Abs(u))), {u: term}), *ranges)
        for sign in (1, -1)
    )
    whole = total(term, *ranges)
    turned = sum_rearranged(below.formula.left, -whole)
    return joint(Compare(Abs(whole), "<=", total(Abs(term), *ranges)), above, below, turned)


def weighed_by(term: Expr, most: Any, small: Theorem, *ranges: Range) -> Theorem:
    """sum |a| b <= most sum |a|, where `small` says that b <= most."""
    a, b, c = symbols("a b c", real=True)
    bound = small.formula.left
    each = joint(Compare(Abs(a) * b, "<=", c * Abs(a)), given=(Compare(b, "<=", c),))
    each = cut(substitute(each, {a: term, b: bound, c: most}), small)
    found = summed_over(each, *ranges)
    pulled = sum_rearranged(found.formula.right, most * total(Abs(term), *ranges))
    return joint(Compare(found.formula.left, "<=", pulled.formula.right), found, pulled)


def spread(a: Expr, b: Expr, inner: Range, outer: Range) -> Theorem:
    """sum_outer |sum_inner a b| <= sum_inner |a| sum_outer |b|."""
    u, v = symbols("u v", real=True)
    product = substitute(joint(Compare(Abs(u * v), "=", Abs(u) * Abs(v))), {u: a, v: b})
    apart = summed_over(product, inner)
    each = joint(
        Compare(Abs(Sum(a * b, inner)), "<=", Sum(Abs(a) * Abs(b), inner)),
        triangle(a * b, inner),
        apart,
    )
    summed = summed_over(each, outer)
    turned = fact(
        FUBINI, a=Abs(a) * Abs(b), j=outer[0], k=inner[0], rows=outer[2], columns=inner[2]
    )
    pulled = summed_over(
        sum_rearranged(Sum(Abs(a) * Abs(b), outer), Abs(a) * Sum(Abs(b), outer)), inner
    )
    return joint(Compare(summed.formula.left, "<=", pulled.formula.right), summed, turned, pulled)


def carried(a: Expr, b: Expr, inner: Range, outer: Range, most: Any, small: Theorem) -> Theorem:
    """sum_outer |sum_inner a b| <= most sum_inner |a|, where `small` says that sum_outer |b| <= most."""
    found, bound = spread(a, b, inner, outer), weighed_by(a, most, small, inner)
    return joint(Compare(found.formula.left, "<=", bound.formula.right), found, bound)


def row_below(entry: Callable[[Any, Any], Expr], row: Any, high: Any, whole: Theorem) -> Theorem:
    """sum_k |a_jk| <= c at one row, where sum_jk |a_jk| <= c."""
    one, other = place("a"), place("b")
    body = Sum(Abs(entry(one, other)), (other, 1, high))
    signs = summed_over(joint(Compare(0, "<=", Abs(entry(one, other)))), (other, high))
    signs = linked(Compare(body, ">=", 0), signs)
    least = sum_at_least_term(every(signs, (one, 1, high)), row)
    return linked(Compare(body.subs(one, row), "<=", whole.formula.right), least, whole)


# Softmax ------------------------------------------------------------------------------------------


def softmax_within(
    z: Callable[[Any], Expr], size: Any, index: Any, most: Any, within: Theorem
) -> tuple[Theorem, Theorem]:
    """e^(-2r) <= d p <= e^(2r) for the softmax p of d logits of at most r in absolute value."""
    c, d, e, S, N_ = symbols("c d e S N", real=True)
    up = cut(fact(EXP_INCREASES, a=z(index), b=most), joint(Compare(z(index), "<=", most), within))
    down = cut(
        fact(EXP_INCREASES, a=-most, b=z(index)), joint(Compare(-most, "<=", z(index)), within)
    )
    limits = (index, 1, size)
    S_term = Sum(exp(z(index)), limits)
    above = linked(Compare(S_term, "<=", size * exp(most)), summed_over(up, limits))
    below = linked(Compare(S_term, ">=", size * exp(-most)), summed_over(down, limits))
    one = identity(exp(most) * exp(-most), Integer(1))
    given = (
        Compare(c * d, "=", 1), Compare(c, "<=", e), Compare(e, "<=", d), Compare(S, ">=", N_ * c),
        Compare(S, "<=", N_ * d), Compare(N_, ">=", 1), Compare(d, ">", 0), Compare(c, ">", 0),
    )  # fmt: skip
    positive = joint(Compare(S, ">", 0), given=given[3:])
    g = Symbol("g", real=True)  # one over S
    inverse = Compare(g * S, "=", 1)
    sign = joint(Compare(g, ">", 0), positive, given=(inverse,))
    share = joint(Compare(g * N_ * c, "<=", 1), sign, given=(inverse, given[3]))
    share_low = joint(Compare(g * N_ * d, ">=", 1), sign, given=(inverse, given[4]))
    high = joint(Compare(g * N_, "<=", d), share, given=(given[0], given[6]))
    low = joint(Compare(g * N_, ">=", c), share_low, given=(given[0], given[7]))
    ends = (
        joint(Compare(e * (g * N_), "<=", d * d), high, given=(*given[1:3], *given[6:])),
        joint(Compare(e * (g * N_), ">=", c * c), low, given=(given[1], given[7])),
    )
    many = joint(Compare(size, ">=", 1))
    signs = [joint(Compare(exp(power), ">", 0)) for power in (most, -most)]
    positive_sum = joint(Compare(S_term, ">", 0), below, signs[1], many)
    known = (
        one, up, down, above, below, *signs, positive_sum, many, within,
        joint(Compare(S_term / S_term, "=", 1), positive_sum),
    )  # fmt: skip
    terms = {
        c: exp(-most), d: exp(most), e: exp(z(index)), S: S_term, g: 1 / S_term, N_: size,
    }  # fmt: skip
    first, second = (cut(substitute(end, terms), *known) for end in ends)
    return first, second


def near_uniform(
    z: Callable[[Any], Expr], size: Any, index: Any, most: Any, within: Theorem
) -> Theorem:
    """|p - 1/d| <= 5 r / (2 d) for the softmax p of d logits of at most r <= 1/8 in absolute value."""
    r, c, d, w, N_ = symbols("r c d w N", real=True)
    given = (
        Compare(c, ">=", 1 - r), Compare(c * d, "=", 1), Compare(r, ">=", 0), Compare(r, "<=", Rational(1, 8)),
        Compare(d, ">", 0), Compare(c, ">", 0),
    )  # fmt: skip
    steep = joint(Compare(d, "<=", 1 + 8 * r / 7), given=given[:4])
    square = joint(Compare(d**2, "<=", 1 + 5 * r / 2), steep, given=given[2:5])
    flat = joint(Compare(c**2, ">=", 1 - 5 * r / 2), given=(*given[:4], given[5]))
    known = (
        fact(EXP_ABOVE_TANGENT, x=-most), identity(exp(most) * exp(-most), Integer(1)),
        *(joint(Compare(exp(power), ">", 0)) for power in (most, -most)),
    )  # fmt: skip
    terms = {r: most, c: exp(-most), d: exp(most)}
    ends = [cut(substitute(end, terms), *known) for end in (square, flat)]
    near = joint(
        Compare(Abs(w - 1 / N_), "<=", 5 * r / (2 * N_)),
        given=(Compare(Abs(w * N_ - 1), "<=", 5 * r / 2), Compare(N_, ">=", 1)),
    )
    share = exp(z(index)) / Sum(exp(z(index)), (index, 1, size))
    close = joint(
        Compare(Abs(share * size - 1), "<=", 5 * most / 2),
        *softmax_within(z, size, index, most, within), *ends,
    )  # fmt: skip
    return cut(
        substitute(near, {r: most, w: share, N_: size}), close, joint(Compare(size, ">=", 1))
    )


# Means over tokens --------------------------------------------------------------------------------


def outer(a: Expr, b: Expr, first: Range = ROW, second: Range = COLUMN) -> Theorem:
    """sum |a_j b_k| = sum |a_j| sum |b_k|."""
    u, v = symbols("u v", real=True)
    product = substitute(joint(Compare(Abs(u * v), "=", Abs(u) * Abs(v))), {u: a, v: b})
    found = summed_over(product, first, second)
    pulled = sum_rearranged(found.formula.right, Sum(Abs(a), first) * Sum(Abs(b), second))
    return joint(Compare(found.formula.left, "=", pulled.formula.right), found, pulled)


def per_text(each: Theorem, most: Any) -> Theorem:
    """Summed over positions: what is at most `most` at each of them is at most T times that."""
    found = summed_over(each, PLACE)
    return linked(Compare(found.formula.left, "<=", T * most), found)


def mean_sized(body: Expr, most: Any, known: Theorem, *ranges: Range) -> Theorem:
    """sum |mean| <= most, where `known` says that T most bounds the sums over positions of sequence i."""
    tokens = (TEXT, PLACE)
    size = Abs(body)
    found = summed_over(triangle(body, *tokens), *ranges)
    turns = []
    inside: Any = size
    for place_, limits in reversed(list(enumerate(ranges))):
        turned = exchanged_over(inside, limits)
        turns.append(summed_over(turned, *ranges[:place_]))
        inside = Sum(inside, limits)
    bound = summed_over(known, TEXT)
    whole = linked(Compare(bound.formula.left, "<=", N * T * most), bound)
    sums = joint(Compare(found.formula.left, "<=", N * T * most), found, *turns, whole)
    inner = total(body, *tokens)
    a, c = symbols("a c", real=True)
    scaled = joint(Compare(Abs(a / c), "=", Abs(a) / c), given=(Compare(c, ">=", 1),))
    count = joint(Compare(N * T, ">=", 1))
    each = cut(substitute(scaled, {a: inner, c: N * T}), count)
    means = summed_over(each, *ranges)
    pulled = sum_rearranged(means.formula.right, found.formula.left / (N * T))
    goal = Compare(means.formula.left, "<=", most)
    b = Symbol("b", real=True)
    less = joint(Compare(a / c, "<=", b), given=(Compare(a, "<=", c * b), Compare(c, ">=", 1)))
    less = cut(substitute(less, {a: found.formula.left, c: N * T, b: most}), sums, count)
    return joint(goal, means, pulled, less)


def exchanged_over(body: Expr, limits: Range) -> Theorem:
    """A sum over an index from one of sums over sequences and positions, the other way round."""
    index, _, high = limits
    each = fact(FUBINI, a=body, j=index, k=t, rows=high, columns=T)
    turned = summed_over(each, TEXT)
    inner = Sum(body, PLACE)
    outer_ = swapped(inner, index, high)
    left = total(body, limits, TEXT, PLACE)
    right = total(body, TEXT, PLACE, limits)
    return linked(Compare(left, "=", right), outer_, turned)
