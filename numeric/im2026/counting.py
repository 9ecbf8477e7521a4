r"""The statistics of a large text, by counting: what `corpora.statistics` does with one-hot matrices.

Memory is that of a few matrices over the vocabulary and of `PAIRS` pairs of positions at a time.
"""

from __future__ import annotations

import torch
from torch import Tensor

from numeric.im2026.corpora import Statistics, uniform_attention

__all__ = ["counted"]

PAIRS = 2**22


def counted(tokens: Tensor, words: int) -> Statistics:
    r"""$\bar B,\bar\Phi,\bar Q,\Delta$ of tokens (sample, position)."""
    count, length = tokens.shape[0], tokens.shape[1] - 1
    weight = 1.0 / (count * length)
    mixing = uniform_attention(length, tokens)
    parts = tokens.split(max(1, PAIRS // length**2))
    bigram, context = _Table(words, tokens), _Table(words, tokens)
    for part in parts:
        x, y = part[:, :-1], part[:, 1:]
        bigram.add(x, y, torch.full_like(x, weight, dtype=torch.float64))
        context.add(y[:, :, None], x[:, None, :], weight * mixing)
    first = bigram.total - bigram.total.sum(1, keepdim=True) / words
    second = context.total - context.total.sum(0, keepdim=True) / words
    feature = first.mT @ first @ second
    feature = feature - feature.mean(0, keepdim=True)  # rows of Y - U_O times the feature
    by_words, mean = _Table(words, tokens), torch.zeros_like(mixing)
    for part in parts:
        x, y = part[:, :-1], part[:, 1:]
        scores = feature[y[:, :, None], x[:, None, :]]
        centred = weight * mixing * (scores - (mixing * scores).sum(-1, keepdim=True))
        by_words.add(x[:, :, None], x[:, None, :], centred)
        mean += centred.sum(0)
    positions = torch.stack([mean.diagonal(-m).sum() for m in range(length)])
    return Statistics(first, second, by_words.total, positions)


class _Table:
    """Sums of weights by row and column."""

    def __init__(self, words: int, like: Tensor):
        self.total = torch.zeros(words, words, dtype=torch.float64, device=like.device)

    def add(self, rows: Tensor, columns: Tensor, weights: Tensor) -> None:
        """Add weights at places; the three shapes are broadcast."""
        rows, columns, weights = torch.broadcast_tensors(rows, columns, weights)
        places = (rows * self.total.shape[1] + columns).flatten()
        self.total.view(-1).index_add_(0, places, weights.flatten())
