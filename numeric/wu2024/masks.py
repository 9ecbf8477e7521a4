"""Masks by shortest paths, and the masked softmax as attention layers compute it."""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy.sparse.csgraph import shortest_path
from torch import Tensor

from claims.domain import Point
from claims.masks import Mask
from claims.wu2024 import masks as claims
from claims.wu2024.notation import WK, WQ, G, N, X
from claims.wu2024.setup import distance
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures
from numeric.remembered import remembered
from numeric.wu2024.layers import masked_attention, masked_softmax, support_of


@remembered(maxsize=64)
def distances(mask: Mask) -> Tensor:
    """dist(j, i) at place (i, j), infinite where there is no path, by Floyd and Warshall's recursion.

    Steps are taken backwards: token i attends to the one before it.
    """
    backwards = support_of(mask).cpu().numpy().astype(float)
    np.fill_diagonal(backwards, 0)
    return torch.from_numpy(shortest_path(backwards, method="FW", unweighted=True))


@measures(distance)
def searched_distance(point: Point, start: int, end: int) -> Measured:
    """Steps along edges, N where no path leads."""
    found = distances(point[G])[end - 1, start - 1]
    return Measured(float(found.clamp(max=point[G].size)))


@remembered(maxsize=512)
def radius(mask: Mask) -> float:
    """Least, over tokens that reach all, of the largest distance; others have an infinite one."""
    return float(distances(mask).max(dim=0).values.min())


@directly(claims.diameters_of_the_named_masks)
def searched_radii(point: Point) -> Measured:
    """r of the five families."""
    return Measured(tuple(radius(family(int(point[N]))) for family in claims.FAMILIES))


@directly(claims.masked_attention_is_row_stochastic)
def attention_and_row_sums(point: Point) -> Measured:
    """The softmax of scores with -inf off the mask, and its row sums."""
    d_qk = float(point[claims.d_QK])
    wq = math.log(2) * math.sqrt(d_qk) * tensor(point[WQ])
    x, wk = tensor(point[X]), tensor(point[WK])
    attention = masked_attention(x, wq, wk, support_of(point[G]), d_qk=d_qk)
    size = 1 + float((x.abs() @ wq.abs() @ (x.abs() @ wk.abs()).T).max())
    return Measured((attention, attention.sum(dim=-1, keepdim=True)), rounding(size))


@measures(claims.fewest)
def fewest_positive_entries(point: Point) -> Measured:
    """The least number of positive entries in a row of attention at zero scores."""
    support = support_of(point[G])
    attention = masked_softmax(torch.zeros_like(support, dtype=torch.float64), support)
    return Measured(float((attention > 0).sum(dim=-1).min()))  # NaN is not positive


@remembered(maxsize=512)
def layers_until_positive(mask: Mask) -> int:
    """The first power of the mask's matrix without a zero."""
    support = support_of(mask).double()
    product, depth = support, 1
    while not bool(product.all()):
        # Of the numbers of walks only the signs: they grow beyond floating point.
        product, depth = (support @ product > 0).double(), depth + 1
    return depth
