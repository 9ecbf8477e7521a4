"""Limits at learning rate zero: the error holds for every entry, at every depth and number of steps."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from sympy import Integer

from audit.examine import load_witnesses
from claims.im2026.corpora import one_hot
from claims.im2026.notation import N, T, depth, s, sequences, words
from claims.registry import encoded
from numeric.im2026.leading_terms import extrapolated, small_rates
from numeric.larger import reach_of
from numeric.readings import Readings
from numeric.scales import MODEL, points_at

load_witnesses()
PARTING, ORDERS = (
    encoded()[f"im2026.{name}"] for name in ("beyond.layers-part", "sec-4.1.order-hierarchy")
)


@pytest.mark.parametrize("degree", [6, 10])
def test_an_error_holds_for_entries_whose_last_estimates_happen_to_be_close(degree: int) -> None:
    """Of four polynomials at a time one often has them close: no reason to trust that one more."""
    coefficients = torch.randn(
        degree, 500, 4, generator=torch.Generator().manual_seed(degree), dtype=torch.float64
    )
    rates = [2.0**-3 / 2**halving for halving in range(5)]
    for functions in coefficients.unbind(dim=1):
        values = [sum(c * rate**power for power, c in enumerate(functions)) for rate in rates]
        limit, error = extrapolated(values, 1e-12)
        assert ((limit - functions[0]).abs() <= error).all()
        assert error.max() < 0.01  # so that limits which differ are told apart


def test_rates_are_small_beside_the_steps_of_all_layers() -> None:
    for layers, steps in ((1, 1), (2, 5), (8, 8), (12, 12)):
        rates = small_rates(layers, steps)
        assert 4 * layers * steps * rates[0] <= 1
        assert all(2 * later == rate for rate, later in pairwise(rates))


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_deep_networks_that_train_long_part_as_they_should(seed: int) -> None:
    """The seeds at which an error that was taken entry by entry was too small."""
    ((_, point),) = points_at(PARTING, MODEL, seed, 1, reach_of(PARTING).largest)
    readings = Readings(point, larger=True)
    assert PARTING.formula.possible(readings, point) == {True, False}


@pytest.mark.parametrize(
    "text", [(0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 1, 1, 0), (0, 0, 0, 0)]
)
@pytest.mark.parametrize("steps", [3, 4])
def test_terms_that_cancel_leave_rounding_behind(text: tuple[int, ...], steps: int) -> None:
    """Scores of equal tokens cancel: what is left of attention weights is rounding, however small."""
    size, corpus = len(text) - 1, (one_hot(text, 2),) * 2
    point = {
        N: Integer(2), T: Integer(size), words: Integer(2), depth: Integer(2), s: Integer(steps),
        sequences: corpus,
    }  # fmt: skip
    assert ORDERS.domain.objection(point) is None
    assert ORDERS.formula.truth(point) is True
    assert ORDERS.formula.possible(Readings(point), point) >= {True}
