r"""Starts as small as Gaussian weights are on the event of Lemmas D.11 and D.12, for $v=\eta^2/T^2$.

Of norms the proof needs less than the event gives: a row or column of a matrix is no longer than its
operator norm, $3v/|\mathcal V|^{1/2}$, and its entries have a Frobenius norm of at most $2v$.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, Sum

from claims.domain import Condition, Domain, Point, Size
from claims.im2026.boxes import WIDE, UpTo, in_every_layer
from claims.im2026.corpora import Corpus
from claims.im2026.notation import N, T, depth, eta, j, k, layer, m, s, words
from claims.im2026.small_starts import (
    ATTENTION,
    OUTPUT,
    POSITIONS,
    STARTS,
    TURNS,
    VALUES,
    Begun,
    attention,
    output,
    positions,
    still,
    value,
)
from claims.statement import Compare, ForAll, Formula

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
LINES = (
    _columns(_W), *(in_every_layer(line(entry)) for entry in (_V, _A) for line in (_columns, _rows)),
    in_every_layer(Compare(_places, "<=", LINE)),
)  # fmt: skip
"""Columns of $W_O$, columns and rows of $V^{(l)}$ and $W^{(l)}$, and $P^{(l)}$."""
_wholes = _entries(_V), _entries(_A), Compare(_places, "<=", WHOLE)
ENTRIES = (_entries(_W), *map(in_every_layer, _wholes))
_UNIT = 2 * SCALE / words
ON_THE_EVENT = Domain(
    (
        Size(N, 1, 2), Size(T, 12, 26), Size(words, 12, 28), Size(depth, 1, 2), Size(s, 1, 2), Corpus(),
        UpTo(eta, 1 / T, 1 / (12 * depth * s)),
        *(Begun(symbol, 1, _UNIT) for symbol in (OUTPUT, VALUES, ATTENTION, POSITIONS)),
    ),
    (
        WIDE, Condition.of(Compare(12 * depth * s, "<=", T)),
        *map(Condition.of, (*LINES, *ENTRIES)),
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
