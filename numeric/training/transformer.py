r"""An encoder-decoder Transformer as pure functions of tokens and parameters, many runs at once.

Named axes: `r` runs (independent parameters), `b` sentences, `n` or `m` positions, `d` = d_v.

    S = softmax(tau X W^Q (M W^K)^T / sqrt(d_k)) M W^V (W^O),   d_k = d / heads,
    Z = alpha_1 S + X,   X' = alpha_2 relu(Z W^F1) W^F2 + Z,

with M = X in self-attention and the encoder's output in cross-attention, which is a branch of its
own of the decoder.  Post-LN normalises Z and X'; pre-LN what enters a branch, and the last output.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor

from numeric import device
from numeric.layers import layer_norm
from numeric.training.parameters import Architecture, Parameters

__all__ = ["Noise", "Pass", "decode", "encode", "encoder_blocks", "positions", "project"]

EPSILON = 1e-5
"""Added to the variance in layer norm, as torch and fairseq do."""

Inner = Callable[[Tensor], Tensor]
"""What a branch does to the tokens that enter it."""


@dataclass
class Noise:
    """Dropout with probabilities of its own after branches, in attention and in the hidden layer."""

    rng: Generator
    general: float = 0.0
    attention: float = 0.0
    hidden: float = 0.0

    def drop(self, x: Tensor, probability: float) -> Tensor:
        """Entries kept with probability 1 - p and then divided by it."""
        if probability == 0:
            return x
        rng = self.rng
        kept = torch.rand(x.shape, generator=rng, dtype=x.dtype, device=rng.device) >= probability
        return x * kept.to(x.device) / (1 - probability)


@dataclass
class Pass:
    """What one pass through the model is made with: temperature, dropout, and the tokens seen."""

    tau: float = 1.0
    noise: Noise | None = None
    trace: list[Tensor] = field(default_factory=list)

    def drop(self, x: Tensor, kind: str) -> Tensor:
        return x if self.noise is None else self.noise.drop(x, getattr(self.noise, kind))


def positions(count: int, width: int) -> Tensor:
    """Sinusoidal positions (count, width): sines in the even columns, cosines in the odd ones."""
    place = torch.arange(count, dtype=torch.float64).unsqueeze(1)
    rates = torch.exp(-math.log(10_000.0) * torch.arange(0, width, 2, dtype=torch.float64) / width)
    waves = torch.stack(((place * rates).sin(), (place * rates).cos()), dim=-1)
    return waves.flatten(1).to(device.current())


def project(x: Tensor, weight: Tensor) -> Tensor:
    """x (r, b, n, d) times weight (r, d, e), run by run."""
    return (x.flatten(1, 2) @ weight).unflatten(1, x.shape[1:3])


def attending(
    p: Parameters,
    place: str,
    heads: int,
    blocked: Tensor | None,
    by: Pass,
    memory: Tensor | None = None,
) -> Inner:
    """Attention to `memory` (r, b, m, d), or of tokens to themselves.

    What is `blocked` (r, b, n or 1, m) is not attended to.
    """

    def split(t: Tensor) -> Tensor:
        return t.unflatten(-1, (heads, -1)).transpose(2, 3)

    def inner(x: Tensor) -> Tensor:
        read = x if memory is None else memory
        q, k, v = (
            split(project(t, p[f"{place}.{w}"])) for t, w in ((x, "wq"), (read, "wk"), (read, "wv"))
        )
        logits = q @ k.mT * (by.tau / math.sqrt(q.shape[-1]))
        if blocked is not None:
            logits = logits.masked_fill(blocked.unsqueeze(2), -math.inf)
        mixed = (by.drop(logits.softmax(dim=-1), "attention") @ v).transpose(2, 3).flatten(3)
        return project(mixed, p[f"{place}.wo"]) if f"{place}.wo" in p else mixed

    return inner


def feeding(p: Parameters, place: str, by: Pass) -> Inner:
    """The feed-forward layer, position by position."""

    def inner(x: Tensor) -> Tensor:
        hidden = by.drop(project(x, p[f"{place}.w1"]).relu(), "hidden")
        return project(hidden, p[f"{place}.w2"])

    return inner


def normed(p: Parameters, place: str, x: Tensor) -> Tensor:
    """Layer norm with the gain and bias of `place`."""
    gain, bias = (p[f"{place}.{name}"][:, None, None] for name in ("gain", "bias"))
    return layer_norm(x, EPSILON) * gain + bias


def branch(p: Parameters, a: Architecture, place: str, x: Tensor, inner: Inner, by: Pass) -> Tensor:
    """x plus the branch `inner` of strength alpha, with layer norm where the architecture has it."""
    entering = normed(p, place, x) if a.norm == "pre" else x
    alpha = p[f"{place}.alpha"][:, None, None, None]
    left = alpha * by.drop(inner(entering), "general") + x
    return normed(p, place, left) if a.norm == "post" else left


def encoder_blocks(
    p: Parameters, a: Architecture, x: Tensor, blocked: Tensor | None = None, by: Pass | None = None
) -> Tensor:
    """x (r, b, n, d) through the encoder's blocks; the trace of `by` gets the tokens X^0, ..., X^L."""
    by = by or Pass()
    by.trace.append(x)
    for layer in range(a.blocks):
        at, to = f"encoder.{layer}.self", f"encoder.{layer}.ff"
        x = branch(p, a, at, x, attending(p, at, a.heads, blocked, by), by)
        x = branch(p, a, to, x, feeding(p, to, by), by)
        by.trace.append(x)
    return normed(p, "encoder", x) if a.norm == "pre" else x


def embed(table: Tensor, words: Tensor) -> Tensor:
    """Embedded words (r, b, n) from a table (r, words, d), times sqrt(d), plus positions."""
    runs = torch.arange(len(table), device=table.device)[:, None, None]
    width = table.shape[-1]
    found = table[runs, words] * math.sqrt(width)
    return found + positions(words.shape[-1], width).to(found.dtype)


def encode(
    p: Parameters, a: Architecture, words: Tensor, absent: Tensor, by: Pass | None = None
) -> Tensor:
    """Source words (r, b, m) to memory (r, b, m, d); `absent` (r, b, m) marks padding."""
    by = by or Pass()
    x = by.drop(embed(p["source"], words), "general")
    return encoder_blocks(p, a, x, absent.unsqueeze(2), by)


def decode(
    p: Parameters, a: Architecture, words: Tensor, memory: Tensor, absent: Tensor,
    by: Pass | None = None,
) -> Tensor:  # fmt: skip
    """Scores (r, b, n, vocabulary) of the word after each of `words` (r, b, n)."""
    by, absent = by or Pass(), absent.unsqueeze(2)
    x = by.drop(embed(p["target"], words), "general")
    count = words.shape[-1]
    later = torch.ones(count, count, dtype=torch.bool, device=x.device).triu(1)[None, None]
    for layer in range(a.blocks):
        own, other, to = (f"decoder.{layer}.{kind}" for kind in ("self", "cross", "ff"))
        x = branch(p, a, own, x, attending(p, own, a.heads, later, by), by)
        x = branch(p, a, other, x, attending(p, other, a.heads, absent, by, memory), by)
        x = branch(p, a, to, x, feeding(p, to, by), by)
    if a.norm == "pre":
        x = normed(p, "decoder", x)
    return project(x, p["target"].mT)
