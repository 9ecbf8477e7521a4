"""The softmax Jacobian by autograd."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import softmax as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import full_jacobian
from numeric.reach import KRONECKER
from numeric.registry import directly


def _softmax_jacobian(logits: Tensor) -> Measured:
    """dA/dM of shape (n^2, n^2), entries of A and of M in row-major order."""
    full = full_jacobian(lambda m: torch.softmax(m, dim=-1), logits)
    return Measured(full.flatten(0, 1).flatten(1, 2), rounding(1.0))


@directly(claims.jacobian_of_the_softmax, reach=KRONECKER)
def softmax_jacobian(point: Point) -> Measured:
    """At arbitrary logits."""
    return _softmax_jacobian(tensor(point[claims.M]))


@directly(claims.softmax_jacobian_at_equal_logits, reach=KRONECKER)
def softmax_jacobian_at_equal_logits(point: Point) -> Measured:
    """At logits that are equal within each row."""
    offsets = tensor(point[claims.offsets])
    return _softmax_jacobian(offsets.expand(-1, offsets.shape[0]).clone())
