r"""Largest singular values of $AW$ and of its two parts, in double precision."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.naitsaada2025 import triangle as claims
from claims.naitsaada2025.interlacing import A, W
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import perp
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.registry import measures


@measures(claims.of_product, claims.of_mean, claims.of_rest, reach=SPECTRAL)
def norms_of_the_parts(at: Point) -> tuple[Measured, ...]:
    """s_1 of AW, of the mean of W at every token, and of A^perp W."""
    a, w = tensor(at[A]), tensor(at[W])
    matrices = a @ w, w.mean(0).expand_as(w), perp(at) @ w
    error = rounding(w.norm() * a.norm(), 1.0)
    return tuple(Measured(float(torch.linalg.matrix_norm(m, 2)), error) for m in matrices)
