"""Left-hand sides of Eqs. (92)-(96) and (110)-(117) for matrices that attain the norms."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import one_layer_attention as claims
from claims.im2026.notation import T, eta, s, t
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.chains import Aligned, norm_of
from numeric.registry import measures


@measures(claims.logit)
def logit(point: Point) -> Measured:
    """One entry of W and one of P."""
    value = abs(float(point[claims.word_score]) + float(point[claims.position_score]))
    return Measured(value, rounding(value))


@measures(claims.harmonic)
def harmonic(point: Point) -> Measured:
    """The terms, the smallest first."""
    terms = 1 / torch.arange(int(point[claims.r]), 0, -1, dtype=torch.float64)
    return Measured(float(terms.sum()), rounding(float(terms.sum())))


@measures(claims.attention)
def attention(point: Point) -> Measured:
    """Uniform attention and the change."""
    at = Aligned(point)
    return norm_of(at(claims.uniform) + at(claims.attention_gap))


@measures(claims.centred_gap)
def jacobian_of_a_centred_row(point: Point) -> Measured:
    """The largest entry, which is enough for shares."""
    return norm_of(Aligned(point)(claims.largest_entry))


def _moved(point: Point) -> Tensor:
    """J_i - J of a row."""
    change = tensor(point[claims.shift]).flatten()
    flat = torch.full_like(change, 1 / len(change))
    jacobians = [torch.diag(row) - torch.outer(row, row) for row in (flat + change, flat)]
    return jacobians[0] - jacobians[1]


@measures(claims.entry_moved)
def moved_entry(point: Point, row: int, column: int) -> Measured:
    """One entry."""
    found = _moved(point)
    return Measured(
        float(found[row - 1, column - 1]), rounding(found, tensor(point[claims.shift]) ** 2)
    )


@measures(claims.form_moved)
def moved_form(point: Point) -> Measured:
    """In a direction."""
    found, direction = _moved(point), tensor(point[claims.direction]).flatten()
    scale = direction.abs() @ found.abs() @ direction.abs() + direction.square().sum()
    return Measured(float((direction @ found @ direction).abs()), rounding(scale))


@measures(claims.jacobian_gap)
def jacobian(point: Point) -> Measured:
    """Diagonal, two mixed products and the square of the change of a row."""
    at = Aligned(point)
    gap = at(claims.row_gap)
    return norm_of(at(claims.largest_entry) + 2 / math.sqrt(at[t]) * gap + gap @ gap)


@measures(claims.score)
def leading_scores(point: Point) -> Measured:
    """(Y - U) Sigma Phi X^T with its factor."""
    at = Aligned(point)
    factor = at[s] ** 2 * (at[s] - 1) / 2 * at[eta] ** 3
    return norm_of(factor * at(claims.residual) @ at(claims.features) @ at(claims.inputs).mT)


@measures(claims.jacobian)
def whole_jacobian(point: Point) -> Measured:
    """The block of the uniform row and its change."""
    at = Aligned(point)
    return norm_of(at(claims.base_jacobian) + at(claims.moved_jacobian))


@measures(claims.weighted_by_one)
@measures(claims.weighted_by_two)
def weighted_scores(point: Point) -> Measured:
    """The change of the Jacobian on the scores, and the Jacobian on their change."""
    at = Aligned(point)
    moved = at(claims.moved_jacobian) @ at(claims.scores)
    return norm_of(moved + at(claims.any_jacobian) @ at(claims.score_gap))


@measures(claims.frobenius)
def norm_of_all_rows(point: Point) -> Measured:
    """Rows at their largest."""
    places = torch.arange(1, int(point[T]) + 1, dtype=torch.float64)
    rows = math.e / places.sqrt() * float(point[claims.largest_logit])
    return Measured(float(rows.norm()), rounding(rows.norm()))
