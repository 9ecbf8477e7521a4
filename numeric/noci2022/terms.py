"""The sums of App. A.2, Term A, entry by entry in torch."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import terms as claims
from claims.noci2022.notation import n, rho, sigma_x
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.noci2022.tokens import covariance, draw_tokens
from numeric.reach import WRITTEN_OUT
from numeric.registry import directly, samples

__all__ = ["centring", "scatter_norm"]


def centring(size: int) -> Tensor:
    """I - 11^T/n."""
    eye = torch.eye(size, dtype=torch.float64, device=device.current())
    return eye - 1 / size


def scatter_norm(x: Tensor) -> Tensor:
    """||X^T L X||_F^2 for tokens (..., n, d)."""
    centred = x - x.mean(dim=-2, keepdim=True)
    return (x.mT @ centred).square().sum(dim=(-1, -2))


@samples(claims.scatter_norm_expands_in_two_terms, reach=WRITTEN_OUT)
def sampled_scatter_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^T L X||_F^2."""
    return scatter_norm(draw_tokens(point, rng, count, degree=4))


@directly(claims.products_of_covariances_by_case)
def covariance_products(point: Point) -> Measured:
    """Mean value and number of terms of Cov_aa' Cov_bb' in the four cases."""
    size = int(point[n])
    columns = covariance(point)
    products = torch.einsum("ik,jh->ikjh", columns, columns)
    same = torch.eye(size, dtype=torch.bool, device=columns.device)
    found: list[float] = []
    for first in (same, ~same):
        for second in (same, ~same):
            chosen = products[first[:, :, None, None] & second]
            if float(chosen.max() - chosen.min()) > rounding(products):
                raise ValueError(f"one case takes several values: {chosen.unique().tolist()}")
            found += [float(chosen.mean()), float(chosen.numel())]
    return Measured(tuple(found), rounding(*found))


def restricted_sum(point: Point, apart_a: bool, apart_b: bool) -> float:
    """Sum of L_ab L_a'b' over a' = a or not, b' = b or not."""
    size = int(point[n])
    centre, same = centring(size), torch.eye(size, device=device.current()).double()
    first, second = (1 - same if apart else same for apart in (apart_a, apart_b))
    return float(torch.einsum("ij,kh,ik,jh->", centre, centre, first, second))


def _in_units(point: Point, power: int, total: float) -> Measured:
    value = float(point.get(rho, 0)) ** power * float(point[sigma_x]) ** 4 * total
    return Measured(value, rounding(float(point[sigma_x]) ** 4 * int(point[n]) ** 2))


@directly(claims.equal_pairs_sum, reach=WRITTEN_OUT)
def equal_pairs(point: Point) -> Measured:
    """A_1: both pairs coincide."""
    return _in_units(point, 0, restricted_sum(point, False, False))


@directly(claims.one_equal_pair_sum, reach=WRITTEN_OUT)
def one_equal_pair(point: Point) -> Measured:
    """A_2: exactly one pair coincides."""
    total = restricted_sum(point, False, True) + restricted_sum(point, True, False)
    return _in_units(point, 1, total)


@directly(claims.no_equal_pair_sum, claims.no_equal_pair_intermediate, reach=WRITTEN_OUT)
def no_equal_pair(point: Point) -> Measured:
    """A_3: no pair coincides."""
    return _in_units(point, 2, restricted_sum(point, True, True))


@samples(claims.term_A_total)
def sampled_term_A(point: Point, rng: Generator, count: int) -> Tensor:
    """(x^T L y)^2 for two independent columns x, y of tokens."""
    x, y = draw_tokens(point, rng, count, degree=4, width=2).unbind(dim=-1)
    return (x * (y - y.mean(dim=-1, keepdim=True))).sum(dim=-1).square()
