"""Tokens under value matrices that differ from layer to layer, from the definition and measured."""

from __future__ import annotations

from random import Random

import pytest
from sympy import ImmutableDenseMatrix, Integer, Rational

from claims.errors import OnlyMeasured
from claims.masks import complete
from claims.terms import value_of
from claims.wu2024 import cosines, sphere, sphere_limits, walks
from claims.wu2024.cone import direction
from claims.wu2024.notation import G, X, attention, d
from claims.wu2024.setup import Periodic
from claims.wu2024.turns import values
from numeric.wu2024 import cosines as measured_cosines
from numeric.wu2024 import sphere_limits as measured
from numeric.wu2024 import walks as measured_walks

ONE = ImmutableDenseMatrix.eye(2)
MIRROR = ImmutableDenseMatrix([[1, 0], [0, -1]])
QUARTER = ImmutableDenseMatrix([[0, 1], [-1, 0]])
SLANTED = ImmutableDenseMatrix([[3, 4], [-4, 3]]) / 5
"""Turns by an angle that is no rational share of a full one."""
EVEN = ImmutableDenseMatrix([[1, 1], [1, 1]]) / 2
STICKY = ImmutableDenseMatrix([[3, 1], [1, 3]]) / 4
TOKENS = ImmutableDenseMatrix([[1, 0], [Rational(4, 5), Rational(-3, 5)]])
COMMON = (0.9486832980505138, -0.3162277660168379)


def under(*turns, layer=EVEN):
    """Two tokens under value matrices that are used in turn; uniform attention merges them at once."""
    return sphere_limits.collapsing_tokens.completed(
        {
            G: complete(2), d: Integer(2), attention: Periodic((layer,) * 2), X: TOKENS,
            direction: ImmutableDenseMatrix([[1, 0]]), values: Periodic(turns),
        }
    )  # fmt: skip


STEPS = [
    ((ONE, ONE), 0.0),
    ((MIRROR, MIRROR), 2 * -COMMON[1]),
    ((ONE, MIRROR), 2 * -COMMON[1]),
    ((-ONE, ONE), 2.0),
    ((QUARTER, QUARTER.T), 2**0.5),
    ((QUARTER, -QUARTER), 2**0.5),
]


@pytest.mark.parametrize(("turns", "step"), STEPS)
def test_the_longest_lasting_step_is_exact_where_the_matrices_bring_tokens_back(turns, step):
    point = under(*turns)
    exact = value_of(sphere_limits.lasting_move, point)
    assert float(exact) == pytest.approx(step, abs=1e-12)
    found = measured.lasting_move(point)
    assert found.value == pytest.approx(step, abs=1e-9) and found.error < 1e-9


def test_steps_that_never_repeat_are_bounded_from_both_sides():
    point = under(SLANTED, ONE)
    with pytest.raises(OnlyMeasured):
        value_of(sphere_limits.lasting_move, point)
    found, length = measured.lasting_move(point), (4 / 5) ** 0.5
    assert abs(found.value - length) <= found.error and found.value - found.error > length / 2


FAMILIES = [
    (sphere_limits.uneven_norms, measured.uneven_norms, (3,)),
    (sphere_limits.mixed, measured.norm_of_the_mixture, (3,)),
    (sphere_limits.from_inverse, measured.distance_to_inverse, (3,)),
    (sphere_limits.turned_move, measured.turned_move, (0, 1)),
    (sphere_limits.turned_move, measured.turned_move, (1, 2)),
    (sphere_limits.spread_after, measured.spread_after, (3,)),
]


@pytest.mark.parametrize(
    ("quantity", "measure", "layers"), FAMILIES, ids=[f"{m.__name__}-{at}" for _, m, at in FAMILIES]
)
def test_each_layer_is_turned_by_its_own_matrix(quantity, measure, layers):
    point = under(SLANTED, MIRROR, layer=STICKY)
    exact = value_of(quantity(*map(Integer, layers)), point)
    assert measure(point, *layers).value == pytest.approx(float(exact), abs=1e-9)


def test_tokens_turned_back_do_not_see_the_value_matrices():
    turned = under(SLANTED, MIRROR, layer=STICKY)
    plain = under(ONE, ONE, layer=STICKY)
    for layers in ((0, 1), (1, 2), (2, 3)):
        moves = [measured.turned_move(point, *layers).value for point in (turned, plain)]
        assert moves[0] == pytest.approx(moves[1], abs=1e-12) and moves[0] > 0


def acute(*turns):
    """Two layers of acute tokens."""
    point = cosines.leaves(3, 2)
    rows = ImmutableDenseMatrix([[1, 0], [Rational(4, 5), Rational(3, 5)], [0, 1]])
    return {**point, X: rows, d: Integer(2), values: turns}


@pytest.mark.parametrize(
    ("quantity", "measure"),
    [
        (cosines.phi_now, measured_cosines.least_cosine),
        (walks.product_after(2, 3), lambda at: measured_walks.product_after_all_layers(at, 2, 3)),
    ],
    ids=["least cosine", "product"],
)
def test_cosines_see_no_orthogonal_matrix_and_see_each_other_one(quantity, measure):
    plain, turned, stretched = (
        float(value_of(quantity, acute(*turns)))
        for turns in ((ONE, ONE), (SLANTED, MIRROR), (ONE, ImmutableDenseMatrix.diag(1, 8)))
    )
    assert turned == pytest.approx(plain, abs=1e-12)
    assert abs(stretched - plain) > 0.01
    for turns, exact in (
        ((SLANTED, MIRROR), turned),
        ((ONE, ImmutableDenseMatrix.diag(1, 8)), stretched),
    ):
        assert measure(acute(*turns)).value == pytest.approx(exact, abs=1e-9)


def test_the_matrices_of_a_drawn_point_differ_from_layer_to_layer():
    point = sphere.tokens_in_a_hemisphere_collapse_exponentially.domain.draw(Random(0))
    assert isinstance(point[values], Periodic) and len(set(point[values])) == 2
    assert all(w * w.T == ImmutableDenseMatrix.eye(w.rows) for w in point[values])
    several = [at[values] for at in (cosines.centred_tokens.draw(Random(n)) for n in range(8))]
    assert any(len(set(turns)) > 1 for turns in several)
    for turns in several:
        assert all(w * w.T == ImmutableDenseMatrix.eye(w.rows) for w in turns)
