r"""Networks of any weights with all that the displays of App. D speak of, by autograd where it is a gradient.

Axes: layers, sequences, positions, words.  The weights are leading terms after $s$ steps plus errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import comb

import torch
from torch import Tensor

from numeric.im2026.corpora import Statistics, generated, statistics, uniform_attention
from numeric.im2026.network import Weights, gradients, one_hot, position_matrix

__all__ = ["Scene", "fro", "network", "op", "row", "scenes"]


def fro(matrices: Tensor) -> Tensor:
    return torch.linalg.matrix_norm(matrices)


def op(matrices: Tensor) -> Tensor:
    return torch.linalg.matrix_norm(matrices, ord=2)


def row(rows: Tensor) -> Tensor:
    return torch.linalg.vector_norm(rows, dim=-1)


def leading(s: int, rate: float) -> tuple[float, float, float]:
    r"""$s\eta$, $\tbinom s2\eta^2$ and $(3\tbinom s4+2\tbinom s3)\eta^4$, which stand before statistics."""
    return s * rate, comb(s, 2) * rate**2, (3 * comb(s, 4) + 2 * comb(s, 3)) * rate**4


@dataclass(frozen=True, eq=False)
class Scene:
    """A network of some weights that reads a corpus."""

    tokens: Tensor
    weights: Weights
    words: int
    steps: int
    rate: float

    @property
    def depth(self) -> int:
        return self.weights.depth

    @property
    def length(self) -> int:
        return self.tokens.shape[1] - 1

    @property
    def x(self) -> float:
        return leading(self.steps, self.rate)[0]

    @property
    def half(self) -> float:
        return leading(self.steps, self.rate)[1]

    @property
    def count(self) -> float:
        return leading(self.steps, self.rate)[2]

    @cached_property
    def after(self) -> Scene:
        """After one more step."""
        return replace(
            self, weights=self.weights.moved(self.slope, -self.rate), steps=self.steps + 1
        )

    @cached_property
    def corpus(self) -> Statistics:
        return statistics(self.tokens, self.words)

    @cached_property
    def inputs(self) -> Tensor:
        return one_hot(self.tokens[:, :-1], self.words)

    @cached_property
    def centred(self) -> Tensor:
        """Y - U_O."""
        return one_hot(self.tokens[:, 1:], self.words) - 1 / self.words

    @cached_property
    def uniform(self) -> Tensor:
        return uniform_attention(self.length, self.inputs)

    @cached_property
    def _passed(self) -> tuple[list[Tensor], list[Tensor], list[Tensor], Tensor]:
        """Hidden states, logits and attention of all layers, and the output; of a graph for gradients."""
        masked = torch.ones(self.length, self.length, dtype=torch.bool).triu(1)
        states, logits, mixing = [self.inputs.clone().requires_grad_()], [], []
        for layer in range(self.depth):
            h = states[-1]
            scores = h @ self.weights.attention[layer] @ h.mT
            scores = scores + position_matrix(self.weights.positions[layer])
            logits.append(scores.masked_fill(masked, 0.0))
            mixing.append(logits[-1].masked_fill(masked, -torch.inf).softmax(-1))
            states.append(h + mixing[-1] @ h @ self.weights.value[layer])
        return states, logits, mixing, states[-1] @ self.weights.output

    @cached_property
    def hidden(self) -> Tensor:
        """h^(0), ..., h^(L)."""
        return torch.stack(self._passed[0]).detach()

    @cached_property
    def logits(self) -> Tensor:
        """z^(1), ..., z^(L); zero where the mask is."""
        return torch.stack(self._passed[1]).detach()

    @cached_property
    def attention(self) -> Tensor:
        return torch.stack(self._passed[2]).detach()

    @cached_property
    def output(self) -> Tensor:
        return self._passed[3].detach()

    @cached_property
    def shares(self) -> Tensor:
        """Softmax of the output."""
        return self.output.softmax(-1)

    @cached_property
    def residual(self) -> Tensor:
        """R = Y - S(F)."""
        return self.centred + 1 / self.words - self.shares

    @cached_property
    def _pulled(self) -> tuple[Tensor, Tensor]:
        """-NT times the gradient at hidden states and at logits."""
        states, logits, _, output = self._passed
        total = -torch.nn.functional.cross_entropy(
            output.flatten(0, 1), self.tokens[:, 1:].flatten(), reduction="sum"
        )
        found = torch.autograd.grad(total, (*states, *logits))
        return torch.stack(found[: len(states)]), torch.stack(found[len(states) :])

    @property
    def sensitivity(self) -> Tensor:
        """G^(0), ..., G^(L)."""
        return self._pulled[0]

    @property
    def scores(self) -> Tensor:
        """S^(1), ..., S^(L)."""
        return self._pulled[1]

    @cached_property
    def slope(self) -> Weights:
        """The gradient of the loss."""
        return gradients(self.weights, self.tokens)

    @cached_property
    def leading_sensitivity(self) -> Tensor:
        r"""$s\eta(Y_i-U_O)\bar B^\top$."""
        return self.x * self.centred @ self.corpus.bigram.mT

    @cached_property
    def leading_scores(self) -> Tensor:
        r"""$\frac{s^3-s^2}2\eta^3(Y_i-U_O)\Sigma_{\bar B}\bar\Phi X_i^\top$."""
        under = self.corpus.interchangeability @ self.corpus.context
        return self.x * self.half * self.centred @ under @ self.inputs.mT

    @cached_property
    def jacobians(self) -> Tensor:
        """Of every row of the attention of every layer, at (layer, sequence, row)."""
        return _jacobians(self.attention)

    @cached_property
    def uniform_jacobians(self) -> Tensor:
        return _jacobians(self.uniform)

    @cached_property
    def leading_pull(self) -> Tensor:
        """The Jacobians of uniform attention times the leading scores."""
        return torch.einsum("tjk,ntk->ntj", self.uniform_jacobians, self.leading_scores)


def _jacobians(rows: Tensor) -> Tensor:
    return torch.diag_embed(rows) - rows[..., :, None] * rows[..., None, :]


SIZES = 0.0, 1e-5, 1.0


def scenes(seed: int, *, depth: int | None = None, steps: int | None = None) -> Iterator[Scene]:
    """Networks in which errors of every kind of weight are none, tiny or not, so that any may stand alone."""
    rng = torch.Generator().manual_seed(seed)
    for values, scores, outputs, rate in product(SIZES, (*SIZES, 30.0), SIZES, SIZES[1:]):
        for kind in ("zipf", "topics"):
            layers, length, words, count, late = (
                int(torch.randint(1, most, (1,), generator=rng)) for most in (4, 6, 6, 3, 6)
            )
            s = steps or late + 1
            yield network(
                generated(kind, rng, count, length + 1, words + 1), words + 1, s, rate / s,
                (values, scores, outputs), depth or layers, rng,
            )  # fmt: skip


def network(
    tokens: Tensor, words: int, steps: int, rate: float, errors: tuple[float, float, float],
    depth: int, rng: torch.Generator,
) -> Scene:  # fmt: skip
    """Leading terms plus Gaussian errors of the sizes of values, of attention and of the output."""
    corpus, length = statistics(tokens, words), tokens.shape[1] - 1
    values, scores, outputs = errors

    def error(size: float, *shape: int) -> Tensor:
        return size * torch.randn(*shape, generator=rng, dtype=torch.float64)

    x, half, count = leading(steps, rate)
    weights = Weights(
        count * corpus.words + error(scores, depth, words, words),
        count * corpus.positions + error(scores, depth, length),
        half * corpus.value + error(values, depth, words, words),
        x * corpus.bigram + error(outputs, words, words),
    )
    return Scene(tokens, weights, words, steps, rate)
