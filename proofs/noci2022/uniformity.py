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
    Max,
    Piecewise,
    Pow,
    Sum,
    Symbol,
    Trace,
    cancel,
    limit,
    oo,
    pi,
    simplify,
    sqrt,
    sympify,
)

from claims.domain import Domain
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import uniformity as claims
from claims.noci2022.notation import WK, WQ, A, d_k, d_v, n
from claims.noci2022.uniformity import epsilon, outcome, row_i, row_j, variance
from claims.statement import Compare, Quantity
from proofs.calculation import linked, summed_over
from proofs.calculus.deltas import Index, delta_equal
from proofs.calculus.differentials import (
    quotient_rule_softmax_entry,
    softmax_jacobian,
    softmax_jacobian_entry,
    substitute,
)
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import argued, conclude
from proofs.decide import decide
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    derived,
    instance,
    joint,
    unfold,
)
from proofs.registry import proves
from proofs.smt import follows

SIZES = r"all integers $n\ge2$, $d_v\ge1$, $d_k\ge1$ and all real tokens, $i=j$ included"
_GLOROT = 2 / (d_v + d_k)
_x, _y, _t = (Symbol(name, positive=True) for name in "xyt")


@cache
def moments() -> tuple[Expr, Expr]:
    """E M_ij and E M_ij^2 for two rows of X, equal or not, as scalars of trace words."""
    logit = Trace(row_i.T * WQ * WK.T * row_j) / sqrt(d_k)
    laws = [Gaussian(WQ, variance), Gaussian(WK, variance)]
    return expectation(logit, laws), expectation(logit**2, laws)


@proves(claims.logits_are_centred_with_glorot_second_moment)
def by_moments_of_a_logit(claim: Claim) -> Certificate:
    """Both weights are averaged; only their second moments enter, since M is linear in each."""
    return decide(claim, moments(), method="Gaussian integration by parts")


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


@cache
def second_moment_of(quantity: Quantity, domain: Domain) -> Theorem:
    """E M_ij^2 = 4 |X_i|^2 |X_j|^2/(d_v + d_k)^2, for a quantity that is this moment."""
    norms = {_x: FrobSq(row_i), _y: FrobSq(row_j)}
    value = second_moment().xreplace(norms)
    return derived(quantity, value, domain, "Gaussian integration by parts")


def norms_are_not_negative() -> Theorem:
    """|X_i|^2 |X_j|^2 >= 0."""
    norms = FrobSq(row_i), FrobSq(row_j)
    squares = [certified(SumOfSquares(e, (), (e,))) for e in norms]
    return joint(Compare(norms[0] * norms[1], ">=", 0), *squares)


@cache
def below_inverse_square(quantity: Quantity, domain: Domain) -> Theorem:
    """E M_ij^2 <= 4 |X_i|^2 |X_j|^2/d_k^2."""
    bound = 4 * FrobSq(row_i) * FrobSq(row_j)
    sizes = joint(Compare(1 / (d_v + d_k) ** 2, "<=", 1 / d_k**2), given=AT_LEAST_ONE)
    return joint(
        Compare(quantity, "<=", bound / d_k**2),
        second_moment_of(quantity, domain), norms_are_not_negative(), sizes, given=AT_LEAST_ONE,
    )  # fmt: skip


AT_LEAST_ONE = tuple(Compare(size, ">=", 1) for size in (d_v, d_k))


@proves(claims.logits_vanish_at_inverse_square_rate)
def by_the_exact_second_moment(claim: Claim) -> Certificate:
    """d_k <= d_v + d_k <= (d_v + 1) d_k in the exact second moment."""
    quantity, domain = claims.second_given_tokens, claims.one_logit
    bound = 4 * FrobSq(row_i) * FrobSq(row_j)
    shares = [1 / ((d_v + 1) ** 2 * d_k**2), 1 / (d_v + d_k) ** 2]
    sizes = joint(Compare(d_v + d_k, "<=", (d_v + 1) * d_k), given=AT_LEAST_ONE)
    inverse = joint(Compare(shares[0], "<=", shares[1]), sizes, given=AT_LEAST_ONE)
    attained = joint(
        Compare(bound * shares[0], "<=", quantity),
        second_moment_of(quantity, domain), norms_are_not_negative(), inverse, given=AT_LEAST_ONE,
    )  # fmt: skip
    theorem = both(below_inverse_square(quantity, domain), attained)
    return conclude(claim, theorem, steps=(second_moment_step(),), method="the exact second moment")


OUTCOMES = (outcome, 1, claims.outcomes)


@cache
def markov() -> Theorem:
    """P(|M| > epsilon) <= E M^2 / epsilon^2: the indicator is at most M^2 / epsilon^2."""
    domain = claims.tail_of_a_logit_is_summable.domain
    m, chance = claims.value_of_logit(outcome), claims.chance_of(outcome)
    indicator = Piecewise((1, m**2 > epsilon**2), (0, True))
    weights = next(v for v in domain.variables if isinstance(v, claims.Law)).facts()[0]
    positive = Compare(epsilon, ">", 0)
    below = joint(Compare(indicator, "<=", m**2 / epsilon**2), given=(positive,))
    weighted = joint(
        Compare(chance * indicator, "<=", chance * m**2 / epsilon**2),
        below, instance(assume(weights), outcome),
    )  # fmt: skip
    summed = summed_over(weighted, OUTCOMES)
    mean = Sum(chance * m**2, OUTCOMES)
    tail = unfold(claims.tail, summed.formula.left, domain)
    moment = unfold(claims.second, mean, domain)
    return linked(claims.tail.at_most(claims.second / epsilon**2), summed, tail, moment)


@cache
def summable_tail() -> Theorem:
    """E M^2 / epsilon^2 <= C / d_k^2, by the exact second moment at the Glorot variance."""
    domain = claims.tail_of_a_logit_is_summable.domain
    bound = 4 * FrobSq(row_i) * FrobSq(row_j)
    inverse = joint(Compare(1 / epsilon**2, ">", 0), given=(Compare(epsilon, ">", 0),))
    return joint(
        Compare(claims.second / epsilon**2, "<=", bound / epsilon**2 / d_k**2),
        below_inverse_square(claims.second, domain), inverse,
    )  # fmt: skip


@proves(claims.tail_of_a_logit_is_summable)
def by_markov(claim: Claim) -> Certificate:
    """The indicator of |M_ij| > epsilon is at most M_ij^2/epsilon^2, whose mean is exact."""
    return conclude(
        claim, both(markov(), summable_tail()), steps=(second_moment_step(),),
        method="Markov's inequality and the exact second moment",
    )  # fmt: skip


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


def some_is_at_most_all() -> bool:
    """The indicator of a union is at most the sum of the indicators: one more event keeps it so."""
    union, total, event = (Symbol(name, nonnegative=True) for name in "uab")
    known = Compare(union, "<=", total)
    bits = [Compare(bit, "=", 0) | Compare(bit, "=", 1) for bit in (union, event)]
    wider = Compare(Max(union, event), "<=", total + event)
    return follows(wider, [known, *bits])


def tails_of_a_finite_sum_vanish() -> bool:
    """sum_{i >= N} = S - S_N for partial sums S_N that tend to S; each S_N is finite."""
    first, k = Symbol("N", integer=True, positive=True), Symbol("k", integer=True, positive=True)
    tail = Sum(1 / (k * (k + 1)), (k, first, oo)).doit()
    return bool(limit(tail, first, oo) == 0)


@proves(claims.summable_deviations_imply_almost_sure_convergence)
def by_the_union_bound(claim: Claim) -> Certificate:
    """For every N: infinitely many only if some from N on, with probability at most the tail."""
    union = Checked(
        r"1_{\text{some } E_i,\ i\ge N}\le\textstyle\sum_{i\ge N}1_{E_i}:\ \mathbb P(E_i\ "
        r"\text{infinitely often})\le\sum_{i\ge N}\mathbb P(E_i)\ \text{for every } N",
        "one event after another, whatever their dependence",
        some_is_at_most_all,
    )
    tails = Checked(
        r"\textstyle\sum_i\mathbb P(E_i)<\infty:\ \sum_{i\ge N}\mathbb P(E_i)\to0",
        "tails of a convergent series; followed for one of them",
        tails_of_a_finite_sum_vanish,
    )
    return argued(claim, steps=(union, tails), method="union bound from every index on")


@cache
def summable() -> bool:
    """Whether the bound of the tails, a constant over d_k^2, has a finite sum over d_k."""
    k = Symbol("k", integer=True, positive=True)
    (bound,) = [f for f in summable_tail().formula.right.atoms(Pow) if f.base == d_k]  # type: ignore[attr-defined]
    return bool(Sum(bound.subs(d_k, k), (k, 1, oo)).doit() == pi**2 / 6)


@cache
def weight_at_vanishing_logits() -> Expr:
    """The limit of an entry of A: with |M| <= m entrywise and t = exp(2m) - 1 it lies between two bounds.

    A = 1/sum_l exp(M_il - M_ij), and each of the n - 1 other terms lies between 1/(1+t) and 1+t.
    """
    bounds = (1 / (1 + (n - 1) * factor) for factor in (1 + _t, 1 / (1 + _t)))
    values = {simplify(limit(bound, _t, 0)) for bound in bounds}
    (only,) = values
    return only


def convergence_steps() -> tuple[Any, ...]:
    """Tails are summable; so the logits vanish; and the softmax there is continuous."""
    return (
        second_moment_step(),
        Checked(
            r"\sum_{d_k\ge1}\mathbb P(|M_{ij}|>\epsilon)\le"
            r"\tfrac{4\|X_i\|^2\|X_j\|^2}{\epsilon^2}\,\tfrac{\pi^2}{6}<\infty;\quad"
            r"\text{hence } M_{ij}\to0\ \text{almost surely, by the Borel-Cantelli lemma (cited)}",
            "Markov bound summed over $d_k$; `noci2022.lemma-A.8.borel-cantelli`",
            summable,
        ),
        Checked(
            r"\tfrac1{1+(n-1)(1+t)}\le A_{ij}\le\tfrac1{1+(n-1)/(1+t)},\ t=e^{2\max|M|}-1:\ "
            r"\text{both ends tend to }\tfrac1n",
            "limits of both ends for symbolic $n$",
            lambda: weight_at_vanishing_logits() == 1 / n,
        ),
    )


def argued_at_limit(claim: Claim, *steps: Any) -> Certificate:
    """An argument in words about random variables; its steps hold what can be checked of them."""
    method = "summable tails, the Borel-Cantelli lemma (cited) and continuity of the softmax"
    return argued(claim, steps=(*convergence_steps(), *steps), method=method)


@proves(claims.attention_becomes_uniform)
def by_borel_cantelli(claim: Claim) -> Certificate:
    """At zero logits all weights of a row are exp(0) = 1, over a sum of n of them."""
    return argued_at_limit(claim)


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
        "quotient rule (`noci2022.lemma-A.2.softmax-jacobian`)",
        jacobian_is_polynomial,
    )
    subject, value = claims.softmax_jacobian_becomes_uniform, _jacobian_at_uniform_attention()
    there = Checked(
        r"A=\tfrac1n1_{n\times n}:\ \tfrac{\partial A}{\partial M}=\tfrac1nI_n\otimes L",
        "product rule in index calculus, compared in normal form",
        lambda: decide(subject, value, method="continuity").status == "proved",
    )
    return argued_at_limit(claim, block, there)
