"""The largest singular values and eigenvalues of a batch of matrices.

Where matrices are small all of them are computed; where they are large, Lanczos (ARPACK) finds the
few that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, svds
from torch import Tensor

from claims.errors import UserError
from numeric import device
from numeric.figures import Table

__all__ = [
    "FULL", "excess_rank", "first_singular_value", "in_the_plane", "largest_moduli",
    "largest_singular_values",
]  # fmt: skip

FULL = 384
"""Up to this size a full decomposition takes less than Lanczos does for two values."""


class NotMatrices(UserError):
    """Something else than square matrices, or more values asked for than there are."""


def _require(matrices: Tensor, count: int, square: bool = True) -> None:
    if matrices.ndim != 3 or (square and matrices.shape[-1] != matrices.shape[-2]):
        raise NotMatrices(f"shape {tuple(matrices.shape)}: must be (samples, T, T)")
    if not 1 <= count <= min(matrices.shape[-2:]):
        raise NotMatrices(f"{count} values: a matrix of size {matrices.shape[-1]} has not so many")


def _product_with(matrix: Tensor) -> Any:
    """What ARPACK takes for a matrix: on a card its products with vectors, which are made there."""
    if matrix.device == device.PROCESSOR.at:
        return matrix.numpy()

    def times(factor: Tensor) -> Callable[[Any], Any]:
        return lambda vectors: (factor @ torch.from_numpy(vectors).to(matrix)).cpu().numpy()

    ahead, back = times(matrix), times(matrix.mT)
    made = {"matvec": ahead, "rmatvec": back, "matmat": ahead, "rmatmat": back}
    return LinearOperator(tuple(matrix.shape), dtype=np.float64, **made)


def largest_singular_values(matrices: Tensor, count: int = 2, full: int = FULL) -> Tensor:
    """s_1 >= ... >= s_count of every matrix, (samples, count)."""
    _require(matrices, count, square=False)
    least = min(matrices.shape[-2:])
    if least <= full or count >= least - 1:
        return torch.linalg.svdvals(matrices)[:, :count]
    start = np.full(least, least**-0.5)
    try:
        found = [
            svds(_product_with(one), k=count, v0=start, return_singular_vectors=False)
            for one in matrices
        ]
    except ArpackNoConvergence:
        return torch.linalg.svdvals(matrices)[:, :count]
    return torch.from_numpy(np.sort(np.stack(found))[:, ::-1].copy()).to(matrices.device)


SETTLED, MOST_STEPS = 1e-14, 200
"""Relative change at which a power iteration has come to rest; steps after which all values are asked."""


def first_singular_value(matrices: Tensor) -> Tensor:
    """s_1 of matrices of positive numbers, (samples,): from the constant vector, by powers of A^T A.

    Its vector is positive, so that no start is nearer; with a gap as wide as that of attention a dozen
    steps reach rounding.
    """
    _require(matrices, 1, square=False)
    vector = matrices.new_full((*matrices.shape[::2], 1), matrices.shape[-1] ** -0.5)
    last = matrices.new_zeros(len(matrices))
    for _ in range(MOST_STEPS):
        image = matrices @ vector
        value = image.norm(dim=(-2, -1))
        if bool(((value - last).abs() <= SETTLED * value).all()):
            return value
        last, vector = value, matrices.mT @ image
        vector = vector / vector.norm(dim=-2, keepdim=True)
    return torch.linalg.svdvals(matrices)[:, 0]


def largest_moduli(matrices: Tensor, count: int = 2, full: int = FULL) -> Tensor:
    """|lambda_1| >= ... >= |lambda_count| of every matrix, (samples, count)."""
    _require(matrices, count)
    size = matrices.shape[-1]
    if size > full and count < size - 2:
        try:
            start = np.full(size, size**-0.5)
            more = min(size - 2, count + 4)  # a circular edge is crowded: ask for some beyond it
            found = [
                np.abs(eigs(_product_with(m), k=more, v0=start, return_eigenvectors=False))
                for m in matrices
            ]
            largest = np.sort(np.stack(found))[:, ::-1][:, :count].copy()
            return torch.from_numpy(largest).to(matrices.device)
        except ArpackNoConvergence:
            pass
    return torch.linalg.eigvals(matrices).abs().sort(dim=-1, descending=True).values[:, :count]


def in_the_plane(matrix: Tensor, **where: Any) -> Table:
    """Rows of a table, one for each eigenvalue: its parts after the columns that say where it belongs."""
    values = torch.linalg.eigvals(matrix).tolist()
    return [{**where, "real": value.real, "imaginary": value.imag} for value in values]


TINY = 1e-16
"""An excess of which eigenvalues of a Gram matrix leave half the digits."""


def excess_rank(x: Tensor) -> Tensor:
    """sr(X X^T) - 1 = sum_{i>=2} s_i^4/s_1^4, from the singular values of X: nothing cancels.

    Where it is not tiny they are roots of eigenvalues, which take half the time.
    """
    squares = torch.linalg.eigvalsh(x.mT @ x if x.shape[-1] <= x.shape[-2] else x @ x.mT)
    excess = (squares[..., :-1] ** 2).sum(dim=-1) / squares[..., -1] ** 2
    if bool((excess > TINY).all()):
        return excess
    fourth = torch.linalg.svdvals(x) ** 4
    return fourth[..., 1:].sum(dim=-1) / fourth[..., 0]
