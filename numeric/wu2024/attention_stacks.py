"""mu(X) through stacks at initialisation, over i.i.d. networks: masks, LayerNorm, temperature.

All masks and models of one run share its embeddings and weights, so that differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.trends import Interval
from claims.wu2024 import attention_stacks as claims
from claims.wu2024.notation import G, N, d
from numeric.agreement import Measured
from numeric.registry import directly
from numeric.sampling import generator
from numeric.trends import mean_interval
from numeric.wu2024.layers import mu
from numeric.wu2024.stacks import (
    FULL,
    NORMALISED,
    SAN,
    Stack,
    Weights,
    deviations_along,
    draw_tokens,
    draw_weights,
    relative_mu,
    supports_of,
    tokens_along,
)

RUNS = 64


def interval(samples: Tensor) -> Interval:
    """Mean and half-width over runs."""
    low, high = mean_interval(samples)
    return (low + high) / 2, (high - low) / 2


def runs_along(stack: Stack, size: int, runs: int = RUNS) -> Iterator[Tensor]:
    """X^{(t)} of i.i.d. networks through every mask, (masks, runs, n, d), t = 0..L."""
    tokens = draw_tokens(generator(0, "wu2024", "tokens", size), runs, size, stack.width)
    support = supports_of(claims.FROM_GLOBAL_TO_LOCAL)
    yield from tokens_along(stack, tokens, support, run_weights(stack, runs))


def run_weights(stack: Stack, runs: int) -> Callable[[int], Weights]:
    """Weights by layer, drawn when asked for, the same for every temperature and mask."""
    return lambda t: draw_weights(generator(0, "wu2024", stack.kind, t), stack, runs)


def _sizes(point: Point) -> tuple[int, int, int, int]:
    return int(point[N]), int(point[d]), int(point[claims.heads]), int(point[claims.depth])


# Masks and LayerNorm -------------------------------------------------------------------------------


@cache
def log_mu(size: int, width: int, heads: int, layers: int, kind: str) -> tuple[Tensor, Tensor]:
    """log mu(X^{(t)}) and log mu/||X||_F, each (L + 1, masks, runs)."""
    along = list(runs_along(Stack(width, heads, layers, kind), size))
    return tuple(torch.stack([measure(x).log() for x in along]) for measure in (mu, relative_mu))  # type: ignore[return-value]


@directly(claims.layernorm_alone_keeps_mu_above_zero)
def trends_by_mask(point: Point) -> Measured:
    """How log mu moves along SAN, SAN + LayerNorm and transformer, for the point's mask."""
    place, sizes = claims.FROM_GLOBAL_TO_LOCAL.index(point[G]), _sizes(point)
    san, ratio = log_mu(*sizes, SAN)
    found = {
        "falls": [interval(step[place]) for step in san.diff(dim=0)],
        "slower": interval(san[-1, place] - san[-1, place - 1]) if place else None,
        "relative": interval(ratio[-1, place] - ratio[0, place]),
    }
    for name, kind in (("LayerNorm", NORMALISED), ("transformer", FULL)):
        along, _ = log_mu(*sizes, kind)
        found[name] = interval(along[-1, place] - along[0, place])
    return Measured(found)


# Temperature ---------------------------------------------------------------------------------------


@cache
def log_mu_at(size: int, width: int, heads: int, layers: int, temperature: float) -> Tensor:
    """log mu(X^{(t)}) of SANs, (L + 1, masks, runs); complete attention by its deviations."""
    stack = Stack(width, heads, layers, SAN, temperature)
    along = torch.stack([mu(x) for x in runs_along(stack, size)])
    tokens = draw_tokens(generator(0, "wu2024", "tokens", size), RUNS, size, width)
    apart = deviations_along(stack, tokens, run_weights(stack, RUNS))
    along[:, 0] = torch.stack([x.norm(dim=(-2, -1)) for x in apart])
    return along.log()


@directly(claims.temperature_matters_more_in_shallow_layers)
def effects_by_mask(point: Point) -> Measured:
    """The effect of d_QK/100 on every layer's log mu(t)/mu(t-1), for the point's mask."""
    place, sizes = claims.FROM_GLOBAL_TO_LOCAL.index(point[G]), _sizes(point)
    effect = (log_mu_at(*sizes, 0.01) - log_mu_at(*sizes, 1.0)).diff(dim=0)
    last = place == len(claims.FROM_GLOBAL_TO_LOCAL) - 1
    return Measured(
        {
            "effect": interval(effect[0, place]),
            "more": None if last else interval(effect[0, place] - effect[0, place + 1]),
            "deeper": [interval(step[place] - effect[0, place]) for step in effect[1:]],
        }
    )
