"""App. A.2, Term B: the three pairings, counted for symbolic n, and their sum by trace words."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, KroneckerDelta

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import pairings as claims
from claims.noci2022.notation import X, centre, d, n, rho, sigma_x
from claims.noci2022.sums import a, a2, b, b2
from proofs.calculus.deltas import delta_sum
from proofs.calculus.wick import expectation
from proofs.certificate import Certificate, Identity
from proofs.decide import decide
from proofs.noci2022.sums import covariance, pairings, same_sums
from proofs.noci2022.terms import centre_entry, token_indices
from proofs.noci2022.tokens import BY_COUNTING, TOKENS, one_width
from proofs.registry import proves


def _model(first: object, second: object) -> Expr:
    return sigma_x**2 * (KroneckerDelta(first, second) + rho * (1 - KroneckerDelta(first, second)))


@proves(claims.pairings_in_kronecker_deltas)
def by_the_model(claim: Claim) -> Certificate:
    """Each factor is a covariance of the model; products of deltas have a normal form."""
    q = [
        _model(a, a2) * _model(b, b2),
        _model(a, b) * _model(a2, b2),
        _model(a, b2) * _model(a2, b),
    ]
    centres = (KroneckerDelta(a, b) - 1 / n) * (KroneckerDelta(a2, b2) - 1 / n)
    return decide(
        claim,
        (*q, centres, q[0] + q[1] + q[2]),
        method="normal form of polynomials in Kronecker deltas; Isserlis for the fourth moment",
        same=same_sums,
    )


@cache
def weighted_sum(which: int) -> Expr:
    """The sum of L_ab L_a'b' Q_which / sigma_x^4."""
    i, j, k, h = token_indices()
    (first, second), (third, fourth) = {
        1: ((i, k), (j, h)),
        2: ((i, j), (k, h)),
        3: ((i, h), (k, j)),
    }[which]
    one = Integer(1)
    product = covariance((first, 1), (second, 1), one) * covariance((third, 1), (fourth, 1), one)
    return delta_sum(centre_entry(i, j) * centre_entry(k, h) * product, [i, j, k, h])


def _by_counting(which: int, claim: Claim) -> Certificate:
    return decide(claim, weighted_sum(which), method=BY_COUNTING, same=same_sums)


@proves(claims.first_pairing_sum)
def by_counting_the_first_pairing(claim: Claim) -> Certificate:
    """Sum of L_ab L_a'b' Q_1."""
    return _by_counting(1, claim)


@proves(claims.second_pairing_sum)
def by_counting_the_second_pairing(claim: Claim) -> Certificate:
    """Sum of L_ab L_a'b' Q_2."""
    return _by_counting(2, claim)


@proves(claims.third_pairing_sum)
def by_counting_the_third_pairing(claim: Claim) -> Certificate:
    """Sum of L_ab L_a'b' Q_3, which the printed integrand must reproduce."""
    return _by_counting(3, claim)


@proves(claims.term_B_total)
def by_counting_all_pairings(claim: Claim) -> Certificate:
    """All pairings of the fourth moment at once; the same number by trace words at d = 1."""
    i, j, k, h = token_indices()
    fourth = pairings([(x, 1) for x in (i, k, j, h)])
    value = delta_sum(centre_entry(i, j) * centre_entry(k, h) * fourth, [i, j, k, h])
    by_words = one_width(expectation(FrobSq(X.T * centre * X), [TOKENS])).subs(d, 1)
    step = Identity(
        value, by_words, "integration by parts on trace words", claim.domain, r"\mathbf B"
    )
    return decide(claim, value, steps=(step,), method=BY_COUNTING, same=same_sums)
