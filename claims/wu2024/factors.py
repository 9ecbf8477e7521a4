"""Sec. 4.3.1: positive factors of the value matrices do not change the LayerNorm dynamics."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

from sympy import Integer, Symbol, eye, oo

from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.masks import causal, complete
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll
from claims.terms import family
from claims.wu2024.notation import WV, G, N, X, attention, d, source
from claims.wu2024.setup import AttentionSequence, UnitRows, size_of_mask

scale = Symbol("c", real=True)
featurewise = Symbol("f", integer=True, nonnegative=True)
"""1 where the factor multiplies the first row of W_V only, 0 where it multiplies all of it."""
_DIGITS, _ZERO = 60, Decimal(10) ** -30
MASKS = tuple(make(size) for size in (2, 3) for make in (causal, complete))
DEPTH = 2


@lru_cache(maxsize=4096)
def _layers(
    tokens: Any, value: Any, attention_: tuple[Any, ...], factor: Any, first_only: int
) -> tuple[tuple[Decimal, ...], ...] | None:
    """Tokens after the layers with values c W_V, c^2 W_V, ..., to sixty digits; None at a zero row."""
    with localcontext() as context:
        context.prec = _DIGITS
        rows = [[_decimal(e) for e in tokens.row(i)] for i in range(tokens.rows)]
        for number, matrix in enumerate(attention_, start=1):
            diagonal = eye(tokens.cols) * factor**number
            if first_only:
                diagonal[1:, 1:] = eye(tokens.cols - 1)
            weights = [[_decimal(e) for e in matrix.row(i)] for i in range(matrix.rows)]
            scaled = diagonal * value
            columns = [[_decimal(e) for e in scaled.col(b)] for b in range(tokens.cols)]
            mixed = [[_dot(w, column) for column in zip(*rows, strict=True)] for w in weights]
            rows = [[_dot(row, column) for column in columns] for row in mixed]
            norms = [_dot(row, row).sqrt() for row in rows]
            if min(norms) < _ZERO:
                return None
            rows = [[e / norm for e in row] for row, norm in zip(rows, norms, strict=True)]
        return tuple(tuple(row) for row in rows)


def _decimal(number: Any) -> Decimal:
    return Decimal(int(number.p)) / Decimal(int(number.q))


def _dot(left: Any, right: Any) -> Decimal:
    return sum((a * b for a, b in zip(left, right, strict=True)), start=Decimal(0))


def _run(at: Point, layers: int, factor: Any) -> Any:
    return _layers(at[X], at[WV], at[attention][:layers], factor, int(at[featurewise]))


def _defined(point: Point) -> bool:
    return all(_run(point, DEPTH, factor) is not None for factor in (Integer(1), point[scale]))


plain_entry = family(
    r"X^{{({})}}_{{{},{}}}", lambda at, t, i, b: _run(at, t, Integer(1))[i - 1][b - 1]
)
scaled_entry = family(
    r"X^{{({})}}_{{{},{}}}\big|_{{c^{{(s)}}W_V^{{(s)}}}}",
    lambda at, t, i, b: _run(at, t, at[scale])[i - 1][b - 1],
)
"""With the factors c, c^2, ... of the value matrices."""
_t, _i, _b = (Symbol(name, integer=True) for name in "tib")


def _related(sign: int) -> ForAll:
    same = Compare(scaled_entry(_t, _i, _b), "=", sign * plain_entry(_t, _i, _b))
    return ForAll(_t, 0, DEPTH, ForAll(_i, 1, N, ForAll(_b, 1, d, same)))


def _scaling(factor: Any, features: int = 0) -> Domain:
    tokens = (Choice(G, MASKS), size_of_mask, Size(d, 1, 2), Array(WV), UnitRows(X), factor)
    rest = (AttentionSequence(attention, length=DEPTH), Choice(featurewise, (Integer(features),)))
    return Domain((*tokens, *rest), (Condition(r"D^{(s)}\ \text{defined}", _defined),))


_positive = Real(scale, 0, open_low=True)
positive_factors_of_the_values_do_not_matter = Claim(
    id="wu2024.sec-4.3.1.scaling-invariance",
    source=source("Sec. 4.3.1"),
    kind="identity",
    title="Positive factors of the value matrices leave the LayerNorm dynamics unchanged.",
    statement=_related(1),
    domain=_scaling(_positive),
    hypotheses=(
        Hypothesis(
            r"X^{(t+1)}=D^{(t)}A^{(t)}X^{(t)}W_V^{(t)},\ A^{(t)}\ \text{a function of}\ X^{(t)}"
        ),
        Hypothesis(r"c^{(t)}>0;\ \text{in the tests}\ c^{(t)}=c^{t+1}"),
    ),
    mutants=(
        Mutant(
            "negative factors", _related(1), domain=_scaling(Real(scale, -oo, 0, open_high=True))
        ),
        Mutant("a factor for one feature", _related(1), domain=_scaling(_positive, features=1)),
        Mutant("up to sign only", _related(-1)),
    ),
    printed=(
        r"\text{any scaled version } c^{(t)}W_V^{(t)}, c^{(t)} > 0 \text{ of } W_V^{(t)} \text{ "
        "works equivalently here}"
    ),
)
