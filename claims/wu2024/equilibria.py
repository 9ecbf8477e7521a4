r"""App. F.1, Step 1: what an equilibrium under the causal mask is, and how its rows follow on.

W_Q = W_K = 0 throughout, so that A is the softmax of zero scores: token i is the mean of the first i.
An equilibrium is a fixed point of X -> LN(A X W_V).  `sum_i` picks X_1 + ... + X_i out of X.

Test points are exact: any independent rows of unit norm, the first one repeated, are an equilibrium
of a value matrix that is solved for, with any positive beta.  `Pythagorean` draws those w > 1 for
which sqrt(1 - 1/w^2) is rational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    S,
    Sum,
    Symbol,
    exp,
    expand,
    sqrt,
)

from claims.domain import Array, Computed, Condition, Domain, Point, Size
from claims.expressions import FrobSq
from claims.masks import causal
from claims.model import Claim, Hypothesis, Relation
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family
from claims.wu2024.notation import WV, N, X, d, k, source
from claims.wu2024.unit_tokens import UnitRows

ZERO_SCORES = Hypothesis(r"W_Q=W_K=0,\ \mathcal G\ \text{causal}")
EQUILIBRIUM = Hypothesis(r"X=\mathrm{LN}(AXW_V)")

i = Symbol("i", integer=True, positive=True)


@dataclass(frozen=True)
class Pythagorean:
    """A real number above one; those that are drawn have a rational sqrt(1 - 1/w^2).

    They are w = (1 + q^2)/(1 - q^2): hypotenuse over leg of a right triangle with rational sides.
    """

    symbol: Any

    def stated_range(self) -> tuple[str, str]:
        return "", ">1"

    def values(self) -> tuple[Any, ...]:
        slopes = [Rational(*s) for s in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (9, 10))]
        return tuple((1 + q**2) / (1 - q**2) for q in slopes)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight < len(self.values()):
            yield self.values()[weight]

    def draw(self, rng: Random, point: Point) -> Any:
        return rng.choice(self.values())

    def objection(self, value: Any, point: Point) -> str | None:
        return None if value > 1 else f"{self.symbol} = {value}: must exceed 1"

    def facts(self) -> tuple[Formula, ...]:
        return (Compare(self.symbol, ">", 1),)


@cache
def zero_score_attention(tokens: int) -> ImmutableDenseMatrix:
    """The masked softmax of zero scores, written out: exp(0) over the sum of the allowed exp(0)."""
    allowed = causal(tokens).matrix.applyfunc(lambda edge: edge * exp(0))
    totals = [sum(allowed.row(a)) for a in range(tokens)]
    return ImmutableDenseMatrix(tokens, tokens, lambda a, b: allowed[a, b] / totals[a])


def before_norm(tokens: Any, value: Any) -> ImmutableDenseMatrix:
    """A X W_V."""
    return (zero_score_attention(tokens.rows) * tokens * value).applyfunc(expand)


def layer(tokens: Any, value: Any) -> ImmutableDenseMatrix:
    """LN(A X W_V), exactly; NaN in a row that is zero before LayerNorm, which is undefined there."""
    mixed = before_norm(tokens, value)
    norms = [sqrt(expand(sum(x**2 for x in mixed.row(a)))) for a in range(mixed.rows)]
    return ImmutableDenseMatrix(
        mixed.rows,
        mixed.cols,
        lambda a, b: expand(mixed[a, b] / norms[a]) if norms[a] else S.NaN,
    )


def _indicator(at: Point, chosen: Callable[[int], bool]) -> ImmutableDenseMatrix:
    """The row of ones at the tokens that are chosen, counted from one."""
    return ImmutableDenseMatrix([[Integer(int(chosen(a + 1))) for a in range(int(at[N]))]])


# The equilibrium condition, token by token ---------------------------------------------------------

sum_i = MatrixSymbol(r"\mathbf{1}_{[i]}^{\top}", 1, N)
unit_i = MatrixSymbol(r"e_i^{\top}", 1, N)
_picks = (
    Computed(sum_i, lambda at: _indicator(at, lambda token: token <= int(at[i]))),
    Computed(unit_i, lambda at: _indicator(at, lambda token: token == int(at[i]))),
)
_token_exists = Condition(r"i\le N", lambda at: at[i] <= at[N])
NORM_DEFINED = Condition(
    r"\textstyle\sum_{j\le i}X_{j,:}W_V\ne0\ \forall i",
    lambda at: all(any(r) for r in before_norm(at[X], at[WV]).tolist()),
)
summed = sum_i * X * WV
any_tokens = Domain(
    (Size(N, 1, 4), Size(d, 1, 3), Size(i, 1, 4), Array(X), Array(WV), *_picks),
    (_token_exists, replace(NORM_DEFINED, formula=Compare(FrobSq(summed), ">", 0))),
)
d_i = i / sqrt(FrobSq(summed))
_F = r"F_i(X)"

equilibrium_is_a_positive_multiple_of_the_sum_so_far = Claim(
    id="wu2024.app-F.equilibrium-system",
    source=source("App. F.1", "Step 1"),
    kind="identity",
    title="With zero scores the causal layer maps token $i$ to $d_i/i$ times $\\sum_{j\\le i}X_jW_V$.",
    statement=Relation(_F, (d_i / i * summed,)),
    domain=any_tokens,
    define=lambda at: layer(at[X], at[WV]).row(int(at[i]) - 1),
    hypotheses=(ZERO_SCORES, Hypothesis(NORM_DEFINED.latex)),
    printed=(
        r"X_{1,:} = F_1(X) = d_1 X_{1,:} W_V,\quad X_{2,:} = F_2(X) = d_2 \left(\frac{1}{2} X_{1,:} "
        r"W_V + \frac{1}{2} X_{2,:} W_V \right),\quad \dots,\quad X_{N,:} = F_N(X) = d_N "
        r"\left(\frac{1}{N} X_{1,:} W_V + \dots + \frac{1}{N} X_{N,:} W_V \right)"
    ),
    note="Printed of an equilibrium, $X_i = F_i(X)$; the formula for $F_i$ holds at every $X$.",
)

# (29) and (30): from one token to the next ---------------------------------------------------------

copies = Symbol("c", integer=True, positive=True)
spare = Symbol("d-k", integer=True, nonnegative=True)
Y = MatrixSymbol("Y", k, d)
steps = MatrixSymbol(r"\delta", k, 1)
U = MatrixSymbol("W_V'", d, d)


@dataclass(frozen=True)
class IndependentUnitRows(UnitRows):
    """Tokens of unit norm that are linearly independent."""

    def relaxed(self) -> Array:
        return UnitRows(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        return (value for value in super().of_weight(weight, point) if self._independent(value))

    def draw(self, rng: Random, point: Point) -> Any:
        while not self._independent(value := super().draw(rng, point)):
            pass
        return value

    def objection(self, value: Any, point: Point) -> str | None:
        if not self._independent(value):
            return f"rows of {self.symbol} are dependent: {value.tolist()}"
        return super().objection(value, point)

    @staticmethod
    def _independent(value: Any) -> bool:
        return bool(value.rank() == value.rows)


def solved_value_matrix(tokens: Any, inverses: Any, repeats: int = 1) -> ImmutableDenseMatrix:
    """A W_V for which independent rows, the first repeated, are at rest with given 1/beta.

    Y_1 W = g_1 Y_1, and every later row obeys Y_m W = g_m Y_m - (sum so far); the rows are
    independent, so that W = Y^+ (these images) has these images.
    """
    g, images = list(inverses), []
    for m in range(tokens.rows):
        past = (repeats if m == 1 else 1) * g[m - 1] * tokens.row(m - 1) if m else 0 * tokens.row(0)
        images.append(g[m] * tokens.row(m) - past)
    right_inverse = tokens.T * (tokens * tokens.T).inv()
    return (right_inverse * ImmutableDenseMatrix.vstack(*images)).as_immutable()


def _repeated(at: Point) -> ImmutableDenseMatrix:
    head = [at[Y].row(0)] * (int(at[copies]) - 1)
    return ImmutableDenseMatrix.vstack(*head, at[Y])


def _inverse_betas(at: Point) -> list[Any]:
    """Any positive rationals: 1 + m, or 1/(1 + m), from integers m of either sign."""
    return [1 + m if m >= 0 else Integer(1) / (1 - m) for m in at[steps]]


def _sum_so_far(at: Point, number: int) -> ImmutableDenseMatrix:
    """sum_{j<=i} X_j W_V: i times token i before LayerNorm."""
    return number * before_norm(at[X], at[WV]).row(number - 1)


beta = family(r"\beta_{{{}}}", lambda at, n: 1 / sqrt(sum(x**2 for x in _sum_so_far(at, n))))
"""d_i/i, with d_i the factor that LayerNorm divides by."""
j, b = (Symbol(name, integer=True) for name in "jb")
times_value = family(r"(X_{{{}}}W_V)_{{{}}}", lambda at, n, m: (at[X] * at[WV])[n - 1, m - 1])
times_value_at_one = family(
    r"(X'_{{{}}}W_V')_{{{}}}", lambda at, n, m: (at[Y] * at[U])[n - 1, m - 1]
)


def total(product: Any, last: Any) -> Sum:
    """sum_{j<=last} (X_j W_V)_b."""
    return Sum(product(j, b), (j, 1, last))


def _for_rows(last: Any, formula: Formula) -> Formula:
    return ForAll(i, 1, last, ForAll(b, 1, d, formula))


_rests = _for_rows(N, Compare(entry(X)(i, b), "=", beta(i) * total(times_value, i)))
_rests_at_one = _for_rows(k, Compare(entry(Y)(i, b), "=", total(times_value_at_one, i)))
equilibria = Domain(
    (
        Size(k, 2, 3),
        Size(spare, 0, 2),
        Computed(d, lambda at: at[k] + at[spare], known=(Compare(d, ">=", 1),)),
        Size(copies, 1, 3),
        Computed(N, lambda at: at[k] + at[copies] - 1),
        Array(steps),
        IndependentUnitRows(Y),
        Computed(X, _repeated),
        Computed(
            WV,
            lambda at: solved_value_matrix(at[Y], _inverse_betas(at), int(at[copies])),
            known=(_rests, ForAll(i, 1, N, Compare(beta(i), ">", 0))),
        ),
        Computed(
            U,
            lambda at: solved_value_matrix(at[Y], [Integer(1)] * at[Y].rows),
            known=(_rests_at_one,),
        ),
    )
)
"""Equilibria X of W_V, and Y of W_V' with beta = 1: what being at rest says is known of them."""


_probe = equilibria.completed(
    {
        k: Integer(2), spare: Integer(0), copies: Integer(2),
        steps: ImmutableDenseMatrix([1, -2]),
        Y: ImmutableDenseMatrix([[0, 1], [Rational(4, 5), Rational(3, 5)]]),
    }
)  # fmt: skip
next_row = family("X_{{{},{}}}", lambda at, n, m: layer(at[X], at[WV])[n - 1, m - 1])
next_row_at_one = family("X'_{{{},{}}}", lambda at, n, m: layer(at[Y], at[U])[n - 1, m - 1])
"""Rows of LN(A X W_V), which are those of X; the second at beta_1 = ... = beta_k = 1."""
_eq29 = beta(i + 1) * (next_row(i, b) / beta(i) + times_value(i + 1, b))
_eq30 = next_row_at_one(i, b) + times_value_at_one(i + 1, b)
equilibrium_rows_follow_one_another = Claim(
    id="wu2024.app-F.eq-29-30",
    source=source("App. F.1", "Eq. (29), (30)"),
    kind="identity",
    title="At an equilibrium row $i+1$ is $\\beta_{i+1}(X_i/\\beta_i + X_{i+1}W_V)$.",
    statement=_for_rows(N - 1, Compare(next_row(i + 1, b), "=", _eq29))
    & _for_rows(k - 1, Compare(next_row_at_one(i + 1, b), "=", _eq30)),
    printed=(
        r"X_{i+1,:} = \beta_{i+1} \left(\frac{1}{\beta_i} X_{i,:} + X_{i+1,:} W_V \right),\quad "
        r"X_{i+1,:} = X_{i,:} + X_{i+1,:} W_V"
    ),
    domain=equilibria,
    hypotheses=(
        ZERO_SCORES,
        EQUILIBRIUM,
        Hypothesis(
            r"X'=\mathrm{LN}(AX'W_V')\ \text{with}\ \beta_1=\dots=\beta_k=1\ \text{in (30)}"
        ),
        Hypothesis(
            r"\text{in the tests the rows of}\ X\ \text{are independent, but for the first one, which is "
            r"repeated, and}\ W_V\ \text{is solved for}"
        ),
    ),
    uses=(equilibrium_is_a_positive_multiple_of_the_sum_so_far,),
    probes=(_probe,),
    note=(
        "Of equilibria the proof uses that they are at rest, $X_i=\\beta_i\\sum_{j\\le i}X_jW_V$, and "
        "$\\beta_i>0$; that rows are unit, independent or repeated it does not use, so that what it says is "
        "not bound to those that the tests are made of."
    ),
)
