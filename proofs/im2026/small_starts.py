r"""Theorem 4.1 for all sizes, corpora and small starts: every norm is a sum of absolute values.

In such sums the norm of a product is at most that of the factors' norms, and rows of attention, of one-hot
rows and of probabilities have sum one, so that neither length nor vocabulary enters.  Of a step, $y$ is
$(n+\frac12)\eta$; weights after $n$ steps are within $3y^2$, $12y^3$ and $29y^4$ of their leading terms.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from proofs.im2026.small_steps import BEGUN, COUNT, STARTS, after_steps, beside, bounds
from proofs.im2026.small_weights import ALL, HALF, column_below, sum_sign
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


def lines(most: Any) -> list[Theorem]:
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
    ranges = ((COLUMN,), *[(LAYER, COLUMN), (LAYER, ROW)] * 2, (LAYER,))
    room = joint(Compare(most, "<=", BEGUN), joint(Compare(eta**4, ">=", 0)))
    bodies = [innermost(formula) for formula in STARTS]
    return [
        every(joint(body, linked(Compare(body.left, "<=", most), known), room), *over)
        for body, known, over in zip(bodies, found, ranges, strict=True)
    ]


def innermost(formula: Any) -> Any:
    """What is said for all indices."""
    return innermost(formula.body) if isinstance(formula, ForAll) else formula


def near_after(domain: Domain, begun: Sequence[Theorem]) -> tuple[Theorem, Theorem]:
    """What s steps add is near the leading terms, from a start with such rows and columns; eta <= 1/12."""
    layers, rate = within_horizon(domain)
    near = joint(And(bounds(s)), instance(after_steps(), s), layers)
    return cut(near, rate, *begun), rate


def error_below(near: Theorem, most: Any, place_: int) -> Theorem:
    """The error of one kind of weights, in any layer, from a start whose absolute values add up to `most`."""
    quantity, entry, *ranges = GAPS[place_]
    begun = in_layer(assume(claims.started_within(most)[place_]))
    size = beside(entry, BEFORE_TRAINING[place_], in_layer(part(near, place_)), begun, *ranges)
    return in_norm(quantity, entry, size, *ranges)


def from_zero(domain: Domain, place_: int) -> Theorem:
    """The error of one kind of weights, in any layer, where the start adds nothing."""
    zero = Integer(0)
    return error_below(near_after(domain, lines(zero))[0], zero, place_)


@proves(claims.weights_from_zero_at_any_size)
def by_steps_from_zero(claim: Claim) -> Certificate:
    """Errors of all weights."""
    domain = claims.weights_from_zero_at_any_size.domain
    first, *others = (from_zero(domain, place_) for place_ in range(len(GAPS)))
    theorem = both(first, every(both(*others), LAYER))
    return conclude(claim, divided(theorem), method=METHOD)


def concluded(claim: Claim, place_: int) -> Certificate:
    """A bound of Theorem 4.1, from that of sums of absolute values after s steps."""
    domain = (claim.base or claim).domain
    statement: Any = (claim.base or claim).formula
    near, rate = near_after(domain, lines(eta**4))
    found = error_below(near, eta**4, place_)
    layered = isinstance(statement, ForAll)
    body = statement.body if layered else statement
    p, e, w = symbols("p e w", real=True)
    given = (
        Compare(p, ">=", 1), Compare(e, ">", 0), Compare(e, "<=", Rational(1, 12)), Compare(w, ">=", 16),
        Compare(e * w, ">=", 1),
    )  # fmt: skip
    one = joint(Compare(p**2 * e**2, ">=", e**2), joint(Compare(e**2, ">=", 0)), joint(
        Compare(p**2, ">=", 1), given=given[:1]))  # fmt: skip
    cube = joint(Compare(p**3 * e**3, ">=", e**3), joint(Compare(e**3, ">=", 0), given=given[1:2]), joint(
        Compare(p**3, ">=", 1), given=given[:1]))  # fmt: skip
    square_ = joint(Compare(e**4, "<=", e**2 / 2), joint(Compare(e**2 * e**2, "<=", e**2 / 2), joint(
        Compare(e**2, "<=", HALF), given=given[1:3]), joint(Compare(e**2, ">=", 0))))  # fmt: skip
    cubed = joint(Compare(e**4, "<=", e**3), joint(Compare(e**3 * e, "<=", e**3), joint(
        Compare(e**3, ">=", 0), given=given[1:2]), given=given[2:3]))  # fmt: skip
    whole = e**4 * (e * w)
    least = joint(Compare(e**4, ">=", 0))
    most = joint(Compare(whole, ">=", e**4), least, given=given[4:])
    many = joint(
        Compare(p**5 * whole, ">=", whole),
        joint(Compare(p**5, ">=", 1), given=given[:1]),
        least,
        most,
    )
    fifth = joint(Compare(p**5 * e**5 * w, ">=", e**4), many, most)
    long = joint(Compare(65 * p**5 * e**5, "<=", 5 * p**5 * e**5 * w), joint(
        Compare(p**5 * e**5, ">=", 0), joint(Compare(e**5, ">=", 0), given=given[1:2]), joint(
            Compare(p**5, ">=", 0), given=given[:1])), given=given[3:4])  # fmt: skip
    put_in = {s: p, eta: e, T: w}
    left, right = (term.subs(put_in) for term in (found.formula.right, body.right))
    positive = joint(Compare(p**5 * e**5 * w, ">=", 0), joint(Compare(e**4, ">=", 0)), fifth)
    room = joint(Compare(left, "<=", right), one, cube, square_, cubed, fifth, long, positive)
    known = facts_of(domain)
    room = cut(
        substitute(room, {p: s, e: eta, w: T}), rate, joint(Compare(s, ">=", 1), given=known),
        joint(Compare(eta, ">", 0)), joint(Compare(T, ">=", 16), given=known),
        joint(Compare(eta * T, ">=", 1), given=known),
    )  # fmt: skip
    theorem = joint(body, found, room)
    theorem = cut(theorem, rate)
    if layered:
        theorem = every(theorem, LAYER)
    return conclude(claim, divided(theorem), method=METHOD)
