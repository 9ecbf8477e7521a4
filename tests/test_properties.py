"""Property-based: parameters drawn from each claim's own hypotheses, proof against measurement.

What is true is the claim where it is recorded as proved or supported, and its repair where it is
refuted; the measurement must agree with that right-hand side, and with the value that the proof
derived where its certificate has one, at every admissible point that Hypothesis can find.  Agreement
without power is worth nothing: at each point the interval must also exclude what is false there, or
be short.  A point that fails is shrunk to a small one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, seed, settings
from hypothesis import strategies as st
from strategies import points

from audit.examine import load_witnesses
from audit.expected import Expected
from claims import variants
from claims.domain import Point, Real, Size
from claims.model import Claim, Proposition, Relation
from claims.registry import encoded
from claims.statement import Compare, Formula
from numeric import registry as measuring
from numeric.agreement import Contest, compare, draw_until_told
from numeric.drawing import Stream
from numeric.exact import numbers
from proofs import kernel
from proofs import registry as proving
from proofs.confirm import at

load_witnesses()
BUDGET = 1e-10  # per example; a thousand examples raise a false alarm once in ten million runs
SEED, EXAMPLES, MOST_SAMPLES = 0, 3, 2**20
variants_of = cache(variants.variants_of)
"""Made once for all examples of a claim."""


def true_statements() -> list[Claim]:
    """Relations recorded as true, and as repairs of others; no proof runs at collection.

    A repair that is a formula is read by the estimators of its quantities, not by that of its parent.
    """
    verdicts, found = Expected.read().verdicts, []
    for claim in encoded().values():
        true = verdicts.get(claim.id) in {"proved", "supported"}
        statement = claim if true else claim.repair
        if statement is None or isinstance(statement.statement, Formula):
            continue
        if measuring.estimator_of(statement) is not None:
            found.append(statement)
    return found


class Derived(Exception):
    """A proof has come to the value of what its claim is about; it carries the value."""


def until_derived(claim: Claim, prove: Any) -> Any:
    """The certificate of a claim, unless its proof derives a value, which `Derived` carries.

    What follows, the kernel's look at definitions and the verdict, is the audit's.
    """
    derived = kernel.derived

    def stop(quantity: Any, value: Any, *rest: Any) -> Any:
        if quantity is claim.quantity:
            raise Derived(value)
        return derived(quantity, value, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "derived", stop)
        return prove(claim)


@cache
def derived_value(claim: Claim) -> Any | None:
    """The value of the left-hand side that the claim's proof derived, if it did."""
    prove = proving.proof_of(claim)
    try:
        whole = until_derived(claim, prove).theorem if prove is not None else None
    except Derived as found:
        return found.args[0]
    for theorem in whole.tree() if whole is not None else ():
        formula = theorem.formula
        if isinstance(formula, Compare) and (formula.left, formula.sign) == (claim.quantity, "="):
            return formula.right
    return None


def measured(claim: Claim, point: Point, contest: Contest) -> tuple[Any, float]:
    """What the claim's estimator says at a point, and the half-width of its interval."""
    estimator = measuring.estimator_of(claim)
    assert estimator is not None
    if not estimator.random:
        found = estimator.run(point)
        return found.value, found.error
    stream = Stream(0, f"property/{claim.id}/{sorted(map(str, point.items()))}", 0)
    estimate, width = draw_until_told(
        lambda chunks: stream.samples(estimator.run, point, chunks), contest, BUDGET, MOST_SAMPLES
    )
    return estimate.mean, width


@pytest.mark.parametrize("claim", true_statements(), ids=lambda c: c.id)
@seed(SEED)
@settings(
    max_examples=EXAMPLES, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
@given(data=st.data())
def test_proof_and_measurement_agree_with_power(claim: Claim, data: st.DataObject) -> None:
    point = data.draw(points(claim.domain))
    statement = claim.statement
    if isinstance(statement, Proposition):
        estimator = measuring.estimator_of(claim)
        assert estimator is not None
        assert statement.holds(estimator.run(point).value, point)
        return
    assert isinstance(statement, Relation)
    contest = measuring.contest_of(claim, point, variants_of(claim, 6))
    value, width = measured(claim, point, contest)
    assert contest.claim.fits(value, width)
    if contest.others():
        confused = contest.confused(value, width)
        assert confused is None, f"{value} +- {width} leaves {confused.name}"
    derived = derived_value(claim)
    if derived is not None:
        assert compare("=", value, numbers(at(derived, point)), width)


def test_a_false_statement_is_found_and_shrunk() -> None:
    """The search itself: a mutant fails at some point, and the point reported is a smallest one."""
    claim = encoded()["noci2022.eq-18"].repair
    assert claim is not None
    (mutant,) = claim.mutants

    def fails(point: Point) -> bool:
        contest = measuring.contest_of(claim.variant(mutant), point, ())
        return not contest.claim.fits(*measured(claim, point, contest))

    smallest = find(points(claim.domain), fails, settings=settings(derandomize=True, database=None))
    sizes = [smallest[v.symbol] - v.low for v in claim.domain.variables if isinstance(v, Size)]
    assert sizes and not any(sizes)
    reals = [smallest[v.symbol] for v in claim.domain.variables if isinstance(v, Real)]
    assert all(value.q == 1 for value in reals)
