"""Norms of the maps by matrices, and chances of meeting again by counting, in torch."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.im2026 import map_norms as claims
from numeric.agreement import Measured
from numeric.im2026.bigrams import exactly, matrix
from numeric.im2026.contexts import averages, centred_map
from numeric.im2026.interchangeability import pair_counts
from numeric.registry import measures


@measures(claims.bigram_norm)
def bigram_norm(point: Point) -> Measured:
    """Its squared Frobenius norm."""
    return exactly(matrix(point).square().sum())


@measures(claims.context_norm)
def context_norm(point: Point) -> Measured:
    """Its squared Frobenius norm."""
    return exactly(centred_map(point).square().sum())


def squares(counts: torch.Tensor) -> Measured:
    """The sum of squared shares."""
    return exactly((counts.double() / counts.sum()).square().sum())


@measures(claims.same_pair)
def same_pair(point: Point) -> Measured:
    """From counts of pairs."""
    return squares(pair_counts(point))


@measures(claims.same_word)
def same_word(point: Point) -> Measured:
    """From counts of tokens."""
    return squares(pair_counts(point).sum(1))


@measures(claims.pair_frequency)
def pair_frequency(point: Point, word: int, after: int) -> Measured:
    """Among all pairs of neighbours."""
    counts = pair_counts(point).double()
    return exactly(counts[word - 1, after - 1] / counts.sum())


@measures(claims.weighed_pairs)
def weighed_pairs(point: Point, after: int) -> Measured:
    """Pairs with a second word, weighed by how frequent the first is."""
    shares = pair_counts(point).double() / pair_counts(point).sum()
    return exactly(shares.sum(1) @ shares[:, after - 1])


@measures(claims.same_context)
def same_context(point: Point) -> Measured:
    """From shares of prefixes."""
    return exactly(averages(point).square().sum())


@measures(claims.same_prefix)
def same_prefix(point: Point) -> Measured:
    """The same, summed over current words."""
    return exactly(averages(point).sum(0).square().sum())
