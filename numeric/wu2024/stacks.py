r"""Randomly initialised stacks of self-attention, as in Sec. 5: BERT without some of its parts.

Named axes: `...` samples or runs, `n` tokens, `d` features, `h` heads.  With Attn the multi-head
attention of BERT (values and output matrix included, biases zero as BERT initialises them),

    SAN:              X' = Attn(X)
    SAN + LayerNorm:  X' = LN(Attn(X))                        no residual connection, as described
    transformer:      Y = LN(X + Attn(X)),  X' = LN(Y + MLP(Y))

LN is BERT's: it removes the mean over features and scales to variance one.  Weights are N(0, s^2)
with s^2 d = 0.02^2 * 768 at every width, so that a narrow stack shrinks its tokens as BERT does.
Dropout, where a stack has it, is where BERT's training mode has it: on the attention probabilities
and on what attention and MLP return.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor
from torch.nn import functional

from claims import masks
from claims.errors import UserError
from claims.masks import Mask, MaskError, read_mask
from numeric.sampling import normal, uniform
from numeric.wu2024.layers import masked_softmax, mu, support_of

__all__ = [
    "KINDS",
    "MASKS",
    "NO_FILE",
    "Stack",
    "Weights",
    "absolute_cosines",
    "check_mask",
    "deviations_along",
    "draw_kept",
    "draw_tokens",
    "draw_weights",
    "mask_of",
    "masks_of",
    "pairwise_cosines",
    "relative_mu",
    "supports_of",
    "tokens_along",
]

SAN, NORMALISED, FULL = KINDS = ("SAN", "SAN + LayerNorm", "transformer")
MASKS: dict[str, Callable[[int], Mask]] = {
    "complete": masks.complete,
    "causal": masks.causal,
    "sliding": masks.sliding_window,
    "one-directional": masks.one_directional,
}
"""Sec. 5: from global to local."""
NO_FILE = "none"
GAIN = 0.02**2 * 768
"""Variance that a random matrix of BERT (std 0.02, 768 features) gives to normalised features."""
EPS = 1e-12
"""BERT's regularisation of LayerNorm."""

Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Stack:
    """Sizes and kind; `temperature` multiplies d_QK, whose square root divides the scores.

    `dropout` is the probability that an entry is dropped; the rest is divided by 1 - dropout.
    """

    width: int
    heads: int
    layers: int
    kind: str = SAN
    temperature: float = 1.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UserError(f"model {self.kind!r}: must be one of {', '.join(KINDS)}")
        if self.width % self.heads:
            raise UserError(
                f"width={self.width}: must be a multiple of heads={self.heads}; change one of them"
            )
        if not self.temperature > 0:
            raise UserError(f"temperature {self.temperature}: must be positive")
        if not 0 <= self.dropout < 1:
            raise UserError(f"dropout={self.dropout}: must be at least 0 and less than 1")

    @property
    def std(self) -> float:
        """0.02 at 768 features."""
        return math.sqrt(GAIN / self.width)


def bert_norm(tokens: Tensor) -> Tensor:
    """BERT's LayerNorm at initialisation: mean zero and variance one over features."""
    return functional.layer_norm(tokens, tokens.shape[-1:], eps=EPS)


def draw_tokens(rng: Generator, samples: int, size: int, width: int) -> Tensor:
    """Embeddings (samples, n, d) of different random words, each sample from its own table.

    LN(word + position + type): three i.i.d. Gaussian vectors of which the last is the same for all
    tokens of a sample; their scale does not matter under LN.
    """
    words, places = (normal(rng, samples, size, width) for _ in range(2))
    return bert_norm(words + places + normal(rng, samples, 1, width))


def draw_weights(rng: Generator, stack: Stack, *lead: int) -> Weights:
    """The matrices of one layer, (*lead, rows, columns), i.i.d. N(0, std^2)."""
    d, std = stack.width, stack.std
    weights = {name: normal(rng, *lead, d, d, std=std) for name in ("Q", "K", "V", "O")}
    if stack.kind == FULL:
        weights["up"] = normal(rng, *lead, d, 4 * d, std=std)
        weights["down"] = normal(rng, *lead, 4 * d, d, std=std)
    return weights


def draw_kept(rng: Generator, stack: Stack, size: int, *lead: int) -> Weights:
    """What one layer's dropout multiplies by: 0 or 1/(1 - dropout), for `size` tokens.

    "attention" (*lead, h, n, n), "moved" and "down" (*lead, n, d): after softmax, attention and MLP.
    """
    n, d = size, stack.width
    shapes: dict[str, tuple[int, ...]] = {"attention": (stack.heads, n, n), "moved": (n, d)}
    if stack.kind == FULL:
        shapes["down"] = (n, d)
    return {
        f"kept {name}": (uniform(rng, *lead, *shape) >= stack.dropout).double()
        / (1 - stack.dropout)
        for name, shape in shapes.items()
    }


def dropped(branch: Tensor, weights: Weights, name: str) -> Tensor:
    """The branch after dropout, if the layer has drawn one."""
    kept = weights.get(f"kept {name}")
    return branch if kept is None else branch * kept


def attend(stack: Stack, tokens: Tensor, weights: Weights, support: Tensor) -> Tensor:
    """Multi-head attention with its output matrix, (..., n, d)."""

    def heads(name: str) -> Tensor:
        return (tokens @ weights[name]).unflatten(-1, (stack.heads, -1)).transpose(-2, -3)

    scale = math.sqrt(stack.temperature * stack.width / stack.heads)
    attention = masked_softmax(heads("Q") @ heads("K").mT / scale, support)
    attention = dropped(attention, weights, "attention")
    return (attention @ heads("V")).transpose(-2, -3).flatten(-2) @ weights["O"]


def layer(stack: Stack, tokens: Tensor, weights: Weights, support: Tensor) -> Tensor:
    """One layer of the stack's kind."""
    moved = dropped(attend(stack, tokens, weights, support), weights, "moved")
    if stack.kind == SAN:
        return moved
    if stack.kind == NORMALISED:
        return bert_norm(moved)
    between = bert_norm(tokens + moved)
    changed = functional.gelu(between @ weights["up"]) @ weights["down"]
    return bert_norm(between + dropped(changed, weights, "down"))


def tokens_along(
    stack: Stack, tokens: Tensor, support: Tensor, weights: Callable[[int], Weights]
) -> Iterator[Tensor]:
    """X^{(0)}, ..., X^{(L)}; `weights(t)` gives the matrices of layer t, counted from zero.

    `support` is (n, n), or (masks, 1, 1, n, n) for tokens (..., n, d) that go through several masks
    at once, as (masks, ..., n, d).  Raises `MaskError` where it does not fit the tokens.
    """
    if support.shape[-1] != tokens.shape[-2]:
        raise MaskError(
            f"a mask of {support.shape[-1]} tokens, but sequences of {tokens.shape[-2]}; "
            "make them equal"
        )
    tokens = tokens.expand(*support.shape[:-4], *tokens.shape)
    yield tokens
    for t in range(stack.layers):
        tokens = layer(stack, tokens, weights(t), support)
        yield tokens


def supports_of(chosen: Sequence[Mask]) -> Tensor:
    """The matrices of several masks, (masks, 1, 1, n, n): before samples and heads."""
    return torch.stack([support_of(mask) for mask in chosen])[:, None, None]


def deviations_along(
    stack: Stack, tokens: Tensor, weights: Callable[[int], Weights]
) -> Iterator[Tensor]:
    r"""X - 1 m^T of a SAN with complete attention, without cancellation, (..., n, d), t = 0..L.

    An exact rearrangement, for distances far below rounding: with m the mean token and D the
    deviations, A_ij = a_j e^{u_ij} / \sum_k a_k e^{u_ik}, where a is the attention of m alone and
    u_ij = <D_i W_Q, D_j W_K>/sqrt(d_QK); only A_ij/a_j - 1 moves tokens apart.
    """
    mean = tokens.mean(dim=-2, keepdim=True)
    apart = tokens - mean
    yield apart
    for t in range(stack.layers):
        common, moved = _moved(stack, mean, apart, weights(t))
        centre = moved.mean(dim=-2, keepdim=True)
        mean, apart = common + centre, moved - centre
        yield apart


def _moved(stack: Stack, mean: Tensor, apart: Tensor, weights: Weights) -> tuple[Tensor, Tensor]:
    """What attention gives to every token alike, (..., 1, d), and what to each, (..., n, d)."""

    def heads(tokens: Tensor, name: str) -> Tensor:
        return (tokens @ weights[name]).unflatten(-1, (stack.heads, -1)).transpose(-2, -3)

    def joined(outputs: Tensor) -> Tensor:
        return outputs.transpose(-2, -3).flatten(-2) @ weights["O"]

    scale = math.sqrt(stack.temperature * stack.width / stack.heads)
    keys, values = heads(apart, "K").mT / scale, heads(apart, "V")
    shared = torch.softmax(heads(mean, "Q") @ keys, dim=-1)
    excess = torch.expm1(heads(apart, "Q") @ keys)
    mass = (shared * excess).sum(dim=-1, keepdim=True)
    own = shared * (excess - mass) / (1 + mass)
    return joined(heads(mean, "V") + shared @ values), joined(own @ values)


# What is measured ----------------------------------------------------------------------------------


def relative_mu(tokens: Tensor) -> Tensor:
    """mu(X)/||X||_F, per sample: zero for equal tokens, and blind to the scale of X."""
    return mu(tokens) / tokens.norm(dim=(-2, -1))


def absolute_cosines(tokens: Tensor) -> Tensor:
    """The mean of |cos(X_i, X_j)| over i < j, per sample."""
    return pairwise_cosines(tokens).abs().mean(dim=-1)


def pairwise_cosines(tokens: Tensor) -> Tensor:
    """cos(X_i, X_j) for i < j, (..., pairs)."""
    unit = functional.normalize(tokens, dim=-1)
    above = torch.ones(tokens.shape[-2], tokens.shape[-2], device=tokens.device).triu(1).bool()
    return (unit @ unit.mT)[..., above]


# Masks ---------------------------------------------------------------------------------------------


def check_mask(mask: Mask) -> Mask:
    """The mask, if the paper's theory speaks about it.

    Raises `MaskError` where a token does not attend to itself or no token reaches all others.
    """
    for token in range(1, mask.size + 1):
        if (token, token) not in mask.edges:
            raise MaskError(
                f"mask {mask}: token {token} does not attend to itself; add the line "
                f"`{token} {token}`"
            )
    if not mask.is_quasi_strongly_connected:
        raise MaskError(
            f"mask {mask}: not connected, no token reaches every token along its edges; "
            "add edges until one does"
        )
    return mask


def mask_of(name: str, size: int) -> Mask:
    """One of the paper's four masks; raises `MaskError` naming them."""
    if name not in MASKS:
        raise MaskError(
            f"mask {name!r}: must be one of {', '.join(MASKS)}; for a file, set mask=FILE"
        )
    return MASKS[name](size)


def masks_of(names: Sequence[str], file: str, size: int) -> list[Mask]:
    """The named masks on `size` tokens, or on as many as the user's mask has, which is added."""
    if file == NO_FILE:
        return [mask_of(name, size) for name in names]
    own = check_mask(read_mask(Path(file)))
    return [*(mask_of(name, own.size) for name in names), own]
