"""Links of Theorem D.7 and Lemma D.6: one layer."""

from __future__ import annotations

from typing import Any

import torch
from im2026_links import (
    Read,
    after_a_step,
    all_narrow,
    attention_slope,
    jacobian_error,
    largest_jacobian,
    link,
    moved,
    narrow,
    output_error,
    output_slope,
    position_error,
    position_slope,
    to_uniform,
    value_error,
    value_slope,
    word_error,
)
from im2026_scenes import Scene, fro, op, row
from sympy import Symbol
from torch import Tensor

from claims.im2026 import (
    one_layer_attention,
    one_layer_forward,
    one_layer_rows,
    one_layer_updates,
    third_step,
)
from claims.statement import Quantity

# Theorem D.7 and Lemma D.6: one layer -----------------------------------------------------------------


def one_layer(quantity: Quantity, left: Read, norms: dict[Symbol, Read], **more: Any) -> None:
    link(quantity, left, norms, only={"depth": 1}, **more)


def third(quantity: Quantity, left: Read, norms: dict[Symbol, Read], **more: Any) -> None:
    """At the third step: leading terms of two steps."""
    link(quantity, left, norms, only={"depth": 1, "steps": 2}, **more)


def output_gap(of: Scene) -> Tensor:
    return output_error(of)[..., 0]


def value_gap(of: Scene) -> Tensor:
    return value_error(of)[0, 0]


def value_size(of: Scene) -> Tensor:
    return op(of.weights.value)[0]


def products(of: Scene) -> Tensor:
    """R W_O^T V^T X^T less its leading term."""
    return (
        of.residual @ of.weights.output.mT @ of.weights.value[0].mT @ of.inputs.mT
        - of.leading_scores
    )


def under(of: Scene) -> Tensor:
    """W_O^T V^T less its leading term."""
    leading = of.x * of.half * of.corpus.interchangeability @ of.corpus.context
    return fro(of.weights.output.mT @ of.weights.value[0].mT - leading)


_HIDDEN, _OUTPUT = (lambda of: fro(of.hidden[1]), lambda of: op(of.weights.output))
_SHARES, _CENTRED = (lambda of: fro(to_uniform(of)), lambda of: fro(of.centred))
_INPUTS = lambda of: fro(of.inputs)  # noqa: E731
_ATTENTION = lambda of: op(of.attention[0])  # noqa: E731

one_layer(
    one_layer_forward.value_matrix,
    lambda of: fro(of.weights.value)[0],
    {
        one_layer_forward.contexts: lambda of: fro(of.corpus.context),
        one_layer_forward.bigrams: lambda of: fro(of.corpus.bigram),
        one_layer_forward.value_gap: value_gap,
    },
)
one_layer(
    one_layer_forward.hidden_states,
    _HIDDEN,
    {
        one_layer_forward.inputs: _INPUTS,
        one_layer_forward.attention: _ATTENTION,
        one_layer_forward.value: value_size,
    },
)
one_layer(
    one_layer_forward.logit_matrix,
    lambda of: fro(of.output),
    {one_layer_forward.hidden: _HIDDEN, one_layer_forward.output: _OUTPUT},
)
for quantity, length in (
    (one_layer_forward.output_matrix, fro),
    (one_layer_forward.output_operator, op),
):
    one_layer(
        quantity,
        lambda of, length=length: length(of.weights.output),
        {
            one_layer_forward.bigrams: lambda of: fro(of.corpus.bigram),
            one_layer_forward.output_gap: output_gap,
        },
    )
for stem, row_size, row_of_hidden, span, declare in (
    (one_layer_forward, "logit_row", "hidden_row", "logit_range", one_layer),
    (third_step, "row_size", "row_of_hidden", "row_range", third),
    (one_layer_rows, "row", None, None, one_layer),
):
    _factors = {stem.value: value_size, stem.output: _OUTPUT}
    declare(getattr(stem, row_size), lambda of: row(of.output), _factors)
    if row_of_hidden and span:
        declare(getattr(stem, row_of_hidden), lambda of: row(of.hidden[1]), _factors)
        declare(getattr(stem, span), lambda of: of.output.amax(-1) - of.output.amin(-1), _factors)
one_layer(
    one_layer_forward.distance,
    _SHARES,
    {one_layer_forward.logits: lambda of: fro(of.output)},
    when=all_narrow(lambda of: of.output, 2.0),
)
one_layer(
    one_layer_updates.output_slope,
    output_slope,
    {
        one_layer_updates.hidden: _HIDDEN, one_layer_updates.distance: _SHARES,
        one_layer_updates.attention: _ATTENTION, one_layer_updates.inputs: _INPUTS,
        one_layer_updates.value: value_size, one_layer_updates.residual: _CENTRED,
    },
    averaged=True,
)  # fmt: skip
one_layer(
    one_layer_updates.value_slope,
    lambda of: value_slope(of)[0],
    {
        one_layer_updates.distance: _SHARES, one_layer_updates.attention: _ATTENTION,
        one_layer_updates.inputs: _INPUTS, one_layer_updates.output: _OUTPUT,
        one_layer_updates.residual: _CENTRED, one_layer_updates.uniform: lambda of: op(of.uniform),
        one_layer_updates.attention_gap: lambda of: fro(moved(of)[0]),
        one_layer_updates.output_gap: output_gap,
    },
    averaged=True,
)  # fmt: skip
one_layer(
    one_layer_updates.product,
    under,
    {
        one_layer_updates.features: lambda of: fro(of.corpus.value),
        one_layer_updates.output: _OUTPUT, one_layer_updates.value_gap: value_gap,
        one_layer_updates.output_gap: output_gap,
    },
)  # fmt: skip
one_layer(
    one_layer_updates.scores,
    lambda of: fro(products(of)),
    {
        one_layer_updates.distance: _SHARES, one_layer_updates.output: _OUTPUT,
        one_layer_updates.value: value_size, one_layer_updates.inputs: _INPUTS,
        one_layer_updates.residual: _CENTRED, one_layer_updates.product_gap: under,
    },
)  # fmt: skip
for quantity, slope in (
    (one_layer_updates.weight_slope, attention_slope),
    (one_layer_updates.position_slope, position_slope),
):
    one_layer(
        quantity,
        lambda of, slope=slope: slope(of)[0],
        {
            one_layer_updates.inputs: _INPUTS,
            one_layer_updates.einsum_gap: lambda of: fro(of.scores[0] - of.leading_pull),
        },
        averaged=True,
    )
for quantity, leading, gap, slope, size in (
    (one_layer_updates.output_step, None, output_error, output_slope, lambda of: 0.0),
    (one_layer_updates.value_step, one_layer_updates.features, value_error, value_slope,
     lambda of: fro(of.corpus.value)),
    (one_layer_updates.attention_step, one_layer_updates.leading, word_error, attention_slope,
     lambda of: fro(of.corpus.words)),
    (one_layer_updates.position_step, one_layer_updates.positions, position_error, position_slope,
     lambda of: row(of.corpus.positions)),
):  # fmt: skip
    _old = {
        None: one_layer_updates.output_gap, one_layer_updates.features: one_layer_updates.value_gap
    }  # fmt: skip
    one_layer(
        quantity,
        lambda of, gap=gap: gap(of.after).flatten(),
        {
            _old.get(leading, one_layer_updates.weight_gap): lambda of, gap=gap: gap(of).flatten(),
            one_layer_updates.slope_gap: lambda of, slope=slope: slope(of).flatten(),
            **({leading: size} if leading is not None else {}),
        },
    )
one_layer(
    one_layer_attention.attention,
    _ATTENTION,
    {
        one_layer_attention.uniform: lambda of: op(of.uniform),
        one_layer_attention.attention_gap: lambda of: fro(moved(of)[0]),
    },
)
_MOVED = lambda of: jacobian_error(of)[0]  # noqa: E731
one_layer(
    one_layer_attention.jacobian,
    lambda of: largest_jacobian(of)[0],
    {
        one_layer_attention.base_jacobian: lambda of: op(of.uniform_jacobians).max(),
        one_layer_attention.moved_jacobian: _MOVED,
    },
)
one_layer(
    one_layer_attention.score,
    lambda of: fro(of.leading_scores),
    {
        one_layer_attention.residual: _CENTRED,
        one_layer_attention.features: lambda of: op(
            of.corpus.interchangeability @ of.corpus.context
        ),
        one_layer_attention.inputs: lambda of: op(of.inputs),
    },
)
for quantity in (one_layer_attention.weighted_by_one, one_layer_attention.weighted_by_two):
    one_layer(
        quantity,
        lambda of: fro(of.scores[0] - of.leading_pull),
        {
            one_layer_attention.moved_jacobian: _MOVED,
            one_layer_attention.scores: lambda of: fro(of.leading_scores),
            one_layer_attention.any_jacobian: lambda of: largest_jacobian(of)[0],
            one_layer_attention.score_gap: lambda of: fro(products(of)),
        },
    )

# The third step

third(
    third_step.output_size,
    lambda of: fro(of.weights.output),
    {third_step.bigrams: lambda of: fro(of.corpus.bigram), third_step.output_gap: output_gap},
)
third(
    third_step.value_size,
    value_size,
    {
        third_step.contexts: lambda of: op(of.corpus.context),
        third_step.bigrams: lambda of: fro(of.corpus.bigram),
        third_step.value_gap: value_gap,
    },
)
third(third_step.output_bound, _OUTPUT, {third_step.output: lambda of: fro(of.weights.output)})
_STILL: Read = lambda of: word_error(of).max() + position_error(of).max() == 0  # noqa: E731
"""No attention yet, as before the third step."""
_third: dict[Symbol, Read] = {
    third_step.inputs: lambda of: op(of.inputs),
    third_step.transposed: lambda of: op(of.inputs),
    third_step.mixing: lambda of: op(of.uniform),
    third_step.value: value_size,
    third_step.hidden: lambda of: op(of.hidden[1]),
    third_step.output: lambda of: fro(of.weights.output),
    third_step.logits: lambda of: fro(of.output),
    third_step.change: _SHARES,
    third_step.first_residual: _CENTRED,
    third_step.output_gap: output_gap,
    third_step.value_gap: value_gap,
    third_step.bigrams: lambda of: fro(of.corpus.bigram),
    third_step.jacobian: lambda of: op(of.uniform_jacobians).max(),
    third_step.product: lambda of: fro(products(of)),
    third_step.output_slope: output_slope,
    third_step.position_slope: lambda of: (
        of.slope.positions + of.x * of.half * of.corpus.positions
    ).abs().max(),
    third_step.slopes["V"]: lambda of: value_slope(of)[0],
    third_step.slopes["W"]: lambda of: attention_slope(of)[0],
    third_step.slopes["P"]: lambda of: position_slope(of)[0],
}  # fmt: skip
for quantity, norm_of, means in (
    (third_step.hidden_size, lambda of: op(of.hidden[1]), False),
    (third_step.logit_size, lambda of: fro(of.output), False),
    (third_step.output_slope_size, output_slope, True),
    (third_step.output_error, lambda of: output_error(of.after), False),
    (third_step.value_slope, lambda of: value_slope(of)[0], True),
    (third_step.product_error, lambda of: fro(products(of)), False),
    (third_step.attention_slope, lambda of: attention_slope(of)[0], True),
    (third_step.each_position, _third[third_step.position_slope], True),
    (third_step.all_positions, lambda of: position_slope(of)[0], False),
    (third_step.value_after, lambda of: value_error(of.after)[0, 0], False),
    (third_step.attention_after, lambda of: word_error(of.after)[0, 0], False),
    (third_step.positions_after, lambda of: position_error(of.after)[0, 0], False),
):
    third(quantity, norm_of, _third, averaged=means, when=_STILL)
third(
    third_step.output_change,
    _SHARES,
    _third,
    when=lambda of: all_narrow(lambda of: of.output, 1.0)(of) & _STILL(of),  # type: ignore[operator]
)

# Rows of one layer ------------------------------------------------------------------------------------


def _entries(rows: Tensor) -> Tensor:
    return rows.abs().amax(-1)


_rows: dict[Symbol, Read] = {
    one_layer_rows.features: lambda of: fro(of.corpus.value),
    one_layer_rows.value_gap: value_gap,
    one_layer_rows.output_gap: output_gap,
    one_layer_rows.weight_gap: lambda of: torch.maximum(word_error(of), position_error(of))[0, 0],
    one_layer_rows.value: value_size,
    one_layer_rows.output: lambda of: op(of.weights.output),
    one_layer_rows.logit_row: lambda of: row(of.output),
    one_layer_rows.residual: lambda of: row(to_uniform(of)),
    one_layer_rows.attention_gap: lambda of: moved(of)[0].abs().sum(-1),
    one_layer_rows.scores: lambda of: _entries(of.leading_scores.tril()),
    one_layer_rows.score_gap: lambda of: _entries(products(of).tril()),
}


def largest(*symbols: Symbol) -> dict[Symbol, Read]:
    """With the largest of all rows."""
    chosen = {symbol: _rows[symbol] for symbol in symbols}
    return {
        **_rows,
        **{symbol: lambda of, read=read: read(of).max() for symbol, read in chosen.items()},
    }


for quantity, left, norms in (
    (one_layer_rows.value_norm, lambda of: fro(of.weights.value)[0], _rows),
    (one_layer_rows.logit, lambda of: _entries(of.logits[0]), _rows),
    (one_layer_rows.output_slope, output_slope, largest(one_layer_rows.residual)),
    (one_layer_rows.value_slope, lambda of: value_slope(of)[0],
     largest(one_layer_rows.residual, one_layer_rows.attention_gap)),
    (one_layer_rows.score, lambda of: _entries(products(of)), _rows),
    (one_layer_rows.einsum, lambda of: (of.scores[0] - of.leading_pull).abs().sum(-1), _rows),
):  # fmt: skip
    one_layer(quantity, left, norms)
one_layer(
    one_layer_rows.distance,
    lambda of: row(to_uniform(of)),
    _rows,
    when=narrow(lambda of: of.output, 2.0),
)


for quantity, gap, symbol, slope, most in (
    (one_layer_rows.output_step, output_error, one_layer_rows.output_gap, output_slope,
     lambda of: 2 * one_layer_rows.OUTPUT * of.x),
    (one_layer_rows.value_step, value_error, one_layer_rows.value_gap, value_slope,
     lambda of: 3 * one_layer_rows.VALUE * of.x**2),
    (one_layer_rows.weight_step, word_error, one_layer_rows.weight_gap, attention_slope,
     lambda of: 5 * one_layer_rows.WEIGHTS * of.x**4),
):  # fmt: skip
    one_layer(
        quantity,
        after_a_step(gap),
        {symbol: lambda of, gap=gap: gap(of).max()},
        when=lambda of, slope=slope, most=most: slope(of).max() <= float(most(of)),
    )
