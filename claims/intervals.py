"""Comparing measured values: which truth values their intervals leave possible.

A measured quantity comes with the half-width of its interval.  A term of several quantities varies
over a box; its range is taken from the corners and the centre, which is exact for terms that are
linear in each quantity.  Others may come to zero between corners of one sign: balls have to show that the
term keeps its sign in the whole box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain, product
from typing import Any

import flint
from mpmath import mp, mpmathify
from mpmath.libmp import from_rational, round_nearest
from sympy import (
    Add,
    Dummy,
    Expr,
    KroneckerDelta,
    Mod,
    Mul,
    Rational,
    frac,
    lambdify,
    sympify,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef

from claims.exact import ball
from claims.terms import value_of, written_out

__all__ = ["BOTH", "DOUBLE", "NoNumber", "numbers", "possible", "sides"]

BOTH = frozenset({True, False})
DOUBLE = 53
"""Bits of the numbers that are compared, whatever precision others have left to mpmath."""
LOST = 2.0**-40
"""Of their size: sides that differ by less are computed again."""
PRECISIONS = (128, 512, 2048)
LEAST = math.ulp(0.0)
"""The least number that a float may be."""
BOXES = 128
"""Parts of a box that are looked at, until each shows a sign."""
RETURNING = (frac, KroneckerDelta, Mod)
"""Functions that balls do not know and that have one value at both ends of an interval and others inside."""
CORNERS = 10
"""Quantities whose corners are all tried; beyond that a term belongs into a quantity of its own."""


def numbers(value: Any) -> Any:
    """An exact value as floats: a number, or nested lists for matrices, tuples and tensors."""
    if isinstance(value, bool | str | float | int):
        return value
    if hasattr(value, "tolist"):
        return _floats(value.tolist())
    if isinstance(value, tuple | list):
        return [numbers(v) for v in value]
    return float(value.mid()) if hasattr(value, "mid") else float(value)


def _is_array(value: Any) -> bool:
    """Whether a value has more than one number: `numbers` gives a list of it."""
    if hasattr(value, "tolist"):
        return isinstance(value.tolist(), list)
    return isinstance(value, tuple | list)


def _floats(nested: Any) -> Any:
    return [_floats(part) for part in nested] if isinstance(nested, list) else float(nested)


Box = list[tuple[float, float]]
"""An interval for each measured quantity."""


class NoNumber(ArithmeticError):
    """A comparison of what is not a number: it is neither true nor false."""


class _Imaginary(ArithmeticError):
    """A corner of the intervals lies where a term is not real, as the root of a negative number."""


def possible(
    left: Any, sign: str, right: Any, readings: Callable[[Any, Any], tuple[Any, float]], at: Any
) -> frozenset[bool]:
    """The truth values of `left sign right` that some point of the intervals gives.

    Readings that keep their `answers` are asked once: variants share most parts with their statement.
    """
    answers: dict[Any, frozenset[bool]] | None = getattr(readings, "answers", None)
    if answers is None:
        return _possible(left, sign, right, readings, at)
    around: Any = readings.point  # type: ignore[attr-defined]
    indices = frozenset((k, v) for k, v in at.items() if around.get(k) is not v)
    key = (left, sign, right, indices)
    if key not in answers:
        answers[key] = _possible(left, sign, right, readings, at)
    return answers[key]


@mp.workprec(DOUBLE)
def _possible(
    left: Any, sign: str, right: Any, readings: Callable[[Any, Any], tuple[Any, float]], at: Any
) -> frozenset[bool]:
    left, right, read = _named(written_out(left, at), written_out(right, at), readings, at)
    inside = list(read)
    if any(_is_array(value) for value, _ in read.values()):
        return _arrays(left, sign, right, read, at)
    if len(inside) > CORNERS:
        raise ValueError(
            f"{left} {sign} {right}: more than {CORNERS} measured quantities in one term"
        )
    centre, widths = (
        zip(*(map(float, read[q]) for q in inside), strict=True) if inside else ((), ())
    )
    ends = [{mp.mpf(v - width), mp.mpf(v + width)} for v, width in zip(centre, widths, strict=True)]
    try:
        difference = _Difference(left, right, inside, at)
        corners = {tuple(map(mp.mpf, centre)), *product(*ends)}
        values = [difference(corner) for corner in corners]
        whole = not any(widths) and all(v.is_integer() for v in centre)  # others may be rounded
        # Of an identity all corners have the sign that rounding gave them.
        asked = (whole and sign != "=") or min(values) > 0 or max(values) < 0
        bends = any(widths) and _may_turn(difference, values)
        if asked and all(map(difference.is_lost, corners)):
            values = list(map(difference.sign, corners))
        elif (asked or not any(values)) and bends and not difference.keeps_its_sign(ends):
            return BOTH
    except (ZeroDivisionError, _Imaginary):
        return BOTH  # a denominator may vanish or a root end: nothing is known of the term there
    return _signs(values, sign)


@mp.workprec(DOUBLE)
def sides(
    left: Any, right: Any, readings: Callable[[Any, Any], tuple[Any, float]], at: Any
) -> tuple[tuple[float, float], ...]:
    """Centre and half-width of either side, each over the corners of the quantities in it.

    Raises `TypeError` for arrays, which have no one value.
    """
    *terms, read = _named(written_out(left, at), written_out(right, at), readings, at)
    if any(_is_array(value) for value, _ in read.values()):
        raise TypeError(f"{left}, {right}: arrays have no one value")
    return tuple(_spread(term, read, at) for term in terms)


def _spread(term: Any, read: dict[Any, Any], at: Any) -> tuple[float, float]:
    inside = [q for q in read if q == term or (isinstance(term, Expr) and term.has(q))]
    function, _, parts = _template(term, tuple(inside))
    fixed = [_number(value_of(part, at)) for part in parts.values()]
    centre = [float(read[q][0]) for q in inside]
    ends = [
        (v - float(read[q][1]), v + float(read[q][1])) for q, v in zip(inside, centre, strict=True)
    ]
    value = float(function(*centre, *fixed))
    corners = (float(function(*corner, *fixed)) for corner in product(*ends)) if ends else ()
    return value, max((abs(each - value) for each in corners), default=0.0)


def _named(left: Any, right: Any, readings: Any, at: Any) -> tuple[Any, Any, dict[Any, Any]]:
    """Both sides with a name for each measured quantity, and what was read of it."""
    names = _names(_quantities(left), _quantities(right))
    read = {name: readings(atom, at) for atom, name in names.items()}
    return _renamed(left, names), _renamed(right, names), read


def _with_fractions(term: Any, parts: dict[Any, Any]) -> Any:
    """A term in which fractions, such as exponents, stand for themselves: balls know whole powers."""
    return term.xreplace({name: part for name, part in parts.items() if isinstance(part, Rational)})


def _renamed(side: Any, names: dict[Any, Any]) -> Any:
    return _with_names(side, tuple(names)) if isinstance(side, Expr) and names else side


@lru_cache(maxsize=4096)
def _with_names(side: Expr, quantities: tuple[Any, ...]) -> Any:
    return side.xreplace(_names(quantities))


def _names(*sides: Iterable[Any]) -> dict[Any, Any]:
    """A name for each quantity, in the order in which they are met."""
    found = dict.fromkeys(chain(*sides))
    return {atom: _measured(place) for place, atom in enumerate(found)}


def _may_turn(difference: _Difference, values: list[float]) -> bool:
    """Whether a term may have another sign than at all the corners of a box, where none is infinite.

    One that is linear in each of its quantities, the others held, has its extremes at corners.
    """
    return max(map(abs, values)) < math.inf and not difference.is_linear


class _Difference:
    """`left - right` as a function of the measured quantities."""

    def __init__(self, left: Any, right: Any, inside: list[Any], at: Any):
        self.inside = inside
        templates = [_template(side, tuple(inside)) for side in (left, right)]
        self.terms = [(_with_fractions(term, parts), parts) for _, term, parts in templates]
        self.parts = [(f, [value_of(p, at) for p in parts.values()]) for f, _, parts in templates]
        self.fixed = self._numbers()

    @property
    def is_linear(self) -> bool:
        """Whether both sides are of degree one in each of the measured quantities."""
        return all(_is_linear(term, tuple(self.inside)) for term, _ in self.terms)

    def _numbers(self) -> list[list[Any]]:
        return [[_number(value) for value in values] for _, values in self.parts]

    def _sides(self, corner: Any, fixed: list[list[Any]]) -> list[Any]:
        return [f(*corner, *known) for (f, _), known in zip(self.parts, fixed, strict=True)]

    def __call__(self, corner: Any) -> float:
        a, b = self._sides(corner, self.fixed)
        if a == b:
            return 0.0  # infinities equal themselves
        gap = _real(a) - _real(b)
        return float(gap) or float(mp.sign(gap)) * LEAST  # what is too small for a float has a sign

    def is_lost(self, corner: Any) -> bool:
        """Whether rounding could be all of it: both sides are nearly equal numbers."""
        a, b = self._sides(corner, self.fixed)
        return bool(mp.isfinite(a) and mp.isfinite(b) and abs(a - b) <= LOST * (abs(a) + abs(b)))

    def sign(self, corner: Any) -> float:
        """Of the difference with as many bits as tell it from zero; 0 where these are too many."""
        for precision in PRECISIONS:
            with mp.workprec(precision):
                a, b = map(_real, self._sides(corner, self._numbers()))
                if abs(a - b) > mp.mpf(2) ** (DOUBLE - precision) * (abs(a) + abs(b)):
                    return float(mp.sign(a - b))
        return 0.0

    def keeps_its_sign(self, ends: list[set[Any]]) -> bool:
        """Whether balls show that it is above, or below, zero in the whole box between the ends.

        Of a function that balls do not know corners and centre have to do, unless it may come back to a
        value in between.
        """
        whole = [(float(min(pair)), float(max(pair))) for pair in ends]
        left, found = [whole], set[int]()
        try:
            for _ in range(BOXES):
                if not left or len(found) > 1:
                    break
                sign = self._sign_in(box := left.pop())
                if sign is None:
                    left += _halves(box, whole)
                else:
                    found.add(sign)
        except (TypeError, ValueError):
            return not any(term.has(*RETURNING) for term, _ in self.terms)
        return not left and len(found) == 1

    def _sign_in(self, box: Box) -> int | None:
        around = {
            quantity: flint.arb((low + high) / 2, (high - low) / 2)
            for quantity, (low, high) in zip(self.inside, box, strict=True)
        }
        sides = []
        for (term, parts), fixed in zip(self.terms, self.fixed, strict=True):
            known = dict(zip(parts, (flint.arb(mp.nstr(v, 30)) for v in fixed), strict=True))
            sides.append(ball(term, {**around, **known}))
        difference = sides[0] - sides[1]
        if not difference.is_finite():
            return None
        return 1 if difference > 0 else -1 if difference < 0 else None


def _halves(box: Box, whole: Box) -> list[Box]:
    """Both halves of a part of a box, at the interval that was halved least."""
    parts = [
        (high - low) / (last - first) if last > first else 0.0
        for (low, high), (first, last) in zip(box, whole, strict=True)
    ]
    place = parts.index(max(parts))
    low, high = box[place]
    middle = (low + high) / 2
    return [[*box[:place], end, *box[place + 1 :]] for end in ((low, middle), (middle, high))]


def _real(value: Any) -> Any:
    if isinstance(value, mp.mpc):
        if value.imag:
            raise _Imaginary(f"{value}: must be real")
        return value.real
    return value


@lru_cache(maxsize=4096)
def _is_linear(term: Any, inside: tuple[Any, ...]) -> bool:
    """Whether a term is of degree one at most in each of some symbols."""
    if not isinstance(term, Expr) or not term.has(*inside):
        return True
    if isinstance(term, Add):
        return all(_is_linear(part, inside) for part in term.args)
    if isinstance(term, Mul):
        held = [part.free_symbols.intersection(inside) for part in term.args]
        apart = sum(map(len, held)) == len(set().union(*held))
        return apart and all(_is_linear(part, inside) for part in term.args)
    return term in inside


@lru_cache(maxsize=4096)
def _template(side: Any, inside: tuple[Any, ...]) -> tuple[Any, Any, dict[Any, Any]]:
    """A side as a function of the measured quantities and of the parts that none of them enters.

    With it the term that it is, and the parts by their names there.

    One statement is asked about at many points, so that it is compiled once.
    """
    names: dict[Any, Any] = {}

    def split(part: Any) -> Any:
        if part in inside:
            return part
        if not isinstance(part, Expr) or not inside or not part.has(*inside):
            return names.setdefault(part, Dummy(real=True))
        return part.func(*map(split, part.args))

    term = split(side)
    parts = {name: part for part, name in names.items()}
    return lambdify((*inside, *parts), term, "mpmath"), term, parts


def _number(value: Any) -> Any:
    """Of an exact value the nearest number."""
    value = numbers(value) if not isinstance(value, Expr | int) else value
    if isinstance(value, Rational):  # most are, and evaluating them by `evalf` costs much
        return mp.make_mpf(from_rational(value.p, value.q, mp.prec, round_nearest))
    return _evaluated(sympify(value), mp.prec)


@lru_cache(maxsize=65536)
def _evaluated(value: Expr, precision: int) -> Any:
    """Of a value without numerator and denominator; roots of the same sizes return at every point."""
    with mp.workprec(precision):
        near = value.evalf(max(30, mp.dps))
        if near is zoo:
            raise ZeroDivisionError(f"{value} divides by zero")
        return mpmathify(str(near).replace("oo", "inf"))


@cache
def _measured(place: int) -> Dummy:
    """The name of a measured quantity by its place, so that a compiled side serves many points."""
    return Dummy(f"measured_{place}", real=True)


def _quantities(side: Any) -> list[Any]:
    """Quantities and members of families in a term, in a fixed order."""
    return _atoms(side) if isinstance(side, Expr) else []


@lru_cache(maxsize=4096)
def _atoms(side: Expr) -> list[Any]:
    found = [s for s in side.free_symbols if hasattr(s, "define")]
    found += [a for a in side.atoms(AppliedUndef) if hasattr(a.func, "define_at")]
    return sorted(found, key=str)


def _arrays(left: Any, sign: str, right: Any, read: dict[Any, Any], at: Any) -> frozenset[bool]:
    """Arrays stand alone on a side and agree, or not, entry by entry."""
    width = 0.0
    values: list[Any] = []
    for side in (left, right):
        known = side in read
        values.append(numbers(read[side][0] if known else value_of(side, at)))
        width += float(read[side][1]) if known else 0.0
    differences = _differences(*values)
    if differences is None:
        return frozenset({sign == "!="})
    if any(map(math.isnan, differences)):  # which the largest of them may hide
        return _signs([math.nan], sign)
    if sign in {"=", "!="}:
        widest = max(differences, key=abs, default=0.0)
        return _signs([widest - width, widest, widest + width], sign)
    worst = max(differences) if sign in {"<=", "<"} else min(differences)
    return _signs([worst - width, worst + width], sign)


def _differences(left: Any, right: Any) -> list[float] | None:
    """Entry by entry; None for arrays of different shapes."""
    if isinstance(left, list) != isinstance(right, list):
        return None
    if not isinstance(left, list):
        return [0.0 if left == right else left - right]
    if len(left) != len(right):
        return None
    parts = [_differences(a, b) for a, b in zip(left, right, strict=True)]
    return None if None in parts else [d for part in parts if part for d in part]


def _signs(values: list[float], sign: str) -> frozenset[bool]:
    """The truth values of `value sign 0` for values between the least and the greatest given."""
    if any(map(math.isnan, values)):
        raise NoNumber(f"what stands on either side of {sign} is no number")
    low, high = min(values), max(values)
    found = {
        "=": (low <= 0 <= high, not (low == high == 0)),
        "!=": (not (low == high == 0), low <= 0 <= high),
        "<=": (low <= 0, high > 0),
        "<": (low < 0, high >= 0),
        ">=": (high >= 0, low < 0),
        ">": (high > 0, low <= 0),
    }[sign]
    return frozenset(truth for truth, allowed in zip((True, False), found, strict=True) if allowed)
