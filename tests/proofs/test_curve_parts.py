"""What certificates of signs are made of: smooth and positive functions, spans, factors, and what each asks."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from curve_examples import FALLING_COSINE, LINE, RIGHT, SINE, x, y
from sympy import (
    Abs,
    Dummy,
    I,
    Integer,
    Max,
    Rational,
    Symbol,
    acos,
    asinh,
    atan,
    cbrt,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)  # fmt: skip

from claims.statement import Compare, Quantity
from proofs.calculus import spans
from proofs.calculus.curves import (
    ConcaveSign,
    Factor,
    MonotoneSign,
    PiecewiseSign,
    RangeBound,
    SignOfProduct,
)
from proofs.calculus.ends import limit_at
from proofs.calculus.inequalities import SignOnInterval
from proofs.calculus.spans import (
    PLACE,
    Span,
    at_place,
    is_positive,
    is_smooth,
    rational_hull,
    sign_at,
)

z = Symbol("z")
BEYOND_ZERO = Span(x, 0, oo, open_low=True)
UNIT = Span(x, 0, 1)
HIDDEN_ZERO = sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))
HIDDEN = Quantity("q", lambda at: at[x], real=True)


@pytest.fixture
def misjudged(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A number that passes for one that SymPy misjudges: which ones it does depends on what it was asked."""
    monkeypatch.setattr(spans, "misjudges", lambda term: bool(term.has(sqrt(2))))
    return sqrt(2)


@pytest.mark.parametrize(
    ("term", "span", "holds"),
    [
        (sinh(x) + atan(x) + erf(x) + erfc(x), LINE, True), (sqrt(x), RIGHT, True), (sqrt(x), LINE, False),
        (x ** -Rational(1, 2), BEYOND_ZERO, True), (x ** -Rational(1, 2), RIGHT, False),
        (1 / (1 + x), RIGHT, True), (1 / (-1 - x), RIGHT, True), (1 / (1 - x), RIGHT, False),
        (2 ** sin(x), LINE, True), (2 ** tan(x), LINE, False), (tan(x) ** 2, LINE, False),
        (x**x, BEYOND_ZERO, True), (x**x, RIGHT, False), (log(1 + floor(x) ** 2), LINE, False),
        (x * Dummy(real=True), LINE, True), (x * y, LINE, True), (x * z, LINE, False), (x + I, LINE, False),
        (x + HIDDEN, LINE, False), (x * sqrt(-1 - y**2), LINE, False),
    ],
)  # fmt: skip
def test_smooth_as_the_shape_shows(term: Any, span: Span, holds: bool) -> None:
    assert is_smooth(at_place(term, span), span) is holds


@pytest.mark.parametrize(
    ("term", "span", "holds"),
    [
        (x, BEYOND_ZERO, True), (x, RIGHT, False), (1 - x, Span(x, 0, 1, open_high=True), True),
        (1 - x, UNIT, False), (2 - x**2, Span(x, 0, sqrt(2)), False), (2 - x**2, Span(x, 0, 1), True),
        (1 / (1 + exp(x)), LINE, True), (exp(sqrt(x * (1 - x))), UNIT, True), (-1 / (1 + exp(x)), LINE, False),
        (log(x), Span(x, 2, oo), True), (log(x), Span(x, 1, oo, open_low=True), True),
        (log(x), Span(x, 1, oo), False),
        (log(3 - x), Span(x, -oo, 1), True), (log(3 - x), Span(x, -oo, 2, open_high=True), True),
        (log(3 - x), Span(x, -oo, 2), False), (log(x), UNIT, False),
        (y * x + 1, UNIT, False), (1 + x**2 + y**2, LINE, True), (x * exp(x), BEYOND_ZERO, True),
    ],
)  # fmt: skip
def test_positive_as_the_shape_shows(term: Any, span: Span, holds: bool) -> None:
    assert is_positive(at_place(term, span), span) is holds


def test_numbers_that_sympy_misjudges_show_nothing(misjudged: Any) -> None:
    assert not is_smooth(PLACE + misjudged, LINE) and is_smooth(PLACE + acos(0), LINE)
    assert not is_positive(exp(PLACE) + misjudged, LINE)
    assert is_positive(exp(PLACE) + acos(0), LINE)


def test_numbers_that_are_not_real_are_no_curves() -> None:
    """Nor is one of which nobody says that it is real."""
    for number in (I * sqrt(2), 2 * I * pi, log(-1 - sqrt(2)), sqrt(2) * sqrt(sin(3) - 1)):
        assert not is_smooth(PLACE + number, LINE) and not is_smooth(y * number, LINE)
        assert not is_positive(PLACE * number + y, LINE)


def test_signs_of_values() -> None:
    assert [sign_at(v) for v in (1 + y**2, y - y, y, -1 - y**2)] == [1, 0, -1, -1]
    assert [sign_at(v) for v in (sqrt(2) - 1, sqrt(8) - 2 * sqrt(2), 1 - sqrt(2))] == [1, 0, -1]


def test_rational_ends_enclose() -> None:
    low, high = rational_hull(Span(x, -sqrt(2), pi))
    assert low.is_Rational and high.is_Rational and low < -sqrt(2) and pi < high
    assert max(-sqrt(2) - low, high - pi) < Rational(1, 10**6)
    assert rational_hull(Span(x, -oo, 2)) == (-oo, 2)
    far = pi * 10**20
    assert far < rational_hull(Span(x, 0, far))[1] < far + 1


class TestSpan:
    def test_its_parts(self) -> None:
        span = Span(x, 0, 1, open_low=True)
        assert span.interior == Span(x, 0, 1, True, True)
        assert span.formulas() == (Compare(x, ">", Integer(0)), Compare(x, "<=", Integer(1)))
        assert span.interior.formulas()[1] == Compare(x, "<", Integer(1))
        assert [span.has_end(end) for end in (0, 1, 2)] == [False, True, False]

    def test_ends_that_sympy_misjudges_are_refused(self, misjudged: Any) -> None:
        with pytest.raises(ValueError, match="must be a real number"):
            Span(x, 0, 1 + misjudged).require()

    def test_nothing_is_changed_afterwards(self) -> None:
        for fixed, name in (
            (UNIT, "high"),
            (SINE, "anchor"),
            (Factor(x), "power"),
            (FALLING_COSINE, "sign"),
        ):
            with pytest.raises(FrozenInstanceError):
                setattr(fixed, name, None)


@pytest.mark.parametrize(
    ("factor", "span", "sign"),
    [
        (Factor(1 + x**2, 2), LINE, ">0"), (Factor(-1 - x**2, 3), LINE, "<0"),
        (Factor(-1 - x**2, 2), LINE, ">0"),
        (Factor(1 + x**2, z), LINE, None), (Factor(1 + floor(x) ** 2), LINE, None),
        (Factor(tanh(x), -2), LINE, None),
        (Factor(tanh(x), 2), LINE, ">=0"), (Factor(x - sin(x), 1, SINE), RIGHT, ">=0"),
        (Factor(x - sin(x), -1, SINE), RIGHT, None), (Factor(x - sin(x), -Rational(1, 2), SINE), RIGHT, None),
        (Factor(x - sin(x), Rational(1, 2), SINE), RIGHT, ">=0"), (Factor(x - sin(x), 1, SINE), LINE, None),
        (Factor(-x, 1, SignOnInterval(-x, x, 0, 1, "<=0")), UNIT, "<=0"),
        (Factor(-x, Rational(1, 2), SignOnInterval(-x, x, 0, 1, "<=0")), UNIT, None),
        (Factor(-x, -3, SignOnInterval(-x, x, 0, 1, "<=0")), UNIT, None),
        (Factor(x, 1, SignOnInterval(x, x, -1, 1, ">=0")), Span(x, -1, 1), None),
        (Factor(x, 1, SignOnInterval(x**2, x, -1, 1, ">=0")), Span(x, -1, 1), None),
    ],
)  # fmt: skip
def test_signs_of_factors(factor: Factor, span: Span, sign: Any) -> None:
    assert factor.sign_on(span) == sign


def test_ranges_from_which_a_derivative_is_read() -> None:
    half_open = SignOnInterval(1, x, 0, 1, ">0", open_low=True)
    assert MonotoneSign(x, half_open, 0, ">=0").span == Span(x, 0, 1, open_low=True)
    assert MonotoneSign(x, SignOnInterval(1, x, 0, 1, ">0"), 0, ">0").span == Span(
        x, 0, 1, open_low=True
    )
    assert MonotoneSign(1 - x, SignOnInterval(-1, x, 0, 1, "<0"), 1, ">0").span == Span(
        x, 0, 1, open_high=True
    )
    assert RangeBound(1 - cos(x), ">=0", LINE).concludes() == (
        Compare(1 - cos(x), ">=", Integer(0)),
        (),
    )


FALLING = SignOfProduct(-exp(x), "<=0", LINE, (Factor(-exp(x)),))
BENT = SignOnInterval(-2, x, 0, 1, "<=0")


@pytest.mark.parametrize(
    "wrong",
    [
        # It begins above zero and is said to lie below, or includes an end at which it is zero.
        MonotoneSign(1 - x, SignOnInterval(-1, x, 0, 1, "<0"), 0, "<=0"),
        MonotoneSign(1 - x, SignOnInterval(-1, x, 0, 1, "<0"), 1, ">0", span=UNIT),
        # Of zero to the power of zero SymPy says one; nothing is continuous there by its shape.
        MonotoneSign(
            x**x - 1, SignOfProduct(x**x * (1 + log(x)), "<=0", Span(x, 0, Rational(1, 4), True), (
                Factor(x**x), Factor(1 + log(x), 1, MonotoneSign(
                    1 + log(x), SignOnInterval(1, x, 0, Rational(1, 4), ">0"), Rational(1, 4), "<=0", x,
                    Span(x, 0, Rational(1, 4), True))))),
            0, "<=0", span=Span(x, 0, Rational(1, 4), True),
        ),
        ConcaveSign(x - x**2, "<=0", UNIT, BENT), ConcaveSign(x - x**2, ">0", UNIT, BENT),
        ConcaveSign(x**2 - x, ">=0", UNIT, SignOnInterval(2, x, 0, 1, "<=0")),
        ConcaveSign(1 - exp(x), ">=0", Span(x, -oo, 0), FALLING),
        ConcaveSign(x - x**2, ">=0", UNIT, SignOnInterval(-3, x, 0, 1, "<=0")),
        # A last piece without its end, and a gap between two.
        PiecewiseSign(1 - x, ">0", Span(x, -1, 1), (
            SignOnInterval(1 - x, x, -1, 0, ">0"), SignOnInterval(1 - x, x, 0, 1, ">0", open_high=True))),
        PiecewiseSign(x**2 - x, ">=0", Span(x, -1, 2), (
            SignOnInterval(x**2 - x, x, -1, 0, ">=0"), SignOnInterval(x**2 - x, x, 1, 2, ">=0"))),
        PiecewiseSign(x**2, ">=0", Span(x, -1, 1), (
            SignOnInterval(x**2, x, -1, 0, ">=0"), SignOnInterval(y**2, y, 0, 1, ">=0"))),
    ],
)  # fmt: skip
def test_refused(wrong: Any) -> None:
    assert not wrong.check()


def test_strict_where_both_ends_are() -> None:
    assert ConcaveSign(2 + x - x**2, ">0", UNIT, BENT).check()


@pytest.mark.parametrize(
    "make",
    [
        lambda sign, span: RangeBound(Integer(1), sign, span),
        lambda sign, span: SignOfProduct(exp(x), sign, span, (Factor(exp(x)),)),
        lambda sign, span: ConcaveSign(x - x**2, sign, span, BENT),
        lambda sign, span: PiecewiseSign(x**2, sign, span, (SignOnInterval(x**2, x, -9, 9, ">=0"),)),
        lambda sign, span: MonotoneSign(x, SignOnInterval(1, x, 0, 1, ">0"), 0, sign, span=span),
    ],
)  # fmt: skip
def test_signs_and_spans_are_looked_at(make: Any) -> None:
    with pytest.raises(ValueError, match="must be one of"):
        make(">", UNIT).check()
    with pytest.raises(ValueError, match="has no length"):
        make(">=0", Span(x, 1, 0)).check()


@pytest.mark.parametrize(
    ("e", "low", "high"),
    [
        (2 + 1 / x, 2, 2), (3 * x**2 / (2 * x**2 + x), Rational(3, 2), Rational(3, 2)), (x - 2 * x**3, oo, -oo),
        (x**2 * exp(-x), oo, 0), (sqrt(x**2 + 1) * exp(x - x**2), 0, 0), (atan(x) * exp(-(x**2)), 0, 0),
        (atan(-x) + tanh(x), pi / 2 - 1, 1 - pi / 2), (erfc(x) + erf(2 * x), 1, 1), (y + 1 / x, y, y),
        (y * x, None, None), (x - log(x), None, None), (sin(x), None, None), (sin(1 / x), 0, 0),
        (x * exp(x), 0, oo), (log(x**2 + 1), oo, oo), (log(1 + exp(-x)), oo, 0), (exp(x) - x**2, -oo, None),
        ((1 + exp(x)) ** Rational(-1, 2), 1, 0), (exp(-x) * x**-2, None, 0), (x * (1 + exp(-x)), -oo, oo),
        (x ** Rational(1, 3), None, oo), ((1 + x**2) ** y, None, None), (cosh(x), oo, oo),
        (floor(1 / x), None, None), (x * HIDDEN_ZERO, None, None),
        (x * (sqrt(2) - 1), -oo, oo), (asinh(x), -oo, oo), (1 / (sqrt(x**2 + 1) - x), 0, None),
        (exp(-x) * log(x**2 + 1), oo, None), ((x + 1) ** 2 - x**2 - 2 * x - 1, 0, 0), (1 / x, 0, 0),
        (sinh(x), -oo, oo), (exp(x) + y, y, oo), (x / (1 + x * HIDDEN_ZERO), None, None),
        (x**x * exp(-x), None, None), (cos(1 / x), 1, 1), ((1 + exp(x)) * exp(-x), oo, None),
        (x * exp(-asinh(x)), -oo, None), (sqrt(1 + exp(x)) * exp(-x / 4), oo, None),
        ((x - exp(-x)) ** 2, oo, oo), ((x - exp(-x)) ** 3, -oo, oo), (1 / (x - exp(-x)), 0, 0),
        (cbrt(x - exp(-x)), None, oo), (sqrt(1 - tanh(x)), sqrt(2), 0),
        (1 / (1 - tanh(x)), Rational(1, 2), None), ((tanh(x) - 2) ** 2, 9, 1),
        (1 / (tanh(x) - 2), -Rational(1, 3), -1), (cbrt(tanh(x) - 2), None, None),
        ((y + tanh(x)) ** 2, (y - 1) ** 2, (y + 1) ** 2), (1 / (y + tanh(x)), None, None),
        (sqrt(y + tanh(x)), None, None), ((1 + x * sqrt(x**2 + 1)) * exp(-x), -oo, 0),
        ((1 - tanh(x)) ** Rational(-1, 2), sqrt(2) / 2, None), (atan(1 / x), 0, 0), (exp(1 / x), 1, 1),
        (x / 2 + Rational(1, 3), -oo, oo), (exp(x) + exp(-x), oo, oo), (y + exp(x) - exp(-x), -oo, oo),
    ],
)  # fmt: skip
def test_limits_at_infinite_ends(e: Any, low: Any, high: Any) -> None:
    """What is given is right, and nothing is given where a shape does not show it."""
    assert [limit_at(e, x, end) for end in (-oo, oo)] == [low, high]


def test_an_anchor_may_be_infinite() -> None:
    falls = (
        RangeBound(Integer(1), ">0", LINE),
        SignOfProduct(-1 / (1 + x**2), "<0", LINE, (Factor(-1 / (1 + x**2)),)),
    )
    assert MonotoneSign(pi / 2 - atan(x), falls[1], oo, ">0", span=LINE).check()
    assert not MonotoneSign(Rational(3, 2) - atan(x), falls[1], oo, ">0", span=LINE).check()
    assert not MonotoneSign(Rational(3, 2) - atan(x), falls[1], oo, ">=0", span=LINE).check()
    assert not MonotoneSign(pi / 2 - atan(x), falls[1], -oo, "<0", span=LINE).check()
    assert not MonotoneSign(x, falls[0], oo, "<0", span=LINE).check()
    # What is no smooth function has no limit here.
    falling = SignOfProduct(Integer(-1), "<0", RIGHT, (Factor(Integer(-1)),))
    for term in (Abs(x), Max(x, 1), floor(x), 1 / (x - 1)):
        assert not MonotoneSign(term, falling, oo, ">0", span=RIGHT).check()
    # A constant tends to zero, and is not positive.
    level = RangeBound(Integer(0), "<=0", RIGHT)
    assert level.check() and MonotoneSign(Integer(0), level, oo, ">=0", span=RIGHT).check()
    assert not MonotoneSign(Integer(0), level, oo, ">0", span=RIGHT).check()


def test_hyperbolic_functions_are_their_exponentials() -> None:
    assert SignOfProduct(1 - tanh(x), ">0", LINE, (Factor(2 / (exp(2 * x) + 1)),)).check()
    assert not SignOfProduct(1 + tanh(x), ">0", LINE, (Factor(2 / (exp(2 * x) + 1)),)).check()


BELOW_ZERO = Span(x, -oo, 0, open_high=True)


@pytest.mark.parametrize(
    ("e", "span", "holds"),
    [
        (exp(x) - 1, BEYOND_ZERO, True), (exp(x) - 1, RIGHT, False), (exp(x) - 1, LINE, False),
        (exp(x) - 1, Span(x, 0, 1, open_low=True), True), (exp(x) - Rational(1, 2), RIGHT, True),
        (exp(x) - 2, BEYOND_ZERO, False), (1 - exp(x), BEYOND_ZERO, False), (1 - exp(x), BELOW_ZERO, True),
        (exp(-x) - 1, BELOW_ZERO, True), (exp(-x) - Rational(1, 2), BEYOND_ZERO, False),
        (2 - exp(x), Span(x, -1, log(2), open_high=True), True), (2 - exp(x), Span(x, -1, log(2)), False),
        (exp(x) - 1 / x, BEYOND_ZERO, False), (exp(x) - 1 + y, BEYOND_ZERO, False),
        (exp(x) - 1 + y**2, BEYOND_ZERO, False), (exp(-x) + x - 1, BEYOND_ZERO, False),
    ],
)  # fmt: skip
def test_a_function_that_climbs_is_positive(e: Any, span: Span, holds: bool) -> None:
    """By where it starts and its derivative, whose own sign its shape must show."""
    curve = at_place(e, span)
    assert is_smooth(curve, span)
    assert is_positive(curve, span) is holds
    for what in (curve, exp(curve) * curve):  # nor do the factors of a product climb
        assert not is_positive(what, span, climbs=False)


def test_ends_that_belong_to_a_span() -> None:
    assert [RIGHT.has_end(end) for end in (0, oo, -oo)] == [True, False, False]
    assert [Span(x, -oo, 0).has_end(end) for end in (0, oo, -oo)] == [True, False, False]
    assert not BEYOND_ZERO.has_end(0)
    assert at_place(PLACE + 1, Span(PLACE, 0, 1)) == PLACE + 1


def test_what_is_not_decided_has_no_sign(monkeypatch: pytest.MonkeyPatch, misjudged: Any) -> None:
    assert sign_at((y + 1) ** 2 - y**2 - 2 * y - 1) == 0
    assert [sign_at(y**2 + 1), sign_at(y**2 + misjudged)] == [1, -1]
    monkeypatch.setattr(spans.exact, "sign", lambda number: None)
    assert sign_at(sqrt(3)) == -1
