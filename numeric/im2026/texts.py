"""Networks trained on texts that the project generates, at the points of a domain."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from claims.domain import Point
from claims.im2026.leading_terms import text
from claims.im2026.notation import N, T, depth, eta, words
from numeric.im2026.corpora import Statistics, generated, statistics
from numeric.im2026.network import Weights, descent, gaussian_start
from numeric.remembered import remembered
from numeric.sampling import stream

__all__ = ["statistics_at", "tokens_at", "weights_after"]


@remembered(maxsize=256)
def _text(kind: str, count: int, length: int, vocabulary: int) -> tuple[Tensor, Statistics]:
    rng = stream("im2026", "text", kind, count, length, vocabulary)
    tokens = generated(kind, rng, count, length, vocabulary)
    return tokens, statistics(tokens, vocabulary)


def _of(point: Point) -> tuple[Tensor, Statistics]:
    return _text(str(point[text]), int(point[N]), int(point[T]), int(point[words]))


def tokens_at(point: Point) -> Tensor:
    """The text of a point: tokens (sample, position)."""
    return _of(point)[0]


def statistics_at(point: Point) -> Statistics:
    """Its statistics."""
    return _of(point)[1]


def _first_weights(point: Point) -> Weights:
    """Gaussian, as large as Theorem D.13 admits."""
    sizes = int(point[depth]), int(point[T]), int(point[words])
    rng = stream("im2026", "start", *sizes)
    return gaussian_start(rng, *sizes, v=float(point[eta]) ** 2 / sizes[1] ** 2)


class _Run:
    """Weights by step, trained as far as they are asked for."""

    def __init__(self, point: Point):
        self.steps: list[Weights] = []
        self.descent: Iterator[Weights] = descent(
            _first_weights(point), tokens_at(point), float(point[eta]), 10**9
        )

    def after(self, step: int) -> Weights:
        while len(self.steps) <= step:
            self.steps.append(next(self.descent))
        return self.steps[step]


_SETTING = (text, N, T, words, depth, eta)


@remembered(maxsize=64)
def _run(setting: tuple[object, ...]) -> _Run:
    return _Run(dict(zip(_SETTING, setting, strict=True)))


def weights_after(point: Point, step: int) -> Weights:
    """The weights of a point's network after a number of steps."""
    return _run(tuple(point[symbol] for symbol in _SETTING)).after(step)
