"""Coefficients of a combination that is zero vanish one after the other, from the last one on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Symbol

from claims.statement import Compare, ForAll, Formula, Implies
from proofs.kernel import (
    Theorem,
    assume,
    congruent,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    next_integer,
)

__all__ = ["FromTheLast"]


@dataclass(frozen=True)
class FromTheLast:
    """Coefficients c_1, ..., c_length, of which the last `known` vanish already.

    `index` is bound in what is said of all of them.
    """

    coefficient: Callable[[Any], Expr]
    length: Any
    index: Symbol
    known: Symbol

    @property
    def here(self) -> Any:
        """The last index whose coefficient is not known to vanish."""
        return self.length - self.known

    @property
    def more(self) -> Formula:
        """There is such an index."""
        return Compare(self.known + 1, "<=", self.length)

    def vanish(self, at: Any) -> Formula:
        """The last `at` coefficients vanish."""
        zero = Compare(self.coefficient(self.index), "=", 0)
        return ForAll(self.index, self.length - at + 1, self.length, zero)

    def alone(self, k: Any, value: Expr, before: Theorem, *assumed: Formula) -> Theorem:
        """`value`, a multiple of c_k, is zero but for k = here: `before` says so for k < here."""
        place, here = Symbol("p", integer=True), self.here
        goal = Compare(value, "=", value * KroneckerDelta(k, here))
        after = cut(instance(assume(self.vanish(self.known)), k), next_integer(here, k))
        same = congruent(KroneckerDelta(place, here), place, k, here)
        cases = []
        for sign, case in (("<", before), (">", after), ("=", same)):
            premise = Compare(k, sign, here)
            shown = cut(joint(goal, case), assume(premise), *map(assume, assumed))
            cases.append(discharge(shown, premise))
        return joint(goal, *cases)

    def all(self, one_more: Theorem) -> Theorem:
        """Every coefficient vanishes, where one more does in every case."""
        claim = lambda at: Implies(Compare(at, "<=", self.length), self.vanish(at))  # noqa: E731
        known = joint(self.vanish(self.known), assume(claim(self.known)), given=(self.more,))
        step = discharge(cut(one_more, known, assume(self.more)), self.more)
        empty = Compare(self.index, ">=", self.length + 1), Compare(self.index, "<=", self.length)
        none = joint(Compare(self.coefficient(self.index), "=", 0), given=empty)
        nothing = generalise(none, self.index, self.length + 1, self.length)
        start = joint(claim(Integer(0)), nothing)
        return joint(
            self.vanish(self.length), instance(induction(start, step, self.known), self.length)
        )
