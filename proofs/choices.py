"""What the print of a claim leaves open: whether a refutation is one at every choice of it.

A theorem that says the contrary may assume something of the rest, which some admissible point must have
whatever is chosen.  No certificate rests on this module: it says what is lacking, and makes no theorem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from claims.domain import Condition, Point, Truth
from claims.model import Claim
from claims.points import Watched
from claims.statement import Formula
from proofs import smt
from proofs.certificate import Instance
from proofs.kernel import Theorem, Within

__all__ = ["further", "meeting", "tied_to", "unseen_choice"]

FEW = 12
"""Points at which the variables of a domain are asked what they depend on."""


def further(theorem: Theorem, own: Sequence[Formula]) -> list[Formula]:
    """What a theorem assumes beyond the facts of a domain."""
    return [
        h for h in theorem.hypotheses
        if not isinstance(h, Within) and not smt.follows(h, own, assumptions=False)
    ]  # fmt: skip


def meeting(hypotheses: Sequence[Formula], claim: Claim, at: Point) -> Point | None:
    """The witness, or a probe, that meets what a theorem assumes beyond the domain."""
    return next((p for p in (at, *claim.probes) if _meets(hypotheses, claim, p)), None)


def _meets(hypotheses: Iterable[Formula], claim: Claim, at: Point) -> bool:
    """Whether a point of the domain meets hypotheses, and in that nothing that is left open has a part."""
    watched = Watched(at)
    met = all(h.truth(watched) is True for h in hypotheses)
    return met and not watched.read & set(claim.left_open) and claim.domain.objection(at) is None


def tied_to(claim: Claim, at: Point) -> Any:
    """Something left open on which it depends whether the rest is admissible, or the other way round.

    Where nothing is, the rest of an admissible point is admissible at every choice.  What is asked of one
    choice need not be all that is asked of another, so that names count that a hypothesis shows, and one
    that shows none may not speak of what is left open.
    """
    domain, left_open = claim.domain, set(claim.left_open)
    points = (at, *domain.smallest(FEW))
    for hypothesis in (*domain.variables, *domain.conditions):
        asked = _asked_for(hypothesis, points)
        shown = not isinstance(hypothesis, Condition) or hypothesis.holds == Truth(
            hypothesis.formula
        )
        if asked & left_open and (asked - left_open or not shown):
            return min(asked & left_open, key=str)
    return None


def _asked_for(hypothesis: Any, points: Iterable[Point]) -> set[Any]:
    """Names that a variable's range or a condition shows, and those that it reads at some points."""
    found: set[Any] = set()
    for point in points:
        watched = Watched(point)
        if isinstance(hypothesis, Condition):
            hypothesis.holds(watched)
        else:
            hypothesis.objection(point[hypothesis.symbol], watched)
        found |= watched.read
    if isinstance(hypothesis, Condition):
        return found | (
            hypothesis.formula.free_symbols() if hypothesis.formula is not None else set()
        )
    return found | {hypothesis.symbol}


def unseen_choice(claim: Claim, steps: Iterable[Any]) -> str | None:
    """That no witness speaks against some choice that is listed of what the print leaves open."""
    listed = [v for v in claim.domain.variables if v.symbol in claim.left_open]
    symbols = [v.symbol for v in listed]
    seen = [
        [step.point[symbol] for symbol in symbols]
        for step in steps
        if isinstance(step, Instance) and step.statement == claim.statement
        and step.define == claim.define and not step.holds
        and claim.domain.objection(step.point) is None
    ]  # fmt: skip
    for values in product(*(v.values for v in listed)):
        if list(values) not in seen:
            place = ", ".join(f"{k} = {value}" for k, value in zip(symbols, values, strict=True))
            return (
                f"no witness speaks against the statement at {place}, which the print leaves open"
            )
    return None
