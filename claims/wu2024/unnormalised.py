r"""The counterexample's weights without LayerNorm: what collapses, and to what.

X^{(t)} = A^t X^{(0)} W^t, with A uniform causal attention, whose eigenvalues are 1, 1/2, ..., 1/N, and W
the value matrix (31).  Every entry is a sum of polynomials in t times powers lambda^t, so that limits
are exact.  Where A3 is asked for, W is divided by its spectral norm s.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Poly,
    Rational,
    S,
    Symbol,
    eye,
    factorial,
    ff,
    oo,
    sign,
    zeros,
)

from claims.definitions import centring
from claims.domain import Array, Choice, Domain, Point, Size
from claims.masks import causal
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.basin import open_set_of_sequences_keeps_rank_two
from claims.wu2024.notation import N, X, d, source, w
from claims.wu2024.plane import LARGE_W, SETTING, above_one
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


def limits_in_the_plane(point: Point) -> tuple[Any, ...]:
    """lim X_1, lim X_2 and lim (X_2 - X_1), entry by entry; infinite where they run away."""
    parts = tokens_after(point)
    shrinking = bool(point[spectral]) and norm_exceeds_one(2, point[w])
    apart = {value: (m[1, :] - m[0, :]).as_immutable() for value, m in parts.items()}
    places = [(parts, 0), (parts, 1), (apart, 0)]
    return tuple(limit_of(_entry(rows, i, j), shrinking) for rows, i in places for j in range(2))


def _finite(values: Any) -> bool:
    return all(abs(float(v)) < float("inf") for v in values)


def _same_point(point: Point, value: tuple[Any, ...]) -> bool:
    """Both tokens converge, to the same point."""
    return _finite(value[:4]) and all(
        abs(float(a) - float(b)) < 1e-9 for a, b in zip(value[:2], value[2:4], strict=True)
    )


def _collapse_with_a3(point: Point, value: tuple[Any, ...]) -> bool:
    """The difference vanishes; the tokens converge under A3, and otherwise only for X_{1,1} = 0."""
    together = all(abs(float(v)) < 1e-9 for v in value[4:])
    bounded = bool(point[spectral]) or point[X][0, 0] == 0
    return together and _same_point(point, value) == bounded


_pair = (Choice(N, (Integer(2),)), Choice(d, (Integer(2),)))


def _plane(*normalised: int) -> Domain:
    return Domain((*_pair, above_one, Array(X), Choice(spectral, tuple(map(Integer, normalised)))))


WITHOUT = Hypothesis(r"X^{(t+1)}=A X^{(t)}W_V\quad\text{(no LayerNorm)}")
tokens_collapse_to_a_point_under_a3 = Claim(
    id="wu2024.fig-1.left.repair",
    parent="wu2024.fig-1.left",
    source=source("Fig. 1", "left"),
    kind="experiment",
    title="Without LayerNorm the tokens approach each other; they converge when A3 holds.",
    statement=Proposition(
        r"X_2^{(t)}-X_1^{(t)}=2^{-t}(X_2-X_1)W_V^t\to0;\quad\text{they converge, to the same point,}\ "
        r"\text{iff}\ X_{1,1}^{(0)}=0\ \text{or}\ W_V/\|W_V\|_2\ \text{is used (A3)}",
        _collapse_with_a3,
    ),
    domain=_plane(0, 1),
    define=limits_in_the_plane,
    hypotheses=(SETTING, LARGE_W, WITHOUT),
    note=(
        "The difference vanishes like t 2^-t, but X_1 = (X_{1,1}, X_{1,2} + w t X_{1,1}) runs to "
        "infinity unless X_{1,1} = 0: W_V breaks A3. Divided by its norm it takes both tokens to 0."
    ),
)
tokens_collapse_to_a_point_of_the_plane = Claim(
    id="wu2024.fig-1.left",
    source=source("Fig. 1", "left"),
    kind="experiment",
    title="Without LayerNorm both tokens of the example collapse to the same point of the plane.",
    statement=Proposition(
        r"\lim_{t\to\infty}X_1^{(t)}=\lim_{t\to\infty}X_2^{(t)}\in\mathbb R^2", _same_point
    ),
    domain=_plane(0),
    define=limits_in_the_plane,
    hypotheses=(SETTING, LARGE_W, WITHOUT),
    mutants=(
        Mutant(
            "both to the origin",
            Proposition(
                r"X_1^{(t)},X_2^{(t)}\to0",
                lambda point, value: all(abs(float(v)) < 1e-9 for v in value[:4]),
            ),
        ),
        Mutant(
            "the difference stays",
            Proposition(
                r"X_2^{(t)}-X_1^{(t)}\not\to0",
                lambda point, value: any(abs(float(v)) > 1e-9 for v in value[4:]),
            ),
        ),
        Mutant(
            "both run to infinity",
            Proposition(r"\|X_1^{(t)}\|\to\infty", lambda point, value: not _finite(value[:2])),
        ),
    ),
    severity="missing-hypothesis",
    repair=tokens_collapse_to_a_point_under_a3,
    note=(
        "The section's W_V, without LayerNorm, breaks A3: the tokens run to infinity side by side. "
        "What the caption means, that they become one, is right."
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


def collapse_without_norm(point: Point) -> tuple[Any, ...]:
    """lim mu^2, lim ||X||_F^2 and lim mu^2/||X||_F^2 (zero where X is zero)."""
    parts = tokens_after(point)
    centre = centring(int(point[N]))
    deviation = _norm_terms({value: centre * m for value, m in parts.items()})
    whole = _norm_terms(parts)
    shrinking = norm_exceeds_one(int(point[d]), point[w])
    small, large = _leading(deviation), _leading(whole)
    relative = small[2] / large[2] if deviation and small[:2] == large[:2] else S.Zero
    return limit_of(deviation, shrinking), limit_of(whole, shrinking), relative


inputs_collapse_without_layernorm = Claim(
    id="wu2024.sec-4.3.2.contrast-with-thm-1",
    source=source("Sec. 4.3.2"),
    kind="prose",
    title="With the same weights, scaled to satisfy A3, all inputs collapse without LayerNorm.",
    statement=Proposition(
        r"\mu(X^{(t)})\to0\ \text{for all } X^{(0)},\quad X^{(t+1)}=AX^{(t)}W_V/\|W_V\|_2",
        lambda point, value: abs(float(value[0])) < 1e-9,
    ),
    domain=Domain((Size(N, 2, 3), Size(d, 1, 3), above_one, Array(X))),
    define=collapse_without_norm,
    hypotheses=(
        Hypothesis(r"\mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V\ \text{as in (31)},\ w>1"),
        Hypothesis(r"\text{A3, by}\ W_V/\|W_V\|_2"),
    ),
    uses=(open_set_of_sequences_keeps_rank_two,),
    mutants=(
        Mutant(
            "to a common vector that is not zero",
            Proposition(
                r"\lim\|X^{(t)}\|_F>0\ \text{for}\ X^{(0)}\ne0",
                lambda point, value: not any(point[X]) or float(value[1]) > 1e-9,
            ),
        ),
        Mutant(
            "relative to the norm as well",
            Proposition(
                r"\mu(X^{(t)})/\|X^{(t)}\|_F\to0", lambda point, value: abs(float(value[2])) < 1e-6
            ),
        ),
    ),
    probes=(
        {
            N: Integer(2), d: Integer(1), w: Integer(2), X: ImmutableDenseMatrix([[0], [1]]),
        },
    ),
    note=(
        "For d >= 2 the whole of X tends to zero, so that collapse is one of size; relative to "
        "||X||_F it needs a first token that is not zero."
    ),
)  # fmt: skip
