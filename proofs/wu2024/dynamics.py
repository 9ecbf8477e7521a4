r"""Proofs about the dynamics without LayerNorm: induction over layers, Cauchy-Schwarz, convexity."""

from __future__ import annotations

from typing import Any

from sympy import MatrixSymbol, Symbol, symbols

from claims.domain import Array, Domain, Size
from claims.model import Claim
from claims.wu2024 import dynamics as claims
from claims.wu2024.dynamics import C, largest, product_bound
from claims.wu2024.notation import WV, A, N, X, d
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Bounded, Certificate, Identity
from proofs.decide import decide, same
from proofs.registry import proves
from proofs.wu2024.steps import algebra, bounded, cauchy_schwarz

# Eq. (3) ------------------------------------------------------------------------------------------


@proves(claims.update_normalises_the_tokens_before)
def by_the_definition_of_layernorm(claim: Claim) -> Certificate:
    """D A X W_V divides each row of A X W_V = tilde X^{(t+1)} by its norm: that is LN of it."""
    entry, norm = Symbol("x_ij", real=True), Symbol("n_i", positive=True)
    step = algebra(
        r"(D^{(t)}\tilde X^{(t+1)})_{ij}=\tilde x_{ij}/\|\tilde x_i\|_2=\mathrm{LN}(\tilde X^{(t+1)})_{ij}",
        (1 / norm) * entry, entry / norm, "definition of D and of LN",
    )  # fmt: skip
    return decide(
        claim, claims.normalised_next, steps=(step,), method="definition of LN, entry by entry",
        scope="all N, d, A, W_V for which no row vanishes; t = 1, and every t by shifting the start",
        same=lambda value, side: value == side,
    )  # fmt: skip


# Eq. (9) ------------------------------------------------------------------------------------------

_P, _Q = MatrixSymbol("P", N, N), MatrixSymbol("Q", d, d)
_one_layer = Domain((Size(N, 2, 3), Size(d, 1, 2), *(Array(m) for m in (X, A, WV, _P, _Q))))


def one_layer_more() -> Identity:
    """A (P X Q) W = (A P) X (Q W): the next attention comes first, the next value matrix last."""
    left, right = A * (_P * X * _Q) * WV, (A * _P) * X * (_Q * WV)
    if not same(left, right):
        raise ArithmeticError("matrix products do not associate")
    label = r"A^{(t)}\bigl(PX^{(0)}Q\bigr)W_V^{(t)}"
    return Identity(left, right, "associativity; induction over layers", _one_layer, label)


@proves(claims.tokens_are_one_product)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """If X^{(t)} = P X Q, then X^{(t+1)} = (A P) X (Q W)."""
    return decide(
        claim, claims.attentions * X * claims.value_product, steps=(one_layer_more(),),
        method="induction over layers", scope="all N, d, T >= 1, all real A, X, W_V",
    )  # fmt: skip


# A2 -----------------------------------------------------------------------------------------------


def operator_norm() -> Bounded:
    """|xW|^2 <= C^2 |x|^2: the definition of the 2-norm, C^2 |x|^2 - |xW|^2 = s >= 0."""
    norm, slack = symbols("n s", nonnegative=True)
    step = SumOfSquares(C**2 * norm - (C**2 * norm - slack), (), (slack,))
    return Bounded(r"\|xW\|_2^2\le\|W\|_2^2\|x\|_2^2\le C^2\|x\|_2^2", step, "the 2-norm of W^T")


def score_from_norms() -> Bounded:
    """C^4 m^4 - (C^2 p)(C^2 q) = C^4 (m^2 (m^2 - p) + p (m^2 - q)) >= 0 for p, q <= m^2."""
    p, q = symbols("p q", nonnegative=True)
    gap = C**4 * largest**2 - (C**2 * p) * (C**2 * q)
    parts = (C**4 * largest * (largest - p), C**4 * p * (largest - q))
    step = SumOfSquares(gap, (), parts, given=(largest - p, largest - q))
    return Bounded(
        r"|R_{ij}|^2d_{QK}\le\|X_iW_Q\|^2\|X_jW_K\|^2\le C^4\|X_i\|^2\|X_j\|^2\le(C^2m^2)^2",
        step, "squared norms are at most m^2",
    )  # fmt: skip


@proves(claims.bounded_weights_bound_the_scores)
def by_cauchy_schwarz(claim: Claim) -> Certificate:
    """A score is an inner product of a query and a key, each at most C times its token."""
    return bounded(
        claim, claims.bounded_weights_bound_the_scores, (C**2 * largest,),
        steps=(*cauchy_schwarz(), operator_norm(), score_from_norms()),
        method="Cauchy-Schwarz", scope="all N, d, all real X, W_Q, W_K of 2-norm at most C",
    )  # fmt: skip


# A3 -----------------------------------------------------------------------------------------------


def convex_combination() -> tuple[Any, ...]:
    """|sum_j a_j y_j|^2 <= max_j |y_j|^2 for weights that sum to one, one token at a time.

    (1-a)|u|^2 + a|y|^2 - |(1-a)u + a y|^2 = a (1-a) |u - y|^2 >= 0 and an average of numbers is at
    most their maximum; u is the weighted mean of the tokens before, so induction covers every N.
    """
    a, rest, uu, yy, apart = symbols("a b alpha beta s", nonnegative=True)
    uy = Symbol("gamma", real=True)
    merged = rest**2 * uu + 2 * a * rest * uy + a**2 * yy  # |(1-a)u + a y|^2 with b = 1 - a
    split = algebra(
        r"(1-a)|u|^2+a|y|^2-|(1-a)u+ay|^2=a(1-a)|u-y|^2",
        (rest * uu + a * yy - merged).subs(rest, 1 - a),
        (a * rest * (uu - 2 * uy + yy)).subs(rest, 1 - a), "bilinearity, any dimension",
    )  # fmt: skip
    sign = Bounded(r"a(1-a)|u-y|^2\ge0", SumOfSquares(a * rest * apart, (), (a * rest * apart,)),
                   "0 <= a <= 1")  # fmt: skip
    top = Symbol("M", nonnegative=True)
    parts = (rest * (top - uu), a * (top - yy))
    average = Bounded(
        r"M-(1-a)|u|^2-a|y|^2=(1-a)(M-|u|^2)+a(M-|y|^2)\ge0",
        SumOfSquares((rest + a) * top - rest * uu - a * yy, (), parts, given=(top - uu, top - yy)),
        "induction over the tokens",
    )
    return split, sign, average


@proves(claims.bounded_products_bound_the_tokens)
def by_convexity(claim: Claim) -> Certificate:
    """X^{(T)}_i is a convex combination of the rows of X^{(0)} W^{(0)} ... W^{(T-1)}."""
    return bounded(
        claim, claims.bounded_products_bound_the_tokens, (product_bound**2 * largest,),
        steps=(one_layer_more(), *convex_combination(), operator_norm()),
        method="convexity of the norm, rows of products of row-stochastic matrices",
        scope="all N, d, T >= 1, all row-stochastic A, all W_V with products of 2-norm at most S",
    )  # fmt: skip
