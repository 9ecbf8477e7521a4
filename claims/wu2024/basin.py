r"""Tokens that evolve together: which inputs keep rank two, and how stable the equilibria (33) are.

Causal mask, zero scores, W_V as in (31), w > 1.  The set of inputs is exhibited: for a time T large
enough, tokens that look as if T layers had passed,

    X_1 ~ a W^T,   X_2 ~ (r - delta a) W^T,   a near e_1,  r_1 = 0, r near e_2,  0 < y < w,

where ~ is up to a positive factor and y = X_{2,d}/X_{2,d-1} fixes delta.  They are an open set, and
all tokens after the second are free.  Not covered: N = 1 or d = 1, where every X has rank one.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import product
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Max,
    Rational,
    Symbol,
    binomial,
    ceiling,
    oo,
    sqrt,
    symbols,
    sympify,
)

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Quantity, measured_quantity
from claims.terms import family, from_zero
from claims.wu2024.arcs import second_token_tends_to_b_below_a
from claims.wu2024.multipliers import multipliers_of_full_rank_equilibria
from claims.wu2024.notation import N, d, source, w
from claims.wu2024.plane import LARGE_W, above_one, first_token_runs_to_a_pole
from claims.wu2024.setup import causal_mean, jordan
from claims.wu2024.trajectory import decimal_of, unit_row

orientation = Symbol("o", real=True)
"""The sign of r_2 for a_1 > 0."""

WEIGHTS = Hypothesis(
    r"\mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V=I+w\sum_iE_{i,i+1}\ \text{as in (31)}"
)
JOINT = Hypothesis(
    r"X^{(0)}\in(\mathbb S^{d-1})^N,\ N,d\ge2;\ \text{all tokens evolve from } X^{(0)}"
)


def time_passed(features: int, weight: Any) -> int:
    """A time T that is large enough in the tests: w T/(d - 1) well above max(w, 2w/(w^2 - 1))."""
    trap = max(weight, 2 * weight / abs(weight**2 - 1))
    return int(ceiling(20 * features**2 * trap))


def run_for(row: list[Any], layers: int, weight: Any) -> list[Any]:
    """row W^T by the binomial series of W = I + w S."""
    width = len(row)
    return [
        sum(binomial(layers, k) * weight**k * row[i - k] for k in range(i + 1))
        for i in range(width)
    ]


def pair_of_tokens(
    direction: list[Any], rest: list[Any], ratio: Any, layers: int, weight: Any
) -> tuple:
    """a W^T and (r - delta a) W^T, with delta such that X_{2,d} = y X_{2,d-1}."""
    first, other = run_for(direction, layers, weight), run_for(rest, layers, weight)
    delta = (other[-1] - ratio * other[-2]) / (first[-1] - ratio * first[-2])
    return first, [q - delta * p for p, q in zip(first, other, strict=True)]


def starts(point: Point) -> Iterator[list[list[Any]]]:
    """The centre of the open set and corners of a box in it, for all N tokens, not normalised."""
    features, weight, sign = int(point[d]), point[w], point[orientation]
    layers, small = time_passed(features, weight), Rational(1, 10)
    for bend, place in product((-small, 0, small), (Rational(1, 10), Rational(9, 10))):
        direction = [Integer(1)] + [bend] * (features - 1)
        rest = [Integer(0), sign] + [bend] * (features - 2)
        pair = pair_of_tokens(direction, rest, place * weight, layers, weight)
        later = [
            [Integer((i + j) % 3 == 0) + bend for j in range(features)] for i in range(point[N] - 2)
        ]
        yield [*pair, *later]


_DIGITS, _LAYERS = 30, 50


def least_angle(point: Point) -> float:
    """The least |sin| of the angle between the first two tokens, over the starts, after `_LAYERS` layers."""
    return min(_angle(_followed(tokens, point[w])) for tokens in starts(point))


def _followed(tokens: list[list[Any]], weight: Any) -> list[list[Decimal]]:
    """The LayerNorm dynamics (3) in thirty digits."""
    with localcontext() as context:
        context.prec = _DIGITS
        rows = [[decimal_of(x) for x in row] for row in tokens]
        slope = decimal_of(sympify(weight))
        rows = [unit_row(row) for row in rows]
        for _ in range(_LAYERS):
            total, after = [Decimal(0)] * len(rows[0]), []
            for row in rows:
                total = [s + x for s, x in zip(total, row, strict=True)]
                after.append(
                    unit_row([x + slope * (total[i - 1] if i else 0) for i, x in enumerate(total)])
                )
            rows = after
        return rows


def _angle(rows: list[list[Decimal]]) -> float:
    cosine = float(sum(x * y for x, y in zip(rows[0], rows[1], strict=True)))
    return float(max(0.0, 1 - cosine**2)) ** 0.5


least_sine = Quantity(r"\inf_{X^{(0)}\in U}|\sin\angle(X_1^{(t)},X_2^{(t)})|", least_angle)
"""Over the centre and corners of the open set U of inputs, after `_LAYERS` layers."""
_keeps_rank = Compare(2 * least_sine * sqrt(1 + w**2), ">", 1)


def _inputs(tokens: tuple[Any, ...], weights: Any = above_one, sign: int = 1) -> Domain:
    return Domain((*tokens, weights, Choice(orientation, (Integer(sign),))))


_sizes = (Size(N, 2, 3), Size(d, 2, 4))
_SMALL = Choice(w, (Rational(1, 2), Rational(3, 4)))

# In the plane the open set is explicit -------------------------------------------------------------

first_ratio, second_ratio = symbols("p y", real=True)
"""X_{1,2}/X_{1,1} and X_{2,2}/X_{2,1}, of tokens with X_{1,1} > 0 > X_{2,1}."""


@lru_cache(maxsize=4096)
def pair_after(
    first: Any, second: Any, weight: Any, layers: int
) -> tuple[tuple[Decimal, ...], ...]:
    """Both tokens after some layers, to `PLANE_DIGITS` digits."""
    from_zero(layers)
    with localcontext() as context:
        context.prec = PLANE_DIGITS
        if layers == 0:
            starts = ([Decimal(1), decimal_of(first)], [Decimal(-1), -decimal_of(second)])
            return tuple(tuple(unit_row(row)) for row in starts)
        one, two = pair_after(first, second, weight, layers - 1)
        summed = [a + b for a, b in zip(one, two, strict=True)]
        moved = ([x, y + decimal_of(weight) * x] for x, y in (one, summed))
        return tuple(tuple(unit_row(row)) for row in moved)


PLANE_DIGITS = 60


def _sine_square(point: Point, layers: int) -> Decimal:
    (a, b), (x, y) = pair_after(point[first_ratio], point[second_ratio], point[w], layers)
    with localcontext() as context:
        context.prec = PLANE_DIGITS
        return (a * y - b * x) ** 2


sine_square = family(r"\sin^2\angle(X_1^{{({0})}},X_2^{{({0})}})", _sine_square)
_steep = Condition(
    r"p(w^2-1)>2w",
    lambda at: at[first_ratio] * (at[w] ** 2 - 1) > 2 * at[w],
    Compare(first_ratio * (w**2 - 1), ">", 2 * w),
)
steps = Symbol("t", integer=True)
plane_region = Domain(
    (
        Real(w, 1, open_low=True),
        Real(second_ratio, 0, w, open_low=True, open_high=True),
        Real(excess := Symbol("e", real=True), 0, open_low=True),
        Computed(
            first_ratio,
            lambda at: Max(at[w], 2 * at[w] / (at[w] ** 2 - 1)) + at[excess],
            known=(Compare(first_ratio, ">", w), _steep.formula),
        ),
    )
)
"""An open set of pairs: any 0 < y < w, and any p above the larger of w and 2w/(w^2 - 1)."""
open_set_of_pairs_keeps_rank_two = Claim(
    id="wu2024.sec-4.3.1.nonzero-measure",
    source=source("Sec. 4.3.1", "last paragraph; Fig. 1 right"),
    kind="prose",
    title="A set of pairs of tokens of positive measure keeps rank two when both evolve together.",
    statement=ForAll(steps, 2, oo, Compare(4 * (1 + w**2) * sine_square(steps), ">", 1)),
    printed=(
        r"\text{proper choices for } W_K^{(t)}, W_Q^{(t)}, W_V^{(t)} \text{ can prevent tokens from "
        r"collapsing to a rank one subspace, for a nonzero measure set of input sequences}"
    ),
    domain=plane_region,
    hypotheses=(
        WEIGHTS,
        Hypothesis(r"N=d=2;\ \text{both tokens evolve}"),
        LARGE_W,
        Hypothesis(r"X_{1,1}>0>X_{2,1},\ p=X_{1,2}/X_{1,1}>\max\{w,\tfrac{2w}{w^2-1}\}"),
        Hypothesis(r"0<y=X_{2,2}/X_{2,1}<w"),
    ),
    uses=(first_token_runs_to_a_pole, second_token_tends_to_b_below_a),
    note=(
        "The printed argument has the first token at the pole, a set of measure zero; the joint "
        "dynamics is proved here, for an open set of pairs. The share of all pairs of uniform tokens "
        "is $0.0764$ for $w = 2$, far from the $0.4167$ of a first token at the pole, and tends to "
        "$1/8$ as $w$ grows. Only first tokens with $X_{1,1}X_{1,2} > 0$ contribute."
    ),
)

open_set_of_sequences_keeps_rank_two = Claim(
    id="wu2024.thm-3.no-collapse",
    source=source("Sec. 4.3.2", "Theorem 3, item 2; App. F.3"),
    kind="dynamics",
    title="For a set of inputs of positive measure the tokens do not converge to rank one.",
    statement=_keeps_rank,
    printed=(
        r"\text{For a general class of input sequences } X^{(0)} \text{ in } (\mathbb{S}^{d-1})^N "
        r"\text{ with measure greater than } 0,\ X^{(t)} \text{ does not converge to a rank one subspace}"
    ),
    domain=_inputs(_sizes),
    hypotheses=(WEIGHTS, JOINT, LARGE_W),
    uses=(open_set_of_pairs_keeps_rank_two,),
    mutants=(
        Mutant("|w| < 1", _keeps_rank, domain=_inputs(_sizes, _SMALL)),
        Mutant("second token on the other side", _keeps_rank, domain=_inputs(_sizes, sign=-1)),
    ),
    understood=(
        Understood(
            "$N, d\\ge2$: there is a subspace of rank two to stay in",
            "$N = 1$ or $d = 1$: every $X$ has rank one",
        ),
    ),
    note=(
        "The printed proof takes preceding tokens as already converged, which holds on a set of "
        "measure zero only; the argument here is another one and needs no such assumption."
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
        "every $w$ and above $1/20$ for $w=2$; for $N=d=3,4$ it is measured at a few per cent. What is "
        "measured keeps rank $2$, and need not run to an equilibrium of full rank. The first token has "
        "multipliers 1 only: it is semi-stable, since $X_{1,1}<0$ runs to $-e_d$."
    ),
)
