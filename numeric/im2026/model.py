"""Attention weights, the loss, and one step of gradient descent, in torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import model as claims
from claims.im2026.backpropagation import (
    ATTENTION,
    ATTENTION_STACK,
    OUTPUT,
    POSITION_STACK,
    POSITIONS,
    VALUE_STACK,
    VALUES,
    layer_of,
)
from claims.im2026.notation import T, depth, eta, sequences, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026 import network
from numeric.im2026.backpropagation import SMALL, intermediate, weights_of
from numeric.im2026.network import Weights, one_hot, position_matrix, tokens_of
from numeric.reach import WRITTEN_OUT, Reach
from numeric.registry import directly, measures
from numeric.remembered import remembered

ENTRIES = Reach(4, "an entry of a product is written out over the entries of its factors")
ONE, MANY = (ATTENTION, POSITIONS, VALUES), (ATTENTION_STACK, POSITION_STACK, VALUE_STACK)


def _passed(point: Point) -> tuple[dict[Any, Tensor], float]:
    """What the forward pass of a point computes, by name and layer, and a bound on its rounding."""
    kept = (sequences, OUTPUT, depth, words, *ONE, *MANY)
    return _of_values(tuple((symbol, point[symbol]) for symbol in kept if symbol in point))


@remembered(maxsize=64)
def _of_values(values: tuple[tuple[Any, Any], ...]) -> tuple[dict[Any, Tensor], float]:
    point = dict(values)
    weights, tokens = weights_of(point), tokens_of(point)
    inputs = one_hot(tokens[:, :-1], int(point[words]))
    states = network.hidden_states(weights, inputs)
    found: dict[Any, Tensor] = {("hidden", place): state for place, state in enumerate(states)}
    for place, attention in enumerate(network.attentions(weights, inputs)):
        scores = states[place] @ weights.attention[place] @ states[place].mT
        found["logits", place + 1] = scores + position_matrix(weights.positions[place])
        found["attention", place + 1] = attention
        found["mixed", place + 1] = attention @ states[place]
    found["output", 0] = network.output(weights, inputs)
    return found, rounding(intermediate(weights, tokens)[1])


def _attention(point: Point) -> tuple[Tensor, float]:
    """The attention of the point's layer, and a bound on its rounding."""
    found, error = _passed(point)
    return found["attention", layer_of(point)], error


def _reads(quantity: Any, what: str, place: Callable[[Point], int]) -> None:
    """An entry of what the forward pass computes."""

    @measures(quantity, reach=ENTRIES)
    def read(point: Point, i: int, t: int, m: int) -> Measured:
        found, error = _passed(point)
        return Measured(float(found[what, place(point)][i, t - 1, m - 1]), error)


_reads(claims.logit, "logits", layer_of)
_reads(claims.first, "hidden", lambda point: 0)
_reads(claims.before, "hidden", lambda point: layer_of(point) - 1)
_reads(claims.mixed, "mixed", layer_of)
_reads(claims.after, "hidden", layer_of)
_reads(claims.last, "hidden", lambda point: int(point[depth]))
_reads(claims.output, "output", lambda point: 0)


@measures(claims.weight, reach=WRITTEN_OUT)
def weight(point: Point, i: int, t: int, m: int) -> Measured:
    """An entry of the attention; none is below zero, and what the mask hides is zero exactly."""
    found, error = _attention(point)
    value = float(found[i, t - 1, m - 1])
    return Measured(value, min(error, value / 2))


@measures(claims.row_sum, reach=WRITTEN_OUT)
def row_sum(point: Point, i: int, t: int) -> Measured:
    found, error = _attention(point)
    return Measured(float(found[i, t - 1].sum()), error)


@directly(claims.loss_at_zero, reach=SMALL)
def losses(point: Point) -> Measured:
    """Cross-entropy with the point's weights, and with none."""
    weights, tokens = weights_of(point), tokens_of(point)
    blank = network.zero_start(int(point[depth]), int(point[T]), int(point[words]))
    values = tuple(float(network.loss(w, tokens)) for w in (weights, blank))
    _, largest = intermediate(weights, tokens)
    return Measured(values, rounding(largest**2))


@directly(claims.one_step_of_descent, reach=SMALL)
def weights_after_one_step(point: Point) -> Measured:
    """Full-batch gradient descent, once, from the point's weights."""
    weights, tokens = weights_of(point), tokens_of(point)
    *_, after = network.descent(weights, tokens, float(point[eta]), 1)
    place = layer_of(point) - 1
    layers = (after.value[place], after.attention[place], after.positions[place][:, None])
    _, largest = intermediate(weights, tokens)
    found = tuple(map(torch.clone, (after.output, *layers)))
    return Measured(found, rounding(float(point[eta]) * largest**3))


@measures(claims.shifted_weight, reach=WRITTEN_OUT)
def shifted_weight(point: Point, i: int, t: int, m: int) -> Measured:
    """An entry of the attention with both shifts added to the weights."""
    moved = weights_of(point).moved(_shift(point), 1.0)
    tokens = tokens_of(point)
    found = network.attentions(moved, one_hot(tokens[:, :-1], int(point[words])))[0]
    return Measured(float(found[i, t - 1, m - 1]), rounding(16.0))


def _shift(point: Point) -> Weights:
    """u in every column of W, and c everywhere in P."""
    count, length = int(point[words]), int(point[T])
    blank = network.zero_start(1, length, count)
    rows = tensor(point[claims.by_rows])
    return replace(
        blank,
        attention=rows.expand(-1, count)[None],
        positions=blank.positions + float(point[claims.by_all]),
    )
