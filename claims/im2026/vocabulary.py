r"""The letters of the paper's formulas: maps of a corpus, and weights after the steps of a point.

The maps are those of `corpora`; distances from leading terms are computed in fractions of their own
(`small_starts`), so that a formula that is read with these letters is a second way to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix

from claims.domain import Point
from claims.im2026.corpora import (
    bigram_map,
    context_map,
    interchangeability,
    position_map,
    word_map,
)
from claims.im2026.notation import depth
from claims.im2026.small_starts import matrix_of_weight
from claims.vocabulary import means


def _weight(name: str) -> Callable[..., ImmutableDenseMatrix]:
    """The matrix of a weight after the steps of a point, of a layer where there are several."""

    def define(at: Point, *layer: Any) -> ImmutableDenseMatrix:
        if layer and not 1 <= layer[0] <= at[depth]:
            raise LookupError(f"no layer {layer[0]}")
        return matrix_of_weight(name, at, *map(int, layer))

    return define


for _name, _define in (
    (r"\bar B", bigram_map), (r"\bar\Phi", context_map), (r"\Sigma_{{\bar B}}", interchangeability),
    (r"\bar Q", word_map), (r"\Delta", position_map), ("W_O", _weight("W_O")),
    (r"V^{{({})}}", _weight("V")), (r"W^{{({})}}", _weight("W")),
    (r"P^{{({})}}", _weight("P")),
):  # fmt: skip
    means("im2026", _name, _define)
