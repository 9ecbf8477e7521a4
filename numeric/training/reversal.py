"""The toy task of Noci et al. (2022), App. C.1: say a sequence of digits backwards.

An encoder reads the digits and scores, at each place, the digit that stands there in the reversed
sequence.  Embeddings have variance 1, positions are sinusoidal; the output layer, which the paper
does not describe, is linear with variance 1/d.  Hidden width 4 d and batch size are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from numeric import device
from numeric.sampling import normal
from numeric.training.optimisers import Optimiser, Updates, learning_rate
from numeric.training.parameters import Architecture, Parameters, initial_encoder
from numeric.training.transformer import encoder_blocks, positions, project

__all__ = ["ADAM", "PRINTED", "Reversal", "State", "train"]

DIGITS = 10
PRINTED = Architecture(width=16, hidden=64, heads=1, blocks=5, norm="post", strength=1.0)
ADAM = Optimiser("adam", 0.01, betas=(0.9, 0.999))


@dataclass(frozen=True)
class Reversal:
    """How the task is set: digits in a sequence, sequences in a batch."""

    length: int = 20
    batch: int = 32


@dataclass(frozen=True)
class State:
    """After a step: its number, losses and accuracies (runs) on its batch, parameters, updates."""

    step: int
    loss: Tensor
    accuracy: Tensor
    parameters: Parameters
    updates: Updates


def initial(a: Architecture, rngs: Sequence[Generator], dtype: torch.dtype) -> Parameters:
    """Encoder, embedding (r, 10, d) of variance 1 and output layer (r, d, 10) of variance 1/d."""
    parameters = initial_encoder(a, rngs, dtype)
    embedding = torch.stack([normal(rng, DIGITS, a.width) for rng in rngs])
    output = torch.stack([normal(rng, a.width, DIGITS) for rng in rngs]) / math.sqrt(a.width)
    return parameters | {"embedding": embedding.to(dtype), "output": output.to(dtype)}


def scores(p: Parameters, a: Architecture, digits: Tensor) -> Tensor:
    """Scores (r, b, n, 10) of the digit at each place of the reversed sequence."""
    runs = torch.arange(len(digits), device=digits.device)[:, None, None]
    x = p["embedding"][runs, digits]
    x = x + positions(digits.shape[-1], a.width).to(x.dtype)
    return project(encoder_blocks(p, a, x), p["output"])


def train(
    a: Architecture, task: Reversal, optimiser: Optimiser, rngs: Sequence[Generator], steps: int,
    *, dtype: torch.dtype = torch.float32, track: Callable[[range], Iterator[int]] = iter,
) -> Iterator[State]:  # fmt: skip
    """Train one run for each generator, all at once, and yield the state after every step."""
    parameters = initial(a, rngs, dtype)
    for name, value in parameters.items():
        if not name.endswith("alpha") or a.learned:
            value.requires_grad_()
    moving = [value for value in parameters.values() if value.requires_grad]
    updates = Updates(optimiser, moving)
    shape = (task.batch, task.length)
    for step in track(range(1, steps + 1)):
        drawn = [torch.randint(0, DIGITS, shape, generator=rng, device=rng.device) for rng in rngs]
        digits = torch.stack(drawn).to(device.current())
        said, wanted = scores(parameters, a, digits), digits.flip(-1)
        each = cross_entropy(said.flatten(0, 2), wanted.flatten(), reduction="none")
        loss = each.unflatten(0, (len(rngs), -1)).mean(dim=1)
        updates.take(torch.autograd.grad(loss.sum(), moving), learning_rate(optimiser, step, steps))
        right = (said.argmax(dim=-1) == wanted).to(dtype).mean(dim=(1, 2))
        yield State(step, loss.detach(), right, parameters, updates)
