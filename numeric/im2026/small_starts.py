"""Weights after some steps from a start that is given, in float64, gradients by autograd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import leading_terms
from claims.im2026 import small_starts as claims
from claims.im2026.notation import T, depth, eta, s, sequences, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.displays import evaluated
from numeric.im2026.leading_terms import FIELDS, SUMMED, TRAINED, leading
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


def summed_sizes(point: Point, name: str) -> float:
    """How large the parts of a leading term are: they may cancel, their rounding does not."""
    return (int(point[s]) * float(point[eta])) ** SUMMED[name]  # type: ignore[no-any-return]


def _error(point: Point, name: str, layer: int, factor: int = 1) -> Measured:
    """The Frobenius norm of a weight less a multiple of its leading term."""
    weights, maps = trained(point)
    own: Tensor = getattr(weights, FIELDS[name])
    weight = own if name == "W_O" else own[layer - 1]
    term: Tensor = getattr(leading(maps, int(point[s]), float(point[eta])), FIELDS[name])
    term = factor * term
    summed = factor * summed_sizes(point, name)
    return Measured(float((weight - term).norm()), rounding(weight.norm(), term.norm(), summed))


def _errors(quantities: Iterable[Any], factor: int) -> None:
    for name, quantity in zip(FIELDS, quantities, strict=True):

        @measures(quantity, reach=TRAINED)
        def error(point: Point, layer: int = 1, name: str = name) -> Measured:
            """||W_O - s eta B||, ||V - C(s, 2) eta^2 Phi^T B^T||, and so on."""
            return _error(point, name, layer, factor)


_errors((claims.output_error, claims.value_error, claims.attention_error, claims.position_error), 1)
_errors(claims.DOUBLED, 2)


def _room(name: str) -> None:
    @measures(leading_terms.room_of[name], reach=TRAINED)
    def room(point: Point) -> Measured:
        """The printed bound, or a share of the norm of the leading term."""
        if point[leading_terms.sense] == leading_terms.ABSOLUTE:
            return evaluated(leading_terms.LIMITS[name])(point)
        steps, rate = int(point[s]), float(point[eta])
        term = float(getattr(leading(trained(point)[1], steps, rate), FIELDS[name]).norm())
        error = rounding(term, summed_sizes(point, name))
        return Measured(float(point[leading_terms.share]) * term, error)


for _name in FIELDS:
    _room(_name)
