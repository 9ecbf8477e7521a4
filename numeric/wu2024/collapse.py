"""Theorem 1 on tensors: attention along trajectories, mu after t layers, and the fate of tokens."""

from __future__ import annotations

import math

import torch

from claims.domain import Point
from claims.wu2024 import collapse as claims
from claims.wu2024.dynamics import values
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WV, A, G, X, attention, t
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import mu, simulate, support_of

SETTLED = 400
"""Layers after which (1 - 1/8)^t, the slowest decay of a point's attention, is below rounding."""


@directly(claims.attention_has_a_positive_floor)
def least_log_attention(point: Point) -> Measured:
    """-log of the least attention on an edge, by log-softmax in every layer."""
    state, support = tensor(point[X]), support_of(point[G])
    largest, size = 0.0, 1.0
    layers = zip(point[claims.queries], point[claims.keys], point[values], strict=True)
    for wq, wk, wv in ((tensor(m) for m in layer) for layer in layers):
        scores = (state @ wq) @ (state @ wk).mT / math.sqrt(float(point[d_QK]))
        logs = torch.log_softmax(scores.masked_fill(~support, -torch.inf), dim=-1)
        largest = max(largest, float(-logs[support].min()))
        size = max(size, float(scores.abs().max()), float(state.abs().max()))
        state = logs.exp() @ state @ wv
    # Scores are quadratic in tokens whose error is that of the scores before.
    return Measured(largest, rounding(size**2))


@directly(claims.tokens_collapse_exponentially)
def mu_after_layers(point: Point) -> Measured:
    """mu(X^{(t)}) by iteration."""
    x, layers = tensor(point[X]), int(point[t])
    if layers == 0:
        return Measured(float(mu(x)), rounding(1 + x.norm()))
    attentions, products = tensor(point[attention]).unbind(), tensor(point[values]).unbind()
    last = simulate(x, attentions, products, layers, normalise=False)[-1]
    size = (1 + x.norm()) * math.prod(1 + float(w.norm()) for w in products)
    return Measured(float(mu(last)), rounding(size))


@directly(claims.tokens_converge_to_a_common_vector)
def simulated_fate(point: Point) -> Measured:
    """The flags of the claim from layers 400 to 404, a whole period of the value matrices."""
    x, a, w = tensor(point[X]), tensor(point[A]), tensor(point[WV])
    rows, columns = (torch.linalg.matrix_power(m, SETTLED) for m in (a, w))
    late = simulate(rows @ x @ columns, a, w, 4, normalise=False)
    powers = simulate(columns, torch.eye(len(w)).to(w), w, 4, normalise=False)
    means = x.mean(dim=0, keepdim=True) @ powers

    def zero(value: torch.Tensor) -> bool:
        return bool(value.abs().max() <= rounding(1 + x.abs().max()))

    return Measured(
        (
            zero(late - late[:, :1]),
            zero(late[1:] - late[:-1]),
            zero(late),
            zero(late - means),
            zero(powers[1:] - powers[:-1]),
        )
    )
