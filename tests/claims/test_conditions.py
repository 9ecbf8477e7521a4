"""A condition asks something of a point; what every point has by some lemma is for a proof to show."""

from __future__ import annotations

from collections.abc import Iterator

from claims.registry import encoded
from claims.statement import Formula, Tends


def test_no_limit_is_a_condition() -> None:
    """No point can fail to have it: it would be a lemma that stands where no proof is asked for."""
    for claim in encoded().values():
        for stated in filter(None, (claim, claim.repair)):
            for condition in stated.domain.conditions:
                limits = [p for p in _pieces(condition.formula) if isinstance(p, Tends)]
                assert not limits, f"{stated.id}: {condition.latex}"


def _pieces(formula: Formula | None) -> Iterator[Formula]:
    if isinstance(formula, Formula):
        yield formula
        for part in formula.parts():
            for piece in part if isinstance(part, tuple) else (part,):
                yield from _pieces(piece)
