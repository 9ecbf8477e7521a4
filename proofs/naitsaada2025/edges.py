"""Proofs about largest singular values of products with Gaussian weights."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Rational, Symbol, log, oo, sqrt, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import edges as claims
from claims.naitsaada2025.exponential_layers import GAUSSIAN, LAYERS
from claims.naitsaada2025.markov_layers import Chain, n
from claims.naitsaada2025.notation import ell, gamma, p, q, sigma_A, sigma_V
from claims.naitsaada2025.products import bound, first_size, growth
from claims.statement import Compare, Tends
from proofs.almost_sure import premise_of
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.decide import decide
from proofs.facts import LOG_INCREASES, SOFT_EDGE
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    derived,
    fact,
    identity,
    induction,
    instance,
    joint,
    limit_combined,
    limit_rewritten,
    recursion_start,
    recursion_step,
    substitute,
    sure_limit,
    surely,
    within,
)
from proofs.naitsaada2025.far_out import at_a_size_beyond, opposite_at_size, size, two_tokens
from proofs.naitsaada2025.interlacing import argued_right
from proofs.naitsaada2025.products import OF_TABLES
from proofs.naitsaada2025.sure_limits import Outcome, at_every_size, layer
from proofs.naitsaada2025.sure_products import Products
from proofs.naitsaada2025.sure_weights import GaussianProducts, attention_and_weights
from proofs.registry import proves


@cache
def outcome() -> Outcome:
    """What is almost sure of layers and weights."""
    return Outcome(LAYERS, edges=4, weights=GAUSSIAN)


t = Symbol("t", integer=True, nonnegative=True)
u, v, w, x = symbols("u v w x", real=True)
ONE, TWO = Integer(1), Integer(2)


@proves(claims.largest_singular_values_of_gaussian_matrices)
def by_the_soft_edge(claim: Claim) -> Certificate:
    r"""$n^{-1/2}s_1\to1+\sqrt g$ for n rows and $gn$ columns, $2\sqrt g$ for $gn$ of both; no table enters."""
    own, found = claims.largest_singular_values_of_gaussian_matrices, []
    first = LAYERS.values(1, layer, n, growth * n)
    for limit, values, at, value in (
        (claims.first_norm, first, ONE, 1 + 1 / sqrt(growth)),
        (claims.later_norm, GAUSSIAN.square(layer), claims.which, TWO),
    ):
        sure = fact(SOFT_EDGE, values=values, size=n, layer=layer)
        given = assume(premise_of(sure.formula).body)
        tends = limit_combined(u / sqrt(growth), {u: instance(given, at)})
        end = tends.formula.limit  # type: ignore[attr-defined]
        known = sure_limit(limit, end, within(own.domain), surely(sure, tends))
        found.append(joint(limit.equals(value), known, identity(end, value)))
    return conclude(claim, both(*found), method="norms of Gaussian matrices (Davidson, Szarek)")


@cache
def edges_multiply() -> Theorem:
    r"""For all t: $\Pi$ of t + 1 layers tends to $4(1+\sqrt g)^2(16g)^t$."""
    root, of = sqrt(growth), claims.squared_edges
    body = lambda at: Tends(of(at, n), n, 4 * (1 + root) ** 2 * (16 * growth) ** at)  # noqa: E731
    rest = lambda at: outcome().rest_tends(ONE, at)  # noqa: E731
    first = limit_combined((u * v) ** 2, {u: rest(ONE), v: outcome().first_weight()})
    before = {u: rest(t + 2), v: outcome().square_weight(t + 2), w: assume(body(t))}
    start = limit_rewritten(first, at_every_size(recursion_start(of, n)))
    step = limit_rewritten(
        limit_combined((u * v) ** 2 * w, before), at_every_size(recursion_step(of, t, n))
    )
    return induction(start, step, t)


@proves(claims.product_of_largest_singular_values_as_printed)
def by_the_edges_of_the_factors(claim: Claim) -> Certificate:
    r"""The limits multiply: $(4/T)^\ell\cdot d(1+\sqrt\gamma)^2\cdot(4d)^{\ell-1}$."""
    own = claims.product_of_largest_singular_values
    tends = instance(edges_multiply(), ell - 1)
    found = outcome().sure_limit(claims.product_limit, tends.formula.limit, tends, own.domain)  # type: ignore[attr-defined]
    value = own.statement.right  # type: ignore[union-attr]
    theorem = joint(own.formula, found, identity(found.formula.right, value))  # type: ignore[attr-defined]
    return conclude(claim, theorem, method=OF_TABLES)


@proves(claims.a_power_of_four_is_lost)
def by_collecting_powers(claim: Claim) -> Certificate:
    r"""$2^{2\ell}\,2^{2(\ell-1)}=4^{2\ell-1}$."""
    value = (sigma_A * sigma_V) ** (2 * ell) * 4 ** (2 * ell - 1) * (1 + 1 / sqrt(gamma)) ** 2
    return decide(claim, value, method="powers of two, collected")


def second_is_bounded(
    limit: Any, chain: Chain, factors: Any, more: Any, value: Any, domain: Domain
) -> Theorem:
    r"""$\limsup d^{p-q}s_2^2(A_p\cdots A_1W_1\cdots W_q)$ is at most the product of the squared edges."""
    products = Products(outcome(), chain)
    weights = GaussianProducts(outcome(), GAUSSIAN)
    below = attention_and_weights(products, weights, factors, more)
    scale = growth ** (factors - more - 1)
    ends = {u: instance(products.bound_tends, factors), v: instance(weights.bound_tends, more)}
    tends = limit_combined(scale * u**2 * v**2, ends)
    end = tends.formula.limit  # type: ignore[attr-defined]
    found, square = (
        outcome().sure_limit(limit, end, both(at_every_size(below), tends), domain),
        (1 + sqrt(growth)) ** 2,
    )
    given = Compare(u, "<=", v * x), Compare(v, "=", w)
    terms = {u: limit, v: end / square, w: value / square, x: square}
    return algebra(
        Compare(u, "<=", w * x), given, terms, found, identity(end / square, value / square)
    )


@proves(claims.second_singular_value_with_weights)
def by_a_rank_one_change(claim: Claim) -> Certificate:
    r"""$s_2(A_p\cdots A_1W)\le s_1(A_p^\perp\cdots A_1^\perp W)\le\prod_ks_1(A_k^\perp)\prod_ks_1(W_k)$."""
    own = claims.second_singular_value_with_weights
    value = own.statement.right  # type: ignore[union-attr]
    theorem = second_is_bounded(claims.scaled_second, claims.CHAIN, p, q - 1, value, own.domain)
    return conclude(claim, theorem, method=OF_TABLES)


@proves(claims.weights_compensate_attention)
def by_norms_of_both(claim: Claim) -> Certificate:
    r"""$s_1(A)\to1$, $\sqrt Ts_2(A)\to2\sigma$, $d^{-1/2}s_1(W)\to2$, and the product of the last two edges."""
    own, found = claims.weights_compensate_attention, outcome()
    *_, together = own.statement.formulas  # type: ignore[union-attr]
    weight = limit_combined(u / sqrt(growth), {u: found.square_weight(TWO)})
    whole = both(
        found.sure_limit(claims.largest_first, ONE, found.first_tends(ONE), own.domain),
        found.sure_limit(claims.largest_second, TWO, found.second_tends(ONE), own.domain),
        found.sure_limit(claims.largest_weight, TWO, weight, own.domain),
        second_is_bounded(
            claims.second_together, claims.ONE_FACTOR, ONE, Integer(0), together.right, own.domain
        ),
    )  # fmt: skip
    return conclude(claim, whole, method=OF_TABLES)


@proves(claims.largest_singular_value_with_overwhelming_probability)
def by_the_norm_of_the_rest(claim: Claim) -> Certificate:
    r"""$s_1(A^\perp W)$, small beside $d^{q/2}$, bounds the distance from $\|\varphi^\top W\|$."""
    certificate = argued_right(
        claim,
        claims.largest_singular_value_tends_in_mean_square,
        "triangle inequality; norms of a Gaussian row through Gaussian matrices",
    )
    return at_every_choice(certificate, claim, tail_is_a_power)


def tail_is_a_power(claim: Claim) -> Theorem:
    r"""$16(\log\mathbb P-\log2)-\log4=-80\log t-\dots>\log C-100\log t$ for $t>(\tfrac52)^{80}2^{18}C$."""
    rows = claims.ROWS * claims.TAIL
    number = Rational(5, 2) ** rows * 2 ** (claims.ROWS + 2) * bound
    value = derived(
        claims.log_tail(size), -claims.TAIL * log(Rational(5, 2) * size), claim.domain, "the law of Z",
        over=((size, first_size, oo),),
    )  # fmt: skip
    x, sign = Symbol("x", positive=True), Compare(bound, ">", 0)
    parts = log(5) - log(2)
    read = substitute(identity(log(Rational(5, 2) * x), log(x) + parts), {x: size})
    tail = joint(
        Compare(claims.log_tail(size), "=", -claims.TAIL * (log(size) + parts)),
        value, cut(read, joint(Compare(size, ">", 0), two_tokens())),
    )  # fmt: skip
    far = cut(
        fact(LOG_INCREASES, a=number, b=size), joint(Compare(number, ">", 0), given=[sign]),
        joint(Compare(number, "<=", size), given=[Compare(size, ">", number)]),
    )  # fmt: skip
    constants = rows * parts + (claims.ROWS + 2) * log(2)
    split = identity(log(number), log(bound) + constants)
    one = cut(fact(LOG_INCREASES, a=Integer(2), b=size), two_tokens())
    gap = (claims.POWER - rows) * log(size)
    more = joint(
        Compare(gap, ">", log(bound) + constants), far, split, one, compute(Compare(log(2), ">", 0))
    )
    least = joint(
        Compare(
            claims.ROWS * claims.log_tail(size) - (claims.ROWS + 2) * log(2), ">",
            log(bound) - claims.POWER * log(size),
        ), more, tail,
    )  # fmt: skip
    none = joint(Compare(number, ">=", 0), given=[sign])
    four = identity(log(Integer(4)), 2 * log(2))
    fails = joint(opposite_at_size(claim), least, four)
    return at_a_size_beyond(number, none, claim, fails, [sign])


@proves(claims.stable_rank_with_the_gap_as_printed)
def by_theorems_4_and_5(claim: Claim) -> Certificate:
    r"""T - 1 values $s_i^4$, of mean $\gamma^{-2\ell}(1+\ell+\ell\gamma)$, over $s_1^4=d^{2\ell}(1+o(1))$."""
    return argued_right(
        claim, claims.stable_rank_with_the_gap, "Theorems A.4 and A.5 with $p=q=\\ell$"
    )
