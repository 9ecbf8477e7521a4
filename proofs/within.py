"""That a point lies in a domain, as a hypothesis of theorems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from claims.domain import Domain, Point
from claims.statement import Formula

__all__ = ["Within"]


@dataclass(frozen=True)
class Within(Formula):
    """Hypothesis that the point lies in a domain: what a value derived under it needs."""

    domain: Domain

    def latex(self) -> str:
        return r"\text{the hypotheses of the claim}"

    def parts(self) -> tuple[Any, ...]:
        return ()

    def map(self, change: Callable[[Any], Any]) -> Formula:
        return self

    def truth(self, at: Point) -> bool | None:
        return self.domain.objection(at) is None

    def __hash__(self) -> int:
        return id(self.domain)
