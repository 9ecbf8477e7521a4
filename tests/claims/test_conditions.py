"""A condition asks something of a point; what every point has by some lemma is for a proof to show."""

from __future__ import annotations

from claims.registry import encoded
from claims.statement import Tends


def test_no_limit_is_a_condition() -> None:
    """No point can fail to have it: it would be a lemma that stands where no proof is asked for."""
    for claim in encoded().values():
        for stated in filter(None, (claim, claim.repair)):
            for condition in stated.domain.conditions:
                pieces = condition.formula.walk() if condition.formula is not None else ()
                limits = [piece for piece in pieces if isinstance(piece, Tends)]
                assert not limits, f"{stated.id}: {condition.latex}"
