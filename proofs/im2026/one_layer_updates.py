"""Proofs of Eqs. (103)-(109) and (118)-(121): norms at their bounds, then polynomials on the box."""

from __future__ import annotations

from math import prod
from typing import Any

from sympy import Abs, Sum, symbols

from claims.im2026 import one_layer_updates as claims
from claims.im2026.notation import N, T, i
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.im2026.chains import by_norms
from proofs.kernel import Theorem, joint, substitute, unfold
from proofs.registry import proves


@proves(claims.output_matrix_after_one_more_step)
def by_two_products(claim: Claim) -> Certificate:
    """The error of the output, and what attention adds to the inputs."""
    return by_norms(claim, claims.output_slope, claims.output_step)


@proves(claims.value_matrix_after_one_more_step)
def by_three_products(claim: Claim) -> Certificate:
    """The errors of the output, of attention and of the output matrix."""
    return by_norms(claim, claims.value_slope, claims.value_step)


@proves(claims.product_of_output_and_value)
def by_both_errors(claim: Claim) -> Certificate:
    """The error of the value matrix and that of the output matrix."""
    return by_norms(claim, claims.product)


@proves(claims.scores_stay_near_their_leading_term)
def by_the_sharper_bound_of_the_value_matrix(claim: Claim) -> Certificate:
    """The error of the output and that of the product."""
    return by_norms(claim, claims.scores)


@proves(claims.attention_weights_after_one_more_step)
def by_the_norm_of_the_inputs(claim: Claim) -> Certificate:
    """A factor on either side of the einsum."""
    return by_norms(claim, claims.weight_slope, claims.attention_step)


@proves(claims.position_weights_after_one_more_step)
def by_sums_of_sub_diagonals(claim: Claim) -> Certificate:
    """A sub-diagonal has at most T entries."""
    return by_norms(claim, claims.position_slope, claims.position_step)


def product_at_most(*factors: Any) -> Theorem:
    """a b c d is at most the product of the absolute values."""
    names = symbols("a b c d", real=True)
    goal = Compare(prod(names), "<=", prod(map(Abs, names)))
    return substitute(joint(goal), dict(zip(names, factors, strict=True)))


def one_sequence(where: Any, sign: int) -> Theorem:
    """One term of the gradient is at most the sum of three products of norms."""
    given, wanted, error, shift = (
        entry(matrix)(where, 1)
        for matrix in (claims.inputs_of, claims.residual_of, claims.moved_residual, claims.moved_attention)
    )  # fmt: skip
    moved, change = claims.lead + claims.moved_output, claims.moved_output
    parts = (
        product_at_most(sign * error, claims.base + shift, given, moved),
        product_at_most(sign * wanted, shift, given, moved),
        product_at_most(sign * wanted, claims.base, given, change),
    )
    goal = Compare(sign * claims.product_of(where), "<=", claims.bound_of(where))
    return joint(goal, *parts)


@proves(claims.slope_of_the_value_matrix_as_printed)
def by_a_sequence_that_is_nearer(claim: Claim) -> Certificate:
    """A mean over sequences exceeds the bound of one of them."""
    return refute(claim, method="a network after its first step")


@proves(claims.slope_of_the_value_matrix_by_a_mean)
def by_the_triangle_inequality(claim: Claim) -> Certificate:
    """A mean is at most the mean of the bounds."""
    named = unfold(claims.any_slope, claims.SLOPE, (claim.base or claim).domain)
    sums = [summed_over(one_sequence(i, sign), (i, N)) for sign in (1, -1)]
    total, bound = (Sum(f(i), (i, 1, N)) for f in (claims.product_of, claims.bound_of))
    both = linked(Compare(Abs(total), "<=", bound), *sums)
    a, b, size = symbols("a b size", real=True)
    mean = algebra(
        Compare(a / size, "<=", b / size), (Compare(a, "<=", b), Compare(size, ">", 0)),
        {a: Abs(total), b: bound, size: N * T}, both, joint(Compare(N * T, ">", 0)),
    )  # fmt: skip
    theorem = joint(Compare(claims.any_slope, "<=", bound / (N * T)), named, mean)
    return conclude(claim, theorem, method="triangle inequality, one sequence at a time")
