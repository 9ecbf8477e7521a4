"""What the fix, layer norm and skip connections add to the stable rank of a stack."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import other_modules as claims
from claims.naitsaada2025.figures_spectra import mechanism
from numeric.agreement import Measured
from numeric.naitsaada2025.extreme_singular_values import excess_rank
from numeric.naitsaada2025.stacks import Block, layers_of, softmax_stack
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream
from numeric.trends import mean_of_runs

SIZE, DEEPEST = 24, 4
RUNS = {"markov": 512, "softmax": 2048}
"""Softmax attention comes near to rank one in some runs, far below the others and beyond all digits."""


@remembered()
def excess_along_depth(block: Block) -> list[Tensor]:
    """log(sr - 1), layer by layer."""
    rng = quick_stream("naitsaada2025", "modules", block.mechanism)
    runs = RUNS[block.mechanism]
    if block.mechanism == "softmax":
        return [at.log_excess() for _, at in softmax_stack(block, rng, runs, SIZE, DEEPEST)]
    layers = layers_of(block, rng, runs, SIZE, SIZE, DEEPEST)
    return [excess_rank(tokens).log() for tokens, _, _ in layers]


def _block(kind: str, **parts: bool) -> Block:
    return Block(kind, "mean" if parts["fix"] else "", parts["norm"], parts["skip"])


def _family(part: str, family: Any) -> None:
    first, second = (name for name in claims.gain if name != part)

    @measures(family)
    def mean_gain(point: Point, others: int, layer: int) -> Measured:
        kept = {first: bool(others & 1), second: bool(others & 2)}
        added, without = (
            excess_along_depth(_block(str(point[mechanism]), **kept, **{part: has}))[layer - 1]
            for has in (True, False)
        )
        return mean_of_runs(added - without)


for _part, _quantity in claims.gain.items():
    _family(_part, _quantity)
