"""Counterexamples and numbers of notes on im2026, computed once more in fractions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from sympy import Integer, Matrix, Rational, sqrt

from claims.im2026 import attended_tokens as attended
from claims.im2026 import compositions
from claims.im2026 import layered_activations as rows
from claims.im2026 import one_layer_updates as updates
from claims.im2026.context_rows import in_context
from claims.im2026.contexts import average, context
from claims.im2026.corpora import (
    bigram_map,
    context_map,
    interchangeability,
    one_hot,
    position_map,
    tokens,
    word_map,
)
from claims.im2026.interchangeability import sigma_uncentred
from claims.im2026.map_norms import what_centring_makes_of_one_class
from claims.im2026.notation import N, T, eta, sequences, words
from claims.im2026.small_starts import _maps
from claims.points import Itself
from claims.terms import value_of


def test_a_row_of_two_layers_may_grow_by_more_than_its_own_length() -> None:
    """It vanishes after the first layer, and the second one adds half of the other row to it."""
    (at,) = rows.every_row_grows_by_its_own_length.probes
    lengths = [value_of(q, at) for q in (rows.row_before, rows.row_after, rows.second_norm)]
    assert lengths == [0, Rational(1, 2), sqrt(2)]
    assert rows.every_row_grows_by_its_own_length.formula.truth(at) is False


def test_a_mean_over_sequences_exceeds_the_bound_of_one() -> None:
    at = {N: Integer(3), T: Integer(3), words: Integer(500), eta: Rational(3, 25)}
    claim = updates.slope_of_the_value_matrix_as_printed
    assert claim.domain.objection(at) is None and claim.formula.truth(at) is False
    assert claim.formula.truth({**at, N: Integer(2)}) is True


@pytest.mark.parametrize(
    ("tokens", "output", "value", "attention"),
    [
        (tuple(place % 2 for place in range(65)), "15.07", "0.1663", "1.547e-6"),
        ((0,) * 65, "21.31", "0.6653", "0"),
    ],
)
def test_leading_terms_beside_the_bounds_of_theorem_4_1(
    tokens: tuple[int, ...], output: str, value: str, attention: str
) -> None:
    """At |V| = 500, T = 64, eta = 1/64: after one step, two and five."""
    found = _maps(Itself((one_hot(tokens, 500),)))
    norms = {
        name: sqrt(sum(Rational(int(x.p), int(x.q)) ** 2 for x in matrix.entries() if x != 0))
        for name, matrix in found.items()
    }
    rate = Rational(1, 64)
    ratios = (
        norms["W_O"] / (3 * rate), norms["V"] / (12 * 8 * rate),
        35 * norms["W"] / (13 * 5**5),
    )  # fmt: skip
    for ratio, printed in zip(ratios, (output, value, attention), strict=True):
        assert float(ratio) == pytest.approx(float(printed), rel=1e-3)


@pytest.mark.parametrize("at", [compositions.IN_ANOTHER_PLACE, compositions.BY_PARITY])
def test_corpora_that_share_the_basis_functions_and_no_attention(at: dict[Any, Any]) -> None:
    other = compositions.in_the_other(at)
    for basis in (bigram_map, context_map, interchangeability):
        assert basis(at) == basis(other)
    assert word_map(at) != word_map(other)
    assert (position_map(at) != position_map(other)) is (at is compositions.IN_ANOTHER_PLACE)


def test_pairs_of_words_in_each_two_places_do_not_fix_attention() -> None:
    at = compositions.BY_PARITY
    other = compositions.in_the_other(at)
    for first, second in combinations(range(3), 2):
        own, theirs = (
            Counter((text[first], text[second]) for text in tokens(corpus))
            for corpus in (at, other)
        )
        assert own == theirs
    assert word_map(other) == -word_map(at) == Matrix([[1, -1], [1, -1]]) / 20000


def test_words_as_frequent_in_a_context_differ_in_strength() -> None:
    texts = tuple(one_hot(text, 2) for text in ((0, 0), (1, 0), (1, 1)))
    at = {N: Integer(3), T: Integer(1), words: Integer(2), sequences: texts}
    share, entry, within = (
        [quantity.define_at(at, 1, word) for word in (1, 2)]
        for quantity in (average, context, in_context)
    )
    assert share == [Rational(1, 3), Rational(1, 3)] and within == [Rational(1, 2)] * 2
    assert entry == [Rational(1, 6), 0]


def test_a_token_whose_attention_does_not_predict_better() -> None:
    claim = attended.attended_tokens_predict_better_on_average
    at = claim.probes[0]
    assert attended.covariance.define_at(at, 2, 2) == Rational(-25, 995328)
    for norm in (attended.attention_map_norm, attended.position_map_norm):
        assert norm.define(at) == Rational(25, 5971968)
    assert claim.formula.truth(at) is True and claim.mutants[0].statement.truth(at) is False


def test_interchangeable_words_with_a_negative_entry() -> None:
    at = what_centring_makes_of_one_class.probes[0]
    assert interchangeability(at)[0, 1] == Rational(-1, 192)
    assert sigma_uncentred.define_at(at, 1, 2) == Rational(3, 64)
