"""Eqs. (153)-(158) and (167)-(170): logits, attention and softmax Jacobians of many layers."""

from __future__ import annotations

from sympy import E, Rational, Symbol, sqrt, symbols

from claims.im2026 import layered_attention as claims
from claims.model import Claim
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.im2026.layered_chains import by_links, in_box, sizes, x, y
from proofs.kernel import Theorem, assume, compute, joint
from proofs.registry import proves


def leading_logits() -> Theorem:
    """The count of (153) is at most s^4/4 eta^4; put into its terms."""
    (d, r), c = symbols("d r", nonnegative=True), Symbol("c", real=True)
    terms = {c: claims.count, d: claims.deviation, r: sqrt(claims.row)}
    small = joint(Compare(claims.count, "<=", claims.x**4), given=sizes())
    given = (Compare(c, "<=", x**4), Compare(d, "<=", x / 4))
    errors = 26 * x**5 * y**2
    goal = Compare(
        claims.leading_terms(c, d, r, y) + errors, "<=",
        claims.leading_terms(x**4, x / 4, r, y) + errors,
    )  # fmt: skip
    near = assume(Compare(claims.deviation, "<=", claims.x / 4))
    return in_box(goal, small, near, given=given, terms=terms)


@proves(claims.logits_are_small)
def by_the_count(claim: Claim) -> Certificate:
    """The leading terms by their count, the rest in the box."""
    return by_links(claim, leading_logits())


@proves(claims.attention_stays_near_uniform, claims.softmax_jacobians_stay_near_uniform)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms, and 1 <= e <= 2.72."""
    ends = (Compare(E, ">=", 1), Compare(E, "<=", Rational(272, 100)))
    return by_links(claim, *map(compute, ends))
