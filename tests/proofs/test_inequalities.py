"""Certificates of inequalities: true ones check, wrong ones are refused."""

from __future__ import annotations

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    Poly,
    Rational,
    Symbol,
    cos,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
    tan,
    zeta,
)  # fmt: skip

from proofs.calculus.inequalities import (
    BoxBound,
    SignOnInterval,
    SumOfSquares,
    Undecided,
    ball,
)

x, y = symbols("x y", real=True)
n = symbols("n", integer=True, positive=True)
z = Symbol("z")


class TestSumOfSquares:
    def test_checks(self) -> None:
        cauchy = (x**2 + 1) * (y**2 + 1) - (x * y + 1) ** 2
        assert SumOfSquares(cauchy, ((1, x - y),)).check()
        assert SumOfSquares(x**2 + n, ((1, x),), (n,)).check()
        assert SumOfSquares((n - 1) * x**2, ((n - 1, x),)).check()
        assert SumOfSquares(y * (1 - y) * x**2, ((y * (1 - y), x),), given=(y, 1 - y)).check()

    @pytest.mark.parametrize(
        "wrong",
        [
            SumOfSquares(x**2 - y**2, ((1, x - y),)),
            SumOfSquares(x**2 - y**2, ((1, x), (-1, y))),
            SumOfSquares(x**2 + y, ((1, x),), (y,)),
            SumOfSquares(z**2, ((1, z),)),
            SumOfSquares((n - 2) * x**2, ((n - 2, x),)),
            SumOfSquares(x**2 / y, ((1 / y, x),), given=(1 - y,)),
            SumOfSquares(x**3, (), (x**3,)),
        ],
    )
    def test_refuses(self, wrong: SumOfSquares) -> None:
        assert not wrong.check()


class TestSignOnInterval:
    @pytest.mark.parametrize(
        "right",
        [
            SignOnInterval(x**2 + 1, x, -oo, oo, ">0"),
            SignOnInterval((x - 1) ** 2, x, -oo, oo, ">=0"),
            SignOnInterval(x * (1 - x), x, 0, 1, ">=0"),
            SignOnInterval(x * (1 - x), x, 0, 1, ">0", open_low=True, open_high=True),
            SignOnInterval(x - 2, x, -oo, 2, "<=0"),
            SignOnInterval(-(x**2) - 1, x, -3, Rational(1, 3), "<0"),
            SignOnInterval(x**2 - 2, x, Rational(3, 2), oo, ">0"),
            SignOnInterval(x**3, x, 0, 0, ">=0"),
            SignOnInterval(0, x, 0, 1, "<=0"),
            SignOnInterval(3, x, -oo, oo, ">0"),
        ],
    )
    def test_checks(self, right: SignOnInterval) -> None:
        assert right.check()

    @pytest.mark.parametrize(
        "wrong",
        [
            SignOnInterval(x * (1 - x), x, 0, 1, ">0"),
            SignOnInterval(x * (1 - x), x, 0, 1, ">0", open_low=True),
            SignOnInterval(x * (1 - x), x, 0, 1, "<=0"),
            SignOnInterval((x - 1) ** 2, x, -oo, oo, ">0"),
            SignOnInterval((x - 1) ** 3, x, 0, 2, ">=0"),
            SignOnInterval(x**2 - 2, x, Rational(7, 5), oo, ">=0"),
            SignOnInterval(x, x, -oo, oo, ">=0"),
            SignOnInterval(0, x, 0, 1, ">0"),
            SignOnInterval(x - 1, x, 1, 1, ">0"),
        ],
    )
    def test_refuses(self, wrong: SignOnInterval) -> None:
        assert not wrong.check()

    def test_what_it_cannot_read(self) -> None:
        with pytest.raises(ValueError, match="rational or infinite"):
            SignOnInterval(x, x, 0, pi, ">=0").check()
        with pytest.raises(ValueError, match="swap the ends"):
            SignOnInterval(x, x, 1, 0, ">=0").check()
        for e in (n * x, 1 / x, exp(x), sqrt(2) * x):
            with pytest.raises(ValueError, match="no polynomial"):
                SignOnInterval(e, x, 0, 1, ">=0").check()

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.integers(-4, 4), min_size=1, max_size=4),
        st.integers(-3, 3),
        st.integers(0, 3),
        st.sampled_from([1, -1]),
    )
    def test_random_products_of_roots(self, roots, low, width, sign) -> None:
        """With all roots integers, the sign on an interval is read off at halves and integers."""
        polynomial = Poly(sign * 1, x)
        for root in roots:
            polynomial *= Poly(x - root, x)
        points = [low + Rational(k, 2) for k in range(2 * width + 1)]
        values = [polynomial.eval(p) for p in points]
        e = polynomial.as_expr()
        assert SignOnInterval(e, x, low, low + width, ">=0").check() == all(v >= 0 for v in values)
        assert SignOnInterval(e, x, low, low + width, "<0").check() == all(v < 0 for v in values)


class TestBoxBound:
    @pytest.mark.parametrize(
        "right",
        [
            BoxBound(x * (4 - x) + Rational(1, 100), ((x, 0, 4),), ">0"),
            BoxBound(2 + sin(x) + cos(y), ((x, -4, 4), (y, -1, 1)), ">0"),
            BoxBound(exp(x) - 1, ((x, 0, 3),)),
            BoxBound(x - y, ((x, 1, 2), (y, 0, 1))),
            BoxBound(sqrt(x) - log(x), ((x, Rational(1, 2), 30),), ">0"),
            BoxBound(exp(pi * x) - x, ((x, -1, 1),), ">0"),
        ],
    )
    def test_checks(self, right: BoxBound) -> None:
        assert right.check()

    @pytest.mark.parametrize(
        "wrong",
        [
            BoxBound(x - 1, ((x, 0, 2),)),
            BoxBound(exp(x) - 1, ((x, 0, 3),), ">0"),
            BoxBound(x * (4 - x) - 4 - Rational(1, 100), ((x, 0, 4),)),
            BoxBound(sin(x) - Rational(9, 10), ((x, 1, 3),)),
        ],
    )
    def test_refuses(self, wrong: BoxBound) -> None:
        assert wrong.check() is False

    def test_undecided_is_said(self) -> None:
        with pytest.raises(Undecided, match="not decided near"):
            BoxBound((exp(x) - exp(Rational(1, 3))) ** 2, ((x, 0, 1),)).check()
        with pytest.raises(Undecided, match="split off a zero"):
            BoxBound(1 / x**2, ((x, -1, 1),), ">0").check()
        with pytest.raises(Undecided):
            BoxBound(x**2 - x + Rational(3, 10), ((x, 0, 1),), max_pieces=1).check()

    def test_what_it_cannot_read(self) -> None:
        with pytest.raises(ValueError, match="two rationals"):
            BoxBound(x, ((x, 0, oo),)).check()
        with pytest.raises(ValueError, match="no range"):
            BoxBound(x + y, ((x, 0, 1),)).check()
        with pytest.raises(TypeError, match="no ball arithmetic"):
            BoxBound(zeta(x) + 1, ((x, 2, 3),)).check()
        with pytest.raises(ValueError, match="bound the negative"):
            BoxBound(x, ((x, 0, 1),), "<0").check()  # type: ignore[arg-type]

    def test_balls_enclose(self) -> None:
        enclosure = ball(exp(x) * sin(y) - x**3, {x: flint.arb(1), y: flint.arb(2)})
        assert enclosure.contains(flint.arb(1).exp() * flint.arb(2).sin() - 1)
        assert not ball(tan(x), {x: flint.arb(0).union(flint.arb(2))}).is_finite()

    def test_precision_is_put_back(self) -> None:
        before = flint.ctx.prec
        BoxBound(x, ((x, 1, 2),), ">0").check()
        assert flint.ctx.prec == before
