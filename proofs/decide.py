"""From a derived value to a verdict on a statement: one road for printed, mutated and repaired forms.

A proof derives the left-hand side without looking at the right-hand side.  `decide` then compares:
equal for symbolic dimensions means proved, and a difference is turned into the smallest exact
witness, evaluated from the definition.  The same function judges mutants and repairs, so a check
that could not fail would show at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from random import Random
from typing import Any

from sympy import Expr, simplify
from sympy.matrices.expressions import KroneckerProduct, MatrixExpr

from claims.domain import Point
from claims.model import Claim, Relation
from claims.witness import fails, shrink
from proofs.calculus import networks, wick
from proofs.certificate import Certificate, Identity, Instance, Value, at

__all__ = ["confirmation_points", "decide", "find_witness", "refute", "same"]

Same = Callable[[Any, Any], bool]


def same(left: Any, right: Any) -> bool:
    """Equality for symbolic dimensions: trace words and index networks have normal forms."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if any(isinstance(side, MatrixExpr | networks.Network) for side in (left, right)):
        try:
            return networks.equal(left, right)
        except networks.StructureError:  # other shapes: nothing to compare
            return False
    difference = left - right
    if difference.has(KroneckerProduct):  # traces of Kronecker products split into traces of words
        left, right = (networks.network(side).scalar() for side in (left, right))
    if difference.has(MatrixExpr):
        return wick.equal(left, right)
    return simplify(difference) == 0


def decide(
    claim: Claim,
    value: Any,
    *,
    steps: Iterable[Any] = (),
    method: str,
    scope: str,
    same: Same = same,
    above: Callable[[Expr], Any] | None = None,
) -> Certificate:
    """Judge `claim.statement` given the derived `value` of its left-hand side.

    For "=" every printed link must equal `value` identically.  For "<=" pass `above`: given the
    right side less the value (for ">=" the other way), it returns a step certifying that this is
    not negative, or None.
    """
    statement = claim.statement
    if not isinstance(statement, Relation):
        raise TypeError(
            f"{claim.id}: decide() compares relations; propositions need their own proof"
        )
    confirmed = Value(statement.lhs, value, claim.define, confirmation_points(claim))
    proved: list[Any] = [*steps, confirmed]
    for side in statement.rhs:
        if statement.relation == "=":
            if not same(value, side):
                return refute(
                    claim, value=value, steps=(*steps, confirmed), method=method, scope=scope
                )
            proved.append(Identity(value, side, method, claim.domain, label=statement.lhs))
        else:
            gap = {"<=": side - value, ">=": value - side}.get(statement.relation)
            step = above(gap) if above and gap is not None else None  # none shows a strict one
            if step is None:
                return refute(
                    claim, value=value, steps=(*steps, confirmed), method=method, scope=scope
                )
            proved.append(step)
    return Certificate("proved", method, scope, tuple(proved))


def refute(
    claim: Claim, *, value: Any = None, steps: Iterable[Any] = (), method: str, scope: str
) -> Certificate:
    """The smallest exact witness against the claim's statement, or "undecided" when none is found."""
    witness = find_witness(claim, value)
    if witness is None:
        reason = "the symbolic forms differ but no small admissible point separates them"
        return Certificate("undecided", method, scope, tuple(steps), reason=reason)
    return Certificate("refuted", f"{method}; exact witness", scope, tuple(steps), witness)


SMALL, RANDOM, LARGE = 240, 24, 8
"""Points tried for a witness: the smallest, then the claim's probes and random ones, shrunk, then
points with large sizes."""


def find_witness(claim: Claim, value: Any = None) -> Instance | None:
    """An admissible point at which the statement fails exactly, as small as the search finds.

    A derived `value` of the left-hand side, where there is one, says where to look; whether the
    statement fails there is decided by the definition alone.
    """

    def suspect(point: Point) -> bool:
        if hinted and claim.statement.holds(at(value, point), point):
            return False
        return fails(claim, point)

    # Writing out a network costs more than the definition where sizes are large.
    hinted = value is not None and not (claim.twin and isinstance(value, networks.Network))
    large = _larger_points(claim)
    small = claim.domain.smallest(SMALL if value is not None else SMALL // 3)
    largest = claim.domain.enlarged(LARGE)
    if claim.twin:  # any witness will do, and larger points separate sooner
        found = next(filter(suspect, chain(large, small, largest)), None)
        return None if found is None else _instance(claim, found)
    found = next(filter(suspect, small), None)
    if found is None:
        found = next(filter(suspect, chain(large, largest)), None)
        found = None if found is None else shrink(claim, found)
    return None if found is None else _instance(claim, found)


def _larger_points(claim: Claim) -> Iterator[Point]:
    """The probes, then random points by size; lazily, since a point can be costly to draw."""
    yield from claim.probes
    rng = Random(claim.id)
    yield from sorted((claim.domain.draw(rng) for _ in range(RANDOM)), key=_size)


def _size(point: Point) -> int:
    return sum(int(v) for k, v in point.items() if getattr(k, "is_integer", False))


def _instance(claim: Claim, point: Point) -> Instance:
    return Instance(claim.statement, point, claim.define(point), claim.define, holds=False)


def confirmation_points(claim: Claim, count: int = 3) -> tuple[Point, ...]:
    """Where a derived value is held to the definition: small points, and a random one not too large."""
    small = list(islice(claim.domain.smallest(), 40))[::14]
    rng = Random(claim.id)
    return (*small[:count], min((claim.domain.draw(rng) for _ in range(5)), key=_size))
