"""Nearest words under the three maps, on a generated text whose roles and topics are known."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.im2026 import associations as claims
from numeric import device
from numeric.agreement import Measured
from numeric.im2026.corpora import statistics
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import stream
from numeric.trends import mean_of_runs

__all__ = ["neighbours", "roles_and_topics", "shares"]

ROLES, TOPICS, EACH = 4, 3, 4
"""Roles follow each other in a circle; each role has EACH words of every topic."""
SEQUENCES, LENGTH = 96, 24
TEXTS = 32


@dataclass(frozen=True)
class Text:
    """Tokens (sample, position), and of each word its role and its topic."""

    tokens: Tensor
    roles: Tensor
    topics: Tensor


def roles_and_topics(skew: float, text: int = 0) -> Text:
    """Roles in turn; a sequence has a topic, from which four words in five come.

    Of a role and topic, word r is drawn with probability proportional to r^-skew.
    """
    rng = stream("im2026", "roles and topics", text)
    with rng.device:
        tokens = _tokens(rng, skew).to(device.current())
    word = torch.arange(ROLES * TOPICS * EACH)
    return Text(tokens, word // (TOPICS * EACH), word // EACH % TOPICS)


def _tokens(rng: Generator, skew: float) -> Tensor:
    weights = torch.arange(1, EACH + 1, dtype=torch.float64) ** -skew
    shape = (SEQUENCES, LENGTH + 1)
    place = torch.arange(LENGTH + 1) + torch.randint(ROLES, (SEQUENCES, 1), generator=rng)
    own = torch.randint(TOPICS, (SEQUENCES, 1), generator=rng).expand(shape)
    other = torch.randint(TOPICS, shape, generator=rng)
    topic = torch.where(torch.rand(shape, generator=rng) < 0.8, own, other)
    which = torch.multinomial(weights, shape[0] * shape[1], True, generator=rng).reshape(shape)
    return ((place % ROLES) * TOPICS + topic) * EACH + which


def neighbours(association: Tensor, count: int) -> Tensor:
    """For each word (row) the `count` other words with the largest entries."""
    others = association.clone()
    others.fill_diagonal_(-torch.inf)
    return others.topk(count, dim=1).indices


def shares(text: Text) -> dict[str, float]:
    """Of the nearest words of each word, the share that a map should bring together."""
    maps = statistics(text.tokens, len(text.roles))
    near = {
        "bigram": neighbours(maps.bigram, TOPICS * EACH),
        "interchangeability": neighbours(maps.interchangeability, TOPICS * EACH - 1),
        "context": neighbours(maps.context, ROLES * EACH - 1),
    }
    following = (text.roles + 1)[:, None] % ROLES
    found = {
        "bigram": text.roles[near["bigram"]] == following,
        "interchangeability": text.roles[near["interchangeability"]] == text.roles[:, None],
        "context": text.topics[near["context"]] == text.topics[:, None],
    }
    return {name: float(same.double().mean()) for name, same in found.items()}


@remembered(maxsize=16)
def _over_texts(skew: float) -> dict[str, Tensor]:
    found = [shares(roles_and_topics(skew, text)) for text in range(TEXTS)]
    return {name: torch.tensor([one[name] for one in found]).double() for name in found[0]}


@measures(*claims.share_of.values())
def shares_at(point: Point) -> tuple[Measured, ...]:
    """The three shares, in the mean over texts."""
    found = _over_texts(float(point[claims.skew]))
    return tuple(mean_of_runs(found[name]) for name in claims.share_of)
