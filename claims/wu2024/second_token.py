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
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Quantity, Tends
from claims.terms import entry, family
from claims.wu2024.jordan import (
    coordinates_are_iterated_sums_as_printed,
    orbit,
)
from claims.wu2024.notation import d, source, t, w
from claims.wu2024.setup import jordan
from claims.wu2024.unit_tokens import UnitRows

second = MatrixSymbol("X_{2,:}", 1, d)
"""The second token at the time from which it is followed, of unit norm."""
i = Symbol("i", integer=True, positive=True)

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

    def facts(self) -> tuple[Formula, ...]:
        """Unit norm, and the sign of the coordinates before the last, or that they share one."""
        column, other = symbols("column other", integer=True)
        last, value = self.symbol.shape[1] - 1, entry(self.symbol)
        sign_of = value(1, column) if self.signs == (-1,) else -value(1, column) * value(1, other)
        shared = ForAll(column, 1, last, ForAll(other, 1, last, Compare(sign_of, "<", 0)))
        own = ForAll(column, 1, last, Compare(value(1, column), "<", 0))
        return (*super().facts(), own if self.signs == (-1,) else shared)


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


features, rate = Size(d, 3, 5), Real(w, 1, open_low=True)


# The recursion of the second token ----------------------------------------------------------------


def coordinate(index: str, time: str = "t") -> Symbol:
    return Symbol(f"X_{{2,{index}}}^{{({time})}}", real=True)


now_up, now_2, now_1, now_d = (coordinate(at) for at in ("1", "d-2", "d-1", "d"))
next_up, next_1 = (coordinate(at, "t+1") for at in ("1", "d-1"))
"""Coordinates at t + 1 up to the positive factor of LayerNorm, which their quotients do not see."""

_same_signs = SameSignToken(second)


def _read(symbol: Symbol, value: Any, known: Any) -> Computed:
    """A coordinate, and its formula in those of the token."""
    return Computed(symbol, value, known=(Compare(symbol, "=", known),))


_token = entry(second)
_coordinates = (
    _read(now_2, lambda at: at[second][int(at[d]) - 3], _token(1, d - 2)),
    _read(now_1, lambda at: at[second][int(at[d]) - 2], _token(1, d - 1)),
    _read(now_d, lambda at: at[second][int(at[d]) - 1], _token(1, d)),
    _read(now_up, lambda at: at[second][0], _token(1, 1)),
    _read(
        next_1, lambda at: update(at[second], at[w])[int(at[d]) - 2],
        w * _token(1, d - 2) + _token(1, d - 1),
    ),
    _read(next_up, lambda at: update(at[second], at[w])[0], _token(1, 1)),
)  # fmt: skip
_within = Condition(r"i\le d-1", lambda at: at[i] < at[d], Compare(i, "<=", d - 1))
_no_zero = Condition(r"wX_{2,d-1}+X_{2,d}\ne0", lambda at: at[w] * at[now_1] + at[now_d] != 0)
second_tokens = Domain((features, Size(i, 2, 4), rate, _same_signs, *_coordinates), (_within,))


def _ratio_after(point: Point, layers: int) -> Any:
    """X_i/X_{i-1}: coordinates before the last move along (31) by themselves, up to scale."""
    after = orbit(point[second], point[w], layers)[layers]
    return after[int(point[i]) - 1] / after[int(point[i]) - 2]


def _next_last_ratio(point: Point) -> Any:
    after = update(point[second], point[w])
    return after[after.cols - 1] / after[after.cols - 2]


next_ratio = Quantity(r"\frac{X_{2,d}^{(t+1)}}{X_{2,d-1}^{(t+1)}}", _next_last_ratio)
ratio_after = family(r"\frac{{X_{{2,i}}^{{({0})}}}}{{X_{{2,i-1}}^{{({0})}}}}", _ratio_after)


def _recursion(below: Any) -> Formula:
    """The quotient of two columns, the factored one, and the limit with a rate."""
    grows = Compare(w * (t - i + 2) / (i - 1), "<=", ratio_after(t))
    unbounded = ForAll(t, 0, oo, grows) & Tends(ratio_after(t), t, oo)
    return next_ratio.equals(_above / below, _factored) & unbounded


_above = w * now_1 + now_d + 1
_factored = next_up / next_1 * now_1 / now_up * (w + now_d / now_1 + 1 / now_1)
second_token_recursion = Claim(
    id="wu2024.app-F3.second-token-recursion.repair",
    parent="wu2024.app-F3.second-token-recursion",
    source=source("App. F.3", "display after (39)"),
    kind="identity",
    title="With the first token at $e_d$, the last ratio of the second token follows a recursion.",
    statement=_recursion(w * now_2 + now_1),
    domain=second_tokens,
    hypotheses=(RESTING, SAME_SIGN),
    note=(
        "The first quotient's denominator must be the update of $X_{2,d-1}$, that is "
        "$wX_{2,d-2} + X_{2,d-1}$; likewise $h$ is a function of $X_{2,d}/X_{2,d-1}$. The limit of "
        "$X_{2,i}/X_{2,i-1}$, $i<d$, is given with a rate, from which it follows."
    ),
)
second_token_recursion_as_printed = Claim(
    id="wu2024.app-F3.second-token-recursion",
    source=source("App. F.3", "display after (39)"),
    kind="identity",
    title="With the first token at $e_d$, the last ratio of the second token follows a recursion.",
    statement=_recursion(w * now_1 + now_d),
    domain=second_tokens.with_conditions(_no_zero),
    printed=(
        r"\frac{X_{2,d}^{(t+1)}}{X_{2,d-1}^{(t+1)}} = \frac{wX_{2,d-1}^{(t)} + X_{2,d}^{(t)} + 1}"
        r"{wX_{2,d-1}^{(t)} + X_{2,d}^{(t)}} = \frac{X_{2,1}^{(t+1)}}{X_{2,d-1}^{(t+1)}} "
        r"\frac{X_{2,d-1}^{(t)}}{X_{2,1}^{(t)}} \left(w + \frac{X_{2,d}^{(t)}}{X_{2,d-1}^{(t)}} + "
        r"\frac{1}{X_{2,d-1}^{(t)}} \right)"
    ),
    hypotheses=(RESTING, SAME_SIGN, Hypothesis(r"wX_{2,d-1}+X_{2,d}\ne0")),
    uses=(coordinates_are_iterated_sums_as_printed,),
    severity="misprint",
    repair=second_token_recursion,
    note=(
        "The first quotient has the update of $X_{2,d}$ below where it needs that of $X_{2,d-1}$; the "
        "last expression, which the paper uses, is right, and so are the limits. Of what it is called a "
        "function is judged by itself: `wu2024.app-F3.second-token-recursion.argument`."
    ),
)


# Lemma 11 -----------------------------------------------------------------------------------------


def _along(point: Point) -> tuple[ImmutableDenseMatrix, Symbol]:
    """The unit token with the same r_2, ..., r_{d-1} and another ratio z in place of y."""
    token, place, z = point[second], int(point[d]) - 2, Symbol("z", real=True)
    direction = [e / abs(token[place]) for e in list(token)[:-1]]
    direction.append(direction[-1] * z)
    return ImmutableDenseMatrix([direction]) / sqrt(sum(e**2 for e in direction)), z


def _slope_of_inverse(point: Point) -> Any:
    row, z = _along(point)
    return diff(1 / row[int(point[d]) - 2], z).subs(z, y.define(point))


def _slope_of_ratio(point: Point) -> Any:
    row, z = _along(point)
    after = update(row, point[w])
    return diff(after[-1] / after[-2], z).subs(z, y.define(point))


y = Quantity("y", lambda at: at[second][-1] / at[second][-2])
f = Quantity("f", lambda at: remainder(at[second]))
rho = Quantity(
    r"\frac{X_{2,1}^{(t+1)}}{X_{2,d-1}^{(t+1)}}\frac{X_{2,d-1}^{(t)}}{X_{2,1}^{(t)}}",
    lambda at: prefactor(at[second], at[w]),
)
last = Quantity("X_{2,d}", lambda at: at[second][-1])
inverse_square = Quantity(r"\left(\frac1{X_{2,d-1}}\right)^2", lambda at: 1 / at[second][-2] ** 2)
inverse_slope = Quantity(r"\frac{\partial(1/X_{2,d-1})}{\partial y}", _slope_of_inverse)
ratio_slope = Quantity(r"\frac{\partial h}{\partial y}", _slope_of_ratio)
_nondecreasing = (
    inverse_square.equals(y**2 + 1 + f)
    & inverse_slope.equals(last)
    & ratio_slope.equals(rho * (1 + last))
    & ratio_slope.at_least(0)
)
lemma_11_domain = Domain((features, rate, _same_signs))
ratio_map_is_nondecreasing = Claim(
    id="wu2024.app-F3.lemma-11",
    source=source("App. F.3", "Lemma 11"),
    kind="identity",
    title="With the other ratios fixed, the next last ratio does not decrease in the present one.",
    statement=_nondecreasing,
    printed=(
        r"\frac{\partial h}{\partial y} = \frac{X_{2,1}^{(t+1)}}{X_{2,d-1}^{(t+1)}} "
        r"\frac{X_{2,d-1}^{(t)}}{X_{2,1}^{(t)}} (1 + X_{2,d}) \geq 0"
    ),
    domain=lemma_11_domain,
    hypotheses=(RESTING, SAME_SIGN),
    uses=(second_token_recursion_as_printed,),
    mutants=(
        Mutant(
            "ratios of both signs",
            _nondecreasing,
            domain=Domain(
                (features, rate, UnitRows(second)),
                (
                    Condition(
                        r"X_{2,d-1}(X_{2,d-1}+wX_{2,d-2})<0",
                        lambda at: (
                            at[second][-2] * (at[second][-2] + at[w] * at[second][-3]) < 0
                            and at[second][0] != 0
                        ),
                    ),
                ),
            ),
        ),
    ),
    note=(
        "$X_{2,d-1}$ may have either sign, one at a time: across both $h$ is no function of the quotient. "
        r"Strictly increasing, for $|X_{2,d}| < 1$. The sum of quotients is $f(r_2,\dots,r_d)$ in its proof, "
        r"at the fixed $t$, and does not move with $r_d$; its arguments in Lemma 12 are wrong "
        r"(`wu2024.app-F3.lemma-12-root.arguments`)."
    ),
)
