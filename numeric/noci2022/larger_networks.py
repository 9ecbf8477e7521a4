"""Second estimators of Lemmas 3.2 and 3.3: deep networks seen by two rows instead of all tokens.

A Gaussian matrix that is used once moves given rows to jointly Gaussian ones, whose covariance is
their Gram matrix: what is drawn are two rows per layer, not three matrices.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import forward as claims
from claims.noci2022.notation import X, depth, ell
from numeric.exact import tensor
from numeric.noci2022.network import strengths
from numeric.reach import MOMENTS
from numeric.registry import samples
from numeric.sampling import normal

__all__ = ["mean_and_rest", "through_gaussian"]


def through_gaussian(rows: Tensor, rng: Generator) -> Tensor:
    """Rows (samples, 2, d) times a matrix with i.i.d. N(0, 1/d) entries, by a root of their Gram."""
    first, second = rows.unbind(dim=1)
    length = first.norm(dim=-1, keepdim=True)
    along = (first * second).sum(dim=-1, keepdim=True) / length.clamp_min(1e-300)
    rest = second - along / length.clamp_min(1e-300) * first
    g, h = normal(rng, *rows.shape, std=rows.shape[-1] ** -0.5).unbind(dim=1)
    return torch.stack((length * g, along * g + rest.norm(dim=-1, keepdim=True) * h), dim=1)


def mean_and_rest(point: Point, rng: Generator, count: int, layers: int) -> tuple[Tensor, Tensor]:
    """n ||x-bar||^2 and an unbiased sample of the squared norm of the rest, after so many layers.

    The rest is seen in one direction u that is orthogonal to the vector of ones, with random signs
    before centring, so that E u u^T = I - 11^T/n; attention adds the same to every token, and so
    nothing in that direction.
    """
    x = tensor(point[X])
    size, strength = len(x), strengths(point, layers)
    signs = normal(rng, count, size).sign()
    rest = (signs - signs.mean(dim=1, keepdim=True)) @ x
    rows = torch.stack((x.mean(dim=0).expand_as(rest), rest), dim=1)
    for _ in range(layers):
        attended = rows[:, :1].norm(dim=-1, keepdim=True) * normal(
            rng, count, 1, x.shape[1], std=x.shape[1] ** -0.5
        )
        z = torch.cat((rows[:, :1] + strength[0] * attended, rows[:, 1:]), dim=1)
        rows = z + strength[1] * through_gaussian(through_gaussian(z, rng), rng)
    norms = rows.square().sum(dim=-1)
    return size * norms[:, 0], norms[:, 1]


@samples(claims.inner_products_after_depth, larger=True)
def sampled_inner_products(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^L), which is n times n ||x-bar||^2."""
    return point[X].rows * mean_and_rest(point, rng, count, int(point[depth]))[0]


@samples(claims.norm_after_depth, larger=True)
def sampled_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^L||_F^2."""
    return sum(mean_and_rest(point, rng, count, int(point[depth])), torch.zeros(()))


@samples(claims.inner_products_grow_by_a_constant_factor, larger=True, reach=MOMENTS)
def sampled_inner_products_of_next_layer(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^(l+1))."""
    return point[X].rows * mean_and_rest(point, rng, count, int(point[ell]) + 1)[0]


@samples(claims.norm_grows_with_the_inner_products, larger=True, reach=MOMENTS)
@samples(claims.norm_grows_by_a_constant_factor_over_the_second_half, larger=True, reach=MOMENTS)
def sampled_norm_of_next_layer(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^(l+1)||_F^2."""
    return sum(mean_and_rest(point, rng, count, int(point[ell]) + 1), torch.zeros(()))
