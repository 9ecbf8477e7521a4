"""The adversary: a search for a violation of what a claim asserts, over all that is left free.

The objective is the margin of the claim's own formula, the free arrays come from its domain.  What
is discrete is listed and drawn, small first; what is continuous climbs, by gradients where the sides
can be written out as terms, and by trial on the estimators' values elsewhere.  A violation is
rationalised with denominators as small as will do, shrunk entry by entry, and confirmed in exact
arithmetic from the claim's own definition.  A statement that survives reports how close to equality
it came, and where.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from random import Random
from time import perf_counter

import torch

from claims.domain import Point
from claims.exact import ORDERS
from claims.model import Claim
from claims.remote import remote_points
from claims.statement import Compare, Monotone, Predicate, is_measured
from claims.time_limits import searching
from claims.witness import fails, shrink
from numeric import device
from numeric.attacks import Attack, not_attackable, survived, violated
from numeric.climbs import MOST_LETTERS, climb, traced
from numeric.margins import Margin
from numeric.registry import STANDARD
from numeric.sampling import by_its_seed, generator, normal
from numeric.scenes import NO_VALUE, Judge, Scene

__all__ = ["Attack", "asserts_an_order", "attack", "not_attackable", "obstacle"]

ROUNDS = STANDARD.rounds
"""Rounds of an attack: counted, so that a seed gives one result."""
READINGS = 3000
"""Quantities that an audit's attack reads at most; one round is always finished."""
SMALLEST, DRAWN, ENLARGED = 24, 16, 4
"""Points of the first round, of every round, and of the rounds that look at large sizes."""
TRIALS, PLACES = 8, 4
"""Steps by trial from the best of a round and of all; twice as many from the best of a few places of
another scene, with the numbers of the statement held; in later rounds more."""
STARTS, CLIMBED, LETTERS = 32, 3, 16
"""Starts of a climb by gradients, how many are followed up, and the most numbers that move at large sizes."""
SCALES = (0.5, 2.0, 8.0)
"""Spreads of the starting points: bounds fail near zero, at order one, or far out."""
WIDTHS = math.log(0.02), math.log(2)
"""Of a step, by its logarithm: no width suits the middle of a domain and its boundary."""
CORNERS = (0.0, 0.0, 0.0, 1.0, 1.0, -1.0)
COARSE, FINE = 12, 1024
"""Denominators of points that are looked at."""
DENOMINATORS = (1, 2, 3, 4, 8, 16, 64, FINE)
CONFIRMATIONS = 4
"""Exact checks that may contradict the floats before larger margins are asked for."""
PATIENCE = 30.0
"""Seconds for one exact check, many times what any takes that decides."""
TOUCHING = 1e-9
"""Relative distance at which floats leave open whether sides are equal."""


def asserts_an_order(claim: Claim) -> bool:
    """Whether some part of the statement is an inequality."""
    parts = [part for part in claim.formula.walk() if isinstance(part, Compare | Monotone)]
    return any(
        getattr(part, "sign", None) in ORDERS or isinstance(part, Monotone) for part in parts
    )


def obstacle(claim: Claim) -> str | None:
    """Why a claim cannot be attacked, or None where it can."""
    if isinstance(claim.formula, Predicate):
        return "it is stated in words beside a test, so that there is no margin to climb"
    if not asserts_an_order(claim):
        return "it asserts no inequality; only inequalities are attacked"
    if any(map(is_measured, claim.formula.quantities())):
        return "it speaks of means over random networks, which have no exact value to confirm"
    if claim.left_open:
        return "the print leaves values open, and a failure at one choice of them refutes nothing"
    return None


@dataclass
class _Found:
    """A point that was looked at."""

    scene: Scene
    place: list[float]
    point: Point
    margin: Margin


class _Search:
    """One attack: the points looked at so far, and the closest."""

    def __init__(self, claim: Claim, seed: int, most: float, deadline: float):
        self.claim, self.seed, self.most, self.deadline = claim, seed, most, deadline
        self.judge = Judge(claim)
        self.starts = 0
        self.closest: _Found | None = None
        self.denied: list[float] = []

    @property
    def spent(self) -> bool:
        return self.judge.readings > self.most or perf_counter() > self.deadline

    # Rounds ----------------------------------------------------------------------------------------

    def round(self, number: int) -> Point | None:
        """Points of one round, and steps from the best and from another; a confirmed violation, if any."""
        rng = Random(f"{self.seed}/{self.claim.id}/{number}")
        seen: list[_Found] = []
        for candidate in self._candidates(number, rng):
            found = self._look(*candidate)
            violation = self._confirmed(found)
            if violation is not None:
                return violation
            if found is not None and found.place:
                seen.append(found)
            if self.spent and number:
                return None
        violation = self._at_large_sizes(number, rng) if number % 3 == 1 else None
        if violation is not None or not seen:
            return violation
        leader = max(seen, key=_margin)  # the first of equals, which is simpler
        violation, leader = self._climbed(leader, number) if number % 2 == 0 else (None, leader)
        if violation is not None:
            return violation
        trials = TRIALS * (1 + number // ROUNDS)
        # A bound may be nearly attained where a constant vanishes, and fail elsewhere.
        other = self._elsewhere(rng.choice(seen), rng, number)
        steps = [(leader, trials, False), (self.closest, trials, False), (other, 2 * trials, True)]
        for start, count, held in steps:
            violation = self._tried(start, count, rng, held=held) if start else None
            if violation is not None:
                return violation
        return None

    def _elsewhere(self, found: _Found, rng: Random, number: int) -> _Found:
        """The best of a few places of a scene, whatever else was found."""
        for _ in range(PLACES):
            other = self._look(*self._moved(found.point, rng, number))
            if other is not None and _above(other, found):
                found = other
        return found

    def _candidates(
        self, number: int, rng: Random
    ) -> Iterator[tuple[Scene, list[float], Point | None]]:
        """Small points and the claim's probes first, then drawn ones, as they are and moved."""
        domain = self.claim.domain
        if number == 0:
            yield from map(self._still, domain.smallest(SMALLEST))
            yield from map(self._still, self.claim.probes)
        for _ in range(DRAWN):
            try:
                point = domain.draw(rng)
            except ValueError:  # no admissible point in many draws
                return
            yield self._still(point)
            yield self._moved(point, rng, number)

    def _at_large_sizes(self, number: int, rng: Random) -> Point | None:
        """Large and remote points as they are, and what gradients reach from the closest to failing of them
        and from the largest."""
        domain, seen = self.claim.domain, list[_Found]()
        for point in chain(domain.enlarged(ENLARGED), remote_points(domain, rng)):
            if self.spent:
                return None
            found = self._look(Scene(self.claim, point, {}), [], point)
            violation = self._confirmed(found)
            if violation is not None:
                return violation
            scene = Scene.around(self.claim, point)
            if found is not None and 0 < scene.size <= LETTERS:
                seen.append(replace(found, scene=scene, place=scene.start))
        if not seen:
            return None
        closest, largest = max(seen, key=_margin), max(seen, key=lambda found: found.scene.size)
        for leader in [closest] if largest is closest else [closest, largest]:
            violation, _ = self._climbed(leader, number, LETTERS)
            if violation is not None:
                return violation
        return None

    def _still(self, point: Point) -> tuple[Scene, list[float], Point | None]:
        scene = Scene.around(self.claim, point)
        return scene, scene.start, point

    def _moved(
        self, point: Point, rng: Random, number: int
    ) -> tuple[Scene, list[float], Point | None]:
        """The same scene at random numbers, or with its arrays at a corner: axes, extreme weights."""
        scene, scale = Scene.around(self.claim, point), SCALES[number % len(SCALES)]
        place = [rng.gauss(0, scale) for _ in range(scene.size)]
        if rng.random() < 1 / 2:
            for k in (k for block in scene.blocks for k in block):
                place[k] = rng.choice(CORNERS)
        return scene, place, scene.at(place, COARSE) if place else None

    def _look(self, scene: Scene, place: list[float], point: Point | None) -> _Found | None:
        if point is None:
            return None
        self.starts += 1
        margin = self.judge(point)
        if margin is None:
            return None
        found = _Found(scene, place, point, margin)
        told = margin.atom is not None and bool(margin.left or margin.right)
        if told and margin.value <= 0 and (self.closest is None or _above(found, self.closest)):
            self.closest = found
        return found

    # Steps -----------------------------------------------------------------------------------------

    def _climbed(
        self, leader: _Found, number: int, most: int = MOST_LETTERS
    ) -> tuple[Point | None, _Found]:
        """A confirmed violation that gradients lead to, if any, and the best that they find."""
        scene = leader.scene
        objective = traced(scene, self.judge, most)
        if objective is None:
            return None, leader
        rng = generator(self.seed, "attack", self.claim.id, number)
        spread = normal(rng, STARTS, scene.size, std=SCALES[number % len(SCALES)])
        spread[: STARTS // 2] = torch.tensor(leader.place) + spread[: STARTS // 2] / 4
        places, margins = climb(objective, spread)
        self.starts += STARTS
        for k in margins.argsort(descending=True)[:CLIMBED].tolist():
            place = places[k].tolist()
            found = self._look(scene, place, scene.at(place, FINE))
            violation = self._confirmed(found)
            if violation is not None:
                return violation, leader
            if found is not None and _above(found, leader):
                leader = found
        return None, leader

    def _tried(self, current: _Found, trials: int, rng: Random, *, held: bool) -> Point | None:
        """Steps by trial; with the numbers of the statement held, arrays move only."""
        blocks = current.scene.blocks
        for _ in range(trials if current.place else 0):
            if self.spent:
                return None
            width = math.exp(rng.uniform(*WIDTHS))
            place = _step(current.place, blocks, width, rng, held=held)
            denominator = COARSE if width > 0.1 else FINE
            found = self._look(current.scene, place, current.scene.at(place, denominator))
            violation = self._confirmed(found)
            if violation is not None:
                return violation
            if found is not None and found.margin.value >= current.margin.value:
                current = found
        return None

    # Confirmation ----------------------------------------------------------------------------------

    def _confirmed(self, found: _Found | None) -> Point | None:
        """A violation that exact arithmetic confirms, in fractions as small as will do; or None.

        Floats may say so wrongly, and of a tie only that a strict order may fail.
        """
        if found is None or not _may_fail(found.margin):
            return None
        if len(self.denied) >= CONFIRMATIONS and found.margin.value <= 2 * max(self.denied):
            return None
        for denominator in DENOMINATORS if found.place and found.margin.value > TOUCHING else ():
            near = found.scene.at(found.place, denominator)
            if near is None or (margin := self.judge(near)) is None:
                continue
            if _may_fail(margin) and _fails(self.claim, near):
                return self._shrunk(near)
        if _fails(self.claim, found.point):
            return self._shrunk(found.point)
        self.denied.append(found.margin.value)
        return None

    def _shrunk(self, point: Point) -> Point:
        """By the floats, which are quick, and confirmed; where they are contradicted, not at all."""

        def still_fails(_: Claim, simpler: Point) -> bool:
            margin = self.judge(simpler)
            return margin is not None and margin.value > TOUCHING

        try:
            small = shrink(self.claim, point, still_fails)
        except NO_VALUE:  # the domain computes something that a simpler point leaves undefined
            return point
        return small if _fails(self.claim, small) else point


def _margin(found: _Found) -> float:
    return found.margin.value


def _may_fail(margin: Margin) -> bool:
    strict = margin.atom is not None and margin.atom.sign in {"<", ">"}
    return bool(margin.value >= (-TOUCHING if strict else TOUCHING))


def _above(found: _Found, other: _Found) -> bool:
    """Clearly closer to failing; of equals the first stays, which is the simpler one."""
    return found.margin.value > other.margin.value + 1e-6


def _step(
    place: Sequence[float], blocks: Sequence[range], width: float, rng: Random, *, held: bool
) -> list[float]:
    """All numbers moved, or those of one array, or one; or an array at a corner, a number simple."""
    moved, kind = list(place), rng.random()
    chosen = rng.choice(blocks) if blocks else range(len(place))
    anything = [k for block in blocks for k in block] if held and blocks else range(len(place))
    one = rng.choice(anything)
    if kind < 0.35:
        for k in anything if kind < 0.15 else chosen:
            moved[k] += rng.gauss(0, width)
    elif kind < 0.5:
        for k in chosen:
            moved[k] = rng.choice(CORNERS)
    elif kind < 0.8:
        moved[one] += rng.gauss(0, 2 * width)
    else:
        moved[one] = rng.choice((0.0, 1.0, -1.0, moved[rng.choice(anything)], -moved[one]))
    return moved


def _fails(claim: Claim, point: Point) -> bool:
    """Exactly, at an admissible point; what takes long is left, since a search may miss a violation."""
    with suppress(*NO_VALUE), searching(PATIENCE):
        return claim.domain.objection(point) is None and fails(claim, point)
    return False


@by_its_seed
@device.using(device.PROCESSOR)  # what is moved is small
def attack(
    claim: Claim, *, seed: int, rounds: float = ROUNDS, seconds: float = math.inf,
    readings: float = READINGS,
) -> Attack:  # fmt: skip
    """Attack a claim until a violation is confirmed exactly or its rounds are spent.

    With `seconds` the clock may end it earlier, and the result then depends on the machine.
    """
    reason = obstacle(claim)
    if reason is not None:
        raise ValueError(f"{claim.id}: cannot be attacked: {reason}")
    search = _Search(claim, seed, readings, perf_counter() + seconds)
    number = 0
    while number == 0 or (number < rounds and not search.spent):
        violation = search.round(number)
        if violation is not None:
            return violated(search.judge, violation, search.starts)
        number += 1
    closest = search.closest
    where = None if closest is None else (closest.point, closest.margin)
    return survived(search.judge, where, search.starts)
