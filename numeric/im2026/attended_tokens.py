"""Covariances of logits and scores over the tokens of a prefix, in torch."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import attended_tokens as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured
from numeric.im2026.attention_scores import made
from numeric.im2026.bigrams import exactly, statistics_at
from numeric.im2026.corpora import uniform_attention
from numeric.im2026.network import one_hot, position_matrix, tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _covariances(texts: Any, vocabulary: int) -> Tensor:
    """(sequence, position)."""
    point = {sequences: texts, words: vocabulary}
    maps, score = statistics_at(point), made(point)[0]
    x = one_hot(tokens_of(point)[:, :-1], vocabulary)
    logits = x @ maps.words @ x.mT + position_matrix(maps.positions)
    mean = uniform_attention(x.shape[1], x)
    return (mean * logits * score).sum(-1) - (mean * logits).sum(-1) * (mean * score).sum(-1)


def covariances(point: Point) -> Tensor:
    """Of the point's corpus."""
    return _covariances(point[sequences], int(point[words]))


@measures(claims.covariance)
def covariance(point: Point, text: int, place: int) -> Measured:
    """Of one token."""
    return exactly(covariances(point)[text, place - 1])


@measures(claims.mean_covariance)
def mean_covariance(point: Point) -> Measured:
    """Over all tokens."""
    return exactly(covariances(point).mean())


@measures(claims.position_map_norm)
def position_map_norm(point: Point) -> Measured:
    """The squared norm of the leading term of the position scores."""
    return exactly(statistics_at(point).positions.square().sum())
