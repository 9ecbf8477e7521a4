"""Singular values under rank-one changes, by the singular value decomposition in double precision."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import interlacing as claims
from claims.naitsaada2025.interlacing import A, W, c
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures

CLOSE = 1e-9
"""Squared singular values that differ by less count as equal where they are counted."""


def squares(matrix: Tensor) -> Tensor:
    """Squared singular values, as many as there are rows, the largest first."""
    found = torch.linalg.svdvals(matrix).square()
    missing = matrix.shape[0] - found.numel()
    return torch.cat([found, found.new_zeros(max(missing, 0))])


def perp(at: Point) -> Tensor:
    """A less the mean of all tokens."""
    a = tensor(at[A])
    return a - 1 / a.shape[0]


def one(matrix: Tensor, place: int) -> Measured:
    """One squared singular value, within the rounding of the largest."""
    found = squares(matrix)
    return Measured(float(found[place - 1]), rounding(found[0]))


def _inner(rows: Tensor, i: int, j: int) -> Measured:
    return Measured(float(rows[i - 1] @ rows[j - 1]), rounding(rows, 1.0))


@measures(claims.gram)
def product_of_rows(at: Point, i: int, j: int) -> Measured:
    """An inner product of two rows of A."""
    return _inner(tensor(at[A]), i, j)


@measures(claims.perp_gram)
def product_through_the_decomposition(at: Point, i: int, j: int) -> Measured:
    """An entry of U Sigma^2 U^T."""
    u, s, _ = torch.linalg.svd(perp(at))
    return Measured(float((u * s.square() @ u.mT)[i - 1, j - 1]), rounding(1.0))


@measures(claims.perp_row_sum)
def sum_of_a_row(at: Point, i: int) -> Measured:
    """The sum of a row of A^perp."""
    return Measured(float(perp(at)[i - 1].sum()), rounding(1.0))


@measures(claims.all_squares)
def sum_of_all_squares(at: Point) -> Measured:
    """All squared singular values of A."""
    total = float(squares(tensor(at[A])).sum())
    return Measured(total, rounding(total))


@measures(claims.other_squares)
def sum_of_other_squares(at: Point) -> Measured:
    """All squared singular values of A^perp but the last."""
    total = float(squares(perp(at))[:-1].sum())
    return Measured(total, rounding(total, 1.0))


@measures(claims.square)
def square_of(at: Point, i: int) -> Measured:
    """A squared singular value of A."""
    return one(tensor(at[A]), i)


@measures(claims.perp_square)
def square_of_the_rest(at: Point, i: int) -> Measured:
    """A squared singular value of A^perp."""
    found = one(perp(at), i)
    return Measured(found.value, found.error + rounding(1.0))


@measures(claims.two_largest, claims.one_more)
def largest_values(at: Point) -> tuple[Measured, Measured]:
    """The two largest squares of A together, and one more than the largest of A^perp."""
    two, other = float(squares(tensor(at[A]))[:2].sum()), 1 + float(squares(perp(at))[0])
    return Measured(two, rounding(two)), Measured(other, rounding(other))


@measures(claims.second_of_product, claims.largest_weight)
def values_of_products(at: Point) -> tuple[Measured, Measured]:
    """Squared singular values of AW and W."""
    w = tensor(at[W])
    error = rounding(1 + squares(w)[0])
    second, first = one(tensor(at[A]) @ w, 2), one(w, 1)
    return Measured(second.value, error), Measured(first.value, error)


@measures(claims.stable_rank, claims.share, claims.edges)
def stable_rank_and_edges(at: Point) -> tuple[Measured, ...]:
    """sr of the covariance, the share above the level, and the product of the largest values."""
    w, rest = tensor(at[W]), perp(at)
    found = squares(rest @ w)
    level = float(at[c]) + CLOSE * (1 + found[0])
    product = float(squares(rest)[0] * squares(w)[0])
    rank = float(found.square().sum() / found[0].square())
    return (
        Measured(rank, rounding(rank)),
        Measured(float((found > level).double().mean()), rounding(1.0)),
        Measured(product, rounding(product, 1.0)),
    )
