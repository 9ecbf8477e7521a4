"""Shares of prefixes by counting, and the context map, in torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import contexts as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured
from numeric.im2026.bigrams import exactly, statistics_at
from numeric.im2026.corpora import uniform_attention
from numeric.im2026.network import one_hot, tokens_of
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered


@remembered(maxsize=64)
def _tokens(texts: Any) -> Tensor:
    return tokens_of({sequences: texts})


@remembered(maxsize=64)
def _averages(texts: Any, vocabulary: int) -> Tensor:
    """(current, before): over pairs of positions m <= t, the share of sequences, weighed by 1/(tT)."""
    tokens = _tokens(texts)
    count, length = tokens.shape[0], tokens.shape[1] - 1
    total = torch.zeros(vocabulary * vocabulary, dtype=torch.float64, device=tokens.device)
    for t in range(1, length + 1):
        places = tokens[:, t, None] * vocabulary + tokens[:, :t]
        weight = torch.full(places.shape, 1 / (t * length * count), dtype=total.dtype)
        total.index_add_(0, places.flatten(), weight.flatten().to(total.device))
    return total.reshape(vocabulary, vocabulary)


def averages(point: Point) -> Tensor:
    """The mean over t and m of P(x_(t+1) = current, x_m = before)."""
    return _averages(point[sequences], int(point[words]))


@remembered(maxsize=64)
def _mixed(texts: Any, vocabulary: int) -> tuple[Tensor, Tensor, Tensor]:
    """A_0 X of each sequence; (1/NT) sum X^T A_0^T Y; the same with U_O for Y."""
    tokens = _tokens(texts)
    inputs, outputs = one_hot(tokens[:, :-1], vocabulary), one_hot(tokens[:, 1:], vocabulary)
    mixed = uniform_attention(inputs.shape[1], inputs) @ inputs
    scale = inputs.shape[0] * inputs.shape[1]
    uniform = torch.full_like(outputs, 1 / vocabulary)
    means = ((mixed.mT @ side).sum(0) / scale for side in (outputs, uniform))
    return (mixed, *means)  # type: ignore[return-value]


def mixed(point: Point) -> tuple[Tensor, Tensor, Tensor]:
    """Matrices of the point's corpus."""
    return _mixed(point[sequences], int(point[words]))


def centred_map(point: Point) -> Tensor:
    """The context map of the point's corpus."""
    _, before, uniform = mixed(point)
    return (before - uniform).mT


@measures(claims.context)
def context(point: Point, row: int, column: int) -> Measured:
    """An entry of the map."""
    return exactly(centred_map(point)[row - 1, column - 1])


@measures(claims.column_sum)
def column_sum(point: Point, column: int) -> Measured:
    """The sum of a column of the map."""
    return exactly(centred_map(point)[:, column - 1].sum())


@measures(claims.uncentred)
def uncentred(point: Point, row: int, column: int) -> Measured:
    """The same without centring, from matrices."""
    return exactly(mixed(point)[1][column - 1, row - 1])


@measures(claims.average)
def average(point: Point, row: int, column: int) -> Measured:
    """By counting sequences for each pair of positions."""
    return exactly(averages(point)[row - 1, column - 1])


@measures(claims.mu)
def mu(point: Point, column: int) -> Measured:
    """The mean over current words."""
    return exactly(averages(point)[:, column - 1].mean())


@measures(claims.prefix_share)
def prefix_share(point: Point, word: int) -> Measured:
    """The mean over positions of the share of a word in the tokens so far."""
    found = (_tokens(point[sequences])[:, :-1] == word - 1).double().cumsum(1)
    lengths = torch.arange(1, found.shape[1] + 1, device=found.device)
    return exactly((found / lengths).mean())


@measures(claims.uniform_by_counts)
def uniform_by_counts(point: Point, word: int) -> Measured:
    """Shares of a word in the tokens so far, spread over all words."""
    return exactly(prefix_share(point, word).value / int(point[words]))


@measures(claims.together)
def together(point: Point, current: int, before: int) -> Measured:
    """How often a word comes next and another one has occurred."""
    tokens = _tokens(point[sequences])
    seen = (tokens[:, :-1] == before - 1).cummax(1).values
    return exactly(((tokens[:, 1:] == current - 1) & seen).double().mean())


EVERY_POSITION = Reach(6, "one reading for every sequence, position and word")


@measures(claims.prefix_count, reach=EVERY_POSITION)
def prefix_count(point: Point, row: int, word: int, length: int) -> Measured:
    """How often a word occurs in the first tokens."""
    return exactly((_tokens(point[sequences])[row, :length] == word - 1).double().sum())


@measures(claims.mixed_entry, reach=EVERY_POSITION)
def mixed_entry(point: Point, row: int, word: int, length: int) -> Measured:
    """An entry of the matrix product."""
    return exactly(mixed(point)[0][row, length - 1, word - 1])


@measures(claims.by_counts)
def by_counts(point: Point, current: int, before: int) -> Measured:
    """Shares of prefixes, summed over the tokens that come next."""
    tokens = _tokens(point[sequences])
    found = (tokens[:, :-1] == before - 1).double().cumsum(1)
    shares = found / torch.arange(1, found.shape[1] + 1, device=found.device)
    return exactly((shares * (tokens[:, 1:] == current - 1)).mean())


@measures(claims.uniform_entry)
def uniform_entry(point: Point, row: int, column: int) -> Measured:
    """An entry of U_P."""
    return exactly(mixed(point)[2][row - 1, column - 1])


@measures(claims.uniform_row_sum)
def uniform_row_sum(point: Point, row: int) -> Measured:
    """The sum of a row of U_P."""
    return exactly(mixed(point)[2][row - 1].sum())


@measures(claims.uncentred_row_sum)
def uncentred_row_sum(point: Point, row: int) -> Measured:
    """The sum of a row of the uncentred map, prefix words in rows."""
    return exactly(mixed(point)[1][row - 1].sum())


def arrows(point: Point) -> Tensor:
    """P(before -> current) less its mean over current words: (current, before)."""
    return averages(point) - averages(point).mean(0)


@measures(claims.centred_arrow)
def centred_arrow(point: Point, before: int, current: int) -> Measured:
    """One of them."""
    return exactly(arrows(point)[current - 1, before - 1])


@measures(claims.composed)
def composed(point: Point, row: int, column: int) -> Measured:
    """An entry of the product of the two maps."""
    found = statistics_at(point)
    return exactly((found.interchangeability @ found.context)[row - 1, column - 1])


@measures(claims.chain_into, claims.chain_out_of)
def chains(point: Point, start: int, end: int) -> tuple[Measured, Measured]:
    """A row of the interchangeability map with arrows into a word, and out of it."""
    row, found = statistics_at(point).interchangeability[start - 1], arrows(point)
    return exactly(row @ found[end - 1]), exactly(row @ found[:, end - 1])


@measures(claims.path_average)
def paths(point: Point, start: int, end: int) -> Measured:
    """Products of the weights of paths of two steps, averaged."""
    found = statistics_at(point)
    products = found.interchangeability[start - 1] * found.context[:, end - 1]
    return exactly(products.mean())
