r"""Proofs about correlations that are one, by the equality case of Cauchy-Schwarz.

For random tokens a, b put $p=\mathbb E\|a\|^2$, $q=\mathbb E\|b\|^2$, $r=\mathbb E\langle a,b\rangle$:
$r\le\sqrt{pq}$, and equality makes b the multiple $\sqrt{q/p}$ of a in every outcome.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Rational, Sum, Symbol, expand, integrate, sqrt

from claims.model import Claim
from claims.noci2022 import alignment as claims
from claims.noci2022.alignment import P, Q, feature, other, outcome, token
from claims.noci2022.notation import d, m, n
from claims.statement import Compare, Formula
from claims.terms import entry
from proofs.calculation import for_all, linked, summed_over
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    instance,
    joint,
    sum_rearranged,
    unfold,
)
from proofs.noci2022.parallel import (
    at_most_one,
    inner,
    ratio_of_parallel,
    scaled_sums,
    sum_is_positive,
    terms_vanish,
)
from proofs.registry import proves

METHOD = "equality case of Cauchy-Schwarz in $L^2$"
FEATURES, OUTCOMES = (feature, 1, d), (outcome, 1, m)
RANGES = (FEATURES, OUTCOMES)
"""Nested sums: features inside, outcomes outside; the factor 1/m of an expectation cancels."""


def aligned_for_xavier_uniform_weights() -> bool:
    """Tokens 1 + w/2 and 2 + w/2, w uniform on [-sqrt 3, sqrt 3]: both positive, and rho^2 = 81/85."""
    w, end = Symbol("w", real=True), sqrt(3)
    mean = lambda e: integrate(expand(e), (w, -end, end)) / (2 * end)  # noqa: E731
    first, second = 1 + w / 2, 2 + w / 2
    standard = mean(w) == 0 and mean(w**2) == 1
    positive = bool(first.subs(w, -end) > 0)
    return (
        standard
        and positive
        and mean(first * second) ** 2 == Rational(81, 85) * mean(first**2) * mean(second**2)
    )


XAVIER_UNIFORM = Checked(
    r"x=(1,2)^\top,\ \alpha_1=\tfrac13,\ W^V\text{ uniform on }[-\sqrt3,\sqrt3]:\ "
    r"\cos\theta_{12}=1\text{ surely, }\rho_{12}=\tfrac9{\sqrt{85}}<1",
    "both tokens are positive; moments of the uniform law",
    aligned_for_xavier_uniform_weights,
)


def positive_norm(a: Expr, nonzero: Theorem) -> Theorem:
    """E|a|^2 > 0 from |a|^2 > 0 in every outcome."""
    return sum_is_positive(Sum(a**2, FEATURES), OUTCOMES, nonzero, 1)


def parallel_in_every_outcome(a: Expr, b: Expr, c: Any) -> Theorem:
    """r / sqrt(p q) = 1 iff b = c a in every outcome, under p, q > 0 and c = sqrt(q/p)."""
    p, q, r = (inner(*pair, RANGES) for pair in ((a, a), (b, b), (a, b)))
    positive = (assume(Compare(p, ">", 0)), assume(Compare(q, ">", 0)))
    tied = assume(Compare(c, "=", sqrt(q / p)))
    scale = both(
        joint(Compare(c**2 * p, "=", q), tied, *positive),
        joint(Compare(c, ">", 0), tied, *positive),
    )
    is_one = assume(Compare(r / sqrt(p * q), "=", 1))
    root = both(
        joint(Compare(sqrt(p * q), ">", 0), *positive),
        joint(Compare(sqrt(p * q) ** 2, "=", p * q), *positive),
    )
    equal = joint(Compare(r, "=", sqrt(p * q)), is_one, root)
    product = joint(Compare(sqrt(p * q), "=", c * p), root, scale, *positive)
    along = joint(Compare(r, "=", c * p), equal, product)
    proportional = ratio_of_parallel(a, b, c, RANGES, along, scale)
    everywhere = for_all(proportional, OUTCOMES, FEATURES)
    forward = discharge(everywhere, is_one.formula)
    given = assume(everywhere.formula)
    entries = instance(instance(given, outcome), feature)
    sums = scaled_sums(a, b, c, RANGES, entries)
    one = joint(is_one.formula, sums, product, root, *positive)
    return joint(
        is_one.formula.iff(everywhere.formula), forward, discharge(one, everywhere.formula)
    )


def aligned_where_parallel(
    a: Expr, b: Expr, c: Any, cosine: Theorem, multiple: Theorem, *known: Theorem
) -> Theorem:
    """cos = 1 in an outcome, where b = c a; `known` says that c is positive and a is not zero."""
    p, q = (inner(x, x, (FEATURES,)) for x in (a, b))
    sums = scaled_sums(a, b, c, (FEATURES,), multiple)
    root = joint(Compare(sqrt(p * q), "=", c * p), sums, *known)
    return joint(Compare(cosine.formula.left, "=", 1), cosine, sums, root, *known)


def cosine_as_ratio(cosine: Any, a: Expr, b: Expr, domain: Any, over: Any) -> Theorem:
    """cos = r / sqrt(p q) in outcome i."""
    p, q, r = (inner(*pair, (FEATURES,)) for pair in ((a, a), (b, b), (a, b)))
    return unfold(cosine, r / sqrt(p * q), domain, over)


def with_printed_form(iff: Theorem, aligned: Theorem) -> Theorem:
    """`iff`, and rho = 1 iff the tokens are aligned where that makes them multiples, as in `aligned`."""
    one, multiple = iff.formula.left, iff.formula.right
    kept = aligned.formula.implies(multiple)
    printed = kept.implies(one.iff(aligned.formula))
    return both(iff, joint(printed, iff, discharge(aligned, multiple)))


@cache
def two_tokens() -> Theorem:
    """The repaired remark after Eq. (5)."""
    domain = claims.correlation_one_means_one_ratio.domain
    a, b = entry(P)(outcome, feature), entry(Q)(outcome, feature)
    p, q, r = (inner(*pair, RANGES) for pair in ((a, a), (b, b), (a, b)))
    nonzero = assume(domain.conditions[0].formula)
    not_zero = [joint(part, nonzero) for part in nonzero.formula.formulas]  # type: ignore[attr-defined]
    norms = [positive_norm(x, theorem) for x, theorem in zip((a, b), not_zero, strict=True)]
    iff = parallel_in_every_outcome(a, b, claims.ratio)
    defined = unfold(claims.rho, r / sqrt(p * q), domain)
    size = unfold(claims.ratio, sqrt(q / p), domain)
    held = cut(iff, *norms, size)
    one_ratio = joint(claims.rho.equals(1).iff(claims.proportional), held, defined)
    multiple = instance(instance(assume(claims.proportional), outcome), feature)
    cosine = cosine_as_ratio(claims.cosine(outcome), a, b, domain, (OUTCOMES,))
    positive = joint(Compare(claims.ratio, ">", 0), size, *norms)
    here = instance(not_zero[0], outcome)
    one = aligned_where_parallel(a, b, claims.ratio, cosine, multiple, positive, here)
    return with_printed_form(one_ratio, for_all(one, OUTCOMES))


TOKENS, OTHERS = (token, 1, n), (other, 1, n)


def positive_norm_of(which: Any, nonzero: Theorem) -> Theorem:
    """E|X_k|^2 > 0 for a token in range."""
    return positive_norm(claims.entry_of_token(which), instance(nonzero, which))


def correlation_as_ratio(k: Any, l: Any) -> Theorem:  # noqa: E741
    """rho_kl = r / sqrt(p q), by its definition."""
    a, b = claims.entry_of_token(k), claims.entry_of_token(l)
    p, q, r = (inner(*pair, RANGES) for pair in ((a, a), (b, b), (a, b)))
    domain = claims.average_correlation_one_means_one_ratio.domain
    over = (TOKENS,) if k == l else (TOKENS, OTHERS)
    return unfold(claims.correlation_of_pair(k, l), r / sqrt(p * q), domain, over)


def pair_of_tokens(nonzero: Theorem) -> tuple[Theorem, Theorem]:
    """rho_kl <= 1; and rho_kl = 1 iff X_l is a positive multiple of X_k."""
    a, b = claims.entry_of_token(token), claims.entry_of_token(other)
    domain = claims.average_correlation_one_means_one_ratio.domain
    norms = [positive_norm_of(which, nonzero) for which in (token, other)]
    c = claims.ratio_of_pair(token, other)
    defined = correlation_as_ratio(token, other)
    p, q = inner(a, a, RANGES), inner(b, b, RANGES)
    size = unfold(c, sqrt(q / p), domain, (TOKENS, OTHERS))
    rho = claims.correlation_of_pair(token, other)
    bounded = joint(Compare(rho, "<=", 1), cut(at_most_one(a, b, RANGES), *norms), defined)
    iff = cut(parallel_in_every_outcome(a, b, c), *norms, size)
    multiple = iff.formula.right  # type: ignore[attr-defined]
    return bounded, joint(Compare(rho, "=", 1).iff(multiple), iff, defined)


@cache
def all_tokens() -> Theorem:
    """The repaired remark after Eq. (14): no rho_kl exceeds one, so all are one if their mean is."""
    domain = claims.average_correlation_one_means_one_ratio.domain
    nonzero = assume(domain.conditions[0].formula)
    bounded, iff = pair_of_tokens(nonzero)
    rho = claims.correlation_of_pair
    pairs = (OTHERS, TOKENS)
    total = Sum(Sum(rho(token, other), OTHERS), TOKENS)
    own = Sum(rho(token, token), TOKENS)
    mean = unfold(claims.average, (total - own) / (n * (n - 1)), domain)
    diagonal = joint(
        Compare(rho(token, token), "=", 1),
        correlation_as_ratio(token, token), positive_norm_of(token, nonzero),
    )  # fmt: skip
    trace = summed_over(diagonal, TOKENS)
    spread = sum_rearranged(Sum(Sum(1 - rho(token, other), OTHERS), TOKENS), n**2 - total)
    several = assume(Compare(n, ">=", 2))
    is_one = assume(claims.average.equals(1))
    whole = linked(Compare(spread.formula.left, "=", 0), spread, mean, trace, is_one, several)
    start = joint(Compare(1 - rho(token, other), ">=", 0), bounded)
    each = terms_vanish(1 - rho(token, other), pairs, start, whole)
    multiple = iff.formula.right  # type: ignore[attr-defined]
    forward = _all_pairs(joint(multiple, each, iff))
    given = assume(forward.formula)
    one = joint(Compare(rho(token, other), "=", 1), instance(instance(given, token), other), iff)
    summed = summed_over(one, TOKENS, OTHERS)
    backward = linked(is_one.formula, summed, trace, mean, several)
    one_ratio = joint(
        is_one.formula.iff(forward.formula), discharge(forward, is_one.formula),
        discharge(backward, forward.formula),
    )  # fmt: skip
    return with_printed_form(one_ratio, all_pairs_aligned(forward.formula, nonzero))


def all_pairs_aligned(multiples: Formula, nonzero: Theorem) -> Theorem:
    """All cosines are one where all tokens are positive multiples of each other."""
    a, b = claims.entry_of_token(token), claims.entry_of_token(other)
    domain = claims.average_correlation_one_means_one_ratio.domain
    c = claims.ratio_of_pair(token, other)
    norms = [positive_norm_of(which, nonzero) for which in (token, other)]
    p, q = inner(a, a, RANGES), inner(b, b, RANGES)
    size = unfold(c, sqrt(q / p), domain, (TOKENS, OTHERS))
    positive = joint(Compare(c, ">", 0), size, *norms)
    pair = instance(instance(assume(multiples), token), other)
    multiple = instance(instance(pair, outcome), feature)
    cosine = cosine_as_ratio(
        claims.cosine_of_pair(outcome, token, other), a, b, domain, (TOKENS, OTHERS, OUTCOMES)
    )
    here = instance(instance(nonzero, token), outcome)
    one = aligned_where_parallel(a, b, c, cosine, multiple, positive, here)
    return _all_pairs(for_all(one, OUTCOMES))


def _all_pairs(theorem: Theorem) -> Theorem:
    return for_all(theorem, TOKENS, OTHERS)


@proves(claims.correlation_one_means_aligned)
def by_equality_in_cauchy_schwarz(claim: Claim) -> Certificate:
    """E|b - c a|^2 = q - 2 c r + c^2 p vanishes for c = sqrt(q/p) exactly when r = sqrt(p q)."""
    return conclude(claim, two_tokens(), method=METHOD, steps=(XAVIER_UNIFORM,))


@proves(claims.average_correlation_one_means_all_aligned)
def by_averaging(claim: Claim) -> Certificate:
    """A mean of numbers that are at most one is one only if each of them is."""
    return conclude(claim, all_tokens(), method=METHOD, steps=(XAVIER_UNIFORM,))
