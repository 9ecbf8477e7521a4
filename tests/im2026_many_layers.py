"""Links of Theorems D.10 and D.13: many layers."""

from __future__ import annotations

from collections.abc import Callable
from math import e

import torch
from im2026_links import (
    Read,
    after_a_step,
    all_narrow,
    attention_slope,
    below,
    deviation,
    jacobian_error,
    largest_jacobian,
    last,
    link,
    moved,
    narrow,
    output_error,
    output_slope,
    own_logits,
    own_share,
    places,
    position_error,
    position_slope,
    rows_of_the_prefix,
    sensitivity_error,
    to_uniform,
    value_error,
    value_slope,
    weight,
    word_error,
)
from im2026_scenes import Scene, fro, op, row
from sympy import Symbol
from torch import Tensor

from claims.im2026 import (
    closed_induction,
    gaussian_activations,
    gaussian_step,
    layered_activations,
    layered_attention,
    layered_backpropagation,
    layered_outputs,
    one_layer_attention,
)
from claims.im2026.displays import TERMS

# Theorem D.10 and D.13: many layers -----------------------------------------------------------------------

link(
    layered_activations.value_norm,
    lambda of: fro(of.weights.value),
    {
        layered_activations.leading_norm: lambda of: fro(of.corpus.value),
        layered_activations.value_error: lambda of: value_error(of)[..., 0],
    },
)
for stem, value, stretch in (
    (layered_activations, layered_activations.value, lambda of: 1 + of.x / 4),
    (gaussian_activations, gaussian_activations.value, lambda of: 1 + of.rate**3.5 / 2),
):
    largest: dict[Symbol, Read] = {value: lambda of: op(of.weights.value).max()}
    link(
        getattr(stem, "row_norm" if stem is layered_activations else "grown"),
        lambda of: row(of.hidden).amax(0),
        largest,
    )
    link(
        getattr(stem, "deviation" if stem is layered_activations else "moved"),
        lambda of: row(deviation(of)).amax(0),
        largest,
        when=lambda of, stretch=stretch: torch.tensor(
            (1 + float(op(of.weights.value).max())) ** of.depth <= stretch(of)
        ),
    )
for output, head, hidden in (
    (layered_outputs.output, layered_outputs.output_weights, layered_outputs.hidden),
    (gaussian_activations.logit_norm, gaussian_activations.head, gaussian_activations.last),
):
    link(
        output,
        lambda of: fro(of.output),
        {hidden: lambda of: fro(last(of)), head: lambda of: op(of.weights.output)},
    )
link(
    layered_outputs.output_row,
    lambda of: row(of.output),
    {
        layered_outputs.hidden_row: lambda of: row(last(of)),
        layered_outputs.output_weights: lambda of: op(of.weights.output),
    },
)
link(
    layered_outputs.output_range,
    lambda of: of.output.amax(-1) - of.output.amin(-1),
    {
        layered_outputs.hidden_row: lambda of: row(last(of)),
        layered_outputs.output_weights: lambda of: op(of.weights.output),
    },
)
link(
    layered_outputs.output_step,
    lambda of: output_error(of.after),
    {layered_outputs.output_error: output_error, layered_outputs.output_slope_gap: output_slope},
)
link(
    layered_outputs.value_step,
    lambda of: value_error(of.after).flatten(),
    {
        layered_activations.leading_norm: lambda of: fro(of.corpus.value),
        layered_outputs.value_gap: lambda of: value_error(of).flatten(),
        layered_outputs.value_slope_gap: lambda of: value_slope(of).flatten(),
    },
)
link(
    layered_outputs.softened,
    lambda of: e**2 / of.words * fro(of.output),
    {
        layered_outputs.hidden: lambda of: fro(last(of)),
        layered_outputs.output_weights: lambda of: op(of.weights.output),
    },
)
link(
    gaussian_activations.probabilities,
    lambda of: fro(to_uniform(of)),
    {gaussian_activations.output: lambda of: fro(of.output)},
    when=all_narrow(lambda of: of.output, 1.0),
)
link(
    layered_outputs.output_gradient,
    output_slope,
    {
        layered_outputs.hidden: lambda of: fro(last(of)),
        layered_outputs.softmax_shift: lambda of: fro(to_uniform(of)),
        layered_outputs.deviation: lambda of: fro(deviation(of)[-1]),
        layered_outputs.centred: lambda of: fro(of.centred),
    },
    averaged=True,
)
link(
    gaussian_step.output_gradient,
    output_slope,
    {
        gaussian_step.moved: lambda of: fro(deviation(of)[-1]),
        gaussian_step.residual: lambda of: fro(of.residual),
        gaussian_step.guess: lambda of: fro(to_uniform(of)),
    },
    averaged=True,
)
link(
    gaussian_step.output_after,
    lambda of: fro(of.after.weights.output - of.rate * of.corpus.bigram),
    {
        gaussian_step.initial: lambda of: fro(of.weights.output),
        gaussian_step.moved: lambda of: fro(deviation(of)[-1]),
        gaussian_step.residual: lambda of: fro(of.residual),
        gaussian_step.guess: lambda of: fro(to_uniform(of)),
    },
    averaged=True,
)
link(
    gaussian_step.output_step,
    lambda of: fro(of.after.weights.output - of.rate * of.corpus.bigram),
    {
        gaussian_step.initial: lambda of: fro(of.weights.output),
        gaussian_step.slope_error: output_slope,
    },
)
link(
    layered_outputs.value_gradient,
    value_slope,
    {
        layered_outputs.strayed: lambda of: fro(deviation(of)[:-1]),
        layered_outputs.attention: lambda of: op(of.attention),
        layered_outputs.backward: lambda of: fro(of.sensitivity[1:]),
        layered_outputs.attention_shift: lambda of: fro(moved(of)),
        layered_outputs.backward_shift: lambda of: sensitivity_error(of)[1:],
    },
    averaged=True,
)
link(
    gaussian_step.value_gradient,
    lambda of: fro(of.slope.value),
    {
        gaussian_step.hidden: lambda of: op(below(of)),
        gaussian_step.weights: lambda of: op(of.attention),
        gaussian_step.sensitivity: lambda of: fro(of.sensitivity[1:]),
    },
    averaged=True,
)
link(
    gaussian_step.after,
    lambda of: fro(of.after.weights.attention),
    {
        gaussian_step.initial: lambda of: fro(of.weights.attention),
        gaussian_step.gradient: lambda of: fro(of.slope.attention),
    },
)
link(
    layered_backpropagation.last_shift,
    lambda of: sensitivity_error(of)[-1],
    {
        layered_backpropagation.softmax_shift: lambda of: fro(to_uniform(of)),
        layered_backpropagation.output_weights: lambda of: op(of.weights.output),
        layered_backpropagation.centred: lambda of: fro(of.centred),
        layered_backpropagation.output_error: output_error,
    },
)
link(
    gaussian_step.last,
    lambda of: fro(of.sensitivity[-1]),
    {
        gaussian_step.residual: lambda of: fro(of.residual),
        gaussian_step.head: lambda of: op(of.weights.output),
    },
)
link(
    layered_backpropagation.score_gradient,
    lambda of: fro(of.scores),
    {
        layered_backpropagation.jacobian: largest_jacobian,
        layered_backpropagation.gradient: lambda of: op(of.sensitivity[1:]),
        layered_backpropagation.value: weight("value"),
        layered_backpropagation.hidden: lambda of: fro(below(of)),
    },
)
link(
    gaussian_step.near_uniform_jacobian,
    largest_jacobian,
    {
        gaussian_step.uniform_jacobian: lambda of: op(of.uniform_jacobians).max(),
        gaussian_step.jacobian_shift: jacobian_error,
    },
)
for product, power, weighed in (
    (gaussian_step.first_scores, lambda of: fro(of.scores), False),
    (gaussian_step.attention_gradient, lambda of: fro(of.slope.attention), True),
    (gaussian_step.position_gradient, lambda of: row(of.slope.positions), True),
):
    link(
        product,
        power,
        {
            gaussian_step.jacobian: largest_jacobian,
            gaussian_step.sensitivity: lambda of: fro(of.sensitivity[1:]),
            gaussian_step.value: weight("value"),
            gaussian_step.whole: lambda of: fro(below(of)),
            gaussian_step.hidden: lambda of: op(below(of)),
        },
        averaged=weighed,
    )
link(
    gaussian_step.score_norm,
    lambda of: fro(of.scores),
    {
        gaussian_step.jacobian: largest_jacobian,
        gaussian_step.upstream: lambda of: fro(of.sensitivity[1:]),
        gaussian_step.value: weight("value"),
        gaussian_step.hidden: lambda of: op(below(of)),
    },
)
link(
    gaussian_step.recurrence,
    lambda of: fro(of.sensitivity[:-1]),
    {
        gaussian_step.upstream: lambda of: fro(of.sensitivity[1:]),
        gaussian_step.weights: lambda of: op(of.attention),
        gaussian_step.value: weight("value"),
        gaussian_step.scores: lambda of: fro(of.scores),
        gaussian_step.hidden: lambda of: op(below(of)),
        gaussian_step.attention: weight("attention"),
    },
)
_down: dict[Symbol, Read] = {
    layered_backpropagation.shift: lambda of: sensitivity_error(of)[1:],
    layered_backpropagation.attention: lambda of: op(of.attention),
    layered_backpropagation.gradient: lambda of: op(of.sensitivity[1:]),
    layered_backpropagation.context: lambda of: fro(of.corpus.value),
    layered_backpropagation.value_error: value_error,
    layered_backpropagation.scores: lambda of: op(of.scores),
    layered_backpropagation.hidden: lambda of: fro(below(of)),
    layered_backpropagation.weights: weight("attention"),
    layered_backpropagation.leading: lambda of: op(of.leading_sensitivity),
}
link(layered_backpropagation.descent, lambda of: sensitivity_error(of)[:-1], _down)
link(layered_backpropagation.next_norm, lambda of: op(of.sensitivity[:-1]), _down)
_scored: dict[Symbol, Read] = {
    layered_backpropagation.jacobian_shift: jacobian_error,
    layered_backpropagation.context: lambda of: fro(of.corpus.value),
    layered_backpropagation.jacobian: largest_jacobian,
    layered_backpropagation.shift: lambda of: sensitivity_error(of)[1:],
    layered_backpropagation.value: weight("value"),
    layered_backpropagation.hidden: lambda of: fro(below(of)),
    layered_backpropagation.value_error: value_error,
    layered_backpropagation.deviation: lambda of: fro(deviation(of)[:-1]),
}
link(layered_backpropagation.score_error, lambda of: fro(of.scores - of.leading_pull), _scored)
link(layered_backpropagation.attention_gradient, attention_slope, _scored, averaged=True)
link(layered_backpropagation.position_gradient, position_slope, _scored, averaged=True)


# Attention ------------------------------------------------------------------------------------------------

for quantity, gap, largest in (
    (layered_attention.jacobian_shift, layered_attention.shift, layered_attention.largest_entry),
    (
        one_layer_attention.jacobian_gap,
        one_layer_attention.row_gap,
        one_layer_attention.largest_entry,
    ),
    (
        one_layer_attention.centred_gap,
        one_layer_attention.row_gap,
        one_layer_attention.largest_entry,
    ),
    (gaussian_step.jacobian_moves, gaussian_step.apart, None),
):
    link(
        quantity,
        lambda of: op(of.jacobians - of.uniform_jacobians),
        {
            gap: lambda of: row(moved(of)),
            **({largest: lambda of: moved(of).abs().amax(-1)} if largest is not None else {}),
            **{t: places for t in TERMS[quantity].free_symbols if t.name == "t"},
        },
    )  # fmt: skip
link(
    gaussian_activations.logits,
    lambda of: row(of.logits),
    {
        gaussian_activations.row: lambda of: row(below(of)),
        gaussian_activations.attention: lambda of: op(of.weights.attention)[:, None, None],
        gaussian_activations.hidden: lambda of: op(below(of))[..., None],
        gaussian_activations.positions: lambda of: row(of.weights.positions)[:, None, None],
    },
)
link(
    gaussian_activations.shift,
    lambda of: fro(moved(of)),
    {gaussian_activations.scores: lambda of: row(of.logits).amax(-1)},
    when=all_narrow(own_logits, 1.0),
)
link(
    layered_attention.row_shift,
    lambda of: row(moved(of)),
    {layered_attention.logit_norm: lambda of: row(of.logits), layered_attention.row: places},
    when=narrow(own_logits, 1.0),
)
link(
    layered_attention.all_logits,
    lambda of: row(of.logits),
    {
        layered_attention.row: places,
        layered_attention.word_entry: lambda of: of.corpus.words.abs().max(),
        layered_attention.position_entry: lambda of: of.corpus.positions.abs().max(),
        layered_attention.word_norm: lambda of: fro(of.corpus.words),
        layered_attention.deviation: lambda of: row(deviation(of)[:-1]),
        layered_attention.widest: lambda of: rows_of_the_prefix(deviation(of)[:-1]),
        layered_attention.hidden_row: lambda of: rows_of_the_prefix(below(of)),
        layered_attention.word_error: lambda of: word_error(of)[..., None],
        layered_attention.position_error: lambda of: position_error(of)[..., None],
    },
)
link(
    layered_attention.largest_logit,
    lambda of: of.logits.abs().amax(-1),
    {
        layered_attention.strayed: lambda of: rows_of_the_prefix(deviation(of)[:-1]),
        layered_attention.word_error: lambda of: word_error(of)[..., None],
        layered_attention.position_error: lambda of: position_error(of)[..., None],
    },
)
for stem, own in (
    (layered_attention, layered_attention.own_row),
    (gaussian_activations, gaussian_activations.row),
):
    link(
        stem.row_after,
        lambda of: row(of.hidden[1:]),
        {
            own: lambda of: row(below(of)),
            stem.own_word: own_share,
            stem.strayed: lambda of: rows_of_the_prefix(deviation(of)[:-1]),
            (stem.own_value if stem is layered_attention else stem.value):
                lambda of: op(of.weights.value)[:, None, None],
        },
    )  # fmt: skip


# The next step, in norms that are the largest of all layers, sequences and rows --------------------------

link(
    layered_backpropagation.next_error,
    lambda of: word_error(of.after)[:, 0],
    {
        layered_backpropagation.error: lambda of: word_error(of)[:, 0],
        layered_backpropagation.moved: attention_slope,
    },
)


def _errors(of: Scene) -> Tensor:
    """Of both kinds of attention weights."""
    return torch.maximum(word_error(of), position_error(of))


def _slopes(of: Scene) -> Tensor:
    return torch.maximum(attention_slope(of), position_slope(of))


def _largest(read: Callable[[Scene], Tensor]) -> Read:
    return lambda of: read(of).max()


_all: dict[Symbol, Read] = {
    closed_induction.output_error: _largest(output_error),
    closed_induction.value_error: _largest(value_error),
    closed_induction.attention_error: _largest(_errors),
    closed_induction.value: _largest(lambda of: op(of.weights.value)),
    closed_induction.deviation: _largest(lambda of: row(deviation(of))),
    closed_induction.softened: _largest(lambda of: row(to_uniform(of))),
    closed_induction.row_shift: _largest(lambda of: row(moved(of))),
    closed_induction.jacobian_shift: _largest(jacobian_error),
    closed_induction.backward: _largest(lambda of: fro(of.sensitivity[1:])),
    closed_induction.shift: _largest(lambda of: sensitivity_error(of)[1:]),
    closed_induction.scores: _largest(lambda of: fro(of.scores - of.leading_pull)),
    closed_induction.moved: _largest(_slopes),
}
for quantity, left, more in (
    (closed_induction.value_term, lambda of: fro(of.weights.value), {}),
    (closed_induction.deviation_term, lambda of: row(deviation(of)), {}),
    (closed_induction.softened_term, lambda of: row(to_uniform(of)),
     {"when": narrow(lambda of: of.output, 2.0)}),
    (closed_induction.row_term, lambda of: row(moved(of)), {"when": narrow(own_logits, 1.0)}),
    (closed_induction.jacobian_term, lambda of: op(of.jacobians - of.uniform_jacobians), {}),
    (closed_induction.backward_term, lambda of: fro(of.sensitivity[1:]), {}),
    (closed_induction.shift_term, lambda of: sensitivity_error(of)[1:], {}),
    (closed_induction.scores_term, lambda of: fro(of.scores - of.leading_pull), {}),
    (closed_induction.moved_term, _slopes, {}),
    (closed_induction.next_output, after_a_step(output_error), {}),
    (closed_induction.next_value, after_a_step(value_error), {}),
    (closed_induction.next_attention, after_a_step(_errors), {}),
):  # fmt: skip
    link(quantity, left, {**_all, closed_induction.row: places}, **more)
