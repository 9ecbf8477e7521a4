"""How far apart the values of neighbouring layers are, as the learning rate goes to zero."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import parting_layers as claims
from claims.im2026.notation import T, depth, s, words
from numeric.agreement import Measured, rounding
from numeric.im2026.leading_terms import extrapolated, small_rates, squared_norm
from numeric.im2026.network import descent, one_hot, tokens_of, zero_start
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered

SMALL = Reach(8, "several trainings for each reading")


@remembered(maxsize=8)
def _values(
    tokens: tuple[tuple[int, ...], ...], vocabulary: int, layers: int, steps: int
) -> list[Tensor]:
    """The value matrices after training from zero at each learning rate."""
    text = torch.tensor(tokens)
    start = zero_start(layers, text.shape[1] - 1, vocabulary)
    rates = small_rates(layers, steps)
    return [list(descent(start, text, rate, steps))[-1].value for rate in rates]


def _coefficient(point: Point, order: int, layer: int) -> tuple[Tensor, Tensor]:
    """The limit of (V^(l+1) - V^(l)) / eta^order, and its error."""
    tokens = tuple(map(tuple, tokens_of(point).tolist()))
    runs = _values(tokens, *(int(point[size]) for size in (words, depth, s)))
    pairs = list(zip(runs, small_rates(int(point[depth]), int(point[s])), strict=True))
    row = [(values[layer] - values[layer - 1]) / rate**order for values, rate in pairs]
    noise = max(rounding(values, operations=10_000) / rate**order for values, rate in pairs)
    return extrapolated(row, noise)


@measures(claims.gap_size, reach=SMALL)
def gap_size(point: Point, order: int, layer: int) -> Measured:
    """The squared norm of a coefficient of the difference."""
    return squared_norm(*_coefficient(point, order, layer))


@measures(claims.gap_distance, reach=SMALL)
def gap_distance(point: Point, layer: int, multiple: int) -> Measured:
    """The squared distance of the fourth coefficient from so many commutators."""
    found, error = _coefficient(point, 4, layer)
    return squared_norm(found - multiple * _commutator(point), error + rounding(multiple))


def _commutator(point: Point) -> Tensor:
    """M^T N - N M^T of the statistics of the text."""
    tokens, vocabulary, length = tokens_of(point), int(point[words]), int(point[T])
    inputs, centred = (
        one_hot(tokens[:, :-1], vocabulary),
        one_hot(tokens[:, 1:], vocabulary) - 1 / vocabulary,
    )
    mixing = torch.ones(length, length, dtype=torch.float64).tril()
    mixing = mixing / mixing.sum(dim=1, keepdim=True)

    def mean(times: int) -> Tensor:
        seen = torch.linalg.matrix_power(mixing, times) @ inputs
        return torch.einsum("itv,itw->vw", seen, centred) / tokens[:, :-1].numel()

    bigrams = mean(0).T
    turned, farther = (mean(1) @ bigrams).T, mean(2) @ bigrams
    return turned @ farther - farther @ turned
