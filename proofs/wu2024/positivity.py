r"""Proof that long products of D A are positive: Lemma 8, with the longest distance for T.

A product of L factors is bounded below along one walk of length L, which waits at self-loops, and
above through its row sums.
"""

from __future__ import annotations

from typing import Any

from sympy import symbols

from claims.model import Claim
from claims.wu2024 import positivity as claims
from proofs.certificate import Certificate
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.steps import chain_of_neighbours, nonnegative


def entries_in_range() -> tuple[Any, ...]:
    """(eps C_1)^L <= P_ij <= C_2^L over L factors, for j within distance L of i, by induction in L."""
    scale, weight, entry = symbols("D_{ii} A_{ij} P_{jc}", nonnegative=True)
    low, high, floor = symbols("C_1 C_2 epsilon", nonnegative=True)
    least, largest = symbols("(epsilonC_1)^L C_2^L", nonnegative=True)
    return (
        chain_of_neighbours(),
        nonnegative(
            r"D_{ii}A_{ij}-C_1\epsilon\ge0\ \text{on edges}", scale * weight - low * floor,
            (scale - low) * weight, low * (weight - floor), given=(scale - low, weight - floor),
        ),
        nonnegative(
            r"D_{ii}A_{ij}P_{jc}\ge(\epsilon C_1)^{L+1}\ \text{for } P_{jc}\ge(\epsilon C_1)^L",
            weight * entry - floor * least, (weight - floor) * entry, floor * (entry - least),
            given=(weight - floor, entry - least),
        ),
        nonnegative(
            r"C_2^{L+1}A_{ij}-D_{ii}A_{ij}P_{jc}\ge0\ \text{for } P_{jc}\le C_2^L,\ "
            r"\text{summed over } j",
            high * largest * weight - scale * weight * entry,
            (high - scale) * largest * weight, scale * weight * (largest - entry),
            given=(high - scale, largest - entry),
        ),
    )  # fmt: skip


@proves(claims.products_over_the_diameter_are_positive)
def by_walks_that_wait(claim: Claim) -> Certificate:
    """Within L >= R steps every token hears of every other, each step with weight eps C_1 at least."""
    return argued(
        claim, steps=entries_in_range(),
        method="a walk of length R + 1 along a shortest path, waiting at self-loops",
        scope="all N >= 2, all strongly connected masks with self-loops, all sequences of the class",
    )  # fmt: skip
