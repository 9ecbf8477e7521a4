r"""Tokens that evolve together: which inputs keep rank two, and how stable the equilibria (33) are.

Causal mask, zero scores, W_V as in (31), w > 1.  The set of inputs is exhibited: for any T with
(w - 1)(T + 1 - 2 d) >= 8 d (1 + w^2), tokens that look as if T layers had passed,

    X_1 ~ a W^T,   X_2 ~ -r W^T,   a_j > 0,  r_j/a_j falls with j,  0 > X_{2,d} > w X_{2,d-1},

where ~ is up to a positive factor.  W^T is invertible and the inequalities are strict: an open set, and
all tokens after the second are free.  Not covered: N = 1 or d = 1, where every X has rank one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import islice, pairwise
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    MatrixSymbol,
    Rational,
    Symbol,
    binomial,
    ceiling,
    floor,
    oo,
    sqrt,
    symbols,
    sympify,
)

from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.points import Remembered
from claims.statement import Compare, ForAll, Formula, Quantity, measured_quantity
from claims.terms import entry, family, from_zero
from claims.wu2024.arcs import second_token_tends_to_b_below_a
from claims.wu2024.multipliers import multipliers_of_full_rank_equilibria
from claims.wu2024.notation import N, T, d, source, w
from claims.wu2024.plane import LARGE_W, above_one, first_token_runs_to_a_pole
from claims.wu2024.setup import causal_mean, jordan
from claims.wu2024.trajectory import decimal_of, unit_row
from claims.wu2024.unit_tokens import UnitRows

WEIGHTS = Hypothesis(
    r"\mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V=I+w\sum_iE_{i,i+1}\ \text{as in (31)}"
)
JOINT = Hypothesis(
    r"X^{(0)}\in(\mathbb S^{d-1})^N,\ N,d\ge2;\ \text{all tokens evolve from } X^{(0)}"
)
ROWS = Hypothesis(
    r"a_j>0,\quad r_ia_j>r_ja_i\ \text{for}\ i<j,\quad 0>X_{2,d}^{(0)}>w\,X_{2,d-1}^{(0)}:\ "
    r"\text{strict inequalities on}\ X_1^{(0)}, X_2^{(0)}"
)
START = Hypothesis(
    r"X_1^{(0)}=\frac{aW_V^T}{\|aW_V^T\|_2},\quad X_2^{(0)}=-\frac{rW_V^T}{\|rW_V^T\|_2},\quad "
    r"W_V^T:\ \text{the power}\ T\ \text{of}\ W_V,\ \text{which is invertible}"
)
PASSED = Hypothesis(r"(w-1)(T+1-2d)\ge8d(1+w^2):\ T\ \text{exceeds the least such number by}\ e")
ahead, behind = MatrixSymbol("a", 1, d), MatrixSymbol("r", 1, d)
first_ratio, second_ratio = symbols("p y", real=True)
"""X_{1,2}/X_{1,1} and X_{2,d}/X_{2,d-1}, of tokens with X_{1,1} > 0 > X_{2,1}."""
steps = Symbol("t", integer=True)


@dataclass(frozen=True)
class PositiveRow(Array):
    """A row of positive entries."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        one = ImmutableDenseMatrix.ones(*self.shape(point))
        yield from (one + more for more in super().of_weight(weight, point) if min(more) >= 0)

    def draw(self, rng: Random, point: Point) -> Any:
        return super().draw(rng, point).applyfunc(lambda e: 1 + abs(e))

    def facts(self) -> tuple[Formula, ...]:
        column = Symbol("column", integer=True)
        return (
            ForAll(column, 1, self.symbol.shape[1], Compare(entry(self.symbol)(1, column), ">", 0)),
        )

    def objection(self, value: Any, point: Point) -> str | None:
        if min(value) <= 0:
            return f"{self.symbol} has the entry {min(value)}: all must be positive"
        return super().objection(value, point)


@dataclass(frozen=True)
class FallingRow(Array):
    """A row whose quotients by another one fall strictly from place to place, or rise."""

    over: Any = ahead
    rises: bool = False

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for gaps in PositiveRow(self.symbol).of_weight(weight, point):
            yield self._with(list(gaps), point)

    def draw(self, rng: Random, point: Point) -> Any:
        return self._with(list(PositiveRow(self.symbol).draw(rng, point)), point)

    def _with(self, gaps: list[Any], point: Point) -> Any:
        """The row whose quotients fall by these gaps, to zero; a multiple of the other row is free."""
        quotients = [sum(gaps[place + 1 :], start=Integer(0)) for place in range(len(gaps))]
        row = [self.sign * q * x for q, x in zip(quotients, point[self.over], strict=True)]
        return ImmutableDenseMatrix([row])

    @property
    def sign(self) -> int:
        return -1 if self.rises else 1

    def facts(self) -> tuple[Formula, ...]:
        left, right = Symbol("left", integer=True), Symbol("right", integer=True)
        row, other = entry(self.symbol), entry(self.over)
        sides = row(1, left) * other(1, right), row(1, right) * other(1, left)
        falls = Compare(sides[0], "<" if self.rises else ">", sides[1])
        ordered = Compare(left + 1, "<=", right).implies(falls)
        return (ForAll(left, 1, d, ForAll(right, 1, d, ordered)),)

    def objection(self, value: Any, point: Point) -> str | None:
        if reason := super().objection(value, point):
            return reason
        quotients = [q / x for q, x in zip(value, point[self.over], strict=True)]
        for before, after in pairwise(quotients):
            if not (before < after if self.rises else before > after):
                return f"{self.symbol} over {self.over} goes from {before} to {after}"
        return None


def run_for(row: list[Any], layers: int, weight: Any) -> list[Any]:
    """row W^T by the binomial series of W = I + w S."""
    width = len(row)
    return [
        sum(binomial(layers, k) * weight**k * row[i - k] for k in range(i + 1))
        for i in range(width)
    ]


@lru_cache(maxsize=4096)
def _run(row: ImmutableDenseMatrix, layers: int, weight: Any) -> list[Any]:
    return run_for(list(row), layers, weight)


def _entry_after(row: MatrixSymbol) -> Any:
    return lambda at, layers, b: _run(at[row], layers, at[w])[b - 1]


ahead_after = family(r"(aW_V^{{{}}})_{{{}}}", _entry_after(ahead), kept=True)
behind_after = family(r"(rW_V^{{{}}})_{{{}}}", _entry_after(behind), kept=True)


def simplest_between(low: Any, high: Any) -> Any:
    """The fraction of least denominator strictly between two numbers.

    >>> simplest_between(Rational(3, 10), Rational(2, 5))
    1/3
    """
    whole = floor(low)
    if whole + 1 < high:
        return whole + 1
    above = oo if low == whole else 1 / (low - whole)
    return whole + 1 / simplest_between(1 / (high - whole), above)


@dataclass(frozen=True)
class LeaningRow(FallingRow):
    """Such a row r for which r W^T has its last entry between zero and w times the one before."""

    def _with(self, gaps: list[Any], point: Point, share: tuple[Any, Any] = (0, 1)) -> Any:
        """Less a multiple of the other row, which leaves the order; all that will do are an interval."""
        row, other = super()._with(gaps, point), point[self.over]
        (*_, e0, e1), (*_, f0, f1) = (self._last(r, point) for r in (row, other))
        low, high = sorted((e1 / f1, (e1 - point[w] * e0) / (f1 - point[w] * f0)))
        ends = (low + (high - low) * s for s in share)
        return row - simplest_between(*ends) * other

    def draw(self, rng: Random, point: Point) -> Any:
        part = Rational(rng.randrange(8), 8)
        gaps = list(PositiveRow(self.symbol).draw(rng, point))
        return self._with(gaps, point, (part, part + Rational(1, 8)))

    def _last(self, row: Any, point: Point) -> list[Any]:
        return _run(row, int(point[T]), point[w])

    def facts(self) -> tuple[Formula, ...]:
        before, last = (self.sign * behind_after(T, place) for place in (d - 1, d))
        return (*super().facts(), Compare(last, ">", 0), Compare(last, "<", w * before))

    def objection(self, value: Any, point: Point) -> str | None:
        before, last = (self.sign * e for e in self._last(value, point)[-2:])
        if not 0 < last < point[w] * before:
            return f"{self.symbol} ends in {before}, {last} after T layers"
        return super().objection(value, point)


def start_of_pair(
    first: ImmutableDenseMatrix, other: ImmutableDenseMatrix, layers: int, weight: Any
) -> tuple[list[Any], list[Any]]:
    """a W^T and -r W^T, not normalised."""
    one, two = (_run(row, layers, weight) for row in (first, other))
    return one, [-q for q in two]


_DIGITS = 60


@lru_cache(maxsize=512)
def _pairs_followed(
    first: ImmutableDenseMatrix, other: ImmutableDenseMatrix, layers: int, weight: Any
) -> Remembered:
    """The first two tokens under (3), layer by layer: later ones are not seen by them."""

    def follow() -> Iterator[tuple[list[Decimal], ...]]:
        with localcontext(prec=_DIGITS):
            rows = [[decimal_of(sympify(x)) for x in row] for row in begin]
            slope = decimal_of(sympify(weight))
            pair = tuple(map(unit_row, rows))
        while True:
            yield pair
            with localcontext(prec=_DIGITS):
                summed = pair[0], [x + z for x, z in zip(*pair, strict=True)]
                pair = tuple(
                    unit_row([x + slope * (row[b - 1] if b else 0) for b, x in enumerate(row)])
                    for row in summed
                )

    begin = start_of_pair(first, other, layers, weight)
    return Remembered(follow)


def _sine_of_tokens(point: Point, layers: int) -> Decimal:
    from_zero(layers)
    orbit = _pairs_followed(point[ahead], point[behind], int(point[T]), point[w])
    one, two = next(islice(orbit, layers, None))
    with localcontext(prec=_DIGITS):
        return 1 - sum((x * z for x, z in zip(one, two, strict=True)), Decimal(0)) ** 2


sine_of_tokens = family(
    r"\sin^2\angle(X_{{1,:}}^{{({0})}},X_{{2,:}}^{{({0})}})", _sine_of_tokens, kept=True
)
more = Symbol("e", integer=True, nonnegative=True)


def time_passed(features: Any, weight: Any) -> Any:
    """The least T with (w - 1)(T + 1 - 2 d) >= 8 d (1 + w^2), with |w - 1| for mutants."""
    return ceiling(8 * features * (1 + weight**2) / abs(weight - 1)) + 2 * features - 1


ENOUGH = Compare((w - 1) * (T + 1 - 2 * d), ">=", 8 * d * (1 + w**2))


def _inputs(weights: Any = above_one, rises: bool = False) -> Domain:
    """Any number of tokens and features, of which those after the second are free."""
    passed = Computed(T, lambda at: time_passed(at[d], at[w]) + at[more], known=(ENOUGH,))
    rows = PositiveRow(ahead), LeaningRow(behind, rises=rises)
    return Domain((Size(N, 2, 3), Size(d, 2, 4), weights, Size(more, 0, 2), passed, *rows))


_keeps_rank = ForAll(steps, 0, oo, Compare(4 * (1 + w**2) * sine_of_tokens(steps), ">", 1))
_SMALL = Choice(w, (Rational(1, 2), Rational(3, 4)))

# In the plane the open set is explicit -------------------------------------------------------------


pair = MatrixSymbol("X^{(0)}", 2, 2)


@dataclass(frozen=True)
class PairAcross(UnitRows):
    """Two tokens of the plane in the open set that strict inequalities of their coordinates describe."""

    def relaxed(self) -> Array:
        return UnitRows(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for m in range(weight + 1):
            shares = [(Rational(1, n + 2), Rational(1, n + 1)) for n in (m, weight - m)]
            yield self._at(point[w], shares)

    def draw(self, rng: Random, point: Point) -> Any:
        places = [rng.randrange(8) for _ in range(2)]
        return self._at(point[w], [(Rational(k, 8), Rational(k + 1, 8)) for k in places])

    @staticmethod
    def _at(weight: Any, shares: list[tuple[Any, Any]]) -> ImmutableDenseMatrix:
        """By half angles, which are below these bounds: of X_1 from (0, 1), of -X_2 from (1, 0)."""
        steep = max(weight, 2 * weight / (weight**2 - 1))
        bounds = 2 * steep / (4 * steep**2 + 1), 2 * weight**2 / (2 * weight**2 + 2 * weight + 1)
        half = [
            simplest_between(*(e * top for e in s)) for s, top in zip(shares, bounds, strict=True)
        ]
        (s1, c1), (s2, c2) = ((2 * u / (1 + u**2), (1 - u**2) / (1 + u**2)) for u in half)
        return ImmutableDenseMatrix([[s1, c1], [-c2, -s2]])

    def inequalities(self) -> tuple[Compare, ...]:
        (a, c), (x, y) = ([entry(self.symbol)(n, m) for m in (1, 2)] for n in (1, 2))
        steep = Compare(c * (w**2 - 1), ">", 2 * w * a)
        first = Compare(a, ">", 0), Compare(c, ">", w * a), steep
        return (*first, Compare(y, "<", 0), Compare(y, ">", w * x))

    def facts(self) -> tuple[Formula, ...]:
        x = entry(self.symbol)
        units = (Compare(x(n, 1) ** 2 + x(n, 2) ** 2, "=", 1) for n in (1, 2))
        return (*units, *self.inequalities())

    def objection(self, value: Any, point: Point) -> str | None:
        for formula in self.inequalities():
            if not formula.truth({**point, self.symbol: value}):
                return f"{self.symbol} = {value.tolist()}: {formula.latex()} does not hold"
        return super().objection(value, point)


@lru_cache(maxsize=4096)
def pair_after(tokens: Any, weight: Any, layers: int) -> tuple[tuple[Decimal, ...], ...]:
    """Both tokens after some layers, to `PLANE_DIGITS` digits."""
    from_zero(layers)
    with localcontext() as context:
        context.prec = PLANE_DIGITS
        if layers == 0:
            return tuple(tuple(map(decimal_of, row)) for row in tokens.tolist())
        one, two = pair_after(tokens, weight, layers - 1)
        summed = [a + b for a, b in zip(one, two, strict=True)]
        moved = ([x, y + decimal_of(weight) * x] for x, y in (one, summed))
        return tuple(tuple(unit_row(row)) for row in moved)


PLANE_DIGITS = 60


def _sine_square(point: Point, layers: int) -> Decimal:
    (a, b), (x, y) = pair_after(point[pair], point[w], layers)
    with localcontext() as context:
        context.prec = PLANE_DIGITS
        return (a * y - b * x) ** 2


sine_square = family(r"\sin^2\angle(X_1^{{({0})}},X_2^{{({0})}})", _sine_square)


def _ratio(symbol: Any, token: int) -> Computed:
    """X_{n,2}/X_{n,1}."""
    first, second = (entry(pair)(token, b) for b in (1, 2))
    return Computed(
        symbol, lambda at: at[pair][token - 1, 1] / at[pair][token - 1, 0],
        known=(Compare(symbol * first, "=", second),),
    )  # fmt: skip


ratios_of_pair = _ratio(first_ratio, 1), _ratio(second_ratio, 2)
plane_region = Domain((Real(w, 1, open_low=True), PairAcross(pair), *ratios_of_pair))
"""An open set of pairs: any 0 < y < w, and any p above the larger of w and 2w/(w^2 - 1)."""
open_set_of_pairs_keeps_rank_two = Claim(
    id="wu2024.sec-4.3.1.nonzero-measure",
    source=source("Sec. 4.3.1", "last paragraph; Fig. 1 right"),
    kind="prose",
    title="Pairs in an open set, given by strict inequalities, keep rank two when both evolve together.",
    statement=ForAll(steps, 2, oo, Compare(4 * (1 + w**2) * sine_square(steps), ">", 1)),
    printed=(
        r"\text{proper choices for } W_K^{(t)}, W_Q^{(t)}, W_V^{(t)} \text{ matrices that can prevent tokens "
        r"from collapsing to a rank one subspace, for a nonzero measure set of input sequences}"
    ),
    domain=plane_region,
    hypotheses=(
        WEIGHTS,
        Hypothesis(r"N=d=2;\ \text{both tokens evolve}"),
        LARGE_W,
        Hypothesis(
            r"X_{1,1}>0,\ X_{1,2}>wX_{1,1},\ (w^2-1)X_{1,2}>2wX_{1,1},\ 0>X_{2,2}>wX_{2,1}:\ "
            r"\text{strict inequalities on}\ X^{(0)}\in(\mathbb S^1)^2"
        ),
        Hypothesis(r"p=X_{1,2}/X_{1,1},\quad y=X_{2,2}/X_{2,1}"),
    ),
    uses=(first_token_runs_to_a_pole, second_token_tends_to_b_below_a),
    note=(
        "The printed argument has the first token at the pole, a set of measure zero; the joint "
        "dynamics is proved here, for an open set of pairs. Measure is not in the tested form, and is argued "
        "from it: strict inequalities between continuous functions of $X$ are an open set, which is not empty "
        "for any $w>1$, and so of positive measure. The share of all pairs of uniform tokens that keep "
        "rank two is $0.0764$ for $w = 2$, far from the $0.4167$ of a first token at the pole, and tends to "
        "$1/8$ as $w$ grows. Only first tokens with $X_{1,1}X_{1,2} > 0$ contribute."
    ),
)

open_set_of_sequences_keeps_rank_two = Claim(
    id="wu2024.thm-3.no-collapse",
    source=source("Sec. 4.3.2", "Theorem 3, item 2; App. F.3"),
    kind="dynamics",
    title="For inputs in an open set, given by strict inequalities, the tokens do not converge to rank one.",
    statement=_keeps_rank,
    printed=(
        r"\text{For a general class of input sequences } X^{(0)} \text{ in } (\mathbb{S}^{d-1})^N "
        r"\text{ with measure greater than } 0,\ X^{(t)} \text{ does not converge to a rank one subspace}"
    ),
    domain=_inputs(),
    hypotheses=(WEIGHTS, JOINT, LARGE_W, START, ROWS, PASSED),
    uses=(open_set_of_pairs_keeps_rank_two,),
    mutants=(
        Mutant("|w| < 1", _keeps_rank, domain=_inputs(_SMALL)),
        Mutant("second token on the other side", _keeps_rank, domain=_inputs(rises=True)),
    ),
    understood=(
        Understood(
            "$N, d\\ge2$: there is a subspace of rank two to stay in",
            "$N = 1$ or $d = 1$: every $X$ has rank one",
        ),
    ),
    note=(
        "The printed proof takes preceding tokens as already converged, which holds on a set of "
        "measure zero only; the argument here is another one and needs no such assumption. The tokens "
        "are those that look as if $T$ layers of (31) had passed: up to positive factors "
        "$a=X_1W_V^{-T}$, $r=-X_2W_V^{-T}$, with positive entries of $a$ and minors $r_ia_j-r_ja_i$, $i<j$, "
        "and $0<X_{2,d}/X_{2,d-1}<w$. Measure is not in the tested form, and is argued from it: strict "
        "inequalities between continuous functions of $X_1,X_2$ are an open set; it is not empty for any "
        "$T$, as $a_j=1$, $r_j=d-j-\\delta$ will do with a suitable $\\delta$, which leaves the minors; and an "
        "open set that is not empty has positive measure. Tokens after the second are free. "
        "The angle stays away from zero in every layer, uniformly, and not in the "
        "limit only. Divided by $1+w$ the weights obey A3, and LayerNorm undoes the division "
        "(`wu2024.sec-4.3.1.scaling-invariance`); with $w=N$ they are those of the first part."
    ),
)

# Stability of the equilibria -----------------------------------------------------------------------


def equilibrium(features: int, weight: Any) -> ImmutableDenseMatrix:
    """(33) for N = d: X_1 = e_d, X_{i+1} (I - W) = X_i, unit norm, last entries as printed."""
    rows = [[Integer(0)] * (features - 1) + [Integer(1)]]
    for i in range(1, features):
        head = [-x / weight for x in rows[-1][1:]]
        last = (-1) ** i * sqrt(1 - sum(x**2 for x in head))
        rows.append([*head, last])
    return ImmutableDenseMatrix(rows)


def linearisation_block(tokens: ImmutableDenseMatrix, i: int, weight: Any) -> Matrix:
    """d LN((X_1 + ... + X_i) W)/dX_i at tokens: W (I - x^T x)/|s| on row vectors, s W = |s| x."""
    moved = (causal_mean(tokens) * jordan(tokens.cols, weight)).row(i) * (i + 1)
    norm = sqrt((moved * moved.T)[0])
    own = moved / norm
    return jordan(tokens.cols, weight) * (Matrix.eye(tokens.cols) - own.T * own) / norm


def least_contraction(point: Point) -> Any:
    """The least |determinant| of the tokens' blocks at (33), on their tangent spaces: the product of a
    token's multipliers."""
    size, weight = int(point[d]), point[w]
    tokens = equilibrium(size, weight)
    blocks = (linearisation_block(tokens, i, weight).evalf(30) for i in range(size))
    # The radial direction adds a factor of the polynomial: its root zero.
    return min(abs(block.charpoly().all_coeffs()[-2]) for block in blocks)


least_product = Quantity(r"\min_i\prod_k|\lambda_{i,k}|", least_contraction)
share = measured_quantity(r"\mathbb P\left(X^{(t)}\ \text{keeps rank}\ge2\right)")
small = Symbol("theta", positive=True)

equilibria_attract_along_some_directions = Claim(
    id="wu2024.sec-4.4.stability",
    source=source("Sec. 4.4", "Stability of the equilibria"),
    kind="prose",
    title="The full-rank equilibria attract along some directions, and few inputs reach them.",
    statement=least_product.below(1) & share.below(small),
    domain=Domain(
        (
            Choice(d, (Integer(2), Integer(3), Integer(4))),
            Choice(w, (Integer(2), Integer(3), Integer(4))),
            Choice(small, (Rational(1, 20), Rational(1, 8), Rational(1, 4))),
        )
    ),
    left_open=(small,),
    hypotheses=(
        WEIGHTS,
        Hypothesis(r"N=d,\ X^{(0)}\ \text{uniform on}\ (\mathbb S^{d-1})^N"),
        Hypothesis(r"\lambda_{i,k}:\ \text{the multipliers of token}\ i\ \text{at (33)}"),
    ),
    uses=(open_set_of_sequences_keeps_rank_two, multipliers_of_full_rank_equilibria),
    note=(
        "'Relatively small' is no number in print, and decides: for $N=d=2$ the share is below $1/8$ for "
        "every $w$ and above $1/20$ for $w=2$; it is measured at one to five per cent for $N=d=3$, at about "
        "one per cent or less for $N=d=4$. What is measured keeps rank $2$, and need not run to an "
        "equilibrium of full rank. The first token has multipliers 1 only: it is semi-stable, since "
        "$X_{1,1}<0$ runs to $-e_d$. From four tokens on the fourth repels, for every $w$ and all signs: "
        "`wu2024.beyond.fourth-token-repels`."
    ),
)
