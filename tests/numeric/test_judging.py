"""The judge of measurements, answer by answer: what fits, what is confused, when drawing ends."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import FrozenInstanceError

import pytest
import torch

from numeric.agreement import (
    CHUNK,
    NO_DIGIT,
    SAME,
    Candidate,
    Contest,
    Measured,
    compare,
    distance,
    draw_until_told,
    rounding,
    size,
)  # fmt: skip

EPS = torch.finfo(torch.float64).eps


def equals(value: object, name: str = "claim") -> Candidate:
    return Candidate(name, "=", (value,))


# Numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "estimate", "claimed", "width", "expected"),
    [
        ("=", 1.0, 1.0, 0.0, True),
        ("=", 1.5, 1.0, 0.5, True),  # at the end of the interval
        ("=", 0.5, 1.0, 0.5, True),
        ("=", 1.501, 1.0, 0.5, False),
        ("=", 0.499, 1.0, 0.5, False),
        ("<=", 1.5, 1.0, 0.5, True),
        ("<", 1.5, 1.0, 0.5, True),  # an interval cannot tell < from <=
        ("<=", 1.501, 1.0, 0.5, False),
        ("<", 1.501, 1.0, 0.5, False),
        ("<=", -9.0, 1.0, 0.0, True),
        (">=", 0.5, 1.0, 0.5, True),
        (">", 0.5, 1.0, 0.5, True),
        (">=", 0.499, 1.0, 0.5, False),
        (">", 0.499, 1.0, 0.5, False),
        (">=", 9.0, 1.0, 0.0, True),
        ("=", math.inf, math.inf, 0.0, True),
        ("=", math.inf, -math.inf, 1.0, False),
        ("<=", math.inf, 1.0, 5.0, False),
        (">=", math.inf, 1.0, 5.0, True),
        ("=", math.nan, math.nan, 9.0, False),
        ("<=", math.nan, 1.0, 9.0, False),
        (">=", 1.0, math.nan, 9.0, False),
    ],
)
def test_comparisons(
    relation: str, estimate: float, claimed: float, width: float, expected: bool
) -> None:
    assert compare(relation, estimate, claimed, width) is expected
    array = torch.tensor([claimed, estimate], dtype=torch.float64)
    other = torch.tensor([claimed, claimed], dtype=torch.float64)
    if not math.isnan(claimed):
        assert compare(relation, array, other, width) is expected  # one bad entry is enough
    assert compare(relation, (estimate, 1.0), (claimed, 1.0), width) is expected
    assert compare(relation, (1.0, estimate), (1.0, claimed), width) is expected


def test_shapes_must_be_the_same_but_a_number_stands_for_all() -> None:
    two = torch.tensor([1.0, 1.0], dtype=torch.float64)
    assert compare("=", two, 1.0, 0.0) and compare("=", 1.0, two, 0.0)
    assert not compare("=", two, torch.ones(1, dtype=torch.float64), 0.0)
    assert not compare("=", two, torch.ones(2, 2, dtype=torch.float64), 9.0)
    for short in ((1.0,), ()):
        assert not compare("=", (1.0, 2.0), short, 9.0)
        assert not compare("=", short, (1.0, 2.0), 9.0)


def test_sizes_and_distances() -> None:
    assert size(-3.0) == 3.0 and size(()) == 0.0 and size((1.0, (-4.0, 2.0))) == 4.0
    assert size(torch.tensor([[1.0, -5.0], [2.0, 3.0]])) == 5.0
    assert distance(1.0, 3.5) == 2.5 and distance(3.5, 1.0) == 2.5
    assert distance((1.0, 5.0), (2.0, 2.0)) == 3.0 and distance((), ()) == 0.0
    assert distance(torch.zeros(2), torch.tensor([1.0, -7.0])) == 7.0
    assert (
        distance(1.0, torch.tensor([1.0, -7.0])) == distance(torch.tensor([1.0, -7.0]), 1.0) == 8.0
    )
    for first, second in (
        ((1.0,), (1.0, 2.0)), (1.0, ((1.0, 2.0), 3.0)), (torch.ones(2), torch.ones(1)),
        (torch.zeros(2), torch.zeros(3)), ("x", 1.0), (1.0, [[1.0, 2.0], [3.0]]),
    ):  # fmt: skip
        assert distance(first, second) == math.inf


def test_rounding_grows_with_size_and_operations() -> None:
    assert rounding() == 1000 * EPS
    assert rounding(3.0) == 1000 * EPS * 3 and rounding(-3.0, 2.0) == rounding(
        2.0, torch.tensor([-3.0])
    )
    assert rounding(1.0, operations=7) == 7 * EPS
    assert rounding(0.0) == 1000 * EPS * 1e-300


def test_a_measurement_without_an_error_is_exact() -> None:
    assert Measured(1).error == 0.0
    for record, name in (
        (Measured(1), "error"),
        (equals(1.0), "relation"),
        (Contest(equals(1.0)), "drawn"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, 5)


# Statements at a point ----------------------------------------------------------------------------


def test_every_side_must_fit() -> None:
    both = Candidate("claim", "=", (1.0, 2.0))
    assert not both.fits(1.0, 0.5) and not both.fits(2.0, 0.5) and both.fits(1.5, 0.5)


def test_saying_the_same_is_a_matter_of_rounding() -> None:
    assert equals(1.0).says_the_same(equals(1.0 + SAME / 2))
    assert not equals(1.0).says_the_same(equals(1.0 + 3 * SAME))
    assert equals(1e6).says_the_same(equals(1e6 + 1e6 * SAME / 2))
    assert not equals(1e6).says_the_same(equals(1e6 + 3e6 * SAME))
    assert equals(-1e6).says_the_same(equals(-1e6 - 1e6 * SAME / 2))
    assert equals(0.0).says_the_same(equals(NO_DIGIT / 2))
    assert not equals(0.0).says_the_same(equals(3 * NO_DIGIT))
    assert equals(1e-70).says_the_same(equals(0.0))
    chain = Candidate("chain", "=", (1.0, 2.0))
    assert equals(1.0).says_the_same(chain) and not equals(2.0).says_the_same(chain)
    assert not chain.says_the_same(equals(1.0)) and not chain.says_the_same(equals(2.0))


# A contest ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "width", "status"),
    [
        (1.0, 0.1, "agrees"),
        (1.05, 0.1, "agrees"),
        (1.0, 0.6, "underpowered"),  # 1.5 is left
        (1.2, 0.1, "disagrees"),
        (1.5, 0.1, "disagrees"),  # the rival is right
        (1.25, 0.3, "underpowered"),
    ],
)
def test_status_of_an_equality(value: float, width: float, status: str) -> None:
    assert Contest.among(1.0, 1.5, 3.0).status(value, width) == status


def test_a_contest_among_numbers_names_them() -> None:
    contest = Contest.among(1.0, 1.5, 3.0)
    assert contest.claim == equals(1.0) and [r.name for r in contest.rivals] == ["1.5", "3"]
    assert [r.sides for r in contest.rivals] == [(1.5,), (3.0,)] and contest.drawn
    assert {r.relation for r in contest.rivals} == {"="}


def test_the_nearest_is_named() -> None:
    contest = Contest(
        equals(1.0), (equals(3.0, "far"),), (equals(0.5, "near"), equals(4.0, "most"))
    )
    found = contest.confused(1.0, 5.0)
    assert found is not None and found.name == "near"
    assert contest.confused(1.0, 0.4) is None
    links = Contest(
        Candidate("claim", "=", (1.0, 2.0)), (equals(1.9, "last"), equals(0.9, "first"))
    )
    found = links.confused(1.5, 1.0)
    assert found is not None and found.name == "first"


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_an_interval_of_two_hundredths_has_power(value: float) -> None:
    contest = Contest(equals(value), variants=(equals(value * 1.001, "near"),))
    assert contest.confused(value, 0.02) is None
    assert contest.confused(value, 0.0201) is not None


def test_what_is_computed_has_power_where_nothing_else_is_said() -> None:
    """As far as it is exact but for rounding: a wide half-width says that something was drawn, or bounded."""
    assert Contest(equals(1.0), drawn=False).status(1.0, 1e-7) == "agrees"
    assert Contest(equals(0.0), drawn=False).status(0.0, 1e-7) == "agrees"
    assert Contest(equals(1.0), drawn=False).status(1.0, 0.5) == "underpowered"
    assert Contest(equals(1.0), drawn=True).status(1.0, 0.5) == "underpowered"
    near = Contest(equals(1.0), (equals(1.2, "near"),), drawn=False)
    assert near.status(1.0, 0.5) == "underpowered"
    alone = Contest(equals(1.0)).confused(1.0, 0.5)
    assert alone == Candidate("anything near", "=", (1.0,))


@pytest.mark.parametrize(
    ("sign", "converse"), [("<=", ">="), ("<", ">="), (">=", "<="), (">", "<=")]
)
def test_a_bound_is_told_from_its_converse_only(sign: str, converse: str) -> None:
    tight = Candidate("tighter", sign, (1.0,))
    contest = Contest(Candidate("claim", sign, (1.0,)), (tight,), (tight,))
    inside = 0.0 if sign.startswith("<") else 2.0
    assert contest.status(inside, 0.5) == "agrees" and contest.told(inside, 0.5)
    assert contest.status(1.0, 0.5) == "underpowered" and not contest.told(1.0, 0.5)
    found = contest.confused(1.0, 0.5)
    assert found == Candidate("the converse", converse, (1.0,))
    assert contest.status(2.0 - inside, 0.5) == "disagrees"
    computed = Contest(contest.claim, (tight,), drawn=False)
    assert computed.status(1.0, 1e-7) == "agrees" and computed.status(1.0, 0.5) == "underpowered"
    assert computed.status(inside, 0.5) == "agrees"


def test_no_more_is_asked_of_a_chain_of_bounds_than_each_converse() -> None:
    claim = Candidate("claim", "<=", (1.0, 5.0))
    found = Contest(claim).confused(1.2, 0.5)
    assert found is not None and found.sides == (1.0,)
    assert Contest(claim).confused(0.2, 0.5) is None


# When drawing ends --------------------------------------------------------------------------------


def test_drawing_goes_on_until_each_rival_is_excluded() -> None:
    contest = Contest.among(1.0, 1.01)
    assert contest.status(1.0, 0.015) == "agrees"  # short, and yet the rival is left
    assert not contest.told(1.0, 0.015) and contest.told(1.0, 0.009)
    same = Contest(equals(1.0), (equals(1.0, "same"),), (equals(2.0, "far"),))
    assert same.told(1.0, 0.5)
    machine = Contest(equals(1.0), variants=(equals(1.01, "near"),))
    assert machine.told(1.0, 0.015) and not machine.told(1.0, 0.03)


def test_after_the_claim_is_excluded_the_rest_is_told_by_a_fourth_of_the_gap() -> None:
    contest = Contest.among(1.0, 1.5, 4.0)
    assert not contest.claim.fits(1.4, 0.125) and not contest.told(1.4, 0.125)
    assert contest.told(1.4, 0.09) and contest.told(1.45, 0.12)
    assert contest.told(2.5, 0.9)  # none is left
    bound = Contest(Candidate("claim", "<=", (1.0,)), (Candidate("tighter", "<=", (0.5,)),))
    assert bound.told(3.0, 1.5)


def draws(values: list[float]) -> tuple[list[range], object]:
    """A source of chunks of constants around a value, and the ranges that were asked for."""
    asked: list[range] = []

    def draw(chunks: range) -> Iterator[torch.Tensor]:
        asked.append(chunks)
        for chunk in chunks:
            noise = torch.linspace(-1, 1, CHUNK, dtype=torch.float64)
            yield values[0] + noise * (1 + chunk / 1000)

    return asked, draw


def test_the_sample_doubles_until_the_cap() -> None:
    asked, draw = draws([1.0])
    looks: list[tuple[int, float, float]] = []
    contest = Contest.among(1.0, 1.0 + 1e-6)
    estimate, width = draw_until_told(
        draw,
        contest,
        1e-9,
        8 * CHUNK,
        lambda *look: looks.append(look),  # type: ignore[arg-type]
    )
    assert asked == [range(0, 1), range(1, 2), range(2, 4), range(4, 8)]
    assert estimate.samples == 8 * CHUNK
    assert [samples for samples, _, _ in looks] == [CHUNK, 2 * CHUNK, 4 * CHUNK, 8 * CHUNK]
    assert looks[-1] == (8 * CHUNK, estimate.mean, width) and width == estimate.half_width(1e-9)
    asked, draw = draws([1.0])
    draw_until_told(draw, contest, 1e-9, 8 * CHUNK - 1)  # type: ignore[arg-type]
    assert asked == [range(0, 1), range(1, 2), range(2, 4)]


def test_drawing_ends_where_all_is_told() -> None:
    asked, draw = draws([1.0])
    _, width = draw_until_told(draw, Contest.among(1.0, 9.0), 1e-9, 2**20)  # type: ignore[arg-type]
    assert asked == [range(0, 1)] and width < 8
    small, _ = draw_until_told(draw, Contest.among(1.0, 9.0), 1e-9, 0, chunk=1)  # type: ignore[arg-type]
    assert small.samples == CHUNK


def test_a_budget_has_no_default_and_less_of_it_a_longer_interval() -> None:
    _, draw = draws([1.0])
    _, wide = draw_until_told(draw, Contest.among(1.0, 9.0), 1e-12, 0)  # type: ignore[arg-type]
    _, short = draw_until_told(draw, Contest.among(1.0, 9.0), 1e-3, 0)  # type: ignore[arg-type]
    assert wide > short > 0
