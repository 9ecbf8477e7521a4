"""From a derived value to a verdict on a statement: one road for printed, mutated and repaired forms.

A proof derives the left-hand side without looking at the right-hand side.  `decide` then compares:
equal for symbolic dimensions means proved, and a difference is turned into the smallest exact
witness, evaluated from the definition.  The same function judges mutants and repairs, so a check
that could not fail would show at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from random import Random
from typing import Any

from sympy import Expr, simplify
from sympy.matrices.expressions import MatrixExpr

from claims.domain import Point
from claims.model import Claim, Relation
from proofs.certificate import Certificate, Identity, Instance, Value

__all__ = ["confirmation_points", "decide", "find_witness", "refute", "same"]

Same = Callable[[Any, Any], bool]


def same(left: Any, right: Any) -> bool:
    """Equality for symbolic dimensions: trace words and index networks have normal forms."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, MatrixExpr) or isinstance(right, MatrixExpr):
        from proofs.calculus import networks

        return networks.equal(left, right)
    difference = left - right
    if difference.has(MatrixExpr):
        from proofs.calculus import wick

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

    For "=" every printed link must equal `value` identically.  For "<=" pass `above(rhs - value)`,
    which returns a step certifying non-negativity, or None.
    """
    statement = claim.statement
    if not isinstance(statement, Relation):
        raise TypeError(f"{claim.id}: decide() compares relations; propositions need their own proof")
    confirmed = Value(statement.lhs, value, claim.define, confirmation_points(claim))
    proved: list[Any] = [*steps, confirmed]
    for side in statement.rhs:
        if statement.relation == "=":
            if not same(value, side):
                return refute(claim, steps=(*steps, confirmed), method=method, scope=scope)
            proved.append(Identity(value, side, method, claim.domain, label=statement.lhs))
        else:
            step = above(side - value) if above else None
            if step is None:
                return refute(claim, steps=(*steps, confirmed), method=method, scope=scope)
            proved.append(step)
    return Certificate("proved", method, scope, tuple(proved))


def refute(claim: Claim, *, steps: Iterable[Any] = (), method: str, scope: str) -> Certificate:
    """The smallest exact witness against the claim's statement, or "undecided" when none is found."""
    witness = find_witness(claim)
    if witness is None:
        reason = "the symbolic forms differ but no small admissible point separates them"
        return Certificate("undecided", method, scope, tuple(steps), reason=reason)
    return Certificate("refuted", f"{method}; exact witness", scope, tuple(steps), witness)


def find_witness(claim: Claim, limit: int = 4000) -> Instance | None:
    """The first admissible point, from the smallest on, at which the statement fails exactly."""
    for point in claim.domain.smallest(limit):
        value = claim.define(point)
        if not claim.statement.holds(value, point):
            return Instance(claim.statement, point, value, claim.define, holds=False)
    return None


def confirmation_points(claim: Claim, count: int = 3) -> tuple[Point, ...]:
    """A few small points and one random point: where a derived value is held to the definition."""
    small = [p for p in islice(claim.domain.smallest(), 40)][::14]
    rng = Random(claim.id)
    return (*small[:count], claim.domain.draw(rng))
