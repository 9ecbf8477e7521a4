"""The dynamics of Eq. (1)-(3), layer by layer on tensors."""

from __future__ import annotations

from claims.domain import Point
from claims.wu2024 import dynamics as claims
from claims.wu2024.notation import WK, WQ, T, X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures
from numeric.wu2024.layers import layer_norm, simulate


def _layers(point: Point) -> tuple:
    """Tokens, attention matrices and value matrices, one per layer."""
    return (
        tensor(point[X]),
        tensor(point[attention]).unbind(),
        tensor(point[claims.values]).unbind(),
    )


def _size(point: Point) -> float:
    """A bound on every intermediate number: norms multiply."""
    x, _, values = _layers(point)
    size = 1 + float(x.norm())
    for value in values:
        size *= 1 + float(value.norm())
    return size


@directly(claims.tokens_are_one_product)
def tokens_after_all_layers(point: Point) -> Measured:
    """X^{(T)} by iteration."""
    x, attentions, values = _layers(point)
    last = simulate(x, attentions, values, int(point[T]), normalise=False)[-1]
    return Measured(last, rounding(_size(point)))


@measures(claims.largest_after)
def largest_token(point: Point) -> Measured:
    """The largest squared norm of a token of X^{(T)}."""
    x, attentions, values = _layers(point)
    last = simulate(x, attentions, values, int(point[T]), normalise=False)[-1]
    return Measured(float(last.square().sum(dim=-1).max()), rounding(_size(point) ** 2))


@directly(claims.update_normalises_the_tokens_before)
def scaled_update(point: Point) -> Measured:
    """D A X W_V in the second layer, as the second step of the normalised dynamics."""
    x, attentions, values = _layers(point)
    first = layer_norm(attentions[0] @ x @ values[0])
    raw = attentions[1] @ first @ values[1]
    # Rows of small norm magnify the rounding of what came before.
    return Measured(layer_norm(raw), rounding(_size(point) / raw.norm(dim=-1)))


@measures(claims.largest_score)
def largest_score(point: Point) -> Measured:
    """max |(X W_Q)(X W_K)^T|."""
    x, wq, wk = (tensor(point[m]) for m in (X, WQ, WK))
    scores = (x @ wq) @ (x @ wk).mT
    return Measured(float(scores.abs().max()), rounding(1 + scores))
