r"""The network of Noci et al. (2022), Sec. 3.2, in torch: simulated, and averaged over its weights.

    S = (1/n) 1 1^T X W^V,   Z = alpha_1 S + X,   Y = Z W^F1 W^F2,   X' = alpha_2 Y + Z

Weights are i.i.d. of mean zero and variance 1/d_v, independent between matrices and layers.

* `simulate` draws weights layer by layer.
* `MomentMap` is one block averaged over its weights, as a matrix on second moments
  M[k, z, l, y] = E[X_kz X_ly], from E[W_zj W_yi] = delta_zy delta_ji / d_v.  It is exact, so that
  depths of thousands cost no more than their logarithm.  The tests hold it to `simulate`.
* `averaged_gram` follows Gram matrices block by block instead, for tokens that are too many for a
  matrix on second moments; the tests hold it to `MomentMap`.
* `extrapolated` follows a sequence along L = 2^k to its limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022.notation import X, alpha1, alpha2, atilde1, atilde2
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.sampling import sphere

__all__ = [
    "MOST_ENTRIES", "MomentMap", "averaged_gram", "correlation", "exact_cosine", "extrapolated",
    "gram_after", "inner_products", "simulate",
]  # fmt: skip


def strengths(point: Point, layers: int = 1) -> tuple[float, float]:
    """alpha_1, alpha_2 of a point; sqrt(atilde_i / layers) where it gives atilde_i instead."""
    if alpha1 in point and alpha2 in point:
        return float(point[alpha1]), float(point[alpha2])
    first, second = (float(point[a]) / layers for a in (atilde1, atilde2))
    return math.sqrt(first), math.sqrt(second)


# Simulation ---------------------------------------------------------------------------------------


def simulate(point: Point, rng: Generator, count: int, layers: int) -> Tensor:
    """Outputs X^layers, (4^layers, count, n, d_v): one per choice of the signs of W^V and W^F2.

    Signs are equally likely, so that the mean of a statistic over axis 0 has its expectation, and
    odd powers of the weights, most of the noise, cancel exactly.  The paper's hypotheses leave the
    law of the weights open: W^V and W^F2 are Gaussian of fixed length (statistics are quadratic in
    them), W^F1 has entries +-1/sqrt(d_v), which keeps the tails of the product W^F1 W^F2 light.
    """
    strength1, strength2 = strengths(point, layers)
    x = tensor(point[X]).expand(1, count, *point[X].shape)
    width = x.shape[-1]

    def matrix() -> Tensor:
        return sphere(rng, count, width, width, std=width**-0.5)

    for _ in range(layers):
        s = strength1 * x.mean(dim=-2, keepdim=True) @ matrix()
        z = torch.cat((x + s, x - s))
        f1, f2 = matrix().sign() * width**-0.5, matrix()
        y = strength2 * z @ f1 @ f2
        x = torch.cat((z + y, z - y))
    return x


def inner_products(x: Tensor) -> Tensor:
    """C(X), the sum over all pairs of tokens, per sample; x has axes (..., n, d_v).

    As the squared norm of the sum of tokens, where tokens that cancel leave the square of a rounding.
    """
    return x.sum(dim=-2).square().sum(dim=-1)


# Averages over the weights ------------------------------------------------------------------------


def through_weights(moments: Tensor) -> Tensor:
    """Moments of X W: sum over z, y of M[k, z, l, y] E[W_zj W_yi]; axes (..., n, d, n, d)."""
    width = moments.shape[-1]
    same = torch.eye(width, dtype=moments.dtype, device=moments.device)
    covariance = torch.einsum("zy,ji->zjyi", same, same) / width
    return torch.einsum("...kzly,zjyi->...kjli", moments, covariance)


def through_uniform_attention(moments: Tensor) -> Tensor:
    """Moments of (1/n) 1 1^T X."""
    return moments.mean(dim=(-4, -2), keepdim=True).expand_as(moments)


def averaged_block(moments: Tensor, square1: float, square2: float) -> Tensor:
    """Moments of X'; cross moments with a branch vanish, since its last weights have mean zero."""
    z = moments + square1 * through_weights(through_uniform_attention(moments))
    return z + square2 * through_weights(through_weights(z))


@dataclass(frozen=True)
class MomentMap:
    """One averaged block as a matrix on flattened second moments, and the tokens' own moments."""

    matrix: Tensor
    start: Tensor

    @classmethod
    def of(cls, point: Point, layers: int = 1) -> MomentMap:
        """The block of a point; scaled strengths are those of a network of `layers` layers."""
        x = tensor(point[X])
        size = x.numel() ** 2
        units = torch.eye(size, dtype=x.dtype, device=device.current())
        squares = (a * a for a in strengths(point, layers))
        images = averaged_block(units.reshape(size, *x.shape, *x.shape), *squares)
        return cls(images.reshape(size, size).T, torch.einsum("kz,ly->kzly", x, x))

    def after(self, layers: int) -> Tensor:
        """E X X^T after so many blocks, (n, n)."""
        powers = torch.linalg.matrix_power(self.matrix, layers)
        moments = (powers @ self.start.flatten()).reshape(self.start.shape)
        return torch.einsum("kzlz->kl", moments)


MOST_ENTRIES = 24
"""The most entries of X for which a matrix on its second moments, the fourth power, is built."""


def averaged_gram(gram: Tensor, square1: float, square2: float) -> Tensor:
    """E X' X'^T for tokens of this Gram matrix; axes (..., n, n).

    E W W^T = I for weights of variance 1/d_v, so that E (X W)(X W)^T = X X^T, and uniform attention
    replaces every entry of a Gram matrix by their mean.
    """
    z = gram + square1 * gram.mean(dim=(-1, -2), keepdim=True)
    return z + square2 * z


def gram_after(point: Point, layers: int) -> Tensor:
    """E X^l (X^l)^T for the strengths of a point in a network of `layers` layers, (n, n)."""
    gram = tensor(point[X]) @ tensor(point[X]).T
    if layers == 0:
        return gram
    if point[X].rows * point[X].cols <= MOST_ENTRIES:
        return MomentMap.of(point, layers).after(layers)
    squares = [a * a for a in strengths(point, layers)]
    for _ in range(layers):
        gram = averaged_gram(gram, *squares)
    return gram


def correlation(gram: Tensor) -> Tensor:
    """Eqs. (5) and (14): mean over pairs k != l of G_kl / sqrt(G_kk G_ll)."""
    norms = gram.diagonal().sqrt()
    ratios = gram / torch.outer(norms, norms)
    return ratios[~torch.eye(len(gram), dtype=torch.bool, device=gram.device)].mean()


def exact_cosine(first: Tensor, second: Tensor) -> Measured:
    """<A, B> / (|A| |B|) of integers, so that 1 and -1 are recognised without rounding."""
    inner = float((first * second).sum())
    squares = float(first.square().sum() * second.square().sum())
    exact = inner**2 == squares
    value = math.copysign(1.0, inner) if exact else inner / math.sqrt(squares)
    return Measured(value, 0.0 if exact else rounding(1.0))


# Limits -------------------------------------------------------------------------------------------


def extrapolated(
    term: Callable[[int], Any], least: int = 4, most: int = 12, *, size: float = 0.0
) -> Measured:
    """The limit of term(L), which has an expansion in powers of 1/L, from L = 2^least ... 2^most.

    Each column of the table removes one more power of 1/L.  The error is ten times the last change
    along the diagonal, where the table still converges geometrically, plus rounding, which the
    table amplifies by less than ten.  A term may be a tensor of the parts that it is the sum of, and
    `size` says how large parts are that it does not show: they may cancel, their rounding does not.
    """
    rows: list[list[float]] = []
    for place, exponent in enumerate(range(least, most + 1)):
        parts = torch.as_tensor(term(2**exponent), dtype=torch.float64)
        size = max(size, float(parts.abs().sum()))
        row = [float(parts.sum())]
        for power in range(1, place + 1):
            factor = 2.0**power
            row.append((factor * row[-1] - rows[-1][power - 1]) / (factor - 1))
        rows.append(row)
    value, before = rows[-1][-1], rows[-2][-1]
    scale = max(size, *(abs(entry) for row in rows for entry in row))
    # Repeated squaring doubles relative rounding at each of the `most` steps.
    return Measured(value, 10 * abs(value - before) + rounding(scale, operations=10 * 2**most))
