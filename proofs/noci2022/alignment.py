r"""Proofs about correlations that are one, by the equality case of Cauchy-Schwarz.

For random tokens P, Q put p = E|P|^2, q = E|Q|^2, r = E<P, Q>.  Then E|p Q - r P|^2 = p (p q - r^2):
so r^2 <= p q, and rho = r/sqrt(p q) = 1 exactly when Q = (r/p) P almost surely with r > 0.
"""

from __future__ import annotations

from fractions import Fraction

from sympy import Symbol, Trace, expand

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import alignment as claims
from proofs.calculus.wick import trace_normal_form
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves

METHOD = "equality case of Cauchy-Schwarz in L^2"
SCOPE = (
    "all d and all laws with m equally likely outcomes, m any integer; the identity is one of inner "
    "products and holds in every L^2"
)


def cauchy_schwarz() -> Identity:
    """|p Q - r P|^2 = p (p q - r^2) for matrices P, Q of symbolic shape (all outcomes at once)."""
    first, second = claims.P, claims.Q
    p, q, r = FrobSq(first), FrobSq(second), Trace(first * second.T)
    a, b = Symbol("a"), Symbol("b")  # p and r as coefficients
    square = expand(trace_normal_form(FrobSq(a * second - b * first)))
    scalars = {trace_normal_form(e): s for e, s in ((p, a), (r, b), (q, Symbol("q")))}
    if expand(square.xreplace(scalars) - a * (a * Symbol("q") - b**2)) != 0:
        raise ArithmeticError(f"the identity of Cauchy-Schwarz fails: {square}")
    left = p**2 * q - 2 * p * r * r + r**2 * p
    domain = claims.correlation_one_means_aligned.domain
    label = r"\left\|pQ-rP\right\|_F^2=p^2q-2pr\,r+r^2p"
    return Identity(left, p * (p * q - r**2), "bilinearity, for all m and d", domain, label)


def occurs_in_the_network() -> bool:
    """Tokens 1 and 2 (d_v = 1), alpha_1 = 1/3, alpha_2 = 0, W^V = +-1: cos = 1 surely, rho < 1.

    The next tokens are 1 + w/2 and 2 + w/2 with w = +-1, so (3/2, 5/2) or (1/2, 3/2).
    """
    outcomes = [(1 + Fraction(w, 2), 2 + Fraction(w, 2)) for w in (1, -1)]
    surely_aligned = all(a * b > 0 for a, b in outcomes)
    moments = [sum(s * t for s, t in pairs) for pairs in (
        [(a, b) for a, b in outcomes], [(a, a) for a, _ in outcomes], [(b, b) for _, b in outcomes]
    )]  # fmt: skip
    inner, first, second = moments
    return surely_aligned and inner > 0 and inner**2 < first * second


IN_THE_NETWORK = Checked(
    r"X=(1,2)^\top,\ \alpha_1=\tfrac13,\ \alpha_2=0,\ W^V=\pm1:\ \cos\theta_{12}=1\text{ surely, }"
    r"\rho_{12}=\tfrac9{\sqrt{85}}<1",
    "both outcomes of one layer of the paper's network with d_v = 1",
    occurs_in_the_network,
)


@proves(claims.correlation_one_means_aligned, claims.average_correlation_one_means_all_aligned)
def by_equality_in_cauchy_schwarz(claim: Claim) -> Certificate:
    """Each rho is at most one, so the average is one only if each is; equality fixes the ratio."""
    if find_witness(claim) is not None:
        steps = (cauchy_schwarz(), IN_THE_NETWORK)
        return refute(claim, steps=steps, method=METHOD, scope=SCOPE)
    return argued(claim, steps=(cauchy_schwarz(),), method=METHOD, scope=SCOPE)
