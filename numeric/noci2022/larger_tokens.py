"""Second estimators of Sec. 3.3 and Apps. A.2 and C.2, for tokens too many for a grid."""

from __future__ import annotations

import math
from functools import partial

import torch
from sympy import Integer
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import moments, pairings, scaling, temperature
from claims.noci2022.notation import X, d, n, rho
from claims.noci2022.sums import a, a2, b, b2
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.layers import squared_norm
from numeric.noci2022.larger_layers import sampled_query_norm
from numeric.noci2022.radial import (
    averaged_norm,
    fixed_directions,
    mean_over_tokens,
    measured_mean,
    norms_at,
    radial_means,
)
from numeric.noci2022.terms import centring, scatter_norm
from numeric.noci2022.tokens import covariance, gaussian_grid
from numeric.registry import directly, measures, samples
from numeric.trends import mean_and_reach

POWERS = {"values": 0, "queries": 2, "keys": 2}
"""The power of 1/d with which Xavier weights multiply a norm averaged over weights of variance one."""


@directly(moments.value_gradient_norm_of_gaussian_tokens, larger=True)
def value_gradient(point: Point) -> Measured:
    """E ||dS/dW^V||_F^2."""
    return mean_over_tokens(partial(averaged_norm, "values"), point)


def _query_gradient(point: Point, factor: float) -> Measured:
    norms = radial_means(
        partial(averaged_norm, "queries", tau=factor), fixed_directions(point), point
    )
    return measured_mean(norms / int(point[d]) ** POWERS["queries"], point)


@directly(moments.query_gradient_norm_of_gaussian_tokens, larger=True)
def query_gradient(point: Point) -> Measured:
    """E ||dS/dW^Q||_F^2."""
    return _query_gradient(point, 1.0)


@directly(temperature.query_gradient_norm_of_tempered_attention, larger=True)
def tempered_query_gradient(point: Point) -> Measured:
    """E ||dS_tau/dW^Q||_F^2."""
    return _query_gradient(point, float(point[temperature.tau]))


@directly(moments.scatter_norm_of_gaussian_tokens, larger=True)
def mean_scatter_norm(point: Point) -> Measured:
    """E ||X^T L X||_F^2."""
    return mean_over_tokens(scatter_norm, point)


@directly(moments.norm_and_scatter_are_uncorrelated, larger=True)
def covariance_of_norms(point: Point) -> Measured:
    """The covariance of ||X||_F^2 and ||X^T L X||_F^2, products of means from other directions."""

    def product(x: Tensor) -> Tensor:
        return squared_norm(x) * scatter_norm(x)

    first, second = (fixed_directions(point, part) for part in range(2))
    joint = radial_means(product, first, point)
    norms, scatters = (
        radial_means(squared_norm, second, point),
        radial_means(scatter_norm, first, point),
    )
    found = measured_mean(joint - norms * scatters, point)
    return Measured(found.value, found.error + rounding(joint, operations=10_000))


@directly(moments.query_gradient_norm_restated, larger=True)
def product_of_means(point: Point) -> Measured:
    """E ||X||_F^2 E ||X^T L X||_F^2/(d n^2), the two means from different directions."""
    first, second = (fixed_directions(point, part) for part in range(2))
    norms = radial_means(squared_norm, second, point)
    scale = int(point[d]) * int(point[n]) ** 2
    found = measured_mean(norms * radial_means(scatter_norm, first, point) / scale, point)
    return Measured(found.value, found.error + rounding(norms**3 / scale, operations=10_000))


@directly(moments.query_gradient_moment, larger=True)
def joint_moment(point: Point) -> Measured:
    """E ||X||_F^2 ||X^T X - n xbar xbar^T||_F^2 with its printed prefactor, at Xavier variances."""
    size, width = int(point[n]), int(point[d])

    def joint(x: Tensor) -> Tensor:
        mean = x.mean(dim=-2).unsqueeze(-1)
        scatter = squared_norm(x.mT @ x - size * mean @ mean.mT)
        return squared_norm(x) * scatter / (width * size**2)

    return mean_over_tokens(joint, point)


@samples(moments.query_gradient_norm_for_one_width, larger=True)
def sampled_query_gradient_at_fixed_tokens(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, averaged over W^V."""
    return sampled_query_norm(moments.square_layer(point), rng, count)


# Slopes, signs and ratios -------------------------------------------------------------------------


def slope(values: Tensor, logs: Tensor) -> float:
    """The least-squares slope of log(values) in given logarithms."""
    centred = logs - logs.mean()
    return float((centred @ values.log()) / (centred @ centred))


@directly(scaling.gradient_norms_are_powers_of_the_variance, larger=True)
def variance_slopes(point: Point) -> Measured:
    """Least-squares slopes of log E||dS/dW||^2 in log sigma_x^2 over five variances."""
    x = tensor(point[X])
    scales = torch.tensor([0.25, 0.5, 1.0, 2.0, 4.0], dtype=x.dtype, device=x.device)
    norms = [averaged_norm(p, scales[:, None, None] * x) for p in scaling.PARAMETERS]
    return Measured(tuple(slope(v, scales.square().log()) for v in norms), rounding(100.0))


@directly(temperature.query_and_key_gradients_are_linear_in_the_temperature, larger=True)
def temperature_slopes(point: Point) -> Measured:
    """Least-squares slopes of log sqrt(E||dS_tau/dW||^2) in log tau over five temperatures."""
    x = tensor(point[X])
    taus = torch.tensor([0.25, 0.5, 1.0, 2.0, 4.0], dtype=x.dtype, device=x.device)
    slopes = [
        slope(torch.stack([averaged_norm(p, x, tau=float(t)) for t in taus]).sqrt(), taus.log())
        for p in temperature.PARAMETERS
    ]
    return Measured(tuple(slopes), rounding(100.0))


def sign_of(gaps: Tensor, scale: Tensor) -> tuple[float, bool]:
    """The sign of the mean of i.i.d. gaps, zero within rounding of `scale`, and whether it is told."""
    mean, reach = mean_and_reach(gaps)
    zero = rounding(scale, operations=10_000)
    if abs(mean) + reach <= zero:
        return 0.0, True
    return math.copysign(1.0, mean), abs(mean) > reach + zero


def _told(signs: list[tuple[float, bool]]) -> Measured:
    """Signs, which agree with anything where one of them is not told."""
    return Measured(tuple(s for s, _ in signs), 0.0 if all(told for _, told in signs) else 2.0)


def _xavier_norms(parameter: str, point: Point) -> Tensor:
    return norms_at(parameter, point) / int(point[d]) ** POWERS[parameter]


@directly(scaling.gradient_norms_are_monotone_in_the_correlation, larger=True)
def correlation_trends(point: Point) -> Measured:
    """Signs of the change from rho to rho' for values, queries and keys, directions alike."""
    signs = []
    for parameter in scaling.PARAMETERS:
        later = norms_at(parameter, {**point, rho: point[scaling.rho2]})
        before = norms_at(parameter, point)
        signs.append(sign_of(later - before, torch.maximum(later, before)))
    return _told(signs)


@directly(scaling.gradient_norms_scale_differently_with_width_and_length, larger=True)
def size_trends(point: Point) -> Measured:
    """Signs of growth in d over d^2, of growth in n at 0, and of the ratio's in n at rho against 0.

    Directions are the same for rho and 0, so that what they contribute cancels in the last one.
    """
    width, zero = int(point[d]), Integer(0)
    wider, longer = {**point, d: point[d] + 1}, {**point, n: point[n] + 1}
    signs = []
    for parameter in ("values", "queries"):
        grown = _xavier_norms(parameter, wider) * width**2
        known = _xavier_norms(parameter, point) * (width + 1) ** 2
        signs.append(sign_of(grown - known, grown))
    norm = {
        (p, l, z): _xavier_norms(p, {**at, rho: zero} if z else at)
        for p in ("queries", "values")
        for l, at in ((False, point), (True, longer))  # noqa: E741
        for z in (False, True)
    }
    for parameter in ("values", "queries"):
        grown, known = norm[parameter, True, True], norm[parameter, False, True]
        signs.append(sign_of(grown - known, grown))
    moved = norm["queries", True, False] * norm["values", False, False]
    moved *= norm["queries", False, True] * norm["values", True, True]
    still = norm["queries", False, False] * norm["values", True, False]
    still *= norm["queries", True, True] * norm["values", False, True]
    signs.append(sign_of(moved - still, moved))
    return _told(signs)


@measures(temperature.matching, larger=True)
def matching_temperature(point: Point) -> Measured:
    """tau^2 with equal norms: tau^2 Q = V with Q and V at tau = 1."""
    values, v_reach = mean_and_reach(_xavier_norms("values", point))
    queries, q_reach = mean_and_reach(_xavier_norms("queries", point))
    ratio = values / queries
    reach = ratio * (v_reach / values + q_reach / (queries - q_reach))
    return Measured(ratio, reach + rounding(1 + ratio, operations=10_000))


@directly(scaling.sixth_order_moments_enter, larger=True)
def sixth_order_gap(point: Point) -> Measured:
    """Difference of the joint moment between the Gaussian and the three-point law.

    The laws share their moments below the sixth, so that of a polynomial of degree six only the
    sixth powers of single entries tell them apart; their coefficients are its values at unit tokens.
    """
    size, width = int(point[n]), int(point[d])
    units = torch.eye(size * width, dtype=torch.float64).unflatten(-1, (size, width))
    total = float((squared_norm(units) * scatter_norm(units)).sum())
    gaussian, three_point = 15, 9
    return Measured((gaussian - three_point) * total, rounding(total, operations=10_000))


@directly(pairings.pairings_in_kronecker_deltas, larger=True)
def pairings_at_sites(point: Point) -> Measured:
    """Q_1, Q_2, Q_3, L_ab L_a'b' and the fourth moment, by quadrature over the four tokens alone."""
    columns, centre = covariance(point), centring(int(point[n]))
    i, j, k, h = sites = [int(point[index]) - 1 for index in (a, b, a2, b2)]
    values, vectors = torch.linalg.eigh(columns[sites][:, sites])
    standard, mass = gaussian_grid(len(sites))
    x = standard @ (vectors * values.clamp_min(0).sqrt()).mT
    pairs = [columns[i, k] * columns[j, h], columns[i, j] * columns[k, h]]
    pairs += [columns[i, h] * columns[k, j], centre[i, j] * centre[k, h]]
    pairs.append(mass @ x.prod(dim=-1))
    scale = mass @ x.pow(4).amax(dim=-1)
    return Measured(tuple(map(float, pairs)), rounding(1.0, scale, operations=10_000))
