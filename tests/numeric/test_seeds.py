"""Another seed of an audit draws other numbers, whatever an estimator keeps for several claims."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numeric
from claims.registry import encoded
from claims.seeds import current_seed, seeded
from numeric.agreement import Measured
from numeric.basins import simulated_share
from numeric.noci2022.simulated_correlations import cosines
from numeric.noci2022.simulated_gradients import gradient_norms
from numeric.noci2022.stacks import Stack
from numeric.registry import EFFORTS, load, measure
from numeric.remembered import remembered
from numeric.sampling import generator, quick_stream, stream

ROOT = Path(numeric.__file__).parent


def seeds_in_print() -> Iterator[str]:
    """Where a generator is made with a number for a seed."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            seed = getattr(node.args[0], "value", None)
            if called in {"generator", "quick_generator"} and isinstance(seed, int):
                yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_no_estimator_has_a_seed_of_its_own() -> None:
    assert list(seeds_in_print()) == []


def test_streams_are_those_of_the_current_seed() -> None:
    with seeded(5):
        assert stream("a").initial_seed() == generator(5, "a").initial_seed()
        there = quick_stream("a").random()
        with seeded(6):
            assert current_seed() == 6
            assert quick_stream("a").random() != there
        assert quick_stream("a").random() == there
    assert current_seed() == 0


def test_what_is_kept_is_kept_for_one_seed() -> None:
    made: list[int] = []

    @remembered()
    def noted(number: int) -> int:
        made.append(current_seed())
        return number + current_seed()

    for seed in (1, 1, 2, 2, 1):
        with seeded(seed):
            assert noted(10) == 10 + seed
    assert made == [1, 2, 1]


def test_simulations_without_a_seed_take_that_of_the_audit() -> None:
    def shares() -> list[float]:
        networks = cosines([Stack(1)], 3, 4, samples=8)
        norms = gradient_norms(3, 4, 0.5, 1.0, 8)["queries"][0]
        return [
            simulated_share(2.0, orbits=64, replicates=2).value,
            float(networks.mean()), float(norms.mean()),
        ]  # fmt: skip

    found = []
    for seed in (1, 2, 1):
        with seeded(seed):
            found.append(shares())
    assert found[0] == found[2]
    assert all(one != other for one, other in zip(found[0][1:], found[1][1:], strict=True))
    assert simulated_share(2.0, orbits=64, seed=1) == simulated_share(2.0, orbits=64, seed=1)


def estimates(claim_id: str, seed: int) -> list[Any]:
    claim = encoded()[claim_id]
    found = measure(claim, seed=seed, budget=1e-9, effort=EFFORTS["quick"])
    assert found is not None
    return [str(case.estimate) for case in found.cases]


def test_a_measurement_of_runs_that_are_shared_depends_on_the_seed() -> None:
    load()
    claim_id = "naitsaada2025.proof-3.7.final-bound"
    one, again, other = (estimates(claim_id, seed) for seed in (1, 1, 2))
    assert one == again != other


def test_a_single_value_of_the_kind_that_is_kept() -> None:
    """Half-widths differ as well: the runs do."""
    from claims.naitsaada2025.threshold_bound import THRESHOLDS
    from numeric.naitsaada2025.threshold_bound import scaled_rank

    point = next(iter(THRESHOLDS.smallest()))
    found: list[Measured] = []
    for seed in (1, 2):
        with seeded(seed):
            found.append(scaled_rank(point))
    assert found[0].value != found[1].value
