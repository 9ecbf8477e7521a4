"""Frequencies of tokens and pairs by counting, and the bigram map, in torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import bigrams as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.network import one_hot, tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _statistics(texts: Any, vocabulary: int) -> Statistics:
    return statistics(tokens_of({sequences: texts}), vocabulary)


def statistics_at(point: Point) -> Statistics:
    """All statistics of the point's corpus."""
    return _statistics(point[sequences], int(point[words]))


def exactly(value: Tensor | float) -> Measured:
    """A mean of numbers of order one, computed in float64."""
    return Measured(float(value), rounding(1.0))


def share(found: Tensor) -> Measured:
    """How many of them are true; zero where there are none."""
    return exactly(found.double().mean() if len(found) else 0.0)


@remembered(maxsize=64)
def _matrix(texts: Any, vocabulary: int) -> Tensor:
    """(1/NT) sum_i X_i^T (Y_i - U_O), by matrices."""
    tokens = tokens_of({sequences: texts})
    inputs, targets = (
        one_hot(part, vocabulary).flatten(0, 1) for part in (tokens[:, :-1], tokens[:, 1:])
    )
    return inputs.mT @ (targets - 1 / vocabulary) / len(inputs)


def matrix(point: Point) -> Tensor:
    """The bigram map of the point's corpus."""
    return _matrix(point[sequences], int(point[words]))


@measures(claims.bigram)
def bigram(point: Point, row: int, column: int) -> Measured:
    """An entry of the matrix."""
    return exactly(matrix(point)[row - 1, column - 1])


@measures(claims.row_sum)
def row_sum(point: Point, row: int) -> Measured:
    """The sum of a row of the matrix."""
    return exactly(matrix(point)[row - 1].sum())


@measures(claims.frequency)
def frequency(point: Point, word: int) -> Measured:
    """Among the tokens of X."""
    return share(tokens_of(point)[:, :-1].flatten() == word - 1)


@measures(claims.following)
def following(point: Point, word: int, after: int) -> Measured:
    """Among the tokens after a word."""
    tokens = tokens_of(point)
    return share(tokens[:, 1:][tokens[:, :-1] == word - 1] == after - 1)


@measures(claims.leading_output)
def leading_output(point: Point, word: int, column: int) -> Measured:
    """A one-hot row times the matrix."""
    found = matrix(point)
    unit = torch.eye(len(found), dtype=found.dtype, device=found.device)[word - 1]
    return exactly((unit @ found)[column - 1])
