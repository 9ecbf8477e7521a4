r"""Random attention matrices: i.i.d. Markov matrices of several laws, softmax, ReLU and sigmoid.

An i.i.d. Markov matrix (Definition 3.1) is a table of i.i.d. $Z_{ij}\ge0$ with its rows normalised.
Key-query logits of orthonormal tokens are $QK^\top/\sqrt{d_{qk}}$ with Gaussian $Q$, $K$: their rank is
at most $d_{qk}$, so that its growth beside $T$ is a choice of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from claims.errors import UserError
from numeric.sampling import Numbers, normal

__all__ = [
    "KINDS", "LAWS", "REGIMES", "EnsembleError", "Law", "attention", "features",
    "key_query_logits", "markov", "orthonormal_tokens", "pareto", "token_logits", "unit_tokens",
    "without_mean",
]  # fmt: skip


class EnsembleError(UserError):
    """A size or a law for which the paper's matrices do not exist."""


@dataclass(frozen=True)
class Law:
    """A law of Z >= 0 with its mean, its deviation and how many of its moments are finite."""

    name: str
    draw: Callable[..., Tensor]
    mean: float
    deviation: float
    moments: float = math.inf

    @property
    def ratio(self) -> float:
        """sigma/m: what a change of scale of Z leaves alone, as it leaves the matrix."""
        return self.deviation / self.mean


def _exponential(rng: Numbers, *size: int) -> Tensor:
    """Half the sum of two squared Gaussians."""
    return (normal(rng, *size).square() + normal(rng, *size).square()) / 2


def pareto(index: float) -> Law:
    """P(Z > z) = z^-index, z >= 1; moments below the index are finite."""
    if not index > 2:
        raise EnsembleError(f"pareto({index:g}): has no variance; take an index above 2")
    draw = lambda rng, *size: _uniform(rng, *size) ** (-1 / index)  # noqa: E731
    mean = index / (index - 1)
    return Law(f"pareto({index:g})", draw, mean, math.sqrt(index / (index - 2) - mean**2), index)


def _uniform(rng: Numbers, *size: int) -> Tensor:
    """From Gaussians, which all come from one place; never zero."""
    return torch.special.ndtr(normal(rng, *size)).clamp_min(1e-300)


def _lognormal(rng: Numbers, *size: int) -> Tensor:
    return (normal(rng, *size) / 2).exp()


LAWS = {
    law.name: law
    for law in (
        Law("exponential", _exponential, 1.0, 1.0),
        Law("uniform", _uniform, 0.5, 12**-0.5),
        Law("lognormal", _lognormal, math.exp(1 / 8), math.sqrt(math.exp(1 / 2) - math.exp(1 / 4))),
        pareto(4.5),
    )
}
"""`pareto(4.5)` has a fourth moment and no fifth: the edge of Definition 3.1."""

REGIMES: dict[str, Callable[[int], int]] = {
    "fixed": lambda size: 17,
    "slower": lambda size: round(math.sqrt(size)),
    "proportional": lambda size: size,
    "faster": lambda size: size**2,
}
"""d_qk as a function of T; 17 is the least width that the proof of Theorem 2.1 admits."""


def _require_tokens(size: int) -> None:
    if size < 2:
        raise EnsembleError(f"T = {size}: one token has no second singular value; take T >= 2")


def features(size: int, gamma: float) -> int:
    """d = T/gamma, an integer."""
    if not gamma > 0:
        raise EnsembleError(f"gamma = {gamma:g}: is T/d; it must be positive")
    found = round(size / gamma)
    if found < 1 or abs(found * gamma - size) > 1e-9 * size:
        raise EnsembleError(f"gamma = {gamma:g}: no integer d has T/d = gamma at T = {size}")
    return found


def markov(law: Law, rng: Numbers, count: int, size: int, scale: float = 1.0) -> Tensor:
    """`count` i.i.d. Markov matrices of the law of `scale` Z, (count, T, T)."""
    _require_tokens(size)
    if not law.moments > 4:
        raise EnsembleError(
            f"{law.name}: Definition 3.1 asks for a fourth moment; its moments end at {law.moments:g}"
        )
    if not scale > 0:
        raise EnsembleError(f"scale = {scale:g}: must be positive")
    table = scale * law.draw(rng, count, size, size)
    return table / table.sum(dim=-1, keepdim=True)


def key_query_logits(rng: Numbers, count: int, size: int, width: int, sigma: float = 1.0) -> Tensor:
    """Q K^T / sqrt(d_qk) with i.i.d. N(0, sigma^2) entries: the logits of orthonormal tokens."""
    _require_tokens(size)
    if width < 1:
        raise EnsembleError(f"d_qk = {width}: must be at least 1")
    queries, keys = (normal(rng, count, size, width, std=sigma) for _ in range(2))
    return queries @ keys.mT / math.sqrt(width)


def orthonormal_tokens(size: int, width: int) -> Tensor:
    """The first T unit vectors of R^d: X_0 X_0^T = I."""
    if size > width:
        raise EnsembleError(f"T = {size} > d = {width}: so many rows cannot be orthonormal")
    return torch.eye(size, width, dtype=torch.float64)


def unit_tokens(rng: Numbers, count: int, size: int, gamma: float) -> Tensor:
    """Gaussian rows brought to length one, (count, T, T/gamma): isometric in mean only."""
    x = normal(rng, count, size, features(size, gamma))
    return x / x.norm(dim=-1, keepdim=True)


def token_logits(x: Tensor, rng: Numbers, width: int, sigma: float = 1.0) -> Tensor:
    """X W^Q W^K^T X^T / sqrt(d_qk) for tokens (count, T, d), with fresh weights for each sample."""
    count, size, d = x.shape
    _require_tokens(size)
    queries, keys = (x @ normal(rng, count, d, width, std=sigma) for _ in range(2))
    return queries @ keys.mT / math.sqrt(width)


KINDS: dict[str, Callable[[Tensor], Tensor]] = {
    "softmax": lambda logits: torch.softmax(logits, dim=-1),
    "relu": lambda logits: logits.relu() / logits.shape[-1],
    "sigmoid": lambda logits: (logits - math.log(logits.shape[-1])).sigmoid(),
}
"""ReLU is divided by T and sigmoid logits are shifted by -log T, as the works cited for them do."""


def attention(kind: str, logits: Tensor) -> Tensor:
    """Attention matrices of a kind from logits."""
    if kind not in KINDS:
        raise EnsembleError(f"attention {kind!r}: must be one of {', '.join(KINDS)}")
    return KINDS[kind](logits)


def without_mean(matrices: Tensor) -> Tensor:
    """A - 11^T/T."""
    return matrices - 1 / matrices.shape[-1]
