"""Gradients of the values from below: Cauchy-Schwarz in each row, chi-squares in each layer."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, MatrixSymbol, Rational, Sum, Symbol, exp, symbols

from claims.domain import Domain
from claims.expressions import FrobSq
from claims.model import Claim
from claims.naitsaada2025 import gradient_floor as claims
from claims.naitsaada2025.gradient_floor import X0, A, column, energy, grown, row, t
from claims.naitsaada2025.notation import T, d, depth, ell
from claims.naitsaada2025.signal_scales import edge_of
from claims.statement import Compare, Quantity
from claims.terms import entry
from proofs.calculation import algebra
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import frobenius_square
from proofs.calculus.wick import trace_normal_form
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, INVERSE_MEAN, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    compute,
    cut,
    derived,
    fact,
    generalise,
    identity,
    instance,
    joint,
    substitute,
    sum_compared,
    sum_rearranged,
    unfold,
)
from proofs.naitsaada2025.growth import WHERE, below, c
from proofs.registry import proves

_weight = entry(A)(row, column)
_own, _all = (column, 1, T), (row, 1, T)


@cache
def squares_of_weights_add_to_one() -> Theorem:
    """sum_ij A_ij^2 >= 1: every row sums to one over T entries."""
    stochastic = claims.single_layer_gradient_is_of_the_order_of_the_width.domain.variables[
        3
    ].known[0]
    sums = instance(assume(stochastic), row)
    squared = fact(CAUCHY_SCHWARZ, a=_weight, b=Integer(1), k=column, low=1, high=T)
    length = sum_rearranged(Sum(Integer(1), _own), T)
    least = Compare(1 / T, "<=", Sum(_weight**2, _own))
    each = generalise(joint(least, sums, squared, length), *_all)
    summed = sum_compared(each)
    total = sum_rearranged(Sum(1 / T, _all), T * (1 / T))
    return joint(Compare(Sum(Sum(_weight**2, _own), _all), ">=", 1), summed, total)


@proves(claims.single_layer_gradient_is_of_the_order_of_the_width)
def by_the_norm_of_a_stochastic_matrix(claim: Claim) -> Certificate:
    """The Jacobian of A X_0 W has squared norm d |A X_0|^2 = d |A|^2 >= d >= T."""
    domain = claims.single_layer_gradient_is_of_the_order_of_the_width.domain
    weight = MatrixSymbol("W", d, d)
    value = frobenius_square(jacobian(A * X0 * weight, weight).normal()).scalar()
    assert trace_normal_form(value) == trace_normal_form(d * FrobSq(A * X0))
    total = Sum(Sum(_weight**2, _own), _all)
    known = derived(claims.gradient, d * total, domain, "product rule, and $X_0X_0^\\top=I$")
    theorem = joint(
        Compare(claims.gradient / T, ">=", 1), known, squares_of_weights_add_to_one(),
        given=(Compare(T, "<=", d), Compare(T, ">=", 1)),
    )  # fmt: skip
    return conclude(claim, theorem, method="product rule; Cauchy-Schwarz in each row")


METHOD = f"Chernoff's bound for a mean of chi-squares in each layer; union of $L-1$ events; {WHERE}"
HALF, RARE = d / 2, exp(-d / 11)


@cache
def rarely_halved() -> Theorem:
    """c <= (d/2)^(L-1) => P(N_(L-1) < c) <= (L-1) e^(-d/11): at y = 1/2, where 1/2 <= e^(-15/22)."""
    shrinks = below(grown, d, depth - 1, c, HALF, Rational(1, 2))
    tilt = compute(Compare(Rational(1, 2), "<=", exp(-Rational(15, 22))))
    power = cut(fact(POWER_INCREASES, a=Rational(1, 2), b=exp(-Rational(15, 22)), p=d / 2), tilt)
    e, f, g, h = symbols("e f g h", nonnegative=True)
    terms = {e: Rational(1, 2) ** (d / 2), f: exp(d / 4), g: exp(-15 * d / 44), h: depth - 1}
    deep = joint(Compare(depth - 1, ">=", 0), given=(Compare(depth, ">=", 2),))
    small = algebra(Compare(h * e * f, "<=", h * g * f), (Compare(e, "<=", g),), terms, power, deep)
    low = Compare(c, "<=", HALF ** (depth - 1))
    many = (
        joint(Compare(Rational(1, 2), "<=", 1)),
        joint(Compare(depth - 2, ">=", 0), given=(Compare(depth, ">=", 2),)),
    )
    goal = Compare(grown.below(d, depth - 1, c), "<=", (depth - 1) * RARE)
    return joint(goal, cut(shrinks, *many), small, given=(low,))


def rarely(quantity: Quantity, level: Expr, low: Theorem, domain: Domain) -> Theorem:
    """P(norm < floor) <= (L-1) e^(-d/11) where level = floor/(d |A|^2) <= (d/2)^(L-1)."""
    read = unfold(quantity, grown.below(d, depth - 1, level), domain)
    rare = cut(substitute(rarely_halved(), {c: level}), low)
    return joint(Compare(quantity, "<=", (depth - 1) * RARE), read, rare)


@proves(claims.gradient_grows_at_least_like_the_printed_power)
def by_a_chi_square_in_each_layer(claim: Claim) -> Certificate:
    """Each of the L - 1 factors multiplies by less than d/2 with probability at most e^(-d/11)."""
    domain = claims.gradient_grows_at_least_like_the_printed_power.domain
    floor = HALF ** (depth - 1)
    e, f = symbols("e f", positive=True)
    given = (Compare(e, ">=", 1),)
    least = algebra(
        Compare(f / e, "<=", f), given, {e: energy, f: floor}, squares_of_weights_add_to_one()
    )
    return conclude(claim, rarely(claims.short, floor / energy, least, domain), method=METHOD)


@proves(claims.gradient_is_above_the_edge_of_the_values)
def by_a_floor_above_the_edge(claim: Claim) -> Certificate:
    """The floor d (d/2)^(L-1) is above T^(L-1) times the printed number, where d^L >= (2T)^(L-1) times it."""
    domain, edge = claims.gradient_is_above_the_edge_of_the_values.domain, edge_of(depth - ell)
    e, f, g, h, i, m, n = symbols("e f g h i m n", positive=True)
    k = Symbol("k", real=True)
    given = (
        Compare(e, ">=", 1), Compare(m, ">=", n * k), Compare(m, "=", g * h * f), Compare(n, "=", g * i),
        Compare(t, ">", 0), Compare(t, "<", 1),
    )  # fmt: skip
    terms = {
        e: energy, f: HALF ** (depth - 1), g: 2 ** (depth - 1), h: d, i: T ** (depth - 1), k: edge,
        m: d**depth, n: (2 * T) ** (depth - 1),
    }  # fmt: skip
    least = algebra(
        Compare(i * (1 - t) ** 2 * k / (h * e), "<=", f), given, terms,
        squares_of_weights_add_to_one(), identity(d**depth, terms[g] * d * terms[f]),
        identity(terms[n], terms[g] * terms[i]),
    )  # fmt: skip
    level = T ** (depth - 1) * (1 - t) ** 2 * edge / (d * energy)
    return conclude(claim, rarely(claims.short_of_the_edge, level, least, domain), method=METHOD)


@proves(claims.gradient_diverges_with_depth)
def by_the_mean_inverse(claim: Claim) -> Certificate:
    r"""$\mathbb P(N_{L-1}<c/(d\|A\|_F^2))\le c/(d\|A\|_F^2(d-2)^{L-1})$, and $\|A\|_F^2\ge1$."""
    domain, level, wide = (
        claims.gradient_diverges_with_depth.domain,
        claims.level,
        Compare(d, ">=", 4),
    )
    share, power = level / (d * energy), (d - 2) ** (depth - 1)
    read = unfold(claims.below_level, grown.below(d, depth - 1, share), domain)
    e, f, g, h, i = symbols("e f g h i", real=True)
    terms = {e: energy, f: level, g: d, h: power, i: claims.below_level}
    signs = (Compare(e, ">=", 1), Compare(f, ">", 0), Compare(g, ">=", 4))
    whole = squares_of_weights_add_to_one()
    sign = algebra(Compare(f / (g * e), ">=", 0), signs, terms, whole)
    markov = fact(INVERSE_MEAN, tail=grown.below, d=d, k=depth - 1, a=c)
    known = cut(
        substitute(markov, {c: share}), sign,
        joint(Compare(d, ">", 2), given=(wide,)),
    )  # fmt: skip
    rare = joint(Compare(claims.below_level, "<=", share / power), read, known)
    theorem = algebra(
        Compare(i, "<=", f / (g * h)), (*signs, Compare(h, ">", 0), Compare(i, "<=", f / (g * e) / h)),
        terms, whole, rare, joint(Compare(power, ">", 0), given=(wide,)),
    )  # fmt: skip
    return conclude(claim, theorem, method=f"Markov's inequality for the inverse; {WHERE}")
