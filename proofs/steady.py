"""Whether definitions are functions of the point, of the variables that a theorem's hypotheses speak of.

One that reads a clock, a counter or what a program changes says something else when it is asked again;
one that reads a variable only where a point has it, something else in a domain that has.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from typing import Any

from sympy import Expr, Integer
from sympy.matrices.expressions import MatrixExpr

from claims import exact
from claims.domain import Domain, Point
from claims.errors import UNDEFINED
from claims.evaluation import Value
from claims.points import Placed, Watched, unplaced
from claims.statement import Formula, Quantity
from claims.terms import value_of
from claims.time_limits import searching
from proofs import places
from proofs.hidden import applied_in, hidden
from proofs.sense import ProofError

__all__ = ["more_than_read", "require_steady"]

SECONDS, FEW = 0.5, 8
"""For a second look at a definition, which may be costly, and small points of a wider domain."""
_FIRST: dict[Any, tuple[Point, Any]] = {}
"""Where each definition was read first, and what it gave."""


def require_steady(term: Any, point: Point, value: Any) -> None:
    """Refuses a definition that does not give again what it gave, here or where it was read first."""
    before = _FIRST.setdefault(term, (point, value))
    for there, given in (before, (point, value))[before[0] is point :]:
        if (found := _other(term, there, given)) is not None:
            raise ProofError(
                f"definition: {term} gives {given}, and {found} when it is asked again"
            )


def _other(term: Any, point: Point, given: Any) -> Any:
    """What a definition gives at a point when it is asked again, if that is something else."""
    with suppress(*UNDEFINED), searching(SECONDS):
        found = _afresh(term, point)
        return found if exact.agree(given, found) is False else None
    return None


class _Afresh(Value):
    """Evaluation that remembers nothing of other times."""

    def defined(self, define: Any) -> Any:
        return define(self.at)

    def applied(self, *key: Any) -> Any:
        function, *places = key
        if not hasattr(function, "recursion") and not hasattr(function, "define_at"):
            return super().applied(*key)
        return self._at_places(function, places)


def _afresh(term: Any, point: Point) -> Any:
    at = Watched(unplaced(point))
    if isinstance(term, Quantity):
        return term.define(at)  # type: ignore[attr-defined]
    if not isinstance(term, Expr) or isinstance(term, MatrixExpr):
        return value_of(term, at)
    where = {index: int(place) for index, place in getattr(point, "indices", {}).items()}
    return _Afresh(at)(term, where)


def more_than_read(formulas: Iterable[Formula], domain: Domain, other: Domain) -> list[str]:
    """Variables of a domain on which definitions depend that were read in another one, which lacks them.

    What is asked for by its name is seen; where all of a point is gone over, points are compared.
    """
    own = {v.symbol for v in other.variables}
    more = {v.symbol for v in domain.variables} - own
    if not more:
        return []
    names = set[Any]()
    for term in frozenset[Any]().union(*map(applied_in, formulas)):
        asked, whole = _asked_in_vain(term, other)
        names |= (asked - hidden(term)) & more  # what shows inside rules know of
        if whole and _differs(term, domain, own):
            names |= more
    return [f"that nothing depends on {name}" for name in sorted(names, key=str)]


def _asked_in_vain(term: Any, domain: Domain) -> tuple[set[Any], bool]:
    """What a definition asks points of a domain for that they do not have, and whether it goes over all."""
    asked, whole = set[Any](), False
    indices = _first_indices(term, {v.symbol for v in domain.variables})
    with searching(SECONDS):
        for point in chain(domain.smallest(FEW), places.other_points(domain)):
            at = Watched(point)
            with suppress(*UNDEFINED):
                _Afresh(at)(term, dict.fromkeys(indices, 1))
                asked |= at.lacking
                whole = whole or at.whole
    return asked, whole


def _first_indices(term: Any, names: set[Any]) -> dict[Any, Any]:
    return {s: Integer(1) for s in term.free_symbols - names if not isinstance(s, Quantity)}


def _differs(term: Any, domain: Domain, own: set[Any]) -> bool:
    """Whether a term has another value at some point where only its own variables are left."""
    names = {v.symbol for v in domain.variables}
    indices = _first_indices(term, names)
    points = chain(domain.smallest(FEW), places.magnified_points(domain), places.far_points(domain))
    with searching(SECONDS):
        for point in points:
            with suppress(*UNDEFINED):
                less = {name: value for name, value in point.items() if name in own}
                sides = (value_of(term, Placed(at, indices)) for at in (point, less))
                if exact.agree(*sides) is False:
                    return True
    return False
