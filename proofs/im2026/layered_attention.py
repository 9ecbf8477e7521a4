"""Eqs. (153)-(158) and (167)-(170): logits, attention and softmax Jacobians of many layers."""

from __future__ import annotations

from typing import Any

from sympy import E, Integer, Rational, Symbol, exp, sqrt, symbols

from claims.im2026 import layered_attention as claims
from claims.im2026.notation import T, depth
from claims.im2026.notation import s as steps
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, integers_apart
from proofs.certificate import Certificate
from proofs.decide import refute
from proofs.facts import EXP_ABOVE_TANGENT
from proofs.im2026.layered_activations import mixing_shortens
from proofs.im2026.layered_chains import (
    by_links,
    in_box,
    in_symbols,
    placed,
    sizes,
    transitive,
    x,
    y,
)
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    discharge,
    fact,
    joint,
    part,
    substitute,
)
from proofs.registry import proves

EULER = compute(Compare(E, ">=", 1)), compute(Compare(E, "<=", Rational(272, 100)))


def apart() -> tuple[Theorem, ...]:
    """Steps are whole: there are none between one, two and three."""
    return integers_apart(Integer(1), steps), integers_apart(Integer(2), steps)


def leading_logits() -> Theorem:
    """Entries and the norm of the leading terms are at most one; a row deviates no more than the widest."""
    c, r, u, v, q, d, e = symbols("c r u v q d e", nonnegative=True)
    names = {
        u: claims.word_entry, v: claims.position_entry, q: claims.word_norm, d: claims.deviation,
        e: claims.widest,
    }  # fmt: skip
    within = (*(Compare(z, "<=", 1) for z in (u, v, q)), Compare(d, "<=", e))
    term, end = u + v + q * (d + e + d * e), 2 + 2 * e + e**2
    single = joint(Compare(d + e + d * e, "<=", 2 * e + e**2), given=within)
    weighed = joint(Compare(q * (d + e + d * e), "<=", 2 * e + e**2), single, given=within)
    row = joint(Compare(term, "<=", end), weighed, given=within)
    a, b = symbols("a b", nonnegative=True)
    step = joint(Compare(c / 2 * r * a, "<=", c / 2 * r * b), given=(Compare(a, "<=", b),))
    longer = joint(Compare(c * a * r, "<=", c * a * b), given=(Compare(r, "<=", b),))
    found = joint(
        Compare(c / 2 * r * term, "<=", claims.leading_terms(c, e, r, y)),
        cut(substitute(step, {a: term, b: end}), row), substitute(longer, {a: 2 * e + e**2, b: y}),
    )  # fmt: skip
    shorter = (Compare(claims.row, ">=", 2), claims.RANGE)
    known = (
        *(assume(Compare(symbol, "<=", 1)) for symbol, _ in claims.RANGES),
        assume(Compare(claims.deviation, "<=", claims.widest)),
        joint(Compare(claims.count, ">=", 0), *apart(), given=sizes()),
        joint(Compare(sqrt(claims.row), "<=", sqrt(T)), given=shorter),
    )
    return placed(found, *known, terms={**names, c: claims.count, r: sqrt(claims.row)})


def counted_logits() -> Theorem:
    """The count of (153) is at most s^4/4 eta^4; put into its terms."""
    (d, r), c = symbols("d r", nonnegative=True), Symbol("c", real=True)
    terms = {c: claims.count, d: claims.widest, r: sqrt(claims.row)}
    small = joint(Compare(claims.count, "<=", claims.x**4), given=sizes())
    given = (Compare(c, "<=", x**4), Compare(d, "<=", x / 4))
    goal = Compare(claims.leading_terms(c, d, r, y), "<=", claims.leading_terms(x**4, x / 4, r, y))
    near = assume(Compare(claims.widest, "<=", claims.x / 4))
    return in_box(goal, small, near, given=given, terms=terms)


def added(*theorems: Theorem) -> Theorem:
    """The sum of inequalities."""
    goal = Compare(
        sum(theorem.formula.left for theorem in theorems), "<=",
        sum(theorem.formula.right for theorem in theorems),
    )  # fmt: skip
    ends = [symbols(f"a{n} b{n}", real=True) for n in range(len(theorems))]
    given = [Compare(a, "<=", b) for a, b in ends]
    whole = Compare(sum(a for a, _ in ends), "<=", sum(b for _, b in ends))
    terms = {
        symbol: side
        for pair, theorem in zip(ends, theorems, strict=True)
        for symbol, side in zip(pair, (theorem.formula.left, theorem.formula.right), strict=True)
    }
    return joint(goal, algebra(whole, given, terms, *theorems))


def errors() -> Theorem:
    """The error of W by the product of norms, and that of P."""
    h, r, e, f = symbols("h r e f", nonnegative=True)
    largest = 13 * x**5 * y**2
    ranges = (
        Compare(claims.hidden_row, "<=", 1 + claims.x / 4),
        *(Compare(symbol, "<=", bound) for symbol, bound in claims.ERRORS),
    )  # fmt: skip
    return in_box(
        Compare(h**2 * r * e + f, "<=", largest * (1 + (1 + x / 4) ** 2 * r)), *map(assume, ranges),
        given=(Compare(h, "<=", 1 + x / 4), Compare(e, "<=", largest), Compare(f, "<=", largest)),
        terms={h: claims.hidden_row, r: sqrt(claims.row), e: claims.word_error, f: claims.position_error},
    )  # fmt: skip


@proves(claims.logits_with_repeated_words, claims.logits_are_small_with_repeated_words)
def by_entries_and_norms(claim: Claim) -> Certificate:
    """Tokens by entries, deviations and errors by products of norms; then the count."""
    leading, erring = leading_logits(), errors()
    counted = transitive(leading, counted_logits())
    return by_links(claim, added(leading, erring), added(counted, erring), *EULER)


FINE = Rational(1, 100)
GAP = claims.LEAST * (1 - claims.LEAST)
"""By how much mixing two words shortens, at the least."""


def within_the_gap(bound: Any, *theorems: Theorem) -> Theorem:
    """Rows within `bound` of the tokens are close to them, and differ in length by less than the gap."""
    formulas = Compare(bound, "<=", FINE), Compare(2 * bound, "<=", GAP)
    given = tuple(in_symbols(theorem.formula) for theorem in theorems)
    return both(*(in_box(in_symbols(formula), *theorems, given=given) for formula in formulas))


def grown_row(claim: Claim, bound: Any, small: Theorem) -> Certificate:
    """Mixing two words shortens a row by at least a(1 - a); rows of few layers differ by less."""
    far = Compare(claims.strayed, "<=", bound)
    near = joint(Compare(claims.strayed, "<=", FINE), part(small, 0), given=(far,))
    c, d, e, f = symbols("c d e f", nonnegative=True)
    largest = 13 * x**5 * y**2
    known = (
        near, joint(Compare(claims.count, "<=", claims.x**4), given=sizes()),
        joint(Compare(claims.count, ">=", 0), *apart(), given=sizes()),
        *(assume(Compare(symbol, "<=", most)) for symbol, most in claims.ERRORS),
    )  # fmt: skip
    logits = in_box(
        Compare(c / 2 * (1 + (1 + d) ** 2) + (1 + d) ** 2 * e + f, "<=", claims.LARGEST), *known,
        given=(
            Compare(d, "<=", FINE), Compare(c, "<=", x**4), Compare(e, "<=", largest),
            Compare(f, "<=", largest),
        ),
        terms={c: claims.count, d: claims.strayed, e: claims.word_error, f: claims.position_error},
    )  # fmt: skip
    tangent = fact(EXP_ABOVE_TANGENT, x=-2 * claims.LARGEST)
    least = joint(Compare(Rational(988, 1000), "<=", exp(-2 * claims.LARGEST)), tangent)
    strayed = joint(Compare(2 * claims.strayed, "<=", GAP), part(small, 1), given=(far,))
    own = (claims.own_row, claims.own_word, claims.strayed, claims.own_value)
    row = cut(mixing_shortens(claims.LEAST, *own), strayed)
    return by_links(claim, logits, least, row)


SHALLOW, DEEP = Compare(depth, "<=", 2), Compare(depth, ">=", 3)


def of_two_layers(bound: Any) -> Theorem:
    """Two layers move rows by little anywhere in the box."""
    return within_the_gap(bound, assume(SHALLOW))


@proves(claims.rows_of_few_layers_grow_by_their_own_length)
def by_mixing_two_words(claim: Claim) -> Certificate:
    """Rows of layers that move little: three and more ask for a length of 144 tokens."""
    deep = within_the_gap(claims.STRAYED_FAR, assume(claims.FEW), assume(DEEP))
    cases = discharge(of_two_layers(claims.STRAYED_FAR), SHALLOW), discharge(deep, DEEP)
    small = joint(deep.formula, *cases, integers_apart(Integer(2), depth))
    return grown_row(claim, claims.STRAYED_FAR, small)


@proves(claims.rows_of_two_layers_grow_by_their_own_length)
def by_mixing_two_words_in_two_layers(claim: Claim) -> Certificate:
    """Two layers move rows by little."""
    return grown_row(claim, claims.STRAYED, of_two_layers(claims.STRAYED))


@proves(claims.logits_of_one_word, claims.logits_are_small)
def by_a_repeated_word(claim: Claim) -> Certificate:
    """Two tokens of one word: both logits bear the error of one entry."""
    return refute(claim, method="a sequence of one word")


@proves(claims.attention_of_two_words)
def by_two_words(claim: Claim) -> Certificate:
    """Half of the logits bear the error of one entry."""
    return refute(claim, method="a sequence of two words")


@proves(
    claims.attention_stays_near_uniform,
    claims.attention_with_repeated_words,
    claims.bound_of_a_row_is_small,
    claims.softmax_jacobians_stay_near_uniform,
)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms, and 1 <= e <= 2.72."""
    return by_links(claim, *EULER)
