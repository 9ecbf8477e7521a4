r"""The paper's layers as pure functions of tokens, batched over leading axes.

Named axes: `...` samples, `n` tokens, `d` features.

    A = softmax_G(X W_Q (X W_K)^T / sqrt(d_QK)),  X' = A X W_V,  LN(X) = each row over its 2-norm

`support` is the mask's matrix: entry (i, j) is true when token i attends to token j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat

import torch
from torch import Tensor

from claims.errors import UserError
from claims.masks import Mask
from numeric import device
from numeric.exact import tensor

__all__ = [
    "ZeroToken",
    "jordan_matrix",
    "layer_norm",
    "masked_attention",
    "masked_softmax",
    "mu",
    "simulate",
    "softmax_attention",
    "support_of",
    "tensor",
    "uniform_attention",
]

Attend = Callable[[Tensor], Tensor]


class ZeroToken(UserError):
    """A token without a direction, which LayerNorm cannot scale to unit norm."""


def support_of(mask: Mask) -> Tensor:
    """The boolean matrix (n, n) of a mask."""
    support = torch.zeros(mask.size, mask.size, dtype=torch.bool)
    columns, rows = torch.tensor(list(mask.edges), dtype=torch.long).reshape(-1, 2).mT - 1
    support[rows, columns] = True
    return support.to(device.current())


def jordan_matrix(size: int, weight: float) -> Tensor:
    """(31): ones on the diagonal, `weight` above it."""
    one = torch.eye(size, dtype=torch.float64, device=device.current())
    return one + weight * torch.ones_like(one).triu(1).tril(1)


def masked_softmax(scores: Tensor, support: Tensor) -> Tensor:
    """Softmax of scores (..., n, n) over each row's neighbours; NaN in a row without neighbours."""
    return torch.softmax(scores.masked_fill(~support, -torch.inf), dim=-1)


def uniform_attention(mask: Mask) -> Tensor:
    """The attention matrix of scores that are all zero."""
    support = support_of(mask)
    return masked_softmax(
        torch.zeros(support.shape, dtype=torch.float64).to(support.device), support
    )


def masked_attention(
    tokens: Tensor, wq: Tensor, wk: Tensor, support: Tensor, *, d_qk: float | None = None
) -> Tensor:
    """A of axes (..., n, n), Eq. (1); d_QK is the width of the keys unless given."""
    scale = math.sqrt(wq.shape[-1] if d_qk is None else d_qk)
    return masked_softmax((tokens @ wq) @ (tokens @ wk).mT / scale, support)


def softmax_attention(
    wq: Tensor, wk: Tensor, support: Tensor, *, d_qk: float | None = None
) -> Attend:
    """Eq. (1) as a function of the tokens alone, for `simulate`."""
    return lambda tokens: masked_attention(tokens, wq, wk, support, d_qk=d_qk)


def layer_norm(tokens: Tensor) -> Tensor:
    """Each token (..., n, d) divided by its 2-norm; no mean is removed.

    Raises `ZeroToken` naming the first token that is zero.

    >>> layer_norm(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    norms = tokens.norm(dim=-1, keepdim=True)
    if bool((norms == 0).any()):
        *sample, token = (norms.squeeze(-1) == 0).nonzero()[0].tolist()
        where = f" of sample {', '.join(str(s + 1) for s in sample)}" if sample else ""
        raise ZeroToken(
            f"token {token + 1}{where} is zero: LayerNorm divides by its norm; "
            "give tokens and value matrices for which no row of A X W_V vanishes"
        )
    return tokens / norms


def mu(tokens: Tensor) -> Tensor:
    """mu(X) = ||X - 1 1^T X / N||_F, Eq. (4), per sample."""
    return (tokens - tokens.mean(dim=-2, keepdim=True)).norm(dim=(-2, -1))


def simulate(
    tokens: Tensor,
    attention: Tensor | Sequence[Tensor] | Attend,
    value: Tensor | Sequence[Tensor],
    layers: int,
    *,
    normalise: bool,
) -> Tensor:
    """The trajectory (layers + 1, ..., n, d) of Eq. (2), or with `normalise` of Eq. (3).

    `attention` is a matrix, one matrix per layer, or a function of the tokens such as
    `softmax_attention` returns; `value` is W_V (d, d), or one per layer.

    >>> mean, swap = torch.full((2, 2), 0.5), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> simulate(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), mean, swap, 1, normalise=False)[-1]
    tensor([[2., 1.],
            [2., 1.]])
    """
    matrices = (
        repeat(attention) if isinstance(attention, Tensor) or callable(attention) else attention
    )
    values = repeat(value) if isinstance(value, Tensor) else value
    trajectory = [tokens]
    for _, a, w in zip(range(layers), matrices, values, strict=False):
        weights = a if isinstance(a, Tensor) else a(trajectory[-1])
        moved = weights @ trajectory[-1] @ w
        trajectory.append(layer_norm(moved) if normalise else moved)
    if len(trajectory) != layers + 1:
        raise UserError(
            f"{layers} layers asked for, but matrices for {len(trajectory) - 1} given; "
            "give one attention matrix and one value matrix per layer, or one for all"
        )
    return torch.stack(torch.broadcast_tensors(*trajectory))
