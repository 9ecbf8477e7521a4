r"""Proofs about two tokens in the ReLU network of Sec. 3.2, and in the linear one.

Divided by $(1+\alpha_2^2)^\ell$, the squared norms of the ReLU network are p + S and q + S for input tokens
of squared norms p and q, and their inner product is at least g + S, where S is what attention has added to
all of them.  In the linear network the same holds with equality and a smaller S.
"""

from __future__ import annotations

from functools import cache

from sympy import Integer, Symbol, oo, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.noci2022 import relu_network as claims
from claims.noci2022.notation import C, alpha1, ell, n
from claims.noci2022.pairs import difference, first_square, inner_product, second_square
from claims.statement import Compare, ForAll, measured_family, measured_quantity
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import BERNOULLI
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    derived,
    fact,
    induction,
    instance,
    joint,
    part,
    substitute,
    within,
    words,
)
from proofs.noci2022.activation import arc_cosine_gain
from proofs.noci2022.growth import (
    SEVERAL,
    norms,
    one_norm,
    products_below_norm,
    sums_are_nonnegative,
)
from proofs.noci2022.network import gram_induction
from proofs.noci2022.pairs import (
    BY_GRAM,
    CLOSED,
    a,
    added_is_positive,
    b,
    c,
    correlation_with,
    d,
    distance_is_not_negative,
    g,
    gap_at,
    rate_in_names,
    shared,
    squares_are_positive,
)
from proofs.registry import proves

added = measured_family(r"S_{{{}}}")
"""What attention has added to every inner product of the ReLU network after so many blocks."""
product = measured_quantity(
    r"\tfrac{\mathbb E\langle X^\ell_k,X^\ell_{k'}\rangle}{(1+\alpha_2^2)^\ell}"
)
"""In the ReLU network."""

t = Symbol("t", integer=True, nonnegative=True)
h, s = (Symbol(name, real=True) for name in "hs")
BY_KERNEL = r"$\kappa(c)\ge c$ for the arc-cosine kernel, block by block"


def added_by_attention(domain: Domain) -> Theorem:
    """The recursion of S, in mean over the weights of one block."""
    step = Compare(added(t + 1), ">=", (1 + alpha1**2) * added(t) + alpha1**2 * C() / n**2)
    text = (
        r"Given $Z$, rows $k$ and $k'$ of $\mathrm{ReLU}(ZW^{F_1})W^{F_2}$ have mean inner product "
        r"$\|Z_k\|\|Z_{k'}\|\kappa(\cos\theta_{kk'})\ge\langle Z_k,Z_{k'}\rangle$, with equality for $k=k'$; a "
        r"feed-forward layer multiplies the mean of $C$ by $1+\alpha_2^2$ at least. Attention adds "
        r"$\alpha_1^2C/n^2$ in mean to every inner product, and $C(X^t)/(1+\alpha_2^2)^t$ is in mean at least "
        r"$C(X)+n^2S_t$."
    )
    every = ForAll(t, Integer(0), oo, step)
    return words(Compare(added(0), "=", 0) & every, text, within(domain), check=arc_cosine_gain)


@cache
def linear_adds_no_more(domain: Domain) -> Theorem:
    """S_l is at least c = ((1 + alpha_1^2)^l - 1) C/n^2, what attention adds in the linear network."""
    known = added_by_attention(domain)
    body = Compare(added(t), ">=", shared(t))
    start = joint(Compare(added(0), ">=", shared(Integer(0))), part(known, 0))
    grown = joint(
        Compare(added(t + 1), ">=", shared(t + 1)), instance(part(known, 1), t), assume(body),
        given=(SEVERAL,),
    )  # fmt: skip
    return instance(induction(start, grown, t), ell)


@cache
def inner_product_with_added(domain: Domain) -> Theorem:
    """rho = h/sqrt((p + S)(q + S)) with h >= g + S."""
    root = sqrt((first_square + added(ell)) * (second_square + added(ell)))
    formula = Compare(claims.rectified_correlation(ell), "=", product / root) & Compare(
        product, ">=", inner_product + added(ell)
    )
    text = (
        r"The same recursion for a pair: $h_{t+1}\ge h_t+\alpha_1^2C(X^t)/(n^2(1+\alpha_2^2)^t)$ for the mean "
        r"inner product $h_t$ divided by $(1+\alpha_2^2)^t$, with equality for $k=k'$."
    )
    return words(formula, text, added_by_attention(domain), check=arc_cosine_gain)


# A bound from below, for one norm -----------------------------------------------------------------


@cache
def ratio_grows() -> Theorem:
    """h/sqrt((a + s)(b + s)) >= (g + c)/sqrt((a + c)(b + c)) for a = b > 0, g <= a, c <= s, h >= g + s."""
    one_norm = (Compare(a, "=", b), Compare(a, ">", 0))
    above = (Compare(c, ">=", 0), Compare(c, "<=", s))
    roots = [
        joint(Compare(sqrt((a + x) * (b + x)), "=", a + x), given=(*one_norm, *above))
        for x in (c, s)
    ]
    ordered = joint(
        Compare((g + c) / (a + c), "<=", h / (a + s)),
        given=(*one_norm, *above, Compare(g, "<=", a), Compare(h, ">=", g + s)),
    )  # fmt: skip
    ratios = ((g + c) / sqrt((a + c) * (b + c)), h / sqrt((a + s) * (b + s)))
    return joint(Compare(ratios[1], ">=", ratios[0]), ordered, *roots, given=(*one_norm, *above))


@cache
def bounded_for_one_norm() -> Theorem:
    """(g + S)/(p + S) grows with S, for g <= p."""
    domain = claims.linear_network_bounds_correlations_of_equal_norms.domain
    rectified, larger = inner_product_with_added(domain), linear_adds_no_more(domain)
    linear = derived(claims.linear_correlation, correlation_with(ell), domain, BY_GRAM)
    bernoulli = fact(BERNOULLI, x=alpha1**2, p=ell)
    grown = joint(
        Compare((1 + alpha1**2) ** ell, ">=", 1), bernoulli, given=(Compare(ell, ">=", 1),)
    )
    not_negative = joint(
        Compare(shared(ell), ">=", 0), grown, sums_are_nonnegative(domain), given=(SEVERAL,)
    )
    positive = joint(Compare(first_square, ">", 0), *norms(), one_norm(domain))
    equal = joint(Compare(first_square, "=", second_square), *norms())
    below = joint(Compare(inner_product, "<=", first_square), products_below_norm(domain), *norms())
    values = {
        a: first_square, b: second_square, g: inner_product, c: shared(ell), s: added(ell), h: product
    }  # fmt: skip
    ordered = cut(
        substitute(ratio_grows(), values), positive, equal, below, not_negative, larger,
        part(rectified, 1),
    )  # fmt: skip
    goal = Compare(claims.rectified_correlation(ell), ">=", claims.linear_correlation)
    return joint(goal, linear, part(rectified, 0), ordered)


@proves(claims.linear_network_bounds_correlations_of_equal_norms)
def by_what_attention_adds(claim: Claim) -> Certificate:
    """Attention adds more in the ReLU network, to inner products that are no smaller."""
    return conclude(
        claim, bounded_for_one_norm(), steps=(*gram_induction(), CLOSED), method=BY_KERNEL
    )


@proves(claims.linear_network_bounds_correlations)
def by_tokens_that_cancel(claim: Claim) -> Certificate:
    """With C = 0 attention adds nothing in the linear network, and something in the ReLU network."""
    return refute(claim, steps=(CLOSED,), method="second moments of a network of width one")


# Alignment ----------------------------------------------------------------------------------------


@cache
def as_fast_as_the_linear_network() -> Theorem:
    """1 - rho <= |X_k - X_k'|^2/(2 S), where S is at least what the linear network adds."""
    domain = claims.relu_network_aligns_all_tokens.domain
    rectified, larger = inner_product_with_added(domain), linear_adds_no_more(domain)
    some = added_is_positive(ell)
    positive = joint(Compare(added(ell), ">", 0), larger, some)
    gap = gap_at(added(ell), positive)
    root = sqrt((first_square + added(ell)) * (second_square + added(ell)))
    above = cut(
        substitute(
            joint(Compare(sqrt((a + c) * (b + c)), ">", 0),
                  given=(Compare(a, ">", 0), Compare(b, ">", 0), Compare(c, ">", 0))),
            {a: first_square, b: second_square, c: added(ell)},
        ),
        squares_are_positive(), positive,
    )  # fmt: skip
    ratio = algebra(
        Compare(h / s, ">=", (g + c) / s), (Compare(h, ">=", g + c), Compare(s, ">", 0)),
        {h: product, s: root, g: inner_product, c: added(ell)}, part(rectified, 1), above,
    )  # fmt: skip
    smaller = algebra(
        Compare(d / (2 * s), "<=", d / (2 * c)),
        (Compare(d, ">=", 0), Compare(c, ">", 0), Compare(s, ">=", c)),
        {d: difference, c: shared(ell), s: added(ell)}, distance_is_not_negative(), some, larger,
    )  # fmt: skip
    rate = Compare(1 - claims.rectified_correlation(ell), "<=", claims.rate_after(ell))
    bound = joint(rate, part(rectified, 0), ratio, gap, smaller, rate_in_names(ell))
    real = algebra(
        Compare((a + c) * (b + c), ">=", 0),
        (Compare(a, ">", 0), Compare(b, ">", 0), Compare(c, ">", 0)),
        {a: first_square, b: second_square, c: added(ell)}, squares_are_positive(), positive,
    )  # fmt: skip
    return cut(bound, real)


@proves(claims.relu_network_aligns_all_tokens)
def by_growth_of_what_attention_adds(claim: Claim) -> Certificate:
    """Inner products gain at least as much as in the linear network, squared norms the same."""
    return conclude(claim, as_fast_as_the_linear_network(), method=BY_KERNEL)
