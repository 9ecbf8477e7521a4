"""Chains of norms at the third step: monotone in each norm, then polynomials in the rate and sizes.

With $u=1/\\sqrt{|V|}$ and $q=\\sqrt T$ every link is a polynomial inequality where $490u^2\\le1$,
$8\\eta\\le1$ and $q\\ge1$.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, exp, sqrt, symbols

from claims.im2026 import third_step as claims
from claims.im2026.displays import TERMS
from claims.im2026.notation import T, eta, words
from claims.im2026.third_step import BOUNDS
from claims.model import Claim
from claims.statement import Compare
from claims.terms import put
from proofs.calculation import algebra
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.displays import links_of, together
from proofs.kernel import Theorem, certified, compute, cut, joint, substitute, unfold
from proofs.registry import proves

u, q = symbols("u q", positive=True)
e = symbols("e", positive=True)
RATE, WIDE = Compare(eta, "<=", Integer(1) / 8), Compare(words, ">=", 490)
GIVEN = (
    RATE,
    Compare(490 * u**2, "<=", 1),
    Compare(q, ">=", 1),
    Compare(e, "<=", 3),
    Compare(e, ">=", 2),
)


def in_letters(term: Any) -> Any:
    """A term in $\\eta$, u, q and e."""
    return put(term, {words: 1 / u**2, T: q**2}).subs(exp(Integer(1)), e)


def compared(goal: Compare) -> Theorem:
    """A comparison in the rate, sizes and e."""
    left, right = (in_letters(side) for side in (goal.left, goal.right))
    found = joint(Compare(left, goal.sign, right), given=GIVEN)
    small = joint(Compare(490 / words, "<=", 1), given=(WIDE,))
    known = (
        small, joint(Compare(sqrt(T), ">=", 1)), compute(Compare(exp(Integer(1)), "<=", 3)),
        compute(Compare(exp(Integer(1)), ">=", 2)), joint(Compare(1 / sqrt(words), ">", 0)),
    )  # fmt: skip
    found = substitute(found, {u: 1 / sqrt(words), q: sqrt(T), e: exp(Integer(1))})
    return cut(joint(goal, found), *known)


def at_bounds(term: Expr) -> Theorem:
    """A term of norms, linear in each, is at most what it is with every norm at its bound."""
    a, b, c, d = symbols("a b c d", real=True)
    given = (Compare(a, "<=", b), Compare(c, ">=", 0))
    steep, now = joint(Compare(c * a + d, "<=", c * b + d), given=given), term.expand()
    found = joint(Compare(term, "<=", now))
    for norm in sorted(term.free_symbols & set(BOUNDS), key=str):
        slope, rest = now.coeff(norm, 1), now.coeff(norm, 0)
        sign = certified(SumOfSquares(slope, (), tuple(slope.as_ordered_terms())))
        step = cut(substitute(steep, {a: norm, b: BOUNDS[norm], c: slope, d: rest}), sign)
        before, now = now, (slope * BOUNDS[norm] + rest).expand()
        links = (Compare(a, "<=", b), Compare(b, "<=", c))
        found = algebra(Compare(a, "<=", c), links, {a: term, b: before, c: now}, found, step)
    return found


@proves(
    claims.weights_after_two_steps, claims.hidden_states_after_two_steps, claims.outputs_after_two_steps,
    claims.output_weights_after_three_steps, claims.values_after_three_steps,
    claims.products_at_the_third_step, claims.attention_weights_at_the_third_step,
    claims.position_scores_at_the_third_step, claims.weights_after_three_steps,
)  # fmt: skip
def by_norms(claim: Claim) -> Certificate:
    """Each link with every norm at its bound; links between bounds by arithmetic."""
    subject = claim.base or claim
    statement = subject.formula
    found = []
    for link in links_of(statement):
        assert isinstance(link, Compare)
        term = TERMS.get(link.left)
        if term is None:
            found.append(compared(link))
            continue
        largest = at_bounds(term)
        read = unfold(link.left, term, subject.domain)
        last = compared(Compare(largest.formula.right, link.sign, link.right))
        found.append(joint(link, read, largest, last))
    theorem = together(found)
    method = "monotone in every norm, then polynomial inequalities on the box"
    return conclude(claim, theorem, method=method)
