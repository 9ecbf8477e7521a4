r"""Theorems D.7 and D.10 and Lemma D.6 with the constants of the print, and a leading term within its bound."""

from __future__ import annotations

from typing import Any

from sympy import Expr, symbols

from claims.im2026 import trained_weights as claims
from claims.im2026.notation import T, eta, layer, s
from claims.model import Claim
from claims.statement import And, Compare
from claims.terms import put
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026 import one_layer_steps, three_steps
from proofs.im2026.contexts import divided
from proofs.im2026.one_layer_readings import ONE as ONE_LAYER
from proofs.im2026.one_layer_steps import through
from proofs.im2026.small_starts import GAPS, from_zero, in_norm, of_each_layer
from proofs.im2026.small_starts import METHOD as STEPS
from proofs.kernel import Theorem, cut, instance, joint, part, substitute, unfold
from proofs.registry import proves

MANY = (
    claims.output_of_many_layers, claims.value_of_many_layers, claims.attention_of_many_layers,
    claims.positions_of_many_layers,
)  # fmt: skip
ONE = (
    claims.output_of_one_layer, claims.value_of_one_layer, claims.attention_of_one_layer,
    claims.positions_of_one_layer,
)  # fmt: skip


THIRD = (
    claims.output_after_three, claims.value_after_three, claims.attention_after_three,
    claims.positions_after_three,
)  # fmt: skip


def with_room(small: int, large: int, shortest: int) -> tuple[Theorem, ...]:
    """Powers of s eta are not negative, and a <= b T beside the fifth."""
    a, w = symbols("a w", real=True)
    signs = [
        joint(Compare(s**power * eta**power, ">=", 0), joint(Compare(s**power, ">=", 0)), joint(
            Compare(eta**power, ">=", 0))) for power in (2, 3, 5)
    ]  # fmt: skip
    given = Compare(a, ">=", 0), Compare(w, ">=", shortest)
    long = joint(Compare(small * a, "<=", large * a * w), given=given)
    return (*signs, cut(substitute(long, {a: s**5 * eta**5, w: T}), signs[2]))


@proves(*MANY)
def by_smaller_constants(claim: Claim) -> Certificate:
    """5/2 <= 3, 8 <= 12 and 65 <= 13 T beside the errors at any size."""
    own = claim.base or claim
    found = from_zero(own.domain, MANY.index(own))
    return of_each_layer(claim, lambda body: joint(body, found, *with_room(65, 13, 5)))


def in_one_layer(near: Theorem, place_: int) -> Theorem:
    """The error of one kind of weights in the only layer."""
    quantity, entry, *ranges = GAPS[place_]
    first = {layer: ONE_LAYER}
    return in_norm(put(quantity, first), put(entry, first), part(near, place_), *ranges)


@proves(*ONE)
def by_smaller_constants_in_one_layer(claim: Claim) -> Certificate:
    """7/4 <= 3, 5/2 <= 4 and 8 <= 6 T beside the errors of one layer."""
    own = claim.base or claim
    reached = joint(one_layer_steps.premise(s), given=facts_of(own.domain))
    near = joint(
        And(one_layer_steps.bounds(s)), instance(one_layer_steps.after_steps(), s), reached
    )
    found = in_one_layer(near, ONE.index(own))
    theorem = joint(own.formula, found, *with_room(8, 6, 2))
    return conclude(claim, divided(theorem), method=STEPS)


@proves(*THIRD)
def by_three_steps(claim: Claim) -> Certificate:
    """7/6 <= 3, 7/6 <= 2 and 2 <= 2 T beside the errors after three steps."""
    own = claim.base or claim
    statement: Any = own.formula
    third = joint(Compare(s, "=", 3), given=facts_of(own.domain))
    reached = joint(Compare(s, "<=", 3), third)
    near = joint(And(three_steps.bounds(s)), instance(three_steps.after_three(), s), reached)
    found = in_one_layer(near, THIRD.index(own))
    p, e, w = symbols("p e w", real=True)
    left, right = (
        side.subs({s: p, eta: e, T: w}) for side in (found.formula.right, statement.right)
    )
    given = Compare(e, ">", 0), Compare(w, ">=", 1)
    fifth = joint(Compare(e**5 * w, ">=", e**5), joint(Compare(e**5, ">=", 0), given=given[:1]),
                  given=given[1:])  # fmt: skip
    signs = [joint(Compare(e**power, ">=", 0), given=given[:1]) for power in (2, 3)]
    room = joint(Compare(left.subs(p, 3), "<=", right), fifth, *signs)
    room = joint(Compare(left, "<=", right), room, given=(Compare(p, "=", 3),))
    known = third, joint(Compare(eta, ">", 0)), joint(Compare(T, ">=", 1))
    room = cut(substitute(room, {p: s, e: eta, w: T}), *known)
    return conclude(claim, divided(through(found, room)), method=STEPS)


@proves(claims.leading_term_within_its_bound)
def by_the_least_rate(claim: Claim) -> Certificate:
    """The count of steps is s(s-1)(s-2)(3s-1)/24 <= s^4/8, and s eta T >= 1."""
    domain = claims.leading_term_within_its_bound.domain
    q = claims.interchange
    count: Expr = s * (s - 1) * (s - 2) * (3 * s - 1) / 24
    known = unfold(claims.leading, count * eta**4 * q, domain)
    given = (Compare(s, ">=", 1), Compare(q, ">=", 0), Compare(q, "<=", 1))
    few = joint(Compare(count, "<=", s**4 / 8), given=given[:1])
    rate = joint(Compare(eta * T, ">=", 1), given=facts_of(domain))
    long = joint(Compare(s**4 * eta**4, "<=", s**5 * eta**5 * T), rate, given=given[:1])
    share = joint(Compare(count * eta**4 * q, "<=", s**4 * eta**4 / 8), few, given=given)
    goal = Compare(claims.leading, "<=", 13 * s**5 * eta**5 * T / 104)
    theorem = joint(goal, known, share, long)
    method = "real arithmetic (z3)"
    return conclude(claim, theorem, method=method)
