"""Exact means of naitsaada2025's own statements, against laws written out in full."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
import torch
from sympy import ImmutableDenseMatrix, Integer, Rational, integrate, symbols

from claims.definitions import entries, expectation
from claims.naitsaada2025 import centred_logits, collapse_floor, exchangeable, value_stacks
from claims.naitsaada2025.notation import T, d, p, sigma_qk
from claims.registry import encoded
from claims.terms import value_of
from numeric.naitsaada2025.ensembles import LAWS, markov
from numeric.naitsaada2025.exchangeable import rows_in_any_order
from numeric.naitsaada2025.extreme_singular_values import excess_rank
from numeric.sampling import generator, normal

ROW = ImmutableDenseMatrix([[Rational(1, 2), Rational(1, 3), Rational(1, 6)]])
OURS = [name for name in encoded() if name.startswith("naitsaada2025.beyond.")]


def mean_over_orders(factors: int) -> tuple[Rational, Rational]:
    """E |(I - J) A_p...A_1|^2 and E |phi^T A_p...A_1|^2 over every order of every row."""
    orders = list(permutations(ROW))
    matrices = [ImmutableDenseMatrix([list(r) for r in rows]) for rows in product(orders, repeat=3)]
    across, along, count = Integer(0), Integer(0), 0
    for chosen in product(matrices, repeat=factors):
        found = ImmutableDenseMatrix.eye(3)
        for matrix in chosen:
            found = matrix * found
        mean = sum((sum(found.col(c)) ** 2 for c in range(3)), start=Integer(0)) / 3
        along, across = along + mean, across + sum(e**2 for e in found) - mean
        count += 1
    return across / count, along / count


def test_energies_are_means_over_every_order_of_every_row() -> None:
    point = {T: Integer(3), p: Integer(1), exchangeable.shares: ROW}
    found = exchangeable.across.define(point), exchangeable.along.define(point)
    assert found == mean_over_orders(1)


def test_rows_are_drawn_in_every_order_alike() -> None:
    row = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    drawn = rows_in_any_order(generator(0, "orders"), 4000, row)
    assert drawn.shape == (4000, 3, 3) and bool((drawn.sum(-1) == 3).all())
    codes, counts = (drawn[:, 0] @ torch.tensor([1.0, 10.0, 100.0]).double()).unique(
        return_counts=True
    )
    assert len(codes) == 6 and bool((abs(counts - 4000 / 6) < 6 * (4000 / 6) ** 0.5).all())


def test_moments_of_stacks_are_those_of_their_entries() -> None:
    """Two layers on two features, and the one token that X_0 keeps."""
    first, second = entries("v", 2, 2), entries("w", 2, 2)
    x = (first * second).row(0)
    variances = dict.fromkeys([*first, *second], Integer(1))
    value = expectation((x * x.T)[0] ** 2, variances)
    point = {T: Integer(1), d: Integer(2)}
    for mean in (value_stacks.square_of_the_trace, value_stacks.trace_of_the_square):
        assert value_of(mean(Integer(2)), point) == value


@pytest.mark.parametrize(("tokens", "width"), [(2, 1), (2, 2), (3, 1)])
def test_fourth_power_of_centred_logits_is_that_of_their_entries(tokens: int, width: int) -> None:
    query, key = entries("q", tokens, width), entries("k", tokens, width)
    centring = ImmutableDenseMatrix.eye(tokens) - ImmutableDenseMatrix.ones(tokens) / tokens
    logits = query * key.T * centring
    gram = logits * logits.T
    variances = dict.fromkeys([*query, *key], Integer(1))
    value = expectation(sum(e**2 for e in gram), variances) / width**2
    assert centred_logits.mean_fourth_power({sigma_qk: Integer(1)}, tokens, width) == value


def test_centring_is_not_random() -> None:
    found = centred_logits.centring(3)
    assert found.first_trace() == 2 and found.second_trace() == Fraction(2)


def test_norms_of_a_layer_are_integrals_over_uniform_shares() -> None:
    """Of two exponential variables the first has a uniform share."""
    shares, weights = symbols("u v"), entries("w", 2, 3)
    x = ImmutableDenseMatrix([[share, 1 - share] for share in shares]) * weights
    variances = dict.fromkeys(weights, Integer(1))
    point = {T: Integer(2), d: Integer(3)}
    for quantity, matrix in (
        (collapse_floor.energy, x),
        (collapse_floor.covariance_energy, x * x.T),
    ):
        mean = expectation(sum(e**2 for e in matrix), variances)
        assert quantity.define(point) == integrate(mean, *((u, 0, 1) for u in shares))


def test_two_means_bound_the_mean_of_the_stable_rank() -> None:
    rng, tokens, point = generator(0, "floor"), 24, {T: Integer(24), d: Integer(24)}
    x = markov(LAWS["exponential"], rng, 200, tokens) @ normal(rng, 200, tokens, tokens)
    energy, covariance = (
        float(quantity.define(point))
        for quantity in (collapse_floor.energy, collapse_floor.covariance_energy)
    )
    kappa = energy / covariance**0.5
    assert kappa > 1.5
    assert (kappa - 1) ** 2 / (tokens - 1) < float(excess_rank(x).mean())


def test_every_statement_of_our_own_says_so_and_has_a_note() -> None:
    assert len(OURS) >= 7
    assert all(encoded()[name].note and not encoded()[name].printed for name in OURS)
