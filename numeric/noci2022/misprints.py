"""Three displays of App. A.3 and A.4, measured as they stand and as they are meant."""

from __future__ import annotations

import math

from claims.domain import Point
from claims.noci2022 import misprints as claims
from claims.noci2022.notation import X, atilde1, ell
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import extrapolated, gram_after
from numeric.reach import MOMENTS, WRITTEN_OUT
from numeric.registry import directly, measures


@measures(claims.attended_moment, reach=WRITTEN_OUT)
def attended_moment(point: Point) -> Measured:
    """The mean token through unit weight matrices of variance 1/d_v, one column of them."""
    x = tensor(point[X])
    mean = x.mean(dim=0)
    value = float(mean.square().sum()) / x.shape[1]
    return Measured(value, rounding(float(x.square().sum())))


@measures(claims.limit_at_the_depth)
def power_at_the_depth(point: Point) -> Measured:
    """(1 + x/L)^L at L = 16 ... 4096, extrapolated."""
    strength = float(point[atilde1])
    return extrapolated(lambda layers: math.exp(layers * math.log1p(strength / layers)))


@directly(claims.inner_products_sum_to_those_of_the_input, reach=MOMENTS)
def sum_of_inner_products(point: Point) -> Measured:
    """Every inner product of the averaged layer, added up."""
    gram = gram_after(point, int(point[ell]))
    return Measured(float(gram.sum()), rounding(gram.abs().sum()))
