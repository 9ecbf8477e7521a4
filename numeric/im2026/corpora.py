r"""Corpora that the project generates, and their statistics $\bar B,\bar\Phi,\bar Q,\Delta$ in torch.

A text is a tensor of tokens (sample, position), T + 1 positions long, tokens from zero.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from numeric import device
from numeric.im2026.corpus_statistics import Statistics, statistics, uniform_attention

__all__ = ["KINDS", "Statistics", "generated", "statistics", "uniform_attention"]


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
    """`count` sequences of `length` + 1 tokens of a kind of text; no device changes what is drawn."""
    with rng.device:
        drawn = KINDS[kind](rng, count, length + 1, words)
    return drawn.to(device.current())
