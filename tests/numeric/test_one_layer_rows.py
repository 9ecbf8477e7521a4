"""Trained networks of one layer against what is said about the proof of Theorem D.7."""

from __future__ import annotations

from math import comb

import pytest
import torch

from claims.im2026.one_layer_rows import OUTPUT, VALUE, WEIGHTS
from numeric.im2026.corpora import generated, statistics, uniform_attention
from numeric.im2026.network import attentions, descent, gradients, one_hot, output, zero_start
from numeric.sampling import generator

WORDS = 500


def test_no_single_sequence_bounds_the_error_of_the_gradient():
    """Eq. (105): two sequences a a a a and one b c d e, after the first step."""
    tokens, eta = torch.tensor([[1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 0]]), 0.24
    *_, weights = descent(zero_start(1, 3, WORDS), tokens, eta, 1)
    inputs = one_hot(tokens[:, :-1], WORDS)
    error = torch.linalg.matrix_norm(
        gradients(weights, tokens).value[0] + eta * statistics(tokens, WORDS).value
    )
    residual = output(weights, inputs).softmax(-1) - 1 / WORDS
    assert torch.equal(attentions(weights, inputs)[0][0], uniform_attention(3, inputs))
    factors = (uniform_attention(3, inputs), inputs[0], weights.output)
    bound = torch.linalg.matrix_norm(residual[0])
    for factor in factors:  # the other two terms of (105) vanish at s = 1
        bound = bound * torch.linalg.matrix_norm(factor, ord=2)
    assert error > 1.9 * bound


CORPORA = {
    "constant": torch.zeros(2, 33, dtype=torch.long),
    "alternating": torch.arange(33).repeat(2, 1) % 2,
    "halves": (torch.arange(65) > 32).long()[None],
    **{f"markov {n}": generated("markov", generator(0, "rows", n), 4, n, WORDS) for n in (8, 64)},
}


@pytest.mark.parametrize("name", CORPORA)
def test_errors_do_not_grow_with_the_length(name: str):
    """The errors of the induction by rows, up to s eta = 1/2, beyond the horizon of Theorem D.7."""
    tokens, eta = CORPORA[name], 0.1
    found = statistics(tokens, WORDS)
    start = zero_start(1, tokens.shape[1] - 1, WORDS)
    for s, weights in enumerate(descent(start, tokens, eta, 5)):
        x, moved = s * eta, (3 * comb(s, 4) + 2 * comb(s, 3)) * eta**4
        gaps = (
            (weights.output - x * found.bigram, float(OUTPUT) * x**2),
            (weights.value[0] - comb(s, 2) * eta**2 * found.value, float(VALUE) * x**3),
            (weights.attention[0] - moved * found.words, float(WEIGHTS) * x**5),
            (weights.positions[0] - moved * found.positions, float(WEIGHTS) * x**5),
        )
        for gap, bound in gaps:
            assert gap.norm() <= bound + 1e-14
