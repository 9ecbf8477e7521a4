"""The sign of a function of one variable on an interval, which may be open, infinite, or of irrational ends.

As in `proofs.calculus.inequalities`: each certificate states `expression` `sign` 0 on its span, and
`check()` recomputes everything.  They build on one another: a derivative has a certificate of its own,
so have factors, and the pieces of an interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import sympy as sp
from sympy import Add, Dummy, Expr, Mul, Pow, Rational, Symbol, oo, sympify
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from claims import exact
from claims.bound import put
from claims.exact import less
from claims.statement import Compare, Formula
from claims.steps import misjudges
from proofs.calculus.deltas import vanishes
from proofs.calculus.inequalities import (
    BoxBound,
    Conclusion,
    Sign,
    SignOnInterval,
    inside,
    relation,
    require_sign,
)

__all__ = [
    "CURVES",
    "ConcaveSign",
    "Factor",
    "MonotoneSign",
    "PiecewiseSign",
    "RangeBound",
    "SignOfProduct",
    "Span",
    "at_place",
    "is_smooth",
    "rational_hull",
    "span_of",
]

FLIPPED = str.maketrans("<>", "><")
ENTIRE = (sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.asinh, sp.erf, sp.erfc)
"""Functions with derivatives of all orders on the whole line."""
BOUNDED = (sp.sin, sp.cos, sp.tanh, sp.erf)
"""Those whose values lie between -1 and 1."""
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
        return (end == self.low and not self.open_low) or (end == self.high and not self.open_high)


def _reaches(own: Any, other: Any, own_is_open: bool, other_is_open: bool) -> bool:
    if sympify(own) == sympify(other):
        return other_is_open or not own_is_open or own == -oo
    return less(own, other)


def span_of(certificate: Any) -> Span:
    """The span of any certificate about one variable."""
    if isinstance(certificate, BoxBound):
        return Span(*certificate.interval)
    if isinstance(certificate, SignOnInterval):
        return Span(*certificate.interval, certificate.open_low, certificate.open_high)
    return certificate.span


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


def is_positive(e: Expr, span: Span) -> bool:
    """Whether a smooth function is positive on a span, as its shape shows."""
    if PLACE not in e.free_symbols:
        return _sign_at(e) == 1
    if isinstance(e, sp.exp):
        return True
    if isinstance(e, Mul) and all(is_positive(factor, span) for factor in e.args):
        return True
    if _is_rational_polynomial(e):
        return _is_positive_polynomial(e, span)
    return not misjudges(e) and any(_named(way).is_positive is True for way in _shifted(e, span))


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
    for end, way, is_open in ((span.low, 1, span.open_low), (span.high, -1, span.open_high)):
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


@dataclass(frozen=True)
class _OnSpan:
    """What certificates have in common that bring their span."""

    expression: Any
    sign: Sign
    span: Span

    def concludes(self) -> Conclusion:
        """The sign, on the span."""
        return Compare(sympify(self.expression), relation(self.sign), 0), self.span.formulas()

    @property
    def curve(self) -> Expr:
        """The expression as a function on the span."""
        return at_place(self.expression, self.span)

    def _is_curve(self) -> bool:
        require_sign(self.sign)
        self.span.require()
        return is_smooth(self.curve, self.span)


def _equal(left: Expr, right: Expr) -> bool:
    """Whether two functions are the same; hyperbolic ones by the exponentials that they are."""
    difference = left - right
    hyperbolic = difference.has(HyperbolicFunction)
    return vanishes(difference.rewrite(sp.exp) if hyperbolic else difference)


def _away(sign: Sign, is_low: bool) -> Sign:
    """The sign of a function that begins at zero at an end, whose derivative has a sign."""
    return sign if is_low else sign.translate(FLIPPED)  # type: ignore[return-value]


@dataclass(frozen=True)
class MonotoneSign:
    """The sign of f on an interval, from that at one end, the anchor, and that of f'.

    `derivative` certifies the sign of multiplier * f' inside the interval, and the multiplier must be
    positive there.  The conclusion `sign` must be that of moving away from the anchor, where f is zero
    or has that sign already.  Where f is zero at the anchor and `sign` is strict, so must be the
    derivative, and the anchor is left out.  Without a `span` it is that of the derivative.

    >>> x = Symbol("x", real=True)
    >>> slope = SignOnInterval(x - 1, x, 1, oo, ">=0")
    >>> MonotoneSign(x - 1 - sp.log(x), slope, anchor=1, sign=">=0", multiplier=x).check()
    True
    """

    expression: Any
    derivative: Any
    anchor: Any
    sign: Sign
    multiplier: Any = 1
    span: Any = None
    name: ClassVar[str] = "sign at one end, and that of the derivative"

    def __post_init__(self) -> None:
        if self.span is None:
            object.__setattr__(self, "span", self._span_of_the_derivative())

    def _span_of_the_derivative(self) -> Span:
        span, strict = span_of(self.derivative), self.sign in {">0", "<0"}
        low, high = (strict and self.anchor == end for end in (span.low, span.high))
        return replace(span, open_low=span.open_low or low, open_high=span.open_high or high)

    def concludes(self) -> Conclusion:
        """The sign, on the span."""
        return Compare(sympify(self.expression), relation(self.sign), 0), self.span.formulas()

    def check(self) -> bool:
        require_sign(self.sign)
        self.span.require()
        anchor = sympify(self.anchor)
        if anchor not in (self.span.low, self.span.high) or anchor in (oo, -oo):
            raise ValueError(
                f"anchor {anchor}: must be a finite end of [{self.span.low}, {self.span.high}]"
            )
        is_low = anchor == self.span.low
        closed = replace(self.span, **{"open_low" if is_low else "open_high": False})
        curve, times = (at_place(term, self.span) for term in (self.expression, self.multiplier))
        slope = at_place(self.derivative.expression, self.span)
        return (
            self._rises(curve, _away(self.derivative.sign, is_low))
            and span_of(self.derivative).contains(self.span.interior)
            and is_smooth(curve, closed)
            and is_smooth(times, self.span.interior)
            and is_positive(times, self.span.interior)
            and _equal(times * curve.diff(PLACE), slope)
            and self.derivative.check()
        )

    def _rises(self, curve: Expr, away: Sign) -> bool:
        """Whether the sign follows from the value at the anchor and the way it goes from there."""
        way = 1 if self.sign[0] == ">" else -1
        starts = way * _sign_at(way * put(curve, {PLACE: self.anchor}))
        if starts not in (0, way) or away[0] != self.sign[0]:
            return False
        strict_inside = away == self.sign and not self.span.has_end(sympify(self.anchor))
        return starts == way or self.sign.endswith("=0") or strict_inside


@dataclass(frozen=True)
class RangeBound(_OnSpan):
    """By the ranges of sines, cosines and others that lie between -1 and 1, and nothing else that varies.

    >>> x = Symbol("x", real=True)
    >>> RangeBound(1 - sp.cos(x), ">=0", Span(x, -oo, oo)).check()
    True
    """

    name: ClassVar[str] = "ranges of sines and the like"

    def check(self) -> bool:
        if not self._is_curve():
            return False
        way = 1 if self.sign[0] == ">" else -1
        places = {e: Dummy(real=True) for e in self.curve.atoms(*BOUNDED)}
        outermost = (way * self.curve).subs(places)
        box = tuple((place, -1, 1) for place in places.values())
        sign = _away(self.sign, way == 1)
        return PLACE not in outermost.free_symbols and BoxBound(outermost, box, sign).check()  # type: ignore[arg-type]


@dataclass(frozen=True)
class Factor:
    """A power of a base; without a certificate its shape shows the sign of the base, or the power is even."""

    base: Any
    power: Any = 1
    certificate: Any = None

    def sign_on(self, span: Span) -> Sign | None:
        """The sign of the power on a span, if any is shown."""
        power, base = sympify(self.power), at_place(self.base, span)
        if not power.is_Rational or not is_smooth(base, span):
            return None
        known = self._sign_of_base(base, span)
        if known == "<0" and power.is_Integer:
            return ">0" if power % 2 == 0 else known
        if known == ">0" or (known == ">=0" and power > 0):
            return known
        if power.is_Integer and power > 0:
            return ">=0" if power % 2 == 0 else known
        return None

    def _sign_of_base(self, base: Expr, span: Span) -> Sign | None:
        if self.certificate is None:
            return ">0" if is_positive(base, span) else "<0" if is_positive(-base, span) else None
        same = _equal(at_place(self.certificate.expression, span), base)
        covered = span_of(self.certificate).contains(span)
        return self.certificate.sign if same and covered and self.certificate.check() else None


@dataclass(frozen=True)
class SignOfProduct(_OnSpan):
    """By the signs of the factors of the expression.

    >>> x = Symbol("x", real=True)
    >>> span = Span(x, 0, oo)
    >>> sine = MonotoneSign(x - sp.sin(x), RangeBound(1 - sp.cos(x), ">=0", span), 0, ">=0")
    >>> factors = Factor(x - sp.sin(x), 1, sine), Factor(sp.exp(-x))
    >>> SignOfProduct(sp.exp(-x) * (x - sp.sin(x)), ">=0", span, factors).check()
    True
    """

    factors: tuple[Factor, ...]
    name: ClassVar[str] = "signs of factors"

    def check(self) -> bool:
        whole = Mul(*(sympify(f.base) ** sympify(f.power) for f in self.factors))
        if not self._is_curve() or not _equal(self.curve, at_place(whole, self.span)):
            return False
        signs = [factor.sign_on(self.span) for factor in self.factors]
        if None in signs:
            return False
        way = ">" if sum(s[0] == "<" for s in signs if s) % 2 == 0 else "<"
        strict = all(s in {">0", "<0"} for s in signs)
        return way == self.sign[0] and (strict or self.sign.endswith("=0"))


@dataclass(frozen=True)
class ConcaveSign(_OnSpan):
    """Nowhere negative, or positive, where it is so at both ends, by the sign of the second derivative.

    `bend` certifies f'' <= 0 inside the span, whose ends are finite and closed.

    >>> x = Symbol("x", real=True)
    >>> bend = SignOnInterval(sp.Integer(-2), x, 0, 1, "<=0")
    >>> ConcaveSign(x - x**2, ">=0", Span(x, 0, 1), bend).check()
    True
    """

    bend: Any
    name: ClassVar[str] = "signs at the ends, and that of the second derivative"

    def check(self) -> bool:
        require_sign(self.sign)
        self.span.require()
        closed, ends = replace(self.span, open_low=False, open_high=False), self.span.ends
        if oo in ends or -oo in ends or self.sign[0] != ">" or self.bend.sign[0] != "<":
            return False
        values = [put(self.curve, {PLACE: end}) for end in ends]
        least = 1 if self.sign == ">0" else 0
        return (
            is_smooth(self.curve, closed)
            and all(_sign_at(value) >= least for value in values)
            and span_of(self.bend).contains(self.span.interior)
            and _equal(self.curve.diff(PLACE, 2), at_place(self.bend.expression, self.span))
            and self.bend.check()
        )


def _sign_at(value: Expr) -> int:
    """The sign of a value; -1 as well where it is not decided."""
    if value.free_symbols:  # and is the same at every place
        above = not misjudges(value) and _named(value).is_positive
        return 0 if vanishes(value) else 1 if above else -1
    found = exact.sign(value)
    return -1 if found is None else found


@dataclass(frozen=True)
class PiecewiseSign(_OnSpan):
    """By pieces from the low end to the high one, each with a certificate.

    >>> x = Symbol("x", real=True)
    >>> left, right = SignOnInterval(x**2, x, -1, 0, ">=0"), SignOnInterval(x**2, x, 0, oo, ">=0")
    >>> PiecewiseSign(x**2, ">=0", Span(x, -1, oo), (left, right)).check()
    True
    """

    pieces: tuple[Any, ...]
    name: ClassVar[str] = "one piece of the range after the other"

    def check(self) -> bool:
        if not self._is_curve() or not self.pieces:
            return False
        spans = [span_of(piece) for piece in self.pieces]
        first, last = spans[0], spans[-1]
        whole = replace(first, high=last.high, open_high=last.open_high)
        joined = all(
            a.variable == b.variable and a.high == b.low and not (a.open_high and b.open_low)
            for a, b in pairwise(spans)
        )
        return (
            joined
            and whole.contains(self.span)
            and all(piece.sign in {self.sign, self.sign[0] + "0"} for piece in self.pieces)
            and all(_equal(self.curve, at_place(p.expression, self.span)) for p in self.pieces)
            and all(piece.check() for piece in self.pieces)
        )


CURVES = (MonotoneSign, RangeBound, SignOfProduct, ConcaveSign, PiecewiseSign)
"""The certificates of this module."""
