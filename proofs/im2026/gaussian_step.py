"""Inequalities of the first step from a Gaussian start."""

from __future__ import annotations

from typing import Any

from sympy import Rational, Symbol, sqrt, symbols

from claims.im2026 import gaussian_step as claims
from claims.im2026.gaussian_activations import ROW, START
from claims.im2026.notation import T, depth, eta, words
from claims.model import Claim
from claims.statement import Compare, Implies
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.im2026.displays import links_of, together
from proofs.im2026.gaussian_activations import (
    METHOD,
    SMALL,
    bounded_products,
    bounds_of,
    facts_of_the_box,
    in_arithmetic,
    r,
    size_of_e,
    start,
)
from proofs.kernel import (
    assume,
    both,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves


@proves(
    claims.output_gradient_is_the_bigram_map,
    claims.sensitivities_before_the_first_step,
    claims.step_by_frobenius_norms,
    claims.weights_after_the_first_step,
)
def by_products_of_norms(claim: Claim) -> Certificate:
    """Products of norms are at most the products of their bounds."""
    return in_arithmetic(claim)


@proves(claims.scores_are_small)
def by_the_later_bound_on_jacobians(claim: Claim) -> Certificate:
    """What can be shown is the repaired display; the printed one fails where T = |V| = 1/eta."""
    repair = claims.scores_are_small.repair
    assert repair is not None
    links = bounded_products(repair.domain, links_of(repair.formula))
    return conclude(claim, together(links), method=METHOD)


@proves(claims.jacobians_start_near_uniform)
def by_the_second_row(claim: Claim) -> Certificate:
    """1 + 2/sqrt(t) is largest at t = 2; e is below 2.719."""
    return in_arithmetic(claim, *size_of_e())


@proves(claims.output_matrix_after_the_first_step)
def by_the_unrounded_gradient(claim: Claim) -> Certificate:
    """The gradient's error is at most 3 L START, times eta at most START / 4; the start is 2 eta^4."""
    domain = claims.output_matrix_after_the_first_step.domain
    bounds, box = bounds_of(domain), (*start(), *facts_of_the_box())
    rows = joint(
        Compare(claims.moved * claims.residual / T, "<=", Rational(3, 2) * depth * ROW * START),
        given=bounds,
    )
    guess = joint(
        Compare(sqrt(T) * claims.guess / T, "<=", ROW * START), *size_of_e(),
        given=(*bounds, Compare(words, ">=", 500)),
    )  # fmt: skip
    initial = joint(Compare(claims.FROBENIUS, "<=", 2 * eta**4), *facts_of_the_box())
    short = joint(Compare(ROW, "<=", Rational(11, 10)), *facts_of_the_box())
    layers = joint(
        Compare(eta * (Rational(3, 2) * depth * ROW * START + ROW * START), "<=", START),
        short,
        *box,
    )
    return in_arithmetic(claim, rows, guess, initial, layers)


@proves(claims.step_by_an_operator_norm)
def by_multiples_of_the_identity(claim: Claim) -> Certificate:
    """A start and a gradient's error that add up, each as large as its bound."""
    return refute(claim, method="multiples of the identity")


@proves(claims.value_matrices_after_the_first_step)
def by_half_powers(claim: Claim) -> Certificate:
    r"""$\eta\cdot15\eta^{9/2}=15\eta^{11/2}\le\eta^4$, in powers of $\sqrt\eta$."""
    bound = Compare(claims.gradient, "<=", 15 * r**9)
    goals = (
        (Compare(r**2 * claims.gradient, "<=", 15 * r**11), bound),
        (Compare(15 * r**11, "<=", r**8), Compare(r, "<=", SMALL)),
    )
    powers = [algebra(goal, (given,), {r: sqrt(eta)}, *facts_of_the_box()) for goal, given in goals]
    return in_arithmetic(claim, *size_of_e(), *powers)


@proves(claims.sensitivities_of_all_layers)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """D <= (1 + 2 k u) D_L after k layers, where L u is at most 1/10."""
    k, D, u = claims.below, claims.grown, claims.GROWTH
    domain, final = (claim.base or claim).domain, claims.final
    small = joint(Compare(depth * u, "<=", Rational(1, 10)), *facts_of_the_box())
    layer, every, last = links_of(claims.sensitivities_of_all_layers.formula)
    start_is_low = joint(
        Compare(claims.RESIDUAL * START, "<=", 5 * eta**4), *start(), *facts_of_the_box()
    )

    def body(at: Any) -> Implies:
        inside = Compare(D(at), "<=", (1 + 2 * at * u) * final)
        return Implies(Compare(at, "<=", depth), inside)

    d, (e, g, n, q) = Symbol("d", real=True), symbols("e g n q", nonnegative=True)
    given = (
        Compare(d, "<=", (1 + 2 * n * g) * e), Compare(n + 1, "<=", q), Compare(q * g, "<=", Rational(1, 10)),
    )  # fmt: skip
    few = joint(Compare(2 * n * g, "<=", 1), given=given)
    rise = joint(Compare((1 + g) * (1 + 2 * n * g), "<=", 1 + 2 * (n + 1) * g), few)
    once = joint(Compare((1 + g) * d, "<=", (1 + g) * ((1 + 2 * n * g) * e)), given=given)
    more = joint(Compare((1 + g) * (1 + 2 * n * g) * e, "<=", (1 + 2 * (n + 1) * g) * e), rise)
    step = joint(Compare((1 + g) * d, "<=", (1 + 2 * (n + 1) * g) * e), once, more)
    fifth = joint(
        Compare((1 + 2 * n * g) * e, "<=", claims.GROWN * e),
        joint(Compare(n * g, "<=", q * g), given=(Compare(n, "<=", q),)), given=given[2:],
    )  # fmt: skip
    terms = {d: D(k), e: final, g: u, n: k, q: depth}
    following, inside = Compare(k + 1, "<=", depth), Compare(k, "<=", depth)
    before = joint(body(k).conclusion, assume(body(k)), given=(following,))
    above = joint(Compare(u, ">=", 0))
    up = cut(substitute(step, terms), before, small, above)
    up = joint(body(k + 1).conclusion, recursion_step(D, k), up)
    layers = induction(joint(body(0), recursion_start(D)), discharge(up, following), k)
    one = cut(substitute(fifth, terms), small, above)
    named = unfold(claims.sensitivity_below(k), D(k), domain, ((k, 0, depth),))
    one = joint(every.body, instance(layers, k), one, named, given=(inside,))
    printed = joint(last, start_is_low, given=(Compare(final, "<=", claims.RESIDUAL * START),))
    links = bounded_products(domain, (layer,))
    return conclude(claim, both(*links, generalise(one, k, 0, depth), printed), method=METHOD)


@proves(claims.attention_gradients_before_the_first_step)
def by_products_with_jacobians(claim: Claim) -> Certificate:
    """Products of norms, with the Jacobians at most two."""
    return in_arithmetic(claim)
