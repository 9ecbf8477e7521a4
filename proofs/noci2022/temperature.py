"""The tempered layer for symbolic sizes and tau: chain rule, then Gaussian averages on trace words."""

from __future__ import annotations

from functools import cache
from operator import eq

from sympy import Expr, Poly, Rational

from claims.expressions import ones
from claims.model import Claim, Relation
from claims.noci2022 import temperature as claims
from claims.noci2022.moments import UNCORRELATED
from claims.noci2022.notation import WV, A, X, n
from claims.noci2022.temperature import tau
from claims.statement import Compare
from proofs.calculus.deltas import tidy
from proofs.calculus.differentials import jacobian, substitute
from proofs.calculus.networks import Network
from proofs.calculus.wick import expectation
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import conclude, vacuous
from proofs.decide import decide
from proofs.kernel import derived, identity, joint
from proofs.noci2022.moments import (
    agrees_with_print,
    contradiction,
    equal,
    excluded,
    gradient,
    without_covariance,
)
from proofs.noci2022.setup import (
    LOGITS,
    PARAMETERS,
    STRUCTURES,
    UNIFORM_SOFTMAX_JACOBIAN,
    expected_norm,
)
from proofs.noci2022.tokens import TOKENS, covariance_exists, one_width
from proofs.registry import proves

LAYER = r"all integers $n\ge2$, $d_v\ge1$, $d_k\ge1$, all real tokens and weights"
BY_WORDS = "integration by parts on trace words, weights first, then tokens"
D_TAU = claims.tempered_jacobian


@cache
def tempered(parameter: str) -> Network:
    """dS_tau/d(parameter), the softmax differentiated at tau M."""
    structures = {**STRUCTURES, D_TAU: ((n, n), (n, n))}
    through = {A: (tau * LOGITS, D_TAU)}
    return jacobian(A * X * WV, PARAMETERS[parameter], through, structures).normal()


@cache
def tempered_uniform(parameter: str) -> Network:
    """The same under uniform attention."""
    at_uniform = substitute(tempered(parameter), D_TAU, UNIFORM_SOFTMAX_JACOBIAN)
    return substitute(at_uniform, A, ones(n, n) / n).normal()


@cache
def over_tokens(parameter: str) -> Expr:
    """E over Xavier weights and Gaussian tokens of ||dS_tau/d(parameter)||_F^2."""
    return one_width(expectation(expected_norm(tempered_uniform(parameter)), [TOKENS]))


@proves(claims.query_jacobian_of_tempered_attention)
def by_chain_rule(claim: Claim) -> Certificate:
    """W^Q occurs once, in the logits tau M, behind the softmax Jacobian there."""
    return decide(claim, tempered("queries"), method="product and chain rule in index calculus")


@cache
def slope(parameter: str) -> Rational:
    """Half the power of tau in E||dS_tau/d(parameter)||_F^2, from its normal form in trace words."""
    words = expectation(expected_norm(tempered_uniform(parameter)), [])
    ((power,),) = Poly(words, tau).monoms()
    return Rational(int(power), 2)


@proves(claims.query_and_key_gradients_are_linear_in_the_temperature)
def by_homogeneity(claim: Claim) -> Certificate:
    """At a fixed softmax Jacobian tau enters only as a factor of the logits' differential."""

    def step(parameter: str) -> Checked:
        return Checked(
            rf"\text{{{parameter}: }}\mathbb E\|\partial S_\tau\|_F^2\propto\tau^{{{2 * slope(parameter)}}}",
            "normal form of trace words",
            lambda: (
                Poly(expected_norm(tempered_uniform(parameter)), tau).monoms()
                == [(2 * slope(parameter),)]
            ),
        )

    return decide(
        claim,
        tuple(map(slope, claims.PARAMETERS)),
        steps=tuple(map(step, claims.PARAMETERS)),
        method="homogeneity of trace words",
        same=eq,
    )


@proves(claims.value_gradients_do_not_depend_on_the_temperature)
def by_uniform_attention(claim: Claim) -> Certificate:
    """W^V enters linearly, and uniform attention does not depend on tau."""
    return decide(claim, tempered_uniform("values"), method="product rule in index calculus")


@proves(claims.query_gradient_norm_of_tempered_attention)
def by_sixth_moments(claim: Claim) -> Certificate:
    """The exact value decides; the assumed one, under hypotheses that exclude each other, does not."""
    statement = claim.statement
    assert isinstance(statement, Relation)
    exact = over_tokens("queries")
    assumed = tau**2 * without_covariance()
    if UNCORRELATED in claim.hypotheses and all(equal(assumed, side) for side in statement.rhs):
        factor = Identity(
            exact, tau**2 * gradient("queries"), BY_WORDS, claim.domain, statement.lhs
        )
        printed = agrees_with_print(claim.domain, statement.lhs, statement.rhs[0], tau**2)
        return vacuous(
            claim,
            method=r"the hypotheses hold together only at $\rho=1$, where both sides vanish",
            steps=(factor, *contradiction(), printed),
            theorem=excluded(),
        )
    return decide(claim, exact, method=BY_WORDS, same=equal)


@cache
def matching() -> Expr:
    """The tau^2 at which the exact norms of queries and values agree."""
    return tidy(over_tokens("values") * tau**2 / over_tokens("queries"))


@proves(claims.temperature_that_matches_query_and_value_gradients)
def by_dividing_the_norms(claim: Claim) -> Certificate:
    """Printed over matching tau^2 is 1 + 4 (1-rho)/(n d), from the exact query norm."""
    domain = claims.temperature_that_matches_query_and_value_gradients.domain
    known = derived(claims.matching, matching(), domain, BY_WORDS)
    ratio = identity(claims.MATCHING, (1 + claims.EXCESS) * matching(), domain)
    theorem = joint(
        Compare(claims.MATCHING, "=", (1 + claims.EXCESS) * claims.matching), known, ratio
    )
    return conclude(
        claim, theorem, steps=(covariance_exists(),),
        method="exact norms by trace words, and their ratio",
    )  # fmt: skip
