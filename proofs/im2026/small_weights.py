r"""Weights after $n$ steps from a small start, as the induction of Theorem 4.1 has them.

Of a step, $y$ is $(n+\frac12)\eta$: rows and columns of weights are within $3y^2$ and $12y^3$ of their leading
terms, and of attention weights at most $48y^4$.  A start may be large in all, as long as its rows and columns
are small.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, symbols

from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.notation import T, depth, i, j, k, layer, m, words
from claims.im2026.small_starts import (
    TRAINED,
    attention,
    output,
    pace,
    pairs_travelled,
    positions,
    travelled,
    value,
)
from claims.statement import Compare, Formula
from proofs.calculation import at_places, linked, place, summed_over
from proofs.facts import FUBINI
from proofs.im2026.absolute_sums import (
    Range,
    carried,
    mean_sized,
    outer,
    per_text,
    row_below,
    total,
)
from proofs.im2026.bigrams import NOT_NEGATIVE, ONE_OF_EACH, SQUARES, fact_at, x
from proofs.im2026.bigrams import bigram as bigram_entry
from proofs.im2026.contexts import share, t, token_mean
from proofs.im2026.leading_values import composed
from proofs.im2026.lowest_orders import centred
from proofs.im2026.orders import (
    BEFORE,
    COLUMN,
    LAYER,
    PLACE,
    ROW,
    TEXT,
    every,
    in_prefix,
    n,
    read,
    said,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    fact,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
)

y, far, pairs = pace(n), travelled(n), pairs_travelled(n)
TOKENS = (TEXT, PLACE, ROW)
ALL = (m, 1, T)


# The set-up ---------------------------------------------------------------------------------------

HALF = Rational(1, 2)
BOX = (
    Compare(y, ">=", 0), Compare(y, "<=", Rational(1, 12)), Compare(depth * y, "<=", Rational(1, 12)),
    Compare(far, ">=", 0), Compare(far, "<=", y), Compare(pairs, ">=", 0),
    Compare(pairs, "<=", y**2 / 2),
)  # fmt: skip
TURNED = 48 * y**4
OUTPUTS = said(Compare(Sum(Abs(output(n, j, k) - far * bigram(j, k)), ROW), "<=", 3 * y**2), COLUMN)


def value_gap(row: Any, column: Any) -> Expr:
    """An entry of V less its leading term."""
    return value(n, layer, row, column) - pairs * composed_value(row, column)


VALUES = said(Compare(Sum(Abs(value_gap(j, k)), ROW), "<=", 12 * y**3), LAYER, COLUMN)
VALUE_ROWS = said(Compare(Sum(Abs(value_gap(j, k)), COLUMN), "<=", 12 * y**3), LAYER, ROW)
ATTENTION = said(Compare(Sum(Abs(attention(n, layer, j, k)), ROW), "<=", TURNED), LAYER, COLUMN)
ATTENTION_ROWS = said(
    Compare(Sum(Abs(attention(n, layer, j, k)), COLUMN), "<=", TURNED), LAYER, ROW
)
POSITIONS = said(Compare(Sum(Abs(positions(n, layer, m)), ALL), "<=", TURNED), LAYER)
box = tuple(map(assume, BOX))


def by(goal: Formula, *known: Theorem) -> Theorem:
    """Arithmetic with the box."""
    return joint(goal, *known, *box)


def said_of(quantity: Any, term: Any, *ranges: Range) -> Theorem:
    """What the definition says after n steps."""
    return read(quantity, term, *ranges, domain=TRAINED)


# One-hot rows, and what leads ---------------------------------------------------------------------


def token_size(position: Any = t) -> Theorem:
    """sum_j |X_tj| = 1."""
    sign = fact_at(NOT_NEGATIVE, position, j, within=position)
    one = fact_at(ONE_OF_EACH, position, within=position)
    each = joint(Compare(Abs(x(i, position, j)), "=", x(i, position, j)), sign)
    found = summed_over(each, ROW)
    return linked(Compare(found.formula.left, "=", 1), found, one)


def following_size() -> Theorem:
    """sum_k |Y_tk - 1/|V|| <= 2."""
    sign, one = fact_at(NOT_NEGATIVE, t + 1, k, within=t), fact_at(ONE_OF_EACH, t + 1, within=t)
    own = x(i, t + 1, k)
    each = joint(
        Compare(Abs(own - 1 / words), "<=", own + 1 / words),
        sign,
        joint(Compare(1 / words, ">", 0)),
    )
    found = summed_over(each, COLUMN)
    return linked(Compare(found.formula.left, "<=", 2), found, one)


@cache
def bigrams_size() -> Theorem:
    """sum |B_jk| <= 2."""
    body = x(i, t, j) * centred(k)
    row = joint(
        Compare(total(Abs(body), ROW, COLUMN), "<=", 2), outer(x(i, t, j), centred(k)), token_size(),
        following_size(),
    )  # fmt: skip
    found = mean_sized(body, 2, per_text(row, Integer(2)), ROW, COLUMN)
    same = joint(Compare(Abs(bigram(j, k)), "=", Abs(token_mean(body))), bigram_entry(j, k))
    sums = summed_over(same, ROW, COLUMN)
    return joint(Compare(sums.formula.left, "<=", 2), sums, found)


@cache
def bigram_column() -> Theorem:
    """sum_j |B_jk| <= 1, for every word k."""
    body = x(i, t, j) * centred(k)
    a, b, w = symbols("a b w", real=True)
    given = (
        Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(b**2, "=", b), Compare(w, ">=", 0),
        Compare(w, "<=", 1),
    )  # fmt: skip
    near = joint(Compare(Abs(b - w), "<=", 1), given=given[1:])
    each = joint(Compare(Abs(a * (b - w)), "<=", a), joint(
        Compare(Abs(a * (b - w)), "=", a * Abs(b - w)), given=given[:1]), near, given=given)  # fmt: skip
    each = cut(
        substitute(each, {a: x(i, t, j), b: x(i, t + 1, k), w: 1 / words}),
        fact_at(NOT_NEGATIVE, t, j, within=t), fact_at(NOT_NEGATIVE, t + 1, k, within=t),
        fact_at(SQUARES, t + 1, k, within=t), joint(Compare(1 / words, ">=", 0)),
        joint(Compare(1 / words, "<=", 1), joint(Compare(words, ">=", 1))),
    )  # fmt: skip
    found = summed_over(each, ROW)
    row = linked(Compare(found.formula.left, "<=", 1), found, fact_at(ONE_OF_EACH, t, within=t))
    found = mean_sized(body, Integer(1), per_text(row, Integer(1)), ROW)
    same = joint(Compare(Abs(bigram(j, k)), "=", Abs(token_mean(body))), bigram_entry(j, k))
    sums = summed_over(same, ROW)
    return every(joint(Compare(sums.formula.left, "<=", 1), sums, found), COLUMN)


# The weights after n steps ------------------------------------------------------------------------


def size_beside(a: Expr, b: Expr, c: Expr, *ranges: Range) -> tuple[Theorem, Theorem]:
    """sum |a| <= sum (|a - c b| + c |b|), and what that is when c is pulled out, for c >= 0."""
    u, v, w = symbols("u v w", real=True)
    each = substitute(
        joint(Compare(Abs(u), "<=", Abs(u - w * v) + w * Abs(v)), given=(Compare(w, ">=", 0),)),
        {u: a, v: b, w: c},
    )
    found = summed_over(each, *ranges)
    whole = total(Abs(a - c * b), *ranges) + c * total(Abs(b), *ranges)
    return found, sum_rearranged(found.formula.right, whole)


OUTPUT = 5 * y / 4
"""The largest column of W_O."""


@cache
def output_size() -> Theorem:
    """sum_j |W_jk| <= 5 y / 4 in every column."""
    a, b = output(n, j, k), bigram(j, k)
    column = instance(bigram_column(), k)
    whole = by(Compare(far * column.formula.left, "<=", y), column)
    known = (*size_beside(a, b, far, ROW), whole, instance(assume(OUTPUTS), k), squares_are_small())
    return every(by(Compare(Sum(Abs(a), ROW), "<=", OUTPUT), *known), COLUMN)


def squares_are_small() -> Theorem:
    """12 y^2 <= y, and 12 y^3 <= y^2."""
    u = Symbol("u", real=True)
    given = (Compare(u, ">=", 0), Compare(u, "<=", Rational(1, 12)))
    goal = (
        Compare(12 * u**2, "<=", u)
        & Compare(12 * u**3, "<=", u**2)
        & Compare(12 * u**4, "<=", u**3)
    )
    return cut(substitute(joint(goal, given=given), {u: y}), *box[:2])


@cache
def output_is_small() -> Theorem:
    """|W_O| <= 5 y / 4 entry by entry."""
    signs = joint(Compare(Abs(output(n, j, k)), ">=", 0))
    one = sum_at_least_term(every(signs, ROW), j)
    return linked(Compare(Abs(output(n, j, k)), "<=", OUTPUT), one, instance(output_size(), k))


def following(row: Any) -> Sum:
    """An entry of (Y - U_O) B^T."""
    one = place("a")
    return Sum(centred(one) * bigram(row, one), (one, 1, words))


def column_below(whole: Theorem, entry: Callable[[Any, Any], Expr], column: Any) -> Theorem:
    """sum_j |a_jk| <= c at one column, where sum_jk |a_jk| <= c."""
    one = place("b")
    signs = joint(Compare(Abs(entry(j, one)), ">=", 0))
    each = sum_at_least_term(every(signs, (one, 1, words)), column)
    found = summed_over(each, ROW) if each.formula.sign == "<=" else summed_over(
        joint(Compare(each.formula.right, "<=", each.formula.left), each), ROW
    )  # fmt: skip
    return linked(Compare(Sum(Abs(entry(j, column)), ROW), "<=", whole.formula.right), found, whole)


@cache
def followed_size() -> Theorem:
    """sum_j |((Y - U_O) B^T)_tj| <= 2."""
    one = place("a")
    small = instance(bigram_column(), one)
    found = carried(centred(one), bigram(j, one), (one, 1, words), ROW, Integer(1), small)
    return linked(Compare(found.formula.left, "<=", 2), found, following_size())


@cache
def prefix_size() -> Theorem:
    """sum_j of the shares of words in a prefix is one."""
    own = x(i, m, j)
    sign = in_prefix(fact_at(NOT_NEGATIVE, m, j, within=m))
    each = summed_over(joint(Compare(0, "<=", own), sign), BEFORE)
    sign = linked(Compare(Sum(own, BEFORE), ">=", 0), each)
    size = joint(
        Compare(Abs(share(j)), "=", share(j)),
        sign,
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )
    found = summed_over(size, ROW)
    turned = fact(FUBINI, a=own, j=j, k=m, rows=words, columns=t)
    one = summed_over(in_prefix(fact_at(ONE_OF_EACH, m, within=m)), BEFORE)
    pulled = sum_rearranged(found.formula.right, turned.formula.left / t)
    divided = joint(Compare(t / t, "=", 1), given=(Compare(t, ">=", 1),))
    return linked(
        Compare(found.formula.left, "<=", 1),
        found,
        pulled,
        turned,
        one,
        divided,
        given=(Compare(t, ">=", 1),),
    )


def named(theorem: Theorem, limits: Range) -> Theorem:
    """A bound of a sum, with its index called as wanted."""
    whole = theorem.formula.left
    (old, _, _), body = whole.limits[0], whole.function
    same = Sum(body.subs(old, limits[0]), limits)
    return linked(Compare(same, "<=", theorem.formula.right), theorem)


def sum_sign(term: Expr, *ranges: Range) -> Theorem:
    """Sums of absolute values are not negative."""
    u = Symbol("u", real=True)
    each = summed_over(substitute(joint(Compare(0, "<=", Abs(u))), {u: term}), *ranges)
    return linked(Compare(total(Abs(term), *ranges), ">=", 0), each)


@cache
def composed_size() -> Theorem:
    """sum |(Phi^T B^T)_jk| <= 2."""
    body = share(j) * following(k)
    own, other = prefix_size(), followed_size()
    p, q_ = symbols("p q", real=True)
    product = joint(Compare(p * q_, "<=", 2), given=(
        Compare(p, "<=", 1), Compare(q_, "<=", 2), Compare(p, ">=", 0), Compare(q_, ">=", 0),
    ))  # fmt: skip
    terms = {p: own.formula.left, q_: Sum(Abs(following(k)), COLUMN)}
    product = cut(
        substitute(product, terms),
        own,
        other,
        sum_sign(share(j), ROW),
        sum_sign(following(k), COLUMN),
    )
    each = joint(
        Compare(total(Abs(body), ROW, COLUMN), "<=", 2), outer(share(j), following(k)), product
    )
    found = mean_sized(body, 2, per_text(each, Integer(2)), ROW, COLUMN)
    same = joint(Compare(Abs(composed_value(j, k)), "=", Abs(token_mean(body))), composed())
    sums = summed_over(same, ROW, COLUMN)
    return joint(Compare(sums.formula.left, "<=", 2), sums, found)


@cache
def value_columns() -> Theorem:
    """sum_b |V_ba| <= 3 y^2 in every layer and column."""
    lead = column_below(composed_size(), composed_value, k)
    return _values_size(lead, at_places(assume(VALUES), layer, k), ROW, COLUMN)


@cache
def value_rows() -> Theorem:
    """sum_a |V_ba| <= 3 y^2 in every layer and row."""
    lead = named(row_below(composed_value, j, words, composed_size()), COLUMN)
    return _values_size(lead, at_places(assume(VALUE_ROWS), layer, j), COLUMN, ROW)


def _values_size(lead: Theorem, near: Theorem, along: Range, place_: Range) -> Theorem:
    a, b = value(n, layer, j, k), composed_value(j, k)
    whole = by(Compare(pairs * Sum(Abs(b), along), "<=", y**2), lead)
    known = (*size_beside(a, b, pairs, along), whole, near, squares_are_small())
    return every(by(Compare(Sum(Abs(a), along), "<=", 3 * y**2), *known), LAYER, place_)
