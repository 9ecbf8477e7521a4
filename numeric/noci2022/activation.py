"""Correlations after one random layer: sign weights enumerated, ReLU integrated over a Gaussian."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import activation as claims
from claims.noci2022.notation import sigma_v
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import exact_cosine
from numeric.reach import Reach
from numeric.registry import directly, measures
from numeric.remembered import remembered


@directly(claims.linear_layer_preserves_correlation)
def enumerated_correlation(point: Point) -> Measured:
    """E<D_k, D_k'> / sqrt(E||D_k||^2 E||D_k'||^2) for one column of W, over all signs +-sigma."""
    first, second = tensor(point[claims.x]), tensor(point[claims.y])
    signs = list(product((-1.0, 1.0), repeat=first.shape[1]))
    columns = float(point[sigma_v]) * torch.tensor(signs, dtype=torch.float64).T.to(first.device)
    u, v = first @ columns, second @ columns
    value = (u * v).mean() / (u.square().mean() * v.square().mean()).sqrt()
    return Measured(float(value), rounding(1.0))


NODES = 200
"""Gauss-Legendre nodes on [0, REACH]; the integrands are smooth on the scale of a few nodes."""
REACH = 12.0
"""A standard Gaussian exceeds it with probability 2e-33, far below rounding."""


def relu_correlation(cosine: Tensor, nodes: int = NODES) -> Tensor:
    """E[u_+ v_+] / E[u_+^2] for standard Gaussians u, v of correlation `cosine`, batched.

    Given u, v is N(c u, 1 - c^2), whose positive part has mean m Phi(m/s) + s phi(m/s).
    """
    points, weights = _nodes(nodes)
    u = torch.tensor((points + 1) * REACH / 2, device=device.current())
    density = torch.tensor(weights * REACH / 2, device=device.current()) * _density(u)
    mean = cosine.unsqueeze(-1) * u
    spread = (1 - cosine.square()).clamp_min(1e-24).sqrt().unsqueeze(-1)
    positive = mean * torch.special.ndtr(mean / spread) + spread * _density(mean / spread)
    return (u * positive * density).sum(dim=-1) / (u.square() * density).sum(dim=-1)


_nodes = remembered()(np.polynomial.legendre.leggauss)


def _density(t: Tensor) -> Tensor:
    return torch.exp(-t.square() / 2) / math.sqrt(2 * math.pi)


def cosine_of(first: Tensor, second: Tensor) -> Tensor:
    """cos of the angle between rows (..., 1, d), without axes of its own."""
    norms = first.square().sum(dim=(-1, -2)) * second.square().sum(dim=(-1, -2))
    return (first * second).sum(dim=(-1, -2)) / norms.clamp_min(1e-300).sqrt()


def _correlations(first: Tensor, second: Tensor, columns: Tensor) -> tuple[Measured, Measured]:
    """Eq. (5) with linear and with ReLU activation for equally likely columns (d_v, outcomes)."""
    found = []
    for activation in (torch.clone, torch.relu):
        u, v = activation(first @ columns), activation(second @ columns)
        value = (u * v).sum() / (u.square().sum() * v.square().sum()).sqrt()
        found.append(Measured(float(value), rounding(1.0)))
    return found[0], found[1]


@measures(
    claims.linear_correlation, claims.rectified_correlation,
    reach=Reach(4, "every column of the law is enumerated"),
)  # fmt: skip
def enumerated_correlations(point: Point) -> tuple[Measured, Measured]:
    """Independent entries, uniform on the atoms."""
    first, second, atoms = (tensor(point[a]) for a in (claims.x, claims.y, claims.atoms))
    columns = torch.cartesian_prod(*[atoms.flatten()] * first.shape[1])
    return _correlations(first, second, columns.reshape(-1, first.shape[1]).T)


@measures(claims.symmetric_linear_correlation, claims.symmetric_rectified_correlation)
def symmetric_correlations(point: Point) -> tuple[Measured, Measured]:
    """The rows of V and their negatives."""
    first, second, rows = (tensor(point[a]) for a in (claims.x, claims.y, claims.columns))
    return _correlations(first, second, torch.cat((rows, -rows)).T)


@measures(claims.angle_cosine)
def cosine_of_pair(point: Point) -> Measured:
    """The cosine of the two tokens; 1 and -1 are recognised without rounding."""
    return exact_cosine(tensor(point[claims.x])[0], tensor(point[claims.y])[0])


@measures(claims.gaussian_gain)
def integrated_gain(point: Point) -> Measured:
    """Linear minus ReLU correlation; the error is the change from half the nodes, plus rounding."""
    cosine = cosine_of(tensor(point[claims.x]), tensor(point[claims.y])).clamp(-1, 1)
    fine, coarse = (relu_correlation(cosine, nodes) for nodes in (NODES, NODES // 2))
    return Measured(float(cosine - fine), float((fine - coarse).abs()) + rounding(1.0))
