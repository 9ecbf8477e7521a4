"""Sec. 4.3.1: positive factors of the value matrices do not change the LayerNorm dynamics."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, eye, oo, sqrt

from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.masks import causal, complete
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.wu2024.notation import WV, G, X, attention, d, source
from claims.wu2024.setup import AttentionSequence, UnitRows, size_of_mask

scale = Symbol("c", real=True)
featurewise = Symbol("f", integer=True, nonnegative=True)
"""1 where the factor multiplies the first row of W_V only, 0 where it multiplies all of it."""
_DIGITS, _ZERO = 40, Rational(1, 10**20)
MASKS = tuple(make(size) for size in (2, 3) for make in (causal, complete))


def scaled_layers(point: Point) -> tuple[Any, Any]:
    """X^{(T)} for the value matrices c W_V, c^2 W_V, ... in turn, and for W_V."""
    return _layers(point, point[scale]), _layers(point, Integer(1))


def _layers(point: Point, factor: Any) -> ImmutableDenseMatrix | None:
    tokens = point[X]
    for layer, matrix in enumerate(point[attention], start=1):
        diagonal = eye(tokens.cols) * factor**layer
        if point[featurewise]:
            diagonal[1:, 1:] = eye(tokens.cols - 1)
        tokens = _normalised(matrix * tokens * (diagonal * point[WV]))
        if tokens is None:
            return None
    return tokens


def _normalised(tokens: Any) -> ImmutableDenseMatrix | None:
    """LayerNorm to forty digits, for exact square roots would nest; None when a row is zero."""
    tokens = ImmutableDenseMatrix(tokens).evalf(_DIGITS)
    norms = [sqrt(sum(entry**2 for entry in tokens.row(i))) for i in range(tokens.rows)]
    if min(norms) < _ZERO:
        return None
    return ImmutableDenseMatrix(tokens.rows, tokens.cols, lambda i, j: tokens[i, j] / norms[i])


def _defined(point: Point) -> bool:
    return all(_layers(point, factor) is not None for factor in (Integer(1), point[scale]))


def same_tokens(point: Point, value: tuple[Any, Any]) -> bool:
    """Equality to twenty digits; to 1e-9 for floating-point tokens."""
    scaled, plain = value
    if not hasattr(plain, "applyfunc"):
        return bool((scaled - plain).abs().max() < 1e-9)
    return all(abs(entry) < _ZERO for entry in scaled - plain)


def _scaling(factor: Any, features: int = 0) -> Domain:
    tokens = (Choice(G, MASKS), size_of_mask, Size(d, 1, 2), Array(WV), UnitRows(X), factor)
    rest = (AttentionSequence(attention, length=2), Choice(featurewise, (Integer(features),)))
    return Domain((*tokens, *rest), (Condition(r"D^{(s)}\ \text{defined}", _defined),))


_invariant = Proposition(
    r"X^{(t)}\big|_{c^{(s)}W_V^{(s)}}=X^{(t)}\big|_{W_V^{(s)}}\quad\forall t", same_tokens
)
_positive = Real(scale, 0, open_low=True)
positive_factors_of_the_values_do_not_matter = Claim(
    id="wu2024.sec-4.3.1.scaling-invariance",
    source=source("Sec. 4.3.1"),
    kind="identity",
    title="Positive factors of the value matrices leave the LayerNorm dynamics unchanged.",
    statement=_invariant,
    domain=_scaling(_positive),
    define=scaled_layers,
    hypotheses=(
        Hypothesis(
            r"X^{(t+1)}=D^{(t)}A^{(t)}X^{(t)}W_V^{(t)},\ A^{(t)}\ \text{a function of}\ X^{(t)}"
        ),
        Hypothesis(r"c^{(t)}>0;\ \text{in the tests}\ c^{(t)}=c^{t+1}"),
    ),
    mutants=(
        Mutant(
            "negative factors", _invariant, domain=_scaling(Real(scale, -oo, 0, open_high=True))
        ),
        Mutant("a factor for one feature", _invariant, domain=_scaling(_positive, features=1)),
        Mutant(
            "up to sign only",
            Proposition(
                r"X^{(t)}\big|_{cW_V}=-X^{(t)}\big|_{W_V}",
                lambda point, value: same_tokens(point, (value[0], -value[1])),
            ),
        ),
    ),
)
