"""Simulated stacks of blocks for the figures of Noci et al. (2022), and intervals for their means.

Weights are i.i.d. Gaussian of the Xavier variance 1/d_v with d_k = d_F = d_v, fresh in every layer
and sample.  Tokens are jointly Gaussian: features are independent, entries have variance sigma_x^2,
two tokens share a feature with correlation rho.  Where the paper leaves a size open, the claim and
the figure's caption say what is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from numeric.agreement import rounding
from numeric.estimates import Estimate
from numeric.layers import Activation, Attention, Norm, Weights, block
from numeric.quantiles import student
from numeric.sampling import normal

__all__ = [
    "ACTIVATIONS",
    "ATTENTIONS",
    "PLACEMENTS",
    "VARIANCES",
    "Stack",
    "correlated_tokens",
    "interval",
    "mean_cosine",
    "ratio_interval",
    "side_by_side",
    "xavier",
]

ACTIVATIONS: tuple[Activation, ...] = ("linear", "relu")
ATTENTIONS: tuple[Attention, ...] = ("mean", "softmax")
"""Uniform and true: forward passes alone need no gradient through the logits."""
VARIANCES = {"linear": 1.0, "relu": 2.0}
"""d_v times the variance of W^{F_1}, by activation (footnote 3)."""
PLACEMENTS: tuple[Norm, ...] = ("none", "pre", "post")
CONFIDENCE = 1e-9
"""Probability that an interval misses its mean; a thousand of them leave 1e-6."""


@dataclass(frozen=True)
class Stack:
    """Everything about a stack but its weights; `scaled` divides alpha_1, alpha_2 by sqrt(depth)."""

    depth: int
    scaled: bool = False
    norm: Norm = "none"
    activation: Activation = "linear"
    attention: Attention = "softmax"
    alpha: float = 1.0
    variance: float = 1.0
    """d_v times the variance of W^{F_1}."""

    def after(self, x: Tensor, weights: Weights) -> Tensor:
        """One block of the stack."""
        strength = self.alpha / math.sqrt(self.depth) if self.scaled else self.alpha
        positive = math.sqrt(self.variance)  # both activations commute with a positive factor
        return block(
            x, weights, alpha_1=strength, alpha_2=positive * strength, attention=self.attention,
            activation=self.activation, norm=self.norm,
        )  # fmt: skip


def side_by_side(stacks: Sequence[Stack], x: Tensor, rng: Generator) -> Iterator[list[Tensor]]:
    """X^0, ..., X^L of every stack, all of one depth, from tokens (samples, n, v).

    Every sample and layer has weights of its own, which the stacks share: what differs between two
    stacks is not the luck of the draw.
    """
    tokens = [x] * len(stacks)
    yield tokens
    for _ in range(stacks[0].depth):
        weights = xavier(x.shape[0], x.shape[-1], rng, x.dtype)
        tokens = [stack.after(t, weights) for stack, t in zip(stacks, tokens, strict=True)]
        yield tokens


def xavier(count: int, width: int, rng: Generator, dtype: torch.dtype = torch.float64) -> Weights:
    """`count` sets of weights, all (count, v, v) with variance 1/v."""
    return Weights(
        *(normal(rng, count, width, width, std=width**-0.5, dtype=dtype) for _ in range(5))
    )


def correlated_tokens(
    rng: Generator, count: int, size: int, width: int, *, rho: float = 0.0, std: float = 1.0,
    dtype: torch.dtype = torch.float64,
) -> Tensor:  # fmt: skip
    """Gaussian tokens (samples, n, v) with E[X_ij X_i'j] = std^2 rho for i != i', rho in [0, 1]."""
    own = normal(rng, count, size, width, dtype=dtype)
    shared = normal(rng, count, 1, width, dtype=dtype)
    return std * (math.sqrt(1 - rho) * own + math.sqrt(rho) * shared)


def mean_cosine(x: Tensor) -> Tensor:
    """Average cosine over pairs of distinct tokens, per sample; x of axes (..., n, v)."""
    unit = x / x.norm(dim=-1, keepdim=True)
    size = x.shape[-2]
    return (unit.sum(dim=-2).square().sum(dim=-1) - size) / (size * (size - 1))


def interval(samples: Tensor) -> tuple[float, float]:
    """Mean of i.i.d. samples with light tails, such as cosines, and its half-width by Student's t."""
    count = len(samples)
    quantile = student(CONFIDENCE / 2, count - 1)
    return float(samples.mean()), quantile * float(samples.std()) / math.sqrt(count)


def ratio_interval(top: Tensor, bottom: Tensor) -> tuple[float, float]:
    """E top / E bottom of paired positive samples, with the half-width of its interval.

    The residuals top - r bottom have mean zero at the true ratio r (Fieller); their spread over the
    mean of `bottom` is the error of r to leading order.  Norms have heavy tails, which the interval
    of `Estimate` takes as they are.
    """
    ratio = float(top.mean() / bottom.mean())
    estimate = Estimate()
    estimate.add((top - ratio * bottom).double())
    return ratio, estimate.half_width(CONFIDENCE) / float(bottom.mean()) + rounding(ratio)
