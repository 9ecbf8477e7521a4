"""The least singular value of the weights, in double precision."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import scale_of_the_bulk as claims
from claims.naitsaada2025.interlacing import W
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import squares
from numeric.registry import measures


@measures(claims.least)
def least_singular_value(point: Point, rows: int, columns: int) -> Measured:
    """s_T(W), zero where there are fewer columns than rows."""
    found = squares(tensor(point[W])[:rows, :columns])
    return Measured(float(found[-1].sqrt()), rounding(found[0].sqrt()))
