"""A second look at what the calculus says, by exact evaluation away from where it was found.

Identities are evaluated at random values of their symbols, derived values are held to the exact
definition at small points, at random ones, and at sizes that no coincidence of small sizes reaches.
A confirmation is no proof; its failure shows a mistake of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import lru_cache
from itertools import chain, product
from math import prod
from random import Random
from typing import Any

from sympy import (
    Basic,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    nan,
    oo,
    sympify,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from claims import exact
from claims.bound import apart, put
from claims.domain import Domain, Point
from claims.errors import UNDEFINED, OnlyMeasured
from claims.evaluation import Value, value_at
from claims.floats import holds_floats
from claims.limits import approaches
from claims.points import Itself, unplaced
from claims.seeds import current_seed
from claims.singular import Root
from claims.statement import Formula, Tends
from claims.terms import MaxOver, MinOver, value_of
from claims.time_limits import searching
from claims.whole import whole
from proofs import digits, places
from proofs.denied import against, may_be_real, signs
from proofs.places import Over, stream
from proofs.sense import ProofError
from proofs.steady import require_steady
from proofs.within import Within

__all__ = [
    "at", "confirmed_at_points", "confirmed_identity", "confirmed_limit", "confirmed_where",
]  # fmt: skip

CONFIRMATIONS = 4
"""Random points at which an identity is confirmed.  Two polynomials of degree D that differ agree at
a random point of a box with side S with probability at most D/S (Schwartz-Zippel); with D <= 8 and
S > 40, four points of several variables each leave little to chance, and the symbolic proof stands
beside them."""
PARAMETERS, TRIED = 4, 200
"""At how many random parameters a limit is followed, and how many are drawn to meet what it needs."""
SECONDS, FAR_SECONDS = 1.0, 0.15
"""For the random and the large points, and for those far out: they look for mistakes of ours, and
make nothing true."""
POINTS_AT_LEAST = 2
"""Points among which that time is shared, so that a costly one does not hide the next."""

RAISED_SECONDS = 30.0
"""For the one point at which a costly definition is read with no integer at its least."""
LOST = Decimal("1e-50")
"""Below which a decimal is zero, of which digits were lost, or is not: that says nothing."""
ALIKE = Decimal("1e-20")
"""Decimals that differ by less may be one number."""
VARIED_SECONDS = 0.2
"""For points at which a quantity is not what it was at all others."""

Reading = list[tuple[Point, Any]]
"""A point with each of the indices looked at, and what the definition gives there."""
_READ: dict[Any, list[tuple[list[Reading], float | None]]] = {}
_CONFIRMED: dict[Any, bool] = {}
"""Answers, each with the objects whose identities its key holds, so that none is used again."""


def at(value: Any, point: Point) -> Any:
    """An expression, an index network, or a tuple of them, evaluated exactly at a point."""
    if isinstance(value, tuple):
        return tuple(at(part, point) for part in value)
    evaluate = getattr(value, "explicit", None)
    return evaluate(point) if evaluate is not None else value_of(value, point)


def confirmed_at_points(quantity: Any, value: Any, domain: Domain, over: Over = ()) -> bool:
    """Whether a value is what the quantity's definition gives; remembered for one value.

    A member of a family is looked at for the first few values of each index of `over`, and for some
    that are drawn.
    """
    shown = value if isinstance(value, Expr) else Itself(value)
    key = (current_seed(), quantity, Itself(domain), shown, over)
    if key not in _CONFIRMED:
        answers: list[Any] = []
        for place, (readings, seconds) in enumerate(_read(quantity, domain, over)):
            with _within(seconds):
                for reading in readings:
                    answers.append(_agrees(value, reading, quantity))
            if place == 0 and _mostly_unseen(answers):
                answers.append(False)
        _CONFIRMED[key] = False not in answers and True in answers
    return _CONFIRMED[key]


UNSEEN = "unseen"
"""What is said of a term that agrees in the digits that are known, of which a part does not show in them."""


def _mostly_unseen(answers: list[Any]) -> bool:
    """Whether at small points a part of a term mostly does not show: then it may be anything."""
    return UNSEEN in answers and answers.count(UNSEEN) >= answers.count(True)


def confirmed_where(quantity: Any, value: Any, hypotheses: Iterable[Formula]) -> bool:
    """The same at points of every domain that is assumed, of which there must be one."""
    domains = [h.domain for h in hypotheses if isinstance(h, Within)]
    return bool(domains) and all(confirmed_at_points(quantity, value, d) for d in domains)


def _read(quantity: Any, domain: Domain, over: Over) -> list[tuple[list[Reading], float | None]]:
    """What the definition gives at the small points, the random and large ones, and those far out.

    It is asked once for all the values that it is compared with.
    """
    if type(domain) is not Domain:
        raise ProofError(f"definition: {type(domain).__name__} is a domain of its own kind")
    key = (current_seed(), quantity, Itself(domain), over)
    if key not in _READ:
        groups: list[tuple[list[Reading], float | None]] = []
        unread, signed = False, [q for q in _quantities(quantity) if signs(q)]
        for points, seconds in _looked_at(domain, over):
            readings: list[Reading] = []
            with _within(seconds):
                for indexed in points:
                    try:
                        with _within(seconds and seconds / POINTS_AT_LEAST):
                            readings.append([(p, _in_numbers(quantity, p)) for p in indexed])
                            _require_declared(signed, readings[-1])
                        if len(readings) == 1 and not groups and readings[0]:
                            require_steady(quantity, *readings[0][0])
                    except OnlyMeasured:  # no exact value there, so nothing to compare
                        unread = True
                    except KeyError as absent:
                        raise ProofError(f"definition: {quantity} asks for {absent}") from None
            groups.append((readings, seconds))
        groups.append((_raised(quantity, domain, over, groups), RAISED_SECONDS))
        groups.append((_magnified(quantity, domain, over), FAR_SECONDS))
        if unread:
            groups.append((_elsewhere(quantity, domain, over), SECONDS))
        values = [value for readings, _ in groups for reading in readings for _, value in reading]
        groups.append((_varied(quantity, domain, over, values), FAR_SECONDS))
        _READ[key] = groups
    return _READ[key]


def _quantities(term: Any) -> set[Any]:
    """The quantities in a term, or in several."""
    parts = term if isinstance(term, tuple) else (term,)
    return {s for part in parts for s in getattr(part, "free_symbols", ()) if hasattr(s, "define")}


def _require_declared(signed: list[Any], reading: Reading) -> None:
    """Refuses quantities that declare what their definitions deny: rules believe what is declared."""
    for quantity, (point, _) in product(signed, reading):
        if (said := against(quantity, value_of(quantity, point))) is not None:
            raise ProofError(f"definition: it is denied {said}")


class _Numbers(Value):
    """Evaluation of a term that holds definitions beside other things: each of them is a real number."""

    def applied(self, *key: Any) -> Any:
        return _number(super().applied(*key))

    def defined(self, define: Any) -> Any:
        return _number(super().defined(define))


def _number(found: Any) -> Any:
    other = isinstance(found, bool | str | tuple) or hasattr(found, "shape")
    if not other and may_be_real(found):
        return found
    raise ProofError(f"definition: a term holds {found}, which is no real number")


def _in_numbers(term: Any, point: Point) -> Any:
    """The value of a term; matrices, infinities or complex numbers must not stand in it for real numbers."""
    alone = isinstance(term, AppliedUndef) or hasattr(term, "define")
    if isinstance(term, Expr) and not isinstance(term, MatrixExpr) and not alone and _defines(term):
        return value_at(term, point, _Numbers)
    return at(term, point)


@lru_cache(maxsize=1 << 14)
def _defines(term: Expr) -> bool:
    """Whether a term holds a quantity, or a member of a family."""
    families = any(hasattr(applied.func, "define_at") for applied in term.atoms(AppliedUndef))
    return families or bool(_quantities(term))


def _elsewhere(quantity: Any, domain: Domain, over: Over) -> list[Reading]:
    """More points of those that have a value, where the definition gives none at some of the others.

    Else few might be left, and of one kind.
    """
    more: list[Reading] = []
    with _within(SECONDS):
        for point in places.varied_points(domain):
            with suppress(OnlyMeasured):
                more.append([(p, value_of(quantity, p)) for p in places.indexed(point, over)])
    return more


def _raised(
    quantity: Any, domain: Domain, over: Over, groups: list[tuple[list[Reading], float | None]]
) -> list[Reading]:
    """A point with every integer above its least, where the definition was too costly to be read at one.

    At the smallest points much vanishes that does not elsewhere.
    """
    read = (p for readings, _ in groups for reading in readings for p, _ in reading)
    if any(domain.is_raised(unplaced(point)) for point in read):
        return []
    more: list[Reading] = []
    with _within(RAISED_SECONDS), suppress(*UNDEFINED):
        for point in domain.raised():
            more.append([(p, value_of(quantity, p)) for p in places.some_indexed(point, over)])
    return more


def _magnified(quantity: Any, domain: Domain, over: Over) -> list[Reading]:
    """Where numbers and entries are large, or next to zero, if the definition has a value there.

    Chances may be too small elsewhere, and what clips a number may do nothing.
    """
    more: list[Reading] = []
    with _within(FAR_SECONDS), suppress(*UNDEFINED):
        for point in chain(places.magnified_points(domain), places.minified_points(domain)):
            more.append([(p, value_of(quantity, p)) for p in places.indexed(point, over)])
    return more


def _varied(quantity: Any, domain: Domain, over: Over, values: list[Any]) -> list[Reading]:
    """More points, until the definition gives something else, where all `values` so far are the same.

    A quantity that vanishes at small sizes, and a wrong term for it that does, would agree.
    """
    more: list[Reading] = []
    if not values or any(_differs(value, values[0]) for value in values):
        return more
    with _within(VARIED_SECONDS), suppress(*UNDEFINED):
        for point in places.varied_points(domain):
            with suppress(OnlyMeasured):
                reading = [(p, value_of(quantity, p)) for p in places.some_indexed(point, over)]
                more.append(reading)
                if any(_differs(value, values[0]) for _, value in reading):
                    break
    return more


def _differs(value: Any, other: Any) -> bool:
    """Whether two values are not the same, but for the last digits of decimals."""
    if isinstance(value, Decimal) and isinstance(other, Decimal):
        return abs(value - other) > ALIKE * (1 + abs(value))
    return bool(value is not other and value != other)


def _looked_at(
    domain: Domain, over: Over
) -> Iterator[tuple[Iterable[Iterable[Point]], float | None]]:
    """Points with each of the indices, and the seconds that they may take."""
    small = places.small_points(domain, over)
    yield (places.indexed(point, over) for point in small), None
    some = lambda point: places.some_indexed(point, over, places.MOST)  # noqa: E731
    yield map(some, places.other_points(domain)), SECONDS
    for points in (places.together_points, places.far_points):
        drawn = list(points(domain))  # in seconds of their own
        yield map(some, drawn), FAR_SECONDS
    if over:
        for value in (places.near_value, places.far_value):
            yield (places.indexed(point, over, value) for point in small), FAR_SECONDS


@contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """As far as it goes in so many seconds, and as deep as a recursive definition can be followed."""
    if seconds is None:
        try:
            yield
        except RecursionError as endless:
            raise ProofError("definition: it goes back without end, or too deep") from endless
    else:
        with suppress(RecursionError), searching(seconds):
            yield


def _agrees(value: Any, reading: Reading, quantity: Any) -> Any:
    """Whether the definition gives the value at a point, for every index looked at."""
    known = digits.balls_at(reading[0][0]) if reading else {}
    answers = [
        _shown(_one(defined, value, point, known), quantity, defined, value, point)
        for point, defined in reading
    ]
    return next((answer for answer in (False, UNSEEN, True) if answer in answers), None)


def _one(defined: Any, term: Any, point: Point, known: digits.Balls) -> Any:
    """Whether a term agrees at a point; one that is undefined where the definition is not does not.

    What is infinite or imaginary is no real number, and equals no term that arithmetic reads as one; what
    was calculated with sixteen digits is known to no more.
    """
    if not may_be_real(defined) and term not in (oo, -oo):
        return None if defined is zoo and at(term, point) is zoo else False
    if isinstance(defined, Decimal) and isinstance(term, Expr):
        found = digits.agrees(defined, term, point, known)
        if found is not None:
            return found
    value = _in_numbers(term, point)
    undefined, without = (isinstance(s, Basic) and s.has(nan, zoo) for s in (defined, value))
    found = False if without and not undefined else exact.agree(defined, value)
    return None if found and holds_floats(defined) and not holds_floats(value) else found


def _shown(found: bool | None, quantity: Any, defined: Any, term: Any, point: Point) -> Any:
    """What digits say, if all of both sides shows in them, and no value alone is next to zero."""
    term = Integer(term) if isinstance(term, int) else term
    if not found or not exact.is_rounded(defined) or not isinstance(term, Expr):
        return found
    if isinstance(defined, Root) and defined.is_not(at(term, point)):
        return False
    alone = isinstance(defined, Decimal)
    if alone and 0 < abs(defined) < LOST:
        return None
    if alone and 0 < abs(defined) < digits.SEEN:
        return UNSEEN
    sides = (term,) if alone else (quantity, term)
    shown = [digits.shows(side, point, {}) for side in sides]
    return UNSEEN if False in shown else None if None in shown else True


def confirmed_identity(left: Any, right: Any, domain: Domain | None) -> bool:
    """Whether two sides agree at random values of their symbols (at points of a domain, if given)."""
    rng = stream("identity")
    if domain is not None:
        points = [domain.draw(rng) for _ in range(CONFIRMATIONS)]
        return not any(_differ(at(left, p), at(right, p)) for p in points)
    sides = [sympify(left), sympify(right)]
    if any(isinstance(s, MatrixExpr) for s in sides):
        return True  # nothing to put in; the normal form stands alone
    symbols = sorted(set().union(*(s.free_symbols for s in sides)), key=str)
    if any(s.has(MatrixExpr) for s in sides):
        return _agree_with_matrices(sides, rng)
    if any(s.has(AppliedUndef, MaxOver, MinOver) for s in sides):
        return _agree_anyhow(sides, symbols, rng)
    for _ in range(CONFIRMATIONS):
        point = {s: _random_value(s, rng) for s in symbols}
        if _differ(*(value_of(put(apart(s), point), {}).doit() for s in sides)):
            return False
    return True


def _differ(left: Any, right: Any) -> bool:
    """Whether two values are seen to differ; where a side has none nothing is said, and that is needed."""
    if any(isinstance(side, Basic) and side.has(nan, zoo) for side in (left, right)):
        return False
    return exact.agree(left, right) is False


MANY, FEW = 12, 4
"""How large integers become; few where sums over them are written out."""


def _agree_anyhow(sides: list[Any], symbols: list[Any], rng: Random) -> bool:
    """Whether nothing is seen to differ where functions have random values at each place."""
    for _ in range(CONFIRMATIONS):
        there = _Anyhow({s: _random_value(s, rng, FEW) for s in symbols}, rng)
        with suppress(TypeError, ValueError, ZeroDivisionError, LookupError), _within(SECONDS):
            if _differ(*(there(s, {}) for s in sides)):
                return False
    return True


def _agree_with_matrices(sides: list[Any], rng: Random) -> bool:
    """Whether both sides have one value for random matrices of random small sizes, where they have any."""
    matrices = sorted(set().union(*(s.atoms(MatrixSymbol) for s in sides)), key=str)
    ends = set().union(*(size.free_symbols for m in matrices for size in m.shape))
    names = sorted(ends.union(*(s.free_symbols for s in sides)).difference(matrices), key=str)
    for _ in range(CONFIRMATIONS):
        point = {s: _random_value(s, rng, FEW) for s in names}
        try:
            for matrix in matrices:
                shape = [whole(value_of(size, point)) for size in matrix.shape]
                entries = [Integer(rng.randint(-FEW, FEW)) for _ in range(prod(shape))]
                point[matrix] = ImmutableDenseMatrix(*shape, entries)
            if exact.agree(*(value_of(s, point) for s in sides)) is False:
                return False
        except UNDEFINED:  # of sizes for which there is no such matrix, or none has such a place
            return False
    return True


class _Anyhow(Value):
    """Evaluation with functions and quantities of which no more is known than what they declare."""

    def __init__(self, at: Point, rng: Random):
        super().__init__(at)
        self.rng = rng
        self.quantities = {q.define: q for q in at if hasattr(q, "define")}

    def applied(self, *key: Any) -> Any:
        if key not in self.remembered:
            self.remembered[key] = _random_value(key[0], self.rng, FEW)
        return self.remembered[key]

    def defined(self, define: Any) -> Any:
        return self.at[self.quantities[define]]


def _random_value(name: Any, rng: Random, largest: int = MANY) -> Any:
    """An admissible number for a symbol or function: rationals of two digits, signs as declared."""
    signs = (
        (1,) if name.is_nonnegative is True else (-1,) if name.is_nonpositive is True else (1, -1)
    )
    sign = rng.choice(signs)
    if name.is_integer is True:
        return Integer(sign * rng.randint(1, largest))
    return sign * Rational(rng.randint(1, 97), rng.randint(1, 13))


def confirmed_limit(tends: Tends, needed: Iterable[Formula] = ()) -> bool:
    """Whether a sequence comes near to its limit, at random parameters that meet what it needs."""
    rng, met, end = stream("limit"), 0, sympify(tends.limit)
    names = sorted((tends.term.free_symbols | end.free_symbols) - {tends.index}, key=str)
    for _ in range(TRIED):
        point = {s: _random_value(s, rng) for s in names}
        if all(need.substitute(point).truth({}) is True for need in needed):
            if not approaches(tends.term.xreplace(point), end.xreplace(point), tends.index):
                return False
            met += 1
            if met == PARAMETERS:
                return True
    return False
