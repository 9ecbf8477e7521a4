"""Stable ranks and singular values by torch's SVD."""

from __future__ import annotations

from torch import Tensor, diag, zeros
from torch.linalg import eigvals, matrix_norm, svd, svdvals

from claims.domain import Point
from claims.naitsaada2025 import stable_rank as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import measures

SPECTRAL = Reach(14, "the exact point holds singular vectors to sixty digits")


def stable_rank(matrix: Tensor) -> Tensor:
    """Squared Frobenius norm over squared operator norm."""
    return matrix.square().sum(dim=(-1, -2)) / matrix_norm(matrix, 2).square()


@measures(claims.rank, reach=SPECTRAL)
def rank(point: Point) -> Measured:
    """sr(M)."""
    return Measured(
        float(stable_rank(tensor(point[claims.M]))), rounding(float(len(point[claims.M])))
    )


@measures(claims.covariance_rank, reach=SPECTRAL)
def covariance_rank(point: Point) -> Measured:
    """sr(MM^T)."""
    m = tensor(point[claims.M])
    return Measured(float(stable_rank(m @ m.mT)), rounding(float(len(m))))


@measures(claims.squares, claims.fourth_powers, claims.largest, claims.second, reach=SPECTRAL)
def singular_values(point: Point) -> tuple[Measured, ...]:
    """Sums of powers of the singular values, the largest one and the next (zero if there is none)."""
    found = svdvals(tensor(point[claims.M]))
    first, second = float(found[0]), float(found[1]) if len(found) > 1 else 0.0
    powers = [float((found**power).sum()) for power in (2, 4)]
    sums = [Measured(value, rounding(value)) for value in powers]
    return (*sums, Measured(first, rounding(first)), Measured(second, rounding(first)))


@measures(claims.all_products)
def all_products(point: Point) -> Measured:
    """The sum of all entries of MM^T."""
    m = tensor(point[claims.M])
    return Measured(float((m @ m.mT).sum()), rounding(m.norm() ** 2 * len(m)))


@measures(claims.norm)
def norm(point: Point) -> Measured:
    """||M||_F^2."""
    value = float(tensor(point[claims.M]).square().sum())
    return Measured(value, rounding(value))


@measures(*claims.masses, claims.second_moment, claims.square_norm, reach=SPECTRAL)
def spectral_measures(point: Point) -> tuple[Measured, ...]:
    """Their masses, the mean squared singular value, and the squared norm."""
    m = tensor(point[claims.square])
    found, norm = svdvals(m), float(m.square().sum())
    masses = [Measured(len(v) / len(m), rounding(1.0)) for v in (eigvals(m), found)]
    mean = float(found.square().mean())
    return (*masses, Measured(mean, rounding(mean)), Measured(norm, rounding(norm)))


@measures(claims.gain, reach=SPECTRAL)
def gain(point: Point, k: int) -> Measured:
    """|u_k^T (M - sum_{i <= r} s_i u_i v_i^T)|^2, with r where singular values fall most."""
    m = tensor(point[claims.M])
    left, roots, right = svd(m)
    padded = zeros(len(m), dtype=m.dtype)
    padded[: len(roots)] = roots
    cut = int((padded[:-1] - padded[1:]).argmax()) + 1
    kept = min(cut, len(roots))
    rest = m - left[:, :kept] @ diag(roots[:kept]) @ right[:kept]
    return Measured(float((left[:, k - 1] @ rest).square().sum()), rounding(m.square().sum()))


@measures(claims.root, reach=SPECTRAL)
def root(point: Point, k: int) -> Measured:
    """s_k, zero where there are fewer columns."""
    found = svdvals(tensor(point[claims.M]))
    value = float(found[k - 1]) if k <= len(found) else 0.0
    return Measured(value, rounding(found))
