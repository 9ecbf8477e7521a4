"""Where a variant of a claim can fail, and points that lead there.

A variant differs from its claim in one place.  Where the claim is proved, its variant fails only where
the two say something else: at a point that only a wider domain admits, or where a changed side has
another value.  To see that costs no definition, so that a definition is asked where it can tell.

What is said here decides nothing: a point is a witness if the statement fails there exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from math import isfinite, prod
from random import Random
from typing import Any

from sympy import Expr, Rational, ceiling, floor, log, oo, sympify
from sympy.core.function import AppliedUndef

from claims import exact
from claims.domain import Array, Choice, Computed, Domain, Point, Real, Scaled, Size
from claims.edits import ZEROS
from claims.errors import UNDEFINED
from claims.exact import ORDERS
from claims.model import Claim
from claims.row_weights import RowWeights
from claims.statement import And, Compare, Exists, ForAll, Formula, Implies, Not, Or
from claims.terms import value_of
from claims.time_limits import searching

__all__ = ["climbed", "corners", "decisive", "may_fail", "stretched"]

STRETCHED, DRAWING = 400, 0.5
"""The largest product of the sizes of such a point, and the seconds that drawing it may take."""
CLIMBED = 240
"""Places at which a climb asks how near a statement is to failing."""
STARTS, BESIDE = 3, 24
"""Starts of a climb, the nearest to failing first; neighbours of a point, where none is known to be."""
NEAR_END, FINE = Rational(1, 64), 2**20
"""How near to an open end of a range a value is put, as a share; the denominator near an irrational one."""
FACTORS = tuple(Rational(*f) for f in ((1, 16), (16, 1), (1, 2), (2, 1)))
STEPS, FAR, DRAWN = (1, 4, -1), 16, 4
"""By how much a size is moved; by how many times, where nothing grows with it; draws of other kinds."""
SAID = (Size, Real, Choice, Array, Scaled)
"""Kinds of variables that admit whatever they do not object to, besides ranges and weights of rows."""
AT_END = Rational(1, 1000)
"""How near to an end of its range a number is at that end, as a share: there it stays as the range moves."""


# --- where the two statements say something else --------------------------------------------------


def may_fail(twin: Claim) -> Callable[[Point], bool]:
    """Whether a variant may fail at a point, if its claim holds wherever it is asserted."""
    claim = twin.base
    assert claim is not None
    before, after = claim.formula, twin.formula
    variables = [v for v in claim.domain.variables if v not in twin.domain.variables]
    conditions = [c for c in claim.domain.conditions if c not in twin.domain.conditions]

    def asked(point: Point) -> bool:
        try:
            return (
                any(v.objection(point[v.symbol], point) is not None for v in variables)
                or not all(c.holds(point) for c in conditions)
                or _told_apart(before, after, point)
            )
        except UNDEFINED:
            return True

    return asked


def _told_apart(before: Any, after: Any, at: Point) -> bool:
    """Whether two formulas of one form differ in a side that has another value, or in anything else."""
    if before is after or before == after:
        return False
    if type(before) is not type(after):
        return True
    if isinstance(before, Compare):
        return before.sign != after.sign or any(
            _another(*sides, at)
            for sides in ((before.left, after.left), (before.right, after.right))
        )
    if isinstance(before, And | Or):
        pairs = list(zip(before.formulas, after.formulas, strict=False))
        same_count = len(before.formulas) == len(after.formulas)
        return not same_count or any(_told_apart(b, a, at) for b, a in pairs)
    if isinstance(before, Not):
        return _told_apart(before.body, after.body, at)
    if isinstance(before, Implies):
        parts = ((before.premise, after.premise), (before.conclusion, after.conclusion))
        return any(_told_apart(*pair, at) for pair in parts)
    if isinstance(before, ForAll | Exists):
        if (before.index, before.low, before.high) != (after.index, after.low, after.high):
            return True
        return any(
            inner is not None and _told_apart(before.body, after.body, inner)
            for inner in ForAll(before.index, before.low, before.high, before.body).instances(at)
        )
    return True


def _another(before: Any, after: Any, at: Point) -> bool:
    """Whether a side has another value; what a definition would have to say may be anything."""
    if before is after or before == after:
        return False
    if any(map(_reads, (before, after))):
        return True
    return exact.agree(value_of(before, at), value_of(after, at)) is not True


def _reads(term: Any) -> bool:
    """Whether a definition has to be asked for the value of a term."""
    if isinstance(term, tuple):
        return any(map(_reads, term))
    if not isinstance(term, Expr):
        return True
    return bool(term.has(AppliedUndef)) or any(hasattr(s, "define") for s in term.free_symbols)


def decisive(before: Any, after: Any) -> bool:
    """Whether a variant fails wherever a changed side has another value: equations, said of all."""
    if type(before) is not type(after):
        return False
    if isinstance(before, Compare):
        sides = ((before.left, after.left), (before.right, after.right))
        changed = [pair for pair in sides if pair[0] != pair[1]]
        equations = before.sign == after.sign == "="
        return equations and len(changed) == 1 and not any(map(_reads, changed[0]))
    if isinstance(before, ForAll):
        same = (before.index, before.low, before.high) == (after.index, after.low, after.high)
        return same and decisive(before.body, after.body)
    if isinstance(before, And) and len(before.formulas) == len(after.formulas):
        pairs = zip(before.formulas, after.formulas, strict=True)
        return all(decisive(b, a) for b, a in pairs if b != a)
    return False


# --- how near a statement is to failing -----------------------------------------------------------


def _margin(before: Any, after: Any, at: Point) -> float | None:
    """How far the changed comparisons are beyond what they bound, as a share; None where none is.

    Of a claim, where there is nothing before, all comparisons count.
    """
    if before is after or before == after:
        return None
    if isinstance(after, Compare):
        return _excess(after, at)
    if before is not None and type(before) is not type(after):
        return None
    if isinstance(after, And | Or):
        earlier = getattr(before, "formulas", (None,) * len(after.formulas))
        if len(earlier) == len(after.formulas):
            pairs = zip(earlier, after.formulas, strict=True)
            return _greatest(_margin(b, a, at) for b, a in pairs)
    if isinstance(after, Implies):
        if after.premise.truth(at) is False:
            return -1.0
        return _margin(getattr(before, "conclusion", None), after.conclusion, at)
    if isinstance(after, ForAll):
        return _greatest(
            _margin(getattr(before, "body", None), after.body, inner)
            for inner in after.instances(at)
            if inner is not None
        )
    return None


def _greatest(margins: Iterator[float | None]) -> float | None:
    return max((margin for margin in margins if margin is not None), default=None)


def _orders(formula: Formula) -> bool:
    return any(isinstance(part, Compare) and part.sign in ORDERS for part in formula.walk())


def _excess(comparison: Compare, at: Point) -> float | None:
    if comparison.sign not in ORDERS:
        return None
    left, right = (float(value_of(side, at)) for side in (comparison.left, comparison.right))
    excess = left - right if comparison.sign in {"<=", "<"} else right - left
    scale = abs(left) + abs(right)
    if not isfinite(scale):
        return None
    return excess / scale if scale else -1.0  # where both vanish, no step leads anywhere


# --- points ---------------------------------------------------------------------------------------


def corners(domain: Domain) -> Iterator[Point]:
    """A few small points with every real number at, or near, its upper end, then its lower one."""
    if not any(map(_is_range, domain.variables)):
        return
    for point in islice(domain.smallest(), STARTS):
        for place in (1, 0):
            made = _rebuilt(domain, point, lambda v, at, place=place: _end(v, at, place), Random(0))  # type: ignore[misc]
            if made is not None:
                yield made


def stretched(domain: Domain, steps: int) -> Iterator[Point]:
    """Points with one size so many steps above its least, the others at it or a step above; then all.

    Where one takes long to draw, there are no others.
    """
    sizes = [v for v in domain.variables if isinstance(v, Size)]
    chosen = [
        {v.symbol: v.low + (steps if v is own else others) for v in sizes}
        for others in (0, 1)
        for own in sizes
    ]
    for each in (*chosen, {v.symbol: v.low + steps for v in sizes}):
        if prod(max(1, int(size)) for size in each.values()) <= STRETCHED:
            point, drawn = None, False
            with searching(DRAWING):
                point, drawn = domain.at_sizes(each), True
            if not drawn:
                return
            if point is not None:
                yield point


def climbed(
    claim: Claim, starts: Iterable[Point], suspect: Callable[[Point], bool]
) -> Point | None:
    """A point at which a claim or a variant fails, by small steps from the starts nearest to it.

    What stands beside others is climbed by itself: a part whose sides are equal somewhere would hide how
    near the others are to failing.
    """
    if claim.base is not None:
        return _Climb(claim, claim.base.formula, claim.formula, suspect)(starts)
    whole = claim.formula
    parts = [part for part in whole.formulas if _orders(part)] if isinstance(whole, And) else []
    points = list(starts)
    climbs = (_Climb(claim, None, part, suspect)(points) for part in parts or [whole])
    return next((found for found in climbs if found is not None), None)


@dataclass
class _Climb:
    """A climb towards a failure, one variable at a time; it asks at so many places and no more."""

    claim: Claim
    before: Formula | None
    after: Formula
    suspect: Callable[[Point], bool]
    left: int = CLIMBED

    def __call__(self, starts: Iterable[Point]) -> Point | None:
        heights = ((self._height(point), point) for point in starts)
        known = [(height, point) for height, point in heights if height is not None]
        if not known:
            return self._beside()
        known.sort(key=lambda pair: -pair[0])
        level = [pair for pair in known if pair[0] >= 0]  # sides may be equal at the least sizes
        below = [pair for pair in known if pair[0] < 0]
        climbs = (self._from(*pair) for pair in (*level[:1], *below)[:STARTS])
        return next((found for found in climbs if found is not None), None)

    def _from(self, height: float, point: Point) -> Point | None:
        """Up from a point, while some neighbour is higher."""
        higher: tuple[float, Point] | None = height, point
        while higher is not None:
            height, point = higher
            higher = None
            for beside in _neighbours(self.claim.domain, point):
                if self.left <= 0:
                    return None
                reached = self._height(beside)
                if reached is not None and reached >= 0 and self.suspect(beside):
                    return beside
                if reached is not None and reached > height:
                    higher = reached, beside
                    break
        return None

    def _beside(self) -> Point | None:
        """A failure among the neighbours of points, where nothing says which are nearer to one."""
        domain = self.claim.domain
        points = chain(islice(domain.smallest(), STARTS), islice(stretched(domain, ZEROS), STARTS))
        beside = (islice(_neighbours(domain, point), BESIDE) for point in points)
        told = may_fail(self.claim) if self.before is not None else None
        candidates = filter(told, chain.from_iterable(beside))
        return next(filter(self.suspect, islice(candidates, CLIMBED)), None)

    def _height(self, point: Point) -> float | None:
        self.left -= 1
        try:
            return _margin(self.before, self.after, point)
        except UNDEFINED:
            return None


def _neighbours(domain: Domain, point: Point) -> Iterator[Point]:
    """Admissible points with all numbers scaled, or one variable moved, and what it determines again."""
    choices = chain(_scaled(point), _one_moved(domain, point))
    for choose, seed in choices:
        made = _rebuilt(domain, point, choose, Random(seed))
        if made is not None and made != point:
            yield made


Choose = Callable[[Any, Point], Any]
"""The new value of a variable at the point so far; None for the one that it has, or for any."""


def _scaled(point: Point) -> Iterator[tuple[Choose, int]]:
    """Every number and matrix times one factor: where powers of them are compared."""
    for factor in FACTORS:

        def choose(variable: Any, at: Point, factor: Any = factor) -> Any:
            kind = type(variable) in (Array, Scaled) or isinstance(variable, RowWeights)
            scales = kind or _is_range(variable)
            return point[variable.symbol] * factor if scales else None

        yield choose, 0


def _one_moved(domain: Domain, point: Point) -> Iterator[tuple[Choose, int]]:
    """One variable moved; one that is not moved, but drawn, is drawn several times."""
    scalar = all(isinstance(v, Size | Real | Choice | Computed) for v in domain.variables)
    for variable in domain.variables:
        others = chain(_moved(variable, point), _nearer(variable, domain, point))
        if scalar and type(variable) is Size and variable.reach is None:
            others = chain(others, (FAR * point[variable.symbol],))
        for value in others:
            yield (lambda v, at, own=variable, new=value: new if v is own else None), 0  # type: ignore[misc]
        if not _is_said(variable) and not isinstance(variable, Computed):
            for seed in range(1, DRAWN + 1):
                rng = Random(seed)
                yield (
                    lambda v, at, own=variable, rng=rng: v.draw(rng, at) if v is own else None,  # type: ignore[misc]
                    seed,
                )


def _moved(variable: Any, point: Point) -> Iterator[Any]:
    """Other values of a variable, of a kind that admits all that it does not object to."""
    value = point[variable.symbol]
    if type(variable) is Size:
        reach = variable.enlarged(2 * variable.high) if variable.reach is None else variable.reach
        yield from (value + k for k in STEPS if variable.low <= value + k <= max(reach, value))
    elif _is_range(variable):
        yield from (end for place in (1, 0) if (end := _end(variable, point, place)) is not None)
        yield from (value * factor for factor in FACTORS)
    elif type(variable) is Choice:
        yield from (other for other in variable.values[:STARTS] if other != value)
    elif type(variable) in (Array, Scaled):
        yield from (value * factor for factor in FACTORS)
        if value.rows > 1:
            yield type(value)(*value.shape, lambda row, column: value[0, column])


def _nearer(variable: Any, domain: Domain, point: Point) -> Iterator[Any]:
    """Values of a real variable near those of the others."""
    if _is_range(variable):
        others = (point[v.symbol] for v in domain.variables if isinstance(v, Real))
        yield from (other + (point[variable.symbol] - other) * NEAR_END for other in others)


def _end(variable: Any, at: Point, place: int) -> Any | None:
    """A rational number at an end of the range of a real variable, or near one that is open."""
    if not _is_range(variable):
        return None
    ends = variable.ends(at)
    if any(end in (oo, -oo) for end in ends):
        return (
            None
            if ends[place] in (oo, -oo) or _is_open(variable, place)
            else _inside(ends[place], place)
        )
    low, high = (_inside(end, k) for k, end in enumerate(ends))
    if not _is_open(variable, place):
        return (low, high)[place]
    return high - (high - low) * NEAR_END if place else low + (high - low) * NEAR_END


def _is_range(variable: Any) -> bool:
    """Whether a variable admits a range of numbers and nothing else, however it draws from it."""
    asked = ("objection", "ends", "_contains")
    return isinstance(variable, Real) and all(
        getattr(type(variable), name) is getattr(Real, name) for name in asked
    )


def _is_said(variable: Any) -> bool:
    """Whether a variable admits whatever it does not object to."""
    return type(variable) in SAID or isinstance(variable, RowWeights) or _is_range(variable)


def _moved_along(variable: Any, value: Any, before: Point, at: Point) -> Any:
    """The end of its range for what is at that end, now that variables before it have moved."""
    if not _is_range(variable):
        return value
    low, high = variable.ends(before)
    if oo in (high, -low) or variable.ends(at) == (low, high):
        return value
    near = (high - low) * AT_END
    for place, far in ((1, high - value), (0, value - low)):
        if not exact.less(near, far) and (end := _end(variable, at, place)) is not None:
            return end
    return value


def _is_open(variable: Real, place: int) -> bool:
    return bool((variable.open_low, variable.open_high)[place])


def _inside(end: Any, place: int) -> Any:
    """An end, or a rational number near it and inside the range where it is irrational."""
    end = sympify(end)
    if end.is_Rational:
        return end
    fine = FINE * 2 ** max(
        0, ceiling(-log(abs(end), 2).evalf())
    )  # as near, relatively, to a small one
    below = floor((end * fine).evalf(40))
    return Rational(below if place else below + 1, fine)


def _rebuilt(domain: Domain, point: Point, choose: Choose, rng: Random) -> dict[Any, Any] | None:
    """The point with other values, and with new ones for variables that they may no longer admit.

    A kind of variable that draws what it does not say in its objection is drawn again.
    """
    made: dict[Any, Any] = {}
    changed = False
    try:
        for variable in domain.variables:
            if isinstance(variable, Computed):
                made[variable.symbol] = variable.value(made)
                continue
            chosen = choose(variable, made)
            value = point[variable.symbol] if chosen is None else chosen
            if chosen is None and changed:
                value = _moved_along(variable, value, point, made)
            objects = variable.objection(value, made) is not None
            if chosen is not None and objects:
                return None
            if objects or (changed and not _is_said(variable)):
                value = variable.draw(rng, made)
            made[variable.symbol] = value
            changed = changed or value != point[variable.symbol]
        return made if all(c.holds(made) for c in domain.conditions) else None
    except UNDEFINED:
        return None
