"""Weights after some steps from a start that is given, in float64, gradients by autograd."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import small_starts as claims
from claims.im2026.notation import T, depth, eta, s, sequences, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.leading_terms import FIELDS, TRAINED, leading
from numeric.im2026.network import Weights, descent, tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _trained(
    texts: Any,
    starts: tuple[Any, ...],
    rate: float,
    layers: int,
    sizes: tuple[int, int],
    steps: int,
) -> tuple[Weights, Statistics]:
    tokens, (length, vocabulary) = tokens_of({sequences: texts}), sizes
    output, values, attention, positions = map(tensor, starts)
    square = (layers, vocabulary, vocabulary)
    start = Weights(
        attention.reshape(square), positions.reshape(layers, length), values.reshape(square), output
    )
    return list(descent(start, tokens, rate, steps))[-1], statistics(tokens, vocabulary)


def trained(point: Point) -> tuple[Weights, Statistics]:
    """The weights of a point after its steps, and the statistics of its texts."""
    starts = tuple(point[symbol] for symbol in claims.STARTS)
    sizes = int(point[T]), int(point[words])
    return _trained(
        tuple(point[sequences]), starts, float(point[eta]), int(point[depth]), sizes, int(point[s])
    )


def _error(point: Point, name: str, layer: int) -> Measured:
    """The Frobenius norm of a weight less its leading term."""
    weights, maps = trained(point)
    own: Tensor = getattr(weights, FIELDS[name])
    weight = own if name == "W_O" else own[layer - 1]
    term: Tensor = getattr(leading(maps, int(point[s]), float(point[eta])), FIELDS[name])
    size = max(float(weight.norm()), float(term.norm()))
    return Measured(float((weight - term).norm()), rounding(size))


@measures(claims.output_error, reach=TRAINED)
def error_of_the_output(point: Point) -> Measured:
    """||W_O - s eta B||."""
    return _error(point, "W_O", 1)


@measures(claims.value_error, reach=TRAINED)
def error_of_the_value(point: Point, layer: int) -> Measured:
    """||V - C(s, 2) eta^2 Phi^T B^T||."""
    return _error(point, "V", layer)


@measures(claims.attention_error, reach=TRAINED)
def error_of_the_attention(point: Point, layer: int) -> Measured:
    """||W - (3 C(s, 4) + 2 C(s, 3)) eta^4 Q||."""
    return _error(point, "W", layer)


@measures(claims.position_error, reach=TRAINED)
def error_of_the_positions(point: Point, layer: int) -> Measured:
    """||P - (3 C(s, 4) + 2 C(s, 3)) eta^4 Delta||."""
    return _error(point, "P", layer)
