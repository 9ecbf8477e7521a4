"""Proofs about products of i.i.d. Markov matrices: one factor at a time, by second moments."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, MatrixSymbol, Sum, Trace

from claims.model import Claim
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p
from claims.naitsaada2025.products import a, ratio
from claims.statement import Compare
from proofs.calculation import linked, place, power_falls, sums_compared
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, assume, both, cut, derived, generalise, joint, sum_at_least_term
from proofs.registry import proves

SCOPE = r"all $T\ge2$, all $p\ge2$, Dirichlet$(a,\dots,a)$ rows for every integer $a\ge1$"
METHOD = "second moments, one independent factor at a time"
k = place()


@cache
def shrinking() -> Expr:
    r"""$\mathbb E\|x^\top A^\perp\|^2/\|x\|^2$: rows are independent, each with covariance $c(I-\varphi\varphi^\top)$.

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
    below = sums_compared(lambda n: power_falls(ratio, 1, n, *signs, assume(Compare(n, ">=", 1))), p - 1)
    last = power_falls(ratio, 2, p, *signs, assume(TWO[1]))
    power = joint(Compare(T * ratio**p, "<=", T * ratio**2), last, given=TWO)
    inside = joint(Compare(T * ratio**2, "<=", ratio), given=TWO)
    total = Sum(ratio**k, (k, 1, p - 1)) + T * ratio**p
    rest = joint(Compare(p * ratio, "<=", p / (a * T)), signs[1], given=TWO)
    return linked(Compare(total, "<=", p / (a * T)), below, power, inside, rest)


@proves(claims.largest_singular_value_of_products_as_printed)
def by_the_first_factor(claim: Claim) -> Certificate:
    """The term of the first factor is there for every p; all terms together are p times as large."""
    one, two = value(claims.along, terms(p)), value(claims.whole, terms(p - 1) + T * shrinking() ** p)
    low = linked(Compare(claims.along, ">=", ratio), one, at_least_the_first())
    high = linked(Compare(claims.whole, "<=", p / (a * T)), two, shrinks())
    return conclude(claim, both(one, low, two, high), method=METHOD, scope=SCOPE)
