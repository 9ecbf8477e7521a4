"""Entries of the leading terms of attention weights and position scores in float64."""

from __future__ import annotations

from typing import Any

from claims.domain import Point
from claims.im2026 import score_norms as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.network import tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def of_corpus(tokens: Any, size: int) -> Statistics:
    """All statistics of a corpus, once for all entries."""
    return statistics(tokens_of({sequences: tokens}), size)


@measures(claims.by_words)
def by_words(point: Point, j: int, k: int) -> Measured:
    """An entry of the leading term of the attention weights."""
    found = of_corpus(tuple(point[sequences]), int(point[words])).words
    return Measured(float(found[j - 1, k - 1]), rounding(1.0))


@measures(claims.by_positions)
def by_positions(point: Point, m: int) -> Measured:
    """An entry of the leading term of the position scores."""
    found = of_corpus(tuple(point[sequences]), int(point[words])).positions
    return Measured(float(found[m - 1]), rounding(1.0))


@measures(claims.attention_map_norm)
def attention_map_norm(point: Point) -> Measured:
    """The squared Frobenius norm of the leading term of the attention weights."""
    found = of_corpus(tuple(point[sequences]), int(point[words])).words
    return Measured(float(found.square().sum()), rounding(1.0))
