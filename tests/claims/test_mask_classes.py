"""Classes of masks by examples: what belongs to them, and where searches begin."""

from __future__ import annotations

from random import Random

import pytest
from sympy import Symbol

from claims.domain import Choice, Domain
from claims.mask_classes import MasksLike
from claims.masks import Mask, causal, complete, cycle, one_directional, sliding_window, star
from proofs.conclude import contained

G = Symbol("G")
CENTRED = MasksLike(G, (causal(2), star(3), sliding_window(3)))
CONNECTED = MasksLike(G, (complete(2), sliding_window(3)))
SWAP = Mask("swap", 2, frozenset({(1, 2), (2, 1)}))


@pytest.mark.parametrize("mask", [star(6), star(16), complete(5), one_directional(4)])
def test_larger_masks_with_the_traits_of_the_examples_belong(mask: Mask) -> None:
    assert CENTRED.objection(mask, {}) is None


@pytest.mark.parametrize(
    ("masks", "mask"),
    [(CENTRED, SWAP), (CONNECTED, star(3)), (CONNECTED, causal(3)), (CONNECTED, 3)],
)
def test_what_lacks_a_trait_does_not_belong(masks: MasksLike, mask: object) -> None:
    assert "must have what" in str(masks.objection(mask, {}))


def test_examples_are_what_is_drawn() -> None:
    assert all(CENTRED.draw(Random(seed), {}) in CENTRED.values for seed in range(9))
    assert [next(CENTRED.of_weight(k, {})) for k in range(3)] == list(CENTRED.values)


def test_a_class_does_not_lie_in_the_list_of_its_examples() -> None:
    """A theorem that was shown for listed masks must not conclude for the class."""
    alike, listed = Domain((CENTRED,)), Domain((Choice(G, CENTRED.values),))
    assert not contained(alike, listed) and contained(listed, alike)
    assert contained(Domain((MasksLike(G, CENTRED.values[:2]),)), alike)


def test_cycles_are_no_stars() -> None:
    assert MasksLike(G, (star(3), star(4))).objection(cycle(4), {}) is not None
