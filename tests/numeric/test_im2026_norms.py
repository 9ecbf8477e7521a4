r"""What displays of App. D put in the place of a norm bounds it in networks of any weights.

A display is a statement about numbers: its left-hand side is the largest value that the triangle inequality
and norms of products allow.  Here both are computed for networks, gradients by autograd: the norm is at
most the term at the norms of its factors, and no summand can be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import im2026_many_layers  # noqa: F401  (their links)
import im2026_one_layer  # noqa: F401
import pytest
import torch
from im2026_links import LINKS, Link, moved, sides
from im2026_scenes import Scene, fro, op, row, scenes
from sympy import Add, Expr, Symbol, expand
from torch import Tensor

from audit.printed.naming import formulas_in_names
from claims.im2026 import (
    closed_induction,
    gaussian_activations,
    gaussian_step,
    layered_attention,
    layered_backpropagation,
    one_layer_attention,
    one_layer_rows,
)
from claims.im2026.displays import TERMS
from claims.im2026.notation import eta, s
from claims.model import Claim
from claims.registry import encoded
from claims.statement import Quantity
from claims.typeset import typeset
from numeric.im2026 import network
from numeric.im2026.network import Weights

WITH_TERMS = [
    claim for claim in encoded().values()
    if claim.paper == "im2026" and set(claim.formula.quantities()) & set(TERMS)
]  # fmt: skip
SEEDS = range(3)
SLACK, TINY = 1e-9, 1e-13
MEANT = 10
"""How many norms must have been looked at, at least."""
SPARE: dict[Quantity, int] = {
    # Products of small norms, which are of higher order than what stands beside them.
    gaussian_activations.moved: 1,
    gaussian_step.output_after: 1,
    layered_backpropagation.score_error: 1,
    layered_backpropagation.attention_gradient: 4,
    layered_backpropagation.position_gradient: 1,
    closed_induction.next_output: 1,
    closed_induction.next_value: 3,
    one_layer_rows.output_slope: 1,
    # Rows of attention have sum one, so that what mixes a deviation with uniform attention adds nothing.
    layered_attention.jacobian_shift: 3,
    one_layer_attention.jacobian_gap: 3,
    one_layer_attention.jacobian: 1,
    gaussian_step.near_uniform_jacobian: 1,
    gaussian_step.jacobian_moves: 3,
    closed_induction.jacobian_term: 3,
    # Largest entries are taken to be norms, and the largest of all rows and layers that of each.
    layered_attention.largest_logit: 4,
    closed_induction.softened_term: 1,
    closed_induction.row_term: 7,
    closed_induction.shift_term: 8,
    closed_induction.scores_term: 5,
    closed_induction.moved_term: 3,
}
"""How many summands no network here needs."""

# Networks of one or two words ----------------------------------------------------------------------------


def alone(tokens: list[int], words: int, attention: Tensor, positions: Tensor) -> Scene:
    """One sequence, read by a layer with these weights and no others."""
    none = torch.zeros(words, words, dtype=torch.float64)
    weights = Weights(attention[None], positions[None], none[None], none)
    return Scene(torch.tensor([tokens]), weights, words, steps=2, rate=0.01)


def one_entry(size: float, *place: int, shape: tuple[int, ...]) -> Tensor:
    matrix = torch.zeros(shape, dtype=torch.float64)
    matrix[place] = size
    return matrix


def valued(quantity: Quantity, values: dict[Symbol, float]) -> float:
    return float(TERMS[quantity].subs(values))


@pytest.mark.parametrize("length", [2, 7])
def test_logits_of_one_word_are_the_term(length: int) -> None:
    of = alone(
        [0] * (length + 1),
        2,
        one_entry(0.3, 0, 0, shape=(2, 2)),
        one_entry(0.2, 0, shape=(length,)),
    )
    values = {
        layered_attention.row: length,
        layered_attention.word_error: 0.3,
        layered_attention.position_error: 0.2,
    }
    found = float(row(of.logits)[0, 0, -1])
    assert found == pytest.approx(valued(layered_attention.one_word, values), rel=1e-12)


@pytest.mark.parametrize("half", [1, 4])
def test_attention_of_two_words_is_the_term(half: int) -> None:
    of = alone(
        [0] * half + [1] * (half + 1), 2, one_entry(0.3, 1, 0, shape=(2, 2)),
        torch.zeros(2 * half, dtype=torch.float64),
    )  # fmt: skip
    values = {layered_attention.half: half, layered_attention.word_error: 0.3}
    found = float(row(moved(of))[0, 0, -1])
    assert found == pytest.approx(valued(layered_attention.two_words, values), rel=1e-12)


@pytest.mark.parametrize("words", [2, 5])
def test_a_step_of_multiples_of_the_identity_is_the_term(words: int) -> None:
    start, error, rate = 0.3, 0.2, 0.1
    identity = torch.eye(words, dtype=torch.float64) / words**0.5
    values = {gaussian_step.initial: start, gaussian_step.slope_error: error, eta: rate}
    moved_by = start * identity - rate * (-error * identity)
    assert float(fro(moved_by)) == pytest.approx(
        valued(gaussian_step.aligned_step, values), rel=1e-12
    )
    assert float(op(start * identity)) == pytest.approx(start / words**0.5, rel=1e-12)


# The tests ------------------------------------------------------------------------------------------------


@cache
def networks(only: tuple[tuple[str, int], ...]) -> tuple[Scene, ...]:
    return tuple(scene for seed in SEEDS for scene in scenes(seed, **dict(only)))


def meant_by(of: Link) -> tuple[Scene, ...]:
    return networks(tuple(sorted(of.only.items())))


def test_scenes_run_the_network_of_definition_3_1() -> None:
    for scene in networks(())[::20]:
        inputs = scene.inputs
        assert torch.allclose(scene.output, network.output(scene.weights, inputs))
        assert torch.allclose(scene.sensitivity[-1], scene.residual @ scene.weights.output.mT)


def test_every_norm_that_stands_for_a_term_is_looked_at_in_networks() -> None:
    """But for those of one or two words and of one matrix, which have tests of their own."""
    own = {
        layered_attention.one_word, layered_attention.two_words, gaussian_step.aligned_step,
    }  # fmt: skip
    claimed = {quantity for quantity in TERMS if quantity.stands_for}
    assert claimed - own == {of.quantity for of in LINKS}


@pytest.mark.parametrize("claim", WITH_TERMS, ids=repr)
def test_a_reader_sees_every_term(claim: Claim) -> None:
    """In the name of the quantity, which is held to the term, or among the hypotheses."""
    spelled = formulas_in_names(claim)
    for quantity in set(claim.formula.quantities()) & set(TERMS):
        shown = (quantity.stands_for or "").endswith(typeset(TERMS[quantity]))
        assert shown or quantity in spelled, quantity
        assert quantity.stands_for is None or quantity.stands_for in claim.assumed


@pytest.mark.parametrize("of", LINKS, ids=str)
def test_the_norm_is_at_most_the_term(of: Link) -> None:
    seen, longest = 0, 0.0
    for scene in meant_by(of):
        left, right = sides(of, of.term, scene)
        assert (left <= right * (1 + SLACK) + TINY).all(), scene
        seen, longest = seen + left.size, max(longest, left.max(initial=0.0))
    assert seen >= MEANT and longest > 100 * TINY


def summands(term: Expr) -> Iterator[Expr]:
    """The term without one summand, anywhere in it; those that count steps are left as they are."""
    if isinstance(term, Add) and not term.free_symbols <= {s}:
        parts = (part for part in term.args if not part.could_extract_minus_sign())
        yield from (term - part for part in parts if expand(part) != 0)
    for place, part in enumerate(term.args):
        for less in summands(part):
            yield term.func(*term.args[:place], less, *term.args[place + 1 :])


def exceeds(of: Link, term: Expr) -> bool:
    """Whether some network has a larger norm."""
    for scene in meant_by(of):
        left, right = sides(of, term, scene)
        if (left > right * (1 + 1e-6) + TINY).any():
            return True
    return False


@pytest.mark.parametrize("of", LINKS, ids=str)
def test_no_summand_can_be_left_out(of: Link) -> None:
    """But for so many as are generous: of higher order, or what a norm of a product gives away."""
    kept = [less for less in summands(of.term) if not exceeds(of, less)]
    assert len(kept) <= SPARE.get(of.quantity, 0), kept
