"""Exact expectation of a sampler: its Gaussians replaced by every point of a finite law.

Four Gauss-Hermite nodes share the Gaussian moments up to order 7, so the weighted mean over the
product grid is the exact expectation of any polynomial of degree at most 7 in each Gaussian.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from numeric import sampling

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(4)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MOST_GAUSSIANS = 7


class TooManyGaussians(Exception):
    """The grid would be too large to enumerate."""


def exact_mean(sampler: Callable[[torch.Generator, int], Tensor]) -> float:
    """E of one sample of `sampler(rng, count)`, for samplers that draw by `numeric.sampling`.

    Matrices of one length keep their Gaussian length here, so that the grid stays exact.  That their
    length may be fixed is checked: the mean must be a + b t^degree when one of them is stretched by
    t, whatever the lengths of the others.
    """
    degrees: list[int] = []
    value = _mean(sampler, {}, degrees)
    for place, degree in enumerate(tuple(degrees)):
        lengths = dict.fromkeys(range(len(degrees)), 1.25)
        at = [_mean(sampler, lengths | {place: t}, []) for t in (1.0, 2.0, 3.0)]
        slope = (at[1] - at[0]) / (2**degree - 1)
        expected = at[0] + slope * (3**degree - 1)
        size = max(1.0, *map(abs, at))
        assert abs(at[2] - expected) <= 1e-9 * size, f"draw {place} is not of degree {degree}"
    return value


def _mean(
    sampler: Callable[[torch.Generator, int], Tensor], lengths: dict[int, float], degrees: list[int]
) -> float:
    """The mean with draws of one length stretched; `degrees` receives the degrees they name."""
    rng = torch.Generator()
    sizes: list[int] = []
    with pytest.MonkeyPatch.context() as patch:

        def record(_: torch.Generator, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
            sizes.append(int(np.prod(shape)))
            return torch.ones(*shape, dtype=dtype)

        patch.setattr(sampling, "_standard", record)
        sampler(rng, 1)
        total = sum(sizes)
        if total > MOST_GAUSSIANS:
            raise TooManyGaussians(total)
        grid = np.indices((4,) * total).reshape(total, -1)
        position = 0

        def node(_: torch.Generator, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
            nonlocal position
            if shape[0] != grid.shape[1]:
                raise AssertionError(f"samples must come first: drew {shape}")
            size = int(np.prod(shape[1:]))
            chosen = grid[position : position + size]
            position += size
            return torch.tensor(NODES[chosen].T.reshape(shape), dtype=dtype)

        def stretched(standard: Tensor, degree: int) -> Tensor:
            degrees.append(degree)
            return lengths.get(len(degrees) - 1, 1.0) * standard

        patch.setattr(sampling, "_standard", node)
        patch.setattr(sampling, "_at_one_radius", stretched)
        values = sampler(rng, grid.shape[1])
    weights = torch.tensor(np.prod(WEIGHTS[grid], axis=0))
    return float((weights * values.cpu()).sum())
