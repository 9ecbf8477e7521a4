"""Singular values of attention, in double precision."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.naitsaada2025 import largest_gap as claims
from claims.naitsaada2025.markov import A
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.registry import measures


@measures(claims.value, reach=SPECTRAL)
def singular_value(point: Point, k: int) -> Measured:
    """s_k(A)."""
    found = torch.linalg.svdvals(tensor(point[A]))
    return Measured(float(found[k - 1]), rounding(found[0]))
