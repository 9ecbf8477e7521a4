"""Jacobians of the deep models by autograd."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import jacobians as claims
from claims.naitsaada2025.layers import X0, attentions, values
from claims.naitsaada2025.notation import d, ell
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.layers import attention_of
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.reach import KRONECKER, Reach
from numeric.registry import directly, measures


def through(state: Tensor, point: Point, weights: list[Tensor], gap: bool) -> Tensor:
    """Layer by layer."""
    for attention, value in zip(attention_of(point[attentions], gap), weights, strict=True):
        state = attention @ state @ value
    return state


def _measured(value: Tensor) -> Measured:
    return Measured(value, rounding(1 + value.abs().max()))


def of_input(point: Point) -> Tensor:
    """d X_l / d X_0, the places of output and input in front and behind."""
    weights = list(tensor(point[values]))
    size, width = len(tensor(point[attentions])[0]), int(point[d])
    at = torch.zeros(size, width, dtype=torch.float64)
    full: Tensor = torch.func.jacrev(lambda x: through(x, point, weights, gap=False))(at)
    return full


def of_value(point: Point, gap: bool = True) -> Tensor:
    """d X_L / d W_l, likewise."""
    weights, place = list(tensor(point[values])), int(point[ell]) - 1

    def moved(weight: Tensor) -> Tensor:
        replaced = [weight if n == place else w for n, w in enumerate(weights)]
        return through(tensor(point[X0]), point, replaced, gap)

    full: Tensor = torch.func.jacrev(moved)(weights[place])
    return full


def flat(full: Tensor, rows: bool) -> Tensor:
    """As a matrix, both sides vectorised row by row or column by column."""
    ordered = full if rows else full.transpose(0, 1).transpose(2, 3)
    return ordered.flatten(0, 1).flatten(1, 2)


@measures(*claims.input_conventions, claims.printed_input, reach=KRONECKER)
def input_jacobians(point: Point) -> tuple[Measured, ...]:
    """Every convention, and the printed Kronecker product."""
    full = of_input(point)
    found = [flat(full, rows) for rows in (True, False)]
    printed = torch.kron(tensor(point[claims.P]), tensor(point[claims.R]))
    return tuple(map(_measured, (found[0], found[0].T, found[1], found[1].T, printed)))


@directly(claims.jacobian_by_the_input, reach=KRONECKER)
def input_jacobian(point: Point) -> Measured:
    """By rows."""
    return _measured(flat(of_input(point), rows=True))


@directly(claims.first_order_expansion_is_exact)
def moved_output(point: Point) -> Measured:
    """f(X_0 + eps V)."""
    start = tensor(point[X0]) + float(point[claims.epsilon]) * tensor(point[claims.direction])
    weights = list(tensor(point[values]))
    size = torch.stack([w.norm() for w in weights]).prod() * start.norm()
    scale = size * tensor(point[attentions]).norm(dim=(-1, -2)).prod()
    return Measured(through(start, point, weights, gap=False), rounding(1 + scale))


@measures(*claims.value_conventions, claims.printed_value, reach=KRONECKER)
def value_jacobians(point: Point) -> tuple[Measured, ...]:
    """Both orders, and the printed Kronecker product."""
    full = of_value(point)
    printed = torch.kron(tensor(point[claims.P1]), tensor(point[claims.P2]))
    return tuple(map(_measured, (flat(full, True), flat(full, False), printed)))


@directly(claims.jacobian_by_a_value_matrix, reach=KRONECKER)
def value_jacobian(point: Point) -> Measured:
    """By rows."""
    return _measured(flat(of_value(point), rows=True))


@measures(*claims.resolved_conventions, claims.printed_resolved, reach=KRONECKER)
def resolved_jacobians(point: Point) -> tuple[Measured, ...]:
    """The same without the gap."""
    full = of_value(point, gap=False)
    printed = torch.kron(tensor(point[claims.P1_perp]), tensor(point[claims.P2]))
    return tuple(map(_measured, (flat(full, True), flat(full, False), printed)))


@directly(claims.resolved_jacobian_by_a_value_matrix, reach=KRONECKER)
def resolved_jacobian(point: Point) -> Measured:
    """By rows."""
    return _measured(flat(of_value(point, gap=False), rows=True))


def squared_norm(left: Tensor, right: Tensor) -> Measured:
    """||d(P_1 W P_2)/dW||_F^2 by autograd."""
    width = left.shape[1]
    full = torch.func.jacrev(lambda w: left @ w @ right)(torch.zeros(width, width).to(left))
    value = float(full.square().sum())
    return Measured(value, rounding(value))


def of_singular_values(matrix: Tensor) -> tuple[Measured, Measured]:
    """The sum of their squares, and the largest."""
    found = torch.linalg.svdvals(matrix)
    total, first = float(found.square().sum()), float(found[0])
    return Measured(total, rounding(total)), Measured(first, rounding(first))


@measures(claims.jacobian_norm, reach=SPECTRAL)
def jacobian_norm(point: Point) -> Measured:
    """For given P_1 and P_2."""
    return squared_norm(tensor(point[claims.P1]), tensor(point[claims.P2]))


@measures(claims.squares_1, claims.largest_1, claims.squares_2, claims.largest_2, reach=SPECTRAL)
def singular_values(point: Point) -> tuple[Measured, ...]:
    """Of P_1 and P_2."""
    matrices = (tensor(point[s]) for s in (claims.P1, claims.P2))
    return tuple(found for matrix in matrices for found in of_singular_values(matrix))


@measures(claims.single_norm, reach=SPECTRAL)
def single_norm(point: Point) -> Measured:
    """For P_1 = A_1 X_0 and P_2 = I."""
    first = tensor(point[claims.A]) @ tensor(point[X0])
    return squared_norm(first, torch.eye(first.shape[1], dtype=first.dtype))


@measures(claims.squares, claims.largest, reach=SPECTRAL)
def singular_values_of_one_layer(point: Point) -> tuple[Measured, ...]:
    """Of A_1 X_0."""
    return of_singular_values(tensor(point[claims.A]) @ tensor(point[X0]))


def mean_trace(matrix: Tensor, exponent: int) -> Measured:
    """tr((MM^T)^k) over the number of rows."""
    value = float(torch.linalg.matrix_power(matrix @ matrix.mT, exponent).diagonal().mean())
    return Measured(value, rounding(value))


@measures(
    claims.moment, claims.attention_moment, claims.value_moment,
    reach=Reach(12, "its matrix has the square of as many rows"),
)  # fmt: skip
def moments(point: Point) -> tuple[Measured, ...]:
    """Of the Kronecker product and of both factors."""
    attention, weights = tensor(point[claims.centred_product]), tensor(point[claims.W])
    exponent = int(point[claims.power])
    matrices = (torch.kron(attention, weights), attention, weights)
    return tuple(mean_trace(matrix, exponent) for matrix in matrices)
