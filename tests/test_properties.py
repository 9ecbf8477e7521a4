"""Property-based: parameters drawn from each claim's own hypotheses, proof against measurement.

What is true is the claim where its proof holds, and its repair where it is refuted; the measurement
must agree with that right-hand side at every admissible point that Hypothesis can find.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import points

from audit.examine import load_witnesses
from claims.model import Claim, Proposition, Relation
from claims.registry import encoded
from numeric import registry as measuring
from numeric.agreement import compare, draw_until_told
from numeric.sampling import generator
from proofs import registry as proving

load_witnesses()
BUDGET = 1e-10  # per example; a thousand examples raise a false alarm once in ten million runs
EXAMPLES = 6


def true_statements() -> list[Claim]:
    """Every claim that is proved as printed, and the repair of every claim that is not."""
    found = []
    for claim in encoded().values():
        prove = proving.proof_of(claim)
        if prove is None or measuring.estimator_of(claim) is None:
            continue
        status = prove(claim).status
        if status == "proved":
            found.append(claim)
        elif claim.repair is not None and measuring.estimator_of(claim.repair) is not None:
            found.append(claim.repair)
    return found


@pytest.mark.parametrize("claim", true_statements(), ids=lambda c: c.id)
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
@given(data=st.data())
def test_proof_and_measurement_agree(claim: Claim, data: st.DataObject) -> None:
    point = data.draw(points(claim.domain))
    estimator = measuring.estimator_of(claim)
    assert estimator is not None
    statement = claim.statement
    if isinstance(statement, Proposition):
        assert statement.holds(estimator.run(point).value, point)
        return
    assert isinstance(statement, Relation)
    sides = [measuring.numbers(side) for side in statement.values(point)]
    if estimator.random:
        stream = ("property", claim.id, sorted(map(str, point.items())))
        estimate, width, _ = draw_until_told(
            lambda chunk, count: estimator.run(point, generator(0, *stream, chunk), count),
            sides[:1], BUDGET, 2**15,
        )  # fmt: skip
        value = estimate.mean
    else:
        measured = estimator.run(point)
        value, width = measured.value, measured.error
    assert all(compare(statement.relation, value, side, width) for side in sides)
