"""Classes of masks that are given by examples: what the examples have in common is what is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from claims.domain import Choice, Point
from claims.masks import Mask

__all__ = ["MasksLike", "shares_traits"]


def _is_undirected(mask: Mask) -> bool:
    return all((j, i) in mask.edges for i, j in mask.edges)


def _has_no_cycle(mask: Mask) -> bool:
    """But for self-loops: no two tokens reach each other."""
    return not any(mask.hops(i, j) < mask.size for j, i in mask.edges if i != j)


TRAITS: tuple[Callable[[Mask], bool], ...] = (
    lambda mask: mask.has_self_loops,
    lambda mask: mask.is_strongly_connected,
    lambda mask: mask.is_quasi_strongly_connected,
    _is_undirected,
    _has_no_cycle,
)


def shares_traits(mask: Mask, examples: Iterable[Mask]) -> bool:
    """Whether a mask has every trait that all the examples have.

    >>> from claims.masks import causal, cycle, star
    >>> shares_traits(star(6), (causal(2), star(3))), shares_traits(cycle(3), (causal(2), star(3)))
    (True, False)
    """
    examples = tuple(examples)
    return all(has(mask) for has in TRAITS if all(map(has, examples)))


@dataclass(frozen=True)
class MasksLike(Choice):
    """Masks with every trait that those listed share; the listed ones are drawn, the first smallest.

    A statement about a class of masks is refuted by any of them, however large: the list says where
    its searches begin, and does not end them.
    """

    def objection(self, value: Any, point: Point) -> str | None:
        if isinstance(value, Mask) and shares_traits(value, self.values):
            return None
        name = getattr(value, "name", value)
        return (
            f"{self.symbol} = {name}: must have what {', '.join(m.name for m in self.values)} share"
        )
