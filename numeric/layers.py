r"""The papers' layers as pure functions of tokens and weights, batched over leading axes.

Named axes: `...` samples, `n` tokens, `v` token width d_v, `k` key width d_k, `f` hidden width d_F.

    S = A X W^V,  A = softmax(tau X W^Q (X W^K)^T / sqrt(d_k)) row by row
    Z = alpha_1 S + X,  Y = phi(Z W^F1) W^F2,  X' = alpha_2 Y + Z

*Uniform attention* means what the papers mean by it: A is 11^T/n and the softmax is differentiated
there, dA = (1/n) dM (I - 11^T/n) with M the logits.  The logits' own value is subtracted before the
linear map, so that value and first derivative are both exact; second derivatives are not modelled.
Sample axes broadcast: weights may carry some that the tokens lack, and the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Generator, Tensor

__all__ = [
    "Sizes",
    "Variances",
    "Weights",
    "attention",
    "attention_weights",
    "block",
    "check_layer",
    "check_tokens",
    "draw_entries",
    "draw_weights",
    "layer_norm",
    "mean_attention",
    "shaped_by_law",
    "squared_norm",
]

Law = Literal["normal", "two-point", "uniform"]
Attention = Literal["softmax", "uniform", "mean"]
Activation = Literal["linear", "relu"]
Norm = Literal["none", "pre", "post"]

FIRST_MIDPOINT = torch.tensor(2.0**-53 - 1, dtype=torch.float64)
"""Of a grid of 2^53 cells on (-1, 1), whose midpoints give no infinite normal and no zero sign."""


@dataclass(frozen=True)
class Sizes:
    """Widths: tokens d_v, keys d_k, hidden layer d_F (None: no feed-forward weights)."""

    d_v: int
    d_k: int
    d_f: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 1:
                raise ValueError(f"{name} = {value}: a width is at least 1; give a positive one")


@dataclass(frozen=True)
class Variances:
    """Entry variances sigma_q^2, sigma_k^2, sigma_v^2 and those of W^F1, W^F2."""

    q: float = 1.0
    k: float = 1.0
    v: float = 1.0
    f1: float = 1.0
    f2: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (value >= 0 and math.isfinite(value)):
                raise ValueError(
                    f"variance {name} = {value}: must be finite and >= 0; give sigma^2, not sigma"
                )


@dataclass(frozen=True)
class Weights:
    """W^Q, W^K (..., v, k), W^V (..., v, v); with a feed-forward layer, W^F1 (..., v, f), W^F2."""

    wq: Tensor
    wk: Tensor
    wv: Tensor
    wf1: Tensor | None = None
    wf2: Tensor | None = None


def draw_entries(
    shape: Sequence[int],
    variance: float,
    generator: Generator,
    *,
    law: Law = "normal",
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """I.i.d. zero-mean entries of the given variance: N(0, s^2), +-s, or uniform on +-s sqrt(3).

    Drawn in float64 on the CPU, then moved: a device or dtype changes no draw.  Normals come from
    the inverse distribution function at the midpoints of a grid of 2^53 cells, about twice as fast
    as torch.randn in float64; the error of low moments is of the order of float64 rounding.
    """
    u = torch.rand(*shape, generator=generator, dtype=torch.float64, device=generator.device)
    entries, deviation = shaped_by_law(u, law)
    return entries.mul_(deviation * math.sqrt(variance)).to(device=device, dtype=dtype)


def shaped_by_law(u: Tensor, law: Law) -> tuple[Tensor, float]:
    """Uniform numbers of [0, 1) made into entries of a zero-mean law, in place, and a factor.

    The entries times the factor have variance 1.
    """
    torch.add(FIRST_MIDPOINT, u, alpha=2, out=u)
    if law == "normal":
        return u.erfinv_(), math.sqrt(2)
    if law == "two-point":
        return u.sign_(), 1.0
    if law == "uniform":
        return u, math.sqrt(3)
    raise ValueError(f"law {law!r}: must be one of normal, two-point, uniform")


def draw_weights(
    sizes: Sizes,
    variances: Variances,
    generator: Generator,
    batch: Sequence[int] = (),
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
    law: Law = "normal",
) -> Weights:
    """Independent weights, one set per element of `batch`, drawn in the order Q, K, V, F1, F2."""

    def draw(rows: int, cols: int, variance: float) -> Tensor:
        shape = (*batch, rows, cols)
        return draw_entries(shape, variance, generator, law=law, dtype=dtype, device=device)

    wq = draw(sizes.d_v, sizes.d_k, variances.q)
    wk = draw(sizes.d_v, sizes.d_k, variances.k)
    wv = draw(sizes.d_v, sizes.d_v, variances.v)
    if sizes.d_f is None:
        return Weights(wq, wk, wv)
    wf1 = draw(sizes.d_v, sizes.d_f, variances.f1)
    return Weights(wq, wk, wv, wf1, draw(sizes.d_f, sizes.d_v, variances.f2))


def check_tokens(x: Tensor) -> None:
    """Tokens need axes (..., n, v) with n >= 2: one token attends to itself whatever the logits."""
    if x.ndim < 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}: must have axes (..., n, v); give it one row per token"
        )
    if x.shape[-2] < 2:
        raise ValueError(
            f"n = {x.shape[-2]}: attention is studied for n >= 2 tokens; give x at least two rows"
        )


def check_matrix(name: str, weight: Tensor, rows: int, cols: int | None = None) -> None:
    """A weight must have axes (..., rows, cols); `cols` None leaves the width free."""
    last = tuple(weight.shape[-2:])
    if len(last) < 2 or last[0] != rows or cols not in {None, last[1]}:
        shown = f"{rows}, {'any' if cols is None else cols}"
        raise ValueError(
            f"{name} has shape {tuple(weight.shape)}: its last axes must be ({shown}); "
            "draw it with draw_weights for these sizes, or transpose it"
        )


def check_layer(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor | None = None) -> None:
    """Tokens and weights of one attention layer fit together."""
    check_tokens(x)
    check_matrix("wq", wq, x.shape[-1])
    check_matrix("wk", wk, x.shape[-1], wq.shape[-1])
    if wv is not None:
        check_matrix("wv", wv, x.shape[-1], x.shape[-1])


def attention_weights(
    x: Tensor, wq: Tensor, wk: Tensor, *, uniform: bool = False, tau: float = 1.0
) -> Tensor:
    """A of axes (..., n, n), rows summing to 1; the module's docstring explains `uniform`."""
    check_layer(x, wq, wk)
    logits = tau / math.sqrt(wq.shape[-1]) * ((x @ wq) @ (x @ wk).mT)
    if not uniform:
        return torch.softmax(logits, dim=-1)
    moved = logits - logits.detach()
    return (1 + moved - moved.mean(dim=-1, keepdim=True)) / x.shape[-2]


def attention(
    x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, *, uniform: bool = False, tau: float = 1.0
) -> Tensor:
    """S = A X W^V of axes (..., n, v); the temperature `tau` multiplies the logits."""
    check_layer(x, wq, wk, wv)
    return attention_weights(x, wq, wk, uniform=uniform, tau=tau) @ (x @ wv)


def mean_attention(x: Tensor, wv: Tensor) -> Tensor:
    """S = (11^T/n) X W^V: uniform attention without a path through the logits (..., n, v)."""
    check_tokens(x)
    check_matrix("wv", wv, x.shape[-1], x.shape[-1])
    mean = x.mean(dim=-2, keepdim=True) @ wv
    return mean.expand(*mean.shape[:-2], *x.shape[-2:])


def layer_norm(x: Tensor, epsilon: float = 0.0) -> Tensor:
    """Each token with its mean removed and divided by sqrt(population variance + epsilon)."""
    if x.shape[-1] < 2:
        raise ValueError(
            f"d_v = {x.shape[-1]}: layer norm needs d_v >= 2, or it maps all to 0; widen the tokens"
        )
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + epsilon).sqrt()


def _attend(x: Tensor, weights: Weights, kind: Attention, tau: float) -> Tensor:
    if kind == "mean":
        return mean_attention(x, weights.wv)
    if kind not in {"softmax", "uniform"}:
        raise ValueError(f"attention {kind!r}: must be one of softmax, uniform, mean")
    wq, wk, wv = weights.wq, weights.wk, weights.wv
    return attention(x, wq, wk, wv, uniform=kind == "uniform", tau=tau)


def _feed_forward(z: Tensor, weights: Weights, activation: Activation) -> Tensor:
    if weights.wf1 is None or weights.wf2 is None:
        raise ValueError(
            "weights have wf1 or wf2 None: a block needs both; draw them with Sizes(d_f=...)"
        )
    check_matrix("wf1", weights.wf1, z.shape[-1])
    check_matrix("wf2", weights.wf2, weights.wf1.shape[-1], z.shape[-1])
    if activation not in {"linear", "relu"}:
        raise ValueError(f"activation {activation!r}: must be one of linear, relu")
    hidden = z @ weights.wf1
    return (hidden.relu() if activation == "relu" else hidden) @ weights.wf2


def block(
    x: Tensor,
    weights: Weights,
    *,
    alpha_1: float = 1.0,
    alpha_2: float = 1.0,
    attention: Attention = "softmax",
    activation: Activation = "linear",
    norm: Norm = "none",
    tau: float = 1.0,
    epsilon: float = 0.0,
) -> Tensor:
    """One transformer block X' of axes (..., n, v), with residual strengths alpha_1, alpha_2.

    `attention` "mean" is "uniform" without gradients through the logits.  `norm` "pre" normalises
    what enters each branch; "post" normalises each sum of branch and skip.
    """
    if norm not in {"none", "pre", "post"}:
        raise ValueError(f"norm {norm!r}: must be one of none, pre, post")

    def before(t: Tensor) -> Tensor:
        return layer_norm(t, epsilon) if norm == "pre" else t

    def after(t: Tensor) -> Tensor:
        return layer_norm(t, epsilon) if norm == "post" else t

    z = after(alpha_1 * _attend(before(x), weights, attention, tau) + x)
    return after(alpha_2 * _feed_forward(before(z), weights, activation) + z)


def squared_norm(x: Tensor) -> Tensor:
    """The squared Frobenius norm of each sample."""
    return x.square().sum(dim=(-1, -2))
