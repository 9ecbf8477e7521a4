"""Proofs about Definition 3.1, the loss and one step of gradient descent."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Sum, Symbol, Trace, exp, log, symbols

from claims.expressions import ones
from claims.im2026 import model as claims
from claims.im2026.attention_scores import token
from claims.im2026.backpropagation import OUTPUT, OverSamples
from claims.im2026.layered_gradients import P, R, V, W, top
from claims.im2026.model import LOGS, NETWORK, Y, logit, row_sum, weight
from claims.im2026.notation import N, T, eta, i, j, k, m, words
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, for_all, linked
from proofs.calculus.networks import equal, network
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.im2026.backpropagation import (
    RESIDUAL,
    SOFTMAX,
    decided,
    differentiated,
    same_gradient,
    summed,
)
from proofs.im2026.layered_gradients import LAYER, LOGITS, UPSTREAM
from proofs.kernel import (
    Theorem,
    both,
    generalise,
    identity,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

t = Symbol("t", integer=True, positive=True)
"""A position, which says of itself that it is one."""
TOKENS = ((i, 0, N - 1), (t, 1, T))


def _weight_of(place: Any) -> Any:
    return exp(logit(i, t, place))


TOTAL = claims.TOTAL.subs(claims.t, t)


def _total_is_positive() -> Theorem:
    one = joint(Compare(_weight_of(k), ">=", 0))
    some = sum_at_least_term(generalise(one, k, 1, t), Integer(1))
    return joint(Compare(TOTAL, ">", 0), some, joint(Compare(_weight_of(Integer(1)), ">", 0)))


def _entry_by_entry() -> tuple[Theorem, Theorem]:
    """Eqs. (1), (2): logits, and for every word the first, next and last hidden states."""
    here = {claims.t: t}
    logits = unfold(logit(i, t, m), claims.LOGIT.subs(here), NETWORK, (*TOKENS, (m, 1, t)))
    over = (*TOKENS, (j, 1, words))
    before = claims.before(i, t, j)
    states = both(
        unfold(claims.first(i, t, j), token(i, t, j), NETWORK, over),
        unfold(claims.mixed(i, t, j), claims.MIXED.subs(here), NETWORK, over),
        unfold(claims.after(i, t, j), before + claims.ATTENDED.subs(here), NETWORK, over),
        unfold(claims.output(i, t, j), claims.OUTPUTS.subs(here), NETWORK, over),
    )
    return generalise(logits, m, 1, t), generalise(states, j, 1, words)


@proves(claims.attention_is_causal)
def by_the_sum_of_exponentials(claim: Claim) -> Certificate:
    """Exponentials over their sum, on the first t places."""
    positive = _total_is_positive()
    share = _weight_of(m) / TOTAL
    said = unfold(weight(i, t, m), share, NETWORK, (*TOKENS, (m, 1, t)))
    own = joint(Compare(share * TOTAL, ">", 0), positive)
    goals = Compare(weight(i, t, m), ">", 0) & Compare(weight(i, t, m) * TOTAL, "=", _weight_of(m))
    above = joint(goals, said, own, positive)
    hidden = unfold(weight(i, t, m), 0, NETWORK, (*TOKENS, (m, t + 1, T)))
    whole = unfold(row_sum(i, t), Sum(share, (m, 1, t)), NETWORK, TOKENS)
    one = linked(Compare(row_sum(i, t), "=", 1), whole, positive)
    causal = both(one, generalise(above, m, 1, t), generalise(hidden, m, t + 1, T))
    parts = both(causal, *_entry_by_entry())
    theorem = for_all(parts, (i, 0, N - 1), (t, T))
    return conclude(claim, theorem, method="common denominator of a row")


UNIFORM = Checked(
    r"F=0,\ Y1=1\Rightarrow-\tfrac1{NT}\sum_i\mathrm{tr}\bigl(-\log|\mathcal V|\,1_T1^\top Y_i^\top\bigr)"
    r"=\log|\mathcal V|", "index calculus",
    lambda: equal(Trace(ones(T, words) * Y.T), Trace(ones(T, 1) * (Y * ones(words, 1)).T))
    and equal(Trace(ones(T, 1) * ones(T, 1).T), T),
)  # fmt: skip


@proves(claims.loss_at_zero)
def by_the_uniform_output(claim: Claim) -> Certificate:
    """Rows of log S(0) are -log |V|, and rows of Y sum to one."""
    mean = -Trace(OverSamples(LOGS * Y.T)) / (N * T)
    value = (mean, log(words))
    return decide(claim, value, steps=(UNIFORM,), method="index calculus", same=same_gradient)


@proves(claims.one_step_of_descent)
def by_every_gradient(claim: Claim) -> Certificate:
    """The gradients of Lemma D.8, each by the chain rule."""
    gradients = (
        differentiated(top * OUTPUT, -R / (N * T), OUTPUT),
        *(differentiated(LAYER, UPSTREAM, x, LOGITS) for x in (V, W, P)),
    )
    pairs = zip((OUTPUT, V, W, P), gradients, strict=True)
    value = tuple(network(x) + summed(g).scaled(-eta) for x, g in pairs)
    return decided(claim, value, RESIDUAL, SOFTMAX)


SHIFT = Sum(token(i, t, j) * entry(claims.by_rows)(j, 1), (j, 1, words)) + claims.by_all
"""What is added to every logit of row t: u at the row's token, and c."""


@proves(claims.shifts_change_no_weight)
def by_a_factor_that_cancels(claim: Claim) -> Certificate:
    """e^(b + r) = e^r e^b, above and below."""
    domain = (claim.base or claim).domain
    x, y, z, w, f, a, s = symbols("x y z w f a s", real=True)
    raised = exp(logit(i, t, m) + SHIFT)
    moved = Sum(exp(logit(i, t, k) + SHIFT), (k, 1, t))
    over = (*TOKENS, (m, 1, t))
    known = (
        unfold(weight(i, t, m), _weight_of(m) / TOTAL, domain, over),
        unfold(claims.shifted_weight(i, t, m), raised / moved, domain, over),
        substitute(sum_rearranged(Sum(f * _weight_of(k), (k, 1, t)), f * TOTAL), {f: exp(SHIFT)}),
        identity(raised, exp(SHIFT) * _weight_of(m)),
        joint(Compare(exp(SHIFT), ">", 0)),
        _total_is_positive(),
    )
    given = (
        Compare(y, "=", a / s), Compare(x, "=", z / w), Compare(w, "=", f * s),
        Compare(z, "=", f * a), Compare(f, ">", 0), Compare(s, ">", 0),
    )  # fmt: skip
    terms = {
        x: claims.shifted_weight(i, t, m), y: weight(i, t, m), z: raised, w: moved,
        f: exp(SHIFT), a: _weight_of(m), s: TOTAL,
    }  # fmt: skip
    same = algebra(Compare(x, "=", y), given, terms, *known)
    every = for_all(generalise(same, m, 1, t), (i, 0, N - 1), (t, T))
    return conclude(claim, every, method="a factor that cancels")
