"""What proofs may use of a domain is true at its points: small ones, random ones, large ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any

from batches import in_batches

from audit.examine import load_witnesses
from claims.model import Claim
from claims.registry import encoded
from proofs.conclude import doubtful

load_witnesses()
ENTRIES = 60_000
"""Of matrices, at all points of a domain but the first two: sums over each of them are written out."""
CLAIMS = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]
DOMAINS = {id(claim.domain): claim for claim in CLAIMS if doubtful(claim.domain)}
"""Those of which a fact does not hold by construction."""


def to_its_digits(value: Any) -> Any:
    """Singular vectors stand in a point as long rationals: their equations hold to sixty digits."""
    if not hasattr(value, "applyfunc"):
        return value
    return value.applyfunc(lambda x: x.evalf(60) if x.is_Rational and x.q > 10**50 else x)


def few_enough(domain: Any) -> Iterator[Any]:
    """Small points and drawn ones by turns, as far as their matrices go."""
    rng, left = Random(7), ENTRIES
    small = list(islice(domain.smallest(), 0, 40, 8))
    drawn = [domain.draw(rng) for _ in range(3)]
    for place, point in enumerate(filter(None, chain(*zip_longest(small, drawn)))):
        left -= sum(len(value) for value in point.values() if hasattr(value, "applyfunc"))
        if place < 2 or left >= 0:
            yield point


@in_batches(DOMAINS.values())
def test_facts_hold_at_admissible_points(claim: Claim) -> None:
    points = [
        {name: to_its_digits(value) for name, value in point.items()}
        for point in few_enough(claim.domain)
    ]
    for fact in doubtful(claim.domain):
        assert all(fact.truth(point) is not False for point in points), fact.latex()
