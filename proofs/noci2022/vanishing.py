"""Proofs of Theorem 3.2: with all tokens equal, queries and keys move nothing.

dS = (1/n) dM L X W^V + (1/n) 11^T dX W^V under uniform attention, and L X = 0 for X = 1 x^T: the
query and key Jacobians are zero for every choice of weights, hence so is the gradient of any loss.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer
from sympy.matrices.expressions import MatrixExpr, ZeroMatrix

from claims.domain import Array, Choice, Computed, Domain
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import vanishing as claims
from claims.noci2022.collapse import nonzero_x, tied_tokens, x
from claims.noci2022.notation import WK, WQ, WV, X, d, d_k, d_v, n, sigma_v
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network
from proofs.certificate import Certificate, Checked, Identity, Value
from proofs.conclude import argued
from proofs.decide import confirmation_points, decide, refute, same
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves

SCOPE = (
    "all integers n >= 2, d_v >= 1, d_k >= 1, all x != 0, all weights (hence every law of them) "
    "and every differentiable loss"
)
METHOD = "product rule in index calculus with L 1 = 0"
_LATEX = {"queries": "W^Q", "keys": "W^K", "values": "W^V", "input": "X"}


@cache
def _collapsed_jacobian(parameter: str) -> Network:
    """dS/d(parameter) under uniform attention at X = 1 x^T."""
    return substitute(uniform_jacobian(parameter), X, ones(n) * x.T).normal()


def _vanishes(parameter: str) -> tuple[Checked, Identity]:
    """dS/dW = 0 at X = 1 x^T: no term is left, confirmed at random weights."""
    text = rf"\tfrac{{\partial S}}{{\partial {_LATEX[parameter]}}}"
    collapsed = claims.collapsed_layer
    weights = Domain((*collapsed.variables, Array(WQ), Array(WK), Array(WV)), collapsed.conditions)
    zero: MatrixExpr = ZeroMatrix(n * d_v, d_v * d_k)
    return (
        Checked(
            rf"{text}|_{{X=1_n x^\top}}=0",
            by=METHOD,
            test=lambda: not _collapsed_jacobian(parameter).terms,
        ),
        Identity(uniform_jacobian(parameter), zero, METHOD, weights, label=text),
    )


def _assumes(claim: Claim, variable: Computed, parameters: set[str]) -> bool:
    """Whether the claim's hypotheses are at least: tokens tied so, and no other parameters."""
    chosen = next(v for v in claim.domain.variables if v.symbol == claims.parameter)
    return variable in claim.domain.variables and set(chosen.values) <= parameters


@proves(claims.query_and_key_gradients_vanish_under_rank_collapse)
def by_zero_jacobian(claim: Claim) -> Certificate:
    """The loss gradient is the transposed Jacobian of S, which is zero, times what comes later."""
    if not _assumes(claim, tied_tokens, {"queries", "keys"}):
        return refute(claim, method=METHOD, scope=SCOPE)
    steps = (*_vanishes("queries"), *_vanishes("keys"))
    return decide(claim, Integer(0), steps=steps, method=METHOD, scope=SCOPE)


@proves(claims.query_and_key_gradients_vanish_almost_surely)
def by_zero_jacobian_pathwise(claim: Claim) -> Certificate:
    """What is zero for all weights is zero almost surely, and in mean."""
    if not _assumes(claim, tied_tokens, {"queries", "keys"}):
        return refute(claim, method=METHOD, scope=SCOPE)
    points = confirmation_points(claim)
    held = Checked(
        r"\tfrac{\partial\mathcal L}{\partial W}\ \text{is the zero polynomial in the weights}",
        by="definition at small points",
        test=lambda: all(all(claim.define(point)) for point in points),
    )
    return argued(
        claim, steps=(*_vanishes("queries"), *_vanishes("keys"), held), method=METHOD, scope=SCOPE
    )


_SURVIVING: dict[str, Expr] = {"values": d_v * n * FrobSq(x), "input": d_v**2 * sigma_v**2}


@proves(claims.value_and_input_gradients_survive_rank_collapse)
def by_exact_expected_norms(claim: Claim) -> Certificate:
    """The two expected norms in closed form; both are products of positive factors."""
    method = "Gaussian integration by parts on trace words"
    scope = "all integers n >= 2, d_v >= 1, d_k >= 1, all x != 0, all positive variances"
    positive = nonzero_x in claim.domain.conditions
    if not (positive and _assumes(claim, tied_tokens, set(_SURVIVING))):
        return refute(claim, method=method, scope=scope)
    steps: list[Identity | Value] = []
    for parameter, closed in _SURVIVING.items():
        norm = expected_norm(_collapsed_jacobian(parameter))
        if not same(norm, closed):
            reason = f"the expected norm for {parameter} is {norm}, not {closed}"
            return Certificate("undecided", method, scope, reason=reason)
        variables = (*claim.domain.variables[:-1], Choice(claims.parameter, (parameter,)))
        domain = Domain(variables, claim.domain.conditions)
        text = rf"\mathbb E\|\tfrac{{\partial S}}{{\partial {_LATEX[parameter]}}}\|_F^2"
        points = tuple(domain.smallest(3))
        steps.append(Value(text, closed, claim.define, points))
        steps.append(Identity(norm, closed, method, domain, label=text))
    return argued(claim, steps=tuple(steps), method=method, scope=scope)


@proves(claims.query_gradient_norm_restated)
def by_moments_of_the_jacobian(claim: Claim) -> Certificate:
    """The exact value for all d_v and d_k, read at d_k = d_v = d."""
    return decide(
        claim,
        expected_norm(uniform_jacobian("queries")),
        method="Gaussian integration by parts on trace words",
        scope="all integers n >= 2, d >= 1, all real tokens; i.i.d. zero-mean weights",
        same=lambda value, side: same(value, side.xreplace({d: d_v})),
    )
