"""Sec. 4.3.1: positive factors of the value matrices do not change the LayerNorm dynamics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from random import Random
from typing import Any

from sympy import Expr, Integer, Rational, Sum, Symbol, eye, sqrt

from claims.domain import Array, Choice, Condition, Domain, Point, Size
from claims.masks import causal, complete
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion, entry, family
from claims.wu2024.dynamics import Layers, values
from claims.wu2024.notation import WV, G, N, T, X, attention, d, source, t
from claims.wu2024.setup import AttentionSequence, size_of_mask
from claims.wu2024.trajectory import decimals, norm_of, product, unit_row

factors = Symbol("c^{(0..T-1)}")
"""Holds one number for each layer at a point."""
featurewise = Symbol("f", integer=True, nonnegative=True)
"""1 where the factor multiplies the first row of W_V only, 0 where it multiplies all of it."""
_DIGITS, _ZERO = 60, Decimal(10) ** -30
MASKS = tuple(make(size) for size in (2, 3) for make in (causal, complete))
i, b = Symbol("i", integer=True), Symbol("b", integer=True)


@dataclass(frozen=True)
class Factors:
    """A tuple of positive numbers, one for each layer; of negative ones where so asked."""

    symbol: Any
    sign: int = 1

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield tuple(self.sign * Integer(weight + 1) for _ in range(int(point[T])))

    def draw(self, rng: Random, point: Point) -> Any:
        drawn = (Rational(rng.randint(1, 9), rng.randint(1, 4)) for _ in range(int(point[T])))
        return tuple(self.sign * factor for factor in drawn)

    def facts(self) -> tuple[Formula, ...]:
        """The number for layer s stands in place s + 1."""
        place = Symbol("place", integer=True)
        return (ForAll(place, 1, T, Compare(self.sign * entry(self.symbol)(place), ">", 0)),)

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[T] or any(self.sign * factor <= 0 for factor in value):
            kind = "positive" if self.sign > 0 else "negative"
            return f"{self.symbol} = {value}: must be {point[T]} {kind} numbers"
        return None


# The dynamics, with a factor in every layer -----------------------------------------------------------


def mixed(layer: Any, token: Any, feature: Any, before: Any) -> Expr:
    """An entry of A X W_V, without its factor."""
    other, between = Symbol("other", integer=True), Symbol("between", integer=True)
    row = Sum(entry(attention)(layer, token, other) * before(other, between), (other, 1, N))
    return Sum(row * entry(values)(layer, between, feature), (between, 1, d))


def squared_norm(layer: Any, token: Any, before: Any) -> Expr:
    """The squared norm of a row of A X W_V."""
    column = Symbol("column", integer=True)
    return Sum(mixed(layer, token, column, before) ** 2, (column, 1, d))


plain = Recursion(
    "X",
    lambda i, b: entry(X)(i, b),
    lambda t, i, b, before: mixed(t, i, b, before) / sqrt(squared_norm(t, i, before)),
)
"""Entries of X^{(t)} by Eq. (3)."""


def tokens(layer: Any) -> Any:
    return lambda token, feature: plain(layer, token, feature)


@lru_cache(maxsize=4096)
def _layers(
    start: Any, matrices: tuple[Any, ...], scales: tuple[Any, ...], first_only: int
) -> tuple[tuple[Decimal, ...], ...] | None:
    """Tokens after layers (A, W_V) with values c W_V, to sixty digits; None at a zero row."""
    with localcontext() as context:
        context.prec = _DIGITS
        rows = decimals(start)
        for (matrix, value), factor in zip(matrices, scales, strict=True):
            diagonal = eye(start.cols) * factor
            if first_only:
                diagonal[1:, 1:] = eye(start.cols - 1)
            rows = product(product(decimals(matrix), rows), decimals(diagonal * value))
            if min(map(norm_of, rows)) < _ZERO:
                return None
            rows = [unit_row(row) for row in rows]
        return tuple(tuple(row) for row in rows)


def _run(at: Point, layers: int, scaled: bool) -> Any:
    ones = (Integer(1),) * layers
    matrices = tuple(zip(at[attention][:layers], at[values][:layers], strict=True))
    scales = at[factors][:layers] if scaled else ones
    return _layers(at[X], matrices, scales, int(at[featurewise]))


def _no_row_vanishes(point: Point) -> bool:
    return all(_run(point, int(point[T]), scaled) is not None for scaled in (False, True))


_defined = Condition(
    r"D^{(s)}\ \text{defined}",
    _no_row_vanishes,
    ForAll(t, 0, T - 1, ForAll(i, 1, N, Compare(squared_norm(t, i, tokens(t)), ">", 0))),
)
plain_entry = family(r"X^{{({})}}_{{{},{}}}", lambda at, t, i, b: _run(at, t, False)[i - 1][b - 1])
scaled_entry = family(
    r"X^{{({})}}_{{{},{}}}\big|_{{c^{{(s)}}W_V^{{(s)}}}}",
    lambda at, t, i, b: _run(at, t, True)[i - 1][b - 1],
)
"""With the factors of the value matrices."""


def _related(sign: int) -> ForAll:
    same = Compare(scaled_entry(t, i, b), "=", sign * plain_entry(t, i, b))
    return ForAll(t, 0, T, ForAll(i, 1, N, ForAll(b, 1, d, same)))


def _scaling(sign: int, features: int = 0) -> Domain:
    sizes = (Choice(G, MASKS), size_of_mask, Size(d, 1, 2), Size(T, 1, 2))
    layers = (Layers(values, Array(WV), T), AttentionSequence(attention, length=T))
    rest = (Array(X), Factors(factors, sign), Choice(featurewise, (Integer(features),)))
    return Domain((*sizes, *layers, *rest), (_defined,))


positive_factors_of_the_values_do_not_matter = Claim(
    id="wu2024.sec-4.3.1.scaling-invariance",
    source=source("Sec. 4.3.1"),
    kind="identity",
    title="Positive factors of the value matrices leave the LayerNorm dynamics unchanged.",
    statement=_related(1),
    domain=_scaling(1),
    hypotheses=(
        Hypothesis(
            r"X^{(t+1)}=D^{(t)}A^{(t)}X^{(t)}W_V^{(t)},\ A^{(t)}\ \text{a function of}\ X^{(t)}"
        ),
        Hypothesis(r"c^{(t)}>0"),
    ),
    mutants=(
        Mutant("negative factors", _related(1), domain=_scaling(-1)),
        Mutant("a factor for one feature", _related(1), domain=_scaling(1, features=1)),
        Mutant("up to sign only", _related(-1)),
    ),
    printed=(
        r"\text{any scaled version } c^{(t)}W_V^{(t)}, c^{(t)} > 0 \text{ of } W_V^{(t)} \text{ "
        "works equivalently here}"
    ),
    note=(
        "The attention matrices are those of the dynamics without factors: as long as the tokens "
        "agree, so do matrices that are functions of them."
    ),
)
