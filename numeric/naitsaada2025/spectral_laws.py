"""Moments of the bulk of singular values and eigenvalues, extrapolated from growing sizes."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import spectral_laws as claims
from claims.naitsaada2025.spectral_gap import law, regime, scale
from numeric.agreement import Measured, rounding
from numeric.naitsaada2025.ensembles import LAWS, markov, without_mean
from numeric.naitsaada2025.extreme_singular_values import largest_moduli
from numeric.naitsaada2025.rank_collapse import slope
from numeric.naitsaada2025.spectral_gap import (
    RADIUS,
    SIZES,
    edge_extrapolated,
    extrapolated,
    softmax_matrices,
)
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream

RUNS = 48
FURTHER: dict[str, tuple[tuple[int, int], ...]] = {
    "faster": ((7, 1024), (28, 384), (112, 48)), "": ((8, 2048), (32, 768), (128, 144)),
}  # fmt: skip
"""Sizes, each four times the one before, and runs, for exponents."""


@remembered()
def spectra(name: str, factor: float) -> tuple[list[Tensor], list[Tensor]]:
    """Singular values of sqrt(T) A^perp and moduli of eigenvalues of A, by size, largest first."""
    values, moduli = [], []
    for size in SIZES:
        rng = quick_stream("naitsaada2025", "bulk", name, size)
        matrices = markov(LAWS[name], rng, RUNS, size, factor)
        values.append(torch.linalg.svdvals(math.sqrt(size) * without_mean(matrices)))
        moduli.append(largest_moduli(matrices, size))
    return values, moduli


def _spectra(point: Point) -> tuple[list[Tensor], list[Tensor]]:
    return spectra(str(point[law]), float(point[scale]))


@measures(*claims.even_moment.values())
def mean_even_powers(point: Point) -> tuple[Measured, ...]:
    """The means of s_i^(2p), with corrections of order 1/T."""
    values = _spectra(point)[0]
    return tuple(
        extrapolated([(v ** (2 * power)).mean(dim=-1) for v in values], 1)
        for power in claims.POWERS
    )


@measures(*claims.edge.values())
def largest_without_the_mean(point: Point) -> tuple[Measured, ...]:
    """The two largest of sqrt(T) A^perp: gaps at a soft edge are of order T^(-2/3)."""
    values = _spectra(point)[0]
    return tuple(edge_extrapolated([v[:, place - 1] for v in values]) for place in claims.edge)


@measures(claims.bulk_exponent)
def exponent_of_the_second_eigenvalue(point: Point) -> Measured:
    """The slope of log |lambda_2(A)|."""
    return second_exponent(str(point[law]), float(point[scale]))


@remembered()
def second_exponent(name: str, factor: float) -> Measured:
    """Of i.i.d. Markov matrices of a law."""
    found = []
    for size, runs in FURTHER[""]:
        rng = quick_stream("naitsaada2025", "second eigenvalue", name, size)
        found.append(largest_moduli(markov(LAWS[name], rng, runs, size, factor))[:, 1])
    return slope(found, RADIUS, ratio=4)


def _disc(point: Point, degree: int) -> Measured:
    moduli = _spectra(point)[1]
    powers = [
        size ** (degree / 2) * (m[:, 1:] ** degree).sum(dim=-1) / size
        for size, m in zip(SIZES, moduli, strict=True)
    ]
    return extrapolated(powers, 1)


@measures(claims.disc_moment[2])
def mean_square_modulus(point: Point) -> Measured:
    """The mean of |lambda|^2 over the bulk of sqrt(T) A."""
    return _disc(point, 2)


@measures(claims.disc_moment[4])
def mean_fourth_modulus(point: Point) -> Measured:
    """The mean of |lambda|^4 there."""
    return _disc(point, 4)


@remembered()
def radius_exponent(name: str) -> Measured:
    """Of A^perp; A^perp 1 = 0 takes the first eigenvalue away."""
    drawn = (softmax_matrices(name, *each) for each in FURTHER.get(name, FURTHER[""]))
    found = [largest_moduli(without_mean(matrices), 1)[:, 0] for matrices in drawn]
    return slope(found, RADIUS, ratio=4)


@measures(claims.radius_exponent)
def exponent_of_the_spectral_radius(point: Point) -> Measured:
    """The slope of log |lambda_1(A^perp)|."""
    return radius_exponent(str(point[regime]))


@measures(claims.moved_eigenvalue)
def second_over_first_without_the_mean(point: Point) -> Measured:
    """|lambda_2(A)|/|lambda_1(A^perp)|, the same matrix by matrix: the farthest of some from one."""
    matrices = softmax_matrices(str(point[regime]), 32, 8)
    ratios = largest_moduli(matrices)[:, 1] / largest_moduli(without_mean(matrices), 1)[:, 0]
    farthest = float(ratios[(ratios - 1).abs().argmax()])
    return Measured(farthest, rounding(32.0))
