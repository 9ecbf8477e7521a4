"""Points at which claims are measured: the seed's, and such that every false twin shows at one."""

import pytest
from sympy import Integer, Symbol

from claims.domain import Domain, Size
from claims.intervals import NoNumber
from claims.model import Claim, Relation, Source, variants
from claims.registry import encoded
from numeric.agreement import SHORT, BadEstimator, Measured, as_measured, distance, size
from numeric.cases import choose_cases, rivals_of
from numeric.estimators import Estimator
from numeric.exact import numbers
from numeric.registry import contest_of, load

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


def test_a_side_without_value_names_the_claim_and_the_point() -> None:
    """A domain that is too wide by one point is the claim's fault, whatever SymPy says of it."""
    n = Symbol("n", integer=True, nonnegative=True)
    claim = Claim(
        "toy.eq-1", Source("toy", "1"), "identity", "A toy.", Relation("x", (1 / n,)),
        Domain((Size(n, 0, 0),)), lambda at: 1, mutants=variants(("twice", 2 / n), lhs="x"),
    )  # fmt: skip
    estimator = Estimator(lambda at: Measured(1.0), random=False)
    for measured in (
        lambda: contest_of(claim, {n: Integer(0)}, (), estimator),
        lambda: choose_cases(claim, 1, 0),
    ):
        with pytest.raises(NoNumber, match=r"^toy\.eq-1, at n = 0: .* \(zoo is no real number\)"):
            measured()


def test_a_direct_estimator_that_returns_a_number_is_named() -> None:
    with pytest.raises(BadEstimator, match=r"^the estimator of toy\.eq-1 returned .* float, must"):
        as_measured(1.0, "toy.eq-1")


def test_another_seed_looks_elsewhere() -> None:
    claim = encoded()["noci2022.lemma-A.7.moments"]
    drawn = [str(choose_cases(claim, 2, seed)) for seed in range(4)]
    assert len(set(drawn)) == 4 and drawn[0] == str(choose_cases(claim, 2, 0))
