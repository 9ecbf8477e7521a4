r"""Theorem 4.1 for all sizes, corpora and small starts: every norm is a sum of absolute values.

In such sums the norm of a product is at most that of the factors' norms, and rows of attention, of one-hot
rows and of probabilities have sum one, so that neither length nor vocabulary enters.  Of a step, $y$ is
$(n+\frac12)\eta$; weights after $n$ steps are within $3y^2$, $12y^3$ and $29y^4$ of their leading terms.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import small_starts as claims
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, depth, eta, j, k, layer, m, s
from claims.im2026.small_starts import TRAINED, attention, output, positions, value
from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import put
from proofs.calculation import linked, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026.absolute_sums import Range, total
from proofs.im2026.contexts import divided
from proofs.im2026.corpus_norms import squares
from proofs.im2026.orders import COLUMN, LAYER, ROW, every, n
from proofs.im2026.small_steps import COUNT, after_steps, bounds
from proofs.im2026.small_weights import ALL, HALF, sum_sign
from proofs.kernel import (
    Theorem,
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


def in_norm(near: Theorem, place_: int, quantity: Any, entry: Expr, *ranges: Range) -> Theorem:
    """A bound of a Frobenius norm, from that of the sum of absolute values after s steps."""
    own = part(near, place_)
    layered = isinstance(own.formula, ForAll)
    own = instance(own, layer) if layered else own
    size = linked(Compare(total(Abs(entry), *ranges), "<=", own.formula.right), own)
    found = frobenius(entry, size, *ranges)
    read_ = unfold(quantity, found.formula.left, TRAINED, (LAYER,) if layered else ())
    return joint(Compare(quantity, "<=", own.formula.right), found, read_)


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


def from_zero(domain: Domain, place_: int) -> Theorem:
    """The same induction, where the start adds nothing: the error of one kind of weights, in any layer."""
    layers, rate = within_horizon(domain)
    near = joint(And(bounds(s, Integer(0))), instance(after_steps(Integer(0)), s), layers)
    return cut(in_norm(near, place_, *GAPS[place_]), rate)


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
    layers, rate = within_horizon(domain)
    near = joint(And(bounds(s)), instance(after_steps(), s), layers)
    found = in_norm(near, place_, *GAPS[place_])
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
