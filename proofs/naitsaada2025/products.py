"""Proofs about products of i.i.d. Markov matrices: one factor at a time, by second moments."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, MatrixSymbol, Sum, Symbol, Trace

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import a, ratio
from claims.statement import Compare
from proofs.calculation import (
    linked,
    place,
    power_falls,
    sums_compared,
)
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Limit
from proofs.conclude import argued, conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    generalise,
    identity,
    joint,
    substitute,
    sum_at_least_term,
)
from proofs.registry import proves

METHOD = "second moments, one independent factor at a time"
k = place()


@cache
def shrinking() -> Expr:
    r"""$\mathbb E\|x^\top A^\perp\|^2/\|x\|^2$: independent rows of covariance $c(I-\varphi\varphi^\top)$.

    The factor enters by second moments alone, which are those of a Gaussian matrix.
    """
    factor = MatrixSymbol("A^perp", T, T)
    law = Gaussian(factor, 1 / (T * (a * T + 1)), column_covariance=(1, 0))
    return expectation(Trace(factor.T * factor), [law]) / T


def terms(last: Any) -> Expr:
    r"""$\sum_{k=1}^{last}r^k$: $\varphi^\top A_k^\perp\cdots A_1^\perp$ are uncorrelated for different k."""
    return Sum(shrinking() ** k, (k, 1, last))


def value(quantity: Any, of: Expr) -> Theorem:
    """A mean by the calculus."""
    return derived(quantity, of, claims.several_factors, METHOD)


TWO = [Compare(T, ">=", 2), Compare(p, ">=", 2), Compare(a, ">=", 1)]


def in_range() -> list[Theorem]:
    """0 < r, r <= 1/(aT), r <= 1."""
    positive = joint(Compare(ratio, ">", 0), given=TWO)
    small = joint(Compare(ratio, "<=", 1 / (a * T)), given=TWO)
    return [positive, small, joint(Compare(ratio, "<=", 1), given=TWO)]


@cache
def at_least_the_first() -> Theorem:
    """A sum of powers of r from the first to the p-th is at least r."""
    signs = generalise(joint(Compare(0, "<=", ratio**k), in_range()[0]), k, 1, p)
    return cut(sum_at_least_term(signs, 1), joint(Compare(1, "<=", p), given=TWO), in_range()[0])


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
    return conclude(claim, both(one, low, two, high), method=METHOD)


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
    return conclude(claim, both(two, low, small), method=METHOD)


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
    return conclude(claim, both(one, low, high), method=METHOD)


@proves(claims.error_of_the_outlier_with_weights_as_printed)
def by_the_mean_and_the_first_factor(claim: Claim) -> Certificate:
    r"""$\varphi^\top A=\varphi^\top+\varphi^\top A^\perp$, whose second part has the mean zero."""
    domain = claims.error_of_the_outlier_with_weights.domain
    lengths = claims.growth * T
    one = derived(claims.following_ones_with_weights, lengths**q * (1 + terms(p)), domain, METHOD)
    return conclude(claim, both(one, whole_with_weights_is_small(domain)), method=METHOD)


@proves(claims.second_singular_value_of_products)
def by_rank_one_and_submultiplicativity(claim: Claim) -> Certificate:
    r"""$A_p\cdots A_1$ is a rank-one change of the product of the rests, each of norm $2\sigma T^{-1/2}$.

    $A_k^\perp=D_k(M_k-11^\top)(I-\varphi\varphi^\top)$ with $TD_k\to I$, and $T^{-1/2}(M_k-11^\top)$ has
    norm $2\sigma(1+o(1))$ for entries with four moments (Bai and Yin).
    """
    return argued(claim, steps=(), method="rank-one change; norm of a matrix with i.i.d. entries")


@proves(claims.largest_singular_value_of_products_tends_to_one)
def by_fourth_moments(claim: Claim) -> Certificate:
    r"""$1=\varphi^\top A_p\cdots A_1\varphi\le s_1$, and $s_1^4(A)\le\|AA^\top\|_F^2$ for each factor.

    The mean of the latter has a closed form, which tends to one.
    """
    return argued(
        claim, steps=(fourth_moment_tends_to_one(),),
        method="fourth moments of one factor, independence",
    )  # fmt: skip


def fourth_moment_tends_to_one() -> Limit:
    r"""$\mathbb E\|AA^\top\|_F^2\to1$."""
    shapes = ({a: Integer(1)}, {a: Integer(2)}, {a: Integer(7)})
    value = claims.fourth(claims.tokens)
    return Limit(value, claims.tokens, Integer(1), shapes, "closed form in the number of tokens")
