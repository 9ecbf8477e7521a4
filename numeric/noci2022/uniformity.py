"""Logits of Glorot weights as d_k grows: exact averages over finite laws, and coupled sequences.

One infinite array of standard weights serves all d_k: its first d_k columns, scaled by the standard
deviation for d_k, are W^Q or W^K.  So a sequence of attention matrices can be followed as d_k grows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import uniformity as claims
from claims.noci2022.notation import X, d_k, d_v
from claims.noci2022.uniformity import epsilon, p, row_i, row_j, variance
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import KRONECKER, Reach
from numeric.registry import directly, measures, samples
from numeric.remembered import remembered
from numeric.sampling import normal, stream


def logits(x: Tensor, wq: Tensor, wk: Tensor, y: Tensor) -> Tensor:
    """x^T W^Q W^K^T y / sqrt(d_k) for columns x, y and weights (..., d_v, d_k)."""
    queries, keys = x.mT @ wq, y.mT @ wk
    return (queries @ keys.mT / math.sqrt(wq.shape[-1])).squeeze(-1).squeeze(-1)


def sign_matrices(rows: int, columns: int) -> Tensor:
    """Every matrix of signs, (2^(rows columns), rows, columns)."""
    places = torch.arange(2 ** (rows * columns), device=device.current())
    bits = torch.arange(rows * columns, device=device.current())
    return (1.0 - 2.0 * ((places[:, None] >> bits) & 1).double()).unflatten(-1, (rows, columns))


@directly(claims.logits_are_centred_with_glorot_second_moment)
def mean_and_second_moment(point: Point) -> Measured:
    """Averages over all weights +-sigma_k, every pair (W^Q, W^K) once."""
    x, y = tensor(point[row_i]), tensor(point[row_j])
    weights = math.sqrt(float(point[variance])) * sign_matrices(int(point[d_v]), int(point[d_k]))
    every = logits(x, weights[:, None], weights[None], y)
    second = float(every.square().mean())
    return Measured((float(every.mean()), second), rounding(every.abs().max() ** 2 + 1, second))


def second_moment(x: Tensor, y: Tensor, columns: int, weight_variance: float) -> float:
    """E M^2 for i.i.d. weights: M is linear in each, so unit directions are summed in quadrature."""
    size = x.shape[0] * columns
    units = torch.eye(size, dtype=x.dtype, device=x.device).unflatten(-1, (x.shape[0], columns))
    queries, keys = (torch.einsum("ax,uab->ub", z, units) for z in (x, y))
    every = queries @ keys.T / math.sqrt(columns)
    return weight_variance**2 * float(every.square().sum())


@samples(claims.tail, reach=Reach(2, "the whole law of a logit is part of the point"))
def large_logits(point: Point, rng: Generator, count: int) -> Tensor:
    """Indicators of |M_ij| > epsilon for weights +-sigma_k/sqrt(p), non-zero with probability p.

    A weight is the sign of one Gaussian; for p = 1/4 it is kept where two others are positive.
    """
    bits = {1.0: 1, 0.25: 3}[float(point[p])]
    shape = (count, bits, int(point[d_v]), int(point[d_k]))

    def weights() -> Tensor:
        signs = normal(rng, *shape).sign()
        return signs[:, 0] * (signs[:, 1:] > 0).all(dim=1)

    x, y = tensor(point[row_i]), tensor(point[row_j])
    whole = logits(x, weights(), weights(), y) * math.sqrt(shape[-1])  # an integer
    scale = float(point[variance]) / float(point[p]) / math.sqrt(shape[-1])
    return whole.round().abs() * scale > float(point[epsilon])


@measures(claims.second)
@measures(claims.second_given_tokens)
def second_moment_of_logit(point: Point) -> Measured:
    """E M_ij^2, summed over unit directions."""
    x, y = tensor(point[row_i]), tensor(point[row_j])
    value = second_moment(x, y, int(point[d_k]), float(point[variance]))
    return Measured(value, rounding(value))


LAST_EVENT = 2**18


@remembered(maxsize=8)
def event_chances(alpha: float) -> Tensor:
    """(i + 1)^-alpha for i = 1, 2, ..."""
    k = torch.arange(2, LAST_EVENT, dtype=torch.float64, device=device.current())
    return k**-alpha


@measures(claims.inverse_total)
def inverse_of_the_total(point: Point) -> Measured:
    """Sums over doubling ranges shrink if and only if the sum is finite; their ratio gives the rest."""
    chances = event_chances(float(point[claims.exponent]))
    *_, before, last = (float(chances[2**e - 2 : 2 ** (e + 1) - 2].sum()) for e in range(1, 17))
    if last > 0.9 * before:
        return Measured(0.0)
    known, rest = float(chances[: 2**17 - 2].sum()), last * last / (before - last)
    return Measured(1 / (known + rest), rest / known**2 + rounding(1.0))


@measures(claims.converges)
def frequency_of_finitely_many(point: Point) -> Measured:
    """One less P(some event among i in [m, m^2)), for m growing: that tends to that of infinitely many.

    Either the probabilities keep a positive level (never all of it within [m, m^2)), or they vanish.
    """
    chances, tails = event_chances(float(point[claims.exponent])), []
    for m in (2**3, 2**6, 2**9):
        among = chances[m - 2 : m * m - 2]
        apart = -math.expm1(float(torch.log1p(-among).sum()))
        some = (apart, float(among[0]), min(1.0, float(among.sum())))
        tails.append(some[int(point[claims.coupling])])
    return Measured(float(tails[2] <= 0.5 * tails[1]))


COLUMNS, REPLICATES, WINDOW = 2**14, 16, 5


@remembered(maxsize=8)
def standard_weights(width: int) -> tuple[Tensor, Tensor]:
    """Standard Gaussian arrays (replicates, d_v, columns) for queries and keys, the same at every point."""
    rng = stream("noci2022.theorem-A.2", "weights")
    return normal(rng, REPLICATES, width, COLUMNS), normal(rng, REPLICATES, width, COLUMNS)


def attention_logits(point: Point) -> Tensor:
    """M at d_k = 1, 2, 4, ... along coupled sequences of weights: (sizes, replicates, n, n)."""
    x = tensor(point[X])
    width = x.shape[-1]
    queries, keys = (x @ weights for weights in standard_weights(width))
    theta, sizes = float(point[claims.power]), [2**e for e in range(COLUMNS.bit_length())]
    sums, total, done = [], torch.zeros(()).to(x), 0
    for k in sizes:
        total = total + queries[..., done:k] @ keys[..., done:k].mT
        sums.append((2 / (width + k)) ** theta * total / math.sqrt(k))
        done = k
    return torch.stack(sums)


def limit_along(sequence: Tensor) -> Measured:
    """Mean over replicates of the last term; infinite where the sequence does not settle.

    The distances to the last term over the last few doublings, where they halve each time, exceed
    the distance that remains.  They must be well below the distances at the start, or fall: large
    tokens saturate the softmax, which then begins to move only after many doublings.
    """
    away = (sequence[:-1] - sequence[-1]).abs()
    spread = away.square().flatten(2).sum(-1).mean(-1).sqrt()
    early, late, last = float(spread[:4].max()), float(spread[-WINDOW:].max()), float(spread[-1])
    value = sequence[-1].mean(dim=0)
    if late > early / 4 + rounding(1.0) and last > late / 4:
        return Measured(torch.full_like(value, math.inf))
    return Measured(value, float(away[-WINDOW:].max()) + rounding(1.0))


def following(function: Callable[[Tensor], Tensor], point: Point) -> Measured:
    """The limit of a function of the logits along the coupled sequences."""
    sequence = attention_logits(point)
    values = torch.func.vmap(torch.func.vmap(function))(sequence)
    return limit_along(values)


softmax = partial(torch.softmax, dim=-1)


def softmax_jacobian(m: Tensor) -> Tensor:
    """dA/dM of shape (n^2, n^2) by autograd."""
    return torch.func.jacrev(softmax)(m).flatten(0, 1).flatten(1, 2)


@directly(claims.attention_becomes_uniform)
def limit_of_attention(point: Point) -> Measured:
    """A along coupled sequences."""
    return following(softmax, point)


@directly(claims.softmax_jacobian_becomes_uniform, reach=KRONECKER)
def limit_of_the_jacobian(point: Point) -> Measured:
    """dA/dM along coupled sequences."""
    return following(softmax_jacobian, point)
