"""How far a formula is from failing, from the values of both sides of its inequalities.

A margin is positive where the formula fails and grows with the failure; for one inequality it is the
difference of the sides relative to their size.  A conjunction fails as far as its worst part, an
alternative as far as its best; tensors take a smooth maximum, so that every part has a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from sympy import Integer, oo
from torch import Tensor

from claims.denials import OPPOSITE
from claims.exact import ORDERS
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
)
from claims.terms import value_of
from claims.whole import whole_between

__all__ = ["Margin", "Sides", "failing_by"]

Point = Mapping[Any, Any]
Sides = Callable[[Compare, Point], tuple[Any, Any] | None]
"""Both sides of an atom at a point, floats, nested lists or tensors; None where a side has no value."""

EQUAL = 1e-6
"""Relative difference below which two measured values pass for equal."""
NOISE = 1e-12
"""Size below which both sides are rounding."""
FOLLOWED = 8
"""Members of an unbounded range that are looked at."""
SHARPNESS = 20.0
"""Of the smooth maximum: one part in twenty of a side's size."""


@dataclass(frozen=True)
class Margin:
    """By how much a formula fails, and the atom that decides it.

    There is none where an equality holds, or where a premise fails and nothing is asserted.
    """

    value: Any
    atom: Compare | None = None
    left: Any = None
    right: Any = None
    at: Point | None = None

    @property
    def ratio(self) -> float | None:
        """What ought to be smaller over what ought to be larger, where both have one sign."""
        if self.atom is None or self.atom.sign not in ORDERS:
            return None
        if not (self.left and self.right) or self.left * self.right < 0:
            return None
        upwards = (self.atom.sign in {"<=", "<"}) == (self.left > 0)
        return self.left / self.right if upwards else self.right / self.left


def failing_by(formula: Any, at: Point, sides: Sides, *, negated: bool = False) -> Margin | None:
    """The margin of a formula at a point; None where no inequality can say that it fails."""
    judge = lambda f, at=at, negated=negated: failing_by(f, at, sides, negated=negated)  # noqa: E731
    if isinstance(formula, Compare):
        return _of_atom(formula, at, sides, negated)
    if isinstance(formula, Not):
        return judge(formula.body, negated=not negated)
    if isinstance(formula, Monotone):
        return judge(formula.unfolded())
    if isinstance(formula, Implies) and not negated:
        return _of_case(judge(formula.premise, negated=True), judge(formula.conclusion))
    if isinstance(formula, Iff):
        both = And((formula.left.implies(formula.right), formula.right.implies(formula.left)))
        return judge(both)
    if isinstance(formula, ForAll | Exists):
        each = isinstance(formula, ForAll) != negated
        parts = [judge(formula.body, at={**at, formula.index: k}) for k in _range(formula, at)]
        if not each and formula.high is oo:
            return None  # one further out might hold
        return _joined(parts, each)
    if isinstance(formula, And | Or):
        return _joined([judge(f) for f in formula.formulas], isinstance(formula, And) != negated)
    if isinstance(formula, Implies):
        return _joined([judge(formula.premise, negated=False), judge(formula.conclusion)], False)
    return None  # limits and statements in words


def _range(formula: Any, at: Point) -> Iterator[Any]:
    low, high = value_of(formula.low, at), value_of(formula.high, at)
    yield from map(Integer, whole_between(low, low + FOLLOWED - 1 if high is oo else high))


def _joined(parts: list[Margin | None], worst: bool) -> Margin | None:
    """Of a conjunction, or of an alternative, which does not fail where a part is undecided."""
    known = [p for p in parts if p is not None]
    if not known or (not worst and len(known) < len(parts)):
        return None
    if any(isinstance(p.value, Tensor) for p in known):
        return Margin(_smooth([p.value for p in known], 1 if worst else -1))
    chosen = max if worst else min
    return chosen(known, key=lambda p: (p.value, p.atom is not None))


def _smooth(values: list[Any], side: int) -> Tensor:
    """A smooth maximum, or minimum for `side` -1."""
    tensors = torch.broadcast_tensors(*(torch.as_tensor(v, dtype=torch.float64) for v in values))
    stacked = side * SHARPNESS * torch.stack(tensors)
    return side * (stacked.logsumexp(dim=0) - math.log(len(tensors))) / SHARPNESS


def _of_case(given: Margin | None, then: Margin | None) -> Margin | None:
    """Of a conclusion where its premise holds (`given` is positive); elsewhere nothing is asserted."""
    if given is None or then is None:
        return None
    if isinstance(given.value, Tensor) or isinstance(then.value, Tensor):
        return Margin(_smooth([given.value, then.value], -1))
    return then if given.value > 0 else Margin(min(given.value, then.value))


def _of_atom(atom: Compare, at: Point, sides: Sides, negated: bool) -> Margin | None:
    if negated:
        atom = replace(atom, sign=OPPOSITE[atom.sign])
    found = sides(atom, at)
    if found is None:
        return None
    if any(isinstance(side, Tensor) for side in found):
        return Margin(_by_sign(atom.sign, _relative(*found, _against_zero(atom))))
    pairs = _pairs(*found)
    if pairs is None:
        return Margin(1.0 if atom.sign == "=" else -1.0)
    margins = [_of_numbers(atom, a, b, at) for a, b in pairs]
    return max(margins, key=lambda m: m.value, default=Margin(-1.0))


def _of_numbers(atom: Compare, left: float, right: float, at: Point) -> Margin:
    excess = _relative(left, right, _against_zero(atom))
    if math.isnan(excess) or (atom.sign in {"<=", ">="} and max(abs(left), abs(right)) < NOISE):
        return Margin(-1.0)  # 0 <= 0 says nothing
    if atom.sign in ORDERS:
        return Margin(_by_sign(atom.sign, excess), atom, left, right, at)
    if abs(excess) <= EQUAL:
        return Margin(-1.0 if atom.sign == "=" else 1.0)
    if atom.sign == "=":
        return Margin(abs(excess), atom, left, right, at)
    return Margin(-abs(excess))


def _against_zero(atom: Compare) -> bool:
    """Whether a side is the number zero, beside which nothing has a size."""
    return atom.left == 0 or atom.right == 0


def _by_sign(sign: str, excess: Any) -> Any:
    if sign in {"=", "!="}:
        return abs(excess) if sign == "=" else -abs(excess)
    return excess if sign in {"<=", "<"} else -excess


def _relative(left: Any, right: Any, against_zero: bool) -> Any:
    """The difference over the larger side; over one plus it, where a side is the number zero."""
    if any(isinstance(side, Tensor) for side in (left, right)):
        left, right = (torch.as_tensor(side, dtype=torch.float64) for side in (left, right))
        size = torch.maximum(left.abs(), right.abs())
        return (left - right) / (1 + size if against_zero else size.clamp_min(1e-300))
    if left == right:
        return 0.0
    if math.isinf(left) or math.isinf(right):
        return math.copysign(1.0, left - right)
    return (left - right) / (max(abs(left), abs(right)) + against_zero)


def _pairs(left: Any, right: Any) -> list[tuple[float, float]] | None:
    """Entry beside entry; None for what has different shapes or is no number."""
    if isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return None
        parts = [_pairs(a, b) for a, b in zip(left, right, strict=True)]
        return None if None in parts else [pair for part in parts if part for pair in part]
    if isinstance(left, list | str) or isinstance(right, list | str):
        return [] if left == right else None
    return [(float(left), float(right))]
