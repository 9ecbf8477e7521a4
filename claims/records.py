"""Exact values as JSON, and a counterexample as both witnesses write it into a document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import flint
from sympy import AccumBounds, Basic, N

from claims import exact
from claims.domain import Computed, Domain, Point
from claims.errors import UNDEFINED
from claims.failures import Failure, entry_that_differs
from claims.masks import Mask
from claims.model import Relation, Statement
from claims.points import Watched
from claims.statement import Compare, Formula
from claims.terms import evaluated, value_of
from claims.typeset import typeset

__all__ = [
    "ends_that_decide",
    "failure_record",
    "masks_of",
    "plain",
    "point_record",
    "variables_that_matter",
    "witness_record",
]

DIGITS = 20
"""Significant digits of the decimals that stand beside an exact value."""


def plain(value: Any) -> Any:
    """Exact values as JSON: nested lists for matrices, strings for everything that is not an int."""
    if hasattr(value, "tolist"):
        return [[plain(x) for x in row] for row in value.tolist()]
    if isinstance(value, tuple | list | set):
        return [plain(x) for x in value]
    if isinstance(value, dict):
        return {str(k): plain(x) for k, x in value.items()}
    if isinstance(value, bool):
        return value
    if isinstance(value, flint.arb):
        return str(value.str(DIGITS, radius=False))
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "oo")
    return int(value) if getattr(value, "is_Integer", isinstance(value, int)) else str(value)


def point_record(at: Mapping[str, Any], domain: Domain | None) -> dict[str, Any]:
    """A measured point: in the order of the domain, and what it does not name behind."""
    order = [str(variable.symbol) for variable in domain.variables] if domain else []
    names = [name for name in order if name in at] + [name for name in at if name not in order]
    return {name: plain(at[name]) for name in names}


def witness_record(
    statement: Statement, at: Point, left: Any, right: Sequence[Any], found: Sequence[Failure],
    domain: Domain | None = None,
) -> dict[str, Any]:  # fmt: skip
    """A counterexample as a document holds it: the point, both sides, and each comparison that fails.

    Where one comparison fails, its indices belong to the point, and its sides are both sides.
    """
    if len(found) == 1:
        at = found[0].at
    if len(found) == 1 and isinstance(statement, Formula):
        (left, *right), _ = ends_that_decide(found[0])
    record = {
        "at": {str(k): plain(v) for k, v in at.items()},
        "left": plain(left),
        "right": [plain(side) for side in right],
        "masks": masks_of(at),
        "fails": [failure_record(each, statement) for each in found],
    }
    if domain is not None:
        record["shown"] = variables_that_matter(statement, at, found, domain)
    return record


def failure_record(failure: Failure, statement: Statement) -> dict[str, Any]:
    """One comparison: in letters, its sides in exact values and decimals, and what it is a part of."""
    comparison, bound = failure.comparison, _indices(statement)
    differs = entry_that_differs(failure.left, failure.right)
    sides, known = ends_that_decide(failure)
    return {
        "comparison": typeset(comparison),
        "relation": comparison.sign,
        "left": plain(sides[0]),
        "right": plain(sides[1]),
        "decimals": [_decimal(side) for side in sides],
        **({"known": known} if any(known) else {}),
        "index": {str(k): plain(v) for k, v in failure.at.items() if k in bound},
        "given": None if failure.given is None else typeset(failure.given),
        "entry": None if differs is None else list(differs),
        "part": not _is_whole(comparison, statement),
    }


def ends_that_decide(failure: Failure) -> tuple[list[Any], list[str | None]]:
    """Both sides; of one that is known by bounds the bound that decides, and that it is "least" or "most"."""
    sides, known = [failure.left, failure.right], list[str | None]()
    for place, side in enumerate(sides):
        if not isinstance(side, AccumBounds):
            known.append(None)
            continue
        beyond = exact.sign(failure.left - failure.right) == (1 if place == 0 else -1)
        sides[place] = side.min if beyond else side.max
        known.append("least" if beyond else "most")
    return sides, known


def _is_whole(comparison: Compare, statement: Statement) -> bool:
    """Whether a statement says nothing beside a comparison."""
    if isinstance(statement, Relation):
        return len(statement.rhs) == 1
    return comparison == statement


def _indices(statement: Statement) -> set[Any]:
    """What quantifiers inside a statement bind."""
    parts = statement.walk() if isinstance(statement, Formula) else ()
    return {p.index for p in parts if isinstance(p, Formula) and hasattr(p, "index")}


def _decimal(value: Any) -> str | None:
    """Decimals of a real number; None for matrices, flags and what is infinite."""
    if isinstance(value, flint.arb | Decimal):
        return plain(value)
    if not isinstance(value, Basic) or not getattr(value, "is_number", False):
        return None
    return str(N(value, DIGITS)) if value.is_finite and value.is_extended_real else None


def masks_of(at: Point) -> dict[str, Any]:
    """The masks of a point with all their edges, [j, i] where token i attends to token j."""
    return {
        str(name): {"tokens": mask.size, "edges": [list(edge) for edge in sorted(mask.edges)]}
        for name, mask in at.items()
        if isinstance(mask, Mask)
    }


def variables_that_matter(
    statement: Statement, at: Point, found: Sequence[Failure], domain: Domain
) -> list[str]:
    """The names of variables that the statement speaks of, or that its quantities read at the point.

    What the domain computes from the others is named only where the statement has a letter for it.
    """
    spoken, computed = _letters(statement, at), _computed(domain)
    read = set(at) if (seen := _read(statement, at, found)) is None else _traced(seen, at, computed)
    return [str(k) for k in at if k in spoken or (k in read and k not in computed)]


def _computed(domain: Domain) -> dict[Any, Computed]:
    return {v.symbol: v for v in domain.variables if isinstance(v, Computed)}


def _traced(read: set[Any], at: Point, computed: Mapping[Any, Computed]) -> set[Any]:
    """What was read, and what the computed variables among it were computed from."""
    found, left = set[Any](), list(read)
    while left:
        name = left.pop()
        found.add(name)
        if name in computed:
            watched = Watched(at)
            computed[name].value(watched)
            left += watched.read - found
    return found


def _letters(statement: Statement, at: Point) -> set[Any]:
    """What stands in the formula, and variables whose name is part of a quantity's name."""
    if isinstance(statement, Formula):
        found = statement.free_symbols() | _indices(statement)
    else:
        terms = getattr(statement, "rhs", ())
        found = set().union(*(getattr(term, "free_symbols", set()) for term in terms))
    printed = statement.latex()
    return found | {name for name in at if _stands_in(typeset(name), printed)}


def _stands_in(letter: str, formula: str) -> bool:
    """Whether a letter stands in a formula by itself, not as a part of a word or of a longer name."""
    return re.search(rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z'_^])", formula) is not None


def _read(statement: Statement, at: Point, found: Sequence[Failure]) -> set[Any] | None:
    """What the failing comparisons and the quantities read; None where they go over all variables."""
    asked: set[Any] = set()
    for failure in found:
        for side in (failure.comparison.left, failure.comparison.right):
            watched = Watched(failure.at)
            with suppress(*UNDEFINED):
                value_of(side, watched)
            if watched.whole:
                return None
            asked |= watched.asked
    for define in _definitions(statement):
        watched = Watched(at)
        with suppress(*UNDEFINED):
            evaluated(define, watched)
        if watched.whole:
            return None
        asked |= watched.asked
    return asked or None


def _definitions(statement: Statement) -> Iterable[Any]:
    if not isinstance(statement, Formula):
        return ()
    return [q.define for q in statement.quantities() if hasattr(q, "define")]
