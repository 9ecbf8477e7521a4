r"""Tokens under LayerNorm are mixtures of the initial ones: X = P X^{(0)} W~, so that Y = P X^{(0)}.

P is the product of the matrices D A of all layers, D from what LayerNorm divides by; Y are the tokens
in the frame that does not turn.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import KroneckerDelta, sqrt, symbols

from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion
from claims.wu2024.notation import N, d, t
from proofs.calculation import at_places, linked, replaced, weighed
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    instance,
    recursion_start,
    recursion_step,
)
from proofs.wu2024.averages import i
from proofs.wu2024.chart import FRAME, layer, weights, x
from proofs.wu2024.gathering import SPHERE, before_layernorm, products_agree
from proofs.wu2024.norms import Row, combination, picked, regrouped
from proofs.wu2024.spherical import to_last_layer
from proofs.wu2024.turning import (
    everywhere,
    k,
)

mixing = Recursion(
    "P",
    lambda i, j: KroneckerDelta(i, j),
    lambda u, i, j, before: (
        combination(lambda n: weights(u, i, n), before)(j) / sqrt(SPHERE.squared_norm(u, i))
    ),
)
"""Entries of the product of as many D A as layers, the last on the left."""


def shares(u: Any, one: Any) -> Row:
    """A row of P."""
    return lambda n: mixing(u, one, n)


def mixture(u: Any, one: Any) -> Row:
    """(P X^{(0)})_i."""
    return combination(shares(u, one), x)


# Y = P X ------------------------------------------------------------------------------------------


def tokens_are_mixed(u: Any) -> Formula:
    return ForAll(i, 1, N, ForAll(k, 1, d, Compare(FRAME.tokens(u, i, k), "=", mixture(u, i)(k))))


def first_mixture() -> Theorem:
    """No layers: P = I."""
    chosen = picked(lambda n: x(n, k), i, N)
    term = weighed(lambda n: x(n, k), lambda n: recursion_start(mixing, i, n), N)
    goal = Compare(FRAME.tokens(0, i, k), "=", mixture(0, i)(k))
    return linked(goal, recursion_start(FRAME.tokens, i, k), chosen, term)


def next_mixture(u: Any) -> Theorem:
    """Y' = D A Y = D A P X = P' X: both dynamics divide by one norm."""
    known, own = assume(tokens_are_mixed(u)), lambda n: weights(u, i, n)
    read = weighed(own, lambda n: at_places(known, n, k), N)
    whole = regrouped(own, lambda n, p: mixing(u, n, p), x, k, (N, N))
    norms = cut(before_layernorm(u, i, i), instance(products_agree(), u))
    mixed = combination(combination(own, lambda n, p: mixing(u, n, p)), x)(k)
    step = weighed(lambda p: x(p, k), lambda p: recursion_step(mixing, u, i, p), N)
    q, moved = symbols("q", real=True), FRAME.moved(u, i)(k)
    same = replaced(moved / sqrt(q), q, norms)
    averaged = linked(Compare(moved, "=", mixed), read, whole)
    ratio = replaced(q / sqrt(norms.formula.left), q, averaged)
    goal = Compare(FRAME.tokens(u + 1, i, k), "=", mixture(u + 1, i)(k))
    return linked(goal, recursion_step(FRAME.tokens, u, i, k), same, ratio, step)


@cache
def all_tokens_are_mixed() -> Theorem:
    """Y = P X at all layers up to the last."""
    return to_last_layer(everywhere(first_mixture()), everywhere(next_mixture(layer)), layer, t)


def mixed_at(u: Any, one: Any, feature: Any) -> Theorem:
    """Y_ik = (P X)_ik at a layer."""
    return at_places(all_tokens_are_mixed(), u, one, feature)
