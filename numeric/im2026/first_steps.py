"""Two steps of gradient descent from zero in float64, gradients by autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import first_steps as claims
from claims.im2026.notation import eta, sequences, words
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, statistics, uniform_attention
from numeric.im2026.network import (
    Weights,
    descent,
    gradients,
    one_hot,
    output,
    tokens_of,
    zero_start,
)
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _trained(tokens: Any, rate: Any, size: int) -> tuple[Tensor, tuple[Weights, ...], Statistics]:
    texts = tokens_of({sequences: tokens})
    start = zero_start(1, texts.shape[1] - 1, size)
    return texts, tuple(descent(start, texts, float(rate), 2)), statistics(texts, size)


def trained(point: Point) -> tuple[Tensor, tuple[Weights, ...], Statistics]:
    """The tokens, the weights after 0, 1 and 2 steps, and the statistics of the corpus."""
    return _trained(*key(point))


def entry(steps: int, part: str) -> Callable[..., Measured]:
    """The estimator of entries of a weight after some steps."""

    def read(point: Point, *places: int) -> Measured:
        weight = getattr(trained(point)[1][steps], part)
        layered = weight if part == "output" else weight[0]
        return Measured(
            float(layered[tuple(place - 1 for place in places)]), rounding(1.0, float(point[eta]))
        )

    return read


for _quantity, _steps, _part in (
    (claims.output_weight, 1, "output"),
    (claims.output_after_two, 2, "output"),
    (claims.attention_1, 1, "attention"),
    (claims.attention_2, 2, "attention"),
    (claims.value_1, 1, "value"),
    (claims.positions_1, 1, "positions"),
    (claims.positions_2, 2, "positions"),
):
    measures(_quantity)(entry(_steps, _part))


@measures(claims.bigram)
def bigram(point: Point, j: int, k: int) -> Measured:
    """An entry of the bigram map."""
    return Measured(float(trained(point)[2].bigram[j - 1, k - 1]), rounding(1.0))


@measures(claims.share)
def share(point: Point, j: int) -> Measured:
    """How often a word stands among the first tokens."""
    first = trained(point)[0][:, :-1]
    return Measured(float((first == j - 1).double().mean()), rounding(1.0))


@measures(claims.pair_share)
def pair_share(point: Point, j: int, _: int, k: int) -> Measured:
    """How often a word is followed by another one."""
    texts = trained(point)[0]
    both = (texts[:, :-1] == j - 1) & (texts[:, 1:] == k - 1)
    return Measured(float(both.double().mean()), rounding(1.0))


def inputs(point: Point) -> Tensor:
    """X_i, one-hot (sample, position, word)."""
    return one_hot(trained(point)[0][:, :-1], int(point[words]))


def logits(point: Point) -> Tensor:
    """F(X_i) after one step (sample, position, word)."""
    return output(trained(point)[1][1], inputs(point))


@measures(claims.logit, claims.probability, claims.looked_up)
def entries(point: Point, i: int, t: int, k: int) -> tuple[Measured, ...]:
    """Entries of F(X_i) and its softmax after one step, and of X_i times the bigram map."""
    width = rounding(1.0, float(point[eta]))
    return tuple(Measured(array[i][t - 1][k - 1], width) for array in _arrays(*key(point)))


@measures(claims.spread)
def spread(point: Point, i: int, t: int) -> Measured:
    """The range of the logits of a token."""
    row = _arrays(*key(point))[0][i][t - 1]
    return Measured(max(row) - min(row), rounding(1.0, float(point[eta])))


def key(point: Point) -> tuple[Any, ...]:
    """What tells corpora and learning rates apart."""
    return tuple(point[sequences]), point[eta], int(point[words])


@remembered(maxsize=64)
def _arrays(tokens: Any, rate: Any, size: int) -> tuple[Any, ...]:
    texts, weights, found = _trained(tokens, rate, size)
    x = one_hot(texts[:, :-1], size)
    f = output(weights[1], x)
    return f.tolist(), f.softmax(-1).tolist(), (x @ found.bigram).tolist()


def change(point: Point) -> Tensor:
    """S(F) - U_O after one step."""
    return logits(point).softmax(-1) - 1 / int(point[words])


@measures(claims.output_change, claims.looked_up_norm, claims.residual_change)
def of_a_sample(point: Point, i: int) -> tuple[Measured, ...]:
    """Norms of S(F) - U_O, of X_i times the bigram map, and of the change of the residual."""
    moved = change(point)[i].norm()
    norms = moved, (inputs(point)[i] @ trained(point)[2].bigram).norm(), moved
    return tuple(Measured(float(value), rounding(float(point[words]))) for value in norms)


@measures(claims.sample_gradient)
def sample_gradient(point: Point, i: int) -> Measured:
    """The change of one sequence's part of the gradient of the values."""
    x = inputs(point)[i]
    mixed = uniform_attention(len(x), x) @ x
    moved = float(point[eta]) * mixed.mT @ change(point)[i] @ trained(point)[2].bigram.mT
    return Measured(float(moved.norm()), rounding(1.0))


@measures(claims.output_gradient, claims.value_gradient, claims.output_error, claims.value_error)
def errors(point: Point) -> tuple[Measured, ...]:
    """Gradients at the second step and weights after it, less their leading terms."""
    texts, weights, found = trained(point)
    slopes, rate = gradients(weights[1], texts), float(point[eta])
    gaps = (
        slopes.output + found.bigram,
        slopes.value[0] + rate * found.value,
        weights[2].output - 2 * rate * found.bigram,
        weights[2].value[0] - rate**2 * found.value,
    )
    return tuple(Measured(float(gap.norm()), rounding(1.0, rate)) for gap in gaps)


@measures(claims.frequent)
def frequent(point: Point, j: int, k: int) -> Measured:
    """A row of the bigram map times how often its word stands among the first tokens."""
    texts, _, found = trained(point)
    often = (texts[:, :-1] == j - 1).double().mean()
    return Measured(float(often * found.bigram[j - 1, k - 1]), rounding(1.0))
