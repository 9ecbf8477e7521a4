"""Linear blocks with feed-forward layers of width gamma d_v, simulated."""

from __future__ import annotations

import math

from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import wide_feed_forward as claims
from claims.noci2022.notation import X, alpha1, alpha2, d_v, depth
from numeric.exact import tensor
from numeric.registry import samples
from numeric.sampling import sphere


@samples(claims.wide_feed_forward_multiplies_a_strength)
def sampled_wide_inner_products(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^L) of linear blocks with uniform attention and feed-forward width gamma d_v."""
    v, wide = int(point[d_v]), int(point[claims.gamma]) * int(point[d_v])
    x = tensor(point[X]).expand(count, -1, -1)
    std1, std2 = (math.sqrt(float(point[s]) / v) for s in (claims.first, claims.second))
    a1, a2 = float(point[alpha1]), float(point[alpha2])
    for _ in range(int(point[depth])):
        wv = sphere(rng, count, v, v, std=1 / math.sqrt(v))
        w1, w2 = sphere(rng, count, v, wide, std=std1), sphere(rng, count, wide, v, std=std2)
        z = x + a1 * x.mean(dim=1, keepdim=True) @ wv
        x = z + a2 * z @ w1 @ w2
    return x.sum(dim=1).square().sum(dim=1)


samples(claims.inner_products)(sampled_wide_inner_products)
