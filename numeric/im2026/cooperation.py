"""One layer with leading terms for its weights, and value matrices after training, in torch."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import cooperation as claims
from claims.im2026.notation import depth, eta, s, sequences, words
from numeric.agreement import Measured, rounding
from numeric.im2026.bigrams import exactly, statistics_at
from numeric.im2026.leading_terms import leading
from numeric.im2026.network import (
    Weights,
    attentions,
    descent,
    one_hot,
    output,
    tokens_of,
    zero_start,
)
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered

EVERY_OUTPUT = Reach(6, "one reading for every sequence, position and word")
RATE = 2.0**-10
"""Learning rate of the training from which a second-order coefficient is read."""


@remembered(maxsize=64)
def _coefficients(texts: Any, vocabulary: int, layers: int, steps: int) -> tuple[Tensor, Tensor]:
    """Values / eta^2 after training, extrapolated to a rate of zero, and thrice their last change."""
    tokens = tokens_of({sequences: texts})
    start = zero_start(layers, tokens.shape[1] - 1, vocabulary)
    coarse, fine = (
        list(descent(start, tokens, rate, steps))[-1].value / rate**2 for rate in (RATE, RATE / 2)
    )
    return 2 * fine - coarse, 3 * (fine - coarse).abs()


@measures(claims.leading_value)
def leading_value(point: Point, place: int, row: int, column: int) -> Measured:
    """From V after full-batch descent at two small learning rates."""
    sizes = (int(point[symbol]) for symbol in (words, depth, s))
    found, error = _coefficients(point[sequences], *sizes)
    at = (place - 1, row - 1, column - 1)
    return Measured(float(found[at]), float(error[at]) + rounding(1.0) / RATE)


@measures(claims.composed_value)
def composed_value(point: Point, row: int, column: int) -> Measured:
    """An entry of the product."""
    return exactly(statistics_at(point).value[row - 1, column - 1])


@remembered(maxsize=64)
def _layer(texts: Any, vocabulary: int) -> dict[str, Tensor]:
    """Attention, logits and the parts of Eqs. (12), (13) and (15) for every sequence."""
    point = {sequences: texts, words: vocabulary}
    tokens, found = tokens_of(point), statistics_at(point)
    weights = Weights(found.words[None], found.positions[None], found.value[None], found.bigram)
    inputs, targets = one_hot(tokens[:, :-1], vocabulary), one_hot(tokens[:, 1:], vocabulary)
    (attention,) = attentions(weights, inputs)
    attended, residual = attention @ inputs, targets - 1 / vocabulary
    feature = found.context.mT @ found.interchangeability
    return {
        "attended": attended,
        "model": output(weights, inputs),
        "display": (attended @ found.context.mT @ found.bigram.mT + inputs) @ found.bigram,
        "direct": inputs @ found.bigram,
        "block": attended @ feature,
        "mapped": feature,
        "score": residual @ found.interchangeability @ found.context @ inputs.mT,
        "mapped score": residual @ (inputs @ feature).mT,
    }


def layer(point: Point) -> dict[str, Tensor]:
    """The same for the point's corpus."""
    return _layer(point[sequences], int(point[words]))


def reads(quantity: Any, part: str) -> None:
    """An entry of a part, for a sequence, a position and a word or second position."""

    @measures(quantity, reach=EVERY_OUTPUT)
    def read(point: Point, text: int, row: int, column: int) -> Measured:
        return exactly(layer(point)[part][text, row - 1, column - 1])


for _quantity, _part in (
    (claims.attended, "attended"), (claims.model_output, "model"), (claims.display, "display"),
    (claims.residual_stream, "direct"), (claims.block, "block"), (claims.score, "score"),
    (claims.mapped_score, "mapped score"),
):  # fmt: skip
    reads(_quantity, _part)


@measures(claims.mapped)
def mapped(point: Point, row: int, column: int) -> Measured:
    """An entry of the map of attended tokens."""
    return exactly(layer(point)["mapped"][row - 1, column - 1])


@remembered(maxsize=64)
def _after_steps(texts: Any, vocabulary: int, steps: int, rate: float) -> dict[str, Tensor]:
    """One layer with the leading terms after some steps, constants kept, and its attention block."""
    point = {sequences: texts, words: vocabulary}
    tokens, maps = tokens_of(point), statistics_at(point)
    lead = leading(maps, steps, rate)
    weights = Weights(lead.attention[None], lead.positions[None], lead.value[None], lead.output)
    inputs = one_hot(tokens[:, :-1], vocabulary)
    (attention,) = attentions(weights, inputs)
    attended = attention @ inputs
    return {
        "attended": attended, "model": output(weights, inputs),
        "block": attended @ maps.context.mT @ maps.interchangeability,
    }  # fmt: skip


def _reads_after_steps(quantity: Any, part: str) -> None:
    @measures(quantity, reach=EVERY_OUTPUT)
    def read(point: Point, text: int, row: int, column: int) -> Measured:
        setting = point[sequences], int(point[words]), int(point[s]), float(point[eta])
        return exactly(_after_steps(*setting)[part][text, row - 1, column - 1])


for _quantity, _part in (
    (claims.attended_with_constant, "attended"), (claims.output_with_constants, "model"),
    (claims.block_with_constant, "block"),
):  # fmt: skip
    _reads_after_steps(_quantity, _part)
