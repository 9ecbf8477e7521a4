r"""Proofs of Theorem 3.3 and of the steps of App. A.4.

With equal expected norms every pair of tokens has the same normalisation N/n, and

    rho = (C - N) / ((n - 1) N).

C and N after L blocks are in `proofs.noci2022.network`; the rest is algebra and two limits.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Expr,
    Float,
    Integer,
    Piecewise,
    Sum,
    cancel,
    expand_power_exp,
    simplify,
    symbols,
)

from claims.domain import Equal
from claims.model import Claim
from claims.noci2022 import correlation as claims
from claims.noci2022.network import (
    POSITIVE_MEAN,
    Propagated,
    correlation,
    other,
    product_of_tokens,
    token,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, ell, n, normX
from claims.statement import Compare
from proofs.calculation import linked
from proofs.certificate import Certificate, Checked, Limit
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import (
    Theorem,
    assume,
    both,
    derived,
    instance,
    joint,
    sum_compared,
    unfold,
)
from proofs.noci2022.network import (
    BY_BLOCKS,
    block,
    c,
    f,
    gram_coefficients,
    gram_induction,
    induction,
    layers,
    limit_step,
    limit_steps,
    limits,
    p,
    q,
    same,
    scaled,
    tokens,
)
from proofs.registry import proves

BY_RATIO = r"$\rho=(C-N)/((n-1)N)$ for equal norms"


def ratio(sums: Any, norm: Any) -> Expr:
    """rho of tokens with equal expected norms, from C and N."""
    return (sums - norm) / ((n - 1) * norm)


def averages_to_ratio() -> bool:
    """Eq. (14) with G_kk = N/n for all k, for symbolic off-diagonal entries and three tokens."""
    g = symbols("g", positive=True)
    a, b, d = symbols("a b d", real=True)
    gram = [[g, a, b], [a, g, d], [b, d, g]]
    total, norm = 3 * g + 2 * (a + b + d), 3 * g
    return simplify(correlation(gram) - ratio(total, norm).subs(n, 3)) == 0


SUMMED = Checked(
    r"\sum_{k\ne k'}\rho_{kk'}=\sum_{k\ne k'}\frac{G_{kk'}}{N/n}=\frac{n(C-N)}N\ "
    r"\text{ when } G_{kk}=\tfrac Nn",
    "all terms have one denominator; written out for $n=3$",
    averages_to_ratio,
)


def norm_of_token(k: Any) -> Theorem:
    """E ||X_k^l||^2: the diagonal of E G^l = d^l G + s C 11^T."""
    own, shared = gram_coefficients(ell)
    value = own * product_of_tokens(k, k) + shared * C()
    return derived(
        claims.expected_norm(k), value, claims.expected_norms_stay_equal.domain, BY_BLOCKS
    )


def total_of_equal_norms(equal: Theorem) -> Theorem:
    """E ||X^l||_F^2 = n E ||X_k^l||^2, from the same of the input and the closed forms."""
    domain = claims.expected_norms_stay_equal.domain
    squares = sum_compared(equal)
    norm = unfold(normX, Sum(product_of_tokens(token, token), (token, 1, n)), domain)
    total = derived(claims.expected_total, tokens(block().norm(ell)), domain, BY_BLOCKS)
    return linked(
        Compare(claims.expected_total, "=", n * claims.expected_norm(token)), total,
        norm_of_token(token), norm, squares, instance(equal, token), given=(Compare(n, ">=", 2),),
    )  # fmt: skip


@proves(claims.expected_norms_stay_equal)
def by_gram_recursion(claim: Claim) -> Certificate:
    """On the diagonal of d^l G + s C 11^T, equal entries stay equal, and n of them are the trace."""
    (equal,) = Equal(X).facts()
    inputs = [instance(assume(equal), k) for k in (token, other)]
    same_norm = joint(
        Compare(claims.expected_norm(token), "=", claims.expected_norm(other)),
        norm_of_token(token), norm_of_token(other), *inputs,
    )  # fmt: skip
    theorem = both(same_norm, total_of_equal_norms(assume(equal)))
    steps = (*gram_induction(), *induction())
    return conclude(claim, theorem, steps=steps, method=BY_BLOCKS)


@proves(claims.correlation_from_inner_products_and_norm)
def by_common_normalisation(claim: Claim) -> Certificate:
    """Expected norms stay equal, so that all pairs share one denominator."""
    sums, norm = (Propagated(quantity, "X", X, alpha1, alpha2, ell) for quantity in "CN")
    steps = (*gram_induction(), *induction(), SUMMED)
    return decide(claim, ratio(sums, norm), steps=steps, method=BY_RATIO, same=same)


@proves(claims.scaled_correlation_limit)
def by_limits_of_both_sums(claim: Claim) -> Certificate:
    """Both sums converge, and the limit of N is positive."""
    one, value = block(), cancel(expand_power_exp(ratio(*limits())))
    finite = scaled(ratio(one.inner_products(layers), one.norm(layers)))
    steps = (*gram_induction(), *induction(), SUMMED, *limit_steps(), limit_step(finite, value))
    return decide(
        claim, tokens(value), steps=steps, method="closed forms and their limits", same=same
    )


def growing_limit() -> Limit:
    """rho^L -> 1 for C > 0: with p, q > 1, C_L/N_L = p^L C / (N + (p^L - 1) C/n) -> n."""
    one, squares = block(), {alpha1**2: p - 1, alpha2**2: q - 1}
    sums, norm = (e.subs(squares) for e in (one.inner_products(layers), one.norm(layers)))
    samples = ((Float("1.25", 60), 2, 3, 2, 5), (Float("2", 60), 3, 2, Float("0.01", 60), 9))
    parameters = tuple(
        dict(zip((p, q, n, c, f), (Float(v, 60) for v in values), strict=True))
        for values in samples
    )
    return Limit(ratio(sums, norm), layers, Integer(1), parameters, "division by $p^Lq^L$")


def gap_at_power(power: Expr) -> Expr:
    """1 - rho^L = n (n N - C) / ((n - 1) (n N + (p^L - 1) C)), of order p^-L for C > 0."""
    return n * (n * f - c) / ((n - 1) * (n * f + (power - 1) * c))


def gap_from_one() -> bool:
    """The gap for all strengths, and its value n/(n - 1) at C = 0."""
    one, gap = block(), gap_at_power((alpha1**2 + 1) ** ell)
    exact = 1 - ratio(one.inner_products(ell), one.norm(ell))
    return same(exact, gap) and same(exact.subs(c, 0), n / (n - 1))


GAP = Checked(
    r"1-\rho^L=\frac{n\,(nN-C)}{(n-1)\,(nN+(p^L-1)C)},\ p=1+\alpha_1^2:\ "
    r"\to0\text{ if } C>0;\ \rho^L=-\tfrac1{n-1}\text{ for every } L\text{ if } C=0",
    "algebra in $C$, $N$ and $p^L$",
    gap_from_one,
)


@proves(claims.unscaled_correlation_limit)
def by_domination_of_the_mean(claim: Claim) -> Certificate:
    """C grows by p q in every block and N only by q, until N is C/n; with C = 0 nothing grows."""
    positive = POSITIVE_MEAN in claim.domain.conditions
    value = Integer(1) if positive else Piecewise((Integer(1), C() > 0), (-1 / (n - 1), True))
    steps = (*gram_induction(), *induction(), SUMMED, GAP, growing_limit())
    return decide(claim, value, steps=steps, method="closed form and its growth", same=_same_limit)


def _same_limit(value: Any, side: Any) -> bool:
    """A limit with two cases equals no single expression in the tokens."""
    return not isinstance(value, Piecewise) and same(value, side)
