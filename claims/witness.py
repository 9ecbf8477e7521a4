"""Counterexamples to a claim: whether a point is one, and how to make it smaller.

Both witnesses need this, a proof for the witness of a refutation and the adversary for the violation
it climbed to; they may not see each other, so it stands here, on the claim's own definition.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from decimal import InvalidOperation
from typing import Any

from sympy import Integer

from claims.clock import worked
from claims.domain import Computed, Point
from claims.errors import UNDEFINED, BadDefinition
from claims.model import Claim, Relation
from claims.points import place_of
from claims.statement import Formula
from claims.terms import evaluated

__all__ = ["QUICK", "fails", "shrink", "value_at", "writes_out_quickly"]

QUICK = 0.01
"""Seconds that a definition may take on average at small points to be asked at large ones."""
REMEMBERED = 1e-4
"""Seconds below which a value was remembered, and says nothing of what a definition costs."""
_SPENT: dict[Any, list[Any]] = {}


FAR_BITS = 6
"""Numbers of more bits are made smaller by larger steps."""


def value_at(claim: Claim, point: Point) -> Any:
    """The left side at a point.  Raises `BadDefinition` where a definition ends without a value."""
    with _timed(claim.define):
        value = evaluated(claim.define, point)
    if value is None and isinstance(claim.statement, Relation):
        raise BadDefinition(
            f"the definition of {claim.id} returned None at {place_of(point)}, must return the value "
            "of the left-hand side; mend the definition"
        )
    return value


@contextlib.contextmanager
def _timed(define: Callable[[Point], Any]) -> Iterator[None]:
    started = worked()
    yield
    seconds = worked() - started
    if seconds > REMEMBERED:
        spent = _SPENT.setdefault(define, [0.0, 0])
        spent[0], spent[1] = spent[0] + seconds, spent[1] + 1


def writes_out_quickly(define: Callable[[Point], Any]) -> bool:
    """Whether a definition has been cheap so far, so that it can be written out at large sizes.

    This looks at the clock: it says where else to look for a witness, and can make no statement true.
    """
    total, count = _SPENT.get(define, (0.0, 0))
    return total <= QUICK * max(count, 1)


def fails(claim: Claim, point: Point) -> bool:
    """Whether the statement fails at an admissible point, both sides exact.

    Where the left side is undefined, such as a direction of the zero vector, nothing is asserted.
    """
    try:
        if isinstance(claim.statement, Formula):  # it evaluates its own quantities
            with _timed((claim.base or claim).define):
                return claim.statement.truth(point) is False
        value = value_at(claim, point)
    except (ZeroDivisionError, InvalidOperation):
        return False
    return not claim.statement.holds(value, point)


def shrink(
    claim: Claim, point: Point, still_fails: Callable[[Claim, Point], bool] = fails
) -> Point:
    """Replace matrix entries and scalars by simpler ones while the point stays a counterexample.

    Sizes are scalars where there are no others: matrices would have to shrink with them.

    Every step lowers the height of one entry of a free variable, so this ends; what the domain
    computes from the free variables is computed again.  Who hands in another test than the exact
    one has the result confirmed.
    """
    current, progress = dict(point), True
    while progress:
        progress = False
        for candidate in _simpler_points(claim, current):
            simpler = _completed(claim, candidate)
            if simpler is not None and still_fails(claim, simpler):
                current, progress = simpler, True
                break
    return current


def _completed(claim: Claim, candidate: Point) -> dict[Any, Any] | None:
    """The admissible point of these free variables; None where there is none, or something is undefined."""
    with contextlib.suppress(*UNDEFINED):
        point = claim.domain.completed(candidate)
        return point if claim.domain.objection(point) is None else None
    return None


def _simpler_points(claim: Claim, point: Point) -> Iterator[dict[Any, Any]]:
    computed = {v.symbol for v in claim.domain.variables if isinstance(v, Computed)}
    alone = all(getattr(value, "is_Rational", False) for value in point.values())
    for symbol, value in point.items():
        if symbol in computed:
            continue
        if hasattr(value, "as_mutable"):
            for place, entry in enumerate(value):
                for smaller in _simpler(entry):
                    trial = value.as_mutable()
                    trial[place] = smaller
                    yield {**point, symbol: trial.as_immutable()}
        elif alone or (
            getattr(value, "is_Rational", False) and not getattr(symbol, "is_integer", False)
        ):
            for smaller in _simpler(value):
                yield {**point, symbol: smaller}


def _simpler(entry: Any) -> list[Any]:
    """0, 1, the integer below, steps closer to zero; only those of smaller height.

    From far out by halves, by quarters and so on, since single steps would not end.
    """
    if not getattr(entry, "is_Rational", False):
        return []
    size = int(abs(entry)).bit_length()
    steps = [2**k for k in reversed(range(1, size))] if size > FAR_BITS else []
    sign = 1 if entry > 0 else -1
    candidates = [
        Integer(0),
        Integer(1),
        Integer(int(entry)),
        *(entry - sign * s for s in (*steps, 1)),
    ]
    height = lambda x: abs(x.p) + x.q  # noqa: E731
    return [c for c in candidates if height(c) < height(entry)]
