r"""Lemma 12 under log-concavity, and witnesses against it as printed.

Everything is read from the ratios q_j = X_{j-1}/X_j > 0 (q_1 = 0), y = X_d/X_{d-1} and
f = sum_{j<=d-2} (X_j/X_{d-1})^2, whose update is rational in q_j, y and s = 1/|X_{d-1}|.  If the
q_j are ordered, they stay so and f shrinks; |y'| <= rho ybar by monotony; so the region is kept.
No step depends on d or on t, and only w > 0 is used.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Symbol, sqrt, symbols

from claims.domain import Point
from claims.model import Claim
from claims.witness import fails
from claims.wu2024 import invariance as claims
from claims.wu2024.notation import w
from claims.wu2024.second_token import f, rho, y
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Bounded, Certificate, Checked, Instance
from proofs.conclude import argued
from proofs.decide import find_witness
from proofs.registry import proves
from proofs.wu2024.second_token import recursion, same

REGION = (
    "all d >= 3, all w > 1, all t, every second token with negative first d - 2 coordinates, "
    "X_{2,d-1} <= -1/w and log-concave |X_{2,1}|, ..., |X_{2,d-1}|"
)

_w, _a, _b, _c, _e, _g = symbols("w a b c e g", nonnegative=True)
_bar, _s = symbols("ybar s", nonnegative=True)


# One step inside the region -----------------------------------------------------------------------


@cache
def order_is_kept() -> tuple[Any, ...]:
    """q_j' = q_j (1 + w q_{j-1})/(1 + w q_j), so q_j' <= q_j <= q_{j+1}' for q_{j-1} <= q_j <= q_{j+1}.

    For j = 2 the left neighbour q_1 is zero, since X_1' = X_1.
    """
    left, middle, right = _a, _a + _e, _a + _e + _g  # in order
    falls = (1 + _w * middle) - (1 + _w * left)
    above = right * (1 + _w * middle) - middle * (1 + _w * right)
    x = Symbol("x", nonzero=True)  # X_{j-1}' = X_{j-1} + w X_{j-2}, X_j' = X_j + w X_{j-1}
    update = (middle * x + _w * left * middle * x) / (x + _w * middle * x)
    return (
        Checked(
            r"q_j'=q_j\frac{1+wq_{j-1}}{1+wq_j}",
            "one step of (31)",
            lambda: same(update, middle * (1 + _w * left) / (1 + _w * middle)),
        ),
        Bounded(
            r"q_{j-1}\le q_j\Rightarrow q_j'\le q_j",
            SumOfSquares(falls, (), (_w * _e,)),
            "numerator of q_j - q_j' up to q_j",
        ),
        Bounded(
            r"q_j\le q_{j+1}\Rightarrow q_{j+1}'\ge q_j",
            SumOfSquares(above, (), (_g,)),
            "numerator of q_{j+1}' - q_j, that is q_{j+1} - q_j",
        ),
    )


@cache
def remainder_shrinks() -> tuple[Any, ...]:
    """f' = sum_j (rho (1 + w q_j))^2 (X_j/X_{d-1})^2, and rho (1 + w q_j) <= 1 for q_j <= q_{d-1}."""
    x, last, own, most = symbols("x X q_j q", positive=True)
    term = ((x + w * own * x) / (last + w * most * last)) ** 2
    gap = (1 + _w * (_a + _e)) ** 2 - (1 + _w * _a) ** 2
    return (
        *order_is_kept(),
        Checked(
            r"\left(\frac{X_j'}{X_{d-1}'}\right)^2=\left(\rho\,(1+wq_j)\right)^2"
            r"\left(\frac{X_j}{X_{d-1}}\right)^2,\quad \rho=\frac1{1+wq_{d-1}}",
            "one step of (31)",
            lambda: same(term, ((1 + w * own) / (1 + w * most)) ** 2 * (x / last) ** 2),
        ),
        Bounded(
            r"q_j\le q_{d-1}\Rightarrow \rho^2(1+wq_j)^2\le1,\ \text{hence } f'\le f",
            SumOfSquares(gap, (), (_w * _e * (2 + 2 * _w * _a + _w * _e),)),
            "difference of squares, factor by factor nonnegative",
        ),
    )


def unit_norm() -> bool:
    """X_{d-1} = x, X_d = y x, and the others f x^2 together: x^2 (1 + f + y^2) = 1."""
    x = Symbol("x", nonzero=True)
    return same(f * x**2 + x**2 + (y * x) ** 2, x**2 * (1 + f + y**2))


UNIT = Checked(
    r"\tfrac1{X_{2,d-1}^2}=1+f+y^2;\ \text{so for } X_{2,d-1}<0:\quad X_{2,d-1}\le-\tfrac1w"
    r"\iff y^2\le\bar y^2=w^2-1-f",
    "unit norm",
    unit_norm,
)


def squares_of_the_ends() -> bool:
    """With s^2 = 1 + f + y^2 and ybar^2 = w^2 - 1 - f; the last: s^2 = w^2 where y^2 = ybar^2."""
    inverse, bar = 1 + f + y**2, w**2 - 1 - f
    return (
        same(w**2 - inverse, bar - y**2)
        and same(w**2 - bar, 1 + f)
        and same(inverse - y**2, 1 + f)
        and same(inverse.subs(y, sqrt(bar)), w**2)
    )


@cache
def ratio_is_bounded() -> tuple[Any, ...]:
    """|y + w - s| <= ybar with s = 1/|X_{d-1}|, from w^2 - s^2 = ybar^2 - y^2 >= 0.

    h(y) = rho (y + w - s), and s = w at y = +-ybar: so h(+-ybar) = +-rho ybar.
    """
    below, above = _bar - y, _bar + y
    split = (below * (_w + _s) - (_bar**2 - y**2)).expand()
    given = (below, _w - _bar, _s - y)
    return (
        UNIT,
        recursion(),
        Checked(
            r"w^2-s^2=\bar y^2-y^2,\ w^2-\bar y^2=s^2-y^2=1+f,\ \text{so } |y|\le s,\ \bar y\le w,"
            r"\ s\le w,\ h(\pm\bar y)=\pm\rho\,\bar y",
            "unit norm, with s^2 = 1 + f + y^2 and ybar^2 = w^2 - 1 - f",
            squares_of_the_ends,
        ),
        Bounded(
            r"(w+s)\left(\bar y-(y+w-s)\right)=(\bar y-y)(w-\bar y)+(\bar y-y)(s-y)\ge0",
            SumOfSquares(split, (), (below * (_w - _bar), below * (_s - y)), given=given),
            "products of nonnegative factors",
        ),
        Bounded(
            r"\bar y+(y+w-s)=(\bar y+y)+(w-s)\ge0",
            SumOfSquares(_bar + (y + _w - _s), (), (above, _w - _s), given=(above, _w - _s)),
            "sum of nonnegative terms",
        ),
    )


@cache
def region_is_kept() -> tuple[Any, ...]:
    """ybar'^2 - rho^2 ybar^2 = (f - f') + (1 - rho^2) ybar^2 >= 0, so |y'| <= rho ybar <= ybar'."""
    later = Symbol("f'", nonnegative=True)
    part, fall = 1 - rho**2, f - later
    gap = ((w**2 - 1 - later) - rho**2 * (w**2 - 1 - f)).expand()
    bar_squared = w**2 - 1 - f
    return (
        *remainder_shrinks(),
        *ratio_is_bounded(),
        Bounded(
            r"\bar y'^2-\rho^2\bar y^2=(f-f')+(1-\rho^2)\,\bar y^2\ge0,\quad 0<\rho\le1",
            SumOfSquares(gap, (), (fall, part * bar_squared), given=(fall, part, bar_squared)),
            "products of nonnegative factors",
        ),
        Checked(
            r"X_j<0\Rightarrow X_j'=X_j+wX_{j-1}<0\quad(j\le d-1)",
            "sum of negative numbers",
            lambda: bool((-_positive("u") - _positive("w") * _positive("v")).is_negative),
        ),
    )


def _positive(name: str) -> Symbol:
    return Symbol(name, positive=True)


def judged(
    claim: Claim, steps: tuple[Any, ...], method: str, probes_first: bool = False
) -> Certificate:
    """A witness where there is one; the steps prove the repaired statement, and nothing else."""
    telling = (p for p in claim.probes if probes_first and fails(claim, p))
    point = next(telling, None)
    witness = find_witness(claim) if point is None else instance(claim, point)
    if witness is not None:
        return Certificate("refuted", "exact witness", "one exact instance", (), witness)
    if claim.parent is None:
        reason = "no small admissible point fails, and the steps prove the repaired statement only"
        return Certificate("undecided", method, REGION, reason=reason)
    return argued(claim, steps=steps, method=method, scope=REGION)


def instance(claim: Claim, point: Point) -> Instance:
    return Instance(claim.statement, point, claim.define(point), claim.define, holds=False)


@proves(claims.remainder_shrinks_as_printed)
def by_ordered_ratios(claim: Claim) -> Certificate:
    """Ordered ratios q_j stay ordered, and then every term of f shrinks; f <= w^2 - 1 - y^2."""
    steps = (*remainder_shrinks(), UNIT)
    return judged(claim, steps, "induction on t: ordered ratios of coordinates")


@proves(claims.one_step_as_printed)
def by_monotony_and_ordered_ratios(claim: Claim) -> Certificate:
    """h is between its values at the ends, +-rho ybar, and ybar shrinks no faster than by rho.

    Smaller witnesses exist, with d = 3, where only the ratio that is printed upside down is wrong.
    """
    method = "monotony of h and ordered ratios"
    return judged(claim, region_is_kept(), method, probes_first=True)


@proves(claims.region_is_invariant_as_printed)
def by_induction_on_layers(claim: Claim) -> Certificate:
    """A token of the region with ordered ratios is sent to another one."""
    return judged(claim, region_is_kept(), "induction on t: the region is kept in one step")
