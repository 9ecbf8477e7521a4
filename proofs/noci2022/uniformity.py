r"""Theorem A.2: second moments of the logits, their tails, and softmax where the logits vanish.

A logit is linear in each weight matrix, so that its second moment needs the weights' variances and
nothing else.  Markov's inequality makes the tails summable over d_k, as the paper says.  So are the
second moments themselves: by Beppo Levi's theorem the logits vanish almost surely, and attention and its
Jacobian follow them (`proofs.noci2022.vanishing_logits`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Piecewise, Sum, Symbol, Trace, cancel, oo, sqrt, sympify
from sympy.matrices.expressions import Identity as IdentityMatrix
from sympy.matrices.expressions import KroneckerProduct

from claims.domain import Domain
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import uniformity as claims
from claims.noci2022.notation import WK, WQ, X, centre, d_k, d_v, n
from claims.noci2022.uniformity import epsilon, outcome, row_i, row_j, variance
from claims.statement import Compare, Quantity
from proofs.calculation import linked, summed_over
from proofs.calculus.inequalities import SumOfSquares
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Identity
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.facts import BOOLE, CAUCHY
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    choose,
    derived,
    discharge,
    fact,
    instance,
    joint,
    unfold,
)
from proofs.noci2022.vanishing_logits import attention_limit, jacobian_limit, norms_vanish
from proofs.registry import proves

_GLOROT = 2 / (d_v + d_k)
_x, _y = (Symbol(name, positive=True) for name in "xy")


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


@proves(claims.summable_deviations_imply_almost_sure_convergence)
def by_the_union_bound(claim: Claim) -> Certificate:
    """If infinitely many had probability q > 0, sums from some index on were at most q/2, and q as well.

    Variables that deviate by one on these events converge where finitely many of them occur.
    """
    events = claims.events
    often, finite = events.often, Compare(events.inverse_total, ">", 0)
    k, last, first, m = (Symbol(name, integer=True, positive=True) for name in ("i", "K", "N", "m"))
    series = {"chance": events.chance(k), "k": k, "last": last}
    small = fact(CAUCHY, **series, first=first, epsilon=often / 2)
    below = fact(BOOLE, **series, first=m, bound=often / 2)
    never = Compare(often, "=", 0)
    positive = Compare(often / 2, ">", 0)
    chosen = choose(small, m, joint(never, below))
    theorem = joint(never, discharge(chosen, positive))
    said = unfold(claims.converges, 1 - often, claim.domain)
    certain = joint(Compare(claims.converges, "=", 1), theorem, said)
    method = "the union bound after every index, and Cauchy's criterion"
    return conclude(claim, discharge(certain, finite), method=method)


@cache
def mean_square_of_logits() -> Theorem:
    r"""$\mathbb E\|M\|_F^2=4\|X\|_F^4/(d_v+d_k)^2$ for every d_k."""
    laws = [Gaussian(weight, variance) for weight in (WQ, WK)]
    moment = expectation(FrobSq(X * WQ * WK.T * X.T) / d_k, laws)
    value = moment.xreplace({expectation(FrobSq(X), []): FrobSq(X)}).xreplace({variance: _GLOROT})
    square, domain = claims.logits.mean_square(d_k, n, n), claims.attention_becomes_uniform.domain
    over = ((d_k, 1, oo),)
    return derived(square, value, domain, "Gaussian integration by parts", over=over)


@cache
def logits_vanish() -> Theorem:
    r"""$\|M\|_F\to0$ almost surely, as d_k grows."""
    constant = joint(Compare(4 * FrobSq(X) ** 2, ">=", 0))
    return norms_vanish(d_k, d_v, mean_square_of_logits(), constant)


SUMMED = "summable mean squares of the logits (Beppo Levi) and bounds of the softmax by their norm"


@proves(claims.attention_becomes_uniform)
def by_a_squeeze(claim: Claim) -> Certificate:
    """A weight lies between exp(-2r)/n and exp(2r)/n for r = |M|, which vanishes almost surely."""
    limit = claims.limit_of_attention
    theorem = attention_limit(limit, ones(n, n) / n, d_k, logits_vanish())
    return conclude(claim, theorem, method=SUMMED)


@proves(claims.softmax_jacobian_becomes_uniform)
def by_continuity_of_the_jacobian(claim: Claim) -> Certificate:
    """The Jacobian is a polynomial in the weights, each of which tends to 1/n."""
    value = KroneckerProduct(IdentityMatrix(n), centre) / n
    theorem = jacobian_limit(claims.limit_of_jacobian, value, d_k, logits_vanish())
    return conclude(claim, theorem, method=f"{SUMMED}, of which the Jacobian is a polynomial")
