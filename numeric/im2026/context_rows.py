"""Shares of words in the contexts of a current word, in torch."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.im2026 import context_rows as claims
from claims.im2026.notation import words
from numeric.agreement import Measured
from numeric.im2026.bigrams import exactly
from numeric.im2026.corpora import uniform_attention
from numeric.im2026.network import one_hot, tokens_of
from numeric.reach import Reach
from numeric.registry import measures

THREE_WORDS = Reach(12, "one reading for every three words")


@measures(claims.in_context, reach=THREE_WORDS)
def in_context(point: Point, current: int, before: int) -> Measured:
    """The mean of a column of $A_0X$ over the places before a current word."""
    tokens = tokens_of(point)
    inputs = one_hot(tokens[:, :-1], int(point[words]))
    shares = (uniform_attention(inputs.shape[1], inputs) @ inputs)[:, :, before - 1]
    found = shares[tokens[:, 1:] == current - 1]
    return exactly(found.mean() if len(found) else torch.zeros(()))
