"""The signs of functions of one variable: true certificates check, wrong ones are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from curve_examples import FALLING_COSINE, LINE, RIGHT, SINE, x, y
from sympy import (
    Abs,
    E,
    Float,
    I,
    Rational,
    Symbol,
    cos,
    exp,
    floor,
    log,
    oo,
    pi,
    sin,
    sqrt,
    tan,
    tanh,
)  # fmt: skip

from claims.statement import Compare
from proofs import kernel
from proofs.calculus.curves import (
    ConcaveSign,
    Factor,
    MonotoneSign,
    PiecewiseSign,
    RangeBound,
    SignOfProduct,
)
from proofs.calculus.inequalities import BoxBound, SignOnInterval, SumOfSquares
from proofs.calculus.spans import PLACE, Span, at_place, is_positive, is_smooth

n = Symbol("n", integer=True, positive=True)
z = Symbol("z")


class TestSpan:
    @pytest.mark.parametrize(
        ("outer", "inner", "holds"),
        [
            (LINE, RIGHT, True), (RIGHT, LINE, False), (RIGHT, RIGHT.interior, True),
            (RIGHT.interior, RIGHT, False), (RIGHT, Span(x, 0, pi), True), (LINE, Span(y, 0, 1), False),
            (Span(x, 0, pi), Span(x, 0, Rational(22, 7)), False), (Span(x, 0, pi), Span(x, 0, 3), True),
            (Span(x, 0, 1, open_high=True), Span(x, 0, 1), False), (LINE.interior, LINE, True),
        ],
    )  # fmt: skip
    def test_contains(self, outer: Span, inner: Span, holds: bool) -> None:
        assert outer.contains(inner) is holds

    @pytest.mark.parametrize(
        "wrong",
        [
            Span(x, 1, 0), Span(x, 1, 1), Span(x, oo, oo), Span(x, y, 1), Span(x, I, 1), Span(x, pi, pi),
        ],
    )  # fmt: skip
    def test_without_length_is_refused(self, wrong: Span) -> None:
        with pytest.raises((ValueError, TypeError)):
            wrong.require()


class TestRangeBound:
    def test_holds(self) -> None:
        assert FALLING_COSINE.check()
        assert RangeBound(3 + cos(x) + sin(x**2), ">0", LINE).check()
        assert RangeBound(log(Rational(1, 2)), "<0", LINE).check()

    @pytest.mark.parametrize(
        "wrong",
        [
            RangeBound(1 - cos(x), ">0", LINE), RangeBound(1 - 2 * cos(x), ">=0", LINE),
            RangeBound(1 - cos(x), "<=0", LINE), RangeBound(exp(x), ">=0", LINE),
            RangeBound(1 + 2 * cos(y), ">0", LINE), RangeBound(1 - cos(1 / x), ">=0", LINE),
            RangeBound(2 + sin(Abs(x)), ">0", LINE), RangeBound(sqrt(cos(x)), ">=0", LINE),
        ],
    )  # fmt: skip
    def test_refuses(self, wrong: RangeBound) -> None:
        assert not wrong.check()


class TestMonotoneSign:
    def test_logarithm_below_its_tangent_on_both_sides(self) -> None:
        f = x - 1 - log(x)
        right = SignOnInterval(x - 1, x, 1, oo, ">0", open_low=True)
        left = SignOnInterval(x - 1, x, Rational(1, 9), 1, "<0", open_high=True)
        assert MonotoneSign(f, right, 1, ">0", multiplier=x).check()
        assert MonotoneSign(f, left, 1, ">0", multiplier=x).check()
        assert not MonotoneSign(f, left, 1, "<=0", multiplier=x).check()

    def test_nests(self) -> None:
        slope = MonotoneSign(exp(x) - 1, BoxBound(exp(x), ((x, 0, 5),), ">0"), 0, ">0")
        assert slope.check()
        assert MonotoneSign(exp(x) - 1 - x, slope, 0, ">0").check()

    def test_refuses(self) -> None:
        up = SignOnInterval(x - 1, x, 1, oo, ">=0")
        assert not MonotoneSign(x - 1 - log(x) - 1, up, 1, ">=0", multiplier=x).check()
        assert not MonotoneSign(x - 1 - log(x), up, 1, ">=0").check()
        assert not MonotoneSign(x - 1 - log(x), up, 1, ">0", multiplier=x).check()
        assert not MonotoneSign(x - 1 - log(x), up, 1, "<=0", multiplier=x).check()
        wrong = SignOnInterval(x - 2, x, 1, oo, ">=0")
        assert not MonotoneSign(x**2 / 2 - 2 * x + Rational(3, 2), wrong, 1, ">=0").check()

    def test_refuses_a_pole_or_a_jump_inside(self) -> None:
        # f = 1 - 1/x is zero at 1 and rises wherever it is defined, yet is positive below zero.
        f = 1 - 1 / x
        rises = SignOnInterval(1, x, -2, 1, ">0")
        assert not MonotoneSign(f, rises, 1, "<0", multiplier=x**2).check()
        assert MonotoneSign(
            f, SignOnInterval(1, x, Rational(1, 2), 1, ">0"), 1, "<0", multiplier=x**2
        ).check()

    def test_exponentials_of_polynomials_are_factors_of_a_derivative(self) -> None:
        f = exp(-1) - x * exp(-x)
        for up, ends in ((True, (1, oo)), (False, (0, 1))):
            sign = ">=0" if up else "<=0"
            slope = SignOnInterval(x - 1, x, *ends, sign)
            assert MonotoneSign(f, slope, 1, ">=0", multiplier=exp(x)).check()
            assert not MonotoneSign(f, slope, 1, "<=0", multiplier=exp(x)).check()
            assert not MonotoneSign(f, slope, 1, ">=0", multiplier=-exp(x)).check()
            assert not MonotoneSign(f, slope, 1, ">=0", multiplier=exp(2 * x)).check()

    @pytest.mark.parametrize("multiplier", [exp(I * x), exp(1 / x), exp(x * y), exp(z), cos(x)])
    def test_a_multiplier_that_may_not_be_positive_is_refused(self, multiplier: Any) -> None:
        """Of exp(1/x) nobody asks where it is taken."""
        slope = SignOnInterval(1, x, 0, 1, ">0")
        assert not MonotoneSign(x, slope, 0, ">0", multiplier=multiplier).check()

    @pytest.mark.parametrize("multiplier", [exp(I * x), exp(1 / x), exp(z), cos(x), x**2])
    def test_a_multiplier_is_positive_by_its_shape(self, multiplier: Any) -> None:
        """Its sign alone is asked here: the quotient by it is the derivative."""
        span = Span(x, -1, 1)
        times = at_place(multiplier, span)
        assert not (is_smooth(times, span) and is_positive(times, span))

    def test_anchor_must_be_an_end(self) -> None:
        with pytest.raises(ValueError, match="is no end of"):
            MonotoneSign(x, SignOnInterval(1, x, -1, 1, ">0"), 0, ">0").check()

    def test_begins_with_the_sign_or_at_zero(self) -> None:
        rising = RangeBound(2 + cos(x), ">0", LINE)
        above = {
            sign: MonotoneSign(2 * x + sin(x) + 1, rising, 0, sign, span=RIGHT)
            for sign in (">0", ">=0")
        }
        assert all(certificate.check() for certificate in above.values())
        at_zero = MonotoneSign(2 * x + sin(x), rising, 0, ">0", span=RIGHT)
        assert not at_zero.check()
        assert MonotoneSign(
            2 * x + sin(x), rising, 0, ">0", span=Span(x, 0, oo, open_low=True)
        ).check()
        assert not MonotoneSign(2 * x + sin(x) - 1, rising, 0, ">=0", span=RIGHT).check()
        assert not MonotoneSign(x - sin(x), FALLING_COSINE, 0, ">0", span=RIGHT.interior).check()

    def test_the_derivative_is_known_on_all_of_the_span(self) -> None:
        slope = SignOnInterval(2 * x - 1, x, Rational(1, 2), 2, ">=0")
        assert not MonotoneSign(x**2 - x, slope, 0, ">=0", span=Span(x, 0, 2)).check()
        assert not MonotoneSign(x**2 - x, slope, 1, ">=0", span=Span(x, 1, 3)).check()
        assert MonotoneSign(x**2 - x, slope, 1, ">=0", span=Span(x, 1, 2)).check()

    def test_a_root_may_begin_at_zero_and_a_logarithm_may_not(self) -> None:
        """The derivative of x log x - x is below zero next to zero, where it has no value."""
        up = SignOfProduct(
            1 / (2 * sqrt(x)),
            ">0",
            RIGHT.interior,
            (Factor(2, -1), Factor(x, -Rational(1, 2))),
        )
        assert up.check()
        assert MonotoneSign(sqrt(x), up, 0, ">0", span=RIGHT.interior).check()
        down = MonotoneSign(
            log(x), SignOnInterval(1, x, 0, 1, ">0"), 1, "<=0", x, Span(x, 0, 1, open_low=True)
        )
        assert down.check()
        assert not MonotoneSign(
            log(x), SignOnInterval(1, x, 0, 1, ">0"), 1, "<=0", x, Span(x, 0, 1)
        ).check()
        assert not MonotoneSign(
            1 / x, SignOnInterval(-1, x, 0, 1, "<0"), 0, "<0", x**2, Span(x, 0, 1)
        ).check()

    @pytest.mark.parametrize(
        "jumping",
        [x - 3 * floor(x / 2), Abs(x - 1) + x, tan(x), 1 / (x - 1), sqrt((x - 1) ** 2), log(x - 2)],
    )
    def test_what_may_jump_or_turn_inside_is_refused(self, jumping: Any) -> None:
        for sign in (">=0", "<=0"):
            slope = RangeBound(jumping.diff(x), sign, Span(x, 0, 4))
            for anchor in (0, 4):
                assert not MonotoneSign(jumping, slope, anchor, sign, span=Span(x, 0, 4)).check()

    def test_whole_numbers_hide_no_turns(self) -> None:
        """Of whole numbers sin(pi n) is zero; what stands for one is a function of real numbers."""
        assert MonotoneSign(n - 1, SignOnInterval(1, n, 1, oo, ">0"), 1, ">=0").check()
        turning = n - 1 + 2 * sin(pi * n, evaluate=False)
        assert not MonotoneSign(turning, SignOnInterval(1, n, 1, oo, ">0"), 1, ">=0").check()


class TestSignOfProduct:
    def test_holds(self) -> None:
        assert SignOfProduct(
            exp(-x) * (x - sin(x)), ">=0", RIGHT, (Factor(exp(-x)), Factor(x - sin(x), 1, SINE))
        ).check()
        assert SignOfProduct(tanh(x) ** 2, ">=0", LINE, (Factor(tanh(x), 2),)).check()
        negative = SignOnInterval(-1 - x**2, x, -oo, oo, "<0")
        factors = (Factor(-1 - x**2, 1, negative), Factor(exp(x)))
        assert SignOfProduct(-(1 + x**2) * exp(x), "<0", LINE, factors).check()
        assert SignOfProduct(
            1 / (1 + x**2),
            ">0",
            LINE,
            (Factor(-1 - x**2, -1, negative), Factor(-1)),
        ).check()

    @pytest.mark.parametrize(
        "wrong",
        [
            SignOfProduct(tanh(x) ** 2, ">0", LINE, (Factor(tanh(x), 2),)),
            SignOfProduct(tanh(x), ">=0", LINE, (Factor(tanh(x)),)),
            SignOfProduct(tanh(x) ** 3, ">=0", LINE, (Factor(tanh(x), 3),)),
            SignOfProduct(tanh(x) ** 2, ">=0", LINE, (Factor(tanh(x), 2), Factor(x, 2))),
            SignOfProduct(x - sin(x), ">=0", LINE, (Factor(x - sin(x), 1, SINE),)),
            SignOfProduct(x - sin(x), ">=0", RIGHT, (Factor(x - sin(x), 1, FALLING_COSINE),)),
            SignOfProduct(1 / (x - sin(x)), ">=0", RIGHT, (Factor(x - sin(x), -1, SINE),)),
            SignOfProduct(-exp(x), ">=0", LINE, (Factor(exp(x)), Factor(-1))),
            SignOfProduct(exp(x) * x**2, ">=0", LINE, (Factor(exp(x)), Factor(x, y))),
            SignOfProduct(x ** -2, ">=0", LINE, (Factor(x, -2),)),
        ],
    )  # fmt: skip
    def test_refuses(self, wrong: SignOfProduct) -> None:
        assert not wrong.check()


class TestConcaveSign:
    def test_holds(self) -> None:
        sine = BoxBound(sin(x), ((x, 0, 2),), ">=0")
        bend = SignOfProduct(
            -sin(x),
            "<=0",
            Span(x, 0, 2),
            (Factor(sin(x), 1, sine), Factor(-1)),
        )
        assert ConcaveSign(sin(x) - 2 * x / pi, ">=0", Span(x, 0, pi / 2), bend).check()
        assert not ConcaveSign(sin(x) - 2 * x / pi, ">0", Span(x, 0, pi / 2), bend).check()
        assert not ConcaveSign(sin(x) - 2 * x / 3, ">=0", Span(x, 0, 2), bend).check()

    @pytest.mark.parametrize(
        "wrong",
        [
            ConcaveSign(x**2 - x, ">=0", Span(x, 0, 1), SignOnInterval(2, x, 0, 1, ">=0")),
            ConcaveSign(x**2 - x, "<=0", Span(x, 0, 1), SignOnInterval(2, x, 0, 1, ">=0")),
            ConcaveSign(x - x**2, ">=0", Span(x, 0, 2), SignOnInterval(-2, x, 0, 2, "<=0")),
            ConcaveSign(x - x**2, ">=0", Span(x, 0, 1), SignOnInterval(-2, x, 0, Rational(1, 2), "<=0")),
            ConcaveSign(-exp(-x), ">=0", Span(x, -1, oo), RangeBound(-exp(-x), "<=0", LINE)),
            ConcaveSign(log(x), ">=0", Span(x, 0, E), SignOnInterval(-(x**-2), x, 0, 3, "<=0")),
        ],
    )  # fmt: skip
    def test_refuses(self, wrong: ConcaveSign) -> None:
        assert not wrong.check()


class TestPiecewiseSign:
    square = (x - 1) ** 2
    left, right = SignOnInterval(square, x, -oo, 1, ">=0"), SignOnInterval(square, x, 1, oo, ">=0")

    def test_holds(self) -> None:
        assert PiecewiseSign(self.square, ">=0", LINE, (self.left, self.right)).check()

    @pytest.mark.parametrize("order", [(0,), (1, 0), (1,), ()])
    def test_gaps_are_seen(self, order: tuple[int, ...]) -> None:
        pieces = tuple((self.left, self.right)[k] for k in order)
        assert not PiecewiseSign(self.square, ">=0", LINE, pieces).check()

    def test_the_place_between_belongs_to_one(self) -> None:
        left = SignOnInterval(self.square, x, -oo, 1, ">0", open_high=True)
        right = SignOnInterval(self.square, x, 1, oo, ">0", open_low=True)
        assert left.check() and right.check()
        assert not PiecewiseSign(self.square, ">0", LINE, (left, right)).check()
        assert not PiecewiseSign(self.square, ">0", LINE, (self.left, self.right)).check()
        assert not PiecewiseSign(x**2, ">=0", LINE, (self.left, self.right)).check()


def test_the_kernel_reads_the_theorem_off_and_asks_for_values() -> None:
    found = kernel.certified(
        MonotoneSign(log(1 + x), SignOnInterval(1, x, 0, oo, ">0"), 0, ">=0", 1 + x)
    )
    assert found.formula == Compare(log(1 + x), ">=", 0)
    assert Compare(x, ">=", 0) in found.hypotheses


def test_the_kernel_knows_what_certificates_rest_on() -> None:
    class Own:
        expression, sign, span, name = 1 - cos(x), ">=0", LINE, "own"

        def check(self) -> bool:
            return True

    own: Any = Own()
    for wrong in (
        MonotoneSign(x - sin(x), own, 0, ">=0", span=RIGHT),
        SignOfProduct(1 - cos(x), ">=0", LINE, (Factor(1 - cos(x), 1, own),)),
        PiecewiseSign(1 - cos(x), ">=0", LINE, (own,)),
        ConcaveSign(x - x**2, ">=0", Span(x, 0, 1), own),
    ):
        with pytest.raises(kernel.ProofError, match="Own"):
            kernel.certified(wrong)


def _holding(inner: Any) -> SignOfProduct:
    f = inner.expression
    return SignOfProduct(f, inner.sign, inner.span, (Factor(f, 1, inner),))


def test_what_declares_more_than_real_hides_no_turns_from_a_box() -> None:
    """The first is -1 at n = 4, the second -1/2 at p = 0: to SymPy their slopes are 2 pi - 1 and 1."""
    p = Symbol("p", positive=True)
    waves = 3 - n + sin(2 * pi * n, evaluate=False)
    assert not BoxBound(waves, ((n, 0, 5),), ">0").check()
    with pytest.raises(TypeError, match="sign"):
        BoxBound(Abs(p, evaluate=False) - Rational(1, 2), ((p, -3, 1),), ">0").check()
    assert BoxBound(waves, ((n, 0, 1),), ">0").check()


def test_the_place_of_the_kernel_is_no_parameter() -> None:
    """As one it was taken for the variable: x times it for a square."""
    for wrong in (
        SignOfProduct(x * PLACE, ">=0", LINE, (Factor(x, 2),)),
        SignOfProduct(x**2, ">=0", LINE, (Factor(x), Factor(PLACE))),
    ):
        with pytest.raises(ValueError, match="put in"):
            kernel.certified(wrong)


def test_the_ends_of_inner_spans_are_exact() -> None:
    """At 0.3, to one digit, 1000.1^2 - (x + 1000)^2 is zero."""
    f = (1000 + Rational(1, 10)) ** 2 - (x + 1000) ** 2
    bend = SignOnInterval(-2, x, -1, 5, "<=0")
    inner = ConcaveSign(f, ">=0", Span(x, 0, Float("0.3", 1)), bend)
    below = Span(x, 0, Rational(29, 100))
    with pytest.raises(kernel.ProofError, match="no rule knows"):
        kernel.certified(SignOfProduct(f, ">=0", below, (Factor(f, 1, inner),)))


def test_parts_check_in_the_way_of_the_kernel() -> None:
    class Everywhere(Span):
        def contains(self, other: Span) -> bool:
            return True

    class Positive(Factor):
        def sign_on(self, span: Span) -> Any:
            return ">0"

    class Changing(tuple):
        def __iter__(self) -> Any:
            return iter(())

    right = _holding(SignOfProduct(x, ">=0", RIGHT, (Factor(x),)))
    shadowed = SignOfProduct(x, ">0", LINE, (Factor(x),))
    object.__setattr__(shadowed, "check", lambda: True)
    factors: Any = [Factor(x, 2)]
    for wrong in (
        shadowed, _holding(shadowed), replace(right, span=Everywhere(x, 0, oo)),
        SignOfProduct(x, ">0", LINE, (Positive(x),)),
        SignOfProduct(x**2, ">=0", LINE, factors),
        SignOfProduct(x**2, ">=0", LINE, Changing((Factor(x, 2),))),
    ):  # fmt: skip
        with pytest.raises(kernel.ProofError, match="none that the kernel knows"):
            kernel.certified(wrong)


def test_numbers_of_which_sympy_sees_few_digits() -> None:
    """The function is about -10^-60 at the low end, where SymPy takes its last two terms for zero."""
    small = log(1 + Rational(1, 10**60))
    f = x + x**2 - small - small**2
    for low, holds in ((Rational(1, 10**70), False), (Rational(1, 10**50), True)):
        assert SignOfProduct(f, ">0", Span(x, low, oo), (Factor(f),)).check() is holds
    below = exp(-1000) - small
    with pytest.raises(kernel.ProofError, match="takes for another"):
        kernel.certified(SumOfSquares(below, (), (below,)))
