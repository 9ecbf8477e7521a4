"""Proofs of Theorem 3.2: with all tokens equal, queries and keys move nothing.

dS = (1/n) dM L X W^V + (1/n) 11^T dX W^V under uniform attention, and L X = 0 for X = 1 x^T: the
query and key Jacobians are zero for every choice of weights, hence so is the gradient of any loss.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Sum, Symbol

from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import vanishing as claims
from claims.noci2022.collapse import x
from claims.noci2022.notation import X, d, d_v, m, n, sigma_v
from claims.statement import Compare
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network, frobenius_square, network
from proofs.calculus.wick import trace_normal_form
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide, same
from proofs.kernel import both, derived, joint
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves

METHOD = "product rule in index calculus with $L1=0$"
BY_WORDS = "Gaussian integration by parts on trace words"


@cache
def _collapsed_jacobian(parameter: str) -> Network:
    """dS/d(parameter) under uniform attention at X = 1 x^T."""
    return substitute(uniform_jacobian(parameter), X, ones(n) * x.T).normal()


@cache
def squared_loss_gradient() -> Expr:
    """||dL/dW||^2 at X = 1 x^T for queries and keys: J^T vec(G), which has no term left."""
    upstream = network(claims.loss_gradient).vec()
    values = {
        frobenius_square(_collapsed_jacobian(parameter).T @ upstream).scalar()
        for parameter in ("queries", "keys")
    }
    (only,) = values
    return only


@proves(claims.query_and_key_gradients_vanish_under_rank_collapse)
def by_zero_jacobian(claim: Claim) -> Certificate:
    """The loss gradient is the transposed Jacobian of S, which is zero, times what comes later."""
    outcome = Symbol("s", integer=True)
    total = Sum(squared_loss_gradient(), (outcome, 1, m)).doit()
    return decide(claim, total / m, method=METHOD)


@proves(claims.query_and_key_gradients_vanish_almost_surely)
def by_zero_jacobian_pathwise(claim: Claim) -> Certificate:
    """What is zero for all weights is zero almost surely, and in mean."""
    return decide(claim, squared_loss_gradient(), method=METHOD)


@proves(claims.value_and_input_gradients_survive_rank_collapse)
def by_exact_expected_norms(claim: Claim) -> Certificate:
    """The two expected norms in closed form; both are products of positive factors."""
    domain = (claim.base or claim).domain
    sizes = [Compare(size, ">=", 1) for size in (n, d_v)]
    positive = [*sizes, Compare(FrobSq(x), ">", 0), Compare(sigma_v, ">", 0)]
    norms = ((claims.value_norm, "values"), (claims.input_norm, "input"))
    theorems = []
    for quantity, parameter in norms:
        value = expected_norm(_collapsed_jacobian(parameter))
        known = derived(quantity, in_norms(value), domain, BY_WORDS)
        theorems.append(joint(quantity.above(0), known, given=positive))
    return conclude(claim, both(*theorems), method=BY_WORDS)


def in_norms(expression: Expr) -> Expr:
    """The trace word of |x|^2 written as a squared norm."""
    return expression.xreplace({trace_normal_form(FrobSq(x)): FrobSq(x)})


def same_at_one_width(value: Expr, side: Expr) -> bool:
    """Equality at d = d_v."""
    return same(value, side.xreplace({d: d_v}))


@proves(claims.query_gradient_norm_restated)
def by_moments_of_the_jacobian(claim: Claim) -> Certificate:
    """The exact value for all d_v and d_k, read at d_k = d_v = d."""
    return decide(
        claim,
        expected_norm(uniform_jacobian("queries")),
        method=BY_WORDS,
        same=same_at_one_width,
    )
