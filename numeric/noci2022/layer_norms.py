"""Layer normalisation by PyTorch's own layer, without the number that it adds to variances."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor
from torch.nn.functional import layer_norm

from claims.domain import Point
from claims.noci2022 import layer_norms as claims
from claims.noci2022.notation import X, alpha1
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def fed(point: Point) -> Tensor:
    """What PRE-LN normalises."""
    return tensor(point[X])


def added(point: Point) -> Tensor:
    """What POST-LN normalises."""
    return float(point[alpha1]) * tensor(point[claims.branch]) + tensor(point[X])


def moments(tokens: Tensor, i: int) -> tuple[Measured, Measured]:
    """The mean and the mean square of token i, normalised; digits are lost where its features are near."""
    row = tokens[i - 1]
    found = layer_norm(row, row.shape, eps=0.0)
    lost = rounding(row.abs().max() / row.std(correction=0), 1.0)
    return Measured(float(found.mean()), lost), Measured(float(found.square().mean()), lost)


def _register(tokens: Callable[[Point], Tensor], *quantities: object) -> None:
    @measures(*quantities)
    def of_a_token(point: Point, i: int) -> tuple[Measured, Measured]:
        """The mean and the mean square over the features of one token."""
        return moments(tokens(point), i)


_register(fed, claims.MEAN_BEFORE, claims.VARIANCE_BEFORE)
_register(added, claims.MEAN_AFTER, claims.VARIANCE_AFTER)
