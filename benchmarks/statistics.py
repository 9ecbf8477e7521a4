"""Statistics of a corpus, streamed, against a loop over tokens in Python.

Both count the same generated text on one thread, one after the other; the largest difference of their
values, relative to the largest value, is part of the result.  The streamed side alone is then timed at
the paper's sizes, 3,000 words and 201 tokens a sequence, with a growing number of sequences.
"""

from __future__ import annotations

from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from benchmarks.timing import one_thread, repeated
from numeric.im2026.corpora import Statistics, generated, statistics
from numeric.sampling import generator

__all__ = ["looped", "run"]

SMALL = (300, 100, (32, 64, 128, 256))
"""Words, T and numbers of sequences for both sides."""
PAPER = (3000, 200, (1024, 2048, 4096))
"""The same for the streamed side alone."""
ROUNDS = 3
REQUIRED = {"relative_difference": 1e-9, "ratio_at_256": 5.0}


def looped(tokens: Tensor, words: int) -> Statistics:
    """Token by token, with lists for maps; products of maps by torch."""
    texts = tokens.tolist()
    length = len(texts[0]) - 1
    share = 1 / (len(texts) * length)
    bigram, context, scores = ([[0.0] * words for _ in range(words)] for _ in range(3))
    for text in texts:
        for t in range(length):
            bigram[text[t]][text[t + 1]] += share
            for m in range(t + 1):
                context[text[t + 1]][text[m]] += share / (t + 1)
    maps = [torch.tensor(counts, dtype=torch.float64) for counts in (bigram, context)]
    follow, before = maps[0] - maps[0].mean(1, keepdim=True), maps[1] - maps[1].mean(0)
    feature = follow.mT @ (follow @ before)
    rows = (feature - feature.mean(0)).tolist()
    positions = [0.0] * length
    for text in texts:
        for t in range(length):
            row = [rows[text[t + 1]][text[m]] for m in range(t + 1)]
            mean = sum(row) / (t + 1)
            for m in range(t + 1):
                score = share * (row[m] - mean) / (t + 1)
                scores[text[t]][text[m]] += score
                positions[t - m] += score
    by_words, by_positions = (
        torch.tensor(found, dtype=torch.float64) for found in (scores, positions)
    )
    return Statistics(follow, before, by_words, by_positions)


def difference(one: Statistics, other: Statistics) -> float:
    """The largest difference of a statistic relative to its largest value."""
    pairs = (
        (getattr(one, p), getattr(other, p)) for p in ("bigram", "context", "words", "positions")
    )
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs)


def measure(words: int, length: int, count: int, loop: bool, rounds: int) -> dict[str, Any]:
    """Seconds for a text with topics, and those of the loop."""
    rng = generator(0, "benchmark", "statistics", count)
    tokens = generated("topics", rng, count, length, words)
    found: list[Statistics] = []
    seconds = repeated(lambda: found.append(statistics(tokens, words)), rounds)
    case = {"N": count, "T": length, "words": words, **seconds}
    if loop:
        wanted: list[Statistics] = []
        case |= repeated(lambda: wanted.append(looped(tokens, words)), rounds, "loop_seconds")
        case |= {"ratio": case["loop_seconds"] / case["seconds"]}
        case |= {"relative_difference": difference(found[-1], wanted[-1])}
    return case


def run(
    console: Console | None = None, *, small: Any = SMALL, paper: Any = PAPER, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Both sides at small sizes, the streamed one at the paper's."""
    with one_thread():
        words, length, counts = small
        cases = [measure(words, length, count, True, rounds) for count in counts]
        words, length, counts = paper
        growth = [measure(words, length, count, False, rounds) for count in counts]
    if console is not None:
        table = Table("words", "T", "N", "streamed, s", "loop, s", "ratio", "difference", box=None)
        for case in (*cases, *growth):
            loop = (
                (
                    f"{case['loop_seconds']:.2f}",
                    f"{case['ratio']:.0f}",
                    f"{case['relative_difference']:.1e}",
                )
                if "ratio" in case
                else ("", "", "")
            )
            sizes = (str(case[name]) for name in ("words", "T", "N"))
            table.add_row(*sizes, f"{case['seconds']:.3f}", *loop)
        console.print(table)
    return {"cases": cases, "growth": growth, "required": REQUIRED}
