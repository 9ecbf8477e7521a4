r"""Assumption 3.1 in every layer: the tokens are bounded by a variable whose law d_k does not enter."""

from __future__ import annotations

from functools import cache

from sympy import Expr, MatrixSymbol, Min, Sum, Symbol, integrate, limit, oo, simplify, symbols

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import many_keys as claims
from claims.noci2022.notation import WF1, WF2, WK, WQ, WV, d_k, d_v, n
from claims.noci2022.uniformity import row_i, row_j
from claims.statement import Compare, ForAll
from claims.terms import entry
from proofs.calculation import linked, summed_over
from proofs.calculus.wick import Gaussian, expectation, trace_normal_form
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.facts import FUBINI, JENSEN
from proofs.kernel import Theorem, assume, fact, instance, joint
from proofs.noci2022.chain import submultiplicative
from proofs.registry import proves

attention, values = MatrixSymbol("A", 1, n), MatrixSymbol("Y", n, d_v)
token, feature = symbols("j z", integer=True, positive=True)
TOKENS, FEATURES = (token, 1, n), (feature, 1, d_v)
r = Symbol("r", real=True)
METHOD = "summable tails in every layer, the Borel-Cantelli lemma and continuity of the softmax"


@cache
def weight_at_vanishing_logits() -> Expr:
    """The limit of an entry of A: with |M| <= m entrywise and t = exp(2m) - 1 it lies between two bounds.

    A = 1/sum_l exp(M_il - M_ij), and each of the n - 1 other terms lies between 1/(1+t) and 1+t.
    """
    t = Symbol("t", positive=True)
    bounds = (1 / (1 + (n - 1) * factor) for factor in (1 + t, 1 / (1 + t)))
    (only,) = {simplify(limit(bound, t, 0)) for bound in bounds}
    return only


def second_moment_in_norms() -> bool:
    """E[M_ij^2] = |x|^2 |y|^2 / d_k^2 for given tokens x and y, weights of variance 1/d_k."""
    logit = row_i.T * WQ * WK.T * row_j
    laws = [Gaussian(weight, 1 / d_k) for weight in (WQ, WK)]
    moment = expectation(FrobSq(logit) / d_k, laws)
    norms = FrobSq(row_i) * FrobSq(row_j) / d_k**2
    plain = norms.xreplace({FrobSq(row): trace_normal_form(FrobSq(row)) for row in (row_i, row_j)})
    return bool(simplify(moment - plain) == 0)


@cache
def averages_are_no_longer() -> Theorem:
    """|sum_j A_j Y_j|^2 <= r for weights A_j >= 0 of sum one, where every |Y_j|^2 <= r."""
    weight, value = entry(attention)(1, token), entry(values)(token, feature)
    positive = ForAll(*TOKENS, Compare(weight, ">=", 0))
    one = Compare(Sum(weight, TOKENS), "=", 1)
    norm: Expr = Sum(value**2, FEATURES)
    short = ForAll(*TOKENS, Compare(norm, "<=", r))
    jensen = fact(JENSEN, w=weight, x=value, k=token, low=1, high=n)
    whole = summed_over(jensen, FEATURES)
    swap = fact(FUBINI, a=weight * value**2, j=feature, k=token, rows=d_v, columns=n)
    each = joint(
        Compare(weight * norm, "<=", weight * r), instance(assume(short), token),
        instance(assume(positive), token),
    )  # fmt: skip
    bounded = summed_over(each, TOKENS)
    left = Sum(Sum(weight * value, TOKENS) ** 2, FEATURES)
    return linked(Compare(left, "<=", r), whole, swap, bounded, assume(one))


def bound_has_a_second_moment() -> bool:
    """E|W|_F^2 = d_v for values, and |W^F1|^2 |W^F2|^2 likewise has a finite mean, free of d_k."""
    single = expectation(FrobSq(WV), [Gaussian(WV, 1 / d_v)])
    first = expectation(FrobSq(WF1), [Gaussian(WF1, 2 / d_v)])
    second = expectation(FrobSq(WF2), [Gaussian(WF2, 1 / d_v)])
    return [simplify(m / d_v) for m in (single, first, second)] == [1, 2, 1]


def tails_have_a_finite_sum() -> bool:
    """sum_k min(1, a^2/k^2) <= int_0^oo min(1, a^2/t^2) dt = 2 a, the terms falling with k."""
    a, t = symbols("a t", positive=True)
    term = Min(1, a**2 / t**2)
    pieces = integrate(1, (t, 0, a)) + integrate(a**2 / t**2, (t, a, oo))
    joins = term.subs({t: a / 2}) == 1 and simplify(term.subs({t: 2 * a})) == Min(1, 1) / 4
    return bool(joins and simplify(pieces - 2 * a) == 0)


def steps() -> tuple[Checked, ...]:
    """Given the layer's tokens, a bound of the tokens, its moments, the sum over d_k, continuity."""
    return (
        Checked(
            r"\mathbb E[M_{ij}^2\mid X^\ell]=\tfrac{\|X_i^\ell\|^2\|X_j^\ell\|^2}{d_k^2}",
            "Gaussian integration by parts; the layer's weights are free of $X^\\ell$",
            second_moment_in_norms,
        ),
        Checked(
            r"A_{ij}\ge0,\ \textstyle\sum_jA_{ij}=1,\ \|Y_j\|\le r:\ \|\sum_jA_{ij}Y_j\|\le r",
            "Jensen's inequality for every feature, summed; a theorem of the kernel",
            lambda: averages_are_no_longer().formula.right == r,  # type: ignore[attr-defined]
        ),
        submultiplicative()[0],
        Checked(
            r"\|X^\ell_k\|\le R=\max_j\|X_j\|\textstyle\prod_{i<\ell}(1+|\alpha_1|\|W^V\|_F)"
            r"(1+|\alpha_2|\|W^{F_1}\|_F\|W^{F_2}\|_F),\ \mathbb E R^2<\infty\text{ and free of } d_k",
            "the two steps before, $|\\sigma(z)|\\le|z|$, and independent factors with second moments",
            bound_has_a_second_moment,
        ),
        Checked(
            r"\sum_{d_k\ge1}\mathbb P(|M_{ij}|>\epsilon)\le\mathbb E\sum_{d_k\ge1}"
            r"\min\Bigl(1,\tfrac{R^4}{\epsilon^2d_k^2}\Bigr)\le\tfrac{2\,\mathbb E R^2}\epsilon<\infty;\quad"
            r"\text{hence } M_{ij}\to0\ \text{almost surely, by the Borel-Cantelli lemma}",
            "Markov's inequality given $X^\\ell$; `noci2022.lemma-A.8.borel-cantelli`",
            tails_have_a_finite_sum,
        ),
        Checked(
            r"\tfrac1{1+(n-1)(1+t)}\le A_{ij}\le\tfrac1{1+(n-1)/(1+t)},\ t=e^{2\max|M|}-1:\ "
            r"\text{both ends tend to }\tfrac1n",
            "limits of both ends for symbolic $n$",
            lambda: weight_at_vanishing_logits() == 1 / n,
        ),
    )


@proves(claims.attention_of_every_layer_becomes_uniform)
def by_a_bound_of_the_tokens(claim: Claim) -> Certificate:
    """An argument in words about random variables; its steps hold what can be checked of them."""
    return argued(claim, steps=steps(), method=METHOD)
