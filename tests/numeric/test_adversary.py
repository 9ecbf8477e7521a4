"""The adversary finds planted violations, confirms them exactly, and spares what is true."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Symbol

from claims.domain import Array, Computed, Domain, Size
from claims.expressions import FrobSq
from claims.model import Claim, Relation, Source
from claims.witness import shrink
from numeric import adversary, registry
from numeric.adversary import Objective, attack
from numeric.evaluate import evaluate

n = Symbol("n", integer=True, positive=True)
X = MatrixSymbol("X", n, 1)
FIXED = {n: Integer(2)}


def claim(factor: int) -> Claim:
    """(x_1 + x_2)^2 <= factor (x_1^2 + x_2^2): true from factor 2 on."""
    return Claim(
        id=f"toy.bound-{factor}",
        source=Source("toy", "Sec. 1"),
        kind="bound",
        title="The square of a sum.",
        statement=Relation("(x_1+x_2)^2", (factor * FrobSq(X),), "<="),
        domain=Domain((Size(n, 2, 2), Array(X))),
        define=lambda p: sum(p[X]) ** 2,
    )


@pytest.fixture
def attacked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_ATTACKS", {})

    def prepare(factor: int) -> Claim:
        toy = claim(factor)

        def sides(arrays):
            left = arrays[X].sum(dim=(-1, -2)).square()
            return left, evaluate(toy.statement.rhs[0], {**FIXED, **arrays})

        registry.attacks(toy)(Objective(FIXED, {X: (2, 1)}, sides))
        return toy

    return prepare


def test_false_bound_is_violated_exactly_by_a_small_witness(attacked) -> None:
    result = attack(attacked(1), seed=0, seconds=5)
    assert result.violated and result.best_ratio == pytest.approx(2, rel=1e-3)
    assert result.witness is not None
    x = [int(row[0]) for row in result.witness["at"]["X"]]
    assert sum(x) ** 2 > sum(e * e for e in x) and max(map(abs, x)) == 1
    assert result.as_json()["violated"] is True


def test_true_bound_survives_and_its_tightness_is_reported(attacked) -> None:
    result = attack(attacked(2), seed=0, seconds=0.5)
    assert not result.violated and result.witness is None
    assert result.best_ratio == pytest.approx(1, rel=1e-4)


def test_same_seed_same_attack(attacked) -> None:
    toy = attacked(1)
    assert attack(toy, seed=3) == attack(toy, seed=3)


def test_an_attack_is_bounded_by_its_steps_whatever_the_clock_says(
    attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy, quick = attacked(2), attack(attacked(2), seed=3)
    clock = iter(range(0, 10**9, 1000))
    monkeypatch.setattr(adversary, "perf_counter", lambda: float(next(clock)))
    assert attack(toy, seed=3) == quick
    assert quick.starts == adversary.ROUNDS * adversary.STARTS
    assert attack(toy, seed=3, rounds=2).starts == 2 * adversary.STARTS
    assert attack(toy, seed=3, seconds=1.0).starts == adversary.STARTS


def test_shrinking_keeps_the_violation() -> None:
    toy = claim(1)
    point = shrink(toy, {**FIXED, X: ImmutableDenseMatrix([[7], [9]])})
    assert list(point[X]) == [1, 1]


def test_a_claim_without_objective_is_named() -> None:
    with pytest.raises(ValueError, match=r"toy\.other: no objective to attack"):
        attack(replace(claim(1), id="toy.other"), seed=0, seconds=1)


def test_shrinking_computes_again_what_the_domain_computes() -> None:
    total = Symbol("total")
    toy = claim(1)
    summed = Domain((*toy.domain.variables, Computed(total, lambda at: sum(at[X]))))
    toy = replace(toy, domain=summed)
    start = summed.completed({**FIXED, X: ImmutableDenseMatrix([[7], [9]])})
    point = shrink(toy, start)
    assert list(point[X]) == [1, 1] and point[total] == 2
