"""Inequalities of the first step from a Gaussian start."""

from __future__ import annotations

from sympy import Rational, sqrt

from claims.im2026 import gaussian_step as claims
from claims.im2026.gaussian_activations import ROW, START, y
from claims.im2026.notation import T, depth, eta, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.displays import links_of, together
from proofs.im2026.gaussian_activations import (
    METHOD,
    SMALL,
    bounded_products,
    bounds_of,
    facts_of_the_box,
    in_arithmetic,
    power_is_short,
    r,
    size_of_e,
    start,
)
from proofs.kernel import cut, joint, substitute
from proofs.registry import proves


@proves(
    claims.output_gradient_is_the_bigram_map,
    claims.sensitivities_before_the_first_step,
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


@proves(claims.attention_gradients_before_the_first_step)
def by_the_exponential(claim: Claim) -> Certificate:
    """(1 + u)^L <= 1 + 2 L u, where L u is below 1/10."""
    total = depth * (8 * eta ** Rational(9, 2) + 72 * eta**8)
    box = facts_of_the_box()
    small = [
        joint(Compare(total, "<=", Rational(1, 10)), *box),
        joint(Compare(total, ">=", 0)),
    ]
    return in_arithmetic(claim, cut(substitute(power_is_short(), {y: total}), *small), small[0])
