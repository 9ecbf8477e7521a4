r"""Moments of $N=YY^\top$ through random layers: what the laws of spectra are read from.

One layer turns $N$ into $YNY^\top$ with independent centred rows $y$: rows of $W^V$ are Gaussian,
those of $A^\perp$ are shares of i.i.d. $Z_{ij}$ less their mean.  At the size $k$ there are $T=kT_1$ tokens
and $d=kd_1$ features, $\gamma=T_1/d_1$.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any

from sympy import QQ, Integer, Rational, oo

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Hypothesis
from claims.naitsaada2025.notation import (
    T_1,
    d_1,
    ell,
    gamma,
    mean_Z,
    sigma_A,
    sigma_V,
    size,
)
from claims.naitsaada2025.shares import (
    FOURTH_MOMENT,
    GAMMA,
    LAWS,
    RowMoment,
    centred_row,
    law,
    relative_variance,
    require_closed_form,
)
from claims.statement import Compare
from claims.terms import family

VALUES = Hypothesis(r"(W_\ell^V)_{ij}\sim\mathcal N(0,\sigma_V^2)")
SIZES = Hypothesis(r"T=kT_1,\ d=kd_1,\ \gamma=T_1/d_1,\ k\to\infty")
ORTHONORMAL = Hypothesis(r"X_0X_0^\top=I")
MEAN, VARIANCE = r"\mathbb E_{Z\sim D_\ell}(Z)", r"\mathrm{Var}_{Z\sim D_\ell}(Z)"
"""Of the limiting law of a spectrum, $D_\\ell$."""
RATIO = Computed(
    gamma, lambda at: Rational(at[T_1], at[d_1]), known=(Compare(gamma * d_1, "=", T_1),)
)
NO_MORE_TOKENS = Condition.of(Compare(T_1, "<=", d_1))


_variables = (
    Size(ell, 1, 2, reach=6), Size(T_1, 1, 2, reach=4), Size(d_1, 1, 2, reach=4), RATIO, *LAWS,
    Real(sigma_V, low=0, open_low=True),
)  # fmt: skip
ANY_RATIO = Domain(_variables)
DEEP = Domain(_variables, (NO_MORE_TOKENS, FOURTH_MOMENT))


def at_one(domain: Domain, *symbols: Any) -> Domain:
    """The domain with some of its variables equal to one."""
    ones = (Choice(v.symbol, (Integer(1),)) if v.symbol in symbols else v for v in domain.variables)
    return Domain(tuple(ones), domain.conditions)


TWICE_AS_WIDE = DEEP.completed(
    {
        ell: Integer(2),
        T_1: Integer(1),
        d_1: Integer(2),
        law: GAMMA,
        mean_Z: Integer(1),
        sigma_A: Integer(1),
        sigma_V: Integer(1) / 2,
    }
)
"""Two layers with d = 2T: where the powers of gamma tell."""


@cache
def gaussian_row(places: tuple[int, ...]) -> Fraction:
    """E prod y_p of a standard normal row."""
    counts = [places.count(p) for p in set(places)]
    odd = any(c % 2 for c in counts)
    return Fraction(0) if odd else Fraction(prod(prod(range(1, c, 2)) for c in counts))


@dataclass(frozen=True)
class Moments:
    """E N_ij and E N_ij N_km of a random symmetric matrix, by their places."""

    first: dict[tuple[int, ...], Fraction]
    second: dict[tuple[int, ...], Fraction]

    def first_trace(self) -> Fraction:
        return sum((v for (i, j), v in self.first.items() if i == j), start=Fraction(0))

    def second_trace(self) -> Fraction:
        """E tr N^2."""
        places = self.second.items()
        return sum((v for (i, j, k, m), v in places if (j, k) == (m, i)), start=Fraction(0))


def identity_moments(rows: int) -> Moments:
    places = range(rows)
    one: dict[tuple[int, ...], Fraction] = {(i, i): Fraction(1) for i in places}
    return Moments(one, {(i, i, k, k): Fraction(1) for i in places for k in places})


PAIRS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))


def _weighed(moments: dict[tuple[int, ...], Fraction], weight: RowMoment) -> Fraction:
    """The sum of moments times their weights, most of which vanish."""
    return sum((v * w for at, v in moments.items() if (w := weight(at))), start=Fraction(0))


def _apart(row: RowMoment, one: Sequence[int], other: Sequence[int]) -> RowMoment:
    """Of two rows, each with its places."""

    def both(at: tuple[int, ...]) -> Fraction:
        first = row(tuple(at[b] for b in one))
        return first and first * row(tuple(at[b] for b in other))

    return both


def through_layer(before: Moments, rows: int, row: RowMoment) -> Moments:
    """Moments of Y N Y^T: rows are independent and centred, so that none may stand alone."""
    one, whole = (_weighed(moments, row) for moments in (before.first, before.second))
    paired = [_weighed(before.second, _apart(row, *blocks)) for blocks in PAIRS]
    second: dict[tuple[int, ...], Fraction] = {}
    for i, k in product(range(rows), repeat=2):
        if i == k:
            second[i, i, i, i] = whole
        else:
            second[i, i, k, k], second[i, k, i, k], second[i, k, k, i] = paired
    return Moments({(i, i): one for i in range(rows)}, second)


def through_values(start: Moments, point: Point, features: int, last: int | None = None) -> Moments:
    """After l Gaussian layers, of which the outermost may have fewer rows (those that X_0 picks)."""
    scale = Fraction(Rational(point[sigma_V] ** 2))
    found = start
    for layer in range(layers := int(point[ell])):
        rows = last if last is not None and layer == layers - 1 else features
        found = through_layer(found, rows, lambda at: gaussian_row(at) * scale ** (len(at) // 2))
    return found


def through_attention(start: Moments, point: Point, tokens: int) -> Moments:
    """After l layers of A^perp."""
    row = centred_row(point[law], tokens, Fraction(relative_variance(point)))
    for _ in range(int(point[ell])):
        start = through_layer(start, tokens, row)
    return start


@cache
def _both_factors(
    layers: int, tokens: int, features: int, of: str, scale_a: Any, scale_v: Any
) -> tuple[Moments, Moments, Moments]:
    """Of the attention factor and the value factor of J, and of Sigma."""
    point = {ell: layers, law: of, mean_Z: Integer(1), sigma_A: scale_a, sigma_V: scale_v}
    attention = through_attention(identity_moments(tokens), point, tokens)
    values = through_values(identity_moments(features), point, features)
    signal = through_values(identity_moments(features), point, features, last=tokens)
    return attention, values, through_attention(signal, point, tokens)


def at_size(point: Point, k: int) -> tuple[int, int, tuple[Moments, Moments, Moments]]:
    tokens, features = k * int(point[T_1]), k * int(point[d_1])
    scales = point[law], point[sigma_A] / point[mean_Z], point[sigma_V]
    return tokens, features, _both_factors(int(point[ell]), tokens, features, *scales)


def _covariance(trace: Callable[[Moments], Fraction]) -> Callable[[Point, int], Rational]:
    def define(point: Point, k: int) -> Rational:
        tokens, _, (*_, signal) = at_size(point, k)
        return Rational(trace(signal) / tokens)

    return define


def _jacobian(trace: Callable[[Moments], Fraction]) -> Callable[[Point, int], Rational]:
    """tr (A (x) W)(A (x) W)^T = tr AA^T tr WW^T, and so for the square; A and W are independent."""

    def define(point: Point, k: int) -> Rational:
        tokens, features, (attention, values, _) = at_size(point, k)
        return Rational(trace(attention) * trace(values) / (tokens * features))

    return define


_SIGMA, _J = r"\Sigma_\ell^\perp", r"J_\ell J_\ell^\top"
covariance_first, covariance_second = (
    family(rf"\mathbb E\tfrac1T\mathrm{{{{tr}}}}\,{power}\big|_{{{{T/T_1={{}}}}}}", _covariance(trace))
    for power, trace in ((_SIGMA, Moments.first_trace), (f"({_SIGMA})^2", Moments.second_trace))
)  # fmt: skip
jacobian_first, jacobian_second = (
    family(rf"\mathbb E\tfrac1{{{{Td}}}}\mathrm{{{{tr}}}}\,{power}\big|_{{{{T/T_1={{}}}}}}", _jacobian(trace))
    for power, trace in ((f"({_J})", Moments.first_trace), (f"({_J})^2", Moments.second_trace))
)  # fmt: skip


# Limits: the same moments as rational functions of k ----------------------------------------------

FIELD = QQ.frac_field(size)
GROWS = FIELD.from_sympy(size)
State = tuple[Any, Any, Any]
r"""(P, R, Q) of a symmetric N with E N_ij N_km = P d_ij d_km + R (d_ik d_jm + d_im d_jk) + Q d_ijkm."""


def value_step(state: State, features: Any, variance: Any) -> State:
    """One Gaussian layer with as many rows as columns."""
    p, r, _ = state
    squared_trace, trace_of_square = (
        features**2 * p + 2 * features * r,
        features * p + (features**2 + features) * r,
    )
    return variance**2 * squared_trace, variance**2 * trace_of_square, FIELD(0)


def attention_step(state: State, tokens: Any, variance: Any) -> State:
    """One layer A^perp: fourth moments of Z/sum Z, contracted with K N K, K = I - 11^T/T."""
    p, r, q = state
    less, own = tokens - 1, (tokens - 1) ** 2 / tokens
    squared_trace = less**2 * p + 2 * less * r + own * q
    trace_of_square = less * p + less * tokens * r + own * q
    of_diagonal = own * (p + 2 * r) + (less**4 + less) / tokens**3 * q
    pair = variance / (tokens * (tokens + variance))
    four = variance**3 / (
        tokens * (tokens + variance) * (tokens + 2 * variance) * (tokens + 3 * variance)
    )
    whole = four / variance * (squared_trace + 2 * trace_of_square) + 6 * four * of_diagonal
    after = pair**2 * squared_trace, pair**2 * trace_of_square
    return *after, whole - after[0] - 2 * after[1]


def mean_square(state: State, rows: Any) -> Any:
    """E tr N^2 / rows."""
    p, r, q = state
    return p + (rows + 1) * r + q


def _steps(
    step: Callable[..., State], start: State, layers: int, rows: Any, variance: Any
) -> State:
    for _ in range(layers):
        start = step(start, rows, variance)
    return start


def _settings(point: Point) -> tuple[Any, ...]:
    require_closed_form(point[law])
    sizes = int(point[ell]), int(point[T_1]), int(point[d_1])
    variance = Rational((point[sigma_A] / point[mean_Z]) ** 2)
    return *sizes, variance, Rational(point[sigma_V] ** 2)


@cache
def _mean(layers: int, t: int, f: int, variance_a: Rational, variance_v: Rational) -> Any:
    a, v, tokens, features = *_in_field(variance_a, variance_v), t * GROWS, f * GROWS
    each = a * (tokens - 1) / (tokens * (tokens + a)) * features * v
    return rational_limit(each**layers)


@cache
def _square(
    of: str, layers: int, t: int, f: int, variance_a: Rational, variance_v: Rational
) -> Any:
    a, v, tokens, features = *_in_field(variance_a, variance_v), t * GROWS, f * GROWS
    one = (FIELD(1), FIELD(0), FIELD(0))
    values = _steps(value_step, one, layers, features, v)
    start = one if of == "jacobian" else values
    square = mean_square(_steps(attention_step, start, layers, tokens, a), tokens)
    return rational_limit(square * mean_square(values, features) if of == "jacobian" else square)


def _in_field(*values: Rational) -> tuple[Any, ...]:
    return tuple(map(FIELD.from_sympy, values))


def rational_limit(function: Any) -> Any:
    """The limit of a rational function of k."""
    top, bottom = function.numer, function.denom
    if top.degree() > bottom.degree():
        return oo
    return QQ.to_sympy(top.LC / bottom.LC) if top.degree() == bottom.degree() else Integer(0)


def limiting_mean(point: Point) -> Any:
    """The limit of the mean: the same for Sigma_l and J_l J_l^T."""
    return _mean(*_settings(point))


def limiting_square(of: str) -> Callable[[Point], Any]:
    """The limit of the mean square, of "covariance" or "jacobian"."""
    return lambda point: _square(of, *_settings(point))


def limiting_variance(of: str) -> Callable[[Point], Any]:
    return lambda point: _square(of, *_settings(point)) - limiting_mean(point) ** 2
