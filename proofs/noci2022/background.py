"""Proofs about the layer itself: shapes, row sums and initialisation."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Integer,
    MatrixSymbol,
    Sum,
    Symbol,
    exp,
    sqrt,
)
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.domain import Domain
from claims.expressions import ones
from claims.model import Claim
from claims.noci2022 import background as claims
from claims.noci2022.network import EVERY_TOKEN_NONZERO
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    A,
    X,
    alpha1,
    alpha2,
    centre,
    d_k,
    d_v,
    m,
    n,
    sigma_k,
    sigma_q,
    sigma_v,
)
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import for_all, summed_over
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import frobenius_square, network
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    discharge,
    generalise,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.noci2022.parallel import inner, ratio_of_parallel, scaled_sums, sum_is_positive
from proofs.registry import proves


def shape(sizes: tuple[Any, Any], word: Any, domain: Domain) -> Theorem:
    """Rows and columns of a matrix: the index calculus reads the word with symbolic sizes."""
    rows, cols = network(word).shape
    return both(
        *(
            derived(q, size, domain, "index calculus")
            for q, size in zip(sizes, (rows, cols), strict=True)
        )
    )


@cache
def row_of_softmax(domain: Domain) -> Theorem:
    """Row i of A is positive and sums to one: its entries share their own sum as denominator."""
    i, j, tokens = claims.token, claims.other, (claims.other, 1, n)
    weight = claims.attention_weight(i, j)
    own = exp(claims.logit(i, j))
    total = Sum(own, tokens)
    defined = unfold(weight, own / total, domain, ((i, 1, n), (j, 1, n)))
    above = joint(Compare(own, ">", 0))
    positive = sum_is_positive(own, tokens, generalise(above, *tokens), 1)
    each = generalise(joint(Compare(weight, ">", 0), defined, positive, above), *tokens)
    summed = summed_over(defined, tokens)
    factor = Symbol("c", real=True)
    pulled = substitute(
        sum_rearranged(Sum(factor * own, tokens), factor * total), {factor: 1 / total}
    )
    row = unfold(claims.row_sum(i), summed.formula.left, domain, ((i, 1, n),))
    pulled = cut(pulled, positive)
    one = joint(Compare(claims.row_sum(i), "=", 1), row, summed, pulled, positive)
    return both(one, each)


@proves(claims.attention_is_row_stochastic_and_keeps_the_shape)
def by_shapes_and_the_softmax_quotient(claim: Claim) -> Certificate:
    """Shapes compose for symbolic sizes; the entries of a softmax row share their own sum."""
    domain = (claim.base or claim).domain
    theorem = both(
        generalise(row_of_softmax(domain), claims.token, 1, n),
        shape(claims.attention_sizes, X * WQ * WK.T * X.T, domain),
        shape(claims.output_sizes, A * X * WV, domain),
    )
    method = "index calculus; common denominator of a softmax row"
    return conclude(claim, theorem, method=method)


@proves(claims.block_maps_token_matrices_to_token_matrices)
def by_shapes_of_the_block(claim: Claim) -> Certificate:
    """Every summand of Eqs. (2)-(4) read with symbolic sizes; an activation keeps shapes."""
    domain = (claim.base or claim).domain
    tokens = alpha1 * A * X * WV + X
    rows, cols = network(tokens * claims.WF1).shape
    branch = MatrixSymbol(r"\sigma(ZW^{F_1})", rows, cols) * claims.WF2
    words = (A * X * WV, tokens, branch, alpha2 * branch + tokens)
    theorem = both(*(shape(q, w, domain) for q, w in zip(claims.block_sizes, words, strict=True)))
    return conclude(claim, theorem, method="index calculus")


@cache
def _cross_norm(by: MatrixSymbol) -> Expr:
    """E||dS/dW||_F^2 with M = X' W^Q (X W^K)^T / sqrt(d_k) of shape m x n, uniform attention."""
    weights = MatrixSymbol("A", m, n)
    logits = claims.queries * WQ * WK.T * X.T / sqrt(d_k)
    uniform = KroneckerProduct(Identity(m), centre) / n
    moved = jacobian(weights * X * WV, by, {weights: (logits, uniform)}).normal()
    laws = (Gaussian(WQ, sigma_q**2), Gaussian(WK, sigma_k**2), Gaussian(WV, sigma_v**2))
    return expectation(frobenius_square(moved).scalar(), laws)


def _by_the_cross_jacobian(by: MatrixSymbol, claim: Claim) -> Certificate:
    method = "product rule on index networks; Gaussian integration by parts"
    return decide(claim, _cross_norm(by), method=method)


@proves(claims.query_gradient_norm_of_cross_attention)
def by_moments_of_the_cross_jacobian(claim: Claim) -> Certificate:
    """The derivation of Eq. (7) with the two sequences kept apart."""
    return _by_the_cross_jacobian(WQ, claim)


@proves(claims.key_gradient_norm_of_cross_attention)
def by_moments_of_the_cross_jacobian_of_keys(claim: Claim) -> Certificate:
    """The same with the other factor of the logits moved."""
    return _by_the_cross_jacobian(WK, claim)


@proves(claims.value_gradient_norm_of_cross_attention)
def by_the_norm_of_attended_tokens(claim: Claim) -> Certificate:
    """S = A X W^V is linear in W^V, and A has m rows 1/n."""
    moved = jacobian(ones(m, n) * X * WV / n, WV)
    value = expectation(frobenius_square(moved.normal()).scalar(), ())
    return decide(claim, value, method="product rule on index networks")


FEATURES = (claims.Z, 1, d_v)
ROW, OTHER_ROW = entry(X)(claims.K, claims.Z), entry(X)(claims.L, claims.Z)
PAIRS = ((claims.K, 1, n), (claims.L, 1, n))


def _norm(row: Any, which: Any, domain: Domain) -> Theorem:
    return unfold(claims.token_norm(which), inner(row, row, (FEATURES,)), domain, ((which, 1, n),))


@cache
def collapse_is_alignment() -> Theorem:
    """|a - b|^2 = |a|^2 + |b|^2 - 2<a, b> is 0 when <a, b> = |a||b| and |a| = |b|; and conversely."""
    domain = claims.equal_tokens_iff_aligned_with_equal_norms.domain
    p, q, r = (inner(*pair, (FEATURES,)) for pair in (
        (ROW, ROW), (OTHER_ROW, OTHER_ROW), (ROW, OTHER_ROW)))  # fmt: skip
    nonzero = assume(EVERY_TOKEN_NONZERO.formula)
    positive = both(instance(nonzero, claims.K), instance(nonzero, claims.L))
    defined = unfold(claims.cosine(claims.K, claims.L), r / sqrt(p * q), domain, PAIRS)
    sizes = [_norm(row, which, domain) for row, which in ((ROW, claims.K), (OTHER_ROW, claims.L))]
    given = assume(claims.aligned)
    both_hold = instance(instance(given, claims.K), claims.L)
    same = joint(Compare(p, "=", q), both_hold, *sizes)
    root = joint(Compare(sqrt(p * q), "=", p), same, positive)
    along = joint(Compare(p, "=", r), both_hold, defined, root, positive)
    unit = joint(Compare(p, "=", q), same)
    equal = ratio_of_parallel(ROW, OTHER_ROW, Integer(1), (FEATURES,), along, unit)
    forward = for_all(joint(Compare(ROW, "=", OTHER_ROW), equal), *PAIRS, FEATURES)
    tied = instance(instance(instance(assume(forward.formula), claims.K), claims.L), claims.Z)
    turned = joint(Compare(OTHER_ROW, "=", 1 * ROW), tied)
    sums = scaled_sums(ROW, OTHER_ROW, Integer(1), (FEATURES,), turned)
    same_norm = joint(
        Compare(claims.token_norm(claims.K), "=", claims.token_norm(claims.L)), sums, *sizes
    )
    root_back = joint(Compare(sqrt(p * q), "=", p), sums, positive)
    one = joint(
        Compare(claims.cosine(claims.K, claims.L), "=", 1), defined, root_back, sums, positive
    )
    backward = for_all(both(one, same_norm), *PAIRS)
    return joint(
        claims.aligned.iff(claims.tokens_equal),
        discharge(forward, claims.aligned), discharge(backward, claims.tokens_equal),
    )  # fmt: skip


@cache
def equal_tokens_have_rank_one() -> Theorem:
    """Rows that agree entry by entry have vanishing minors."""
    x, given = entry(X), assume(claims.tokens_equal)
    at = instance(instance(given, claims.K), claims.L)
    entries = [instance(at, place) for place in (claims.Z, claims.W)]
    minor = joint(
        Compare(
            x(claims.K, claims.Z) * x(claims.L, claims.W),
            "=", x(claims.K, claims.W) * x(claims.L, claims.Z),
        ),
        *entries,
    )  # fmt: skip
    return discharge(for_all(minor, *PAIRS, FEATURES, (claims.W, 1, d_v)), claims.tokens_equal)


@proves(claims.equal_tokens_iff_aligned_with_equal_norms)
def by_the_norm_of_a_difference(claim: Claim) -> Certificate:
    """Aligned tokens of one norm do not differ, and equal ones are aligned."""
    theorem = both(collapse_is_alignment(), equal_tokens_have_rank_one())
    return conclude(claim, theorem, method="norm of a difference")


@proves(claims.cosine_by_one_norm)
def by_the_angle_between_tokens(claim: Claim) -> Certificate:
    """The cosine is the inner product over the square root of both squared norms."""
    domain = claims.cosine_by_both_norms.domain
    p, q, r = (inner(*pair, (FEATURES,)) for pair in (
        (ROW, ROW), (OTHER_ROW, OTHER_ROW), (ROW, OTHER_ROW)))  # fmt: skip
    nonzero = assume(EVERY_TOKEN_NONZERO.formula)
    read = (
        unfold(claims.inner_product(claims.K, claims.L), r, domain, PAIRS),
        unfold(claims.cosine(claims.K, claims.L), r / sqrt(p * q), domain, PAIRS),
        unfold(claims.length(claims.K), sqrt(p), domain, PAIRS[:1]),
        unfold(claims.length(claims.L), sqrt(q), domain, PAIRS[1:]),
    )
    lengths = claims.length(claims.K) * claims.length(claims.L)
    goal = Compare(
        claims.inner_product(claims.K, claims.L),
        "=", lengths * claims.cosine(claims.K, claims.L),
    )  # fmt: skip
    same = joint(goal, *read, instance(nonzero, claims.K), instance(nonzero, claims.L))
    return conclude(claim, for_all(same, *PAIRS), method="the angle between two tokens")
