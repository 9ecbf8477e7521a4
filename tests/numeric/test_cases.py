"""Points at which claims are measured: the seed's, and such that every false twin shows at one."""

import pytest
from sympy import Integer, MatrixSymbol, Symbol

from claims.domain import Array, Choice, Condition, Domain, Size
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


n, d = (Symbol(name, integer=True, positive=True) for name in "nd")
power = Symbol("theta")


def without_twins(*conditions: Condition) -> Claim:
    """A toy claim about numbers of tokens and features, and laws of which two are listed."""
    variables = (
        Size(n, 1, 16), Size(d, 1, 16), Array(MatrixSymbol("X", n, d)),
        Choice(power, ("summable", "not")),
    )  # fmt: skip
    return Claim(
        "toy.eq-1", Source("toy", "1"), "identity", "A toy.", Relation("x", (n,)),
        Domain(variables, conditions), lambda at: at[n],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_without_twins_a_case_has_the_least_sizes_and_the_law_that_no_other_has(seed: int) -> None:
    """Two random cases seldom meet one token, and need not meet the one law for which a claim fails."""
    cases = choose_cases(without_twins(), 2, seed)
    assert {point[power] for point in cases} == {"summable", "not"} and len(cases) <= 3
    assert any(point[n] == point[d] == 1 for point in cases)


def test_a_case_at_an_end_obeys_the_conditions() -> None:
    """Where none admits the least sizes there are the random cases alone."""
    several = Condition("n>1", lambda at: at[n] > 1)
    assert len(choose_cases(without_twins(several), 2, 0)) == 2
    wide = Condition(r"n\le d", lambda at: at[n] <= at[d])
    cases = choose_cases(without_twins(wide), 2, 0)
    assert len(cases) == 3 and all(point[n] <= point[d] for point in cases)
