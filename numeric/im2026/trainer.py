"""Training the network of Definition 3.1 on a text, and what Tables 1 to 3 and Fig. 5 ask of it.

The first layer looks words up instead of multiplying one-hot rows; sequences are taken in parts, so
that hidden states fit in memory.  float64 throughout: attention weights are of the order eta^4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from claims.errors import UserError
from numeric.im2026.associations import neighbours
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.interventions import without_each
from numeric.im2026.network import Weights, position_matrix, zero_start
from numeric.im2026.reading import Text

__all__ = [
    "Checkpoint", "Diverged", "Plan", "associated", "gradient", "losses_without", "mean_loss",
    "require_known", "trained",
]  # fmt: skip

ENTRIES = 2**24
"""Numbers in the hidden states of the sequences that are taken together."""


class Diverged(UserError):
    """A loss that is no number any more, or far above that of zero weights."""


@dataclass(frozen=True)
class Plan:
    """How to train: SGD from zero."""

    epochs: int = 10
    eta: float = 0.005
    batch: int = 32
    layers: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch", 1), ("layers", 1)):
            if getattr(self, name) < least:
                raise UserError(f"{name}={getattr(self, name)}: must be at least {least}")
        if not 0 < self.eta < float("inf"):
            raise UserError(f"eta={self.eta}: must be positive and finite")


@dataclass(frozen=True)
class Checkpoint:
    """After an epoch: step, loss of the first batch, cosines with its leading terms."""

    epoch: int
    step: int
    loss: float
    cosines: dict[str, float]
    """By "attention 1", ..., "positions 1", ..., "value 1", ..., and "output"; those whose weight or
    leading term is zero are left out."""


# Passes -------------------------------------------------------------------------------------------


def logits(weights: Weights, tokens: Tensor) -> Tensor:
    """F(X) for tokens (sample, position), without one-hot matrices in the first layer."""
    words, length = weights.output.shape[0], tokens.shape[1]
    future = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
    hidden = None
    for place in range(weights.depth):
        attention, value = weights.attention[place], weights.value[place]
        if hidden is None:
            scores, read = attention[tokens[:, :, None], tokens[:, None, :]], value[tokens]
        else:
            scores, read = hidden @ attention @ hidden.mT, hidden @ value
        scores = scores + position_matrix(weights.positions[place])
        mixed = scores.masked_fill(future, -torch.inf).softmax(-1) @ read
        if hidden is None:
            hidden = torch.nn.functional.one_hot(tokens, words).to(value.dtype)
        hidden = hidden + mixed
    assert hidden is not None
    return hidden @ weights.output


def _parts(tokens: Tensor, words: int) -> tuple[Tensor, ...]:
    length = tokens.shape[1] - 1
    return tokens.split(max(1, ENTRIES // (length * max(length, words))))


def mean_loss(weights: Weights, tokens: Tensor) -> float:
    """The cross-entropy of a text, part by part."""
    total = torch.zeros((), dtype=torch.float64, device=tokens.device)
    with torch.no_grad():
        for part in _parts(tokens, len(weights.output)):
            total += _summed_loss(weights, part)
    return float(total) / tokens[:, 1:].numel()


def _summed_loss(weights: Weights, tokens: Tensor) -> Tensor:
    return cross_entropy(
        logits(weights, tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    )


def gradient(weights: Weights, tokens: Tensor) -> Weights:
    """The gradient of the mean loss of a batch."""
    leaves = [getattr(weights, f.name).detach().requires_grad_() for f in fields(weights)]
    for part in _parts(tokens, len(weights.output)):
        (_summed_loss(Weights(*leaves), part) / tokens[:, 1:].numel()).backward()  # type: ignore[no-untyped-call]
    return Weights(*(leaf.grad for leaf in leaves))


# Training -----------------------------------------------------------------------------------------


def _cosine(a: Tensor, b: Tensor) -> float | None:
    """Each is divided by its largest entry first: squares of weights just left zero would vanish."""
    largest = [x.abs().max() for x in (a, b)]
    if not all(largest):
        return None
    a, b = (x / size for x, size in zip((a, b), largest, strict=True))
    return float((a * b).sum() / (a.norm() * b.norm()))


def cosines(weights: Weights, maps: Statistics) -> dict[str, float]:
    """Cosines between weights and their leading terms, where both are not zero."""
    found = {
        f"{name} {place + 1}": _cosine(layers[place], term)
        for name, layers, term in (
            ("attention", weights.attention, maps.words),
            ("positions", weights.positions, maps.positions),
            ("value", weights.value, maps.value),
        )
        for place in range(weights.depth)
    }
    found["output"] = _cosine(weights.output, maps.bigram)
    return {name: cosine for name, cosine in found.items() if cosine is not None}


def _batches(tokens: Tensor, plan: Plan) -> Iterator[tuple[int, Tensor]]:
    """(epoch, batch): the sequences in a new order each epoch, the last batch perhaps smaller."""
    rng = torch.Generator().manual_seed(plan.seed)
    for epoch in range(1, plan.epochs + 1):
        order = torch.randperm(len(tokens), generator=rng, device=rng.device).to(tokens.device)
        for chosen in order.split(plan.batch):
            yield epoch, tokens[chosen]


def trained(
    text: Text, plan: Plan, track: Callable[[Any], Any] = iter
) -> Iterator[tuple[Checkpoint, Weights, Statistics]]:
    """Train from zero; after every epoch a checkpoint, the weights, and the first batch's maps.

    Raises `Diverged` where the loss of a checkpoint is no number, or more than twice that of zero
    weights; the checkpoints before it stand.
    """
    words, length = len(text.vocabulary), text.tokens.shape[1] - 1
    weights = zero_start(plan.layers, length, words)
    tokens = text.tokens.to(weights.output.device)
    first: Tensor | None = None
    maps: Statistics | None = None
    batches = list(_batches(tokens, plan))
    for step, (epoch, batch) in enumerate(track(batches), start=1):
        if first is None or maps is None:
            first, maps = batch, statistics(batch, words)
        weights = weights.moved(gradient(weights, batch), -plan.eta)
        if step == len(batches) or batches[step][0] != epoch:
            loss = mean_loss(weights, first)
            if not loss <= 2 * torch.log(torch.tensor(float(words))):
                raise Diverged(
                    f"eta={plan.eta}: the loss of epoch {epoch} is {loss:.3g}, above twice that of "
                    "zero weights; take a smaller learning rate"
                )
            yield Checkpoint(epoch, step, loss, cosines(weights, maps)), weights, maps


def losses_without(weights: Weights, maps: Statistics, tokens: Tensor) -> dict[str, float]:
    """Table 3: the loss of a text, and that after each weight lost its part along the leading term."""
    tokens = tokens.to(weights.output.device)
    named = {"W": "attention", "V": "value", "W_O": "output"}
    found = {"original": mean_loss(weights, tokens)}
    for name, each in without_each(weights, maps).items():
        for place, changed in enumerate(each, start=1):
            label = named[name] if name == "W_O" else f"{named[name]} {place}"
            found[label] = mean_loss(changed, tokens)
    return found


def require_known(text: Text, asked: Sequence[str]) -> None:
    """Raise `UserError` for a word that is not in the vocabulary, before anything is trained."""
    for word in asked:
        if word not in text.vocabulary:
            raise UserError(f"word {word!r}: not in the vocabulary of the text; show another one")


def associated(text: Text, maps: Statistics, asked: Sequence[str], count: int) -> dict[str, Any]:
    """Fig. 5: of each word asked for the nearest words under the three maps."""
    require_known(text, asked)
    numbers = {word: place for place, word in enumerate(text.vocabulary)}
    count = min(count, len(numbers) - 1)
    named = {
        "bigram": maps.bigram, "interchangeability": maps.interchangeability, "context": maps.context,
    }  # fmt: skip
    near = {name: neighbours(matrix, count).tolist() for name, matrix in named.items()}
    return {
        word: {
            name: [text.vocabulary[k] for k in rows[numbers[word]]] for name, rows in near.items()
        }
        for word in asked
    }
