"""Statements of ours on Wu et al.: what their notes say, and the sets and masks that they speak of."""

from __future__ import annotations

from random import Random

import pytest
from sympy import ImmutableDenseMatrix, Integer, Matrix, Rational

from claims.definitions import centring
from claims.masks import Mask, complete, star
from claims.wu2024.attracting import AT_IDENTITY, VALUE, layer, start
from claims.wu2024.coexistence import alternating, signs
from claims.wu2024.equilibria import i
from claims.wu2024.multipliers import (
    characteristic_polynomial,
    equilibria,
    farthest_multiplier,
    four_or_more,
    multiplier,
)
from claims.wu2024.notation import N, T, attention, w, x
from claims.wu2024.rates import own_bound
from claims.wu2024.setup import uniform_attention
from claims.wu2024.trajectory import decimals
from claims.wu2024.two_sources import NoCentre, apart
from claims.wu2024.varying_masks import changing_masks_collapse_exponentially, masks


def test_two_sets_attend_to_themselves_where_there_is_no_centre() -> None:
    rng = Random(0)
    for _ in range(200):
        mask = NoCentre(high=6).draw(rng, {})
        one, other = apart(mask)
        assert one and other and not one & other
        assert all(j in part for part in (one, other) for j, i in mask.edges if i in part)


def test_the_rate_of_one_mask_does_not_serve_two_in_turn() -> None:
    """P v >= 19/20 v, while 1 - epsilon^2 = 15/16; all layers have radius two, from token 1."""
    at = changing_masks_collapse_exponentially.probes[2]
    assert (at[T], {m.radius for m in at[masks]}) == (2, {2})
    assert all(1 in m.centre_nodes for m in at[masks])
    even, odd = map(Matrix, at[attention])
    moved, before = odd * even * at[x], at[x]
    assert moved[0] == 0 == before[0]
    assert all(a >= Rational(19, 20) * b for a, b in zip(moved, before, strict=True))
    assert Rational(19, 20) > 1 - Rational(1, 16)


def test_tokens_near_the_identity_come_back_to_it() -> None:
    """From corners of the box that the claim says is kept."""
    assert Matrix.eye(2) == AT_IDENTITY * VALUE
    for u, v in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        state = decimals(start(Integer(u), Integer(v)))
        for _ in range(60):
            state = layer(state)
        assert max(abs(state[0][1]), abs(state[1][0])) < 1e-20


def test_the_third_token_contracts() -> None:
    """Its two multipliers are conjugate, so that their product is |lambda|^2 = 1 - c^2 (1 - c)."""
    at = {N: Integer(3), i: Integer(3), w: Rational(5, 3), signs: alternating(3)}
    product, double = (
        characteristic_polynomial(equilibria.completed({**at, multiplier: Integer(value)}))
        for value in (0, 1)
    )
    c = Rational(4, 5)
    assert product == 1 - c**2 * (1 - c)
    trace = 1 + product - double
    assert trace**2 < 4 * product


def test_a_strongly_connected_mask_of_larger_diameter_has_the_smaller_bound() -> None:
    """The mask of the note on the trade-off: r = 2, epsilon = 1/3, beside the complete one on 18 tokens."""
    size = 18
    parents = {(1, k) for k in range(2, 6)} | {(2 + k % 4, k) for k in range(6, size + 1)}
    before = {(k - 1, k) for k in range(2, size + 1)} | {(size, 1)}
    loops = {(k, k) for k in range(1, size + 1)}
    mask = Mask("note", size, frozenset(parents | before | loops))
    assert mask.is_strongly_connected
    assert (mask.radius, mask.in_degree) == (2, 3)
    assert own_bound(mask) ** 2 == Rational(8, 9) < Rational(17, 18) ** 2
    assert own_bound(complete(size)) == Rational(17, 18)


def test_tokens_keep_their_rank_while_mu_falls() -> None:
    """The example of the note on Theorem 1, layer by layer."""
    attention_, value = uniform_attention(star(3)), ImmutableDenseMatrix.diag(1, 1, Rational(1, 8))
    tokens = ImmutableDenseMatrix([[0, 0, 1], [1, 0, 1], [0, 1, 1]])
    assert star(3).is_quasi_strongly_connected
    relative, spread, cosines = [], [], []
    for t in range(12):
        two, eight = Rational(1, 2**t), Rational(1, 8**t)
        assert tokens == ImmutableDenseMatrix([[0, 0, eight], [two, 0, eight], [0, two, eight]])
        assert tokens.rank() == 3
        gram, centred = tokens * tokens.T, centring(3) * tokens
        spread.append((centred * centred.T).trace())
        relative.append(spread[-1] / gram.trace())
        cosines.append(
            max(gram[a, b] ** 2 / (gram[a, a] * gram[b, b]) for a, b in ((0, 1), (1, 2)))
        )
        tokens = attention_ * tokens * value
    assert spread[-1] < Rational(1, 10**6) and cosines[-1] < Rational(1, 10**12)
    assert abs(relative[-1] - Rational(2, 3)) < Rational(1, 10**12)


def test_the_fourth_token_repels_by_the_root_of_two_for_large_w() -> None:
    """Its multipliers tend to 1 + roots of unity, or farther out."""
    q = Rational(99, 100)
    wide = {N: Integer(4), w: (1 + q**2) / (1 - q**2), signs: alternating(4)}
    found = farthest_multiplier.define(four_or_more.completed(wide))
    assert abs(float(found) - 2**0.5) < 1e-3
    with pytest.raises(ValueError, match="must be rational"):
        farthest_multiplier.define(four_or_more.completed({**wide, w: Integer(2)}))
