"""Attention without its mean, and the table that it is made of, in double precision."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.naitsaada2025 import norm_of_the_rest as claims
from claims.naitsaada2025.markov import Z
from claims.naitsaada2025.norm_of_the_rest import m
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import one
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.registry import measures


@measures(claims.rest_entry)
def entry_of_the_rest(point: Point, i: int, j: int) -> Measured:
    """A share less 1/T."""
    z = tensor(point[Z])
    return Measured(float(z[i - 1, j - 1] / z[i - 1].sum() - 1 / len(z)), rounding(1.0))


@measures(claims.product_entry)
def entry_of_the_product(point: Point, i: int, j: int) -> Measured:
    """Of D (Z - m 11^T) P."""
    z = tensor(point[Z])
    table = z - float(point[m])
    size = table.abs().max() / z.sum(-1).min()
    product = torch.diag(1 / z.sum(-1)) @ table @ (torch.eye(len(z), dtype=z.dtype) - 1 / len(z))
    return Measured(float(product[i - 1, j - 1]), rounding(len(z) * size, 1.0))


@measures(claims.largest_of_table, reach=SPECTRAL)
def largest_of_the_table(point: Point) -> Measured:
    """s_1^2(Z - m 11^T)."""
    return one(tensor(point[Z]) - float(point[m]), 1)
