"""Second moments over a finite law, outcome by outcome."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import Tensor

from claims.domain import Point
from claims.noci2022 import skips as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def outcomes(point: Point, name: str) -> Tensor:
    """A, B or D = alpha A + B for each value of B and of A given it: (S, R, p, q)."""
    rows, count = int(point[claims.p]), int(point[claims.streams])
    a = tensor(point[claims.A]).reshape(count, -1, rows, int(point[claims.q]))
    b = tensor(point[claims.B]).reshape(count, 1, rows, -1).expand_as(a)
    return {"A": a, "B": b, "D": float(point[claims.alpha]) * a + b}[name]


def _mean(point: Point, values: Tensor) -> Measured:
    """The mean of values (S, R) over the law."""
    masses = tensor(point[claims.weights])
    terms = masses * values / masses.sum()
    return Measured(float(terms.sum()), rounding(1 + terms.abs().sum(), operations=1000))


def product_of_entries(name: str, point: Point, i: int, j: int, k: int) -> Measured:
    """E M_ik M_jk."""
    matrix = outcomes(point, name)
    return _mean(point, matrix[..., i - 1, k - 1] * matrix[..., j - 1, k - 1])


def squared_norm(name: str, point: Point) -> Measured:
    """E ||M||_F^2."""
    return _mean(point, outcomes(point, name).square().sum(dim=(-1, -2)))


def inner_products(name: str, point: Point) -> Measured:
    """E C(M), by the sums of columns."""
    return _mean(point, outcomes(point, name).sum(dim=-2).square().sum(dim=-1))


_ESTIMATORS: tuple[tuple[dict, Callable[..., Measured]], ...] = (
    (claims.products, product_of_entries),
    (claims.norm, squared_norm),
    (claims.inner, inner_products),
)
for _moments, _measured in _ESTIMATORS:
    for _name, _quantity in _moments.items():
        measures(_quantity)(partial(_measured, _name))
