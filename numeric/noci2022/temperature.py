"""The tempered layer by autograd: Jacobians, slopes in log tau, and norms over Gaussian tokens."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import temperature as claims
from claims.noci2022.notation import WK, WQ, WV, X, d, d_k, n
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import directional, full_jacobian
from numeric.layers import attention
from numeric.noci2022.setup import PARAMETERS
from numeric.noci2022.tokens import draw_tokens, even_gaussian_grid, tokens_of
from numeric.reach import KRONECKER
from numeric.registry import directly, measures, samples
from numeric.sampling import normal


def _arrays(point: Point) -> list[Tensor]:
    """X (n, v), W^Q (v, k), W^K (v, k), W^V (v, v)."""
    return [tensor(point[symbol]) for symbol in (X, WQ, WK, WV)]


def _layer(arrays: list[Tensor], parameter: str, **how: object) -> Callable[[Tensor], Tensor]:
    """S_tau as a function of one parameter; `how` is passed on to `attention`."""
    place = PARAMETERS[parameter]

    def of_parameter(value: Tensor) -> Tensor:
        x, wq, wk, wv = (value if k == place else a for k, a in enumerate(arrays))
        return attention(x, wq, wk, wv, **how)  # type: ignore[arg-type]

    return of_parameter


def _jacobian(point: Point, parameter: str, temperature: float, uniform: bool = False) -> Tensor:
    """dS_tau/d(parameter), rows and columns in row-major order of S and the parameter."""
    arrays = _arrays(point)
    function = _layer(arrays, parameter, tau=temperature, uniform=uniform)
    full = full_jacobian(function, arrays[PARAMETERS[parameter]])
    return full.flatten(0, 1).flatten(1, 2)


def _scale(point: Point) -> Tensor:
    """A bound on what is added up, for rounding."""
    temperature = 1 + abs(float(point[claims.tau]))
    return torch.stack([1 + a.abs().sum() for a in _arrays(point)]).prod() * temperature


@directly(claims.query_jacobian_of_tempered_attention, reach=KRONECKER)
def query_jacobian(point: Point) -> Measured:
    """dS_tau/dW^Q with the true softmax, shape (n v, v k)."""
    value = _jacobian(point, "queries", float(point[claims.tau]))
    return Measured(value, rounding(_scale(point)))


@directly(claims.value_gradients_do_not_depend_on_the_temperature, reach=KRONECKER)
def value_jacobian(point: Point) -> Measured:
    """dS_tau/dW^V under uniform attention, shape (n v, v v)."""
    value = _jacobian(point, "values", float(point[claims.tau]), uniform=True)
    return Measured(value, rounding(_scale(point)))


OTHERS = {"queries": "keys", "keys": "queries"}


def averaged_norm(parameter: str, x: Tensor, keys: int, temperature: float) -> Tensor:
    """E over unit-variance weights of ||dS_tau/d(parameter)||_F^2 at tokens x (..., n, v).

    The Jacobian by queries is linear in W^K and W^V, that by keys in W^Q and W^V, and that by
    values depends on no weight: second moments are sums over unit directions.  Over W^V the sum of
    ||P E_gh||^2 is d_v ||P||^2, so W^V = I stands for all of its directions.
    """
    width = x.shape[-1]
    if parameter == "values":
        moving, shapes = ["values"], [(width, width)]
    else:
        moving, shapes = [parameter, OTHERS[parameter]], [(width, keys)] * 2
    places = torch.tensor(list(product(*(range(r * c) for r, c in shapes))), device=x.device).T
    zero = x.new_zeros(width, keys)
    weights = {"queries": zero, "keys": zero, "values": torch.eye(width, dtype=x.dtype)}
    for name, place, (rows, cols) in zip(moving, places, shapes, strict=True):
        units = torch.eye(rows * cols, dtype=x.dtype, device=x.device)
        weights[name] = units.unflatten(-1, (rows, cols))[place]
    arrays = [x.unsqueeze(-3), *(weights[k].to(x.device) for k in ("queries", "keys", "values"))]
    function = _layer(arrays, parameter, tau=temperature, uniform=True)
    direction = arrays[PARAMETERS[parameter]]
    moved = directional(function, torch.zeros_like(direction), direction)
    factor = 1 if parameter == "values" else width
    return factor * moved.square().sum(dim=(-1, -2, -3))


@directly(claims.query_and_key_gradients_are_linear_in_the_temperature)
def temperature_slopes(point: Point) -> Measured:
    """Least-squares slopes of log sqrt(E||dS_tau/dW||^2) in log tau over five temperatures."""
    x, keys = tensor(point[X]), int(point[d_k])
    temperatures = (0.25, 0.5, 1.0, 2.0, 4.0)
    logs = torch.tensor(temperatures, dtype=x.dtype, device=x.device).log()
    centred = logs - logs.mean()
    slopes = []
    for parameter in claims.PARAMETERS:
        norms = torch.stack([averaged_norm(parameter, x, keys, t) for t in temperatures])
        slopes.append(float(centred @ norms.sqrt().log() / (centred @ centred)))
    return Measured(tuple(slopes), rounding(100.0))


@samples(claims.query_gradient_norm_of_tempered_attention)
def sampled_query_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS_tau/dW^Q[U]||^2 for random signs U and weights +-1/sqrt(d), the Xavier variance."""
    width = int(point[d])
    x = draw_tokens(point, rng, count, degree=6)
    direction, wk, wv = (normal(rng, count, width, width).sign() for _ in range(3))
    scale = 1 / math.sqrt(width)
    at = torch.zeros_like(direction)  # dS_tau/dW^Q does not depend on W^Q here
    arrays = [x, at, scale * wk, scale * wv]
    function = _layer(arrays, "queries", tau=float(point[claims.tau]), uniform=True)
    moved = directional(function, at, direction)
    return moved.square().sum(dim=(-1, -2))


@measures(claims.matching)
def matching_temperature(point: Point) -> Measured:
    """tau^2 with equal norms, by quadrature over even functions of X."""
    size, width = int(point[n]), int(point[d])
    standard, mass = even_gaussian_grid(size * width)
    x = tokens_of(standard.unflatten(-1, (size, width)), point)
    # tau^2 Q = V with Q and V at tau = 1; Xavier weights contribute 1/d^2 to the queries' norm.
    values = float(mass @ averaged_norm("values", x, width, 1.0))
    queries = float(mass @ averaged_norm("queries", x, width, 1.0)) / width**2
    return Measured(values / queries, rounding(1 + values / queries, operations=10_000))
