"""mu(X) through stacks at initialisation, over i.i.d. networks: masks, LayerNorm, temperature.

All masks and models of one run share its embeddings and weights, so that differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import attention_stacks as claims
from claims.wu2024.notation import N, d
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import stream
from numeric.trends import mean_of_runs
from numeric.wu2024.layers import mu
from numeric.wu2024.stacks import (
    FULL,
    NORMALISED,
    SAN,
    Stack,
    Weights,
    deviations_along,
    draw_kept,
    draw_tokens,
    draw_weights,
    relative_mu,
    supports_of,
    tokens_along,
)

RUNS = 64


def over_runs(samples: Tensor) -> Measured:
    """The mean over runs with its half-width."""
    return mean_of_runs(samples)


def runs_along(stack: Stack, size: int, runs: int = RUNS) -> Iterator[Tensor]:
    """X^{(t)} of i.i.d. networks through every mask, (masks, runs, n, d), t = 0..L."""
    tokens = draw_tokens(stream("wu2024", "tokens", size), runs, size, stack.width)
    support = supports_of(claims.FROM_GLOBAL_TO_LOCAL)
    yield from tokens_along(stack, tokens, support, run_weights(stack, size, runs))


def run_weights(stack: Stack, size: int, runs: int) -> Callable[[int], Weights]:
    """Weights and dropout by layer, drawn when asked for, the same for every temperature and mask."""

    def layer(t: int) -> Weights:
        weights = draw_weights(stream("wu2024", stack.kind, t), stack, runs)
        if not stack.dropout:
            return weights
        return weights | draw_kept(stream("wu2024", stack.kind, "dropout", t), stack, size, runs)

    return layer


def _sizes(point: Point) -> tuple[int, int, int, int]:
    return int(point[N]), int(point[d]), int(point[claims.heads]), int(point[claims.depth])


def _stack(point: Point, kind: str) -> tuple[int, Stack]:
    size, width, heads, layers = _sizes(point)
    return size, Stack(width, heads, layers, kind, dropout=float(point[claims.dropout]))


# Masks and LayerNorm -------------------------------------------------------------------------------


@remembered()
def log_mu(size: int, stack: Stack) -> tuple[Tensor, Tensor]:
    """log mu(X^{(t)}) and log mu/||X||_F, each (L + 1, masks, runs).

    Tokens that agree to rounding may agree to the last bit on another device: mu/||X||_F is read as
    no less than the distance of neighbouring numbers.
    """
    logs = []
    for x in runs_along(stack, size):
        ratio = relative_mu(x).clamp(min=torch.finfo(x.dtype).eps)
        logs.append(((ratio * x.norm(dim=(-2, -1))).log(), ratio.log()))
    san, relative = zip(*logs, strict=True)
    return torch.stack(san), torch.stack(relative)


@measures(claims.step)
def step_of_san(point: Point, layer: int, mask: int) -> Measured:
    """One layer's change of log mu."""
    san, _ = log_mu(*_stack(point, SAN))
    return over_runs(san[layer, mask - 1] - san[layer - 1, mask - 1])


@measures(claims.gained)
def gained_by_a_more_local_mask(point: Point, mask: int, local: int) -> Measured:
    """The same networks under two masks."""
    san, _ = log_mu(*_stack(point, SAN))
    return over_runs(san[-1, local - 1] - san[-1, mask - 1])


@measures(claims.relative)
def relative_fall(point: Point, mask: int) -> Measured:
    """log of mu/||X||_F, last layer against input."""
    _, ratio = log_mu(*_stack(point, SAN))
    return over_runs(ratio[-1, mask - 1] - ratio[0, mask - 1])


def _along(point: Point, mask: int, kind: str) -> Measured:
    along, _ = log_mu(*_stack(point, kind))
    return over_runs(along[-1, mask - 1] - along[0, mask - 1])


@measures(claims.normalised)
def fall_with_layernorm(point: Point, mask: int) -> Measured:
    """log mu of SAN + LayerNorm, last layer against input."""
    return _along(point, mask, NORMALISED)


@measures(claims.transformer)
def fall_in_the_transformer(point: Point, mask: int) -> Measured:
    """log mu of the transformer, last layer against input."""
    return _along(point, mask, FULL)


# Temperature ---------------------------------------------------------------------------------------


@remembered()
def log_mu_at(size: int, width: int, heads: int, layers: int, temperature: float) -> Tensor:
    """log mu(X^{(t)}) of SANs, (L + 1, masks, runs); complete attention by its deviations."""
    stack = Stack(width, heads, layers, SAN, temperature)
    along = torch.stack([mu(x) for x in runs_along(stack, size)])
    tokens = draw_tokens(stream("wu2024", "tokens", size), RUNS, size, width)
    apart = deviations_along(stack, tokens, run_weights(stack, size, RUNS))
    along[:, 0] = torch.stack([x.norm(dim=(-2, -1)) for x in apart])
    return along.log()


@measures(claims.effect)
def effect_on_a_layer(point: Point, layer: int, mask: int) -> Measured:
    """The effect of d_QK/100 on one layer's log mu(t)/mu(t-1), with the same weights."""
    small, printed = (log_mu_at(*_sizes(point), temperature) for temperature in (0.01, 1.0))
    effect = (small - printed)[:, mask - 1]
    return over_runs(effect[layer] - effect[layer - 1])
