"""Streamed statistics of a corpus are those of the matrices, and of exact fractions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
import torch
from torch import Tensor

from claims.errors import UserError
from claims.im2026 import corpora as exact
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import words as vocabulary
from numeric.im2026 import corpus_statistics
from numeric.im2026.corpora import KINDS, generated, uniform_attention
from numeric.im2026.corpus_statistics import Statistics, statistics
from numeric.im2026.network import one_hot, tokens_of
from numeric.sampling import generator

PARTS = ("bigram", "context", "words", "positions")


def dense(tokens: Tensor, words: int) -> Statistics:
    """From one-hot rows, by the definitions in matrices."""
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("pairs", "block"), [(1, 1), (100, 4), (100, 9), (2**18, 10)])
def test_streamed_statistics_are_those_of_the_matrices(
    kind: str, pairs: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_statistics, "PAIRS", pairs)
    monkeypatch.setattr(corpus_statistics, "BLOCK", block)
    tokens = generated(kind, generator(1, "corpus", kind), 13, 9, 7)
    found, wanted = statistics(tokens, 7), dense(tokens, 7)
    for part in PARTS:
        assert getattr(wanted, part).abs().max() > 1e-6
        torch.testing.assert_close(
            getattr(found, part), getattr(wanted, part), rtol=1e-11, atol=1e-15
        )


def test_streamed_statistics_are_the_exact_ones() -> None:
    rng = Random(3)
    for _ in range(20):
        point = CORPORA.draw(rng)
        found = statistics(tokens_of(point), int(point[vocabulary]))
        definitions = (exact.bigram_map, exact.context_map, exact.word_map, exact.position_map)
        for part, definition in zip(PARTS, definitions, strict=True):
            wanted = [float(Fraction(int(v.p), int(v.q))) for v in definition(point)]
            flat = getattr(found, part).flatten().tolist()
            assert flat == pytest.approx(wanted, rel=1e-11, abs=1e-15)


def test_integers_of_any_width_and_words_that_do_not_occur() -> None:
    tokens = torch.tensor([[0, 2, 2, 1]])
    wanted = dense(tokens, 5)
    for dtype in (torch.int16, torch.int32, torch.int64):
        found = statistics(tokens.to(dtype), 5)
        assert all(torch.allclose(getattr(found, p), getattr(wanted, p)) for p in PARTS)


@pytest.mark.parametrize(
    ("tokens", "words", "message"),
    [
        (torch.tensor([[0, 3]]), 3, r"token 3: must be below the size of the vocabulary, 3; .*4 words"),
        (torch.tensor([[0, 0]]), 0, "token 0: must be below the size of the vocabulary, 0; "),
        (torch.tensor([[0, -1]]), 3, "token -1: must be at least 0; count words from zero"),
        (torch.tensor([[0], [1]]), 3, "sequences of 1 tokens: must have at least 2.*; drop shorter"),
        (torch.zeros(0, 4, dtype=torch.long), 3, "0 sequences: must be at least 1; give a corpus"),
        (torch.tensor([0, 1]), 3, r"shape \(2,\): must be \(sample, position\); stack"),
        (torch.zeros(2, 4), 3, "type torch.float32: must be integers; give ids"),
    ],
)  # fmt: skip
def test_what_is_no_corpus_is_said_with_the_remedy(
    tokens: Tensor, words: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        statistics(tokens, words)
