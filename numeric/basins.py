r"""Two tokens on the circle under LayerNorm (causal mask, zero scores, W_V = [[1, w], [0, 1]], w > 1).

How many orbits keep rank two, by simulating both tokens jointly.  By the symmetry X -> -X the first
token starts with X_{1,1} > 0; p = X_{1,2}/X_{1,1} grows by w per layer.  The second is (a, b), and
y = b/a.  An orbit is followed until one of these rules, each closed under a layer, decides it:

- *collapsed*: a >= 0.  Both tokens lie in the half-plane X_{i,1} >= 0, and both tend to (0, 1).
- *collapsed*: a < 0 < b, p > 0 and X_{1,2} > w |a|.  Then y falls from layer to layer until the
  token crosses the axis or tends to (0, 1).
- *kept*: a < 0, p >= P = max(w, 2w/(w^2 - 1)) and 0 <= y <= p.  Then 0 <= y <= w for ever.

A layer replaces the second token by the bisector of both and applies W_V, so that the second tokens
kept beside a given first one form one arc, from the antipode y = p to the separatrix y_*(p) of A.
This makes the measure an integral over p > 0 (`kept_share`), and a first token with p <= 0 always
pulls the second one over the axis.  Since atan y_* > -atan p, the share is below 1/8 for every w, its
limit as w grows.  `proofs.wu2024.basin` has the inequalities behind the rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from claims.errors import UserError
from numeric import device
from numeric.quantiles import student
from numeric.sampling import stream_seed

__all__ = [
    "CAP",
    "Share",
    "WeightError",
    "classify",
    "frozen_share",
    "kept_share",
    "require_large",
    "separatrix",
    "simulated_share",
    "trap_ratio",
]

CAP, CHUNK, NODES, BACK = 400, 2**15, 20_000, 600
"""Layers before an orbit is given up as undecided; orbits per batch; nodes of the integral, and layers
of its backward recursion, whose error shrinks by 1 + sqrt(1 - 1/w^2) per layer."""
COLLAPSED, KEPT, UNDECIDED = 0, 1, 2


class WeightError(UserError):
    """A weight for which the example has no stationary second token."""


def require_large(weight: float) -> float:
    """The weight, when A and B exist and differ."""
    if not weight > 1:
        raise WeightError(
            f"w = {weight:g}: must be greater than 1, or no second token keeps apart from the first "
            "(for w < -1 use -w, its mirror image); give w > 1"
        )
    return weight


def trap_ratio(weight: float) -> float:
    """P = max(w, 2w/(w^2 - 1)): from this ratio of the first token on, 0 <= y <= p is a trap."""
    return max(weight, 2 * weight / (weight**2 - 1))


def classify(first: Tensor, second: Tensor, weight: float, cap: int = CAP) -> Tensor:
    """The fate of each orbit, 0 collapsed, 1 kept, 2 undecided; angles (count,) in radians."""
    fate = torch.full(first.shape, UNDECIDED, dtype=torch.int8, device=first.device)
    for low in range(0, len(first), CHUNK):
        _classify_chunk(
            first[low : low + CHUNK], second[low : low + CHUNK], weight, cap,
            fate[low : low + CHUNK],
        )  # fmt: skip
    return fate


def _classify_chunk(first: Tensor, second: Tensor, weight: float, cap: int, fate: Tensor) -> None:
    sign = first.cos().sign()  # the mirror image X -> -X puts the first token on the right
    p, a, b = first.tan(), sign * second.cos(), sign * second.sin()
    where, trap = torch.arange(len(fate), device=fate.device), trap_ratio(weight)
    for _ in range(cap):
        inverse = (1 + p * p).rsqrt()
        c = p * inverse
        left = a < 0
        kept = left & (p >= trap) & (b <= 0) & (b >= p * a)
        fallen = ~left | ((b > 0) & (c + weight * a > 0))  # c > w |a| > 0 makes p positive
        fate[where[kept]] = KEPT
        fate[where[fallen]] = COLLAPSED
        open_ = ~(kept | fallen)
        where, p, a, b, inverse, c = (z[open_] for z in (where, p, a, b, inverse, c))
        if not len(where):
            return
        a = a + inverse
        b = b + c + weight * a
        norm = (a * a + b * b).rsqrt()
        a, b, p = a * norm, b * norm, p + weight


@dataclass(frozen=True)
class Share:
    """A measured share, the half-width of its 95% interval, and the share left undecided."""

    value: float
    half_width: float
    undecided: float
    orbits: int


def simulated_share(
    weight: float, *, orbits: int = 2**20, replicates: int = 16, seed: int | None = None
) -> Share:
    """The share of pairs of independent uniform tokens that keep rank two.

    Scrambled Sobol points in `replicates` independent scramblings; the interval is Student's over
    their means, widened by the undecided share.  Without a seed that of the audit is taken.
    """
    require_large(weight)
    each, means, undecided = orbits // replicates, [], 0
    for index, points in enumerate(_scrambled(replicates, each, seed, weight)):
        angles = (points * 2 * math.pi).to(device.current())
        fate = classify(angles[:, 0], angles[:, 1], weight)
        undecided += int((fate == UNDECIDED).sum())
        means.append(float((fate == KEPT).double().mean()))
        assert index < replicates
    centre = math.fsum(means) / replicates
    spread = math.sqrt(math.fsum((m - centre) ** 2 for m in means) / (replicates - 1) / replicates)
    open_ = undecided / (each * replicates)
    width = student(0.025, replicates - 1) * spread + open_
    return Share(centre, width, open_, each * replicates)


def _scrambled(replicates: int, count: int, seed: int | None, weight: float) -> Iterator[Tensor]:
    for index in range(replicates):
        stream = stream_seed(seed, "basin", weight, index) % 2**31
        engine = torch.quasirandom.SobolEngine(2, scramble=True, seed=stream)
        yield engine.draw(count, dtype=torch.float64)


def separatrix(ratio: Tensor, weight: float) -> Tensor:
    """atan y_*(p): second tokens with y_* < y <= p are kept beside a first token of ratio p > 0.

    Backwards from y_A, far out: the bisector of the angles atan p and pi + atan y is carried by W_V
    to pi + atan y', so that atan y = pi + 2 atan(y' - w) - atan p.  No token is kept at atan p.
    """
    require_large(weight)
    far = ratio + BACK * weight
    angle = torch.full_like(ratio, -math.atan(math.sqrt(weight**2 - 1)))
    for layer in range(BACK - 1, -1, -1):
        own = torch.atan(far - (BACK - layer) * weight)
        angle = torch.minimum(math.pi + 2 * torch.atan(angle.tan() - weight) - own, own)
    return angle


def kept_share(weight: float, nodes: int = NODES) -> float:
    r"""The measure as an integral: \frac1{2\pi^2}\int_0^\infty(atan p - atan y_*(p)) dp/(1 + p^2)."""
    step = math.pi / 2 / nodes
    first = (torch.arange(nodes, dtype=torch.float64) + 0.5) * step
    length = first - separatrix(first.tan(), weight)
    return float(length.sum()) * step / (2 * math.pi**2)


def frozen_share(weight: float) -> float:
    """The same with the first token already at the pole: 1/4 + arccos(1/w)/(2 pi)."""
    return 0.25 + math.acos(1 / require_large(weight)) / (2 * math.pi)
