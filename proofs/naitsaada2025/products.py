"""Proofs about products of i.i.d. Markov matrices: one factor at a time, by second moments."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Rational, Sum, Symbol, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import a, ratio
from claims.statement import Compare
from proofs.calculation import (
    algebra,
    linked,
    power_falls,
    sums_compared,
)
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    identity,
    instance,
    joint,
    substitute,
)
from proofs.naitsaada2025.far_out import (
    along_ones_is_larger,
    mean_and_first_factor_are_larger,
    with_weights_in_features,
)
from proofs.naitsaada2025.mean_squares import (
    METHOD,
    TWO,
    at_least_the_first,
    in_range,
    k,
    shrinking,
    terms,
)
from proofs.naitsaada2025.sure_limits import Outcome
from proofs.naitsaada2025.sure_products import Products
from proofs.registry import proves


def value(quantity: Any, of: Expr) -> Theorem:
    """A mean by the calculus."""
    return derived(quantity, of, claims.several_factors, METHOD)


@cache
def shrinks() -> Theorem:
    """$\\sum_{k<p}r^k+Tr^p\\le(p-1)r+Tr^2\\le p/(aT)$."""
    signs = in_range()
    below = sums_compared(
        lambda n: power_falls(ratio, 1, n, *signs, assume(Compare(n, ">=", 1))), p - 1
    )
    last = power_falls(ratio, 2, p, *signs, assume(TWO[1]))
    power = joint(Compare(T * ratio**p, "<=", T * ratio**2), last, given=TWO)
    inside = joint(Compare(T * ratio**2, "<=", ratio), given=TWO)
    total = Sum(ratio**k, (k, 1, p - 1)) + T * ratio**p
    rest = joint(Compare(p * ratio, "<=", p / (a * T)), signs[1], given=TWO)
    return linked(Compare(total, "<=", p / (a * T)), below, power, inside, rest)


@proves(claims.largest_singular_value_of_products_as_printed)
def by_the_first_factor(claim: Claim) -> Certificate:
    """The term of the first factor is there for every p; all terms together are p times as large."""
    one, two = (
        value(claims.along, terms(p)),
        value(claims.whole, terms(p - 1) + T * shrinking() ** p),
    )
    low = linked(Compare(claims.along, ">=", ratio), one, at_least_the_first())
    high = linked(Compare(claims.whole, "<=", p / (a * T)), two, shrinks())
    certificate = conclude(claim, both(one, low, two, high), method=METHOD)
    return at_every_choice(certificate, claim, along_ones_is_larger)


@proves(claims.second_singular_value_as_printed)
def by_the_product_of_the_rests(claim: Claim) -> Certificate:
    """$T r^p=(Tr^{p-1})r$, and r is below the mean square along ones."""
    domain = claims.three_factors
    one = derived(claims.along, terms(p), domain, METHOD)
    two = derived(claims.rest, T * shrinking() ** p, domain, METHOD)
    low = linked(Compare(claims.along, ">=", ratio), one, at_least_the_first())
    power = Symbol("b", positive=True)
    split = substitute(identity(power**p, power * power ** (p - 1)), {power: ratio})
    positive = joint(Compare(ratio ** (p - 1), ">", 0), in_range()[0])
    scaled = joint(
        Compare(ratio * T * ratio ** (p - 1), "<=", claims.along * T * ratio ** (p - 1)),
        low, positive, given=TWO,
    )  # fmt: skip
    goal = Compare(claims.rest, "<=", claims.along * T * ratio ** (p - 1))
    small = cut(joint(goal, two, split, scaled, given=TWO), in_range()[0])
    certificate = conclude(claim, both(two, low, small), method=METHOD)
    return at_every_choice(
        certificate, claim, lambda _: cut(less_than_half(low, small), in_range()[0])
    )


def less_than_half(low: Theorem, small: Theorem) -> Theorem:
    r"""$2Tr^{p-1}\le2Tr^2<1$ at every number of tokens."""
    many = joint(Compare(2, "<=", p - 1), given=[Compare(p, ">=", 3)])
    power = power_falls(ratio, 2, p - 1, *in_range(), many)
    half = joint(Compare(T * ratio**2, "<", Rational(1, 2)), given=TWO)
    share = joint(Compare(T * ratio ** (p - 1), "<", Rational(1, 2)), power, half, given=TWO[:1])
    x, y = symbols("x y", real=True)
    positive = joint(Compare(claims.along, ">", 0), low, in_range()[0])
    scaled = algebra(
        Compare(2 * x * y, "<", x), (Compare(y, "<", Rational(1, 2)), Compare(x, ">", 0)),
        {x: claims.along, y: T * ratio ** (p - 1)}, share, positive,
    )  # fmt: skip
    return joint(Compare(claims.along, ">", 2 * claims.rest), small, scaled)


def whole_with_weights_is_small(domain: Domain) -> Theorem:
    r"""$\mathbb E\|A^\perp W\|_F^2\le d^qp/(aT)$."""
    lengths, every = claims.growth * T, terms(p - 1) + T * shrinking() ** p
    value_ = derived(claims.whole_with_weights, lengths**q * every, domain, METHOD)
    sign = joint(Compare(lengths**q, ">", 0), given=[TWO[0], Compare(claims.growth, ">=", 1)])
    goal = Compare(claims.whole_with_weights, "<=", lengths**q * p / (a * T))
    return joint(goal, value_, shrinks(), sign, given=TWO)


@proves(claims.largest_singular_value_with_weights_as_printed)
def by_the_first_factor_and_weights(claim: Claim) -> Certificate:
    """Every Gaussian factor multiplies squared lengths by d, in mean."""
    domain = claims.largest_singular_value_with_weights.domain
    lengths = claims.growth * T
    one = derived(claims.along_with_weights, lengths**q * terms(p), domain, METHOD)
    sign = joint(Compare(lengths**q, ">", 0), given=[TWO[0], Compare(claims.growth, ">=", 1)])
    low_goal = Compare(claims.along_with_weights, ">=", lengths**q * ratio)
    low = joint(low_goal, one, at_least_the_first(), sign)
    high = whole_with_weights_is_small(domain)
    certificate = conclude(claim, both(one, low, high), method=METHOD)
    return at_every_choice(certificate, claim, with_weights_in_features)


@proves(claims.error_of_the_outlier_with_weights_as_printed)
def by_the_mean_and_the_first_factor(claim: Claim) -> Certificate:
    r"""$\varphi^\top A=\varphi^\top+\varphi^\top A^\perp$, whose second part has the mean zero."""
    domain = claims.error_of_the_outlier_with_weights.domain
    lengths = claims.growth * T
    one = derived(claims.following_ones_with_weights, lengths**q * (1 + terms(p)), domain, METHOD)
    certificate = conclude(claim, both(one, whole_with_weights_is_small(domain)), method=METHOD)
    return at_every_choice(certificate, claim, mean_and_first_factor_are_larger)


OF_TABLES = (
    "rank-one change and norms of products; norms of i.i.d. matrices (Yin, Bai and Krishnaiah)"
)


@cache
def products() -> Products:
    """Products of so many factors, for one outcome."""
    return Products(Outcome(claims.CHAIN.layers), claims.CHAIN)


@proves(claims.second_singular_value_of_products)
def by_rank_one_and_submultiplicativity(claim: Claim) -> Certificate:
    r"""$A_p\cdots A_1$ is a rank-one change of the product of the rests, each of norm $2\sigma T^{-1/2}$."""
    found, own = products(), claims.second_singular_value_of_products
    rest = cut(instance(found.bare_rest_below, p), joint(Compare(p, ">=", 1)))
    second = found.second_squared(p, rest)
    whole = both(
        *(
            found.upper_limit(limit, (4 / a) ** p, below, p, own.domain)
            for limit, below in ((claims.scaled_second, second), (claims.scaled_rest, rest))
        )
    )
    return conclude(claim, whole, method=OF_TABLES)


@proves(claims.largest_singular_value_of_products_tends_to_one)
def by_rows_that_sum_to_one(claim: Claim) -> Certificate:
    r"""$1\le s_1(A_p\cdots A_1)\le\prod_ks_1(A_k)\to1$."""
    found, domain = products(), claims.largest_singular_value_of_products_tends_to_one.domain
    tends = instance(found.first_tends, p)
    theorem = found.outcome.sure_limit(claims.first_of_product, Integer(1), tends, domain)
    return conclude(claim, theorem, method=OF_TABLES)
