"""Left-hand sides of Eqs. (97)-(102) for matrices that attain the norms."""

from __future__ import annotations

import math

from claims.domain import Point
from claims.im2026 import one_layer_forward as claims
from claims.im2026.notation import eta, s, words
from numeric.agreement import Measured
from numeric.im2026.chains import Aligned, norm_of
from numeric.registry import measures


@measures(claims.value_matrix)
def norm_of_the_value_matrix(point: Point) -> Measured:
    """Leading term and error."""
    at = Aligned(point)
    leading = (
        math.comb(int(at[s]), 2) * at[eta] ** 2 * at(claims.contexts).mT @ at(claims.bigrams).mT
    )
    return norm_of(leading + at(claims.value_gap))


@measures(claims.hidden_states)
def norm_of_the_hidden_states(point: Point) -> Measured:
    """X + A X V."""
    at = Aligned(point)
    inputs = at(claims.inputs)
    return norm_of(inputs + at(claims.attention) @ inputs @ at(claims.value))


@measures(claims.output_matrix, claims.output_operator)
def norms_of_the_output_matrix(point: Point) -> tuple[Measured, Measured]:
    """s eta B and its error, of rank one together: both norms are one."""
    at = Aligned(point)
    found = norm_of(at[s] * at[eta] * at(claims.bigrams) + at(claims.output_gap))
    return found, found


@measures(claims.logit_matrix)
def logits(point: Point) -> Measured:
    """H W_O."""
    at = Aligned(point)
    return norm_of(at(claims.hidden) @ at(claims.output))


@measures(claims.hidden_row)
def one_hidden_row(point: Point) -> Measured:
    """x (1 + V) for a unit row."""
    at = Aligned(point)
    return norm_of(at.unit + at(claims.value))


@measures(claims.logit_row)
def one_row_of_logits(point: Point) -> Measured:
    """x (1 + V) W_O for a unit row."""
    at = Aligned(point)
    return norm_of((at.unit + at(claims.value)) @ at(claims.output))


@measures(claims.logit_range)
def range_of_one_row_of_logits(point: Point) -> Measured:
    """At most twice the norm of the row."""
    at = Aligned(point)
    return norm_of(2 * (at.unit + at(claims.value)) @ at(claims.output))


@measures(claims.distance)
def distance_to_uniform(point: Point) -> Measured:
    """What Lemma D.2 allows."""
    at = Aligned(point)
    return norm_of(math.e**2 / at[words] * at(claims.logits))
