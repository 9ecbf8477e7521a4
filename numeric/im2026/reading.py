r"""A user's text as sequences of tokens: words, or subwords learned from it (byte-pair encoding).

Words are runs of letters and digits in lower case; every other mark is a word by itself.  Samples end
at blank lines and at `<|endoftext|>`.  The vocabulary holds the most frequent tokens.  A sequence is a
stretch of so many consecutive tokens of one sample, all of them in the vocabulary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from numeric.plain_text import CorpusError, plain_text

__all__ = ["Text", "merges_of", "pieces_of", "read"]

LEAST_WORDS = 2
_WORD = re.compile(r"\w+|[^\w\s]")
_SAMPLES = re.compile(r"\n\s*\n|<\|endoftext\|>")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Text:
    """Tokens (sequence, position) by number, and the vocabulary in the order of these numbers."""

    tokens: Tensor
    vocabulary: tuple[str, ...]


def read(file: Path, *, words: int, length: int, subwords: bool = False) -> Text:
    """Sequences of `length` + 1 tokens; raises `CorpusError` saying what is wrong and what to do."""
    if words < LEAST_WORDS:
        raise CorpusError(f"words={words}: a vocabulary has at least {LEAST_WORDS} words; raise it")
    if length < 1:
        raise CorpusError(f"length={length}: must be at least 1")
    samples = [
        _WORD.findall(part.lower()) for part in _SAMPLES.split(plain_text(file, "a plain text"))
    ]
    if subwords:
        counts = Counter(word for sample in samples for word in sample)
        split = _Splitter(merges_of(counts, words))
        samples = [[piece for word in sample for piece in split(word)] for sample in samples]
    counts = Counter(token for sample in samples for token in sample)
    vocabulary = sorted(counts, key=lambda token: (-counts[token], token))[:words]
    if len(vocabulary) < LEAST_WORDS:
        raise CorpusError(
            f"{file}: {len(vocabulary)} different tokens; give a text with {LEAST_WORDS} or more"
        )
    numbers = {token: place for place, token in enumerate(vocabulary)}
    pieces = pieces_of(samples, numbers, length)
    if not pieces:
        longest = max(map(len, stretches(samples, numbers)), default=0)
        raise CorpusError(
            f"{file}: no {length + 1} consecutive tokens of one sample lie in the vocabulary of "
            f"{len(vocabulary)}; the longest stretch has {longest}: take a smaller length than "
            f"{length}, more words, or more text"
        )
    return Text(torch.tensor(pieces), tuple(vocabulary))


def pieces_of(
    samples: Iterable[Sequence[Any]], numbers: dict[Any, int], length: int
) -> list[list[int]]:
    """Sequences of `length` + 1 numbers: stretches cut one after the other, rests left out."""
    return [
        stretch[start : start + length + 1]
        for stretch in stretches(samples, numbers)
        for start in range(0, len(stretch) - length, length + 1)
    ]


def stretches(samples: Iterable[Sequence[Any]], numbers: dict[Any, int]) -> list[list[int]]:
    """Runs of known tokens; they end with their sample and at unknown ones."""
    found: list[list[int]] = []
    for sample in samples:
        found.append([])
        for token in sample:
            if token in numbers:
                found[-1].append(numbers[token])
            elif found[-1]:
                found.append([])
    return found


# Byte-pair encoding -------------------------------------------------------------------------------


def merges_of(counts: Counter[str], size: int) -> list[Pair]:
    """Pairs of neighbouring pieces to join, the most frequent first, until there are `size` pieces.

    A word starts as its characters, the first marked by an underscore before it, so that words can
    be told apart again.

    >>> merges_of(Counter({"aab": 3, "ab": 1}), 4)
    [('_a', 'a')]
    """
    words = {_characters(word): count for word, count in counts.items()}
    known = {piece for word in words for piece in word}
    merges: list[Pair] = []
    while len(known) < size:
        pairs: Counter[Pair] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        known.add(best[0] + best[1])
        words = {_joined(word, best): count for word, count in words.items()}
    return merges


def _characters(word: str) -> tuple[str, ...]:
    return ("_" + word[0], *word[1:])


def _joined(word: tuple[str, ...], pair: Pair) -> tuple[str, ...]:
    """The word with every occurrence of the pair made one piece, from the left."""
    made: list[str] = []
    place = 0
    while place < len(word):
        if word[place : place + 2] == pair:
            made.append(pair[0] + pair[1])
            place += 2
        else:
            made.append(word[place])
            place += 1
    return tuple(made)


class _Splitter:
    """Words into pieces, each different word once."""

    def __init__(self, merges: list[Pair]):
        self.merges = merges
        self.known: dict[str, tuple[str, ...]] = {}

    def __call__(self, word: str) -> tuple[str, ...]:
        if word not in self.known:
            pieces = _characters(word)
            for pair in self.merges:
                if len(pieces) == 1:
                    break
                pieces = _joined(pieces, pair)
            self.known[word] = pieces
        return self.known[word]
