r"""Theorem A.2: second moments of the logits, their tails, and softmax where the logits vanish.

A logit is linear in each weight matrix, so that its second moment needs the weights' variances and
nothing else.  Chebyshev's inequality makes the tails summable over d_k; the Borel-Cantelli lemma
(a claim of its own, cited here) turns that into almost sure convergence of the logits to zero, and
the softmax and its Jacobian are continuous there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    IndexedBase,
    Integer,
    Poly,
    Pow,
    Sum,
    Symbol,
    Trace,
    cancel,
    expand,
    fraction,
    oo,
    pi,
    sqrt,
    sympify,
    together,
)

from claims.domain import Domain
from claims.expressions import FrobSq, ones
from claims.model import Claim, Relation
from claims.noci2022 import uniformity as claims
from claims.noci2022.notation import WK, WQ, A, d_k, d_v, n
from claims.noci2022.uniformity import epsilon, row_i, row_j, variance
from claims.typeset import typeset
from proofs.calculus.deltas import Index, delta_equal
from proofs.calculus.differentials import (
    quotient_rule_softmax_entry,
    softmax_jacobian,
    softmax_jacobian_entry,
    substitute,
)
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Bounded, Certificate, Checked, Identity, Limit
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.registry import proves

SIZES = "all integers n >= 2, d_v >= 1, d_k >= 1 and all real tokens, i = j included"
WEIGHT_LAWS = f"{SIZES}; all i.i.d. zero-mean weights of the stated variance"
GROWING = "all integers n >= 2, d_v >= 1 and all real tokens, as d_k grows"
_GLOROT = 2 / (d_v + d_k)
_x, _y, _m, _t, _inverse = (Symbol(name, positive=True) for name in "xymtT")


@cache
def moments() -> tuple[Expr, Expr]:
    """E M_ij and E M_ij^2 for two rows of X, equal or not, as scalars of trace words."""
    logit = Trace(row_i.T * WQ * WK.T * row_j) / sqrt(d_k)
    laws = [Gaussian(WQ, variance), Gaussian(WK, variance)]
    return expectation(logit, laws), expectation(logit**2, laws)


@proves(claims.logits_are_centred_with_glorot_second_moment)
def by_moments_of_a_logit(claim: Claim) -> Certificate:
    """Both weights are averaged; only their second moments enter, since M is linear in each."""
    return decide(claim, moments(), method="Gaussian integration by parts", scope=WEIGHT_LAWS)


def in_sizes(expression: Any) -> Expr:
    """Squared token norms as positive symbols x and y, and the Glorot variance put in."""
    norms = {FrobSq(row): s for row, s in ((row_i, _x), (row_j, _y))}
    words = {expectation(norm, []): s for norm, s in norms.items()}
    plain = sympify(expression).xreplace(norms).xreplace(words)
    return cancel(plain.subs(variance, _GLOROT))


@cache
def second_moment() -> Expr:
    """E M_ij^2 in d_v, d_k and the two squared norms."""
    return in_sizes(moments()[1])


@proves(claims.logits_vanish_at_inverse_square_rate)
def by_degree_in_d_k(claim: Claim) -> Certificate:
    """d_k^2 E M_ij^2 tends to a positive number, so no exponent but -2 is exact."""
    method, scope = "limit of the exact second moment", f"{GROWING}; X_i, X_j not zero"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    top, bottom = (Poly(part, d_k) for part in fraction(together(second_moment())))
    order = Integer(top.degree() - bottom.degree())
    leading = top.LC() / bottom.LC()
    sizes = ({_x: Integer(2), _y: Integer(3), d_v: Integer(v)} for v in (1, 2, 7))
    step = Limit(second_moment() * d_k ** (-order), d_k, leading, tuple(sizes))
    positive = Checked(
        f"{typeset(leading)}>0", "product of positive factors", lambda: bool(leading.is_positive)
    )
    return decide(claim, order, steps=(step, positive), method=method, scope=scope)


def chebyshev_steps() -> tuple[Bounded, Bounded]:
    """m^2/epsilon^2 is at least the indicator of m > epsilon, on either side of epsilon = m."""
    ratio, excess = _m**2 / epsilon**2, Symbol("s", positive=True)
    beyond = (ratio - 1).subs(_m, epsilon + excess)
    rest = (2 * excess / epsilon,)
    return (
        Bounded(
            r"m>\epsilon:\ m^2/\epsilon^2\ge1",
            SumOfSquares(beyond, ((1, excess / epsilon),), rest),
            "sum of squares in the excess of m over epsilon",
        ),
        Bounded(
            r"m\le\epsilon:\ m^2/\epsilon^2\ge0",
            SumOfSquares(ratio, ((1, _m / epsilon),)),
            "a square",
        ),
    )


def dominates(side: Any) -> Checked | None:
    """A step showing that `side` is at least E M_ij^2 / epsilon^2: all coefficients nonnegative."""
    gap = cancel(in_sizes(side) - second_moment() / epsilon**2)

    def nonnegative() -> bool:
        top, bottom = fraction(together(gap))
        symbols = (d_v, d_k, _x, _y, epsilon)
        if not gap.free_symbols <= set(symbols):
            return False
        parts = (Poly(expand(part), *symbols).coeffs() for part in (top, bottom))
        return all(c >= 0 for coefficients in parts for c in coefficients)

    if not nonnegative():
        return None
    text = rf"\text{{bound}}-\mathbb E[M_{{ij}}^2]/\epsilon^2={typeset(gap)}\ge0"
    return Checked(text, "nonnegative coefficients in positive symbols", nonnegative)


@proves(claims.tail_of_a_logit_is_summable)
def by_chebyshev(claim: Claim) -> Certificate:
    """The indicator of |M_ij| > epsilon is at most M_ij^2/epsilon^2, whose mean is exact."""
    method, scope = (
        "Chebyshev's inequality and the exact second moment",
        f"{WEIGHT_LAWS}, epsilon > 0",
    )
    assert isinstance(claim.statement, Relation)
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    above = [dominates(side) for side in claim.statement.rhs]
    if claim.statement.relation != "<=" or None in above:
        reason = "neither a witness nor a certificate for the bound was found"
        return Certificate("undecided", method, scope, reason=reason)
    return argued(
        claim, steps=(second_moment_step(), *chebyshev_steps(), *above), method=method, scope=scope
    )


def second_moment_step() -> Identity:
    """E M_ij^2 in trace words against its scalar form, at points of Lemma A.7's domain."""
    norms = {_x: FrobSq(row_i), _y: FrobSq(row_j)}
    domain: Domain = claims.one_logit
    return Identity(
        moments()[1],
        second_moment().xreplace(norms),
        "Gaussian integration by parts",
        domain,
        r"\mathbb E[M_{ij}^2|X]",
    )


@cache
def summable() -> bool:
    """Whether C/d_k^2 dominates the tails and has a finite sum over d_k."""
    k = Symbol("k", integer=True, positive=True)
    total = Sum(1 / k**2, (k, 1, oo)).doit()
    bound = 4 * _x * _y / (epsilon**2 * d_k**2)
    return total == pi**2 / 6 and dominates(bound) is not None


def convergence_steps() -> tuple[Any, ...]:
    """Tails are summable; so the logits vanish; and the softmax there is continuous.

    With |M| <= m entrywise and t = exp(2m) - 1, an entry A = 1/sum_l exp(M_il - M_ij) lies between
    1/(1 + (n-1)(1+t)) and 1/(1 + (n-1)/(1+t)), since each of the n - 1 other terms lies between
    1/(1+t) and 1+t.  Both ends tend to 1/n as t tends to zero.
    """
    low, high = (1 / (1 + (n - 1) * factor) for factor in (1 + _t, 1 / (1 + _t)))
    values = tuple({n: Integer(k)} for k in (2, 3, 10))
    return (
        second_moment_step(),
        *chebyshev_steps(),
        Checked(
            r"\sum_{d_k\ge1}\mathbb P(|M_{ij}|>\epsilon)\le"
            r"\tfrac{4\|X_i\|^2\|X_j\|^2}{\epsilon^2}\,\tfrac{\pi^2}{6}<\infty;\quad"
            r"\text{hence } M_{ij}\to0\ \text{almost surely, by the Borel-Cantelli lemma (cited)}",
            "Chebyshev bound summed over d_k; noci2022.lemma-A.8.borel-cantelli",
            summable,
        ),
        *(
            Limit(
                side.subs(_t, 1 / _inverse),
                _inverse,
                1 / n,
                values,
                "bounds of A as the logits vanish",
            )
            for side in (low, high)
        ),
    )


def judged_at_limit(claim: Claim, value: Any, steps: tuple[Any, ...] = ()) -> Certificate:
    """Compare with the value at vanishing logits; a twin with another law falls to a witness."""
    method = "summable tails, the Borel-Cantelli lemma (cited) and continuity of the softmax"
    scope = (
        f"{GROWING}; all i.i.d. zero-mean weights of Glorot variance, coupled in any way over d_k"
    )
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    both = (*convergence_steps(), *steps)
    return decide(claim, value, steps=both, method=method, scope=scope)


@proves(claims.attention_becomes_uniform)
def by_borel_cantelli(claim: Claim) -> Certificate:
    """At zero logits all weights of a row are exp(0) = 1, over a sum of n of them."""
    return judged_at_limit(claim, ones(n, n) / n)


@cache
def _jacobian_at_uniform_attention() -> Any:
    return substitute(softmax_jacobian(A), A, ones(n, n) / n).normal()


def jacobian_is_polynomial() -> bool:
    """Whether the quotient rule gives delta_ip (delta_jq A_pq - A_pq A_pj), with no denominator."""
    at = [Index(name, n) for name in "pqij"]
    attention = IndexedBase("A")
    entry = softmax_jacobian_entry(attention, *at)
    return delta_equal(entry, quotient_rule_softmax_entry(attention, *at)) and not any(
        power.exp.is_negative for power in entry.atoms(Pow)
    )


@proves(claims.softmax_jacobian_becomes_uniform)
def by_continuity_of_the_jacobian(claim: Claim) -> Certificate:
    """The Jacobian is a polynomial in A, hence continuous; its value at A = 11^T/n."""
    block = Checked(
        r"\tfrac{\partial A}{\partial M}=\mathrm{blockdiag}(\mathrm{diag}(A_i)-A_iA_i^\top)"
        r"\ \text{is a polynomial in}\ A",
        "quotient rule (noci2022.lemma-A.2.softmax-jacobian)",
        jacobian_is_polynomial,
    )
    return judged_at_limit(claim, _jacobian_at_uniform_attention(), (block,))
