"""Inequalities with certificates: what makes one true is written down and can be checked again.

A certificate is a frozen dataclass stating `expression` `sign` 0 on a range.  `check()` recomputes
everything and returns whether the certificate proves the statement; it never trusts a stored sign.
`False` means "this certificate proves nothing", not "the inequality is false".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import flint
import sympy as sp
from sympy import Add, Dummy, Expr, Integer, Mul, Poly, Pow, Rational, Symbol, oo, sympify

from claims import exact
from claims.bound import put
from claims.exact import ball
from claims.statement import Compare, Formula
from proofs.calculus.deltas import vanishes

__all__ = [
    "SIGNS", "BoxBound", "Conclusion", "Sign", "SignOnInterval", "SumOfSquares", "Undecided", "ball",
    "inside", "relation", "require_sign",
]  # fmt: skip

Sign = Literal[">=0", ">0", "<=0", "<0"]
SIGNS = get_args(Sign)
PRECISION = 128
"""Bits of every ball; enclosures are rigorous at any precision, this only limits their width."""


SMALLEST = Rational(1, 2**40)
"""Pieces of a box narrower than this are not halved again."""

Piece = dict[Symbol, tuple[Any, Any]]
Conclusion = tuple[Formula, tuple[Formula, ...]]
"""What a certificate shows, and the hypotheses under which it does."""


def relation(sign: Sign) -> str:
    return sign.removesuffix("0")


def inside(
    variable: Symbol, low: Any, high: Any, open_low: bool = False, open_high: bool = False
) -> tuple[Formula, ...]:
    """That a variable lies in an interval; infinite ends say nothing."""
    ends = ((low, ">" if open_low else ">="), (high, "<" if open_high else "<="))
    return tuple(Compare(variable, sign, end) for end, sign in ends if end not in (oo, -oo))


class Undecided(ArithmeticError):
    """Ball arithmetic could neither prove nor refute a bound within its budget."""


@dataclass(frozen=True)
class SumOfSquares:
    """expression = sum of weight * base^2, plus `remainder`: hence expression >= 0.

    Weights and the summands of the remainder must be products of factors each known to be
    nonnegative: by the assumptions on their symbols, as an even power, or as one of `given`, the
    hypotheses (each meaning "is nonnegative").  Bases must be real by assumption.

    >>> from sympy import symbols
    >>> a, b = symbols("a b", real=True)
    >>> SumOfSquares(a**2 - 2*a*b + b**2, ((1, a - b),)).check()
    True
    >>> SumOfSquares(a**2 - 2*a*b, ((1, a - b),)).check()
    False
    """

    expression: Expr
    squares: tuple[tuple[Any, Any], ...]
    remainder: tuple[Any, ...] = ()
    given: tuple[Any, ...] = ()
    name: ClassVar[str] = "sum of squares and products of nonnegative factors"

    def concludes(self) -> Conclusion:
        """expression >= 0, under `given`."""
        given = tuple(Compare(g, ">=", 0) for g in map(sympify, self.given))
        return Compare(sympify(self.expression), ">=", 0), given

    def check(self) -> bool:
        weights = (sympify(w) for w, _ in self.squares)
        bases = [sympify(b) for _, b in self.squares]
        rest = [sympify(r) for r in self.remainder]
        given = tuple(map(sympify, self.given))
        total = Add(*(sympify(w) * sympify(b) ** 2 for w, b in self.squares), *rest)
        return (
            all(_nonnegative(x, given) for x in (*weights, *rest))
            and all(b.is_real for b in bases)
            and vanishes(self.expression - total)
        )


def _nonnegative(e: Expr, given: tuple[Expr, ...]) -> bool:
    """Whether a product of factors is nonnegative by assumption, by parity or by hypothesis."""
    if e.is_nonnegative or e in given:
        return True
    if isinstance(e, Add):
        return all(_nonnegative(term, given) for term in e.args)
    if isinstance(e, Mul):
        return all(_nonnegative(factor, given) for factor in e.args)
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
        even = e.exp % 2 == 0 and bool(e.base.is_real)
        return even or _nonnegative(e.base, given)
    return False


@dataclass(frozen=True)
class SignOnInterval:
    """The sign of a rational polynomial in one variable on [low, high], by counting real roots.

    Finite ends must be rational and belong to the interval unless `open_low` or `open_high`.
    `check` raises `ValueError` when the ends are no rationals or in the wrong order, or when the
    expression is no polynomial with rational coefficients.

    >>> x = Symbol("x", real=True)
    >>> SignOnInterval(x**2 - 1, x, 1, oo, ">=0").check()
    True
    >>> SignOnInterval(x**2 - 1, x, 1, oo, ">0").check()
    False
    >>> SignOnInterval(x**2 - 1, x, 1, oo, ">0", open_low=True).check()
    True
    """

    expression: Expr
    variable: Symbol
    low: Any
    high: Any
    sign: Sign
    open_low: bool = False
    open_high: bool = False
    name: ClassVar[str] = "sign on an interval, by counting roots"

    def concludes(self) -> Conclusion:
        """The sign, for the variable in the interval."""
        formula = Compare(sympify(self.expression), relation(self.sign), 0)
        return formula, inside(*self.interval, self.open_low, self.open_high)

    @property
    def interval(self) -> tuple[Symbol, Any, Any]:
        return self.variable, sympify(self.low), sympify(self.high)

    def check(self) -> bool:
        require_sign(self.sign)
        _require_interval(self.interval)
        polynomial = _polynomial(self.expression, self.variable)
        if self.sign in ("<=0", "<0"):
            polynomial = -polynomial
        if polynomial.is_zero:
            return self.sign in (">=0", "<=0")
        _, low, high = self.interval
        if low == high:
            value = polynomial.eval(low)
            return bool(value > 0 or (value == 0 and self.sign in (">=0", "<=0")))
        # A root inside is harmless for a weak sign exactly when its multiplicity is even, for then
        # the sign does not change there; a root at an end is always harmless for a weak sign.
        for factor, multiplicity in polynomial.factor_list()[1]:
            if self.sign in (">=0", "<=0"):
                if multiplicity % 2 and _roots(factor, low, high, True, True):
                    return False
            elif _roots(factor, low, high, self.open_low, self.open_high):
                return False
        return bool(polynomial.eval(_regular_point(polynomial, low, high)) > 0)


def require_sign(sign: str) -> None:
    if sign not in SIGNS:
        raise ValueError(f"sign {sign}: must be one of {', '.join(SIGNS)}")


def _require_interval(interval: tuple[Symbol, Any, Any]) -> None:
    variable, low, high = interval
    for end in (low, high):
        if not (end.is_Rational or end in (oo, -oo)):
            raise ValueError(f"end {end}: must be rational or infinite; enclose it in rationals")
    if low > high or low == oo or high == -oo:
        raise ValueError(f"{variable} in [{low}, {high}] is empty: swap the ends")


def _polynomial(e: Any, variable: Symbol) -> Poly:
    try:
        return Poly(sp.expand(sympify(e)), variable, domain="QQ")
    except (sp.PolynomialError, sp.CoercionFailed, ValueError):
        raise ValueError(
            f"{e} is no polynomial in {variable} with rational coefficients: clear denominators, "
            "shift symbols to numbers, or use `BoxBound`"
        ) from None


def _roots(p: Poly, low: Any, high: Any, open_low: bool, open_high: bool) -> int:
    """The number of different real roots of p between the ends."""
    if p.degree() < 1:
        return 0
    count = p.count_roots(None if low == -oo else low, None if high == oo else high)
    at_low = open_low and low != -oo and p.eval(low) == 0
    at_high = open_high and high != oo and p.eval(high) == 0
    return count - int(at_low) - int(at_high)


def _regular_point(p: Poly, low: Any, high: Any) -> Any:
    """A rational strictly between the ends at which p is not zero."""
    if low == -oo:
        low = min(high - 1 if high != oo else Integer(0), Integer(0)) - 1
    if high == oo:
        high = max(low, Integer(0)) + 1
    # More candidates than p has roots, so one of them is none.
    steps = p.degree() + 2
    candidates = (low + (high - low) * Rational(k, steps) for k in range(1, steps))
    return next(x for x in candidates if p.eval(x) != 0)


@dataclass(frozen=True)
class BoxBound:
    """expression > 0 (or >= 0) on a closed box of rational ends, by balls over a subdivision.

    On each piece the enclosure is the better of plain ball arithmetic and the mean-value form, and
    where a partial derivative has one sign the piece shrinks to the face with the least value: so
    a zero at a corner can be decided, where the expression is evaluated exactly.

    `check` is False when a piece is proved to break the bound; it raises `Undecided` when
    `max_pieces` do not suffice or a piece becomes smaller than `SMALLEST` (as when the least value
    is zero with zero slope: use `curves.MonotoneSign` there), and `ValueError` for a box with infinite or
    irrational ends or a symbol without a range.

    >>> x, y = sp.symbols("x y", real=True)
    >>> BoxBound(x**2 + y**2 - x * y + 1, ((x, -1, 1), (y, -1, 1)), ">0").check()
    True
    >>> BoxBound(sp.exp(x) - 1, ((x, 0, 1),), ">=0").check()
    True
    """

    expression: Expr
    box: tuple[tuple[Symbol, Any, Any], ...]
    sign: Literal[">=0", ">0"] = ">=0"
    name: ClassVar[str] = "ball arithmetic over a box"
    max_pieces: int = 20_000

    def concludes(self) -> Conclusion:
        """The sign, everywhere in the box."""
        sides = tuple(f for side in self.box for f in inside(*side))
        return Compare(sympify(self.expression), relation(self.sign), 0), sides

    @property
    def interval(self) -> tuple[Symbol, Any, Any]:
        """The box, when it has one side."""
        if len(self.box) != 1:
            raise ValueError(f"a box of {len(self.box)} sides is no interval: pass one variable")
        variable, low, high = self.box[0]
        return variable, sympify(low), sympify(high)

    def check(self) -> bool:
        if self.sign not in (">=0", ">0"):
            raise ValueError(f"sign {self.sign}: must be >=0 or >0; bound the negative instead")
        if self.max_pieces < 1:
            raise ValueError(f"max_pieces {self.max_pieces}: must be at least 1")
        expression = sympify(self.expression)
        _require_box(expression, {v: (sympify(a), sympify(b)) for v, a, b in self.box})
        # Between whole numbers sin(2 pi n) turns, and left of zero |p| falls, whatever is declared.
        names = {v: Dummy(str(v), real=True) for v, *_ in self.box}
        expression = put(expression, names)
        pieces = [{names[v]: (sympify(a), sympify(b)) for v, a, b in self.box}]
        slopes = {v: expression.diff(v) for v in pieces[0]}
        with flint.ctx.workprec(PRECISION):
            return self._check(expression, slopes, pieces)

    def _check(self, e: Expr, slopes: dict[Symbol, Expr], pieces: list[Piece]) -> bool:
        for _ in range(self.max_pieces):
            verdict, piece = _verdict(e, slopes, pieces.pop(), self.sign == ">0")
            if verdict is False:
                return False
            if verdict is None:
                if max(b - a for a, b in piece.values()) < SMALLEST:
                    break
                pieces += _halves(piece)
            if not pieces:
                return True
        near = {v.name: sp.N((a + b) / 2, 6) for v, (a, b) in piece.items()}
        raise Undecided(
            f"{self.expression} {self.sign}: not decided near {near}, with at most "
            f"{self.max_pieces} pieces; allow more, or split off a zero and prove it there by "
            "monotonicity or by squares"
        )


def _require_box(e: Expr, box: dict[Symbol, tuple[Any, Any]]) -> None:
    for variable, ends in box.items():
        if not all(end.is_Rational for end in ends) or ends[0] > ends[1]:
            raise ValueError(
                f"{variable} in {ends}: needs two rationals in order; enclose the range"
            )
    if loose := e.free_symbols - set(box):
        raise ValueError(f"{e} holds {loose}, which have no range: add them to the box")


def _verdict(e: Expr, slopes: dict, piece: Piece, strict: bool) -> tuple[bool | None, Piece]:
    """True, False or None (not known) for one piece, and the piece shrunk to where e is least."""
    values = {v: _hull(*ends) for v, ends in piece.items()}
    value = ball(e, values)
    if value > 0 or (value >= 0 and not strict):
        return True, piece
    if value < 0:
        return False, piece
    if not value.is_finite():
        return None, piece
    centre = {v: _hull((a + b) / 2, (a + b) / 2) for v, (a, b) in piece.items()}
    mean = ball(e, centre)
    if mean < 0 or (strict and mean <= 0):
        return False, piece
    shrunk = dict(piece)
    for v, (a, b) in piece.items():
        slope = ball(slopes[v], values)
        mean += slope * (values[v] - centre[v])
        if a != b and slope.is_finite() and (slope >= 0 or slope <= 0):
            shrunk[v] = (a, a) if slope >= 0 else (b, b)
    if mean > 0 or (mean >= 0 and not strict):
        return True, piece
    if all(a == b for a, b in shrunk.values()):
        return _at_point(e, {v: a for v, (a, _) in shrunk.items()}, strict), shrunk
    return (None, piece) if shrunk == piece else _verdict(e, slopes, shrunk, strict)


def _at_point(e: Expr, point: dict[Symbol, Any], strict: bool) -> bool:
    value = put(e, point)
    found = exact.sign(value)
    if found is None:
        raise Undecided(f"{e} at {point} is {value}, of unknown sign: simplify it by hand")
    return found > 0 if strict else found >= 0


def _hull(low: Any, high: Any) -> flint.arb:
    return ball(low, {}).union(ball(high, {}))


def _halves(piece: Piece) -> Iterator[Piece]:
    widest = max(piece, key=lambda v: piece[v][1] - piece[v][0])
    low, high = piece[widest]
    middle = (low + high) / 2
    yield {**piece, widest: (low, middle)}
    yield {**piece, widest: (middle, high)}
