r"""The minimax principle of Courant and Fischer, at a unit vector $z$ that some conditions leave.

$\|M^\top z\|^2$ is at least $s_i^2$ for $z$ in the span of $u_1,\dots,u_i$, and at most $s_i^2$ for $z$
orthogonal to $u_1,\dots,u_{i-1}$: it is the mean of all $s_k^2$ with the weights $\langle u_k,z\rangle^2$.
"""

from __future__ import annotations

from typing import Any

from claims.naitsaada2025.crossings import Crossing
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import at_places, linked, sums_compared
from proofs.kernel import Theorem, assume, instance, joint
from proofs.naitsaada2025.rayleigh import Column, Rayleigh

__all__ = ["Met"]


class Met:
    """A column of a crossing, with what is known of it."""

    def __init__(self, crossing: Crossing, place: Any):
        self.place, self.last = place, place + crossing.further
        unit, shares, beyond, before, *further = (
            instance(assume(known), place) for known in crossing.facts()
        )
        self.unit, self.shares, self.beyond, self.before = unit, shares, beyond, before
        self.further = further
        self.z: Column = lambda a: entry(crossing.symbol)(a, place)

    def at_least(self, found: Rayleigh) -> Theorem:
        """|M^T z|^2 >= s_last^2 for the matrix in the span of whose singular vectors z lies."""
        return self._compared(found, ">=", self.last, self.beyond, self.shares)

    def at_most(self, found: Rayleigh) -> Theorem:
        """|M^T z|^2 <= s_place^2 for the matrix to whose first singular vectors z is orthogonal."""
        return self._compared(found, "<=", self.place, self.before, found.bessel(self.z), self.unit)

    def _compared(
        self, found: Rayleigh, sign: str, where: Any, none: Theorem, *total: Theorem
    ) -> Theorem:
        """Term by term: a weight vanishes, or the singular values are in that order."""
        c, level = found.along(self.z), found.root(where) ** 2

        def term(k: Any) -> Theorem:
            share = c(k)
            order = [at_places(found.falling, *pair) for pair in ((where, k), (k, where))]
            signs = (instance(found.order, place) for place in (k, where))
            square = found.root(k) ** 2 * share**2
            return joint(Compare(square, sign, level * share**2), *order, *signs, instance(none, k))

        each = sums_compared(term, found.rows)
        goal = Compare(found.pulled_norm(self.z), sign, level)
        return linked(goal, found.spread(self.z), each, *total)
