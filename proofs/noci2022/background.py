"""Proofs about the layer itself: shapes, row sums, initialisation, and the uniform limit."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Idx,
    IndexedBase,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    Trace,
    simplify,
    sqrt,
    symbols,
)  # fmt: skip
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.domain import Array, Domain, Size
from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import background as claims
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    A,
    C,
    X,
    alpha1,
    alpha2,
    centre,
    d_k,
    d_v,
    depth,
    m,
    n,
    sigma_k,
    sigma_v,
)  # fmt: skip
from claims.typeset import typeset
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import frobenius_square, network
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Checked
from proofs.certificate import Identity as Equals
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.registry import proves

SHAPES = "all integers n >= 2, d_v >= 1, d_k >= 1"


def _shape_step(name: str, word: Any) -> Checked:
    """The index calculus reads the word with symbolic sizes and refuses shapes that do not fit."""
    rows, cols = network(word).shape

    def check() -> bool:
        return network(word).shape == (rows, cols)

    return Checked(rf"{name}={typeset(word)}\in\mathbb R^{{{typeset(rows)}\times {typeset(cols)}}}",
                   "index calculus with symbolic sizes", check)  # fmt: skip


@proves(claims.attention_is_row_stochastic_and_keeps_the_shape)
def by_shapes_and_the_softmax_quotient(claim: Claim) -> Certificate:
    """Shapes compose for symbolic sizes; the entries of a softmax row share their own sum."""
    method, scope = "index calculus; common denominator of a softmax row", SHAPES
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    entry, size = IndexedBase("e"), Symbol("n", integer=True, positive=True)
    j, k = Idx("j"), Idx("k")
    total = Sum(entry[k], (k, 1, size))

    def row_sum_is_one() -> bool:
        # The denominator does not depend on j and leaves the sum; what remains is the total itself.
        summand = entry[j] / total
        outside = 1 / total
        inside = simplify(summand / outside)
        return (
            inside == entry[j]
            and simplify(outside * Sum(inside, (j, 1, size)).xreplace({j: k}) - 1) == 0
        )

    steps = (
        _shape_step("M", X * WQ * WK.T * X.T),
        _shape_step("S", A * X * WV),
        Checked(
            r"\sum_je^{M_{ij}}/\sum_ke^{M_{ik}}=1,\ \text{every term positive}",
            "common denominator", row_sum_is_one,
        ),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)


@proves(claims.block_maps_token_matrices_to_token_matrices)
def by_shapes_of_the_block(claim: Claim) -> Certificate:
    """Every summand of Eqs. (2)-(4) read with symbolic sizes; an activation keeps shapes."""
    method, scope = "index calculus", f"{SHAPES}; any entrywise activation"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    hidden = MatrixSymbol(r"\sigma(ZW^{F_1})", n, d_v)
    steps = (
        _shape_step("Z", alpha1 * A * X * WV + X),
        _shape_step("ZW^{F_1}", X * claims.WF1),
        _shape_step(r"X^{\ell+1}", alpha2 * hidden * claims.WF2 + X),
    )
    return argued(claim, steps=steps, method=method, scope=scope)


@proves(claims.initialisation_is_xavier_or_he)
def by_comparing_variances(claim: Claim) -> Certificate:
    """1/d_k = 2/(d_v + d_k) if and only if d_k = d_v, since the difference has that one factor."""
    method, scope = "factorisation", "all integers d_v, d_k >= 1"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    difference = 1 / d_k - 2 / (d_v + d_k)
    factored = (d_v - d_k) / (d_k * (d_v + d_k))
    domain = Domain((Size(d_v, 1, 9), Size(d_k, 1, 9)))
    step = Equals(difference, factored, method, domain, label=r"\tfrac1{d_k}-\tfrac2{d_v+d_k}")
    return argued(claim, steps=(step,), method=method, scope=scope)


@cache
def _cross_norm() -> Expr:
    """E||dS/dW^Q||_F^2 with M = X' W^Q (X W^K)^T / sqrt(d_k) of shape m x n, uniform attention."""
    weights = MatrixSymbol("A", m, n)
    logits = claims.queries * WQ * WK.T * X.T / sqrt(d_k)
    uniform = KroneckerProduct(Identity(m), centre) / n
    moved = jacobian(weights * X * WV, WQ, {weights: (logits, uniform)})
    laws = (Gaussian(WK, sigma_k**2), Gaussian(WV, sigma_v**2))
    return expectation(frobenius_square(moved.normal()).scalar(), laws)


@proves(claims.query_gradient_norm_of_cross_attention)
def by_moments_of_the_cross_jacobian(claim: Claim) -> Certificate:
    """The derivation of Eq. (7) with the two sequences kept apart."""
    method = "product rule on index networks; Gaussian integration by parts"
    scope = "all integers m >= 1, n >= 2, d_v >= 1, d_k >= 1, all real tokens, all variances"
    return decide(claim, _cross_norm(), method=method, scope=scope)


@cache
def wide_growth() -> Expr:
    """The factor by which one block multiplies E C, feed-forward width gamma d_v, symbolic sizes.

    C(X) = ||s||^2 for the sum s of the tokens, and a block maps the row s to
    s + alpha_1 s W^V and then z to z + alpha_2 z W^F1 W^F2.
    """
    gamma = claims.gamma
    s = MatrixSymbol("s", 1, d_v)
    w1, w2 = MatrixSymbol("W^{F_1}", d_v, gamma * d_v), MatrixSymbol("W^{F_2}", gamma * d_v, d_v)
    laws = [Gaussian(w, 1 / d_v) for w in (WV, w1, w2)]
    after_attention = expectation(FrobSq(s + alpha1 * s * WV), laws)
    after_feed_forward = expectation(FrobSq(s + alpha2 * s * w1 * w2), laws)
    norm = Trace(s * s.T)
    return _ratio(after_attention, norm) * _ratio(after_feed_forward, norm)


def _ratio(expression: Expr, norm: Expr) -> Expr:
    """The coefficient of ||s||^2 in a multiple of it."""
    scalar = Symbol("c", positive=True)
    found = set(expression.atoms(Trace))
    assert len(found) == 1, f"{expression} is no multiple of {norm}"
    return simplify(expression.subs(found.pop(), scalar) / scalar)


@proves(claims.wide_feed_forward_changes_a_constant_factor)
def by_growth_of_one_block(claim: Claim) -> Certificate:
    """One block multiplies E C by a constant, and independent blocks multiply."""
    growth = wide_growth()
    method = "Gaussian integration by parts for one block; induction in the depth"
    scope = "all integers L >= 1, n >= 2, d_v >= 1, gamma >= 1, all real alpha_1, alpha_2"
    one = simplify((growth**depth * C()).subs(depth, 1) - growth * C())
    step = Checked(
        rf"\mathbb E C(X^{{\ell+1}})={typeset(growth)}\,\mathbb E C(X^\ell),\ \ell=0,1,\dots",
        "Gaussian integration by parts; tower property over independent layers",
        lambda: one == 0 and simplify(growth ** (depth + 1) / growth**depth - growth) == 0,
    )
    return decide(claim, growth**depth * C(), steps=(step,), method=method, scope=scope)


@proves(claims.equal_tokens_iff_aligned_with_equal_norms)
def by_the_norm_of_a_difference(claim: Claim) -> Certificate:
    """|a - b|^2 = |a|^2 + |b|^2 - 2<a, b>, which is 0 when <a, b> = |a||b| and |a| = |b|."""
    method, scope = "norm of a difference", "all n >= 2, d_v >= 1, non-zero tokens"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    a, b = MatrixSymbol("a", d_v, 1), MatrixSymbol("b", d_v, 1)
    domain = Domain((Size(d_v, 1, 4), Array(a), Array(b)))
    expanded = FrobSq(a) + FrobSq(b) - 2 * Trace(a.T * b)
    r, c = symbols("r c", positive=True)
    steps = (
        Equals(FrobSq(a - b), expanded, method, domain),
        Checked(
            r"\|a\|=\|b\|=r,\ \langle a,b\rangle=\|a\|\|b\|\Rightarrow\|a-b\|^2=0",
            "substitution", lambda: simplify(r**2 + r**2 - 2 * r * r) == 0,
        ),
        Checked(
            r"a=b\ne0\Rightarrow\cos\theta=\langle a,a\rangle/\|a\|^2=1",
            "substitution", lambda: simplify(c / (sqrt(c) * sqrt(c)) - 1) == 0,
        ),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=scope)


@cache
def _logit_moments() -> tuple[Expr, Expr]:
    """E M^2 and E M^4 for one logit M = x W^Q W^K^T y^T / sqrt(d_k), weights of variance 1/d_k."""
    x, y = MatrixSymbol("x", 1, d_v), MatrixSymbol("y", 1, d_v)
    logit = Trace(x * WQ * WK.T * y.T)
    laws = (Gaussian(WQ, 1 / d_k), Gaussian(WK, 1 / d_k))
    return expectation(logit**2 / d_k, laws), expectation(logit**4 / d_k**2, laws)


@proves(claims.uniform_attention_in_the_limit_of_many_keys)
def by_moments_of_a_logit(claim: Claim) -> Certificate:
    """E M^2 = |x|^2 |y|^2 / d_k^2; when it stays 1, E M^4 <= 9 and Paley-Zygmund keeps M from 0."""
    second, fourth = _logit_moments()
    c = Symbol("c", positive=True)
    at_norms = dict.fromkeys(second.atoms(Trace) | fourth.atoms(Trace), c)
    two, four = simplify(second.subs(at_norms)), simplify(fourth.subs(at_norms))
    method = "Gaussian integration by parts; Paley-Zygmund inequality"
    scope = "all integers d_v, d_k >= 1; tokens fixed, or d_v = d_k with squared norm d_v"
    growing = (simplify(two.subs(c, d_k)), simplify(four.subs(c, d_k)))
    steps = (
        Checked(rf"\mathbb E M^2={typeset(second)}", method, lambda: two == c**2 / d_k**2),
        Checked(
            rf"\|x\|^2=\|y\|^2=d_k:\ \mathbb E M^2={typeset(growing[0])},\ \mathbb E M^4={typeset(growing[1])}"
            r"\le 9\Rightarrow P(M^2\ge\tfrac12)\ge\tfrac1{36}",
            method,
            lambda: (
                growing[0] == 1
                and simplify(growing[1] - (3 + 6 / d_k)) == 0
                and Rational(1, 4) / 9 == Rational(1, 36)
            ),
        ),
    )
    if find_witness(claim) is not None:
        return refute(claim, steps=steps, method=method, scope=scope)
    ratio = simplify(two.subs(d_k, 2 * d_k) / two)
    shrinking = Checked(
        rf"\mathbb E M^2(2d_k)/\mathbb E M^2(d_k)={typeset(ratio)}\le\tfrac12",
        "substitution", lambda: ratio <= Rational(1, 2),
    )  # fmt: skip
    return argued(claim, steps=(steps[0], shrinking), method=method, scope=scope)
