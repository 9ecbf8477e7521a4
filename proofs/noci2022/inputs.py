"""Proofs on the input gradient: its three parts, their exact norms, and what is left of Eq. (8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sympy import Expr, Trace
from sympy.matrices.expressions import MatrixExpr

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import inputs as claims
from claims.noci2022.notation import (
    X,
    centre,
    d_v,
    n,
    norm_scatter,
    normX,
    scatter,
    sigma_k,
    sigma_q,
    sigma_v,
)
from claims.statement import Compare
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.networks import network
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import Theorem, both, certified, derived, identity, joint, rewritten
from proofs.noci2022.backward import BY_MOMENTS
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves


@proves(claims.input_jacobian_splits_in_three)
def by_product_rule_input(claim: Claim) -> Certificate:
    """dS/dX by the product rule: the logits move on both sides, and so do the values."""
    value = uniform_jacobian("input")
    return decide(claim, value, method="index calculus")


@cache
def _part_norm(part: MatrixExpr) -> Expr:
    return expected_norm(network(part).normal())


def by_moments_of_a_part(part: MatrixExpr) -> Callable[[Claim], Certificate]:
    """The printed matrix itself, squared and averaged."""

    def proof(claim: Claim) -> Certificate:
        return decide(claim, _part_norm(part), method=BY_MOMENTS)

    return proof


proves(claims.first_part_norm)(by_moments_of_a_part(claims.A1))
proves(claims.second_part_norm)(by_moments_of_a_part(claims.A2))
proves(claims.mean_part_norm)(by_moments_of_a_part(claims.A3))


@proves(claims.input_gradient_bound)
def by_exact_value_of_the_input_gradient(claim: Claim) -> Certificate:
    """The exact value settles any bound; its term ||X||_F^2 tr(X^T L X) is what Eq. (8) lacks."""
    value = expected_norm(uniform_jacobian("input"))
    return decide(claim, value, method=BY_MOMENTS)


SCATTER, NORM, SPREAD = norm_scatter, normX, Trace(scatter)


@cache
def expected_parts() -> tuple[Theorem, ...]:
    """The expected squared norms, in those of the tokens and of their scatter."""
    domain = claims.input_gradient_triangle.domain
    w = sigma_q**2 * sigma_k**2 * sigma_v**2
    first = w * d_v**2 / n * SCATTER
    second = w * d_v**2 / n**2 * NORM * SPREAD
    together, third = first + second + 2 * w * d_v / n**2 * SCATTER, d_v**2 * sigma_v**2
    forms = (
        (claims.first_two, claims.A1 + claims.A2, together), (claims.first, claims.A1, first),
        (claims.second, claims.A2, second), (claims.third, claims.A3, third),
    )  # fmt: skip
    jacobians = [(claims.whole, uniform_jacobian("input"), together + third)]
    jacobians += [(quantity, network(m).normal(), form) for quantity, m, form in forms]
    return tuple(
        rewritten(derived(quantity, expected_norm(m), domain, BY_MOMENTS), form)
        for quantity, m, form in jacobians
    )


@cache
def inequalities_and_their_end() -> Theorem:
    """A_3 is uncorrelated with the rest, and 2 E<A_1, A_2> is at most E|A_1|^2 for n >= 2."""
    domain = claims.input_gradient_triangle.domain
    across = FrobSq(centre * X)
    squares = [certified(SumOfSquares(e, (), (e,))) for e in (SCATTER, NORM, across)]
    spread = joint(Compare(SPREAD, ">=", 0), identity(SPREAD, across, domain), squares[2])
    sizes = [Compare(n, ">=", 2), Compare(d_v, ">=", 1)]
    signs = [Compare(s, ">", 0) for s in (sigma_q, sigma_k, sigma_v)]
    w = sigma_q**2 * sigma_k**2 * sigma_v**2
    weights = joint(Compare(w, ">", 0), given=signs)
    share = joint(Compare(2 * d_v / n**2, "<=", d_v**2 / n), given=sizes)
    cross = joint(
        Compare(2 * w * d_v / n**2 * SCATTER, "<=", w * d_v**2 / n * SCATTER),
        share, weights, squares[0],
    )  # fmt: skip
    parts = [
        joint(Compare(e, ">=", 0), weights, spread, *squares[:2], given=sizes)
        for e in (w * d_v**2 / n * SCATTER, w * d_v**2 / n**2 * NORM * SPREAD,
                  w * d_v / n**2 * SCATTER, d_v**2 * sigma_v**2)
    ]  # fmt: skip
    whole, first_two, first, second, third = expected_parts()
    once, again, end = claims.splits, claims.splits_again, claims.closes
    return both(
        joint(once, whole, first_two, third, *parts),
        joint(again, first_two, first, second, third, cross, *parts),
        joint(end, first, second, third),
    )


@proves(claims.input_gradient_triangle)
def by_exact_moments(claim: Claim) -> Certificate:
    """All five expected norms are known exactly; the cross terms decide."""
    return conclude(claim, inequalities_and_their_end(), method=BY_MOMENTS)
