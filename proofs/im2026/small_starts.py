r"""Theorem 4.1 for all sizes, corpora and small starts: every norm is a sum of absolute values.

In such sums the norm of a product is at most that of the factors' norms, and rows of attention, of one-hot
rows and of probabilities have sum one, so that neither length nor vocabulary enters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import small_starts as claims
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, depth, eta, j, k, layer, m, s, words
from claims.im2026.small_starts import TRAINED, attention, output, positions, value
from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import put
from proofs.calculation import linked, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026.absolute_sums import Range, row_below, total
from proofs.im2026.contexts import divided
from proofs.im2026.corpus_norms import squares
from proofs.im2026.orders import COLUMN, LAYER, ROW, every, n
from proofs.im2026.small_steps import BEGUN, COUNT, LINES_OF_START, after_steps, beside, bounds
from proofs.im2026.small_weights import ALL, column_below, sum_sign
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    instance,
    joint,
    part,
    substitute,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves

# The theorem --------------------------------------------------------------------------------------


def frobenius(entry: Expr, known: Theorem, *ranges: Range) -> Theorem:
    """sqrt(sum a^2) <= c from sum |a| <= c."""
    index = [place("a") for _ in ranges]
    limits = [(one, low, high) for one, (_, low, high) in zip(index, ranges, strict=True)]
    there = put(entry, {old: one for (old, _, _), one in zip(ranges, index, strict=True)})
    size = total(Abs(entry), *ranges)
    below = joint(Compare(Abs(there), "<=", Abs(there)))
    term = Abs(entry)
    for place_ in reversed(range(len(ranges))):
        inner = total(term, *ranges[place_ + 1 :])
        rest = [
            (old, new) for (old, _, _), new in zip(ranges[:place_], index[:place_], strict=True)
        ]
        inner = put(inner, dict(rest))
        old, low, high = ranges[place_]
        within_ = ranges[place_ + 1 :]
        inside = sum_sign(put(entry, dict(rest)), *within_) if within_ else None
        sign = linked(Compare(inner, ">=", 0), *([inside] if inside else []))
        signs = every(sign, (old, low, high))
        found = sum_at_least_term(signs, index[place_])
        below = linked(Compare(Abs(there), "<=", Sum(inner, (old, low, high))), below, found)
    u, v, c = symbols("u v c", real=True)
    square = joint(Compare(u**2, "<=", v * Abs(u)), given=(Compare(Abs(u), "<=", v),))
    each = cut(substitute(square, {u: there, v: size}), below)
    sums = summed_over(each, *limits)
    squares_ = total(entry**2, *ranges)
    sums = linked(Compare(squares_, "<=", size * size), sums)
    root = joint(
        Compare(sqrt(u), "<=", c),
        given=(
            Compare(u, "<=", v * v),
            Compare(v, "<=", c),
            Compare(v, ">=", 0),
            Compare(u, ">=", 0),
        ),
    )
    return cut(
        substitute(root, {u: squares_, v: size, c: known.formula.right}), sums, known, sum_sign(entry, *ranges),
        squares(entry, *((old, high) for old, _, high in ranges)),
    )  # fmt: skip


def within_horizon(domain: Domain) -> tuple[Theorem, ...]:
    """L s eta <= 1/12, eta <= 1/12 and 1 <= s eta T, as the domain says."""
    known = facts_of(domain)
    a, b, u = symbols("a b u", real=True)
    short = joint(Compare(s * eta, "<=", 1 / (12 * depth)), given=known)
    given = (
        Compare(b * u, "<=", 1 / (12 * a)),
        Compare(a, ">=", 1),
        Compare(b, ">=", 1),
        Compare(u, ">", 0),
    )
    layers = joint(
        Compare(a * b * u, "<=", Rational(1, 12)),
        joint(Compare(a * (b * u), "<=", a * (1 / (12 * a))), given=given[:2]),
        given=given[1:2],
    )
    rate = joint(
        Compare(u, "<=", Rational(1, 12)),
        joint(Compare(u, "<=", b * u), given=given[2:]),
        joint(
            Compare(b * u, "<=", a * (b * u)),
            joint(Compare(b * u, ">=", 0), given=given[2:]),
            given=given[1:2],
        ),
        layers,
    )
    signs = (
        joint(Compare(depth, ">=", 1)),
        joint(Compare(s, ">=", 1), given=known),
        joint(Compare(eta, ">", 0)),
        short,
    )
    terms = {a: depth, b: s, u: eta}
    layers, rate = (cut(substitute(found, terms), *signs) for found in (layers, rate))
    return layers, rate


def in_norm(quantity: Any, entry: Expr, known: Theorem, *ranges: Range) -> Theorem:
    """A bound of a Frobenius norm, from that of the sum of absolute values of its entries."""
    size = linked(Compare(total(Abs(entry), *ranges), "<=", known.formula.right), known)
    found = frobenius(entry, size, *ranges)
    return joint(
        Compare(quantity, "<=", known.formula.right), found, norm_read(quantity, entry, *ranges)
    )


def norm_read(quantity: Any, entry: Expr, *ranges: Range) -> Theorem:
    """A Frobenius norm is the root of the sum of the squares of the entries."""
    layered = (LAYER,) if layer in entry.free_symbols else ()
    return unfold(quantity, sqrt(total(entry**2, *ranges)), TRAINED, layered)


METHOD = "induction over steps and layers, in sums of absolute values"
FOURTH = COUNT.subs(n, s) * eta**4
GAPS = (
    (claims.output_error, output(s, j, k) - s * eta * bigram(j, k), ROW, COLUMN),
    (claims.value_error(layer), value(s, layer, j, k) - s * (s - 1) / 2 * eta**2 * composed_value(j, k), ROW,
     COLUMN),
    (claims.attention_error(layer), attention(s, layer, j, k) - FOURTH * word_entry(j, k), ROW, COLUMN),
    (claims.position_error(layer), positions(s, layer, m) - FOURTH * position_entry(m), ALL),
)  # fmt: skip
"""Errors of outputs, values, attention and position scores, entry by entry."""
BEFORE_TRAINING = (
    output(0, j, k), value(0, layer, j, k), attention(0, layer, j, k), positions(0, layer, m)
)  # fmt: skip


def in_layer(theorem: Theorem) -> Theorem:
    """What is said of every layer, of one."""
    return instance(theorem, layer) if isinstance(theorem.formula, ForAll) else theorem


@cache
def lines(most: Any) -> tuple[Theorem, ...]:
    """Rows and columns of a start whose absolute values add up to at most so much, which is at most eta^4."""
    first, *others = map(assume, claims.started_within(most))
    values, scores, places = (instance(known, layer) for known in others)
    down = lambda known, weights: column_below(  # noqa: E731
        known, lambda row, column: weights(0, layer, row, column), k
    )
    along = lambda known, weights: row_below(  # noqa: E731
        lambda row, column: weights(0, layer, row, column), j, words, known
    )
    found = (
        column_below(first, lambda row, column: output(0, row, column), k), down(values, value),
        along(values, value), down(scores, attention), along(scores, attention), places,
    )  # fmt: skip
    room = joint(Compare(most, "<=", BEGUN), joint(Compare(eta**4, ">=", 0)))
    return tuple(
        every(
            joint(Compare(size, "<=", BEGUN), linked(Compare(size, "<=", most), known), room), *over
        )
        for (size, over), known in zip(LINES_OF_START, found, strict=True)
    )


def near_after(domain: Domain, begun: Sequence[Theorem]) -> Theorem:
    """What s steps add is near the leading terms, from a start with such rows and columns."""
    layers, rate = within_horizon(domain)
    near = joint(And(bounds(s)), instance(after_steps(), s), layers)
    return cut(near, rate, *begun)


def error_below(near: Theorem, most: Any, place_: int) -> Theorem:
    """The error of one kind of weights, in any layer, from a start whose absolute values add up to `most`."""
    quantity, entry, *ranges = GAPS[place_]
    begun = in_layer(assume(claims.started_within(most)[place_]))
    size = beside(entry, BEFORE_TRAINING[place_], in_layer(part(near, place_)), begun, *ranges)
    return in_norm(quantity, entry, size, *ranges)


def from_zero(domain: Domain, place_: int) -> Theorem:
    """The error of one kind of weights, in any layer, where the start adds nothing."""
    zero = Integer(0)
    return error_below(near_after(domain, lines(zero)), zero, place_)


@proves(claims.weights_from_zero_at_any_size)
def by_steps_from_zero(claim: Claim) -> Certificate:
    """Errors of all weights."""
    domain = claims.weights_from_zero_at_any_size.domain
    first, *others = (from_zero(domain, place_) for place_ in range(len(GAPS)))
    theorem = both(first, every(both(*others), LAYER))
    return conclude(claim, divided(theorem), method=METHOD)


def numbers(domain: Domain) -> tuple[Theorem, ...]:
    """What is used of steps, rate and length: s >= 1, 0 < eta <= 1/12, T >= 12 and eta T >= 1."""
    known = facts_of(domain)
    return (
        joint(Compare(s, ">=", 1), given=known), joint(Compare(eta, ">", 0)), within_horizon(domain)[1],
        joint(Compare(T, ">=", 12), given=known), joint(Compare(eta * T, ">=", 1), given=known),
    )  # fmt: skip


def room_for_start(gained: Expr, start: Expr, right: Expr, *known: Theorem) -> Theorem:
    """What training has added and a start of at most 2 eta^4 are at most what the print allows."""
    p, e, w, v = symbols("p e w v", real=True)
    given = (
        Compare(p, ">=", 1), Compare(e, ">", 0), Compare(e, "<=", Rational(1, 12)), Compare(w, ">=", 12),
        Compare(e * w, ">=", 1), Compare(v, "<=", 2 * e**4),
    )  # fmt: skip
    powers = {d: joint(Compare(e**d, ">", 0), given=given[1:2]) for d in (2, 3, 4, 5)}
    many = {
        d: joint(Compare(p**d * e**d, ">=", e**d), powers[d], joint(Compare(p**d, ">=", 1), given=given[:1]))
        for d in (2, 3, 5)
    }  # fmt: skip
    shorter = [
        joint(Compare(12 * e**4, "<=", e**3), powers[3], given=given[2:3]),
        joint(Compare(12 * e**3, "<=", e**2), powers[2], given=given[2:3]),
    ]
    long = joint(Compare(e**5 * w, ">=", e**4), powers[4], given=given[4:5])
    longer = joint(Compare(p**5 * e**5 * w, ">=", e**5 * w), many[5], given=given[3:4])
    wide = joint(
        Compare(p**5 * e**5 * w, ">=", 12 * p**5 * e**5), many[5], powers[5], given=given[3:4]
    )
    low, high = (side.subs({s: p, eta: e, T: w}) for side in (gained, right))
    room = joint(
        Compare(low + v, "<=", high), *shorter, *many.values(), long, longer, wide, *powers.values(),
        given=given[5:],
    )  # fmt: skip
    return cut(substitute(room, {p: s, e: eta, w: T, v: start}), *known)


def of_each_layer(claim: Claim, prove: Callable[[Any], Theorem]) -> Certificate:
    """A claim about one kind of weights: of which there is one in every layer, but for W_O."""
    statement: Any = (claim.base or claim).formula
    layered = isinstance(statement, ForAll)
    theorem = prove(statement.body if layered else statement)
    return conclude(claim, divided(every(theorem, LAYER) if layered else theorem), method=METHOD)


def concluded(claim: Claim, place_: int) -> Certificate:
    """A bound of Theorem 4.1, from that of sums of absolute values after s steps."""
    domain, start = (claim.base or claim).domain, eta**4

    def prove(body: Any) -> Theorem:
        near = near_after(domain, lines(start))
        found = error_below(near, start, place_)
        gained, known = in_layer(part(near, place_)).formula.right, numbers(domain)  # type: ignore[attr-defined]
        small = joint(Compare(start, "<=", 2 * start), joint(Compare(start, ">=", 0)))
        return joint(body, found, room_for_start(gained, start, body.right, *known, small))

    return of_each_layer(claim, prove)
