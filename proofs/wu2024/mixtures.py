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
from proofs.kernel import (
    Theorem,
    assume,
    congruent,
    cut,
    instance,
    joint,
    recursion_start,
    recursion_step,
)  # fmt: skip
from proofs.wu2024.averages import at_places, i
from proofs.wu2024.chart import FRAME, layer, weights, x
from proofs.wu2024.gathering import SPHERE, before_layernorm, products_agree
from proofs.wu2024.norms import Row, combination, equal_sums, picked, regrouped, sums_compared
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
    term = sums_compared(
        lambda n: joint(
            Compare(mixing(0, i, n) * x(n, k), "=", KroneckerDelta(n, i) * x(n, k)),
            recursion_start(mixing, i, n),
        ),
        N,
    )  # fmt: skip
    goal = Compare(FRAME.tokens(0, i, k), "=", mixture(0, i)(k))
    return joint(
        goal, recursion_start(FRAME.tokens, i, k), chosen, term,
        equal_sums(goal.right, term.formula.left),  # type: ignore[attr-defined]
        equal_sums(term.formula.right, chosen.formula.left),  # type: ignore[attr-defined]
    )  # fmt: skip


def next_mixture(u: Any) -> Theorem:
    """Y' = D A Y = D A P X = P' X: both dynamics divide by one norm."""
    known, own = assume(tokens_are_mixed(u)), lambda n: weights(u, i, n)
    read = sums_compared(
        lambda n: joint(
            Compare(own(n) * FRAME.tokens(u, n, k), "=", own(n) * mixture(u, n)(k)),
            at_places(known, n, k),
        ),
        N,
    )  # fmt: skip
    whole = regrouped(own, lambda n, p: mixing(u, n, p), x, k, (N, N))
    norms = cut(before_layernorm(u, i, i), instance(products_agree(), u))
    turned, unturned = norms.formula.left, norms.formula.right  # type: ignore[attr-defined]
    mixed = combination(combination(own, lambda n, p: mixing(u, n, p)), x)(k)
    step = sums_compared(
        lambda p: joint(
            Compare(mixing(u + 1, i, p) * x(p, k), "=",
                    combination(own, lambda n, p: mixing(u, n, p))(p) / sqrt(turned) * x(p, k)),
            recursion_step(mixing, u, i, p),
        ),
        N,
    )  # fmt: skip
    q, moved = symbols("q", real=True), FRAME.moved(u, i)(k)
    same = cut(congruent(moved / sqrt(q), q, turned, unturned), norms)
    averaged = joint(
        Compare(moved, "=", mixed), read, whole, equal_sums(moved, read.formula.left),  # type: ignore[attr-defined]
        equal_sums(read.formula.right, whole.formula.left),  # type: ignore[attr-defined]
        equal_sums(whole.formula.right, mixed),  # type: ignore[attr-defined]
    )  # fmt: skip
    ratio = cut(congruent(q / sqrt(turned), q, moved, mixed), averaged)
    goal = Compare(FRAME.tokens(u + 1, i, k), "=", mixture(u + 1, i)(k))
    return joint(
        goal, recursion_step(FRAME.tokens, u, i, k), same, ratio, step,
        equal_sums(goal.right, step.formula.left),  # type: ignore[attr-defined]
        equal_sums(step.formula.right, mixed / sqrt(turned)),  # type: ignore[attr-defined]
    )  # fmt: skip


@cache
def all_tokens_are_mixed() -> Theorem:
    """Y = P X at all layers up to the last."""
    return to_last_layer(everywhere(first_mixture()), everywhere(next_mixture(layer)), layer, t)


def mixed_at(u: Any, one: Any, feature: Any) -> Theorem:
    """Y_ik = (P X)_ik at a layer."""
    return at_places(all_tokens_are_mixed(), u, one, feature)
