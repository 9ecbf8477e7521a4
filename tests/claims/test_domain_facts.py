"""What proofs may use of a domain is true at its points: small ones, random ones, large ones."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest

from audit.examine import load_witnesses
from claims.model import Claim
from claims.registry import encoded
from proofs.conclude import facts_of

load_witnesses()
CLAIMS = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]
DOMAINS = {id(claim.domain): claim for claim in CLAIMS}


def to_its_digits(value: Any) -> Any:
    """Singular vectors stand in a point as long rationals: their equations hold to sixty digits."""
    if not hasattr(value, "applyfunc"):
        return value
    return value.applyfunc(lambda x: x.evalf(60) if x.is_Rational and x.q > 10**50 else x)


@pytest.mark.parametrize("claim", DOMAINS.values(), ids=lambda c: c.id)
def test_facts_hold_at_admissible_points(claim: Claim) -> None:
    rng = Random(7)
    points = [
        *islice(claim.domain.smallest(), 0, 40, 8),
        *(claim.domain.draw(rng) for _ in range(3)),
    ]
    points = [{name: to_its_digits(value) for name, value in point.items()} for point in points]
    for fact in facts_of(claim.domain):
        assert all(fact.truth(point) is not False for point in points), fact.latex()
