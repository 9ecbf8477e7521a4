"""Scores, centred scores and their averages in torch, from the definitions."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import attention_scores as claims
from claims.im2026.notation import words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.corpora import Statistics, statistics, uniform_attention
from numeric.im2026.network import one_hot, times_softmax_jacobians, tokens_of
from numeric.reach import WRITTEN_OUT
from numeric.registry import directly, measures
from numeric.remembered import remembered

EXACTLY = rounding(1.0)


@remembered(maxsize=64)
def _made(
    tokens: tuple[tuple[int, ...], ...], count: int
) -> tuple[Tensor, Tensor, Tensor, Statistics]:
    """Scores, scores without the baseline, centred scores (sample, output, input), all statistics."""
    whole = torch.tensor(tokens)
    found = statistics(whole, count)
    x, y = one_hot(whole[:, :-1], count), one_hot(whole[:, 1:], count)
    feature = found.interchangeability @ found.context
    bare, score = (rows @ feature @ x.mT for rows in (y, y - 1 / count))
    weights = uniform_attention(x.shape[1], x)
    weighed = weights * score  # by diag(a) - a a^T of every row a, without T of these matrices
    return score, bare, weighed - weights * weighed.sum(dim=-1, keepdim=True), found


def made(point: Point) -> tuple[Tensor, Tensor, Tensor, Statistics]:
    tokens = tuple(map(tuple, tokens_of(point).tolist()))
    return _made(tokens, int(point[words]))


def _entry(matrix: Tensor, *places: int) -> Measured:
    return Measured(float(matrix[places]), EXACTLY)


@measures(claims.score, reach=WRITTEN_OUT)
def score(point: Point, i: int, t: int, m: int) -> Measured:
    return _entry(made(point)[0], i, t - 1, m - 1)


@measures(claims.based, reach=WRITTEN_OUT)
def based(point: Point, i: int, t: int, m: int) -> Measured:
    return _entry(made(point)[0], i, t - 1, m - 1)


@measures(claims.centred, reach=WRITTEN_OUT)
def centred(point: Point, i: int, t: int, m: int) -> Measured:
    return _entry(made(point)[2], i, t - 1, m - 1)


@directly(claims.rows_sum_to_zero)
def row_sums(point: Point) -> Measured:
    """Row sums of the centred scores, sequence by sequence."""
    return Measured(made(point)[2].sum(-1).flatten()[:, None], EXACTLY)


@directly(claims.word_pairs, claims.word_map_by_the_recipe, reach=WRITTEN_OUT)
def word_map(point: Point) -> Measured:
    r"""$\bar Q$."""
    return Measured(made(point)[3].words, EXACTLY)


@directly(claims.scores_by_distance, reach=WRITTEN_OUT)
def position_map(point: Point) -> Measured:
    r"""$\Delta$."""
    return Measured(made(point)[3].positions[:, None], EXACTLY)


@directly(claims.scores_of_pairs, claims.baseline_changes_nothing, reach=WRITTEN_OUT)
def stacked_scores(point: Point) -> Measured:
    """All scores, sequence by sequence."""
    return Measured(made(point)[0].flatten(0, 1), EXACTLY)


@directly(claims.norm_of_a_uniform_row)
def norm_of_the_jacobian(point: Point) -> Measured:
    """The largest singular value."""
    length = int(point[claims.length])
    row = torch.full((length,), 1 / length, dtype=torch.float64)
    return Measured(float(torch.linalg.matrix_norm(row.diag() - row.outer(row), 2)), EXACTLY)


def _einsum(point: Point) -> Tensor:
    """diag(a) - a a^T of every row a of uniform attention, times the same row of the matrix."""
    matrix = tensor(point[claims.M])
    return times_softmax_jacobians(uniform_attention(len(matrix), matrix), matrix)


@measures(claims.whole, claims.columns, claims.rows)
def norms_of_the_einsum(point: Point) -> tuple[Measured, ...]:
    """The squared norm, the sum of the norms of columns and that of the squared norms of rows."""
    matrix = _einsum(point)
    squares = matrix.square()
    found = (squares.sum(), matrix.norm(dim=0).sum(), squares.sum(dim=1).sum())
    return tuple(Measured(float(value), rounding(value)) for value in found)
