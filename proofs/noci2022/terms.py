"""App. A.2, Term A: every sum over tokens in closed form for symbolic n, and the whole two ways."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import terms as claims
from claims.noci2022.notation import X, centre, n, rho, sigma_x
from proofs.calculus.allones import centring, equicorrelation
from proofs.calculus.deltas import Index, delta, delta_sum, unequal
from proofs.calculus.wick import expectation
from proofs.certificate import Certificate, Identity
from proofs.decide import decide
from proofs.noci2022.sums import covariance, same_sums
from proofs.noci2022.tokens import BY_COUNTING, TOKENS, one_width
from proofs.registry import proves

__all__ = ["centre_entry", "expected_scatter_norm", "token_indices"]


def token_indices() -> tuple[Index, Index, Index, Index]:
    """a, b, a', b'."""
    a, b, a2, b2 = (Index(name, n) for name in ("a", "b", "a'", "b'"))
    return a, b, a2, b2


def centre_entry(first: Any, second: Any) -> Expr:
    """L_{first second}."""
    return delta(first, second) - 1 / n


@cache
def expected_scatter_norm() -> Expr:
    """E||X^T L X||_F^2 by integration by parts on trace words."""
    return one_width(expectation(FrobSq(X.T * centre * X), [TOKENS]))


@proves(claims.scatter_norm_expands_in_two_terms)
def by_two_calculi(claim: Claim) -> Certificate:
    """Trace words give the left-hand side; the printed sums follow from pairings and counting."""
    return decide(
        claim,
        expected_scatter_norm(),
        method="integration by parts on trace words, against counted sums over pairings",
        same=same_sums,
    )


@proves(claims.products_of_covariances_by_case)
def by_counting_cases(claim: Claim) -> Certificate:
    """In each case the deltas of the product are known; the case's indicator is summed."""
    a, b, a2, b2 = token_indices()
    value: list[Expr] = []
    for first, first_holds in ((delta(a, a2), 1), (unequal(a, a2), 0)):
        for second, second_holds in ((delta(b, b2), 1), (unequal(b, b2), 0)):
            product = Integer(1)
            for holds in (first_holds, second_holds):
                product *= sigma_x**2 * (holds + rho * (1 - holds))
            value += [product, delta_sum(first * second, [a, b, a2, b2])]
    return decide(claim, tuple(value), method=BY_COUNTING)


@cache
def restricted_sum(apart_a: bool, apart_b: bool) -> Expr:
    """Sum of L_ab L_a'b' over a' = a or not, b' = b or not."""
    a, b, a2, b2 = token_indices()
    first = unequal(a, a2) if apart_a else delta(a, a2)
    second = unequal(b, b2) if apart_b else delta(b, b2)
    return delta_sum(centre_entry(a, b) * centre_entry(a2, b2) * first * second, [a, b, a2, b2])


def _judged(claim: Claim, power: int, total: Expr) -> Certificate:
    return decide(claim, sigma_x**4 * rho**power * total, method=BY_COUNTING, same=same_sums)


@proves(claims.equal_pairs_sum)
def by_counting_equal_pairs(claim: Claim) -> Certificate:
    """a' = a and b' = b."""
    return _judged(claim, 0, restricted_sum(False, False))


@proves(claims.one_equal_pair_sum)
def by_counting_one_equal_pair(claim: Claim) -> Certificate:
    """a' = a or b' = b but not both."""
    return _judged(claim, 1, restricted_sum(False, True) + restricted_sum(True, False))


@proves(claims.no_equal_pair_sum, claims.no_equal_pair_intermediate)
def by_counting_no_equal_pair(claim: Claim) -> Certificate:
    """a' != a and b' != b."""
    return _judged(claim, 2, restricted_sum(True, True))


@proves(claims.term_A_total)
def by_counting_all_pairs(claim: Claim) -> Certificate:
    """Sum over all indices at once; the same number is tr(L Sigma L Sigma)."""
    a, b, a2, b2 = token_indices()
    product = covariance((a, 1), (a2, 1)) * covariance((b, 2), (b2, 2))
    value = delta_sum(centre_entry(a, b) * centre_entry(a2, b2) * product, [a, b, a2, b2])
    one = centring(n) * equicorrelation(n, rho)
    step = Identity(
        value,
        sigma_x**4 * (one * one).trace(),
        r"eigenvalues in the algebra of $I$ and $11^\top$",
        claim.domain,
        r"\operatorname{tr}(L\Sigma L\Sigma)",
    )
    return decide(claim, value, steps=(step,), method=BY_COUNTING, same=same_sums)
