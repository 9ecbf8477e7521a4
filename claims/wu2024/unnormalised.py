r"""The counterexample's weights without LayerNorm: what collapses, and to what.

X^{(t)} = A^t X^{(0)} W^t, with A uniform causal attention, whose eigenvalues are 1, 1/2, ..., 1/N, and W
the value matrix (31).  Every entry is a sum of polynomials in t times powers lambda^t, so that limits
are exact.  Where A3 is asked for, W is divided by its spectral norm s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from sympy import (
    Abs,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Piecewise,
    Poly,
    Rational,
    S,
    Sum,
    Symbol,
    eye,
    factorial,
    ff,
    oo,
    sign,
    sqrt,
    zeros,
)

from claims.definitions import centring
from claims.domain import Array, Choice, Computed, Domain, Point, Size
from claims.masks import causal
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import And, Compare, ForAll, Formula, Quantity, Tends
from claims.terms import Recursion, entry, family
from claims.wu2024.basin import open_set_of_sequences_keeps_rank_two
from claims.wu2024.notation import WV, N, X, d, source, t, w
from claims.wu2024.plane import LARGE_W, SETTING, above_one, causal_scores_zero
from claims.wu2024.setup import jordan, uniform_attention

layers = Symbol("n", integer=True, positive=True)
spectral = Symbol("s", integer=True, nonnegative=True)
"""1 where W_V is divided by its spectral norm, 0 where it is as printed."""

Terms = Mapping[Any, Any]
"""lambda -> the polynomial in n that multiplies (lambda / norm^power)^n."""


@cache
def powers_of_attention(tokens: int) -> dict[Any, ImmutableDenseMatrix]:
    """A^n = sum_k (1/k)^n P_k, with the spectral projections P_k of uniform causal attention."""
    matrix, values = Matrix(uniform_attention(causal(tokens))), []
    values = [Rational(1, k) for k in range(1, tokens + 1)]
    projections = {}
    for value in values:
        result = eye(tokens)
        for other in values:
            if other != value:
                result = result * (matrix - other * eye(tokens)) / (value - other)
        projections[value] = result.as_immutable()
    return projections


def power_of_values(features: int, weight: Any) -> ImmutableDenseMatrix:
    """W^n = sum_k C(n, k) (W - I)^k, whose entries are polynomials in n."""
    nilpotent = Matrix(jordan(features, weight)) - eye(features)
    return sum(
        (ff(layers, k).expand(func=True) / factorial(k) * nilpotent**k for k in range(features)),
        start=zeros(features),
    ).as_immutable()


def tokens_after(point: Point) -> dict[Any, ImmutableDenseMatrix]:
    """X^{(n)} = sum_k (1/k)^n M_k(n), before any division by a norm."""
    passed = power_of_values(int(point[d]), point[w])
    parts = powers_of_attention(int(point[N])).items()
    return {value: (p * point[X] * passed).applyfunc(lambda e: e.expand()) for value, p in parts}


@cache
def norm_exceeds_one(features: int, weight: Any) -> bool:
    """Whether the spectral norm of W exceeds one: whether W W^T has an eigenvalue above one."""
    value = Matrix(jordan(features, weight))
    polynomial = Poly((value * value.T).charpoly().as_expr(), domain="QQ")
    return polynomial.count_roots(1, oo) > (1 if polynomial.eval(1) == 0 else 0)


def limit_of(terms: Terms, shrinking: bool) -> Any:
    """lim_n sum_lambda p_lambda(n) (lambda/s)^n for lambda in (0, 1], with s > 1 where `shrinking`.

    Smaller bases lose to 1 whatever the polynomial; at base 1 the polynomial decides.
    """
    polynomial = Poly(terms.get(Integer(1), Integer(0)), layers)
    if shrinking or polynomial.is_zero:
        return Integer(0)
    return polynomial.LC() if polynomial.degree() == 0 else sign(polynomial.LC()) * oo


def _entry(parts: dict[Any, Any], i: int, j: int) -> Terms:
    return {value: matrix[i, j] for value, matrix in parts.items()}


# Fig. 1, left ----------------------------------------------------------------------------------------


def _limits_in_the_plane(point: Point, token: int, place: int) -> Any:
    """An entry of lim X_1 or lim X_2; infinite where it runs away."""
    shrinking = bool(point[spectral]) and norm_exceeds_one(2, point[w])
    return limit_of(_entry(tokens_after(point), token - 1, place - 1), shrinking)


def _in_the_plane(point: Point, layer: int, token: int, place: int) -> Any:
    """An entry of A^t X (W_V / s)^t, s being the norm of W_V where it is divided by that."""
    tokens = causal_scores_zero(2) ** layer * point[X] * jordan(2, point[w]) ** layer
    norm = (point[w] + sqrt(point[w] ** 2 + 4)) / 2 if point[spectral] else Integer(1)
    return tokens[token - 1, place - 1] / norm**layer


limit_of_token = family(r"\lim_{{t\to\infty}}X_{{{},{}}}^{{(t)}}", _limits_in_the_plane)
token_after = family(r"X_{{{1},{2}}}^{{({0})}}", _in_the_plane)


def gap(layer: Any, place: int) -> Any:
    """The difference of the tokens."""
    return token_after(layer, 2, place) - token_after(layer, 1, place)


def gap_bound(layer: Any, place: int) -> Any:
    """2^-t (|x|, |y| + w t |x|) for tokens that are (x, y) apart at first."""
    x, y = (Abs(entry(X)(2, b) - entry(X)(1, b)) for b in (1, 2))
    return 2**-layer * (x if place == 1 else y + w * layer * x)


_near = And(tuple(ForAll(t, 0, oo, Compare(Abs(gap(t, b)), "<=", gap_bound(t, b))) for b in (1, 2)))
_to_the_origin = And(
    tuple(Tends(token_after(t, i, b), t, Integer(0)) for i in (1, 2) for b in (1, 2))
)
_limits_vanish = And(tuple(Compare(limit_of_token(i, b), "=", 0) for i in (1, 2) for b in (1, 2)))
_pair = (Choice(N, (Integer(2),)), Choice(d, (Integer(2),)))


def _plane(normalised: int) -> Domain:
    return Domain((*_pair, above_one, Array(X), Choice(spectral, (Integer(normalised),))))


WITHOUT = Hypothesis(r"X^{(t+1)}=A X^{(t)}\frac{W_V}{\|W_V\|_2}\quad\text{(no LayerNorm)}")
tokens_collapse_to_a_point_of_the_plane = Claim(
    id="wu2024.fig-1.left",
    source=source("Sec. 4.3.1", "Fig. 1, left"),
    kind="experiment",
    title="Without LayerNorm, values normalised, both tokens of the example collapse to one point.",
    statement=_near & _to_the_origin,
    printed=r"\text{Without LayerNorm (left), both tokens collapse to the same point in } \mathbb{R}^2",
    domain=_plane(1),
    hypotheses=(SETTING, LARGE_W, WITHOUT),
    mutants=(Mutant("W_V as printed, which breaks A3", _limits_vanish, domain=_plane(0)),),
    understood=(
        Understood(
            "A3, which Sec. 4.1 assumes wherever there is no LayerNorm: the example's $W_V$ is used "
            "divided by its norm, as in Step 3 of App. F.1.",
            "$W_V$ as printed has unbounded powers, and without LayerNorm the first token is "
            "$(X_{1,1}, X_{1,2} + wtX_{1,1})$: from $(1,0)$ both tokens run to infinity, side by side.",
        ),
    ),
    note=(
        "The point is the origin, and the bound on the difference is ours. Sec. 4.3.1 says that any scaled "
        "version of $W_V$ works equivalently: with LayerNorm it does, without it the scale decides "
        "between a limit and none, while the distance of the tokens is of the order $t\\,2^{-t}$."
    ),
)

# Sec. 4.3.2: the contrast with Theorem 1 ---------------------------------------------------------------


def _square(left: Any, right: Any) -> Any:
    return sum((a * b for a, b in zip(left, right, strict=True)), start=Integer(0)).expand()


def _norm_terms(parts: dict[Any, Any]) -> Terms:
    """||sum_k lambda_k^n M_k||_F^2 as a sum over products of bases."""
    terms: dict[Any, Any] = {}
    for first, left in parts.items():
        for second, right in parts.items():
            base = first * second
            terms[base] = (terms.get(base, Integer(0)) + _square(left, right)).expand()
    return {base: p for base, p in terms.items() if p != 0}


def _leading(terms: Terms) -> tuple[Any, ...]:
    base = max(terms, default=Integer(0))
    polynomial = Poly(terms.get(base, Integer(0)), layers)
    return base, polynomial.degree() if terms else Integer(0), polynomial.LC()


def _deviation(point: Point) -> Terms:
    centre = centring(int(point[N]))
    return _norm_terms({value: centre * m for value, m in tokens_after(point).items()})


def _relative(point: Point) -> Any:
    """lim mu^2/||X||_F^2 (zero where X is zero): W_V's norm cancels."""
    deviation, whole = _deviation(point), _norm_terms(tokens_after(point))
    small, large = _leading(deviation), _leading(whole)
    return small[2] / large[2] if deviation and small[:2] == large[:2] else S.Zero


def _mean(size: Any, rows: Any, column: Any) -> Any:
    """The mean of the first rows in a column."""
    j = Symbol("j", integer=True)
    return Sum(rows(j, column), (j, 1, size)) / size


def _step(layer: Any, row: Any, column: Any, before: Any) -> Any:
    mean = _mean(row, before, column)
    return Piecewise((mean, column <= 1), (mean + w * _mean(row, before, column - 1), True))


passed = Recursion("Z", lambda i, b: entry(X)(i, b), _step)
"""Entries of A^t X W_V^t, before W_V is divided by its norm."""
i, b = Symbol("i", integer=True), Symbol("b", integer=True)


def rows_after(layer: Any) -> Any:
    return lambda row, column: passed(layer, row, column)


def apart(layer: Any, row: Any) -> Any:
    """The squared distance of a row from the first one."""
    z = rows_after(layer)
    return Sum((z(row, b) - z(1, b)) ** 2, (b, 1, d))


def mixed_apart(layer: Any, row: Any) -> Any:
    """The same after attention, before W_V."""
    z = rows_after(layer)
    return Sum((_mean(row, z, b) - z(1, b)) ** 2, (b, 1, d))


def _squared_norm(at: Point) -> Any:
    value = jordan(int(at[d]), at[w])
    largest = Poly((value * value.T).charpoly().as_expr(), domain="QQ").real_roots()[-1]
    return largest if largest.is_Rational else largest.evalf(60)


def _spread_after(at: Point, layer: int) -> Decimal:
    """mu^2 after some layers, to sixty digits."""
    size = int(at[N])
    attention, value = uniform_attention(causal(size)), jordan(int(at[d]), at[w])
    state = centring(size) * attention**layer * at[X] * value**layer
    spread = sum((e**2 for e in state), start=Integer(0)) / _squared_norm(at) ** layer
    return Decimal(str(spread.evalf(60)))


squared_norm = Quantity(r"\|W_V\|_2^2", _squared_norm)
spread_after = family(r"\mu(X^{{({})}})^2", _spread_after)
farthest = Quantity(
    r"\max_i\|X_{i,:}^{(0)}-X_{1,:}^{(0)}\|_2^2",
    lambda at: max(sum(e**2 for e in at[X].row(k) - at[X].row(0)) for k in range(int(at[N]))),
    nonnegative=True,
)


@dataclass(frozen=True)
class ValueMatrix(Computed):
    """(31), and what its spectral norm says of differences of rows of A Z."""

    def facts(self) -> tuple[Formula, ...]:
        longer = Compare(apart(t + 1, i), "<=", squared_norm * mixed_apart(t, i))
        every = ForAll(t, 0, oo, ForAll(i, 1, N, longer))
        return Compare(squared_norm, ">", 0), every


limit_of_relative = Quantity(r"\lim_{t\to\infty}\mu(X^{(t)})^2/\|X^{(t)}\|_F^2", _relative)
every_input = Domain(
    (
        Size(N, 2, 3), Size(d, 1, 3), above_one, Array(X),
        ValueMatrix(WV, lambda at: jordan(int(at[d]), at[w])),
    )
)  # fmt: skip
inputs_collapse_without_layernorm = Claim(
    id="wu2024.sec-4.3.2.contrast-with-thm-1",
    source=source("Sec. 4.3.2"),
    kind="prose",
    title="With the same weights, scaled to satisfy A3, all inputs collapse without LayerNorm.",
    statement=ForAll(
        t, 0, oo, Compare(spread_after(t), "<=", N * farthest * (1 - Integer(1) / N) ** (2 * t))
    )
    & Tends(spread_after(t), t, Integer(0)),
    domain=every_input,
    hypotheses=(
        Hypothesis(r"\mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V\ \text{as in (31)},\ w>1"),
        Hypothesis(r"\text{A3, by}\ W_V/\|W_V\|_2"),
    ),
    uses=(open_set_of_sequences_keeps_rank_two,),
    mutants=(Mutant("relative to the norm as well", limit_of_relative.equals(0)),),
    probes=(
        every_input.completed(
            {N: Integer(2), d: Integer(1), w: Integer(2), X: ImmutableDenseMatrix([[0], [1]])}
        ),
    ),
    note=(
        "The rate is ours. For $d\\ge2$ the whole of $X$ tends to zero, so that collapse is one of "
        "size; relative to $\\|X\\|_F$ it needs a first token that is not zero. The paper says that there "
        '"all input sequences eventually result in complete rank collapse to a one-dimensional subspace"; '
        "this is read of $\\mu$, with which Theorem 1 defines rank collapse. Of rank and of "
        "directions it is false under A1-A3: `wu2024.thm-1.rate` has an example."
    ),
)
