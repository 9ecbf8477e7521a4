r"""Corpora that the project generates, and their statistics $\bar B,\bar\Phi,\bar Q,\Delta$ in torch.

A text is a tensor of tokens (sample, position), T + 1 positions long, tokens from zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from numeric.im2026.network import one_hot

__all__ = ["KINDS", "Statistics", "generated", "statistics", "uniform_attention"]


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


def uniform_attention(length: int, like: Tensor) -> Tensor:
    """A_0: row t averages the first t tokens."""
    weights = torch.ones(length, length, dtype=torch.float64, device=like.device).tril()
    return weights / weights.sum(1, keepdim=True)


def statistics(tokens: Tensor, words: int) -> Statistics:
    """All four from tokens (sample, position), from their definitions in matrices."""
    inputs, targets = one_hot(tokens[:, :-1], words), one_hot(tokens[:, 1:], words)
    count, length, _ = inputs.shape
    residual = targets - 1 / words
    mixing = uniform_attention(length, inputs)
    bigram = torch.einsum("itj,itk->jk", inputs, residual) / (count * length)
    context = torch.einsum("itk,tm,imj->kj", residual, mixing, inputs) / (count * length)
    feature = bigram.mT @ bigram @ context
    scores = residual @ feature @ inputs.mT
    centred = mixing * (scores - (mixing * scores).sum(-1, keepdim=True))
    by_words = torch.einsum("itj,itm,imk->jk", inputs, centred, inputs) / (count * length)
    mean = centred.sum(0) / (count * length)
    positions = torch.stack([mean.diagonal(-m).sum() for m in range(length)])
    return Statistics(bigram, context, by_words, positions)


def _zipf(rng: Generator, count: int, length: int, words: int) -> Tensor:
    """Independent tokens; word r has probability proportional to 1 / r."""
    weights = 1 / torch.arange(1, words + 1, dtype=torch.float64)
    return torch.multinomial(weights, count * length, True, generator=rng).reshape(count, length)


def _markov(rng: Generator, count: int, length: int, words: int) -> Tensor:
    """A chain: with probability 3/4 one of three successors of its own, else a Zipf word."""
    successors = torch.randint(words, (words, 3), generator=rng)
    fresh = _zipf(rng, count, length, words)
    follow = torch.rand(count, length, generator=rng) < 0.75
    which = torch.randint(3, (count, length), generator=rng)
    tokens = fresh.clone()
    for place in range(1, length):
        after = successors[tokens[:, place - 1], which[:, place]]
        tokens[:, place] = torch.where(follow[:, place], after, fresh[:, place])
    return tokens


def _topics(rng: Generator, count: int, length: int, words: int) -> Tensor:
    """Each sequence has one of eight topics: half of its tokens come from the topic's own words."""
    topics = min(8, words)
    topic = torch.randint(topics, (count, 1), generator=rng)
    own = torch.randint((words + topics - 1) // topics, (count, length), generator=rng) * topics
    own = (own + topic).clamp(max=words - 1)
    fresh = _zipf(rng, count, length, words)
    return torch.where(torch.rand(count, length, generator=rng) < 0.5, own, fresh)


KINDS = {"zipf": _zipf, "markov": _markov, "topics": _topics}
"""Kinds of generated text by name."""


def generated(kind: str, rng: Generator, count: int, length: int, words: int) -> Tensor:
    """`count` sequences of `length` + 1 tokens of a kind of text, drawn on the generator's device."""
    return KINDS[kind](rng, count, length + 1, words)
