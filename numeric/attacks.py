"""What an attack found, as JSON; `audit.words.records` says it in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from claims.domain import Computed, Point
from claims.failures import failures
from claims.records import masks_of, plain, witness_record
from numeric.margins import Margin
from numeric.scenes import Judge

__all__ = ["Attack", "not_attackable", "survived", "violated"]


@dataclass(frozen=True)
class Attack:
    """What the adversary found: a violation, or how close to equality it came, and where."""

    violated: bool
    best_ratio: float | None
    witness: dict[str, Any] | None
    starts: int
    closest: dict[str, Any] | None = None
    reason: str = ""
    """Why the statement was left alone, where it was."""
    place: Point | None = None
    """The point of the violation."""

    def as_json(self) -> dict[str, Any]:
        return {
            "violated": self.violated, "best_ratio": self.best_ratio, "witness": self.witness,
            "starts": self.starts, "closest": self.closest, "reason": self.reason,
        }  # fmt: skip


def not_attackable(reason: str) -> Attack:
    """The record of an inequality that the adversary leaves alone, and why."""
    return Attack(False, None, None, 0, None, reason)


def violated(judge: Judge, point: Point, starts: int) -> Attack:
    """Where exact arithmetic confirmed a violation, and both sides of the part that fails there."""
    formula = judge.claim.formula
    ratio = (judge(point) or Margin(1.0)).ratio
    witness = witness_record(formula, point, "", (), failures(formula, point), judge.claim.domain)
    told = ratio if ratio is not None and math.isfinite(ratio) else None
    return Attack(True, told, witness, starts, place=point)


def survived(judge: Judge, closest: tuple[Point, Margin] | None, starts: int) -> Attack:
    """How close to equality a statement came that did not fail."""
    if closest is None:
        return Attack(False, None, None, starts)
    point, margin = closest
    computed = {v.symbol for v in judge.claim.domain.variables if isinstance(v, Computed)}
    place = {
        "at": {str(symbol): plain(value) for symbol, value in point.items()},
        "left": f"{float(margin.left):.6g}", "right": f"{float(margin.right):.6g}",
        "masks": masks_of(point),
        "shown": [str(symbol) for symbol in point if symbol not in computed],
    }  # fmt: skip
    return Attack(False, margin.ratio, None, starts, place)
