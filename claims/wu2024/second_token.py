r"""App. F.3, second token, once the first one rests at e_d: its recursion, and Lemma 11.

Token 2 attends to both equally, so it is sent to X_2 W_V + e_d, up to the positive factor of
LayerNorm.  Write q_j = X_{2,j-1}/X_{2,j}, y = X_{2,d}/X_{2,d-1} and f = sum_{j<=d-2}
(X_{2,j}/X_{2,d-1})^2.  Unit norm reads 1/X_{2,d-1}^2 = 1 + f + y^2, and with
rho = X_{2,d-1}/(X_{2,d-1} + w X_{2,d-2}), which is the paper's prefactor,

    h = y' = rho (y + w + 1/X_{2,d-1}),    f' = rho^2 sum_j (1 + w q_j)^2 (X_{2,j}/X_{2,d-1})^2.

A claim about one step from any token of unit norm is one about every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import gcd
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Symbol,
    diff,
    oo,
    sign,
    sqrt,
    symbols,
)

from claims.domain import Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.jordan import (
    coordinates_are_iterated_sums_as_printed,
    limit_of_quotient,
    polynomial,
)
from claims.wu2024.notation import d, source, w
from claims.wu2024.setup import UnitRows, jordan

second = MatrixSymbol("X_{2,:}", 1, d)
"""The second token at the time from which it is followed, of unit norm."""
i = Symbol("i", integer=True, positive=True)
y, rho = symbols("y rho", real=True)
f = Symbol("f", nonnegative=True)

RESTING = Hypothesis(r"X_{1,:}=e_d,\quad W_V\ \text{as in (31)},\quad w>1,\quad d>2")
SAME_SIGN = Hypothesis(r"r_2,\dots,r_{d-1}>0,\quad r_jw^{j-1}=X_{2,j}/X_{2,1}")


@dataclass(frozen=True)
class SameSignToken(UnitRows):
    """A rational unit vector whose coordinates before the last have one sign, negative first.

    The stereographic projection of -a/b, or a/b, for positive integers a_1, ..., a_{d-1}, b; their
    sum, less d, is the weight.
    """

    signs: tuple[int, ...] = (-1, 1)

    def relaxed(self) -> UnitRows:
        return UnitRows(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        size = self.shape(point)[1]
        for cuts in combinations(range(1, size + weight), size - 1):
            *numerators, denominator = (b - a for a, b in pairwise((0, *cuts, size + weight)))
            if gcd(*numerators, denominator) == 1:
                yield from (lifted(s, numerators, denominator) for s in self.signs)

    def draw(self, rng: Random, point: Point) -> Any:
        """Mostly with a large coordinate before the last, where Lemma 12 looks."""
        size = self.shape(point)[1]
        numerators = [rng.randint(1, 4) for _ in range(size - 2)]
        return lifted(rng.choice(self.signs), [*numerators, rng.randint(3, 8)], rng.randint(4, 8))

    def objection(self, value: Any, point: Point) -> str | None:
        signs = {sign(e) for e in list(value)[:-1]}
        if len(signs) != 1 or not signs <= set(self.signs):
            return f"{self.symbol}: coordinates before the last must share a sign in {self.signs}"
        return super().objection(value, point)


def lifted(side: int, numerators: list[int], denominator: int) -> ImmutableDenseMatrix:
    """The unit vector over side * numerators/denominator, as seen from -e_d.

    >>> lifted(-1, [1, 1], 1)
    Matrix([[-2/3, -2/3, -1/3]])
    """
    square = sum(n**2 for n in numerators)
    scale = denominator**2 + square
    row = [Rational(2 * side * n * denominator, scale) for n in numerators]
    return ImmutableDenseMatrix([[*row, Rational(denominator**2 - square, scale)]])


def update(token: Any, weight: Any) -> Any:
    """X_2 W_V + e_d: the second token one layer on, before LayerNorm."""
    after = (token * jordan(token.cols, weight)).as_mutable()
    after[token.cols - 1] += 1
    return after.as_immutable()


def remainder(token: Any) -> Any:
    """f: the squares of the coordinates before d - 1, relative to that of coordinate d - 1."""
    return sum((e / token[token.cols - 2]) ** 2 for e in list(token)[:-2])


def prefactor(token: Any, weight: Any) -> Any:
    """X_1'/X_{d-1}' X_{d-1}/X_1."""
    after, place = update(token, weight), token.cols - 2
    return after[0] / after[place] * token[place] / token[0]


_y = Computed(y, lambda at: at[second][int(at[d]) - 1] / at[second][int(at[d]) - 2])
_f = Computed(f, lambda at: remainder(at[second]))
_rho = Computed(rho, lambda at: prefactor(at[second], at[w]))
features, rate = Size(d, 3, 5), Real(w, 1, open_low=True)


# The recursion of the second token ----------------------------------------------------------------


def coordinate(index: str, time: str = "t") -> Symbol:
    return Symbol(f"X_{{2,{index}}}^{{({time})}}", real=True)


now_up, now_2, now_1, now_d = (coordinate(at) for at in ("1", "d-2", "d-1", "d"))
next_up, next_1 = (coordinate(at, "t+1") for at in ("1", "d-1"))
"""Coordinates at t + 1 up to the positive factor of LayerNorm, which their quotients do not see."""

_same_signs = SameSignToken(second)
_coordinates = (
    Computed(now_2, lambda at: at[second][int(at[d]) - 3]),
    Computed(now_1, lambda at: at[second][int(at[d]) - 2]),
    Computed(now_d, lambda at: at[second][int(at[d]) - 1]),
    Computed(now_up, lambda at: at[second][0]),
    Computed(next_1, lambda at: update(at[second], at[w])[int(at[d]) - 2]),
    Computed(next_up, lambda at: update(at[second], at[w])[0]),
)
_second_tokens = Domain(
    (features, Size(i, 2, 4), rate, _same_signs, *_coordinates),
    (
        Condition(r"i\le d-1", lambda at: at[i] < at[d]),
        Condition(r"wX_{2,d-1}+X_{2,d}\ne0", lambda at: at[w] * at[now_1] + at[now_d] != 0),
    ),
)


def _next_ratio(point: Point) -> tuple[Any, Any]:
    """y' and the limit of X_i/X_{i-1}: coordinates before the last move along (31) by themselves."""
    after, place = update(point[second], point[w]), int(point[i])
    powers = [polynomial(point[second], point[w], k) for k in (place, place - 1)]
    return after[after.cols - 1] / after[after.cols - 2], limit_of_quotient(*powers)


_NEXT = (
    r"\left(\tfrac{X_{2,d}^{(t+1)}}{X_{2,d-1}^{(t+1)}},\ "
    r"\lim_{t\to\infty}\tfrac{X_{2,i}^{(t)}}{X_{2,i-1}^{(t)}}\right)"
)
_above = w * now_1 + now_d + 1
_factored = next_up / next_1 * now_1 / now_up * (w + now_d / now_1 + 1 / now_1)
second_token_recursion = Claim(
    id="wu2024.app-F3.second-token-recursion.repair",
    parent="wu2024.app-F3.second-token-recursion",
    source=source("App. F.3", "display after (39)"),
    kind="identity",
    title="With the first token at e_d, the last ratio of the second token follows a recursion.",
    statement=Relation(_NEXT, ((_above / (w * now_2 + now_1), oo), (_factored, oo))),
    domain=_second_tokens,
    define=_next_ratio,
    hypotheses=(RESTING, SAME_SIGN),
    note=(
        "The first quotient's denominator must be the update of X_{2,d-1}, that is "
        "w X_{2,d-2} + X_{2,d-1}; likewise h is a function of X_{2,d}/X_{2,d-1}."
    ),
)
second_token_recursion_as_printed = Claim(
    id="wu2024.app-F3.second-token-recursion",
    source=source("App. F.3", "display after (39)"),
    kind="identity",
    title="With the first token at e_d, the last ratio of the second token follows a recursion.",
    statement=Relation(_NEXT, ((_above / (w * now_1 + now_d), oo), (_factored, oo))),
    domain=_second_tokens,
    define=_next_ratio,
    hypotheses=(RESTING, SAME_SIGN, Hypothesis(r"wX_{2,d-1}+X_{2,d}\ne0")),
    uses=(coordinates_are_iterated_sums_as_printed,),
    mutants=variants(
        ("first token at -e_d", (_above - 2, oo)),
        ("ratios stay bounded", (_above / (w * now_2 + now_1), w)),
        ("no 1/X_{2,d-1}", (_factored - next_up / next_1 / now_up, oo)),
        lhs=_NEXT,
    ),
    severity="misprint",
    repair=second_token_recursion,
    note=(
        "The first quotient has the update of X_{2,d} below where it needs that of X_{2,d-1}; the "
        "last expression, which the paper uses, is right, and so are the limits."
    ),
)


# Lemma 11 -----------------------------------------------------------------------------------------


def _slopes(point: Point) -> tuple[Any, ...]:
    """Along the tokens with the same r_2, ..., r_{d-1} and another ratio z in place of y."""
    token, place, z = point[second], int(point[d]) - 2, Symbol("z", real=True)
    direction = [e / abs(token[place]) for e in list(token)[:-1]]
    direction.append(direction[-1] * z)
    row = ImmutableDenseMatrix([direction]) / sqrt(sum(e**2 for e in direction))
    after = update(row, point[w])
    # Derivatives first, then numbers: z = y is where the token itself stands.
    quantities = (1 / row[place] ** 2, diff(1 / row[place], z), diff(after[-1] / after[-2], z))
    square, inverse, slope = (e.subs(z, point[y]) for e in quantities)
    return square, inverse, slope, min(slope, Integer(0))


_SLOPES = (
    r"\left(\tfrac1{X_{2,d-1}^2},\ \tfrac{\partial(1/X_{2,d-1})}{\partial y},\ "
    r"\tfrac{\partial h}{\partial y},\ \min\left(0,\tfrac{\partial h}{\partial y}\right)\right)"
)
_slope = rho * (1 + now_d)
_printed_slopes = Relation(_SLOPES, ((1 + y**2 + f, now_d, _slope, Integer(0)),))
_last = Computed(now_d, lambda at: at[second][int(at[d]) - 1])
_slope_parts = (_y, _f, _rho, _last)
_other_signs = Domain(
    (features, rate, UnitRows(second), *_slope_parts),
    (Condition(r"\rho<0", lambda at: at[rho].is_negative),),
)
ratio_map_is_nondecreasing = Claim(
    id="wu2024.app-F3.lemma-11",
    source=source("App. F.3", "Lemma 11"),
    kind="identity",
    title="With the other ratios fixed, the next last ratio does not decrease in the present one.",
    statement=_printed_slopes,
    domain=Domain((features, rate, _same_signs, *_slope_parts)),
    define=_slopes,
    hypotheses=(RESTING, SAME_SIGN),
    uses=(second_token_recursion_as_printed,),
    mutants=(
        *variants(
            ("1 - X_{2,d}", (1 + y**2 + f, now_d, rho * (1 - now_d), Integer(0))),
            ("no f", (1 + y**2, now_d, _slope, Integer(0))),
            ("no prefactor", (1 + y**2 + f, now_d, 1 + now_d, Integer(0))),
            ("X_{2,d-1} for X_{2,d}", (1 + y**2 + f, now_d / y, _slope, Integer(0))),
            lhs=_SLOPES,
        ),
        Mutant("ratios of both signs", _printed_slopes, domain=_other_signs),
    ),
    note="X_{2,d-1} may have either sign; strictly increasing, for |X_{2,d}| < 1.",
)
