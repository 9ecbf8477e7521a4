"""Second estimators of one layer's moments and Jacobians, for weights too many to enumerate.

Second moments of independent weights of mean zero are sums over unit matrices; a product of two
weight matrices, W^Q W^K^T with i.i.d. entries in each, has uncorrelated entries of equal variance.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import activation, background, backward, forward, inputs, uniformity, vanishing
from claims.noci2022.leading_correction import leading_correction_to_uniform_attention
from claims.noci2022.notation import WK, WQ, WV, X, d_k, d_v, n, sigma_k, sigma_q, sigma_v
from claims.noci2022.uniformity import row_i, row_j, variance
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import (
    chunk_size,
    query_gradient_norm,
    second_derivative,
    softmax_traces,
    value_gradient_norm,
)
from numeric.layers import attention
from numeric.noci2022.forward import outcome_moments
from numeric.reach import Reach
from numeric.registry import directly, measures, samples
from numeric.sampling import normal, steps


def units(rows: int, cols: int) -> Tensor:
    """The unit matrices of a shape, (rows cols, rows, cols)."""
    eye = torch.eye(rows * cols, dtype=torch.float64, device=device.current())
    return eye.unflatten(-1, (rows, cols))


def standard_deviations(point: Point) -> list[float]:
    """sigma_q, sigma_k, sigma_v."""
    return [float(point.get(sigma, 1)) for sigma in (sigma_q, sigma_k, sigma_v)]


# Lemmas A.4, A.6 and A.7, and correlations ---------------------------------------------------------


def _moments(outputs: Tensor, mean: Tensor, column: Tensor) -> Measured:
    """Moments of a linear layer from its outputs for scaled unit weights and for the mean weights."""
    every = torch.cat((outputs, mean[None]))
    return outcome_moments(every, torch.ones_like(every[:, 0, 0]), column)


@directly(forward.linear_layer_preserves_second_moments, larger=True)
def linear_layer(point: Point) -> Measured:
    """D = X W for weights of mean mu and variance 1/d."""
    x = tensor(point[X])
    width = x.shape[1]
    mean = float(point[forward.mu]) * x.sum(dim=1, keepdim=True).expand_as(x)
    return _moments(x @ units(width, width) / math.sqrt(width), mean, tensor(point[forward.e_j]))


@directly(forward.uniform_attention_second_moments, larger=True)
def attention_layer(point: Point) -> Measured:
    """S = (1/n) 1 1^T X W^V for weights of variance 1/d."""
    x = tensor(point[X])
    width = x.shape[1]
    attended = x.mean(dim=0, keepdim=True).expand_as(x)
    outputs = attended @ units(width, width) / math.sqrt(width)
    return _moments(outputs, torch.zeros_like(x), tensor(point[forward.e_j]))


@directly(activation.linear_layer_preserves_correlation, larger=True)
def linear_correlation(point: Point) -> Measured:
    """E<D_k, D_k'> / sqrt(E||D_k||^2 E||D_k'||^2), summed over the unit weights of one column."""
    first, second = tensor(point[activation.x]), tensor(point[activation.y])
    columns = float(point[activation.sigma_v]) * units(first.shape[1], 1).squeeze(-1).T
    u, v = first @ columns, second @ columns
    value = (u * v).sum() / (u.square().sum() * v.square().sum()).sqrt()
    return Measured(float(value), rounding(1.0))


def total(side: Any, point: Point) -> Any:
    """The sum of the first two moments."""
    return side[0] + side[1]


@samples(uniformity.logits_are_centred_with_glorot_second_moment, larger=True, of=total)
def first_and_second_power(point: Point, rng: Generator, count: int) -> Tensor:
    """M_ij + M_ij^2 for Gaussian weights; tokens see each weight matrix through d_k Gaussians."""
    x, y = (tensor(point[row]).squeeze(-1) for row in (row_i, row_j))
    keys, scale = int(point[d_k]), math.sqrt(float(point[variance]))
    queries, other = normal(rng, count, 2, keys, std=scale).unbind(dim=1)
    logits = x.norm() * y.norm() * (queries * other).sum(dim=-1) / math.sqrt(keys)
    return logits + logits.square()


# Gradient norms -----------------------------------------------------------------------------------


@directly(backward.value_gradient_norm_of_uniform_attention, larger=True)
def value_norm(point: Point) -> Measured:
    """||dS/dW^V||_F^2, which no weight enters."""
    value = float(_value_norm(tensor(point[X])))
    return Measured(value, rounding(1 + value))


def _value_norm(x: Tensor) -> Tensor:
    none = x.new_zeros(x.shape[1], 1)
    return value_gradient_norm(x, none, none, uniform=True)


@directly(backward.value_jacobian_norm_chain, larger=True)
def value_jacobian_norm(point: Point) -> Measured:
    """Squared norms of (11^T/n) X W, summed over unit matrices W."""
    x = tensor(point[X])
    uniform = torch.full((len(x), len(x)), 1 / len(x), dtype=x.dtype, device=x.device)
    value = float((uniform @ x @ units(x.shape[1], x.shape[1])).square().sum())
    return Measured(value, rounding(1 + value))


@directly(backward.query_jacobian_norm_of_uniform_attention, larger=True)
def query_jacobian_norm(point: Point) -> Measured:
    """||dS/dW^Q||_F^2 at the point's weights, row by row of the softmax."""
    weights = [tensor(point[symbol]) for symbol in (WQ, WK, WV)]
    value = float(query_gradient_norm(tensor(point[X]), *weights, uniform=True))
    return Measured(value, rounding(1 + value))


def sampled_query_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, averaged over W^V; no other weight enters."""
    x, stds = tensor(point[X]), standard_deviations(point)
    keys = int(point[d_k])
    parts = []
    for source, step in steps(rng, count, chunk_size(len(x), x.shape[1], keys)):
        wk = normal(source, step, x.shape[1], keys, std=stds[1])
        norm = query_gradient_norm(x, torch.zeros_like(wk), wk, sigma_v2=stds[2] ** 2, uniform=True)
        parts.append(norm)
    return torch.cat(parts)


samples(
    vanishing.query_gradient_norm_restated, backward.query_gradient_norm_of_uniform_attention,
    larger=True,
)(sampled_query_norm)  # fmt: skip


def _cross_parts(point: Point) -> tuple[Tensor, ...]:
    """X', X and X centred, the uniform attention, and the Gram matrix of the centred values."""
    x, other = tensor(point[X]), tensor(point[background.queries])
    centred = x - x.mean(dim=0)
    rows = torch.full((len(other), len(x)), 1 / len(x), dtype=x.dtype, device=x.device)
    return other, x, centred, rows, x.shape[1] * centred @ centred.mT


@samples(background.query_gradient_norm_of_cross_attention, larger=True)
def sampled_cross_query_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, averaged over W^V; queries come from another sequence."""
    other, x, centred, rows, values = _cross_parts(point)
    width, keys, stds = x.shape[1], int(point[d_k]), standard_deviations(point)
    scale = other.square().sum(dim=-1) / keys
    parts = []
    for source, step in steps(rng, count, chunk_size(len(x), width, keys)):
        moved = centred @ normal(source, step, width, keys, std=stds[1])
        parts.append(softmax_traces(rows, moved @ moved.mT, stds[2] ** 2 * values, scale))
    return torch.cat(parts)


@samples(background.key_gradient_norm_of_cross_attention, larger=True)
def sampled_cross_key_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^K||_F^2 over random W^Q, averaged over W^V; queries come from another sequence."""
    other, x, centred, rows, values = _cross_parts(point)
    width, keys, stds = x.shape[1], int(point[d_k]), standard_deviations(point)
    parts = []
    for source, step in steps(rng, count, chunk_size(len(x), width, keys)):
        asked = other @ normal(source, step, width, keys, std=stds[0])
        scale = asked.square().sum(dim=-1) / keys
        parts.append(softmax_traces(rows, centred @ centred.mT, stds[2] ** 2 * values, scale))
    return torch.cat(parts)


@directly(background.value_gradient_norm_of_cross_attention, larger=True)
def cross_value_gradient(point: Point) -> Measured:
    """||dS/dW^V||_F^2 = d_v ||A X||_F^2."""
    _, x, _, rows, _ = _cross_parts(point)
    value = x.shape[1] * float((rows @ x).square().sum())
    return Measured(value, rounding(1 + value))


# The input gradient and its parts -----------------------------------------------------------------


def input_step_norms(x: Tensor, steps: Tensor, stds: list[float]) -> tuple[Tensor, ...]:
    """E over weights of the squared norms of A_1 + A_2, A_1, A_2 and A_3 in directions (b, n, d_v).

    A step D moves the logits by (D B X^T + X B D^T)/sqrt(d_k), B = W^Q W^K^T, and S by that times
    L X W^V / n, besides the mean of D W^V.  With E B_ab B_cd = d_k sigma_q^2 sigma_k^2 where (a, b) =
    (c, d), E||P B Q + R B T||^2 is ||P||^2 ||Q||^2 + ||R||^2 ||T||^2 + 2 tr(P^T R) tr(Q^T T).
    """
    size, width = x.shape
    centred = x - x.mean(dim=0)
    kept, moved = x.mT @ centred, steps.mT @ centred
    square = lambda t: t.square().sum(dim=(-1, -2))  # noqa: E731
    factor = width * (stds[0] * stds[1] * stds[2] / size) ** 2
    first = factor * square(steps) * square(kept)
    second = factor * square(x) * square(moved)
    cross = 2 * factor * (steps * x).sum(dim=(-1, -2)) * (kept * moved).sum(dim=(-1, -2))
    third = width * stds[2] ** 2 * size * steps.mean(dim=1).square().sum(dim=-1)
    return first + second + cross, first, second, third


def input_norms(point: Point) -> tuple[float, ...]:
    """E of the squared norms of dS/dX, A_1 + A_2, A_1, A_2 and A_3, summed over unit directions."""
    x, stds = tensor(point[X]), standard_deviations(point)
    both, *parts = (float(t.sum()) for t in input_step_norms(x, units(*x.shape), stds))
    return both + parts[2], both, *parts


@samples(inputs.input_gradient_bound, larger=True)
def sampled_input_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dX u||^2 for random directions u, averaged over the weights; A_3 is not correlated."""
    x, stds = tensor(point[X]), standard_deviations(point)
    parts = []
    for source, step in steps(rng, count, chunk_size(len(x), x.shape[1], x.shape[1])):
        both, _, _, third = input_step_norms(x, normal(source, step, *x.shape), stds)
        parts.append(both + third)
    return torch.cat(parts)


@measures(inputs.whole, inputs.first_two, inputs.first, inputs.second, inputs.third, larger=True)
def part_norms(point: Point) -> tuple[Measured, ...]:
    """The five expected squared norms."""
    norms = input_norms(point)
    return tuple(Measured(value, rounding(*norms)) for value in norms)


@measures(vanishing.value_norm, larger=True)
def surviving_value_norm(point: Point) -> Measured:
    """||dS/dW^V||_F^2."""
    return value_norm(point)


@measures(vanishing.input_norm, larger=True)
def surviving_input_norm(point: Point) -> Measured:
    """E||dS/dX||_F^2."""
    value = input_norms(point)[0]
    return Measured(value, rounding(value))


def _kronecker_norms(point: Point, rng: Generator, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """||A_1||^2, ||A_2||^2, ||A_3||^2 over random weights, (count,) each.

    A Kronecker product has the product of the norms, and a commutation matrix between two factors
    I (x) P and I (x) Q of this shape pairs every column of P with every row of Q.
    """
    x, stds = tensor(point[X]), standard_deviations(point)
    size, width, keys = *x.shape, int(point[d_k])
    centred = x - x.mean(dim=0)
    wq, wk = (normal(rng, count, width, keys, std=std) for std in stds[:2])
    wv = normal(rng, count, width, width, std=stds[2])
    square = lambda t: t.square().sum(dim=(-1, -2))  # noqa: E731
    scale = 1 / (size**2 * keys)
    first = size * scale * square((wv.mT @ (x.mT @ centred)) @ wk @ wq.mT)
    second = scale * square(wv.mT @ centred.mT) * square(x @ wq @ wk.mT)
    return first, second, square(wv)


def _sampled_part(place: int) -> Any:
    def sampled(point: Point, rng: Generator, count: int) -> Tensor:
        most = chunk_size(int(point[n]), int(point[d_v]), int(point[d_k]))
        some = (_kronecker_norms(point, *each)[place] for each in steps(rng, count, most))
        return torch.cat(list(some))

    return sampled


samples(inputs.first_part_norm, larger=True)(_sampled_part(0))
samples(inputs.second_part_norm, larger=True)(_sampled_part(1))
samples(inputs.mean_part_norm, larger=True)(_sampled_part(2))


# The first correction to uniform attention --------------------------------------------------------


@samples(
    leading_correction_to_uniform_attention,
    larger=True,
    reach=Reach(16, "second derivatives of larger layers take too long to be drawn by thousands"),
)
def sampled_correction(point: Point, rng: Generator, count: int) -> Tensor:
    """Half of d^2/dtau^2 ||softmax(tau M) X W^V||_F^2 at tau = 0 over random W^Q, W^K.

    Over W^V the mean of ||Y W^V||^2 is d_v sigma_v^2 ||Y||^2, so that W^V = I stands for it.
    """
    x, stds = tensor(point[X]), standard_deviations(point)
    width, keys = x.shape[1], int(point[d_k])
    identity = torch.eye(width, dtype=x.dtype, device=x.device)
    parts = []
    for source, step in steps(rng, count, chunk_size(len(x), x.shape[1], keys)):
        wq, wk = (normal(source, step, width, keys, std=std) for std in stds[:2])

        def norm(tau: Tensor, wq: Tensor = wq, wk: Tensor = wk) -> Tensor:
            return attention(x, wq, wk, identity, tau=tau).square().sum(dim=(-1, -2))  # type: ignore[arg-type]

        curvature = second_derivative(norm, x.new_zeros(step, 1, 1)).flatten()
        parts.append(width * stds[2] ** 2 / 2 * curvature)
    return torch.cat(parts)
