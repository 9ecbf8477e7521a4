"""Power series of trained networks: what they say after one step, and which readings are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from sympy import Integer, diff, factorial, symbols

from claims.domain import Point
from claims.im2026 import first_steps
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import STEPS
from claims.im2026.notation import T, depth, eta, i, j, k, words
from claims.im2026.series import attention, hidden, output, residual, score, value
from claims.terms import value_of
from proofs.im2026.contexts import t, token_mean
from proofs.im2026.lowest_orders import PAIRS
from proofs.im2026.orders import by_steps, cauchy, n, of, series
from proofs.kernel import ProofError, Theorem


@pytest.mark.parametrize("seed", [0, 1])
def test_two_steps_are_the_taylor_series_of_the_exact_weights(seed: int) -> None:
    """Of a network of one layer whose weights are written out as functions of the learning rate."""
    rate = symbols("eta", positive=True)
    point = next(p for p in _points(seed) if p[words] > 1 and p[T] > 1)
    point = {**point, depth: Integer(1), eta: rate}
    exact = first_steps.after(point, 2)
    for order in range(3):
        for family, places, matrix in ((output, (), exact.output), (value, (1,), exact.value)):
            found = value_of(family(2, order, *places, 1, 2), point)
            entry = matrix[0, 1]
            assert found == diff(entry, rate, order).subs(rate, 0) / factorial(order)


def _points(seed: int) -> Iterator[Point]:
    rng = Random(seed)
    while True:
        yield STEPS.draw(rng)


def test_a_factor_that_is_forgotten_is_seen_at_the_highest_order() -> None:
    """To first order X R and h R are one; later they are not."""
    ranges = PAIRS[1:]

    def after(moved: Callable[[int], Any]) -> Theorem:
        now, before = of(output, j, k, steps=n + 1), of(output, j, k)
        return series(now, lambda p: before(p) + moved(p), 1, *ranges)

    factors = of(hidden, depth, i, t, j), of(residual, 1, i, t, k)
    assert not after(lambda p: token_mean(cauchy(p - 1, *factors))).failures()
    with pytest.raises(ProofError, match="does not give"):
        after(lambda p: token_mean(factors[0](0) * factors[1](p - 1)))


def test_a_wrong_closed_form_is_not_reached_by_induction() -> None:
    with pytest.raises(ProofError, match="does not give"):
        by_steps(
            lambda steps, p: output(steps, p, j, k), 1, lambda steps: 2 * steps * bigram(j, k),
            lambda p: token_mean(cauchy(p - 1, of(hidden, depth, i, t, j), of(residual, 1, i, t, k))),
            ranges=PAIRS[1:],
        )  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1])
def test_attention_moves_at_the_fourth_order_and_no_sooner(seed: int) -> None:
    """Scores at the third; so what is shown of lower orders could not be shown of these."""
    point = next(p for p in _points(seed) if p[words] > 1 and p[T] > 2 and moves(p, 3))
    assert not any(moves(point, order) for order in range(3))
    weights = [value_of(attention(4, order, 1, 1, 2), point) for order in range(5)]
    assert not any(weights[:4]) and weights[4]


def moves(point: Point, order: int) -> bool:
    """Whether any score of the last row has a coefficient of that order after three steps."""
    length = int(point[T])
    return any(value_of(score(3, order, 1, 0, length, at), point) for at in range(1, length + 1))
