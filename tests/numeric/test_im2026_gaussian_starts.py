"""Theorem D.13 from Gaussian weights at the size of a model, and what the notes on it say of them."""

import pytest
import torch
from torch import Tensor

from claims.im2026 import gaussian_starts as claims
from claims.im2026.notation import T, eta, words
from numeric.im2026.corpora import Statistics, generated, statistics
from numeric.im2026.leading_terms import FIELDS, leading
from numeric.im2026.network import Weights, descent, gaussian_start
from numeric.sampling import generator

LENGTH, WORDS, STEPS, RATE = 64, 500, 5, 1 / 64
PLACE = {T: LENGTH, words: WORDS, eta: RATE}
SCALE, LINE, WHOLE = (float(term.subs(PLACE)) for term in (claims.SCALE, claims.LINE, claims.WHOLE))
"""v, and the largest sums of squares of rows, columns and of all entries."""
NEAREST = {
    "markov": {"W": (1.6e7, 1.7e7), "P": (3.7e5, 3.8e5)},
    "pair": {"W": (15.8, 16.0), "P": (1.3, 1.5)},
}
"""Norms of weights over those of their leading terms after the last step."""


def texts(kind: str) -> Tensor:
    """Four sequences: two words in turn, or a chain."""
    if kind == "pair":
        return (torch.arange(LENGTH + 1) % 2).repeat(4, 1)
    return generated(kind, generator(0, "trained weights", kind, LENGTH), 4, LENGTH, WORDS)


def start() -> Weights:
    return gaussian_start(generator(0, "gaussian start", 1, LENGTH), 1, LENGTH, WORDS, SCALE)


def of_weights(weights: Weights, name: str) -> Tensor:
    own: Tensor = getattr(weights, FIELDS[name])
    return own if name == "W_O" else own[0]


def distances(
    weights: Weights, corpus: Statistics, steps: int
) -> dict[str, tuple[float, float, float]]:
    """Error, size and size of the leading term, by weight."""
    terms = leading(corpus, steps, RATE)
    found = {}
    for name, field in FIELDS.items():
        own, term = of_weights(weights, name), getattr(terms, field)
        found[name] = tuple(float(x.norm()) for x in (own - term, own, term))
    return found  # type: ignore[return-value]


def test_gaussian_weights_are_as_small_as_the_theorem_asks() -> None:
    weights = start()
    for name in FIELDS:
        square = of_weights(weights, name) ** 2
        lines = [square.sum()] if name == "P" else [square.sum(0).max(), square.sum(1).max()]
        assert 0 < float(max(lines)) < LINE
        assert float(square.sum()) < WHOLE


@pytest.mark.parametrize("kind", NEAREST)
def test_errors_stay_below_their_bounds_at_every_step(kind: str) -> None:
    tokens = texts(kind)
    corpus = statistics(tokens, WORDS)
    for steps, weights in enumerate(descent(start(), tokens, RATE, STEPS)):
        if steps == 0:
            continue
        x = steps * RATE
        bounds = {"W_O": 3 * x**2, "V": 12 * x**3, "W": 13 * x**5 * LENGTH, "P": 13 * x**5 * LENGTH}
        found = distances(weights, corpus, steps)
        assert all(0 < found[name][0] < bound / 10 for name, bound in bounds.items())
    for name, (low, high) in NEAREST[kind].items():
        _, size, term = found[name]
        assert low < size / term < high
