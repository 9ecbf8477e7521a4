"""Proofs about the size of signals and gradients: exact second moments, one factor at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, MatrixSymbol, Sum, Symbol, Trace, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import signal_scales as claims
from claims.naitsaada2025.notation import T, d, depth, ell
from claims.naitsaada2025.products import a, bound, first_size
from claims.naitsaada2025.signal_scales import growth, ratio, width
from claims.statement import Compare
from proofs.calculation import algebra, linked, place, power_falls, summed_over
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.facts import BERNOULLI, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    fact,
    generalise,
    induction,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_split,
)
from proofs.naitsaada2025.far_out import at_a_size_beyond, opposite_at_size, size, two_tokens
from proofs.naitsaada2025.interlacing import argued_right
from proofs.naitsaada2025.mean_squares import shrinking
from proofs.registry import proves

METHOD = "second moments, one independent factor at a time"
k = place()
SIZES = [Compare(T, ">=", 2), Compare(growth, ">=", 1)]
POSITIVE = joint(Compare(ratio, ">", 0), given=SIZES)
SMALL = joint(Compare(ratio, "<=", 1), given=SIZES)


@cache
def shrinks() -> Expr:
    r"""$\mathbb E\|x^\top A^\perp\|^2/\|x\|^2$ for exponential variables."""
    return shrinking().subs(a, 1)


@cache
def grows() -> Expr:
    r"""$\mathbb E\|x^\top W\|^2/\|x\|^2$ for d columns, $d=T/\gamma$."""
    weights = MatrixSymbol("W", T, d)
    spread = expectation(Trace(weights * weights.T), [Gaussian(weights, Integer(1))]) / T
    return spread.subs(d, width)


def terms(last: Any) -> Expr:
    r"""$\sum_{k=0}^{last}r^k$: terms with different numbers of centred factors are uncorrelated."""
    return Sum(shrinks() ** k, (k, 0, last))


def at_least_one(last: Any, *known: Theorem) -> Theorem:
    """The term without centred factors is one."""
    signs = generalise(joint(Compare(0, "<=", ratio**k), POSITIVE), k, 0, last)
    return cut(sum_at_least_term(signs, 0), POSITIVE, *known)


def scaled_up(quantity: Any, scale: Any, value: Theorem, least: Theorem) -> Theorem:
    """quantity >= scale from quantity = scale * sum and sum >= 1."""
    positive = joint(Compare(scale, ">", 0), given=SIZES)
    return linked(Compare(quantity, ">=", scale), value, least, positive)


LAYERS = [Compare(ell, ">=", 1)]


n = Symbol("n", integer=True, nonnegative=True)


@cache
def at_most_two() -> Theorem:
    r"""$\sum_{k\le n}r^k+Tr^{n+1}\le2$: at each step $r^{n+1}(T-1-Tr)\ge0$ is taken away."""
    body = Compare(Sum(ratio**k, (k, 0, n)) + T * ratio ** (n + 1), "<=", 2)
    after = body.substitute({n: n + 1})
    one = power_falls(ratio, 0, k, POSITIVE, SMALL, assume(Compare(k, ">=", 0)))
    only = summed_over(one, (k, 0, Integer(0)))
    most = joint(Compare(T * ratio, "<=", 1), given=SIZES)
    start = linked(body.substitute({n: Integer(0)}), only, most)
    r, power, tokens, total, longer = symbols("r x t u v", real=True)
    given = (
        Compare(r, ">", 0), Compare(power, ">", 0), Compare(1 + tokens * r, "<=", tokens),
        Compare(total + tokens * r * power, "<=", 2), Compare(longer, "=", total + r * power),
    )  # fmt: skip
    less = Compare(longer + tokens * r**2 * power, "<=", 2)
    sums = (Sum(ratio**k, (k, 0, n)), Sum(ratio**k, (k, 0, n + 1)))
    values = {r: ratio, power: ratio**n, tokens: T, total: sums[0], longer: sums[1]}
    step = algebra(
        less, given, values, POSITIVE, joint(Compare(ratio**n, ">", 0), POSITIVE),
        joint(Compare(1 + T * ratio, "<=", T), given=SIZES), joint(given[3].substitute(values), assume(body)),
        joint(given[4].substitute(values), sum_split(sums[1])),
    )  # fmt: skip
    return induction(start, joint(after, step), n)


def bounded(layers: Any, *known: Theorem) -> Theorem:
    r"""$\sum_{k<L}r^k+Tr^L\le2$."""
    return cut(instance(at_most_two(), layers - 1), *known)


@cache
def signal_of_all_tokens() -> tuple[Theorem, ...]:
    r"""$\mathbb E\|\varphi^\top X_\ell\|^2\ge d^\ell$ its value, $\mathbb E\|X_\ell\|_F^2\le2d^\ell$."""
    domain = claims.layers_of_the_model
    one = derived(claims.mean_row, grows() ** ell * terms(ell), domain, METHOD)
    low = scaled_up(
        claims.mean_row, width**ell, one,
        at_least_one(ell, joint(Compare(0, "<=", ell), given=LAYERS)),
    )  # fmt: skip
    total = terms(ell - 1) + T * shrinks() ** ell
    two = derived(claims.all_tokens, grows() ** ell * total, domain, METHOD)
    most = bounded(ell, joint(Compare(ell - 1, ">=", 0), given=LAYERS))
    positive = joint(Compare(width**ell, ">", 0), given=SIZES)
    high = linked(Compare(claims.all_tokens, "<=", 2 * width**ell), two, most, positive)
    return one, low, high


@proves(claims.signal_scale_as_printed)
def by_exact_means(claim: Claim) -> Certificate:
    """Between the mean over tokens and the whole signal."""
    certificate = conclude(claim, both(*signal_of_all_tokens()), method=METHOD)
    return at_every_choice(certificate, claim, lambda _: signal_is_below_the_printed_scale())


def signal_is_below_the_printed_scale() -> Theorem:
    r"""$2d^\ell<T^{2\ell}/8$ for $d=T\ge40$, at every number of tokens."""
    alike = Compare(growth, "=", 1)
    above = joint(Compare(T - 1, ">=", -1), given=SIZES[:1])
    power = cut(fact(BERNOULLI, x=T - 1, p=ell), above)
    many = joint(Compare(T**ell, ">", 16), power, given=[Compare(T, ">=", 40), *LAYERS])
    same = cut(
        fact(POWER_INCREASES, a=width, b=T, p=ell),
        joint(Compare(width, "<=", T), given=[alike, SIZES[0]]),
        joint(Compare(width, ">=", 0), given=SIZES), joint(Compare(ell, ">=", 0), given=LAYERS),
    )  # fmt: skip
    x = Symbol("x", real=True)
    squared = algebra(Compare(16 * x, "<", x**2), [Compare(x, ">", 16)], {x: T**ell}, many)
    goal = Compare(claims.all_tokens, "<", T ** (2 * ell) / 8)
    return joint(goal, signal_of_all_tokens()[2], same, squared)


def mean_token_is_longer(claim: Claim) -> Theorem:
    r"""$\mathbb E\|\varphi^\top X_\ell\|^2\ge d^\ell\ge t>C$ at a size."""
    wide = growth * size
    mean = (grows() ** ell * terms(ell)).subs(T, size)
    value = derived(claims.row_at(size), mean, claim.domain, METHOD, over=((size, first_size, oo),))
    least = at_least_one(ell, joint(Compare(0, "<=", ell), given=LAYERS))
    least = cut(substitute(least, {T: size}), two_tokens())
    above = joint(Compare(wide - 1, ">=", -1), two_tokens(), given=SIZES[1:])
    power = cut(fact(BERNOULLI, x=wide - 1, p=ell), above)
    ranges = [*SIZES[1:], *LAYERS]
    long = joint(Compare(wide**ell, ">=", size), power, two_tokens(), given=ranges)
    fails = joint(opposite_at_size(claim), value, least, long, given=[Compare(size, ">", bound)])
    none = joint(Compare(bound, ">=", 0), given=[Compare(bound, ">", 0)])
    return at_a_size_beyond(bound, none, claim, fails, ranges)


@proves(claims.scales_of_the_signal_as_printed)
def by_exact_means_of_both_parts(claim: Claim) -> Certificate:
    r"""The mean over tokens as before; the rest has $Td^\ell r^\ell$ with $dr\le\gamma^{-1}$."""
    domain = claims.layers_of_the_model
    value = T * (grows() * shrinks()) ** ell
    other = derived(claims.other_part, value, domain, METHOD)
    base = width * ratio
    given = (
        joint(Compare(base, ">=", 0), given=SIZES),
        joint(Compare(base, "<=", growth), given=SIZES),
        joint(Compare(ell, ">=", 0), given=LAYERS),
    )
    power = cut(fact(POWER_INCREASES, a=base, b=growth, p=ell), *given)
    small = joint(Compare(claims.other_part, "<=", T * growth**ell), other, power, given=SIZES)
    theorem = both(*signal_of_all_tokens()[1:], other, small)
    certificate = conclude(claim, theorem, method=METHOD)
    return at_every_choice(certificate, claim, mean_token_is_longer)


@proves(claims.scale_of_the_first_factor_as_printed)
def by_exact_mean_of_the_first_factor(claim: Claim) -> Certificate:
    """L attention matrices and one weight matrix less than layers."""
    domain = claims.scale_of_the_first_factor.domain
    scale = grows() ** (ell - 1)
    one = derived(claims.first_factor, scale * terms(depth), domain, METHOD)
    layers = joint(Compare(0, "<=", depth), given=[*LAYERS, Compare(ell, "<=", depth)])
    low = scaled_up(claims.first_factor, width ** (ell - 1), one, at_least_one(depth, layers))
    whole = terms(depth - 1) + T * shrinks() ** depth
    two = derived(claims.all_of_first_factor, scale * whole, domain, METHOD)
    given = [*LAYERS, Compare(ell, "<=", depth)]
    most = bounded(depth, joint(Compare(depth - 1, ">=", 0), given=given))
    positive = joint(Compare(width ** (ell - 1), ">", 0), given=SIZES)
    goal = Compare(claims.all_of_first_factor, "<=", 2 * width ** (ell - 1))
    return conclude(claim, both(one, low, two, linked(goal, two, most, positive)), method=METHOD)


@proves(claims.edge_of_gaussian_products_as_printed)
def by_the_mean_of_all_squares(claim: Claim) -> Certificate:
    r"""$\frac1d\|P_2\|_F^2\to d^{L-\ell}$ refutes; the edge is that of the Fuss-Catalan law.

    Moments of the squared singular values, over $d^k$, tend to the Fuss-Catalan numbers, whose
    growth is $(k+1)^{k+1}/k^k$, and no singular value stays beyond.
    """
    return argued_right(
        claim,
        claims.edge_of_gaussian_products,
        "exact second moment; growth of the Fuss-Catalan numbers",
    )
