"""Leading terms of a second corpus, and of attention by counts of words, in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import compositions as claims
from claims.im2026.notation import sequences, words
from numeric.agreement import Measured
from numeric.im2026.bigrams import exactly, statistics_at
from numeric.im2026.corpora import Statistics
from numeric.im2026.network import one_hot, tokens_of
from numeric.registry import measures
from numeric.remembered import remembered


def _of_the_other(quantity: Any, matrix: Callable[[Statistics], Tensor]) -> None:
    def entry(point: Point, *places: int) -> Measured:
        """An entry of a map of the second corpus."""
        found = matrix(statistics_at(claims.in_the_other(point)))
        return exactly(found[tuple(place - 1 for place in places)])

    measures(quantity)(entry)


for _quantity, _matrix in (
    (claims.other_bigram, lambda found: found.bigram),
    (claims.other_context, lambda found: found.context),
    (claims.other_value, lambda found: found.value),
    (claims.other_words, lambda found: found.words),
    (claims.other_positions, lambda found: found.positions),
):
    _of_the_other(_quantity, _matrix)


@remembered(maxsize=64)
def _by_counts(texts: Any, vocabulary: int) -> tuple[Tensor, Tensor]:
    """Sums over words a, b of the composed feature times counts, for two words and for a distance."""
    tokens = tokens_of({sequences: texts})
    x = one_hot(tokens, vocabulary)
    length = x.shape[1] - 1
    found = statistics_at({sequences: texts, words: vocabulary})
    feature = found.interchangeability @ found.context
    by_word, by_place = torch.zeros_like(feature), torch.zeros_like(x[0, :-1, 0])
    for t in range(1, length + 1):
        prefix, after = x[:, :t], x[:, t] - 1 / vocabulary
        share = prefix.mean(1)
        second = torch.diag_embed(share) - share[:, :, None] * share[:, None, :]
        scored = torch.einsum("ia,ab,ikb->ik", after, feature, second)
        by_word += x[:, t - 1].mT @ scored
        gaps = torch.einsum("ia,ab,imb->m", after, feature, prefix - share[:, None]) / t
        by_place[:t] += gaps.flip(0)
    count = len(x) * length
    return by_word / count, by_place / count


@measures(claims.by_current)
def by_current(point: Point, current: int, before: int) -> Measured:
    """For a current word and a prefix word."""
    found, _ = _by_counts(point[sequences], int(point[words]))
    return exactly(found[current - 1, before - 1])


@measures(claims.by_distance)
def by_distance(point: Point, distance: int) -> Measured:
    """For a distance of positions, counted from one."""
    _, found = _by_counts(point[sequences], int(point[words]))
    return exactly(found[distance - 1])
