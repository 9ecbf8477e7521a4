"""Proofs about free products of Marchenko-Pastur laws: the first two moments, factor by factor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Integer, Symbol

from claims.model import Claim
from claims.naitsaada2025 import free_products as claims
from claims.naitsaada2025.free_products import FACTORS, factors, g, s
from claims.statement import Compare
from claims.terms import Recursion
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude
from proofs.kernel import (
    Theorem,
    assume,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves

METHOD = "free cumulants and non-crossing partitions of one and two, factor by factor"
t = Symbol("t", integer=True, nonnegative=True)

first = Recursion("m", lambda: Integer(1), lambda k, before: s(k + 1) ** 2 * before())
shape = Recursion("p", lambda: Integer(1), lambda k, before: g(k + 1) * before())
"""The ratio of a chain of matrices, seen from the rows of the first."""


@dataclass(frozen=True)
class Factors:
    """Ratios of the factors as a function of the number before them, and what they add up to."""

    second: Any
    total: Any

    @classmethod
    def of(cls, ratio: Callable[[Any], Any], mark: str) -> Factors:
        """kappa_1^2 mu_2 for two blocks, kappa_2 mu_1^2 for one."""

        def step(k: Any, before: Callable[[], Any]) -> Any:
            return s(k + 1) ** 4 * (before() + ratio(k) * first(k) ** 2)

        return cls(
            Recursion(f"q{mark}", lambda: Integer(1), step),
            Recursion(f"r{mark}", lambda: Integer(0), lambda k, before: before() + ratio(k)),
        )

    @cache  # noqa: B019 - two of them, for ever
    def moment(self) -> Theorem:
        """For all t: q = m^2 (1 + sum of the ratios)."""

        def body(count: Any) -> Compare:
            return Compare(self.second(count), "=", first(count) ** 2 * (1 + self.total(count)))

        start = joint(body(Integer(0)), *map(recursion_start, (first, self.second, self.total)))
        step = joint(
            body(t + 1), assume(body(t)),
            *(recursion_step(function, t) for function in (first, self.second, self.total)),
        )  # fmt: skip
        return induction(start, step, t)

    def judged(self, claim: Claim, own: Claim, variance: Any, ratios: Any) -> Certificate:
        """Each factor adds its ratio to variance over squared mean."""
        spread = unfold(variance, self.second(factors) - first(factors) ** 2, FACTORS)
        added = unfold(ratios, self.total(factors), FACTORS)
        after = instance(self.moment(), factors)
        whole = joint(own.formula, spread, _product(), added, after)
        return conclude(claim, whole, method=METHOD)


FREE = Factors.of(lambda k: g(k + 1), "")
CHAINED = Factors.of(lambda k: shape(k) * g(k + 1), "'")


@cache
def _mean() -> Theorem:
    return unfold(claims.mean_of(factors), first(factors), FACTORS)


@cache
def _product() -> Theorem:
    return unfold(claims.variances(factors), first(factors), FACTORS)


@proves(claims.mean_of_free_product)
def by_first_cumulants(claim: Claim) -> Certificate:
    """The mean of a free product is the product of the means."""
    equal = joint(claims.mean_of_free_product.formula, _mean(), _product())
    return conclude(claim, equal, method=METHOD)


@proves(claims.variance_of_free_product, claims.variance_of_free_product_as_printed)
def by_second_cumulants(claim: Claim) -> Certificate:
    """The ratios of the factors themselves."""
    own = claims.variance_of_free_product
    return FREE.judged(claim, own, claims.variance_of(factors), claims.total_ratio(factors))


@proves(claims.variance_of_chained_matrices)
def by_ratios_of_the_chain(claim: Claim) -> Certificate:
    """The ratios of the chain up to each factor."""
    own = claims.variance_of_chained_matrices
    return CHAINED.judged(claim, own, claims.variance_of_chain(factors), claims.chained(factors))


@proves(claims.moments_are_fuss_catalan_numbers)
def by_inverting_the_moment_series(claim: Claim) -> Certificate:
    """S(z) = (1 + z)^-l, so that the series inverts z (1 + z)^-(l+1): Lagrange."""
    return argued(
        claim,
        steps=(),
        method=(
            r"$\mathcal{MP}(1,1)$ has the S-transform $1/(1+z)$, so that the moment series of the "
            r"product inverts $z(1+z)^{-(\ell+1)}$, and Lagrange's formula gives "
            r"$\binom{(\ell+1)k}{k-1}/k$"
        ),
    )
