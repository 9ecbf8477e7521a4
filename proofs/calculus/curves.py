"""The sign of a function of one variable on an interval, which may be open, infinite, or of irrational ends.

As in `proofs.calculus.inequalities`: each certificate states `expression` `sign` 0 on its span, and
`check()` recomputes everything.  They build on one another: a derivative has a certificate of its own,
so have factors, and the pieces of an interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import sympy as sp
from sympy import Dummy, Expr, Mul, oo, sympify
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from claims.bound import put
from claims.statement import Compare
from proofs.calculus.deltas import vanishes
from proofs.calculus.ends import limit_at
from proofs.calculus.inequalities import (
    BoxBound,
    Conclusion,
    Sign,
    SignOnInterval,
    relation,
    require_sign,
)
from proofs.calculus.spans import PLACE, Span, at_place, is_positive, is_smooth, sign_at

__all__ = [
    "CURVES",
    "ConcaveSign",
    "Factor",
    "MonotoneSign",
    "PiecewiseSign",
    "RangeBound",
    "SignOfProduct",
    "span_of",
]

FLIPPED = str.maketrans("<>", "><")
BOUNDED = (sp.sin, sp.cos, sp.tanh, sp.erf)
"""Those whose values lie between -1 and 1."""


def span_of(certificate: Any) -> Span:
    """The span of any certificate about one variable."""
    if isinstance(certificate, BoxBound):
        return Span(*certificate.interval)
    if isinstance(certificate, SignOnInterval):
        return Span(*certificate.interval, certificate.open_low, certificate.open_high)
    return certificate.span


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
    positive there.  The conclusion `sign` must be that of moving away from the anchor, where f, or its
    limit at an infinite end, is zero or has that sign already.  Where f is zero at the anchor and `sign`
    is strict, so must be the derivative, and the anchor is left out.  Without a `span` it is that of the
    derivative.

    >>> x = sp.Symbol("x", real=True)
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
        if anchor not in self.span.ends:
            raise ValueError(f"anchor {anchor}: is no end of [{self.span.low}, {self.span.high}]")
        is_low = anchor == self.span.low
        closed = replace(self.span, **{"open_low" if is_low else "open_high": False})
        curve, times = (at_place(term, self.span) for term in (self.expression, self.multiplier))
        slope = at_place(self.derivative.expression, self.span)
        return (
            is_smooth(curve, closed)
            and self._rises(curve, _away(self.derivative.sign, is_low))
            and span_of(self.derivative).contains(self.span.interior)
            and is_smooth(times, self.span.interior)
            and is_positive(times, self.span.interior)
            and _equal(times * curve.diff(PLACE), slope)
            and self.derivative.check()
        )

    def _rises(self, curve: Expr, away: Sign) -> bool:
        """Whether the sign follows from the value at the anchor and the way it goes from there."""
        way, anchor = 1 if self.sign[0] == ">" else -1, sympify(self.anchor)
        infinite = anchor in (oo, -oo)
        value = limit_at(curve, PLACE, anchor) if infinite else put(curve, {PLACE: anchor})
        if value is None or away[0] != self.sign[0]:
            return False
        starts = way * sign_at(way * value)
        strict_inside = away == self.sign and not self.span.has_end(anchor)
        zero_will_do = self.sign.endswith("=0") or strict_inside
        return starts == way or (starts == 0 and zero_will_do)


@dataclass(frozen=True)
class RangeBound(_OnSpan):
    """By the ranges of sines, cosines and others that lie between -1 and 1, and nothing else that varies.

    >>> x = sp.Symbol("x", real=True)
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

    >>> x = sp.Symbol("x", real=True)
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

    >>> x = sp.Symbol("x", real=True)
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
            and all(sign_at(value) >= least for value in values)
            and span_of(self.bend).contains(self.span.interior)
            and _equal(self.curve.diff(PLACE, 2), at_place(self.bend.expression, self.span))
            and self.bend.check()
        )


@dataclass(frozen=True)
class PiecewiseSign(_OnSpan):
    """By pieces from the low end to the high one, each with a certificate.

    >>> x = sp.Symbol("x", real=True)
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
