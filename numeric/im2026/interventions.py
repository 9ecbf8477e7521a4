"""Losses after the part along its leading term is taken out of a weight."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from claims.domain import Point
from claims.im2026 import interventions as claims
from claims.im2026.notation import eta, s
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, generated, statistics
from numeric.im2026.network import Weights, descent, loss, zero_start
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import stream

__all__ = ["without", "without_each"]

WORDS, LENGTH, SEQUENCES, RATE, STEPS = 40, 16, 64, 1.0, 48


def without(weight: Tensor, direction: Tensor) -> Tensor:
    """A weight less its projection on a direction."""
    return weight - (weight * direction).sum() / direction.square().sum() * direction


def without_each(weights: Weights, maps: Statistics) -> dict[str, list[Weights]]:
    """The weights with one of them changed: attention and values by layer, and the output."""

    def changed(name: str, place: int, direction: Tensor) -> Weights:
        layers: Tensor = getattr(weights, name).clone()
        layers[place] = without(layers[place], direction)
        return replace(weights, **{name: layers})

    places = range(weights.depth)
    return {
        "W": [changed("attention", place, maps.words) for place in places],
        "V": [changed("value", place, maps.value) for place in places],
        "W_O": [replace(weights, output=without(weights.output, maps.bigram))],
    }


@remembered(maxsize=8)
def _losses(kind: str) -> dict[str, list[float]]:
    rng = stream("im2026", "interventions", kind)
    tokens = generated(kind, rng, SEQUENCES, LENGTH, WORDS)
    *_, last = descent(zero_start(claims.LAYERS, LENGTH, WORDS), tokens, RATE, STEPS)
    changed = without_each(last, statistics(tokens, WORDS))
    return {name: [float(loss(w, tokens)) for w in each] for name, each in changed.items()}


def _loss(point: Point, weight: str, layer: int) -> Measured:
    return Measured(_losses(str(point[claims.text]))[weight][layer - 1], rounding(1.0))


@measures(claims.loss_without["W"])
def loss_without_attention(point: Point, layer: int) -> Measured:
    """The loss without the leading term of W."""
    return _loss(point, "W", layer)


@measures(claims.loss_without["V"])
def loss_without_value(point: Point, layer: int) -> Measured:
    """The loss without the leading term of V."""
    return _loss(point, "V", layer)


@measures(claims.loss_without_output)
def loss_without_the_output(point: Point) -> Measured:
    """The loss without the leading term of W_O."""
    return _loss(point, "W_O", 1)


def _order(power: int) -> None:
    """The order of one kind of update, a power of s eta."""
    quantity = {
        1: claims.order_of_outputs, 2: claims.order_of_values, 4: claims.order_of_attention
    }[power]  # fmt: skip

    def order(point: Point) -> Measured:
        """A power of the steps times the rate."""
        value = (float(point[s]) * float(point[eta])) ** power
        return Measured(value, rounding(value))

    measures(quantity)(order)


for _power in (1, 2, 4):
    _order(_power)
