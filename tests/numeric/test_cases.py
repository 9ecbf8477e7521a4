"""Points at which claims are measured: the seed's, and such that every false twin shows at one."""

import pytest

from claims.registry import encoded
from numeric.agreement import SHORT, distance, size
from numeric.cases import choose_cases, rivals_of
from numeric.exact import numbers
from numeric.registry import load

# Their twins say the same as the claim at many points: i unequal j, a factor G of zero.
RARELY_APART = ("noci2022.lemma-A.7.moments", "noci2022.A.1.3.tower", "noci2022.eq-17")


def told_apart(claim, point) -> set[str]:
    """Twins whose value at a point is not the claim's."""
    said = numbers(claim.statement.values(point)[0])
    return {
        name
        for name, rival in rivals_of(claim).items()
        if distance(numbers(rival.values(point)[0]), said) > SHORT * size(said) / 2
    }


@pytest.mark.parametrize("name", RARELY_APART)
@pytest.mark.parametrize("seed", range(8))
def test_every_false_twin_shows_at_some_case(name: str, seed: int) -> None:
    load()
    claim = encoded()[name]
    cases = choose_cases(claim, 2, seed)
    assert set().union(*(told_apart(claim, point) for point in cases)) == {
        name for name, rival in rivals_of(claim).items() if rival.rhs != claim.statement.rhs
    }
    assert all(claim.domain.objection(point) is None for point in cases)


def test_another_seed_looks_elsewhere() -> None:
    claim = encoded()["noci2022.lemma-A.7.moments"]
    drawn = [str(choose_cases(claim, 2, seed)) for seed in range(4)]
    assert len(set(drawn)) == 4 and drawn[0] == str(choose_cases(claim, 2, 0))
