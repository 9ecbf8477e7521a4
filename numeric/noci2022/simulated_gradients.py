"""Gradient norms of one attention layer under the true softmax and under uniform attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import simulated_gradients as claims
from claims.noci2022.notation import d, n, rho, sigma_x
from numeric.agreement import Measured, rounding
from numeric.evaluate import evaluate
from numeric.jacobians import key_gradient_norm, query_gradient_norm, value_gradient_norm
from numeric.noci2022.stacks import correlated_tokens, ratio_interval
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import generator, normal

LOT = 2048
"""Samples at a time, so that all of their matrices fit into little memory."""


def gradient_norms(
    size: int, width: int, correlation: float, std: float, samples: int, *, seed: int | None = None,
    tau: float = 1.0, dtype: torch.dtype = torch.float32,
) -> dict[str, tuple[Tensor, Tensor]]:  # fmt: skip
    """{parameter: ||dS/dW||_F^2 under the true softmax and under uniform attention}, per sample.

    Exact sums over all entries of each weight, averaged over W^V, which a test of `jacobians` holds
    to autograd.  All settings share one stream, that of the audit's seed where none is given: what
    differs is not the luck of the draw.
    """
    rng = generator(seed, "noci2022", "gradients", size, width)
    averaged = {"sigma_v2": 1 / width}
    lots: dict[str, list[Tensor]] = {"queries": [], "keys": [], "values": []}
    for start in range(0, samples, LOT):
        count = min(LOT, samples - start)
        x = correlated_tokens(rng, count, size, width, rho=correlation, std=std, dtype=dtype)
        wq, wk = (normal(rng, count, width, width, std=width**-0.5, dtype=dtype) for _ in range(2))
        for name, norm, more in (
            ("queries", query_gradient_norm, averaged), ("keys", key_gradient_norm, averaged),
            ("values", value_gradient_norm, {}),
        ):  # fmt: skip
            both = [norm(x, wq, wk, uniform=flat, tau=tau, **more) for flat in (False, True)]
            lots[name].append(torch.stack(both))
    found = {name: torch.cat(parts, dim=-1) for name, parts in lots.items()}
    return {name: (true, uniform) for name, (true, uniform) in found.items()}


@remembered()
def _norms(size: int, width: int, correlation: float, std: float, samples: int) -> Any:
    return gradient_norms(size, width, correlation, std, samples)


def _agreement(point: Point, name: str, tenths: int) -> Measured:
    """E true / E uniform; true norms have heavy tails for large inputs, most where features are few."""
    std, width = tenths / 10, int(point[d])
    samples = 2048 * max(1, round((40 / width) ** 1.5)) if std >= 0.5 else 512
    setting = (int(point[n]), width, float(point[rho]), std, samples)
    return Measured(*ratio_interval(*_norms(*setting)[name]))


@measures(claims.true_over_uniform["queries"])
def query_agreement(point: Point, tenths: int) -> Measured:
    """Query gradients under the softmax over those under uniform attention."""
    return _agreement(point, "queries", tenths)


@measures(claims.true_over_uniform["keys"])
def key_agreement(point: Point, tenths: int) -> Measured:
    """Key gradients under the softmax over those under uniform attention."""
    return _agreement(point, "keys", tenths)


@measures(claims.true_over_printed)
def printed_agreement(point: Point, tenths: int) -> Measured:
    """E true / Eq. (18): the mean under uniform attention is known exactly, which sets the scale.

    It is (1 + 4 (1 - rho)/(n d)) times Eq. (18) (the claim `noci2022.eq-18.repair`).
    """
    size, width, correlation = int(point[n]), int(point[d]), float(point[rho])
    samples = max(512, 2**21 // (size * width))
    ratio, half_width = ratio_interval(
        *_norms(size, width, correlation, tenths / 10, samples)["queries"]
    )
    scale = 1 + 4 * (1 - correlation) / (size * width)
    return Measured(scale * ratio, scale * half_width)


@measures(claims.log_ratio)
def measured_log_ratio(point: Point, correlation: int, std: int) -> Measured:
    """log(E||dS/dW^Q||^2 / E||dS/dW^V||^2) under the true softmax; both arguments in tenths."""
    norms = _norms(int(point[n]), int(point[d]), correlation / 10, std / 10, 1024)
    ratio, half_width = ratio_interval(norms["queries"][0], norms["values"][0])
    if half_width >= ratio:
        return Measured(math.log(ratio), math.inf)
    return Measured(math.log(ratio), -math.log1p(-half_width / ratio))


@measures(claims.matching_temperature)
def temperature_by_the_printed_norms(point: Point) -> Measured:
    """The root of the printed value norm over the printed query norm."""
    at = {key: float(point[key]) for key in (n, d, rho, sigma_x)}
    value = float((evaluate(claims.VALUES, at) / evaluate(claims.QUERIES, at)).sqrt())
    return Measured(value, rounding(value))


@measures(claims.here, claims.along_rho, claims.along_sigma)
def printed_ratios(point: Point) -> tuple[Measured, ...]:
    """The two printed formulas' ratio, which is what the figure shows, here and at moved settings."""

    def ratio(correlation: Any, std: Any) -> Measured:
        at = {n: float(point[n]), d: float(point[d]), rho: float(correlation), sigma_x: float(std)}
        value = float(evaluate(claims.QUERIES, at) / evaluate(claims.VALUES, at))
        return Measured(value, rounding(value))

    places = (
        (point[rho], point[sigma_x]),
        (point[claims.rho2], point[sigma_x]),
        (point[rho], point[claims.sigma2]),
    )
    return tuple(ratio(*place) for place in places)
