"""Larger sizes: points that are admissible and vary, second estimators held to the first ones."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest
import torch

from audit.examine import load_witnesses
from claims.domain import Array, Choice, Computed
from claims.model import Claim
from claims.registry import encoded
from claims.statement import Formula
from numeric import estimators, readings
from numeric.estimates import Estimate
from numeric.exact import numbers
from numeric.larger import reach_of, why_not
from numeric.noci2022 import correlation, network
from numeric.readings import Readings, readable
from numeric.sampling import generator
from numeric.scales import KINDS, MODEL, SMALL, dimensions, points_at, tokens_of_kind

load_witnesses()
CLAIMS = {
    claim.id: claim
    for stated in encoded().values()
    for claim in (stated, stated.repair)
    if claim is not None
}
WITH_TOKENS = (
    "noci2022.lemma-3.1.queries", "noci2022.lemma-3.2.limit", "noci2022.eq-17",
    "noci2022.footnote-1.cross-attention", "wu2024.sec-4.mu-equals-residual",
)  # fmt: skip


def measured(claim: Claim) -> bool:
    """Whether anything measures a claim."""
    if isinstance(claim.statement, Formula):
        return all(map(readable, claim.statement.quantities()))
    return estimators.estimator_of(claim) is not None


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_points_are_admissible_and_their_sizes_differ(name: str) -> None:
    claim = CLAIMS[name]
    found = points_at(claim, MODEL, seed=5, count=3)
    assert len(found) == 3 and len({kind for kind, _ in found}) == 3
    for _, point in found:
        sizes = [int(point[size.symbol]) for size in dimensions(claim.domain)]
        low, high = MODEL.dimensions
        assert len(set(sizes)) == len(sizes) and all(low <= size <= high for size in sizes)
        assert all(c.holds(point) for c in claim.domain.conditions)
        for variable in claim.domain.variables:
            if not isinstance(variable, Choice | Computed):
                assert variable.objection(point[variable.symbol], point) is None
            if type(variable) is Array:
                assert all((16 * entry).is_Integer for entry in point[variable.symbol])


TIED = (
    "im2026.D.10.eq-152", "im2026.D.13.eq-206", "im2026.D.7.eq-114", "im2026.lemma-D.2.dev",
    "im2026.thm-D.13.V", "wu2024.lemma-2.upper", "wu2024.sec-4.1.tradeoff",
)  # fmt: skip
"""Conditions tie sizes to one another, or to what comes after them, or two masks."""


@pytest.mark.parametrize("name", TIED)
def test_conditions_between_variables_leave_points(name: str) -> None:
    domain = CLAIMS[name].domain
    for seed in range(3):
        ((_, point),) = points_at(CLAIMS[name], MODEL, seed=seed, count=1)
        assert all(c.holds(point) for c in domain.conditions)
        masks = [value.size for value in point.values() if hasattr(value, "edges")]
        sizes = [int(point[v.symbol]) for v in dimensions(domain)]
        assert max((*masks, *sizes)) >= MODEL.dimensions[0]


def test_no_claim_is_without_a_point_at_model_scale() -> None:
    reasons = [
        claim.id
        for claim in CLAIMS.values()
        if claim.parent is None and claim.paper == "im2026" and not why_not(claim, MODEL)
        if not points_at(claim, MODEL, seed=0, count=1, largest=reach_of(claim).largest)
    ]
    assert not reasons


def test_tokens_may_be_more_or_fewer_than_features() -> None:
    claim = CLAIMS["noci2022.lemma-3.2.limit"]
    n, d_v = (size.symbol for size in dimensions(claim.domain))
    found = [points_at(claim, MODEL, seed=seed, count=1)[0][1] for seed in range(12)]
    assert {point[n] > point[d_v] for point in found} == {True, False}


def test_points_follow_the_seed_alone() -> None:
    claim = CLAIMS["noci2022.lemma-3.2.limit"]
    first, again, other = (points_at(claim, MODEL, seed=seed, count=2) for seed in (1, 1, 2))
    assert first == again and first != other


def test_no_size_is_beyond_the_reach() -> None:
    claim = CLAIMS["noci2022.lemma-3.2.limit"]
    ((_, point),) = points_at(claim, MODEL, seed=1, count=1, largest=8)
    assert all(point[size.symbol] <= 8 for size in dimensions(claim.domain))


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_tokens_are_what_they_are_called(kind: str) -> None:
    x = numbers(tokens_of_kind(kind, 30, 20, Random(3)))
    cosines = torch.corrcoef(x) if kind != "one-hot" else x @ x.T
    apart = cosines[~torch.eye(30, dtype=torch.bool)]
    norms = x.norm(dim=1)
    told = {
        "Gaussian": apart.mean().abs() < 0.1 and norms.max() < 2 * norms.min(),
        "correlated": 0.3 < apart.mean() < 0.7,
        "nearly collapsed": apart.min() > 0.9,
        "one dominant token": norms.max() > 3 * norms.median(),
        "heavy-tailed": x.abs().max() > 4 * x.abs().median(),
        "one-hot": set(apart.tolist()) <= {0.0, 1.0} and set(norms.tolist()) == {1.0},
    }
    assert told[kind]


FIXED = "the statement is about objects of fixed size"
MOST_SMALL = 8
"""Claims with sizes that are not measured at larger ones, each for a reason of its own."""


def test_what_is_not_measured_at_larger_sizes_says_why_and_is_little() -> None:
    reasons = {
        claim.id: reason
        for claim in CLAIMS.values()
        if measured(claim) and (reason := why_not(claim, MODEL))
    }
    small = {name: reason for name, reason in reasons.items() if reason != FIXED}
    assert all(len(reason.split()) > 5 for reason in small.values())
    assert len(small) <= MOST_SMALL, sorted(small)
    for name, reason in reasons.items():
        if reason == FIXED:
            assert not dimensions(CLAIMS[name].domain)


def test_a_short_reach_is_explained_and_reaches_beyond_small_points() -> None:
    reaches = [reach_of(claim) for claim in CLAIMS.values() if measured(claim)]
    limited = [reach for reach in reaches if reach.largest is not None]
    assert limited and all(reach.reason for reach in limited)
    assert all(r.largest >= MODEL.least or r.largest < SMALL.dimensions[1] for r in limited)


# Second estimators --------------------------------------------------------------------------------

SAMPLES = 2**12


def _measured(estimator: Any, point: Any, seed: int) -> tuple[Any, float]:
    if not estimator.random:
        found = estimator.run(point)
        return found.value, found.error
    estimate = Estimate()
    for chunk in range(2):
        estimate.add(estimator.run(point, generator(seed, "second", chunk), SAMPLES // 2))
    return estimate.mean, estimate.half_width(1e-10)


def _differ(first: Any, second: Any) -> float:
    """The largest distance between numbers, arrays or tuples of them."""
    pairs = zip(first, second, strict=True) if isinstance(first, tuple) else ((first, second),)
    tensors = [[torch.as_tensor(t, dtype=torch.float64) for t in pair] for pair in pairs]
    return max(float((a - b).abs().max()) for a, b in tensors)


@pytest.mark.parametrize("name", sorted(estimators.LARGER))
def test_second_estimators_agree_with_the_first(name: str) -> None:
    claim, second = CLAIMS[name], estimators.LARGER[name]
    first = estimators.estimator_of(claim)
    assert first is not None and first is not second
    rng = Random(name)
    for point in (claim.domain.draw(rng) for _ in range(2)):
        value, width = _measured(first, point, 0)
        other, reach = _measured(second, point, 1)
        if not first.random:
            value = second.seen(value, point)
        scale = max(float(torch.as_tensor(v).abs().max()) for v in _parts(value))
        assert _differ(value, other) <= width + reach + 1e-9 * (1 + scale), point


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("quantity", list(readings.LARGER_READERS), ids=lambda q: q.name)
def test_second_readings_agree_with_the_first(quantity: Any) -> None:
    claim = next(
        c for c in CLAIMS.values()
        if isinstance(c.statement, Formula) and quantity in c.statement.quantities()
    )  # fmt: skip
    rng = Random(str(quantity.name))
    for point in (claim.domain.draw(rng) for _ in range(2)):
        first, second = (
            Readings(point, larger=larger)(quantity, point) for larger in (False, True)
        )
        assert abs(first[0] - second[0]) <= first[1] + second[1] + 1e-9 * abs(first[0])


def test_networks_are_averaged_alike_by_moments_and_by_gram_matrices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = CLAIMS["noci2022.theorem-3.3.unscaled-limit"]
    for point in islice((claim.domain.draw(Random(seed)) for seed in range(20)), 6):
        ways = []
        for most in (10**6, 0):
            for module in (network, correlation):
                monkeypatch.setattr(module, "MOST_ENTRIES", most)
            gram = network.gram_after(point, 3)
            leading = correlation.leading_gram(point)
            ways.append((gram / gram.trace(), leading / leading.trace()))
        for one, other in zip(*ways, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-9)
