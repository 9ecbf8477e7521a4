"""Multipliers of an equilibrium by automatic differentiation of one layer on the sphere."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import multipliers as claims
from claims.wu2024.equilibria import i
from claims.wu2024.notation import N, w
from numeric.agreement import Measured, rounding
from numeric.registry import directly, measures
from numeric.wu2024.anisotropy import with_signs
from numeric.wu2024.equilibria import layer
from numeric.wu2024.layers import jordan_matrix


def tangent_block(x: Tensor, token: int, wv: Tensor) -> Tensor:
    """d(next position of a token)/d(its own position), in an orthonormal basis of its tangents."""

    def following(own: Tensor) -> Tensor:
        tokens = torch.cat([x[:token], own[None], x[token + 1 :]])
        return layer(tokens, wv)[token]

    jacobian = torch.func.jacrev(following)(x[token])  # (output, input)
    tangents = torch.linalg.svd(x[token][None]).Vh[1:]
    return tangents @ jacobian @ tangents.mT


@directly(claims.multipliers_of_full_rank_equilibria)
def measured_characteristic_polynomial(point: Point) -> Measured:
    """det(lambda - DF_i) on the tangent space, from the solved equilibrium."""
    size, token = int(point[N]), int(point[i]) - 1
    block = tangent_block(with_signs(point), token, jordan_matrix(size, float(point[w])))
    at = float(point[claims.multiplier]) * torch.eye(size - 1).to(block)
    # Entries carry the square root of the rounding of a solved equilibrium's small coordinates.
    scale = float((at.abs() + block.abs()).sum(dim=-1).clamp_min(1).prod())
    return Measured(float(torch.linalg.det(at - block)), rounding(scale, operations=10**5))


@measures(claims.cosine)
def measured_cosine(point: Point, one: int, other: int) -> Measured:
    """The inner product of two rows of the solved equilibrium."""
    tokens = with_signs(point)
    return Measured(float(tokens[one - 1] @ tokens[other - 1]), rounding(1.0, operations=10**3))


@measures(claims.farthest_multiplier)
def farthest_multiplier(point: Point) -> Measured:
    """The largest modulus of an eigenvalue of token 4's block, which is defective where it is neutral."""
    size = int(point[N])
    block = tangent_block(with_signs(point), 3, jordan_matrix(size, float(point[w])))
    value = float(torch.linalg.eigvals(block).abs().max())
    return Measured(value, rounding(1.0) ** (1 / size))
