"""Proofs of Eqs. (92)-(96) and (110)-(117)."""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, Integer, Rational, exp, sqrt

from claims.im2026 import one_layer_attention as claims
from claims.im2026.notation import eta, s, t
from claims.im2026.one_layer_attention import error, leading, position_score, word_score
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import integers_apart
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026.chains import METHOD, SCOPE, boxed, by_norms
from proofs.kernel import Theorem, both, compute, identity, joint, unfold
from proofs.registry import proves


def leading_is_not_negative() -> Theorem:
    """(s - 1)(s - 2) is not negative for integers."""
    later = (Compare(s, ">=", 1),)
    apart = [integers_apart(Integer(n), s) for n in (1, 2)]
    product = joint(Compare((s - 1) * (s - 2), ">=", 0), *apart, given=later)
    outer = joint(Compare((3 * s - 1) * s * eta**4, ">=", 0), given=later)
    value = identity(leading, eta**4 * s * (3 * s - 1) * (s - 1) * (s - 2) / 12)
    return joint(Compare(leading, ">=", 0), product, outer, value)


@proves(claims.logits_are_below_one_half)
def by_both_errors(claim: Claim) -> Certificate:
    """Two leading terms of one sign at most, and two errors."""
    domain = (claim.base or claim).domain
    named = unfold(claims.logit, Abs(word_score + position_score), domain)
    drawn = {variable.symbol for variable in claims.NEAR}
    near = [fact for fact in facts_of(domain) if fact.free_symbols() & drawn]
    goal = Compare(claims.logit, "<=", leading + error)
    first = joint(goal, named, leading_is_not_negative(), given=near)
    second = boxed(Compare(leading + error, "<", Rational(1, 2)))
    return conclude(claim, both(first, second), method=METHOD, scope=SCOPE)


@proves(claims.attention_has_norm_near_two)
def by_a_tangent_of_the_logarithm(claim: Claim) -> Certificate:
    r"""$\log T\le T-1$."""
    return by_norms(claim, claims.attention)


def row_of_attention_moves_little() -> Theorem:
    r"""$\|\delta a\|\le\tfrac75s^2\eta^2$ in rows from the second on."""
    x, bound = claims.x, Rational(7, 5) * claims.x**2
    fewer = boxed(Compare(leading, "<=", 2 * x**4))
    small = boxed(Compare(exp(1) * (2 * x**4 + error / sqrt(t)), "<=", bound))
    given = Compare(claims.row_gap, "<=", claims.row_bound)
    return joint(
        Compare(claims.row_gap, "<=", bound),
        fewer,
        small,
        compute(Compare(exp(1), ">", 0)),
        given=(given,),
    )


@proves(claims.jacobian_moves_in_second_order)
def by_the_norm_of_a_row(claim: Claim) -> Certificate:
    """The largest entry of a row is at most its norm."""
    norms = (
        (claims.row_gap, Rational(7, 5) * claims.x**2), (claims.largest_entry, claims.row_gap)
    )  # fmt: skip
    chain = replace(claims.jacobian_gap, norms=norms)
    return by_norms(claim, chain, sharper=[row_of_attention_moves_little()])


@proves(claims.einsum_as_printed)
def by_the_largest_row(claim: Claim) -> Certificate:
    """A block of the Jacobian for each row: norms of blocks do not add up."""
    chains = (claims.weighted_by_two, claims.weighted_by_one)
    return by_norms(claim, claims.score, claims.jacobian, *chains)
