"""The expected gradient norm of model (11): an affine recursion of a trace, by induction.

t_{L+1} = r t_L + 1 with t_0 = T and r = (T - 1)/(T (T + 1)): from t_1 = 2T/(T + 1) on it stays in [1, 2].
"""

from __future__ import annotations

from functools import cache

from sympy import Integer, Symbol, oo

from claims.model import Claim
from claims.naitsaada2025 import figures_networks as claims
from claims.naitsaada2025.notation import T, d, depth
from claims.statement import Compare, Formula
from claims.terms import Recursion
from proofs.calculation import body_at
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves

n = Symbol("n", integer=True, nonnegative=True)
ratio = (T - 1) / (T * (T + 1))
trace = Recursion("t", lambda: T, lambda t, before: ratio * before() + 1)
DOMAIN = claims.gradients_are_exponential_in_depth.domain


def inside(layers: object) -> Formula:
    """1 <= t <= 2."""
    return Compare(trace(layers), ">=", 1) & Compare(trace(layers), "<=", 2)


@cache
def every_trace() -> Theorem:
    """For all L >= 1: 1 <= t_L <= 2."""
    tokens = assume(Compare(T, ">=", 2))
    small = joint(Compare(ratio, ">=", 0) & Compare(ratio, "<=", 1 / Integer(2)), tokens)
    first = joint(
        inside(Integer(1)), tokens, recursion_start(trace), recursion_step(trace, Integer(0))
    )
    step = joint(inside(n + 1), assume(inside(n)), small, recursion_step(trace, n))
    return induction(first, step, n, 1)


@proves(claims.gradients_are_straight_on_logarithmic_axes)
def by_the_recursion_of_a_trace(claim: Claim) -> Certificate:
    """E ||dX_L/dW||^2 = d^L t_L."""
    value = unfold(claims.expected(depth), d**depth * trace(depth), DOMAIN, ((depth, 1, oo),))
    bounds = cut(instance(every_trace(), depth), assume(Compare(depth, ">=", 1)))
    power = joint(Compare(d**depth, ">", 0), given=(Compare(d, ">=", 1),))
    both = body_at(claims.gradients_are_exponential_in_depth.formula, depth)
    theorem = generalise(joint(both, value, bounds, power), depth, 1, oo)
    return conclude(
        claim, theorem, method="second moments of Dirichlet rows, by induction over layers"
    )
