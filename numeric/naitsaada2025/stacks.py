"""Stacks of attention layers, with the derivative by the first value matrix carried along.

Model (11) with its options: attention i.i.d. Markov, softmax or the identity; without its mean or
without all outlying singular values; layer norm, skip connection, orthogonal values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.func import jvp

from numeric.layers import layer_norm
from numeric.naitsaada2025.ensembles import (
    LAWS,
    attention,
    markov,
    orthonormal_tokens,
    token_logits,
    without_mean,
)
from numeric.sampling import Numbers, normal

__all__ = [
    "Apart", "Block", "Projections", "attention_of", "layer_with", "layers_of", "softmax_along",
    "softmax_stack", "without_outliers",
]  # fmt: skip


@dataclass(frozen=True)
class Block:
    """How one layer is built; `fix` is "", "mean" (A - 11^T/T) or "outliers" (by its SVD)."""

    mechanism: str = "markov"
    fix: str = ""
    norm: bool = False
    skip: bool = False
    orthogonal: bool = False


def without_outliers(matrices: Tensor) -> Tensor:
    """A without its r largest singular values, r = argmax_i (s_i - s_{i+1}).

    The derivative is that of the projection on the other directions, which needs the gap alone: equal
    singular values on one side of it, as of saturated rows, do not enter.
    """
    fixed = matrices.detach()
    left, values, right = torch.linalg.svd(fixed)
    cut = (values[..., :-1] - values[..., 1:]).argmax(dim=-1, keepdim=True)
    kept = torch.arange(values.shape[-1]) > cut
    change = matrices - fixed  # zero, with the derivative of A
    inner = left.mT @ change @ right.mT
    across = kept[..., :, None] & ~kept[..., None, :]
    squares = values.square()
    gaps = torch.where(across, squares[..., None, :] - squares[..., :, None], 1.0)
    turned = (values[..., None, :] * inner + values[..., :, None] * inner.mT) / gaps * across
    projected = left @ (kept[..., :, None] * (left.mT @ change))
    rotated = left @ (turned + turned.mT) @ left.mT @ fixed
    return (left * (values * kept)[..., None, :]) @ right + projected - rotated


FIXES = {"": lambda a: a, "mean": without_mean, "outliers": without_outliers}


def haar(rng: Numbers, count: int, size: int) -> Tensor:
    """Uniform orthogonal matrices: Q of a Gaussian matrix, signs of R taken in."""
    q, r = torch.linalg.qr(normal(rng, count, size, size))
    return q * r.diagonal(dim1=-2, dim2=-1).sign()[..., None, :]


def _values(rng: Numbers, count: int, width: int, orthogonal: bool) -> Tensor:
    """N(0, 1) entries, or sqrt(d) times a Haar orthogonal matrix, which has their second moments."""
    if orthogonal:
        return math.sqrt(width) * haar(rng, count, width)
    return normal(rng, count, width, width)


def attention_of(block: Block, rng: Numbers, x: Tensor) -> Tensor:
    """The matrices A of a layer, drawn for its tokens."""
    count, size, width = x.shape
    if block.mechanism == "identity":
        return torch.eye(size, dtype=x.dtype).expand(count, -1, -1)
    if block.mechanism == "markov":
        return markov(LAWS["exponential"], rng, count, size)
    return attention("softmax", token_logits(x, rng, width))


def _layer(block: Block, rng: Numbers, tokens: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """One layer and its attention."""
    return layer_with(block, attention_of(block, rng, tokens), tokens, values)


def layer_with(
    block: Block, matrices: Tensor, tokens: Tensor, values: Tensor
) -> tuple[Tensor, Tensor]:
    """The tokens after a layer with given attention, and that attention with its fix."""
    mixed = FIXES[block.fix](matrices)
    out = mixed @ tokens @ values
    out = out + tokens if block.skip else out
    return layer_norm(out) if block.norm else out, mixed


def layers_of(
    block: Block, rng: Numbers, count: int, size: int, width: int, depth: int
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Tokens X_l, a directional derivative of them, and the matrices A_l, for l = 1..depth.

    The direction is Gaussian, so that the derivative's mean squared norm is that of dX_l/dW_1; the
    attention of later layers depends on the tokens and is differentiated with them.
    """
    x = orthonormal_tokens(size, width).repeat(count, 1, 1)
    moved = torch.zeros_like(x)
    for layer in range(depth):
        values = _values(rng, count, width, block.orthogonal)
        turned = normal(rng, count, width, width) if layer == 0 else torch.zeros_like(values)
        step = partial(_layer, block, rng)
        after, change = jvp(step, (x, values), (moved, turned))[:2]
        (x, mixed), moved = after, change[0]
        yield x, moved, mixed


Projections = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values of a layer, each (count, d, d)."""


@dataclass(frozen=True)
class Apart:
    r"""Rows $1c^\top+D$ by their mean c, `common`, and what they differ from it by, `rest`."""

    common: Tensor
    rest: Tensor

    @classmethod
    def of(cls, rows: Tensor) -> Apart:
        """Of rows that are near to one another in no more than a few digits."""
        mean = rows.mean(dim=-2, keepdim=True)
        return cls(mean, rows - mean)

    def whole(self) -> Tensor:
        """The rows."""
        return self.common + self.rest

    def centred(self) -> Apart:
        """The same rows, where `rest` has a mean."""
        moved = Apart.of(self.rest)
        return Apart(self.common + moved.common, moved.rest)

    def normed(self) -> Apart:
        r"""Layer norm: $(c+D_i)/s_i$, of which $c/s$ is common for the deviation s of c."""
        common, rest = (part - part.mean(dim=-1, keepdim=True) for part in (self.common, self.rest))
        scale, each = (
            (row**2).mean(dim=-1, keepdim=True).sqrt() for row in (common, common + rest)
        )
        change = ((2 * common + rest) * rest).mean(dim=-1, keepdim=True)  # of the variance
        shrink = -change / (each * scale * (each + scale))
        return Apart(common / scale, rest / each + common * shrink).centred()

    def log_excess(self) -> Tensor:
        r"""$\log(\operatorname{sr}-1)$: the singular values are those of $\sqrt Tc^\top$ above D.

        Where the rest is short the others are those of D across c, up to the square of its share.  Where
        they are zero in double precision the excess is taken for more than it is.
        """
        along = math.sqrt(self.rest.shape[-2]) * self.common
        length = along.norm(dim=(-2, -1))
        unit = along / length[:, None, None]
        across = torch.linalg.svdvals(self.rest - self.rest @ unit.mT @ unit)
        values = torch.linalg.svdvals(torch.cat([along, self.rest], dim=-2))
        short = self.rest.norm(dim=(-2, -1)) < SHORT * length
        first = torch.where(short, length, values[:, 0])
        others = torch.where(short[:, None], across[:, : values.shape[-1] - 1], values[:, 1:])
        others = others.clamp_min(LEAST)
        largest = others[:, 0]
        powers = ((others / largest[:, None]) ** 4).sum(dim=-1)
        return powers.log() + 4 * (largest.log() - first.log())


SHORT, LEAST = 1e-6, 1e-300
"""A share whose square is beyond twelve digits; the least singular value that is told from zero."""


def softmax_apart(logits: Tensor, change: Tensor) -> Apart:
    r"""Rows of softmax of $\ell_j+E_{ij}$, `logits` and `change`.

    Where E is small they are $p_j(1+e_{ij})/(1+\sum_kp_ke_{ik})$ with $p$ the softmax of $\ell$ and
    $e=e^E-1$, of which what they differ by has all digits.
    """
    shares, step = torch.softmax(logits, dim=-1), torch.expm1(change.clamp(max=1.0))
    mean = (shares * step).sum(dim=-1, keepdim=True)
    near = Apart(shares, shares * (step - mean) / (1 + mean)).centred()
    far = Apart.of(torch.softmax(logits + change, dim=-1))
    small = (change.abs() <= 1).all(dim=-1, keepdim=True).all(dim=-2, keepdim=True)
    return Apart(
        torch.where(small, near.common, far.common), torch.where(small, near.rest, far.rest)
    )


def softmax_along(
    block: Block, weights: Iterable[Projections], tokens: Tensor
) -> Iterator[tuple[Tensor, Apart]]:
    r"""Softmax attention of every layer of a stack that is far deeper than digits reach, and its tokens.

    Without layer norm $X=1c^\top+D$ has a mean $c$ that grows by $\sqrt d$ in a layer, and in a few of them
    hides what its rows $D$ differ by.  Both are carried: $c$ moves no logits of a key, and $A-1\bar a^\top$
    takes it to zero.
    """
    if block.fix not in ("", "mean") or block.mechanism != "softmax" or block.orthogonal:
        raise ValueError(f"{block}: is no stack of softmax attention with Gaussian values")
    at = Apart.of(tokens)
    for queries, keys, values in weights:
        across = (at.rest @ keys).mT / math.sqrt(queries.shape[-1])
        mixed = softmax_apart(at.common @ queries @ across, at.rest @ queries @ across)
        yet = mixed.common - 1 / tokens.shape[-2] if block.fix else mixed.common
        common = (yet @ at.rest + (0 if block.fix else at.common)) @ values
        after = Apart(common, mixed.rest @ at.rest @ values)
        if block.skip:
            after = Apart(after.common + at.common, after.rest + at.rest)
        at = after.normed() if block.norm else after
        yield yet + mixed.rest, at


def softmax_stack(
    block: Block, rng: Numbers, count: int, size: int, depth: int
) -> Iterator[tuple[Tensor, Apart]]:
    """The same of orthonormal tokens, T = d = d_qk, with Gaussian weights."""
    one = partial(normal, rng, count, size, size)
    drawn = ((one(), one(), one()) for _ in range(depth))
    return softmax_along(block, drawn, orthonormal_tokens(size, size).repeat(count, 1, 1))
