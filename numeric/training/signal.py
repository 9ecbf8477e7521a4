"""What travels through a Transformer: alignment of tokens, norms, and gradients layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from numeric.sampling import normal
from numeric.training.parameters import Architecture, initial_encoder
from numeric.training.transformer import Pass, encoder_blocks, positions

__all__ = ["Profile", "mean_cosine", "profile_at_initialisation"]

Profile = dict[str, Tensor]


def mean_cosine(x: Tensor, absent: Tensor | None = None) -> Tensor:
    """Mean cosine (...) over all pairs of different tokens of x (..., n, d), padding left out.

    The sum over pairs is the squared norm of the sum of unit vectors, less the tokens themselves.
    Sentences with fewer than two tokens have no pair, and give NaN.
    """
    unit = x / x.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
    if absent is not None:
        unit = unit.masked_fill(absent.unsqueeze(-1), 0.0)
    own = unit.square().sum(dim=(-1, -2))
    present = own.round() if absent is None else (~absent).sum(dim=-1).to(x.dtype)
    return (unit.sum(dim=-2).square().sum(dim=-1) - own) / (present * (present - 1))


def drawn_tokens(rngs: Sequence[Generator], tokens: int, width: int, dtype: torch.dtype) -> Tensor:
    """(r, 1, n, d) i.i.d. standard normal tokens, run by run."""
    return torch.stack([normal(rng, 1, tokens, width, dtype=dtype) for rng in rngs])


def profile_at_initialisation(
    a: Architecture, tokens: int, rngs: Sequence[Generator], *,
    gradients: bool = True, at_once: int = 24, dtype: torch.dtype = torch.float64,
) -> Profile:  # fmt: skip
    """Cosines after each layer and gradient norms by layer of freshly drawn encoders, one a run.

    Tokens are normal embeddings plus sinusoidal positions.  `cosine` (r, L + 1); `queries` (those
    of queries and keys together) and `values` (r, L) are Frobenius norms of the gradient of
    |X^L - T|^2 / (2 n d) with standard normal targets T.
    Runs are measured `at_once` at a time, which changes no draw.
    """
    parts = [
        _profile(a, tokens, rngs[start : start + at_once], gradients, dtype)
        for start in range(0, len(rngs), at_once)
    ]
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def _profile(
    a: Architecture,
    tokens: int,
    rngs: Sequence[Generator],
    gradients: bool,
    dtype: torch.dtype,
) -> Profile:
    parameters = initial_encoder(a, rngs, dtype)
    x = drawn_tokens(rngs, tokens, a.width, dtype) + positions(tokens, a.width).to(dtype)
    targets = drawn_tokens(rngs, tokens, a.width, dtype)
    by = Pass()
    places = [f"encoder.{layer}.self" for layer in range(a.blocks)]
    names = [f"{place}.{w}" for place in places for w in ("wq", "wk", "wv")] if gradients else []
    for name in names:
        parameters[name].requires_grad_()
    out = encoder_blocks(parameters, a, x, by=by)
    found = {
        "cosine": torch.stack([mean_cosine(t.detach().double())[:, 0] for t in by.trace], dim=1)
    }
    if not gradients:
        return found
    loss = (out - targets).square().mean(dim=(1, 2, 3)).sum() / 2
    slopes = torch.autograd.grad(loss, [parameters[name] for name in names])
    squares = torch.stack([g.double().square().sum(dim=(-1, -2)) for g in slopes], dim=1)
    q, k, v = squares.unflatten(1, (-1, 3)).unbind(dim=2)
    return found | {"queries": (q + k).sqrt(), "values": v.sqrt()}
