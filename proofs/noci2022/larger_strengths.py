r"""Proofs about what the two residual strengths do to a correlation.

For tokens of one squared norm p and inner product g < p the correlation is (g + c)/(p + c), and rises
with c = ((1 + alpha_1^2)^l - 1) C/n^2; the factor (1 + alpha_2^2)^l has cancelled.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Symbol, sqrt, symbols

from claims.domain import Equal
from claims.model import Claim
from claims.noci2022 import larger_strengths as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import C, X, alpha1, ell
from claims.noci2022.pairs import DIFFERENT, first_square, inner_product, second_square
from claims.statement import Compare, Formula
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    induction,
    instance,
    joint,
    substitute,
)
from proofs.noci2022.growth import SEVERAL, one_norm
from proofs.noci2022.network import gram_induction
from proofs.noci2022.pairs import BY_GRAM, CLOSED, correlation_with, distance_in_products, shared
from proofs.registry import proves

REPAIRED = claims.first_strength_aligns_and_second_does_not
MORE = Compare(alpha1**2, "<", claims.larger1**2)
p, q, g, c, d = symbols("p q g c d", real=True)
_count = Symbol("t", integer=True, positive=True)


def raised(term: Expr) -> Expr:
    """The same with the larger attention strength."""
    return term.subs(alpha1, claims.larger1)


@cache
def powers_ordered() -> Theorem:
    """1 <= (1 + alpha_1^2)^l < (1 + alpha_1'^2)^l, for at least one block."""
    base = 1 + alpha1**2

    def body(count: Expr) -> Formula:
        return Compare(base**count, ">=", 1) & Compare(base**count, "<", raised(base) ** count)

    start = joint(body(_count).substitute({_count: 1}), given=(MORE,))
    step = joint(body(_count + 1), assume(body(_count)), given=(MORE,))
    return instance(induction(start, step, _count, 1), ell)


@cache
def ratio_rises() -> Theorem:
    """(g + c)/sqrt((p + c)(q + c)) < (g + d)/sqrt((p + d)(q + d)) for p = q > 0, g < p and 0 <= c < d."""
    given = (
        Compare(p, "=", q), Compare(p, ">", 0), Compare(g, "<", p), Compare(c, ">=", 0),
        Compare(c, "<", d),
    )  # fmt: skip
    roots = [
        joint(Compare(sqrt((p + e) * (q + e)), "=", p + e), given=(*given[:2], Compare(e, ">=", 0)))
        for e in (c, d)
    ]
    more = joint(Compare(d, ">=", 0), given=given)
    positive = [joint(Compare(p + e, ">", 0), more, given=given) for e in (c, d)]
    crossed = joint(Compare((g + c) * (p + d), "<", (g + d) * (p + c)), given=given)
    less = joint(Compare((g + c) / (p + c), "<", (g + d) / (p + d)), crossed, *positive)
    goal = Compare((g + c) / sqrt((p + c) * (q + c)), "<", (g + d) / sqrt((p + d) * (q + d)))
    parts = [
        joint(Compare((g + e) / sqrt((p + e) * (q + e)), "=", (g + e) / (p + e)), root, above)
        for e, root, above in zip((c, d), (roots[0], cut(roots[1], more)), positive, strict=True)
    ]
    return joint(goal, *parts, less)


@cache
def apart() -> tuple[Theorem, ...]:
    """Both tokens have one positive squared norm, and their inner product is less."""
    domain = REPAIRED.domain
    (equal,) = Equal(X).facts()
    own = [instance(assume(equal), which) for which in (token, other)]
    same = joint(Compare(first_square, "=", second_square), *own)
    positive = joint(Compare(first_square, ">", 0), *own, one_norm(domain))
    assert DIFFERENT.formula is not None
    less = joint(
        Compare(inner_product, "<", first_square), assume(DIFFERENT.formula), distance_in_products(),
        same,
    )  # fmt: skip
    return same, positive, less


@cache
def correlations_rise() -> Theorem:
    """The correlation with c of the smaller strength is below that with c of the larger one."""
    small, large = shared(ell), raised(shared(ell))
    given = (SEVERAL, Compare(C(), ">", 0))
    known = powers_ordered()
    least = joint(Compare(small, ">=", 0), known, given=given)
    grown = joint(Compare(small, "<", large), known, given=given)
    values = {p: first_square, q: second_square, g: inner_product, c: small, d: large}
    return cut(substitute(ratio_rises(), values), *apart(), least, grown)


@cache
def by_attention_alone() -> Theorem:
    """rho rises with alpha_1, and is the same for both values of alpha_2."""
    small, large = correlation_with(ell), raised(correlation_with(ell))
    first, second, double = (
        derived(quantity, found, REPAIRED.domain, BY_GRAM)
        for quantity, found in (
            (claims.by_first, large - small), (claims.by_second, small - small),
            (claims.by_both, large - small),
        )
    )  # fmt: skip
    rises = correlations_rise()
    return both(
        joint(claims.by_first.above(0), first, rises), second,
        joint(claims.by_both.above(0), double, rises),
    )  # fmt: skip


@proves(claims.larger_strengths_align_tokens_faster)
def by_a_common_factor(claim: Claim) -> Certificate:
    """The factor of the feed-forward branch is common to all inner products, and cancels."""
    return refute(claim, steps=(*gram_induction(), CLOSED), method=BY_GRAM)


@proves(REPAIRED)
def by_what_attention_adds(claim: Claim) -> Certificate:
    """Attention adds c to all inner products, and (g + c)/(p + c) rises with c."""
    return conclude(
        claim, by_attention_alone(), steps=(*gram_induction(), CLOSED),
        method=r"$(g+c)/(p+c)$ rises with $c$; the factor of $\alpha_2$ cancels",
    )  # fmt: skip
