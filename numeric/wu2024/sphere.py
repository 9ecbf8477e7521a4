"""Rates on the sphere and random initial tokens, from the layers and from draws."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import sphere as claims
from claims.wu2024.notation import N, X, attention, d, t
from claims.wu2024.turns import values
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures
from numeric.sampling import normal, stream
from numeric.wu2024.layers import layer_norm, mu, simulate


@measures(claims.spread_in_turn)
def squared_spread(point: Point) -> Measured:
    """mu(X^{(t)})^2 after t layers, attention and value matrices used in turn."""
    tokens, count = tensor(point[X]), int(point[t])
    layers, turns = (
        list(itertools.islice(itertools.cycle(tensor(point[group])), count))
        for group in (attention, values)
    )
    states = simulate(tokens, layers, turns, count, normalise=True)
    return Measured(float(mu(states[-1]) ** 2), rounding(float(len(tokens))))


def normals_of_faces(tokens: Tensor) -> Tensor:
    """Every vector (samples, faces, d) orthogonal to some d - 1 of the tokens, by minors."""
    size, features = tokens.shape[1:]
    found = []
    for face in itertools.combinations(range(size), features - 1):
        rows = tokens[:, list(face)]
        minors = [
            (-1) ** j * torch.linalg.det(torch.cat([rows[..., :j], rows[..., j + 1 :]], dim=-1))
            for j in range(features)
        ]
        found.append((torch.stack(minors, dim=-1), face))
    return torch.stack([vector for vector, _ in found], dim=1)


def in_hemisphere(tokens: Tensor) -> Tensor:
    """Whether some v has positive products with all tokens (samples, n, d), in general position.

    For n <= d the least-squares solution of X v = 1 is tried.  For n > d the cone of such v, where
    there is one, has an edge, orthogonal to d - 1 tokens and positive on the others.
    """
    samples, size, features = tokens.shape
    if size <= features:
        target = torch.ones(samples, size, 1, dtype=tokens.dtype, device=tokens.device)
        solved = tokens.mT @ torch.linalg.solve(tokens @ tokens.mT, target)
        return ((tokens @ solved) > 0).all(dim=(1, 2))
    products = normals_of_faces(tokens) @ tokens.mT
    signs = torch.where(products.abs() < 1e-9, torch.zeros_like(products), products).sign()
    return (signs.sum(dim=-1).abs() == size - features + 1).any(dim=-1)


DRAWS = 2**14
MISSED = 1e-10


@directly(claims.random_tokens_meet_both_conditions)
def frequency_of_both(point: Point) -> Measured:
    """Share of uniform tokens that lie in an open hemisphere and have full rank.

    Error: Hoeffding's deviation for DRAWS draws, exceeded with probability MISSED.
    """
    size, features = int(point[N]), int(point[d])
    rng = stream("wu2024.thm-2.random-init", size, features)
    tokens = layer_norm(normal(rng, DRAWS, size, features)).to(device.current())
    full = torch.linalg.svdvals(tokens).amin(dim=-1) > 1e-9
    share = float((in_hemisphere(tokens) & full).double().mean())
    return Measured(share, math.sqrt(math.log(2 / MISSED) / (2 * DRAWS)))
