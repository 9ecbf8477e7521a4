"""Intervals of one variable, and the functions that are smooth on one, or positive, as their shape shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy import Add, Dummy, Expr, Mul, Pow, Rational, Symbol, oo, sympify

from claims import exact
from claims.bound import put
from claims.exact import less
from claims.statement import Formula
from claims.steps import misjudges
from proofs.calculus.deltas import vanishes
from proofs.calculus.inequalities import SignOnInterval, inside

__all__ = ["PLACE", "Span", "at_place", "is_positive", "is_smooth", "rational_hull", "sign_at"]

ENTIRE = (sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.asinh, sp.erf, sp.erfc)
"""Functions with derivatives of all orders on the whole line."""
PLACE = Dummy("x", real=True)
"""A real number at which functions are looked at, and nothing besides."""
FINE = 2**32
"""Denominator of the rational ends that enclose others."""


@dataclass(frozen=True)
class Span:
    """An interval of one variable; what is at infinity does not belong to it.

    >>> x = Symbol("x")
    >>> Span(x, 0, oo).contains(Span(x, 0, sp.pi, open_low=True))
    True
    """

    variable: Symbol
    low: Any
    high: Any
    open_low: bool = False
    open_high: bool = False

    def require(self) -> None:
        """Raises `ValueError` unless the ends are real numbers in order."""
        ends = self.ends
        for end in ends:
            if not end.is_number or end.is_extended_real is not True or misjudges(end):
                raise ValueError(
                    f"end {end} of the range of {self.variable}: must be a real number"
                )
        if not less(*ends):
            raise ValueError(
                f"{self.variable} in [{self.low}, {self.high}] has no length: swap the ends"
            )

    @property
    def ends(self) -> tuple[Any, Any]:
        """The low and the high one."""
        return sympify(self.low), sympify(self.high)

    @property
    def sides(self) -> tuple[tuple[Any, int, bool], ...]:
        """Each end, the way that leads inside from it, and whether it is left out."""
        return (self.low, 1, self.open_low), (self.high, -1, self.open_high)

    @property
    def interior(self) -> Span:
        """The span without its ends."""
        return replace(self, open_low=True, open_high=True)

    def contains(self, other: Span) -> bool:
        """Whether every point of another span belongs to it."""
        low = _reaches(self.low, other.low, self.open_low, other.open_low)
        high = _reaches(-self.high, -other.high, self.open_high, other.open_high)
        return self.variable == other.variable and low and high

    def formulas(self) -> tuple[Formula, ...]:
        """That the variable lies in the span."""
        return inside(self.variable, self.low, self.high, self.open_low, self.open_high)

    def has_end(self, end: Any) -> bool:
        """Whether an end is finite and belongs to the span."""
        return end not in (oo, -oo) and any(
            end == e and not is_open for e, _, is_open in self.sides
        )


def _reaches(own: Any, other: Any, own_is_open: bool, other_is_open: bool) -> bool:
    if sympify(own) == sympify(other):
        return other_is_open or not own_is_open or own == -oo
    return less(own, other)


def at_place(term: Any, span: Span) -> Expr:
    """A term as a function of a real number, whatever else the symbol of a span declares.

    At whole numbers the two agree; a symbol for such numbers may hide that a function turns in between.
    """
    e = sympify(term)
    if span.variable != PLACE and PLACE in e.free_symbols:
        raise ValueError(f"{e}: holds {PLACE}, for which the variable is put in")
    return put(e, {span.variable: PLACE})


def is_smooth(e: Expr, span: Span) -> bool:
    """Whether a function is real and continuous on a span, and smooth inside, as its shape shows."""
    if e == PLACE:
        return True
    if PLACE not in e.free_symbols:
        plain = all(type(name) in {Symbol, Dummy} for name in e.free_symbols)  # which read no point
        return plain and _named(e).is_real is True and not misjudges(e)
    if isinstance(e, (Add, Mul, *ENTIRE)):
        return all(is_smooth(part, span) for part in e.args)
    if isinstance(e, sp.log):
        return is_smooth(e.args[0], span) and is_positive(e.args[0], span)
    return isinstance(e, Pow) and _is_smooth_power(e.base, e.exp, span)


def _is_smooth_power(base: Expr, power: Expr, span: Span) -> bool:
    if not (is_smooth(base, span) and is_smooth(power, span)):
        return False
    if power.is_Integer:
        return power > 0 or is_positive(base, span) or is_positive(-base, span)
    # A root of what vanishes at an end only is continuous there.
    is_root = power.is_Rational and power > 0
    return is_positive(base, span.interior if is_root else span)


def is_positive(e: Expr, span: Span, climbs: bool = True) -> bool:
    """Whether a smooth function is positive on a span, as its shape shows, or that of its derivative."""
    if PLACE not in e.free_symbols:
        return sign_at(e) == 1
    if isinstance(e, sp.exp):
        return True
    if isinstance(e, Mul) and all(is_positive(factor, span, climbs) for factor in e.args):
        return True
    if _is_rational_polynomial(e):
        return _is_positive_polynomial(e, span)
    if misjudges(e):
        return False
    shown = any(_named(way).is_positive is True for way in _shifted(e, span))
    return shown or (climbs and _climbs(e, span))


def _climbs(e: Expr, span: Span) -> bool:
    """Whether a function is positive, or zero at an end left out, and grows from there by its derivative."""
    for end, way, is_open in span.sides:
        closed = replace(span, **{"open_low" if way == 1 else "open_high": False})
        if end in (oo, -oo) or not is_smooth(e, closed):
            continue
        try:
            start = sign_at(put(e, {PLACE: end}))
        except ValueError:  # a number that SymPy misjudges
            continue
        starts = start == 1 or (start == 0 and is_open)
        if starts and is_positive(way * e.diff(PLACE), span.interior, climbs=False):
            return True
    return False


def _named(e: Expr) -> Expr:
    """A term with names for its numbers, those of a sum together: SymPy sees few of their digits.

    To it log(1 + 10^-60) is zero, and less than 10^-70, wherever the two meet.
    """
    if e.is_number and (e.is_Rational or not e.is_real):
        return e
    if e.is_number:
        found = exact.sign(e)
        signs = {1: {"positive": True}, -1: {"negative": True}, 0: {"zero": True}}
        return Dummy(**signs.get(found, {"real": True}))  # type: ignore[arg-type]
    if not isinstance(e, (Add, Mul, Pow, sp.log, *ENTIRE)):
        return e
    parts = e.args
    if isinstance(e, (Add, Mul)):
        numbers = (part for part in parts if part.is_number)
        parts = (e.func(*numbers), *(part for part in parts if not part.is_number))
    return e.func(*map(_named, parts))


def _is_rational_polynomial(e: Expr) -> bool:
    return bool(e.is_polynomial(PLACE)) and all(
        c.is_Rational for c in sp.Poly(e, PLACE).all_coeffs()
    )


def _is_positive_polynomial(e: Expr, span: Span) -> bool:
    ends = rational_hull(span)
    return SignOnInterval(e, PLACE, *ends, ">0", span.open_low, span.open_high).check()


def _shifted(e: Expr, span: Span) -> Iterator[Expr]:
    """A function with its place counted from an end, on one side of which all of the span lies."""
    yield e
    for end, way, is_open in span.sides:
        if end not in (oo, -oo):
            steps = Dummy(positive=True) if is_open else Dummy(nonnegative=True)
            yield put(e, {PLACE: end + way * steps})


def rational_hull(span: Span) -> tuple[Any, Any]:
    """Rational ends, or infinite ones, of an interval that encloses a span."""
    return _rational(sympify(span.low), -1), _rational(sympify(span.high), 1)


def _rational(end: Any, way: int) -> Any:
    """A rational beyond an end, or the end where it is one."""
    if end.is_Rational or end in (oo, -oo):
        return end
    near = Rational(sp.floor(sp.N(end, 40) * FINE) + way * 2, FINE)
    if not less(end * way, near * way):
        raise ValueError(f"end {end}: is not enclosed by {near}")
    return near


def sign_at(value: Expr) -> int:
    """The sign of a value; -1 as well where it is not decided."""
    if value.free_symbols:  # and is the same at every place
        above = not misjudges(value) and _named(value).is_positive
        return 0 if vanishes(value) else 1 if above else -1
    found = exact.sign(value)
    return -1 if found is None else found
