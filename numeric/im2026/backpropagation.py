"""Gradients of the loss by autograd, by weights and by intermediate values, at the points of a claim."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from claims.domain import Point
from claims.im2026 import backpropagation as claims
from claims.im2026.backpropagation import OUTPUT, layer_of
from claims.im2026.notation import depth
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026 import network
from numeric.im2026.network import Weights, one_hot, position_matrix, tokens_of
from numeric.reach import Reach

__all__ = ["MIDDLE", "SMALL", "gradient_by", "intermediate", "jacobians_of_rows", "weights_of"]

SMALL = Reach(
    6, "the other side is evaluated to sixty digits, with a derivative for each entry of a layer"
)
MIDDLE = Reach(12, "the other side is evaluated to sixty digits, entry by entry")
NAMES = {"W": "attention", "P": "positions", "V": "value", "W_O": "output"}


def jacobians_of_rows(logits: Tensor) -> Tensor:
    """Of every row of the masked softmax by its own logits, by autograd, one below the other."""
    length = logits.shape[-1]
    future = torch.ones(length, length, dtype=torch.bool, device=logits.device).triu(1)

    def softmax(row: Tensor, t: int) -> Tensor:
        return row.masked_fill(future[t], -torch.inf).softmax(-1)

    rows = [
        torch.func.jacrev(lambda row, t=t: softmax(row, t))(sequence[t])
        for sequence in logits
        for t in range(length)
    ]
    return torch.cat(rows)


def weights_of(point: Point) -> Weights:
    """The weights of a point, layer by layer."""
    if depth in point:
        stacks = (claims.ATTENTION_STACK, claims.POSITION_STACK, claims.VALUE_STACK)
    else:
        stacks = (claims.ATTENTION, claims.POSITIONS, claims.VALUES)
    layers = int(point[depth]) if depth in point else 1
    attention, positions, value = (tensor(point[s]).unflatten(0, (layers, -1)) for s in stacks)
    return Weights(attention, positions.squeeze(-1), value, tensor(point[OUTPUT]))


def intermediate(weights: Weights, tokens: Tensor) -> tuple[dict[tuple[str, int], Tensor], float]:
    """The gradients by hidden states, logits, attention and outputs, and the largest value met.

    A zero is added to each of them: the gradient by the zero is that by the value.
    """
    leaves: dict[tuple[str, int], Tensor] = {}
    largest = 1.0

    def shifted(name: str, place: int, value: Tensor) -> Tensor:
        nonlocal largest
        largest = max(largest, float(value.detach().abs().max()))
        leaves[name, place] = torch.zeros_like(value, requires_grad=True)
        return value + leaves[name, place]

    hidden = shifted("hidden", 0, one_hot(tokens[:, :-1], weights.output.shape[0]))
    future = torch.ones(hidden.shape[1], hidden.shape[1], dtype=torch.bool).triu(1)
    for place in range(weights.depth):
        scores = hidden @ weights.attention[place] @ hidden.mT
        logits = shifted("logits", place + 1, scores + position_matrix(weights.positions[place]))
        softmax = logits.masked_fill(future, -torch.inf).softmax(-1)
        mixed = shifted("attention", place + 1, softmax) @ hidden @ weights.value[place]
        hidden = shifted("hidden", place + 1, hidden + mixed)
    output = shifted("output", 1, hidden @ weights.output)
    loss = cross_entropy(output.flatten(0, 1), tokens[:, 1:].flatten())
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    pairs = zip(leaves.items(), found, strict=True)
    return {k: torch.zeros_like(v) if g is None else g for (k, v), g in pairs}, largest


def gradient_by(what: str, shift: int = 0) -> Callable[[Point], Measured]:
    """An estimator of the gradient by a weight or an intermediate value, at the point's layer."""

    def measured(point: Point) -> Measured:
        weights, tokens = weights_of(point), tokens_of(point)
        place = layer_of(point) + shift
        inside, largest = intermediate(weights, tokens)
        if what in NAMES:
            found = getattr(network.gradients(weights, tokens), NAMES[what])
            found = found if what == "W_O" else found[place - 1]
        else:
            place = 1 if what == "output" else place
            found = inside[what, place].flatten(0, 1)
        columns = found if found.ndim > 1 else found[:, None]
        return Measured(columns, rounding(largest**3))

    return measured
