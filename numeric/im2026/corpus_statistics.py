r"""$\bar B,\bar\Phi,\bar Q$ and $\Delta$ of a corpus of any size, streamed over its sequences.

A token meets each token of its prefix once, so that a sequence has T(T + 1)/2 pairs of positions.  They
are listed for some sequences at a time, and everything is a weighted count over them or a value gathered for
them: no one-hot rows, and beside the maps themselves (word, word) no memory that grows with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from claims.errors import UserError

__all__ = ["Statistics", "statistics", "uniform_attention"]

PAIRS = 2**18
"""Pairs of positions at a time: eight times as many bytes for each of a handful of arrays."""
BLOCK = 10
"""Positions t at a time; of their pairs some are later than t, which weigh nothing."""


@dataclass(frozen=True)
class Statistics:
    r"""$\bar B,\bar\Phi,\bar Q$ (word, word) and $\Delta$ (position): means over samples and positions."""

    bigram: Tensor
    context: Tensor
    words: Tensor
    positions: Tensor

    @property
    def interchangeability(self) -> Tensor:
        r"""$\Sigma_{\bar B}=\bar B^\top\bar B$."""
        return self.bigram.mT @ self.bigram

    @property
    def value(self) -> Tensor:
        r"""$\bar\Phi^\top\bar B^\top$, the leading term of the value matrix."""
        return self.context.mT @ self.bigram.mT


def statistics(tokens: Tensor, words: int) -> Statistics:
    """All four from tokens (sample, position), counted from zero, and the size of the vocabulary."""
    _require_corpus(tokens, words)
    bigram, context = _maps(tokens, words)
    by_words, positions = _scores(tokens, bigram.mT @ (bigram @ context))
    return Statistics(bigram, context, by_words, positions)


def _require_corpus(tokens: Tensor, words: int) -> None:
    if tokens.ndim != 2:
        raise UserError(
            f"tokens of shape {tuple(tokens.shape)}: must be (sample, position); stack the sequences"
        )
    if tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
        raise UserError(f"tokens of type {tokens.dtype}: must be integers; give ids, not logits")
    if not len(tokens):
        raise UserError("tokens: 0 sequences: must be at least 1; give a corpus that is not empty")
    if tokens.shape[1] < 2:
        raise UserError(
            f"sequences of {tokens.shape[1]} tokens: must have at least 2, a token and the next one; "
            "drop shorter sequences"
        )
    least, most = (int(end) for end in tokens.aminmax())
    if least < 0:
        raise UserError(f"token {least}: must be at least 0; count words from zero")
    if most >= words:
        raise UserError(
            f"token {most}: must be below the size of the vocabulary, {words}; "
            f"give a vocabulary of at least {most + 1} words, or drop the sequences with rarer ones"
        )


def uniform_attention(length: int, like: Tensor) -> Tensor:
    """A_0: row t averages the first t tokens."""
    weights = torch.ones(length, length, dtype=torch.float64, device=like.device).tril()
    return weights / weights.sum(1, keepdim=True)


def _blocks(tokens: Tensor) -> Iterator[tuple[Tensor, slice, slice]]:
    """Some sequences, some positions t of theirs, and all positions that are no later.

    With t fixed, neighbours in memory are words of one prefix: they share a row of a map.
    """
    length = tokens.shape[1] - 1
    for batch in tokens.split(max(1, PAIRS // (BLOCK * length))):
        for start in range(0, length, BLOCK):
            end = min(start + BLOCK, length)
            yield batch.long(), slice(start, end), slice(0, end)


def _empty(words: int, tokens: Tensor) -> Tensor:
    """Nothing counted yet, for every pair of words."""
    return torch.zeros(words * words, dtype=torch.float64, device=tokens.device)


def _places(rows: Tensor, columns: Tensor, words: int) -> Tensor:
    """Where (row, column) stands in a map, for every t and every position of its prefix."""
    return (rows * words)[:, :, None] + columns[:, None, :]


def _maps(tokens: Tensor, words: int) -> tuple[Tensor, Tensor]:
    """The bigram map and the context map: counts of pairs, centred."""
    count, length = tokens.shape[0], tokens.shape[1] - 1
    follow, before = _empty(words, tokens), _empty(words, tokens)
    mixing = uniform_attention(length, tokens)
    for batch, now, prefix in _blocks(tokens):
        inputs, targets = batch[:, :-1], batch[:, 1:][:, now]
        pairs = (inputs[:, now] * words + targets).flatten()
        follow.scatter_add_(0, pairs, torch.ones_like(pairs, dtype=torch.float64))
        places = _places(targets, inputs[:, prefix], words)
        shares = mixing[now, prefix].expand_as(places)
        before.scatter_add_(0, places.flatten(), shares.flatten())
    follow, before = (total.reshape(words, words) / (count * length) for total in (follow, before))
    return follow - follow.mean(1, keepdim=True), before - before.mean(0)


def _scores(tokens: Tensor, feature: Tensor) -> tuple[Tensor, Tensor]:
    """Centred scores of prefix tokens, by words and by differences of positions.

    A score (Y - U) feature X^T is an entry of the feature with its columns centred.
    """
    words, count, length = len(feature), tokens.shape[0], tokens.shape[1] - 1
    centred = (feature - feature.mean(0)).flatten()
    mixing = uniform_attention(length, tokens)
    by_words, by_pair = _empty(words, tokens), torch.zeros_like(mixing)
    for batch, now, prefix in _blocks(tokens):
        inputs, targets = batch[:, :-1], batch[:, 1:][:, now]
        found = centred.take(_places(targets, inputs[:, prefix], words))
        weights = mixing[now, prefix]
        found -= torch.einsum("itm,tm->it", found, weights)[:, :, None]
        found *= weights
        by_pair[now, prefix] += found.sum(0)
        places = _places(inputs[:, now], inputs[:, prefix], words)
        by_words.scatter_add_(0, places.flatten(), found.flatten())
    positions = torch.stack([by_pair.diagonal(-m).sum() for m in range(length)])
    return by_words.reshape(words, words) / (count * length), positions / (count * length)
