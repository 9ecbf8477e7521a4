r"""Definition 3.1 in torch: forward pass, loss, autograd gradients, full-batch gradient descent.

Axes: `sequences` (sample, position), integer tokens from zero, one position longer than the network
sees; hidden states (sample, position, word); attention (sample, query, key).  float64 throughout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import corpora
from numeric import device
from numeric.sampling import normal

__all__ = [
    "Weights", "attentions", "descent", "gaussian_start", "gradients", "hidden_states", "loss",
    "one_hot", "output", "position_matrix", "tokens_of", "zero_start",
]  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """Weights by layer (layer, ...) and the output matrix; words x words, positions T."""

    attention: Tensor
    positions: Tensor
    value: Tensor
    output: Tensor

    @property
    def depth(self) -> int:
        return len(self.attention)

    def moved(self, direction: Weights, step: float) -> Weights:
        """These weights plus `step` times a direction."""
        pairs = ((getattr(self, f.name), getattr(direction, f.name)) for f in fields(self))
        return Weights(*(own + step * other for own, other in pairs))


def zero_start(depth: int, length: int, words: int) -> Weights:
    """All weights zero."""
    shapes = ((depth, words, words), (depth, length), (depth, words, words), (words, words))
    where = device.current()
    return Weights(*(torch.zeros(shape, dtype=torch.float64, device=where) for shape in shapes))


def gaussian_start(
    rng: torch.Generator, depth: int, length: int, words: int, v: float, xi: float = 0.0
) -> Weights:
    r"""Independent entries $N(0,v^2/|V|^{2+2\xi})$, Theorem D.13."""
    std = v / words ** (1 + xi)
    shapes = ((depth, words, words), (depth, length), (depth, words, words), (words, words))
    return Weights(*(normal(rng, *shape, std=std) for shape in shapes))


def tokens_of(point: Point) -> Tensor:
    """The sequences of a point as integer tokens from zero (sample, position)."""
    return torch.tensor(corpora.tokens(point), device=device.current()) - 1


def one_hot(tokens: Tensor, words: int) -> Tensor:
    """float64 one-hot rows."""
    return torch.nn.functional.one_hot(tokens, words).double()


def position_matrix(positions: Tensor) -> Tensor:
    """DM(P): entry m of P on sub-diagonal m - 1; zero above the diagonal, where the mask is."""
    length = positions.shape[-1]
    place = torch.arange(length, device=positions.device)
    behind = place[:, None] - place[None, :]
    return torch.where(behind >= 0, positions[behind.clamp(min=0)], 0.0)


def times_softmax_jacobians(rows: Tensor, upstream: Tensor) -> Tensor:
    """diag(a) - a a^T of every row a of an attention, times the same row of a matrix."""
    jacobians = torch.diag_embed(rows) - rows[..., :, None] * rows[..., None, :]
    return torch.einsum("...jk,...k->...j", jacobians, upstream)


def _layer(hidden: Tensor, weights: Weights, place: int) -> tuple[Tensor, Tensor]:
    """The attention of a layer and the hidden states after it."""
    logits = hidden @ weights.attention[place] @ hidden.mT + position_matrix(
        weights.positions[place]
    )
    length = hidden.shape[1]
    future = torch.ones(length, length, dtype=torch.bool, device=hidden.device).triu(1)
    attention = logits.masked_fill(future, -torch.inf).softmax(-1)
    return attention, hidden + attention @ hidden @ weights.value[place]


def hidden_states(weights: Weights, inputs: Tensor) -> list[Tensor]:
    """h^(0) = X, ..., h^(L) for one-hot inputs (sample, position, word)."""
    states = [inputs]
    for place in range(weights.depth):
        states.append(_layer(states[-1], weights, place)[1])
    return states


def attentions(weights: Weights, inputs: Tensor) -> list[Tensor]:
    """A^(1), ..., A^(L), each (sample, query, key)."""
    found, hidden = [], inputs
    for place in range(weights.depth):
        attention, hidden = _layer(hidden, weights, place)
        found.append(attention)
    return found


def output(weights: Weights, inputs: Tensor) -> Tensor:
    """F(X), Eq. (1), logits of the next token."""
    return hidden_states(weights, inputs)[-1] @ weights.output


def loss(weights: Weights, tokens: Tensor) -> Tensor:
    """Eq. (3): mean cross-entropy in nats over all positions of all sequences."""
    words = weights.output.shape[0]
    logits = output(weights, one_hot(tokens[:, :-1], words))
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def gradients(weights: Weights, tokens: Tensor) -> Weights:
    """The gradient of the loss by autograd, in the shapes of the weights."""
    leaves = [getattr(weights, f.name).detach().requires_grad_() for f in fields(weights)]
    return Weights(*torch.autograd.grad(loss(Weights(*leaves), tokens), leaves))


def descent(start: Weights, tokens: Tensor, eta: float, steps: int) -> Iterator[Weights]:
    """Full-batch gradient descent, Eq. (4): the weights after 0, 1, ..., `steps` steps."""
    weights = start
    yield weights
    for _ in range(steps):
        weights = weights.moved(gradients(weights, tokens), -eta)
        yield weights
