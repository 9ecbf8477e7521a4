"""Statements of ours on Wu et al.: what their notes say, and the sets and masks that they speak of."""

from __future__ import annotations

from random import Random

from sympy import Integer, Matrix, Rational

from claims.wu2024.attracting import AT_IDENTITY, VALUE, layer, start
from claims.wu2024.coexistence import alternating, signs
from claims.wu2024.equilibria import i
from claims.wu2024.multipliers import characteristic_polynomial, equilibria, multiplier
from claims.wu2024.notation import N, T, attention, w, x
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
