"""Eqs. (153)-(158) and (167)-(170): logits, attention and softmax Jacobians of many layers."""

from __future__ import annotations

from typing import Any

from sympy import E, Rational, Symbol, sqrt, symbols

from claims.im2026 import layered_attention as claims
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.decide import refute
from proofs.im2026.layered_chains import by_links, in_box, sizes, x, y
from proofs.kernel import Theorem, assume, compute, joint
from proofs.registry import proves

EULER = compute(Compare(E, ">=", 1)), compute(Compare(E, "<=", Rational(272, 100)))


def leading_logits() -> Theorem:
    """The count of (153) is at most s^4/4 eta^4; put into its terms."""
    (d, r), c = symbols("d r", nonnegative=True), Symbol("c", real=True)
    terms = {c: claims.count, d: claims.deviation, r: sqrt(claims.row)}
    small = joint(Compare(claims.count, "<=", claims.x**4), given=sizes())
    given = (Compare(c, "<=", x**4), Compare(d, "<=", x / 4))
    goal = Compare(claims.leading_terms(c, d, r, y), "<=", claims.leading_terms(x**4, x / 4, r, y))
    near = assume(Compare(claims.deviation, "<=", claims.x / 4))
    return in_box(goal, small, near, given=given, terms=terms)


def with_errors(theorem: Theorem, errors: Any) -> Theorem:
    """The same on both sides of an inequality."""
    left, right = theorem.formula.left, theorem.formula.right
    a, b, c = symbols("a b c", real=True)
    goal, given = Compare(a + c, "<=", b + c), (Compare(a, "<=", b),)
    return algebra(goal, given, {a: left, b: right, c: errors}, theorem)


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
def by_both_norms(claim: Claim) -> Certificate:
    """The errors by products of norms, the leading terms by their count."""
    known = with_errors(errors(), claims.PRINTED), with_errors(leading_logits(), claims.error_bound)
    return by_links(claim, *known, *EULER)


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
    claims.softmax_jacobians_stay_near_uniform,
)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms, and 1 <= e <= 2.72."""
    return by_links(claim, *EULER)
