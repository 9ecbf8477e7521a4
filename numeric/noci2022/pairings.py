"""The three pairings of App. A.2, Term B, from the covariance of the sampled tokens."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import pairings as claims
from claims.noci2022.notation import n, sigma_x
from claims.noci2022.sums import a, a2, b, b2
from numeric.agreement import Measured, rounding
from numeric.noci2022.terms import centring, scatter_norm
from numeric.noci2022.tokens import covariance, draw_tokens, gaussian_grid, tokens_of
from numeric.reach import WRITTEN_OUT
from numeric.registry import directly, samples

SUBSCRIPTS = {1: "ik,jh", 2: "ij,kh", 3: "ih,kj"}
"""Q_1, Q_2, Q_3 for a, b, a', b' = i, j, k, h: which tokens each pairing joins."""


@directly(claims.pairings_in_kronecker_deltas)
def pairings_at_sites(point: Point) -> Measured:
    """Q_1, Q_2, Q_3, L_ab L_a'b' and the fourth moment, the last by quadrature."""
    size, columns = int(point[n]), covariance(point)
    centre = centring(size)
    i, j, k, h = (int(point[index]) - 1 for index in (a, b, a2, b2))
    pairs = [columns[i, k] * columns[j, h], columns[i, j] * columns[k, h]]
    pairs += [columns[i, h] * columns[k, j], centre[i, j] * centre[k, h]]
    standard, mass = gaussian_grid(size)
    x = tokens_of(standard[..., None], point)[..., 0]
    pairs.append(mass @ (x[:, i] * x[:, k] * x[:, j] * x[:, h]))
    value = tuple(float(p) for p in pairs)
    return Measured(value, rounding(1.0, mass @ x.pow(4).amax(dim=-1), operations=10_000))


def _weighted(which: int, point: Point) -> Measured:
    columns = covariance({**point, sigma_x: 1})
    centre = centring(int(point[n]))
    value = torch.einsum(f"ij,kh,{SUBSCRIPTS[which]}->", centre, centre, columns, columns)
    return Measured(float(value), rounding(int(point[n]) ** 4))


@directly(claims.first_pairing_sum, reach=WRITTEN_OUT)
def first_pairing(point: Point) -> Measured:
    """Sum of L_ab L_a'b' Cov_aa' Cov_bb'."""
    return _weighted(1, point)


@directly(claims.second_pairing_sum, reach=WRITTEN_OUT)
def second_pairing(point: Point) -> Measured:
    """Sum of L_ab L_a'b' Cov_ab Cov_a'b'."""
    return _weighted(2, point)


@directly(claims.third_pairing_sum, reach=WRITTEN_OUT)
def third_pairing(point: Point) -> Measured:
    """Sum of L_ab L_a'b' Cov_ab' Cov_a'b."""
    return _weighted(3, point)


@samples(claims.term_B_total)
def sampled_term_B(point: Point, rng: Generator, count: int) -> Tensor:
    """(x^T L x)^2 for one column of tokens, averaged over two columns."""
    first, second = draw_tokens(point, rng, count, degree=4, width=2).split(1, dim=-1)
    return (scatter_norm(first) + scatter_norm(second)) / 2
