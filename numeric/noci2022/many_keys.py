"""Attention of deep layers as d_k grows, along coupled networks: one array of weights for all d_k."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import many_keys as claims
from claims.noci2022.notation import X, alpha1, alpha2, ell
from claims.noci2022.uniformity import power
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.uniformity import REPLICATES, limit_along
from numeric.reach import Reach
from numeric.registry import directly
from numeric.remembered import remembered
from numeric.sampling import normal, stream

COLUMNS = 2**13


@remembered(maxsize=4)
def standard_weights(width: int, layer: int) -> tuple[Tensor, ...]:
    """Standard Gaussian queries and keys (replicates, d_v, columns), then W^V, W^F1 and W^F2.

    Replicates come in pairs, of keys and of their negatives, and are alike in the rest: what attention
    owes to the logits at first order cancels in their mean.
    """
    rng = stream("noci2022.assumption-3.1", layer)
    shapes = [(REPLICATES // 2, width, size) for size in (COLUMNS, COLUMNS, width, width, width)]
    queries, keys, *square = (normal(rng, *shape) for shape in shapes)
    twice = (torch.cat((w, w)) for w in (queries, *square))
    return next(twice), torch.cat((keys, -keys)), *twice


def _logits(x: Tensor, keys: int, theta: float, weights: tuple[Tensor, ...]) -> Tensor:
    """X W^Q W^K^T X^T / sqrt(d_k) for weights of variance d_k^-theta."""
    queries, other = (x @ w[..., :keys] for w in weights[:2])
    return keys**-theta * queries @ other.mT / math.sqrt(keys)


def logits_of_layer(point: Point, keys: int) -> Tensor:
    """M^l for every replicate, (replicates, n, n)."""
    x = tensor(point[X]).expand(REPLICATES, *point[X].shape)
    width, theta, last = x.shape[-1], float(point[power]), int(point[ell])
    rectified = point[claims.activation] == "relu"
    scale = width**-0.5
    for layer in range(last):
        weights = standard_weights(width, layer)
        wv, f1, f2 = (scale * w for w in weights[2:])
        s = _logits(x, keys, theta, weights).softmax(dim=-1) @ x @ wv
        z = float(point[alpha1]) * s + x
        hidden = (math.sqrt(2) * z @ f1).relu() if rectified else z @ f1
        x = float(point[alpha2]) * hidden @ f2 + z
    return _logits(x, keys, theta, standard_weights(width, last))


SMALL = 0.5
"""Logits up to this move the softmax nearly in proportion, so that its distances halve as they do."""


def are_still_falling(logits: Tensor) -> bool:
    """Whether two more doublings take a third off the logits: then they vanish, if not yet here."""
    sizes = logits.abs().flatten(1).mean(dim=-1)
    return float(sizes[-1]) < 0.7 * float(sizes[-3])


def limit_of_softmax(logits: Tensor) -> Measured:
    """The limit of the softmax of logits (sizes, replicates, n, n) along doublings of d_k.

    Where the sequence settles, its distance to the limit at least halves with every doubling: what
    remains is at most about the last distance, of which the error takes twice the larger of two.
    Where tokens are so long that the softmax is not near its limit yet, nothing is known.
    """
    sequence = logits.softmax(dim=-1)
    found = limit_along(sequence)
    near = found.value.isfinite().all() and float(logits[-1].abs().max()) < SMALL
    if not near and are_still_falling(logits):
        return Measured(sequence[-1].mean(dim=0), math.inf)
    last = (sequence[-3:-1] - sequence[-1]).mean(dim=1).abs().max()
    return Measured(found.value, 2 * float(last) + rounding(1.0))


@directly(
    claims.attention_of_every_layer_becomes_uniform,
    reach=Reach(64, "networks with thousands of keys are followed, layer by layer"),
)
def limit_of_attention(point: Point) -> Measured:
    """A^l at d_k = 1, 2, 4, ..., weights shared between the networks."""
    sizes = [2**e for e in range(COLUMNS.bit_length())]
    return limit_of_softmax(torch.stack([logits_of_layer(point, keys) for keys in sizes]))
