"""The entropy of a softmax, by PyTorch's categorical distribution."""

from __future__ import annotations

from torch.distributions import Categorical

from claims.domain import Point
from claims.noci2022 import entropy as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def entropy(point: Point, factor: float) -> Measured:
    """That of a multiple of the logits."""
    logits = factor * tensor(point[claims.z])[:, 0]
    return Measured(float(Categorical(logits=logits).entropy()), rounding(1.0, logits))


@measures(claims.entropy)
def of_a_multiple(point: Point, k: int) -> Measured:
    """Of so many times the logits."""
    return entropy(point, k)


@measures(claims.scaled_entropy)
def of_stretched_logits(point: Point) -> Measured:
    """Of beta times the logits."""
    return entropy(point, float(point[claims.beta]))
