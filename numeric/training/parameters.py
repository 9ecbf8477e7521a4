"""Architectures of the Transformers that are trained, and their parameters at initialisation.

At initialisation weights have variance 1/(number of inputs), W^F1 twice that since ReLU follows.
One head has no output matrix W^O, as in the papers' single-head layer; several heads have one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from numeric import device
from numeric.layers import Norm
from numeric.sampling import normal

__all__ = ["Architecture", "Parameters", "initial", "initial_encoder"]

Parameters = dict[str, Tensor]
"""By name, such as "encoder.0.self.wq" for layer 0 of the encoder; the first axis is the run."""


@dataclass(frozen=True)
class Architecture:
    """Sizes and variants; the encoder has `blocks` blocks, the decoder as many.

    `strength` is the initial alpha_1 = alpha_2, which is trained when `learned`.  `fixup` scales
    embeddings and branches as T-Fixup does (Huang et al., 2020).
    """

    width: int = 32
    hidden: int = 64
    heads: int = 4
    blocks: int = 2
    norm: Norm = "post"
    strength: float = 1.0
    learned: bool = False
    fixup: bool = False

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width % 2:
            raise ValueError(
                f"width = {self.width}: must be even and a multiple of heads = {self.heads}"
            )


def initial_encoder(
    a: Architecture, rngs: Sequence[Generator], dtype: torch.dtype = torch.float64
) -> Parameters:
    """The parameters of the encoder's blocks, one run for each generator."""
    return _stacked([_blocks(a, "encoder", rng, dtype) for rng in rngs])


def initial(
    a: Architecture,
    words: tuple[int, int],
    rngs: Sequence[Generator],
    dtype: torch.dtype = torch.float32,
) -> Parameters:
    """The whole model for `words` = (source, target) vocabulary sizes.

    Embeddings have variance 1/d and are multiplied by sqrt(d); the target's is also the output
    layer.  T-Fixup has them of variance 1/d, times (9 blocks)^(-1/4).
    """
    std = ((9 * a.blocks) ** -0.25 if a.fixup else 1.0) / math.sqrt(a.width)

    def one(rng: Generator) -> Parameters:
        found: Parameters = {}
        for side, count in zip(("source", "target"), words, strict=True):
            found[side] = normal(rng, count, a.width, std=std, dtype=dtype)
        for side in ("encoder", "decoder"):
            found |= _blocks(a, side, rng, dtype)
        return found

    return _stacked([one(rng) for rng in rngs])


def _stacked(runs: Sequence[Parameters]) -> Parameters:
    return {name: torch.stack([run[name] for run in runs]) for name in runs[0]}


def _blocks(a: Architecture, side: str, rng: Generator, dtype: torch.dtype) -> Parameters:
    """Blocks of one side; layer norm starts as the plain one."""
    gain = _gain(a, side)

    def weight(rows: int, cols: int, variance: float, factor: float = 1.0) -> Tensor:
        return normal(rng, rows, cols, std=factor * math.sqrt(variance), dtype=dtype)

    found: Parameters = {}
    for layer in range(a.blocks):
        for kind in ("self", "cross") if side == "decoder" else ("self",):
            place = f"{side}.{layer}.{kind}"
            for name in ("wq", "wk", "wv", "wo")[: 4 if a.heads > 1 else 3]:
                factor = gain if name in ("wv", "wo") else 1.0
                found[f"{place}.{name}"] = weight(a.width, a.width, 1 / a.width, factor)
            found |= _residual(a, place, dtype)
        place = f"{side}.{layer}.ff"
        found[f"{place}.w1"] = weight(a.width, a.hidden, 2 / a.width, gain)
        found[f"{place}.w2"] = weight(a.hidden, a.width, 1 / a.hidden, gain)
        found |= _residual(a, place, dtype)
    return found | _norm(a, side, dtype) if a.norm == "pre" else found


def _gain(a: Architecture, side: str) -> float:
    """T-Fixup's factor of value, output and feed-forward matrices; 1 without it."""
    if not a.fixup:
        return 1.0
    return 0.67 * a.blocks**-0.25 if side == "encoder" else (9 * a.blocks) ** -0.25


def _residual(a: Architecture, place: str, dtype: torch.dtype) -> Parameters:
    strength = {f"{place}.alpha": torch.tensor(a.strength, dtype=dtype, device=device.current())}
    return strength if a.norm == "none" else strength | _norm(a, place, dtype)


def _norm(a: Architecture, place: str, dtype: torch.dtype) -> Parameters:
    at = device.current()
    return {
        f"{place}.gain": torch.ones(a.width, dtype=dtype, device=at),
        f"{place}.bias": torch.zeros(a.width, dtype=dtype, device=at),
    }
