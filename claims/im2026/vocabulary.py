r"""The letters of the paper's formulas: maps of a corpus, and weights after the steps of a point.

The maps are those of `corpora`; distances from leading terms are computed in fractions of their own
(`small_starts`), so that a formula that is read with these letters is a second way to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix, Rational

from claims.domain import Point
from claims.im2026.corpora import (
    bigram_map,
    context_map,
    interchangeability,
    position_map,
    word_map,
)
from claims.im2026.notation import T, depth, s, words
from claims.im2026.small_starts import attention, output, positions, value
from claims.vocabulary import means


def _weights(entry: Any, *, columns: bool = True) -> Callable[..., ImmutableDenseMatrix]:
    """The matrix of a weight after the steps of a point, of a layer where there are several."""

    def define(at: Point, *layer: Any) -> ImmutableDenseMatrix:
        if layer and not 1 <= layer[0] <= at[depth]:
            raise LookupError(f"no layer {layer[0]}")
        rows, across = (int(at[words]),) * 2 if columns else (int(at[T]), 1)

        def place(row: int, column: int) -> Rational:
            places = (row + 1, column + 1) if columns else (row + 1,)
            return Rational(str(entry.define_at(at, int(at[s]), *map(int, layer), *places)))

        return ImmutableDenseMatrix(rows, across, place)

    return define


for _name, _define in (
    (r"\bar B", bigram_map), (r"\bar\Phi", context_map), (r"\Sigma_{{\bar B}}", interchangeability),
    (r"\bar Q", word_map), (r"\Delta", position_map), ("W_O", _weights(output)),
    (r"V^{{({})}}", _weights(value)), (r"W^{{({})}}", _weights(attention)),
    (r"P^{{({})}}", _weights(positions, columns=False)),
):  # fmt: skip
    means("im2026", _name, _define)
