"""Parallel text: a user's folder, or a small generated language pair; words as numbers.

A folder holds `train.src` and `train.tgt`, one sentence a line in UTF-8, words separated by blanks,
and may hold `valid.src` and `valid.tgt`; without them the last tenth is held out.  Pairs with an
empty side or more than `longest` words on one side are left out, and counted.

The generated pair is a toy: the source puts its verb last and adjectives before their nouns, the
target its verb second and adjectives after, so that a translation must reorder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import torch
from torch import Generator, Tensor

from numeric.plain_text import CorpusError, plain_text

__all__ = [
    "BEGIN", "END", "PAD", "Corpus", "Pair", "Vocabulary", "generated", "read",
]  # fmt: skip

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
HELD_OUT = 10
"""One pair in so many is held out where a folder has no `valid` files."""

Words = tuple[str, ...]
Pair = tuple[Words, Words]


@dataclass(frozen=True)
class Vocabulary:
    """Words by number; the first four stand for padding, begin, end and unknown words."""

    words: tuple[str, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @classmethod
    def of(cls, sentences: Iterable[Words], least: int = 1) -> Vocabulary:
        """Words that occur at least `least` times, the frequent ones first.

        >>> Vocabulary.of([("a", "b", "a")], least=2).words[4:]
        ('a',)
        """
        counts = Counter(word for sentence in sentences for word in sentence)
        kept = sorted((w for w, c in counts.items() if c >= least), key=lambda w: (-counts[w], w))
        return cls((*SPECIAL, *(word for word in kept if word not in SPECIAL)))

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, sentence: Words) -> list[int]:
        return [self.places.get(word, UNKNOWN) for word in sentence]

    def sentence(self, numbers: Iterable[int]) -> Words:
        """Words up to the end mark, the other marks left out."""
        said = []
        for number in numbers:
            if number == END:
                break
            if number not in (PAD, BEGIN):
                said.append(self.words[number])
        return tuple(said)


def padded(sentences: Sequence[Sequence[int]]) -> Tensor:
    """(sentences, longest) numbers, short ones filled up with padding."""
    width = max(map(len, sentences))
    return torch.tensor([[*s, *[PAD] * (width - len(s))] for s in sentences])


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on and pairs held out, with the vocabularies of the former."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    source: Vocabulary
    target: Vocabulary
    left_out: int = 0

    @classmethod
    def of(
        cls, train: Sequence[Pair], valid: Sequence[Pair], *, least: int = 1, left_out: int = 0
    ) -> Corpus:
        sides = ([pair[side] for pair in train] for side in (0, 1))
        source, target = (Vocabulary.of(side, least) for side in sides)
        return cls(tuple(train), tuple(valid), source, target, left_out)

    def numbered(self, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Sources with their end mark, and targets between begin and end; padded."""
        sources = [[*self.source.numbers(s), END] for s, _ in pairs]
        targets = [[BEGIN, *self.target.numbers(t), END] for _, t in pairs]
        return padded(sources), padded(targets)


class Batches:
    """Random sentences of a numbered corpus, drawn by each run for itself, with replacement."""

    def __init__(self, sources: Tensor, targets: Tensor, sentences: int):
        self.sides, self.sentences = (sources, targets), sentences

    def draw(self, rngs: Sequence[Generator]) -> tuple[Tensor, Tensor]:
        """Sources and targets (runs, sentences, positions), trimmed to the longest drawn."""
        count = len(self.sides[0])
        size = (self.sentences,)
        chosen = [torch.randint(0, count, size, generator=rng, device=rng.device) for rng in rngs]
        source, target = (side[torch.stack(chosen)] for side in self.sides)
        return _trimmed(source), _trimmed(target)


def _trimmed(words: Tensor) -> Tensor:
    used = (words != PAD).flatten(0, -2).any(dim=0)
    return words[..., : int(used.sum())]


# A user's folder ----------------------------------------------------------------------------------


def read(folder: Path, *, least: int = 1, longest: int = 100) -> Corpus:
    """The corpus of a folder; raises `CorpusError` saying which file, what is wrong, and what to do."""
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such folder; give one that holds train.src and train.tgt")
    kept, left_out = _pairs(folder, "train", longest)
    if any((folder / f"valid.{side}").exists() for side in ("src", "tgt")):
        valid, _ = _pairs(folder, "valid", longest)
    else:
        held = max(1, len(kept) // HELD_OUT)
        kept, valid = kept[:-held], kept[-held:]
    if not kept:
        raise CorpusError(f"{folder}: one sentence pair only; give two or more, or valid files")
    return Corpus.of(kept, valid, least=least, left_out=left_out)


def _pairs(folder: Path, name: str, longest: int) -> tuple[list[Pair], int]:
    source, target = (_lines(folder / f"{name}.{side}") for side in ("src", "tgt"))
    if len(source) != len(target):
        raise CorpusError(
            f"{folder}: {name}.src has {len(source)} lines, {name}.tgt has {len(target)}; "
            "line by line they must be translations of each other"
        )
    pairs = [(tuple(s.split()), tuple(t.split())) for s, t in zip(source, target, strict=True)]
    kept = [pair for pair in pairs if all(1 <= len(side) <= longest for side in pair)]
    if not kept:
        raise CorpusError(
            f"{folder}: no pair in {name}.src and {name}.tgt has 1 to {longest} words on both "
            "sides; give longer text or raise `longest`"
        )
    return kept, len(pairs) - len(kept)


def _lines(file: Path) -> list[str]:
    """Not splitlines(): a corpus may hold other separators, such as U+2028, inside a line."""
    return plain_text(file, "one sentence a line").removesuffix("\n").split("\n")


# A generated language pair ------------------------------------------------------------------------

NOUNS, VERBS, ADJECTIVES, ADVERBS = 8, 5, 4, 3


def generated(seed: int, pairs: int = 1200, held_out: int = 100) -> Corpus:
    """Different random sentences of the toy language with their translations.

    >>> corpus = generated(0, 8, 2)
    >>> for side in corpus.train[0]:
    ...     print(" ".join(side))
    die adj0 adj2 noun6 den adj2 adj3 noun7 verb1en
    les n6 j2 j0 v1ent un n7 j3 j2
    """
    rng = Random(seed)
    found: dict[Pair, None] = {}
    for _ in range(100 * (pairs + held_out)):
        if len(found) == pairs + held_out:
            break
        found[_sentence(rng)] = None
    chosen = list(found)
    return Corpus.of(chosen[:-held_out], chosen[-held_out:])


def _sentence(rng: Random) -> Pair:
    """Subject, object, adverb, verb in the source; adverb, subject, verb, object in the target."""
    subject, patient = _phrase(rng), _phrase(rng)
    plural = rng.random() < 0.5
    verb = rng.randrange(VERBS)
    adverb = [rng.randrange(ADVERBS)] if rng.random() < 0.5 else []
    marks = ("die", "les") if plural else ("der", "le")
    source = [marks[0], *subject[0], "den", *patient[0]]
    source += [*(f"adv{a}" for a in adverb), f"verb{verb}{'en' if plural else 't'}"]
    target = [*(f"a{a}ment" for a in adverb), marks[1], *subject[1]]
    target += [f"v{verb}{'ent' if plural else ''}", "un", *patient[1]]
    return tuple(source), tuple(target)


def _phrase(rng: Random) -> Pair:
    """A noun with up to two adjectives: before it in the source, after it, reversed, in the target."""
    noun = rng.randrange(NOUNS)
    adjectives = [rng.randrange(ADJECTIVES) for _ in range(rng.choice((0, 1, 1, 2)))]
    source = (*(f"adj{a}" for a in adjectives), f"noun{noun}")
    return source, (f"n{noun}", *(f"j{a}" for a in reversed(adjectives)))
