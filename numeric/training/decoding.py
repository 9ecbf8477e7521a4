"""From scores to sentences: greedy search, or a beam."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from numeric import device
from numeric.training.bleu import bleu
from numeric.training.corpus import BEGIN, END, PAD, Corpus, Pair
from numeric.training.parameters import Architecture, Parameters
from numeric.training.transformer import Pass, decode, encode

__all__ = ["score_of", "translate"]

EXTRA = 10
"""A translation ends at latest so many words after twice the length of the longest source."""
PART = 256
"""Sentences translated at a time."""


@torch.no_grad()
def translate(
    p: Parameters, a: Architecture, source: Tensor, *, tau: float = 1.0, beam: int = 1
) -> Tensor:
    """Sources (r, b, m) to targets (r, b, n), begin mark left out.

    The `beam` best beginnings are kept, by the sum of their log probabilities; finished ones stay
    as they are, and the best one wins by its mean over words.  With beam 1 this is greedy search.
    """
    absent = source == PAD
    memory = encode(p, a, source, absent, Pass(tau))
    runs, sentences = source.shape[:2]
    memory, absent = (t.repeat_interleave(beam, dim=1) for t in (memory, absent))
    said = torch.full((runs, sentences * beam, 1), BEGIN, device=source.device)
    # At first all beginnings of a sentence are the same: only one of them may be continued.
    sums = torch.full((runs, sentences, beam), -torch.inf, device=source.device)
    sums[..., 0] = 0.0
    for _ in range(2 * source.shape[-1] + EXTRA):
        scores = decode(p, a, said, memory, absent, Pass(tau))[:, :, -1].log_softmax(dim=-1)
        scores[..., [PAD, BEGIN]] = -torch.inf
        done = ((said == END) | (said == PAD)).any(dim=-1)
        scores = torch.where(done.unsqueeze(-1), -torch.inf, scores)
        scores[..., PAD] = torch.where(done, 0.0, scores[..., PAD])
        words = scores.shape[-1]
        total = sums.unsqueeze(-1) + scores.unflatten(1, (sentences, beam))
        sums, best = total.flatten(2).topk(beam, dim=-1)
        said = said.unflatten(1, (sentences, beam))
        parent = (best // words).unsqueeze(-1).expand(-1, -1, -1, said.shape[-1])
        said = torch.cat((said.gather(2, parent), (best % words).unsqueeze(-1)), dim=-1).flatten(
            1, 2
        )
        if ((said == END) | (said == PAD)).any(dim=-1).all():
            break
    spoken = said[..., 1:].unflatten(1, (sentences, beam))
    winner = (sums / (spoken != PAD).sum(dim=-1)).argmax(dim=-1)[..., None, None]
    return spoken.gather(2, winner.expand(-1, -1, 1, spoken.shape[-1])).squeeze(2)


def score_of(
    p: Parameters, a: Architecture, corpus: Corpus, pairs: Sequence[Pair], *,
    tau: float = 1.0, beam: int = 1,
) -> list[float]:  # fmt: skip
    """BLEU of each run on sentence pairs."""
    runs = len(p["source"])
    said: list[list[tuple[str, ...]]] = [[] for _ in range(runs)]
    for start in range(0, len(pairs), PART):
        source = corpus.numbered(pairs[start : start + PART])[0].to(device.current())
        numbers = translate(p, a, source.expand(runs, *source.shape), tau=tau, beam=beam)
        for run, sentences in enumerate(numbers.tolist()):
            said[run] += [corpus.target.sentence(sentence) for sentence in sentences]
    return [bleu(one, [target for _, target in pairs]) for one in said]
