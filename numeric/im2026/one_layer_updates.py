"""Left-hand sides of Eqs. (103)-(109) and (118)-(121) for matrices that attain the norms."""

from __future__ import annotations

import math
from math import comb
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import one_layer_updates as claims
from claims.im2026.mean_errors import ERROR_MATRICES
from claims.im2026.notation import N, T, eta, s, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.chains import Aligned, norm_of
from numeric.im2026.corpora import statistics, uniform_attention
from numeric.im2026.network import descent, gradients, one_hot, output, zero_start
from numeric.registry import measures
from numeric.remembered import remembered


def moved(steps: int) -> int:
    """How many eta^4 the attention weights have moved along their leading term."""
    return 3 * comb(steps, 4) + 2 * comb(steps, 3)


@measures(claims.output_slope)
def slope_of_the_output_matrix(point: Point) -> Measured:
    """H^T (R - R_0) + (A X V)^T R_0 over T."""
    at = Aligned(point)
    added = at(claims.attention) @ at(claims.inputs) @ at(claims.value)
    first, second = at(claims.hidden).mT @ at(claims.distance), added.mT @ at(claims.residual)
    return norm_of((first + second) / at[T])


@measures(claims.output_step)
def next_output_matrix(point: Point) -> Measured:
    """The old error and that of the gradient."""
    at = Aligned(point)
    return norm_of(at(claims.output_gap) + at[eta] * at(claims.slope_gap))


@measures(claims.value_slope)
def slope_of_the_value_matrix(point: Point) -> Measured:
    """X^T A^T R W_O^T less X^T A_0^T R_0 times the leading term of W_O^T, over T."""
    at = Aligned(point)
    inputs, residual, output = at(claims.inputs), at(claims.residual), at(claims.output)
    first = inputs.mT @ at(claims.attention).mT @ at(claims.distance) @ output.mT
    second = inputs.mT @ at(claims.attention_gap).mT @ residual @ output.mT
    third = inputs.mT @ at(claims.uniform).mT @ residual @ at(claims.output_gap).mT
    return norm_of((first + second + third) / at[T])


def _stepped(at: Aligned, left: Any, leading: Any, gap: Any) -> Measured:
    """What leading terms leave, the old error and that of the gradient."""
    return norm_of(left * at(leading) + at(gap) + at[eta] * at(claims.slope_gap))


@measures(claims.value_step)
def next_value_matrix(point: Point) -> Measured:
    """s(s - 1)/2 and s more make (s + 1)s/2."""
    at, steps = Aligned(point), int(point[s])
    left = (comb(steps, 2) + steps - comb(steps + 1, 2)) * at[eta] ** 2
    return _stepped(at, left, claims.features, claims.value_gap)


@measures(claims.product)
def product_of_output_and_value(point: Point) -> Measured:
    """W_O^T V^T less the product of the leading terms."""
    at, steps = Aligned(point), int(point[s])
    leading = comb(steps, 2) * at[eta] ** 2 * at(claims.features)
    left = (steps * comb(steps, 2) - (steps**3 - steps**2) / 2) * at[eta] ** 3 * at(claims.features)
    first = at(claims.output).mT @ at(claims.value_gap).mT
    return norm_of(left + first + at(claims.output_gap).mT @ leading)


@measures(claims.scores)
def scores(point: Point) -> Measured:
    """R W_O^T V^T X^T less its leading term."""
    at = Aligned(point)
    inputs = at(claims.inputs)
    first = at(claims.distance) @ at(claims.output).mT @ at(claims.value).mT @ inputs.mT
    return norm_of(first + at(claims.residual) @ at(claims.product_gap) @ inputs.mT)


@measures(claims.weight_slope)
def slope_of_the_attention_weights(point: Point) -> Measured:
    """X^T S X over T."""
    at = Aligned(point)
    inputs = at(claims.inputs)
    return norm_of(inputs.mT @ at(claims.einsum_gap) @ inputs / at[T])


@measures(claims.position_slope)
def slope_of_the_position_weights(point: Point) -> Measured:
    """Sums of T entries over T."""
    at = Aligned(point)
    return norm_of(math.sqrt(at[T]) * at(claims.einsum_gap) / at[T])


def _weights(point: Point, leading: Any) -> Measured:
    at, steps = Aligned(point), int(point[s])
    left = (moved(steps) + (steps**3 - steps**2) // 2 - moved(steps + 1)) * at[eta] ** 4
    return _stepped(at, left, leading, claims.weight_gap)


@measures(claims.attention_step)
def next_attention_weights(point: Point) -> Measured:
    """W after one more step."""
    return _weights(point, claims.leading)


@measures(claims.position_step)
def next_position_weights(point: Point) -> Measured:
    """P after one more step."""
    return _weights(point, claims.positions)


@measures(claims.any_slope)
def mean_over_sequences(point: Point) -> Measured:
    """The norm of the mean of the errors, sequence by sequence."""
    total = torch.stack([tensor(point[matrix]) for matrix in ERROR_MATRICES]).sum(dim=0)
    mean = total.mean(dim=0) / float(point[T])
    return Measured(float(mean.norm()), rounding(total))


@remembered(maxsize=32)
def _first_step(count: int, length: int, vocabulary: int, rate: float) -> tuple[Tensor, ...]:
    """The gradient of V less its leading term, R - (Y - U_O) by sequence, and W_O, after one step."""
    one, others = claims.texts(length, vocabulary)
    tokens = torch.tensor([one] * (count - 1) + [others])
    *_, weights = descent(zero_start(1, length, vocabulary), tokens, rate, 1)
    slope = gradients(weights, tokens).value[0] + rate * statistics(tokens, vocabulary).value
    shares = torch.softmax(output(weights, one_hot(tokens[:, :-1], vocabulary)), dim=-1)
    return slope, 1 / vocabulary - shares, weights.output


def _step(point: Point) -> tuple[Tensor, ...]:
    return _first_step(int(point[N]), int(point[T]), int(point[words]), float(point[eta]))


def _norm(values: Tensor, size: float) -> Measured:
    """A Frobenius norm of differences of numbers of a size."""
    return Measured(float(values.norm()), rounding(size))


@measures(claims.first_slope)
def slope_after_the_first_step(point: Point) -> Measured:
    """By autograd, and the statistics of the text."""
    slope, *_ = _step(point)
    return _norm(slope, float(point[eta]))


@measures(claims.first_gap)
def gap_after_the_first_step(point: Point, sequence: int) -> Measured:
    """Of one sequence: the uniform outputs less the network's."""
    return _norm(_step(point)[1][sequence - 1], 1 / math.sqrt(float(point[words])))


@measures(claims.first_output)
def output_after_the_first_step(point: Point) -> Measured:
    """The output matrix."""
    return _norm(_step(point)[2], float(point[eta]))


@measures(claims.uniform_norm)
def norm_of_uniform_attention(point: Point) -> Measured:
    """The root of a harmonic number."""
    return _norm(uniform_attention(int(point[T]), torch.zeros((), dtype=torch.float64)), 1.0)


@measures(claims.input_norm)
def norm_of_the_inputs(point: Point, sequence: int) -> Measured:
    """The largest singular value of a one-hot matrix."""
    length, vocabulary = int(point[T]), int(point[words])
    tokens = claims.texts(length, vocabulary)[sequence == int(point[N])]
    inputs = one_hot(torch.tensor(tokens[:-1]), vocabulary)
    value = float(torch.linalg.matrix_norm(inputs, 2))
    return Measured(value, rounding(value))
