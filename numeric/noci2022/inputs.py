"""The input gradient of the uniform-attention layer: by autograd, and from its three parts."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import inputs as claims
from claims.noci2022.notation import X, d_k, sigma_k, sigma_q, sigma_v
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.backward import given
from numeric.noci2022.setup import Layer, draw_layer, jacobian, squared_jacobian_norm
from numeric.reach import KRONECKER
from numeric.registry import directly, measures, samples
from numeric.remembered import remembered


@samples(claims.input_gradient_bound)
def sampled_input_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dX u||^2 over random weights and directions."""
    return squared_jacobian_norm(draw_layer(point, rng, count), "input", rng)


@directly(claims.input_jacobian_splits_in_three, reach=KRONECKER)
def input_jacobian(point: Point) -> Measured:
    """The full input Jacobian by autograd."""
    value = jacobian(given(point), "input")
    return Measured(value, rounding(1 + value.abs().max()))


def parts(layer: Layer) -> tuple[Tensor, Tensor, Tensor]:
    """A_1, A_2, A_3 as printed, batched: (samples, n d_v, n d_v)."""
    size, width, keys = layer.x.shape[-2], layer.x.shape[-1], layer.wk.shape[-1]
    eye = torch.eye(size, dtype=torch.float64, device=layer.x.device)
    centred = layer.x - layer.x.mean(dim=-2, keepdim=True)
    scale = 1 / (size * math.sqrt(keys))
    first = kron(eye, scale * layer.wv.mT @ layer.x.mT @ centred @ layer.wk @ layer.wq.mT)
    left = kron(eye, layer.wv.mT @ centred.mT)
    right = kron(eye, scale * layer.x @ layer.wq @ layer.wk.mT)
    # K_nn exchanges the two factors of R^n (x) R^n: row i n + j goes to row j n + i.
    swapped = right.unflatten(-2, (size, size)).transpose(-3, -2).flatten(-3, -2)
    third = kron(torch.full_like(eye, 1 / size), layer.wv.mT)
    assert width == layer.wv.shape[-1]
    return first, left @ swapped, third


def kron(a: Tensor, b: Tensor) -> Tensor:
    """a (x) b for a matrix `a` and a batch of matrices `b`."""
    blocks = torch.einsum("ij,...pq->...ipjq", a, b)
    return blocks.flatten(-4, -3).flatten(-2, -1)


def _sampled_part(place: int) -> Any:
    def sampled(point: Point, rng: Generator, count: int) -> Tensor:
        return parts(draw_layer(point, rng, count))[place].square().sum(dim=(-1, -2))

    return sampled


samples(claims.first_part_norm)(_sampled_part(0))
samples(claims.second_part_norm)(_sampled_part(1))
samples(claims.mean_part_norm)(_sampled_part(2))


@remembered()
def _unit_layers(v: int, k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Every triple of unit directions of (W^Q, W^K, W^V), as batches of matrices."""
    units = [
        torch.eye(r * c, dtype=torch.float64).unflatten(-1, (r, c)) for r, c in ((v, k), (v, v))
    ]
    places = list(product(range(v * k), range(v * k), range(v * v)))
    index = torch.tensor(places).T
    return units[0][index[0]], units[0][index[1]], units[1][index[2]]


def exact_part_norms(x: Tensor, std: tuple[float, float, float], keys: int) -> tuple[Tensor, ...]:
    """E of the squared norms of dS/dX, A_1 + A_2, A_1, A_2, A_3 for tokens x (starts, n, d_v).

    A_1 and A_2 are linear in each of W^Q, W^K, W^V and A_3 in W^V, so the second moments of the
    weights are averaged exactly by summing over unit directions; A_3 is odd in number of weights
    and does not correlate with the others.
    """
    width = x.shape[-1]
    wq, wk, wv = (w.to(x.device) for w in _unit_layers(width, keys))
    tokens = x.unsqueeze(-3)
    first, second, _ = parts(Layer(tokens, std[0] * wq, std[1] * wk, std[2] * wv))
    units = std[2] * torch.eye(width**2, dtype=x.dtype, device=x.device).unflatten(
        -1, (width, width)
    )
    eye = torch.eye(x.shape[-2], dtype=x.dtype, device=x.device)
    third = kron(torch.full_like(eye, 1 / x.shape[-2]), units.mT)
    square = lambda a: a.square().sum(dim=(-1, -2, -3))  # noqa: E731
    both = square(first + second)
    tail = square(third).expand_as(both)
    return both + tail, both, square(first), square(second), tail


@measures(claims.whole, claims.first_two, claims.first, claims.second, claims.third)
def part_norms(point: Point) -> tuple[Measured, ...]:
    """The five expected squared norms, weights averaged exactly."""
    std = (float(point[sigma_q]), float(point[sigma_k]), float(point[sigma_v]))
    norms = [float(v[0]) for v in exact_part_norms(tensor(point[X])[None], std, int(point[d_k]))]
    return tuple(Measured(value, rounding(*norms)) for value in norms)
