r"""Starts as small as Gaussian weights are on the event of Lemmas D.11 and D.12, for $v=\eta^2/T^2$.

Of norms the proof needs less than the event gives: a row or column of a matrix is no longer than its
operator norm, $3v/|\mathcal V|^{1/2}$, and its entries have a Frobenius norm of at most $2v$.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import flint
from sympy import ImmutableDenseMatrix, Integer, Rational, Sum

from claims.domain import Condition, Domain, Point, Size, Truth
from claims.im2026.boxes import WIDE, UpTo, in_every_layer
from claims.im2026.corpora import Corpus
from claims.im2026.notation import N, T, depth, eta, j, k, layer, m, s, words
from claims.im2026.series import fractions
from claims.im2026.small_starts import (
    ATTENTION,
    OUTPUT,
    POSITIONS,
    START_OF,
    STARTS,
    TURNS,
    VALUES,
    Begun,
    attention,
    output,
    positions,
    stacked,
    still,
    value,
)
from claims.statement import Compare, ForAll, Formula
from claims.terms import value_of

SCALE = eta**2 / T**2
"""v."""
LINE, WHOLE = 9 * SCALE**2 / words, 4 * SCALE**2
"""The largest sums of squares of a row or column, and of all entries."""


def _columns(entry: Any) -> Formula:
    return ForAll(k, 1, words, Compare(Sum(entry**2, (j, 1, words)), "<=", LINE))


def _rows(entry: Any) -> Formula:
    return ForAll(j, 1, words, Compare(Sum(entry**2, (k, 1, words)), "<=", LINE))


def _entries(entry: Any) -> Formula:
    return Compare(Sum(Sum(entry**2, (k, 1, words)), (j, 1, words)), "<=", WHOLE)


_W, _V, _A, _P = (
    output(0, j, k), value(0, layer, j, k), attention(0, layer, j, k), positions(0, layer, m)
)  # fmt: skip
_places = Sum(_P**2, (m, 1, T))


@lru_cache(maxsize=512)
def _squares(stack: ImmutableDenseMatrix) -> list[list[Any]] | None:
    """Squared entries, row by row; None where an entry is no fraction."""
    if not all(entry.is_Rational for entry in stack.flat()):
        return None
    squares = [entry * entry for entry in fractions(stack).entries()]
    return [squares[at : at + stack.cols] for at in range(0, len(squares), stack.cols)]


@dataclass(frozen=True)
class _Within:
    """Whether sums of squares of a weight at the start are at most so much: its formula, read in one go."""

    formula: Formula
    weight: str
    sums: Callable[[list[list[Any]]], Iterable[Any]]
    most: Any

    def __call__(self, at: Point) -> bool:
        most, rows = value_of(self.most, at), _squares(at[START_OF[self.weight]])
        if rows is None or not most.is_Rational:
            return Truth(self.formula)(at)
        limit = flint.fmpq(int(most.p), int(most.q))
        each = len(rows) // stacked(self.weight, int(at[depth]))
        return all(
            total <= limit
            for first in range(0, len(rows), each)
            for total in self.sums(rows[first : first + each])
        )

    @property
    def condition(self) -> Condition:
        """The hypothesis, with the formula that proofs may use."""
        return Condition(self.formula.latex(), self, self.formula)


def _by_rows(rows: list[list[Any]]) -> Iterable[Any]:
    return map(sum, rows)


def _by_columns(rows: list[list[Any]]) -> Iterable[Any]:
    return map(sum, zip(*rows, strict=True))


def _all_together(rows: list[list[Any]]) -> Iterable[Any]:
    return [sum(map(sum, rows))]


_IN_LAYERS = (("V", _V), ("W", _A))
_LINES = (
    _Within(_columns(_W), "W_O", _by_columns, LINE),
    *(
        _Within(in_every_layer(line(entry)), weight, sums, LINE)
        for weight, entry in _IN_LAYERS
        for line, sums in ((_columns, _by_columns), (_rows, _by_rows))
    ),
    _Within(in_every_layer(Compare(_places, "<=", LINE)), "P", _all_together, LINE),
)
LINES = tuple(each.formula for each in _LINES)
"""Columns of $W_O$, columns and rows of $V^{(l)}$ and $W^{(l)}$, and $P^{(l)}$."""
_ENTRIES = (
    _Within(_entries(_W), "W_O", _all_together, WHOLE),
    *(
        _Within(in_every_layer(_entries(entry)), weight, _all_together, WHOLE)
        for weight, entry in _IN_LAYERS
    ),
    _Within(in_every_layer(Compare(_places, "<=", WHOLE)), "P", _all_together, WHOLE),
)
ENTRIES = tuple(each.formula for each in _ENTRIES)
_UNIT = 2 * SCALE / words
ON_THE_EVENT = Domain(
    (
        Size(N, 1, 2), Size(T, 12, 26), Size(words, 12, 28), Size(depth, 1, 2), Size(s, 1, 2), Corpus(),
        UpTo(eta, 1 / T, 1 / (12 * depth * s)),
        *(Begun(symbol, 1, _UNIT) for symbol in (OUTPUT, VALUES, ATTENTION, POSITIONS)),
    ),
    (
        WIDE, Condition.of(Compare(12 * depth * s, "<=", T)),
        *(each.condition for each in (*_LINES, *_ENTRIES)),
    ),
)  # fmt: skip
"""Any corpus and start, as long as $s\\eta\\le1/(12L)$ and $\\eta\\ge1/T$ leave a step."""


def _begun(steps: int) -> Point:
    """Two words in turn among 64, from multiples of the identity that are as large as the event allows."""
    point = still(TURNS, rate=Rational(1, 64), steps=steps, words_=64)
    largest = 2 * SCALE.subs(point) / 8
    square = largest * ImmutableDenseMatrix.eye(64)
    places = ImmutableDenseMatrix(64, 1, lambda row, _: largest * Integer(row == 0))
    return {**point, **dict(zip(STARTS, (square, square, square, places), strict=True))}


PROBES = (_begun(1), _begun(5))
