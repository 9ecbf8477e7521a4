"""Moments of equally correlated Gaussian tokens for symbolic n, d, rho, and Isserlis' theorem.

Sums over tokens are counted by contracting Kronecker deltas; moments of matrices are taken by
Gaussian integration by parts on trace words.  The two roads share nothing but the covariance.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import prod
from operator import eq

from sympy import (
    Expr,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Mul,
    Symbol,
    Trace,
    diff,
    exp,
    factorial2,
    simplify,
)

from claims.domain import Domain
from claims.expressions import Total
from claims.model import Claim
from claims.noci2022 import tokens as claims
from claims.noci2022.notation import (
    X,
    d,
    d_k,
    d_v,
    m,
    n,
    norm_xbar,
    rho,
    sigma_k,
    sigma_q,
    sigma_v,
    sigma_x,
)
from claims.noci2022.tokens import Pairings
from claims.statement import Compare, Quantity
from proofs.calculus.allones import equicorrelation
from proofs.calculus.deltas import Delta, Index, delta_sum, tidy, vanishes
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import Theorem, both, derived, joint
from proofs.noci2022.sums import covariance, matchings, same_sums
from proofs.registry import proves

__all__ = ["BY_COUNTING", "SIZES", "TOKENS", "covariance_exists", "one_width"]

SIZES = r"all integers $n\ge2$, $d\ge1$, all $\sigma_x>0$ and $-1/(n-1)\le\rho\le1$"
TOKENS = Gaussian(X, sigma_x**2, row_covariance=(1 - rho, 1 + (n - 1) * rho))
BY_COUNTING = "contraction of Kronecker deltas"


def one_width(expression: Expr) -> Expr:
    """d_v = d_k = d and Xavier variances 1/d."""
    variances = {sigma: d ** (-Integer(1) / 2) for sigma in (sigma_q, sigma_k, sigma_v)}
    return tidy(expression.subs(variances).subs({d_v: d, d_k: d}))


def in_symbols(expression: Expr) -> Expr:
    """Deltas of the calculus as SymPy's KroneckerDelta, which claims are written in."""
    names = {"i": claims.index_1, "i'": claims.index_2}
    return expression.replace(
        Delta, lambda first, second: KroneckerDelta(*(names[x.name] for x in (first, second)))
    )


def covariance_exists() -> Checked:
    """(1-rho) I + rho 11^T has eigenvalues 1-rho and 1+(n-1) rho, both >= 0 on the range of rho."""
    element = equicorrelation(n, rho)

    def test() -> bool:
        a, b = element.coefficients
        low = {rho: -1 / (n - 1)}
        return (
            vanishes(a - (1 - rho))
            and vanishes(b - rho)
            and vanishes(element.along.subs(low))
            and vanishes(element.across.subs(rho, 1))
            and bool((diff(element.along, rho).subs(n, Symbol("k", positive=True) + 1)).is_positive)
        )

    return Checked(
        r"(1-\rho)I+\rho 11^\top\succeq0\iff-\tfrac1{n-1}\le\rho\le1",
        r"eigenvalues in the algebra of $I$ and $11^\top$",
        test,
    )


@proves(claims.token_inner_products_follow_the_model)
def by_summing_dimensions(claim: Claim) -> Certificate:
    """Sum the covariance of two tokens over the d independent dimensions."""
    first, second, j = Index("i", n), Index("i'", n), Index("j", d)
    value = delta_sum(covariance((first, j), (second, j)), [j])
    return decide(
        claim, in_symbols(value), steps=(covariance_exists(),), method=BY_COUNTING, same=same_sums
    )


@proves(claims.mean_token_variance)
def by_summing_covariances(claim: Claim) -> Certificate:
    """The mean of centred tokens is centred; its variance is the mean of all covariances."""
    a, b = Index("a", n), Index("b", n)
    domain = claims.mean_token_variance.domain
    centre = expectation(Total(X), [TOKENS]) / (n * d_v)
    mean = derived(claims.mean_of_the_mean_token, centre, domain, "symmetry: an odd moment")
    value = delta_sum(covariance((a, 1), (b, 1)) / n**2, [a, b])
    by_words = expectation(norm_xbar, [TOKENS]) / d_v
    step = Identity(
        value, by_words, "integration by parts on trace words", claim.domain, r"\mathbb E\bar x_i^2"
    )
    found = derived(claims.variance_of_the_mean_token, value, domain, BY_COUNTING)
    variance = claims.variance_of_the_mean_token
    by_pairs = (n * sigma_x**2 + n * (n - 1) * rho * sigma_x**2) / n**2
    links = variance.equals(by_pairs, sigma_x**2 * (1 + rho * (n - 1)) / n)
    spread = joint(links, found, given=(Compare(n, ">=", 1),))
    centred = joint(claims.mean_of_the_mean_token.equals(0), mean)
    return conclude(claim, both(centred, spread), steps=(step,), method=BY_COUNTING)


def density_step() -> Checked:
    """g phi(g) = -phi'(g), hence E[g f(g)] = E[f'(g)]: the step by which moments are lowered."""
    g = Symbol("g", real=True)
    density = exp(-(g**2) / 2)
    return Checked(
        r"\mathbb E[X_1f(X)]=\sum_j\operatorname{Cov}(X_1,X_j)\,\mathbb E[\partial_jf(X)],"
        r"\quad g\varphi(g)=-\varphi'(g)",
        "integration by parts for $X=Bg$",
        lambda: simplify(diff(density, g) + g * density) == 0,
    )


def generating_function_step(most: int = 8) -> Checked:
    """The coefficient of t_1...t_m in exp(t^T C t / 2), C symbolic, holds each pairing once."""

    def test() -> bool:
        return all(_coefficient(size) == Counter(_as_sets(size)) for size in range(2, most + 1, 2))

    return Checked(
        r"[t_1\cdots t_m]\,e^{t^\top Ct/2}=\sum_{p}\prod_{(i,j)\in p}C_{ij},\quad m\le8",
        "moment generating function with symbolic covariances",
        test,
    )


def _as_sets(size: int) -> list[frozenset[frozenset[int]]]:
    return [frozenset(map(frozenset, m)) for m in matchings(tuple(range(size)))]


def _coefficient(size: int) -> Counter[frozenset[frozenset[int]]]:
    """Multilinear part of (sum_{i<j} C_ij t_i t_j)^k / k!, by sets of pairs; 2k = size."""
    pairs = [frozenset(p) for p in combinations(range(size), 2)]
    products: Counter[frozenset[frozenset[int]]] = Counter({frozenset(): 1})
    for power in range(1, size // 2 + 1):
        longer: Counter[frozenset[frozenset[int]]] = Counter()
        for chosen, weight in products.items():
            for pair in pairs:
                if all(not pair & other for other in chosen):
                    longer[chosen | {pair}] += weight
        # Dividing by the power each time divides by k! in all.
        products = Counter({chosen: w // power for chosen, w in longer.items()})
    return products


def count_step() -> Checked:
    """(2k-1)!! pairings: 2k-1 partners for the first variable, then the pairings of the rest."""

    def test() -> bool:
        counts = [len(_as_sets(size)) for size in range(2, 9, 2)]
        partners = [prod(range(size - 1, 0, -2)) for size in range(2, 9, 2)]
        return counts == partners == [factorial2(size - 1) for size in range(2, 9, 2)]

    return Checked(
        r"|P_m^2|=(m-1)\,|P_{m-2}^2|: \text{the partner of } X_1, \text{then the rest}",
        "the recursion of integration by parts is the recursion of pairings",
        test,
    )


@proves(claims.gaussian_moments_are_sums_over_pairings)
def by_integration_by_parts(claim: Claim) -> Certificate:
    """Lowering X_1 pairs it with each other variable; induction on m, an odd m ending in E X = 0."""
    return decide(
        claim,
        Pairings(claims.joint_covariance),
        steps=(density_step(), count_step(), generating_function_step()),
        method="induction on $m$ by integration by parts",
        same=eq,
    )


METHOD_OF_PARTS = "Gaussian integration by parts on trace words"


def _mean_of(quantity: Quantity, places: tuple[int, ...], domain: Domain) -> Theorem:
    """The mean of a product of X_k = tr(b_k g), as a polynomial in tr(b_i b_j^T)."""
    g = MatrixSymbol("g", m, 1)
    product = Mul(*(Trace(claims.combinations_of_normals[k - 1] * g) for k in places))
    return derived(quantity, expectation(product, [Gaussian(g)]), domain, METHOD_OF_PARTS)


@proves(claims.fourth_moment_is_a_sum_of_three_products)
def by_contraction(claim: Claim) -> Certificate:
    """All seven means are contracted apart; what is left is arithmetic of the products <b_i, b_j>."""
    domain = claims.fourth_moment_is_a_sum_of_three_products.domain
    means = {claims.fourth_moment: (1, 2, 3, 4)}
    means |= {covariance: pair for pair, covariance in claims.covariances.items()}
    values = [_mean_of(quantity, places, domain) for quantity, places in means.items()]
    c = claims.covariances
    pairings = c[1, 2] * c[3, 4] + c[1, 3] * c[2, 4] + c[1, 4] * c[2, 3]
    whole = joint(claims.fourth_moment.equals(pairings), *values)
    return conclude(claim, whole, steps=(density_step(),), method=METHOD_OF_PARTS)
