"""Training an encoder-decoder on parallel text by the methods that Table 1 of Noci et al. compares.

Learning rates are settings: the printed ones (Adam 7e-4 with 6000 steps of warm-up, SGD 2e-2 for
250 000 steps, width 512) belong to a corpus and a budget that no default here can have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from numeric import device
from numeric.sampling import generator
from numeric.training.corpus import PAD, Batches, Corpus
from numeric.training.optimisers import Optimiser, Updates, learning_rate, temperature
from numeric.training.parameters import Architecture, Parameters, initial
from numeric.training.transformer import Noise, Pass, decode, encode

__all__ = ["METHODS", "Method", "Plan", "State", "prepared", "smoothed_loss", "train"]


@dataclass(frozen=True)
class Method:
    """One row of Table 1: layer norm, residual strengths, optimiser, and the score printed."""

    norm: str
    kind: str
    printed: float | None = None
    strength: Callable[[int], float] = lambda blocks: 1.0
    learned: bool = False
    fixup: bool = False
    tempered: bool = False
    warmup: bool = False


def inverse_root(blocks: int) -> float:
    """1/sqrt(L)."""
    return 1 / math.sqrt(blocks)


METHODS = {
    "SGD POST-LN": Method("post", "sgd", 31.36),
    "SGD res-scale": Method("none", "sgd", 32.79, inverse_root, learned=True),
    "SGD temperature": Method("none", "sgd", 35.69, inverse_root, learned=True, tempered=True),
    "Adam POST-LN": Method("post", "adam", 35.39, warmup=True),
    "Adam PRE-LN": Method("pre", "adam", 35.10, warmup=True),
    "ReZero": Method("none", "adam", 34.55, lambda blocks: 0.0, learned=True, warmup=True),
    "T-Fixup": Method("none", "adam", 35.59, fixup=True),
}
"""The seven methods, with the BLEU that Table 1 prints for IWSLT'14 De-En.  T-Fixup has no warm-up,
by design; ReZero's is kept, since the paper does not say."""


@dataclass(frozen=True)
class Plan:
    """Sizes of the model and of its training; printed values in Table 3 where they exist."""

    width: int = 32
    hidden: int = 64
    heads: int = 4
    steps: int = 250
    sentences: int = 32
    adam_rate: float = 3e-3
    sgd_rate: float = 0.2
    warmup: int = 40
    temperature: float = 8.5
    temperature_warmup: int = 40
    smoothing: float = 0.1
    dropout: float = 0.0
    adam_decay: float = 1e-4
    sgd_decay: float = 1e-3


@dataclass(frozen=True)
class State:
    """After a step (0: at initialisation): losses (runs), parameters, temperature of this step."""

    step: int
    loss: Tensor
    parameters: Parameters
    tau: float


def prepared(name: str, blocks: int, plan: Plan) -> tuple[Architecture, Optimiser]:
    """Architecture and optimiser of a method at a number of encoder (and decoder) blocks."""
    method = METHODS[name]
    a = Architecture(
        plan.width, plan.hidden, plan.heads, blocks, norm=method.norm,  # type: ignore[arg-type]
        strength=method.strength(blocks), learned=method.learned, fixup=method.fixup,
    )  # fmt: skip
    if method.kind == "sgd":
        return a, Optimiser("sgd", plan.sgd_rate, "step", decay=plan.sgd_decay)
    warmup = plan.warmup if method.warmup else 0
    schedule = "inverse sqrt" if method.warmup else "constant"
    return a, Optimiser("adam", plan.adam_rate, schedule, warmup, decay=plan.adam_decay)  # type: ignore[arg-type]


def smoothed_loss(scores: Tensor, wanted: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy (runs) per word, a share `smoothing` of it spread over the vocabulary."""
    each = cross_entropy(
        scores.flatten(0, 2), wanted.flatten(), reduction="none", ignore_index=PAD,
        label_smoothing=smoothing,
    ).view_as(wanted)  # fmt: skip
    return each.sum(dim=(1, 2)) / (wanted != PAD).sum(dim=(1, 2))


def train(
    corpus: Corpus, a: Architecture, optimiser: Optimiser, plan: Plan, rngs: Sequence[Generator], *,
    tempered: bool = False, track: Callable[[range], Iterator[int]] = iter,
) -> Iterator[State]:  # fmt: skip
    """Train one run for each generator, all at once; yields the initial state, then every step's."""
    words = (len(corpus.source), len(corpus.target))
    parameters = initial(a, words, rngs)
    moving = [v for name, v in parameters.items() if a.learned or not name.endswith("alpha")]
    for value in moving:
        value.requires_grad_()
    updates = Updates(optimiser, moving)
    batches = Batches(*corpus.numbered(corpus.train), plan.sentences)
    noise = Noise(rngs[0], plan.dropout, plan.dropout / 3, plan.dropout / 3)
    yield State(0, torch.full((len(rngs),), math.nan), parameters, 1.0)
    for step in track(range(1, plan.steps + 1)):
        tau = temperature(step, plan.temperature, plan.temperature_warmup) if tempered else 1.0
        source, target = (t.to(device.current()) for t in batches.draw(rngs))
        by = Pass(tau, noise if plan.dropout else None)
        absent = source == PAD
        memory = encode(parameters, a, source, absent, by)
        scores = decode(parameters, a, target[..., :-1], memory, absent, by)
        loss = smoothed_loss(scores, target[..., 1:], plan.smoothing)
        gradients = torch.autograd.grad(loss.sum(), moving, allow_unused=True)
        updates.take(
            [
                torch.zeros_like(p) if g is None else g
                for p, g in zip(moving, gradients, strict=True)
            ],
            learning_rate(optimiser, step, plan.steps),
        )
        yield State(step, loss.detach(), parameters, tau)


def run_streams(seed: int, name: str, runs: int) -> list[Generator]:
    """One generator for each run of a method."""
    return [generator(seed, "training", name, run) for run in range(runs)]
