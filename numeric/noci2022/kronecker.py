"""The matrix rules of App. A.1.1 and the commutation matrices, measured on explicit tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import kronecker as claims
from claims.noci2022.notation import WK, WQ, X, m, n
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import full_jacobian
from numeric.reach import KRONECKER
from numeric.registry import directly


def _measured(value: Tensor) -> Measured:
    return Measured(value, rounding(1 + value.abs().max()))


@directly(claims.jacobian_of_a_product_is_a_kronecker_product, reach=KRONECKER)
def jacobian_of_a_product(point: Point) -> Measured:
    """d vec_r(A W B) / d vec_r(W)^T by autograd, shape (n q, m p)."""
    a, b = tensor(point[claims.A]), tensor(point[claims.B])
    at = torch.zeros(a.shape[1], b.shape[0], dtype=a.dtype, device=a.device)
    full = full_jacobian(lambda w: a @ w @ b, at)
    return _measured(full.flatten(0, 1).flatten(1, 2))


@directly(claims.trace_of_a_kronecker_product)
def trace_of_square_product(point: Point) -> Measured:
    """tr(A (x) B) for square A and B."""
    product = torch.kron(tensor(point[claims.square_A]), tensor(point[claims.square_B]))
    value = float(product.diagonal().sum())
    return Measured(value, rounding(1 + abs(value)))


@directly(claims.mixed_product_rule, reach=KRONECKER)
def product_of_kronecker_products(point: Point) -> Measured:
    """(A (x) B)(C (x) D), shape (n p, r s)."""
    a, b, c, d = (tensor(point[s]) for s in (claims.A, claims.B, claims.C, claims.D))
    return _measured(torch.kron(a, b) @ torch.kron(c, d))


def commutation(rows: int, cols: int) -> Tensor:
    """K with K vec_c(B) = vec_c(B^T), B of shape (rows, cols): where reshaping moves each place."""
    places = torch.arange(rows * cols).reshape(rows, cols)
    by_columns, by_rows = places.T.flatten(), places.flatten()
    return (by_rows[:, None] == by_columns[None, :]).double()


@directly(claims.commutation_matrix_reorders_vectorisations, reach=KRONECKER)
def reordering(point: Point) -> Measured:
    """d vec_r(B^T) / d vec_r(B)^T by autograd through a transposition."""
    size, width = int(point[m]), int(point[n])
    at = torch.zeros(size, width, dtype=torch.float64)
    full = full_jacobian(lambda t: t.mT.clone(), at)
    return _measured(full.flatten(0, 1).flatten(1, 2))


@directly(claims.kronecker_factors_commute_past_commutation_matrices, reach=KRONECKER)
def kronecker_times_commutation(point: Point) -> Measured:
    """(X W^Q W^K^T (x) I_n) K_dn, shape (n^2, n d_v)."""
    g = tensor(point[X]) @ tensor(point[WQ]) @ tensor(point[WK]).mT
    size, width = g.shape
    eye = torch.eye(size, dtype=g.dtype, device=g.device)
    return _measured(torch.kron(g, eye) @ commutation(width, size).to(g.device))
