"""What facts are, and what they ask of the terms that are put into them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import I, Pow, Sum, Symbol, acos, acosh, asin, atanh, log, oo, sympify

from claims.algebra import ranged
from claims.statement import Formula

__all__ = [
    "Fact", "free_of", "require_finite", "require_indices", "require_integer", "require_real",
    "require_sizes", "sum_over",
]  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """A schema with its name and where a reader finds it."""

    name: str
    reference: str
    schema: Callable[..., tuple[tuple[Formula, ...], Formula]]

    def instance(self, **terms: Any) -> tuple[tuple[Formula, ...], Formula]:
        """The hypotheses and the formula for given terms."""
        return self.schema(
            **{name: sympify(t) if not callable(t) else t for name, t in terms.items()}
        )


def free_of(term: Any, index: Any) -> None:
    if index in term.free_symbols:
        raise ValueError(f"{term}: must not depend on {index} here")


def require_indices(*indices: Any) -> None:
    for index in indices:
        if not isinstance(index, Symbol) or indices.count(index) > 1:
            raise ValueError(f"{index}: must be an index, and no two may be one")


def sum_over(body: Any, over: Any) -> Any:
    """The sum of a term; of its cases none loses the index of a range inside."""
    return ranged(Sum, body, over)


def require_finite(*ends: Any) -> None:
    for end in ends:
        if end.has(oo, -oo):
            raise ValueError(f"{end}: sums are finite here")


_ON_INTERVALS = (acos, asin, acosh, atanh)
"""Functions that are real on an interval only."""


def require_real(*terms: Any) -> None:
    """Refuses a term that may be imaginary: a root of what may be negative, for one."""
    for term in terms:
        roots = [p for p in term.atoms(Pow) if not p.exp.is_integer]
        inside = [f.args[0] for f in term.atoms(log)]
        partial = any(not r.base.is_nonnegative for r in roots) or bool(term.atoms(*_ON_INTERVALS))
        partial = partial or any(not x.is_positive for x in inside)
        if term.is_real is False or term.has(I) or partial:
            raise ValueError(f"{term}: is not known to be real")


def require_integer(*terms: Any) -> None:
    for term in terms:
        if not term.is_integer:
            raise ValueError(f"{term}: is not known to be an integer")


def require_sizes(*sizes: Any) -> None:
    require_integer(*sizes)
    for size in sizes:
        if not size.is_positive:
            raise ValueError(f"{size}: is not known to be positive")
