"""Corpus BLEU-4 (Papineni et al., 2002): one reference a sentence, no smoothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["bleu"]

ORDER = 4

Sentence = Sequence[str]


def bleu(said: Sequence[Sentence], wanted: Sequence[Sentence]) -> float:
    """BLEU between 0 and 100 of translations against their references, words compared as they are.

    The geometric mean of the clipped n-gram precisions for n = 1, ..., 4, counted over the whole
    corpus, times the brevity penalty exp(1 - r/c) where the c words said are fewer than the r
    wanted.  Zero where some n has no match.

    >>> bleu(["the cat sat on the mat".split()], ["the cat sat on the mat".split()])
    100.0
    """
    if len(said) != len(wanted):
        raise ValueError(f"{len(said)} translations of {len(wanted)} references: give one for each")
    logarithms = 0.0
    for order in range(1, ORDER + 1):
        matched = total = 0
        for one, reference in zip(said, wanted, strict=True):
            found, allowed = _grams(one, order), _grams(reference, order)
            matched += (found & allowed).total()
            total += found.total()
        if not matched:
            return 0.0
        logarithms += math.log(matched / total)
    length, target = sum(map(len, said)), sum(map(len, wanted))
    return 100 * math.exp(logarithms / ORDER + min(0.0, 1 - target / length))


def _grams(sentence: Sentence, order: int) -> Counter[tuple[str, ...]]:
    words = tuple(sentence)
    return Counter(words[i : i + order] for i in range(len(words) - order + 1))
