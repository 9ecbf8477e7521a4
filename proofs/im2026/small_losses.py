"""The loss within the horizon: logits of outputs are small, so that probabilities are near uniform ones."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Rational, Sum, Symbol, exp, log, oo, symbols

from claims.im2026 import small_losses as claims
from claims.im2026.notation import T, depth, eta, i, k, s, words
from claims.im2026.small_starts import TRAINED, probability
from claims.model import Claim
from claims.statement import And, Compare
from proofs.calculation import linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import LOG_INCREASES
from proofs.im2026.absolute_sums import mean_sized, softmax_within
from proofs.im2026.bigrams import NOT_NEGATIVE, ONE_OF_EACH, fact_at, x
from proofs.im2026.contexts import divided, t, token_mean
from proofs.im2026.orders import COLUMN, PLACE, TEXT, every, n
from proofs.im2026.small_passes import (
    OUTPUT_LOGIT,
    output_logit,
    output_logits_size,
    probability_read,
)
from proofs.im2026.small_starts import METHOD, lines
from proofs.im2026.small_steps import after_steps, bounds, far_read, hypotheses, premise
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    identity,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves

SURPRISE = 2 * OUTPUT_LOGIT
FOLLOWING = x(i, t + 1, k)


@cache
def surprise_near() -> tuple[Theorem, Theorem]:
    """|log p_tk + log|V|| <= 45 y / 16, and p_tk > 0."""
    own = probability(n, 1, i, t, k)
    high, low = softmax_within(output_logit, words, k, OUTPUT_LOGIT, output_logits_size())
    many = joint(Compare(words, ">=", 1))
    a, b, v, c = symbols("a b v c", real=True)
    w = Symbol("w", positive=True)
    given = Compare(b, ">", 0), Compare(v, ">=", 1)
    least = joint(Compare(b / v, ">", 0), given=given)
    below = joint(Compare(b / v, "<=", a), given=(Compare(a * v, ">=", b), *given))
    above = joint(Compare(a, "<=", b / v), given=(Compare(a * v, "<=", b), given[1]))
    apart = identity(log(exp(c) / w), c - log(w))

    def end(sign: int, known: Theorem, side: Theorem) -> tuple[Theorem, Theorem]:
        """p beside an exponential over |V|, which is positive."""
        far = exp(sign * SURPRISE)
        positive = joint(Compare(far, ">", 0))
        near = linked(Compare(own * words, known.formula.sign, far), probability_read(), known)
        near = cut(substitute(side, {a: own, b: far, v: words}), near, positive, many)
        return near, cut(substitute(least, {b: far, v: words}), positive, many)

    def logarithm(sign: int, near: Theorem, positive: Theorem) -> Theorem:
        """log p beside that of such an end."""
        sides = near.formula.left, near.formula.right
        grown = cut(fact(LOG_INCREASES, a=sides[0], b=sides[1]), near, positive)
        read = cut(substitute(apart, {c: sign * SURPRISE, w: words}), many)
        goal = Compare(log(own), "<=" if sign > 0 else ">=", sign * SURPRISE - log(words))
        return joint(goal, grown, read)

    (bottom, least_), (top, _) = end(-1, low, below), end(1, high, above)
    positive = joint(Compare(own, ">", 0), bottom, least_)
    ends = logarithm(-1, bottom, least_), logarithm(1, top, positive)
    return joint(Compare(Abs(log(own) + log(words)), "<=", SURPRISE), *ends), positive


@cache
def loss_near() -> Theorem:
    """|L - log|V|| <= 45 y / 16 after n steps."""
    surprise = log(probability(n, 1, i, t, k))
    near, positive = surprise_near()
    sign, one = fact_at(NOT_NEGATIVE, t + 1, k, within=t), fact_at(ONE_OF_EACH, t + 1, within=t)
    u, c, f = symbols("u c f", real=True)
    given = Compare(Abs(u), "<=", c), Compare(f, ">=", 0)
    each = [
        cut(substitute(joint(Compare(turn * f * u, "<=", f * c), given=given), {
            f: FOLLOWING, u: surprise + log(words), c: SURPRISE,
        }), near, sign)
        for turn in (1, -1)
    ]  # fmt: skip
    sums = [summed_over(cut(known, sign), COLUMN) for known in each]
    said = Sum(FOLLOWING * surprise, COLUMN)
    body = said + log(words)
    size = linked(Compare(Abs(body), "<=", SURPRISE), *sums, one)
    positive = every(positive, COLUMN)
    sizes = summed_over(cut(size, positive), PLACE)
    sizes = linked(Compare(sizes.formula.left, "<=", T * SURPRISE), sizes)
    mean = mean_sized(body, SURPRISE, sizes)
    positive = every(positive, TEXT, PLACE)
    read = unfold(claims.loss(n), -token_mean(said), TRAINED, ((n, 0, oo),))
    whole = linked(Compare(token_mean(body), "=", token_mean(said) + log(words)))
    goal = Compare(Abs(claims.loss(n) - log(words)), "<=", SURPRISE)
    return cut(joint(goal, read, mean, whole), positive)


def loss_after(steps: Any) -> Theorem:
    """|L - log|V|| <= 3 (s + 1) eta where the next step is within the horizon."""
    near = assume(premise(n + 1))
    few = joint(
        Compare(depth * n * eta, "<=", Rational(1, 12)), near, joint(Compare(depth * eta, ">=", 0))
    )
    before = joint(And(bounds(n)), instance(after_steps(), n), few)
    found = cut(loss_near(), *hypotheses(before))
    goal = Compare(found.formula.left, "<=", 3 * (n + 1) * eta)
    found = joint(goal, found, far_read()[2], joint(Compare(eta, ">", 0)))
    return instance(every(discharge(found, premise(n + 1)), (n, Integer(0), oo)), steps)


@proves(claims.loss_hardly_falls_within_the_horizon)
def by_small_logits(claim: Claim) -> Certificate:
    """Logits of outputs are at most 45 y / 32, so that no probability is far from a uniform one."""
    domain = claims.loss_hardly_falls_within_the_horizon.domain
    known = facts_of(domain)
    a, b, u = symbols("a b u", real=True)
    given = (
        Compare(u, "<=", 1 / (12 * a * b)), Compare(a, ">=", 1), Compare(b, ">=", 1),
        Compare(u, ">", 0),
    )  # fmt: skip
    covered = joint(Compare(a * b * u, "<=", Rational(1, 12)), given=given)
    rate = joint(
        Compare(u, "<=", Rational(1, 12)),
        covered,
        joint(
            Compare(u, "<=", a * b * u),
            joint(Compare(a * b, ">=", 1), given=given[1:3]),
            given=given[3:],
        ),
    )
    terms = {a: depth, b: s + 1, u: eta}
    signs = (
        joint(Compare(eta, "<=", 1 / (12 * depth * (s + 1))), given=known), joint(Compare(depth, ">=", 1)),
        joint(Compare(s + 1, ">=", 1)), joint(Compare(eta, ">", 0)),
    )  # fmt: skip
    covered, rate = (cut(substitute(found, terms), *signs) for found in (covered, rate))
    own = loss_after(s)
    theorem = joint((claims.loss_hardly_falls_within_the_horizon).formula, own, covered)
    theorem = cut(theorem, rate, *lines(eta**4))
    return conclude(claim, divided(theorem), method=METHOD)
