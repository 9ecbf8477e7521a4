"""Numbers of an audit document as a reader checks them: the exact value, and its decimals.

A value is written as an integer, a fraction, a closed form, or, where it was iterated, in sixty decimals
or as the fraction that they make; then a reader sees its first digits, and the document holds the others.
Decimals come from balls, so that what a document holds can neither run nor take long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import flint

from audit.formulas.closed_forms import NoClosedForm, closed_form
from claims import exact
from claims.typeset import typeset

__all__ = ["DIGITS", "Number", "decimal_latex", "number_in", "telling"]

DIGITS, MOST_DIGITS = 5, 17
"""Significant digits that are shown, and those at most where fewer would not tell two numbers apart."""
BITS, KNOWN = 256, 40
"""Bits of a ball, and the digits to which an iterated value is taken for known."""
SHORT, LONGEST = 30, 200
"""Characters of LaTeX that are shown inside a relation, and of an exact value that is shown at all."""
PLAIN_INTEGER, SIMPLE = 12, 1000
"""Digits of an integer that needs no decimals beside it, and numerators of fractions at a point."""
LARGEST_EXPONENT = 10_000
_DECIMAL = re.compile(r"[+-]?\d+(?:\.\d*(?:[Ee][+-]?\d+)?|[Ee][+-]?\d+)")


@dataclass(frozen=True)
class Number:
    """A number: LaTeX of its exact value where there is one, its value as a fraction or in decimals.

    `value` is a `Fraction` where the number is rational, else a `Decimal` of forty digits, else None
    (infinite, or not evaluated).
    """

    exact: str | None
    value: Fraction | Decimal | None

    def rounded(self, digits: int = DIGITS) -> tuple[str, bool] | None:
        """The number in decimals, and whether that is the number itself; None without a value."""
        if self.value is None:
            return None
        shown = Context(prec=digits).create_decimal(_as_decimal(self.value))
        if isinstance(self.value, Fraction):
            same = Fraction(shown) == self.value
        else:
            known = Decimal(10) ** (-KNOWN + 10) * max(abs(self.value), Decimal(1))
            same = self.exact is None and abs(shown - self.value) < known
        return decimal_latex(shown.normalize() if same else shown), same

    @property
    def is_rounded(self) -> bool:
        """Whether its decimals, which stand for it where there is no exact value, are not the number."""
        rounded = self.rounded() if self.exact is None else None
        return rounded is not None and not rounded[1]

    def latex(self, digits: int = DIGITS) -> str:
        r"""The exact value and its decimals: `\frac{5}{8} = 0.625`, `\sqrt{3} \approx 1.7321`."""
        rounded = None if self.is_plain else self.rounded(digits)
        if rounded is None:
            return self.exact or r"\text{?}"
        decimals, same = rounded
        if self.exact is None or len(self.exact) > LONGEST:
            return decimals if same else rf"\approx {decimals}"
        return f"{self.exact} {'=' if same else chr(92) + 'approx'} {decimals}"

    def short(self, digits: int = DIGITS) -> str:
        """The exact value where it is short, else decimals: as it stands inside a relation."""
        if self.exact is not None and len(self.exact) <= SHORT:
            return self.exact
        rounded = self.rounded(digits)
        return rounded[0] if rounded else self.exact or r"\text{?}"

    def brief(self, digits: int = DIGITS) -> str:
        """The number itself where it is simple or short, else decimals alone, after an `\\approx`."""
        if self.is_simple and self.exact is not None:
            return self.exact
        rational = isinstance(self.value, Fraction)
        if self.exact is not None and len(self.exact) <= SHORT and not rational:
            return self.latex(digits)
        return Number(None, self.value).latex(digits) if self.value is not None else self.latex()

    @property
    def is_simple(self) -> bool:
        """Whether it is a fraction that everybody can picture: small integers above and below."""
        value = self.value
        return isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < SIMPLE

    @property
    def is_plain(self) -> bool:
        """Whether it needs no decimals: an integer of few digits, or what has no value."""
        if self.value is None:
            return True
        few = abs(self.value) < 10**PLAIN_INTEGER
        return isinstance(self.value, Fraction) and self.value.denominator == 1 and few


def number_in(value: Any) -> Number | None:
    """The number that a document writes as an int, a float or a text; None for anything else.

    >>> number_in("5/8").latex(), number_in("exp(-4*sqrt(2))").latex()
    ('\\\\frac{5}{8} = 0.625', 'e^{-4 \\\\sqrt{2}} \\\\approx 0.0034935')
    >>> number_in(f"{14 * 10**50 // 99}/{10**50 // 10}").latex()
    '\\\\approx 1.4141'
    >>> number_in("0.750000000000000000000000000000000000000000000000").latex()
    '0.75'
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return Number(str(value), Fraction(value))
    text = repr(value) if isinstance(value, float) else str(value).strip()
    if isinstance(value, float) or _DECIMAL.fullmatch(text):
        value = _decimal(text)
        return None if value is None else Number(None, value)
    try:
        expression = closed_form(text)
    except NoClosedForm:
        return None
    if expression.is_Rational:
        fraction = Fraction(int(expression.p), int(expression.q))
        return Number(None if _is_iterated(fraction) else typeset(expression), fraction)
    return Number(typeset(expression), _evaluated(expression))


def telling(first: Number, second: Number) -> int:
    """The digits, five or more, in which two numbers are seen to differ."""
    for digits in range(DIGITS, MOST_DIGITS):
        if first.rounded(digits) != second.rounded(digits):
            return digits
    return DIGITS


def _is_iterated(value: Fraction) -> bool:
    """Whether a fraction has more digits above and below than an iterated value is known to."""
    return min(abs(value.numerator), value.denominator) >= 10**KNOWN


def _evaluated(expression: Any) -> Decimal | None:
    """Forty digits of a closed form, by a ball; None where it is infinite or has no real value."""
    try:
        with flint.ctx.workprec(BITS):
            ball = exact.ball(expression, {})
            return _decimal(str(ball.str(KNOWN, radius=False)))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None


def _decimal(text: str) -> Decimal | None:
    """A finite decimal whose exponent a reader could write down."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) < LARGEST_EXPONENT else None


def _as_decimal(value: Fraction | Decimal) -> Decimal:
    if isinstance(value, Decimal):
        return value
    return Context(prec=KNOWN).divide(Decimal(value.numerator), Decimal(value.denominator))


def decimal_latex(value: Decimal) -> str:
    r"""A decimal as LaTeX: positional near one, else with a power of ten, `5.65 \cdot 10^{-7}`."""
    if value == 0:
        return "0"
    place = value.adjusted()
    if -5 < place < 7:
        return f"{value:f}"
    mantissa = f"{value.scaleb(-place):f}"
    return rf"10^{{{place}}}" if mantissa == "1" else rf"{mantissa} \cdot 10^{{{place}}}"
