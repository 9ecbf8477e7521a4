"""LayerNorm forgets positive factors: induction over layers, by homogeneity of the norm."""

from __future__ import annotations

from typing import Any

from sympy import Expr, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import Recursion, entry
from claims.wu2024 import factors as claims
from claims.wu2024.dynamics import values
from claims.wu2024.factors import Factors, b, factors, i, mixed, plain, squared_norm, tokens
from claims.wu2024.notation import N, T, attention, d, t
from proofs.calculation import at_places, for_all, linked, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import summed
from proofs.wu2024.spherical import to_last_layer

DOMAIN = claims.positive_factors_of_the_values_do_not_matter.domain
FACTOR = entry(factors)(t + 1)


def scaled_norm(layer: Any, token: Any, before: Any) -> Expr:
    """The squared norm of a row of A X (c W_V)."""
    factor = entry(factors)(layer + 1)
    return summed(lambda k: (factor * mixed(layer, token, k, before)) ** 2)


scaled = Recursion(
    "Y",
    plain.start,
    lambda t, i, b, before: (
        entry(factors)(t + 1) * mixed(t, i, b, before) / sqrt(scaled_norm(t, i, before))
    ),
)
"""Entries of X^{(t)} with the factors of the value matrices."""


def same_tokens(layer: Any) -> ForAll:
    """Both dynamics have the same tokens at a layer."""
    return ForAll(i, 1, N, ForAll(b, 1, d, Compare(scaled(layer, i, b), "=", plain(layer, i, b))))


def same_products(feature: Any) -> Theorem:
    """Where tokens agree, so do the entries of A X W_V."""

    def averaged(between: Any) -> Theorem:
        def product(other: Any) -> Theorem:
            weight = entry(attention)(t, i, other)
            sides = (weight * x(t, other, between) for x in (scaled, plain))
            return joint(
                Compare(next(sides), "=", next(sides)),
                at_places(assume(same_tokens(t)), other, between),
            )

        row = sums_compared(product, N)
        value = entry(values)(t, between, feature)
        return joint(Compare(row.formula.left * value, "=", row.formula.right * value), row)

    return sums_compared(averaged, d)


def same_norms() -> Theorem:
    """|c y|^2 = c^2 |y|^2, entries of y = A X W_V being those of the tokens without factors."""
    own = squared_norm(t, i, tokens(t))

    def square(k: Any) -> Theorem:
        found = same_products(k)
        left, right = found.formula.left, found.formula.right
        return joint(Compare((FACTOR * left) ** 2, "=", FACTOR**2 * right**2), found)

    squares = sums_compared(square, d)
    return linked(Compare(squares.formula.left, "=", FACTOR**2 * own), squares)


def homogeneous() -> Theorem:
    """c x / sqrt(n) = x / sqrt(s) for positive c and s with n = c^2 s."""
    c, x, s, n = symbols("c x s n", real=True)
    given = Compare(c, ">", 0), Compare(s, ">", 0), Compare(n, "=", c**2 * s)
    root = joint(Compare(sqrt(n), "=", c * sqrt(s)), given=given)
    return joint(Compare(c * x / sqrt(n), "=", x / sqrt(s)), root, given=given)


def next_layer() -> Theorem:
    """The tokens agree at layer t + 1 where they do at layer t."""
    c, x, s, n = symbols("c x s n", real=True)
    (condition,), (sign,) = DOMAIN.conditions, Factors(factors).facts()
    own, norms, products = squared_norm(t, i, tokens(t)), same_norms(), same_products(b)
    values_ = {c: FACTOR, x: products.formula.right, s: own, n: norms.formula.left}
    forgotten = cut(
        substitute(homogeneous(), values_), norms, instance(assume(sign), t + 1),
        at_places(assume(condition.formula), t, i),
    )  # fmt: skip
    body = joint(
        Compare(scaled(t + 1, i, b), "=", plain(t + 1, i, b)), forgotten, products,
        recursion_step(scaled, t, i, b), recursion_step(plain, t, i, b),
    )  # fmt: skip
    return for_all(body, (i, N), (b, d))


@proves(claims.positive_factors_of_the_values_do_not_matter)
def by_homogeneity_of_the_norm(claim: Claim) -> Certificate:
    """LayerNorm forgets a positive factor of a row; layer by layer, A then sees the same tokens."""
    first = joint(
        Compare(scaled(0, i, b), "=", plain(0, i, b)),
        recursion_start(scaled, i, b), recursion_start(plain, i, b),
    )  # fmt: skip
    start = for_all(first, (i, N), (b, d))
    below = joint(Compare(t, "<=", T - 1), given=(Compare(t + 1, "<=", T),))
    same = instance(to_last_layer(start, cut(next_layer(), below), t, T), t)
    over = ((t, 0, T), (i, 1, N), (b, 1, d))
    reads = (
        unfold(quantity(t, i, b), rule(t, i, b), DOMAIN, over)
        for quantity, rule in ((claims.scaled_entry, scaled), (claims.plain_entry, plain))
    )
    theorem = joint(
        Compare(claims.scaled_entry(t, i, b), "=", claims.plain_entry(t, i, b)),
        at_places(same, i, b), *reads,
    )  # fmt: skip
    theorem = for_all(theorem, *over)
    return conclude(claim, theorem, method="induction over layers: homogeneity of the norm")
