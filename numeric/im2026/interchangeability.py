"""The interchangeability map and similarities of previous tokens, in torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import interchangeability as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured
from numeric.im2026.bigrams import exactly, following, share, statistics_at
from numeric.im2026.network import tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _counted(texts: Any, vocabulary: int) -> Tensor:
    """How often each word follows each, pair by pair."""
    tokens = tokens_of({sequences: texts})
    places = tokens[:, :-1] * vocabulary + tokens[:, 1:]
    return torch.bincount(places.flatten(), minlength=vocabulary**2).reshape(-1, vocabulary)


def pair_counts(point: Point) -> Tensor:
    """Counts of pairs (word, next word)."""
    return _counted(point[sequences], int(point[words]))


@measures(claims.sigma)
def sigma(point: Point, row: int, column: int) -> Measured:
    """An entry of the matrix product."""
    return exactly(statistics_at(point).interchangeability[row - 1, column - 1])


@measures(claims.sigma_uncentred)
def sigma_uncentred(point: Point, row: int, column: int) -> Measured:
    """The same without centring, from counts of pairs."""
    shares = pair_counts(point).double() / pair_counts(point).sum()
    return exactly(shares[:, row - 1] @ shares[:, column - 1])


@measures(claims.next_frequency)
def next_frequency(point: Point, word: int) -> Measured:
    """Among the tokens of Y."""
    return share(tokens_of(point)[:, 1:].flatten() == word - 1)


@measures(claims.previous)
def previous(point: Point, before: int, word: int) -> Measured:
    """Among the tokens before a word."""
    tokens = tokens_of(point)
    return share(tokens[:, :-1][tokens[:, 1:] == word - 1] == before - 1)


@measures(claims.similarity)
def similarity(point: Point, one: int, other: int) -> Measured:
    """The inner product of two previous-token distributions."""
    counts = pair_counts(point).double()
    shares = counts / counts.sum(0).clamp(min=1)
    return exactly(shares[:, one - 1] @ shares[:, other - 1])


@measures(claims.centred_following)
def centred_following(point: Point, word: int, after: int) -> Measured:
    """A next-token share less 1/|V|."""
    return exactly(following(point, word, after).value - 1 / int(point[words]))


@measures(claims.weighted_similarity)
def weighted_similarity(point: Point, one: int, other: int) -> Measured:
    """Centred next-token distributions, weighed by squared frequencies of their words."""
    counts = pair_counts(point).double()
    occurs = counts.sum(1, keepdim=True)
    centred = counts / occurs.clamp(min=1) - 1 / len(counts)
    weights = (occurs[:, 0] / occurs.sum()).square()
    return exactly((weights * centred[:, one - 1] * centred[:, other - 1]).sum())
