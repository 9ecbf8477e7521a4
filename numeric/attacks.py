"""What an attack found, in one sentence and as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sympy import sympify

from claims.domain import Computed, Point
from claims.model import Claim
from claims.statement import Compare, Monotone
from claims.terms import value_of
from claims.typeset import typeset
from numeric.margins import Margin
from numeric.scenes import UNDEFINED, Judge

__all__ = ["Attack", "not_attackable", "survived", "violated"]

LONGEST = 60
"""Characters of an exact value that are shown."""
LOOSE = 1 / 2


@dataclass(frozen=True)
class Attack:
    """What the adversary found: a violation, or how close to equality it came, and where."""

    violated: bool
    best_ratio: float | None
    witness: dict[str, Any] | None
    starts: int
    closest: dict[str, Any] | None = None
    sentence: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "violated": self.violated, "best_ratio": self.best_ratio, "witness": self.witness,
            "starts": self.starts, "closest": self.closest, "sentence": self.sentence,
        }  # fmt: skip


def not_attackable(reason: str) -> Attack:
    """The record of an inequality that the adversary leaves alone, and why."""
    return Attack(False, None, None, 0, None, f"Not attackable: {reason}.")


def violated(judge: Judge, point: Point, starts: int) -> Attack:
    """Where exact arithmetic confirmed a violation, and both sides of the part that fails there."""
    margin = judge(point) or Margin(1.0)
    left, right = _exact_sides(margin)
    where = f" in {typeset(margin.atom)}" if _several(judge.claim) and left else ""
    sides = f"the left side is {left}, the right side {right}{where}" if left else "it fails there"
    ratio = margin.ratio
    return Attack(
        True,
        ratio if ratio is not None and math.isfinite(ratio) else None,
        {"at": _shown(point), "left": left or "", "right": [right] if right else []},
        starts,
        None,
        f"Violated at {_words(judge.claim, point)}: {sides}.",
    )


def survived(judge: Judge, closest: tuple[Point, Margin] | None, starts: int) -> Attack:
    """How close to equality a statement came that did not fail."""
    tried = f"Not violated at {starts} points"
    if closest is None:
        said = f"{tried}, none of which tells how close it came."
        return Attack(False, None, None, starts, None, said)
    point, margin = closest
    sides = {"left": _figure(margin.left), "right": _figure(margin.right)}
    ratio, said = margin.ratio, f"left {sides['left']}, right {sides['right']}"
    if ratio is not None:
        said = f"ratio {_figure(ratio)} ({said})"
        if ratio <= LOOSE:
            said += "; it is loose by a factor of two or more wherever it was tried"
    said = f"{tried}; closest to equality at {_words(judge.claim, point)}: {said}."
    return Attack(False, ratio, None, starts, {"at": _shown(point), **sides}, said)


def _several(claim: Claim) -> bool:
    return sum(isinstance(part, Compare | Monotone) for part in claim.formula.walk()) > 1


def _exact_sides(margin: Margin) -> tuple[str | None, str | None]:
    if margin.atom is None or margin.at is None:
        return None, None
    try:
        left, right = (_side(side, margin.at) for side in (margin.atom.left, margin.atom.right))
    except UNDEFINED:
        left, right = _figure(margin.left), _figure(margin.right)
    return left, right


def _side(term: Any, at: Point) -> str:
    value = value_of(term, at)
    if isinstance(value, tuple) or hasattr(value, "tolist"):
        return _flat(_plain(value))
    text = str(value)
    return text if len(text) <= LONGEST else str(sympify(value).evalf(12))


def _figure(value: Any) -> str:
    return f"{float(value):.6g}"


def _shown(point: Point) -> dict[str, Any]:
    return {str(symbol): _plain(value) for symbol, value in point.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return [[str(x) for x in row] for row in value.tolist()]
    return str(value)


def _words(claim: Claim, point: Point) -> str:
    """The point, without what the domain computes from the rest."""
    computed = {v.symbol for v in claim.domain.variables if isinstance(v, Computed)}
    free = {symbol: value for symbol, value in point.items() if symbol not in computed}
    return ", ".join(f"{symbol} = {_flat(_plain(value))}" for symbol, value in free.items())


def _flat(value: Any) -> str:
    return f"[{', '.join(map(_flat, value))}]" if isinstance(value, list) else str(value)
