"""A display is the conjunction of its links, or its one link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claims.statement import And, Formula
from proofs.kernel import Theorem, both

__all__ = ["links_of", "together"]


def links_of(display: Formula) -> tuple[Any, ...]:
    """The links of a display; of which kind they are the caller knows."""
    return display.formulas if isinstance(display, And) else (display,)


def together(links: Sequence[Theorem]) -> Theorem:
    """The display, from its links."""
    return links[0] if len(links) == 1 else both(*links)
