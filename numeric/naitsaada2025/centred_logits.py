r"""Centred logits of softmax attention over orthonormal tokens: $\log A$ less its row means.

Those are the logits less theirs, $L=QK_c^\top/\sqrt{d_{qk}}$ with keys $K_c$ less their mean.  Given the keys
the rows of $Q$ are independent and standard normal, so that for $C=K_c^\top K_c/d_{qk}$ their mean is taken
exactly: $\mathbb E\,\mathrm{tr}(LL^\top)^2=T(\mathrm{tr}\,C)^2+T(T+1)\,\mathrm{tr}\,C^2$.
"""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import centred_logits as claims
from claims.naitsaada2025.notation import sigma_qk
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream, sphere
from numeric.trends import mean_of_runs

WORK = 2**22
"""Entries of logits behind a mean."""


@remembered()
def standard(tokens: int, width: int) -> Measured:
    """E tr (L L^T)^2 for standard normal queries and keys: of degree four in the keys."""
    rng = quick_stream("naitsaada2025", "centred logits", tokens, width)
    runs = min(2**17, max(256, WORK // (tokens * max(tokens, width))))
    keys = sphere(rng, runs, tokens, width, degree=4) / width**0.5
    keys = keys - keys.mean(dim=-2, keepdim=True)
    squares = keys.square().sum((-1, -2)).square()
    smaller = keys @ keys.mT if tokens <= width else keys.mT @ keys  # either has the traces of C
    return mean_of_runs(tokens * (squares + (tokens + 1) * smaller.square().sum((-1, -2))))


@measures(claims.fourth)
def fourth_power(point: Point, tokens: int, width: int) -> Measured:
    """Logits are of degree two in the deviation of the weights."""
    found, scale = standard(tokens, width), float(point[sigma_qk]) ** 8
    return Measured(scale * found.value, scale * found.error)
