"""The sign of a function of one variable on an interval: a search for a certificate of the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sympy import (
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    asinh,
    atan,
    default_sort_key,
    exp,
    expand_mul,
    factor,
    fraction,
    log,
    nan,
    oo,
    solve,
    together,
    zoo,
)  # fmt: skip
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from claims.bound import put
from claims.exact import ball, less
from claims.time_limits import searching
from proofs import kernel
from proofs.calculus.curves import (
    ConcaveSign,
    Factor,
    MonotoneSign,
    PiecewiseSign,
    RangeBound,
    SignOfProduct,
    span_of,
)
from proofs.calculus.deltas import vanishes
from proofs.calculus.ends import limit_at
from proofs.calculus.inequalities import BoxBound, Sign, SignOnInterval, Undecided
from proofs.calculus.spans import Span, at_place, is_smooth, rational_hull
from proofs.kernel import ProofError, Theorem
from twofold.turning import WRITTEN_OUT, degree_at_most

__all__ = ["sign_on_span"]

DEPTH = 4
"""How often a function is traced back to its derivative."""
FUNCTIONS = 80
"""Functions on spans that are looked at for one inequality."""
LONGEST = 60
"""Operations of a function that is looked at: derivatives that only grow lead nowhere."""
PIECES = 200
"""Of a box, in which balls enclose the values."""
SOLUTIONS, SOLVING = 3, 1.0
"""Derivatives whose zeros are solved for, and seconds for each."""
ZEROS = (Integer(0), Integer(1), Rational(1, 2), Integer(2), Integer(-1), exp(1), exp(-1))
"""Where a function that does not change its sign often vanishes between the ends."""
ALGEBRAIC_SLOPES = (log, atan, asinh)
"""Functions whose derivatives are algebraic."""
STEPS = tuple(Rational(2) ** k for k in (-8, -5, -2, -1, 0, 1, 2, 3, 5, 8, 16, 32))
"""How far from the end of a half-line it is looked at."""
SHARES = tuple(Rational(k, 16) for k in (1, 3, 5, 8, 11, 13, 15))
"""Where an interval is looked at."""
NO_SIGN = (
    ProofError, Undecided, ValueError, NotImplementedError, TypeError, AttributeError, ZeroDivisionError,
)  # fmt: skip
"""What says that a certificate does not check, or is none."""


def sign_on_span(f: Expr, span: Span, strict: bool) -> Theorem | None:
    """That f is not negative, or positive, on a span; None where no certificate is found."""
    with suppress(*NO_SIGN):
        towers = any(p.base.has(span.variable) and p.exp.has(span.variable) for p in f.atoms(Pow))
        if towers or degree_at_most(f) > WRITTEN_OUT:  # towers have logarithms
            return None
        if is_smooth(at_place(f, span), span):
            found = _Search(span.variable).found(f, span, ">0" if strict else ">=0", DEPTH)
            return found and kernel.certified(found)
    return None


class _Search:
    """For certificates that a function is not negative, or positive; the cheapest first."""

    def __init__(self, variable: Symbol) -> None:
        self.x = variable
        self.left, self.solutions = FUNCTIONS, SOLUTIONS

    def found(self, f: Expr, span: Span, sign: Sign, depth: int, cut: bool = True) -> Any:
        """A certificate that checks; None where none is found.

        `depth` says how many derivatives may be taken, `cut` whether the span may be cut.
        """
        self.left -= 1
        if self.left < 0 or f.count_ops() > LONGEST or not _seems(f, span, sign):
            return None
        for candidate in self._candidates(f, span, sign, depth, cut):
            with suppress(*NO_SIGN):
                if candidate.check():
                    return candidate
        return None

    def _candidates(self, f: Expr, span: Span, sign: Sign, depth: int, cut: bool) -> Iterator[Any]:
        if f.is_polynomial(self.x):
            yield _of_polynomial(f, span, sign)
        yield RangeBound(f, sign, span)
        if not f.has(self.x):
            return
        shape = f.rewrite(exp) if f.has(HyperbolicFunction) else f
        yield SignOfProduct(f, sign, span, (Factor(_in_factors(shape)),))
        yield from self._by_factors(f, span, sign, depth, cut)
        if {oo, -oo}.isdisjoint(span.ends):
            box = ((self.x, *rational_hull(span)),)
            yield _on(span, BoxBound(f, box, sign, max_pieces=PIECES))  # type: ignore[arg-type]
        if depth:
            yield from self._by_slope(f, span, sign, depth - 1, cut)
        if depth > 1:
            yield from self._by_bend(f, span, sign, depth - 2, cut)
        if depth and cut:
            yield from self._by_dividing(f, span, sign, depth - 1)
        if cut:
            yield from self._by_pieces(f, span, sign, depth)

    def _by_factors(self, f: Expr, span: Span, sign: Sign, depth: int, cut: bool) -> Iterator[Any]:
        """Numerator and denominator in factors, each turned to where it is positive."""
        parts = _powers(f)
        if [power for base, power in parts if base.has(self.x)] == [1]:
            return  # nothing would be gained
        factors = list[Factor]()
        for base, power in parts:
            even = power.is_Integer and power > 0 and power % 2 == 0
            if not base.has(self.x) or isinstance(base, exp) or (even and sign == ">=0"):
                factors.append(Factor(base, power))
                continue
            way = _way(base, span)
            needed: Sign = ">0" if power < 0 else sign
            inner = self.found(way * base, span, needed, depth, cut)
            if inner is None:
                return
            factors += [Factor(way * base, power, inner), Factor(Integer(way), power)]
        yield SignOfProduct(f, sign, span, tuple(factors))

    def _by_slope(self, f: Expr, span: Span, sign: Sign, depth: int, cut: bool) -> Iterator[Any]:
        slope = _in_factors(f.diff(self.x))
        for anchor, way in ((span.low, 1), (span.high, -1)):
            value = _value_at(f, self.x, anchor)
            if value is None:
                continue
            needed: Sign = sign if _is_zero(value) else ">=0"
            inner = self.found(way * slope, span.interior, needed, depth, cut)
            if inner is not None:
                yield MonotoneSign(
                    f, inner if way > 0 else _negated(inner), anchor, sign, span=span
                )

    def _by_dividing(self, f: Expr, span: Span, sign: Sign, depth: int) -> Iterator[Any]:
        """By what a logarithm or the like is multiplied by: alone it has a simple derivative."""
        whole = expand_mul(f)
        for term in sorted(f.atoms(*ALGEBRAIC_SLOPES), key=default_sort_key):
            times = whole.coeff(term)
            rest = whole - expand_mul(times * term)
            if not times.has(self.x) or rest == 0 or (times * rest).has(*ALGEBRAIC_SLOPES):
                continue
            way = _way(times, span)
            alone = self.found(way * term + together(rest / times * way), span, sign, depth)
            positive = alone and self.found(way * times, span, ">0", depth)
            if positive:
                factors = Factor(way * times, 1, positive), Factor(alone.expression, 1, alone)
                yield SignOfProduct(f, sign, span, factors)

    def _by_bend(self, f: Expr, span: Span, sign: Sign, depth: int, cut: bool) -> Iterator[Any]:
        if {oo, -oo}.isdisjoint(span.ends):
            bend = _in_factors(f.diff(self.x, 2))
            inner = self.found(-bend, span.interior, ">=0", depth, cut)
            if inner is not None:
                yield ConcaveSign(f, sign, span, _negated(inner))

    def _by_pieces(self, f: Expr, span: Span, sign: Sign, depth: int) -> Iterator[Any]:
        """Cut where the function turns."""
        slope = f.diff(self.x)
        cuts = _known_zeros(slope, span)
        if not cuts and _turns(slope, span) and self.solutions:
            self.solutions -= 1
            cuts = _zeros(slope, span)
        pieces = list[Any]()
        for low, high in pairwise((span.low, *cuts, span.high)) if cuts else ():
            opened = span.open_low and low == span.low, span.open_high and high == span.high
            pieces.append(self.found(f, Span(self.x, low, high, *opened), sign, depth, cut=False))
            if pieces[-1] is None:
                return
        if pieces:
            yield PiecewiseSign(f, sign, span, tuple(pieces))


def _of_polynomial(f: Expr, span: Span, sign: Sign) -> Any:
    ends, opened = rational_hull(span), (span.open_low, span.open_high)
    return _on(span, SignOnInterval(f, span.variable, *ends, sign, *opened))


def _on(span: Span, certificate: Any) -> Any:
    """A certificate for a span, of one that holds on more."""
    if span_of(certificate) == span:
        return certificate
    f, sign = certificate.expression, certificate.sign
    return SignOfProduct(f, sign, span, (Factor(f, 1, certificate),))


def _negated(certificate: Any) -> Any:
    f, sign = certificate.expression, certificate.sign.replace(">", "<")
    factors = (Factor(Integer(-1)), Factor(f, 1, certificate))
    return SignOfProduct(-f, sign, span_of(certificate), factors)


def _in_factors(f: Expr) -> Expr:
    return Mul(*(base**power for base, power in _powers(f)))


@lru_cache(maxsize=1 << 10)
def _powers(f: Expr) -> tuple[tuple[Expr, Expr], ...]:
    """Bases and exponents of the factors of a function."""
    above, below = map(factor, fraction(together(f)))
    parts = (*Mul.make_args(above), *(1 / part for part in Mul.make_args(below)))
    return tuple(
        (part, Integer(1)) if isinstance(part, exp) else part.as_base_exp() for part in parts
    )


def _known_zeros(f: Expr, span: Span) -> list[Any]:
    """Those of the usual zeros that lie inside a span, in order."""
    inside = (zero for zero in ZEROS if _is_inside(zero, span))
    return sorted((zero for zero in inside if _is_zero(put(f, {span.variable: zero}))), key=float)


def _turns(f: Expr, span: Span) -> bool:
    """Whether a function is seen with both signs."""
    return {1, -1} <= {_sign_at(f, span.variable, place) for place in _places(span)}


def _zeros(f: Expr, span: Span) -> list[Any]:
    """Zeros inside a span, in order, if they are found in time."""
    found: list[Any] = []
    with suppress(*NO_SIGN), searching(SOLVING):
        place = Symbol("x", real=True)
        roots = solve(fraction(together(put(f, {span.variable: place})))[0], place)
        found = [root for root in roots if not root.free_symbols and _is_inside(root, span)]
    return sorted(found, key=float)


def _is_inside(place: Any, span: Span) -> bool:
    return place.is_real is True and less(span.low, place) and less(place, span.high)


def _value_at(f: Expr, x: Symbol, end: Any) -> Any:
    """The value at an end, or the limit at an infinite one; None where there is none."""
    if end in (oo, -oo):
        return limit_at(f, x, end)
    value = put(f, {x: end})
    return None if value.has(nan, oo, -oo, zoo) else value


def _is_zero(value: Expr) -> bool:
    """Whether a number vanishes, asked exactly only where a ball around it does not say."""
    with suppress(*NO_SIGN):
        if not ball(value, {}).contains(0):
            return False
    return vanishes(value)


def _way(f: Expr, span: Span) -> int:
    """1 or -1, by the sign at most points of a span."""
    return -1 if sum(_sign_at(f, span.variable, place) for place in _places(span)) < 0 else 1


def _seems(f: Expr, span: Span, sign: Sign) -> bool:
    """Whether no point that is looked at denies the sign."""
    return all(_sign_at(f, span.variable, place) >= 0 for place in _places(span))


def _sign_at(f: Expr, x: Symbol, place: Any) -> int:
    """The sign at a point; 0 as well where a ball does not say."""
    with suppress(*NO_SIGN):
        value = ball(f, {x: ball(place, {})})
        return int(value > 0) - int(value < 0)
    return 0


def _places(span: Span) -> list[Any]:
    """Rational points inside a span."""
    low, high = (end if end in (oo, -oo) else Rational(str(end.evalf(20))) for end in span.ends)
    if {oo, -oo}.isdisjoint((low, high)):
        return [low + (high - low) * share for share in SHARES]
    if low != -oo:
        return [low + step for step in STEPS]
    if high != oo:
        return [high - step for step in STEPS]
    return [way * step for step in STEPS for way in (1, -1)]
