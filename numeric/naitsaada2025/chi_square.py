"""Largest singular values of a projection times sampled Gaussian matrices."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import chi_square as claims
from claims.naitsaada2025.notation import T, d, q
from numeric.exact import tensor
from numeric.registry import samples
from numeric.sampling import sphere


def top_squares(point: Point, weights: list[Tensor]) -> list[Tensor]:
    """s_1^2 of u u^T times the first 0, 1, 2, ... weights, per sample."""
    row = tensor(point[claims.u])
    matrix = (row.T @ row).expand(weights[0].shape[0], -1, -1)
    found = [torch.linalg.matrix_norm(matrix, ord=2).square()]
    for weight in weights:
        matrix = matrix @ weight
        found.append(torch.linalg.matrix_norm(matrix, ord=2).square())
    return found


def _rows(point: Point) -> list[int]:
    return [int(point[T]), *[int(point[d])] * (int(point[q]) - 1)]


@samples(claims.mean_square_behind_gaussian_matrices, claims.mean)
def sampled_mean_square(point: Point, rng: Generator, count: int) -> Tensor:
    """s_1^2 of the whole product; of degree two in each factor."""
    weights = [sphere(rng, count, rows, int(point[d])) for rows in _rows(point)]
    return top_squares(point, weights)[-1]


@samples(claims.norms_are_products_of_independent_chi_variables)
def sampled_joint_moment(point: Point, rng: Generator, count: int) -> Tensor:
    """Powers of s_1^2 before and behind the last factor, at one length of each factor."""
    before, last = int(point[claims.a]), int(point[claims.b])
    *first, end = _rows(point)
    weights = [
        sphere(rng, count, rows, int(point[d]), degree=2 * (before + last)) for rows in first
    ]
    weights.append(sphere(rng, count, end, int(point[d]), degree=2 * last))
    *_, inner, whole = top_squares(point, weights)
    return inner**before * whole**last


@samples(claims.second)
def sampled_fourth_power(point: Point, rng: Generator, count: int) -> Tensor:
    """s_1^4 of the whole product; of degree four in each factor."""
    weights = [sphere(rng, count, rows, int(point[d]), degree=4) for rows in _rows(point)]
    return top_squares(point, weights)[-1].square()
