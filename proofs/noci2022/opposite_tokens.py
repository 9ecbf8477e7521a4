"""Proofs about what a correlation that tends to one says of tokens.

The squared distance grows by the factor of the network alone, the squared norm by it and by what every
block adds to all inner products.
"""

from __future__ import annotations

from functools import cache

from claims.model import Claim
from claims.noci2022 import opposite_tokens as claims
from claims.noci2022.notation import C, alpha2, ell
from claims.noci2022.pairs import (
    difference,
    expected_square,
    first_square,
    squared_distance,
)
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.kernel import Theorem, cut, derived, joint, substitute
from proofs.noci2022.growth import SEVERAL
from proofs.noci2022.network import gram_induction
from proofs.noci2022.pairs import (
    BY_GRAM,
    CLOSED,
    a,
    added_is_positive,
    b,
    c,
    d,
    distance_is_not_negative,
    power_grows,
    shared,
    squares_are_positive,
)
from proofs.registry import proves


@cache
def beside_a_token() -> Theorem:
    """b d <= (d / c) (b (a + c)) for positive a, b, c and d >= 0."""
    given = (*(Compare(x, ">", 0) for x in (a, b, c)), Compare(d, ">=", 0))
    crossed = joint(Compare(b * d * c, "<=", d * b * (a + c)), given=given)
    return joint(Compare(b * d, "<=", d / c * (b * (a + c))), crossed, given=given)


@cache
def differences_beside_tokens() -> Theorem:
    """E|X_k - X_k'|^2 <= (|X_k - X_k'|^2 / c) E|X_k|^2, for what c adds to all inner products."""
    domain = claims.differences_vanish_in_mean_square.domain
    growth, added = (1 + alpha2**2) ** ell, shared(ell)
    raised = joint(Compare(growth, ">", 0), given=(Compare(ell, ">=", 1),))
    placed = substitute(beside_a_token(), {a: first_square, b: growth, c: added, d: difference})
    held = cut(
        placed, squares_are_positive(), raised, added_is_positive(ell), distance_is_not_negative()
    )
    distance = derived(squared_distance, growth * difference, domain, BY_GRAM)
    square = derived(expected_square, growth * (first_square + added), domain, BY_GRAM)
    rate = joint(
        Compare(difference / added, "=", claims.share), power_grows(ell),
        given=(SEVERAL, Compare(C(), ">", 0)),
    )  # fmt: skip
    goal = Compare(squared_distance, "<=", claims.share * expected_square)
    return joint(goal, held, distance, square, rate)


@proves(claims.differences_vanish_in_mean_square)
def by_what_every_block_adds(claim: Claim) -> Certificate:
    """Blocks add the same c to all inner products, and nothing to distances."""
    return conclude(
        claim, differences_beside_tokens(), steps=(*gram_induction(), CLOSED), method=BY_GRAM
    )


@proves(claims.correlation_that_tends_to_one_implies_alignment)
def by_a_mean_that_vanishes(claim: Claim) -> Certificate:
    """Almost surely the mean falls behind the differences, although its square grows faster on average."""
    return refute(claim, method="the strong law of large numbers, in a network of width one")
