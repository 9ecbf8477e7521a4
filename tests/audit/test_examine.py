"""A broken certificate is a conflict, never a verdict and never a traceback; clusters agree."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from sympy import Integer, Rational, Symbol, nan, oo

from audit import examine as examining
from audit.examine import examine, load_witnesses, run_repair
from audit.run import Options, audit
from audit.words.records import tried_on_correction
from claims.domain import Domain, Real
from claims.model import Claim, Source
from claims.records import point_record
from claims.registry import encoded, select
from claims.statement import And, Compare, Quantity, Tends, is_measured
from numeric import estimators
from numeric.agreement import Measured
from numeric.estimators import Estimator
from numeric.larger import AtScale
from numeric.readings import READERS, SAMPLERS
from numeric.registry import Measurement, measures
from proofs import kernel
from proofs import registry as proving
from proofs.certificate import Certificate, Checked

ONE = "noci2022.lemma-A.1.trace"


def forged(claim: Claim, steps: tuple[Any, ...] = ()) -> Certificate:
    """A certificate for a theorem that no rule gave."""
    theorem = kernel._made(claim.formula, "forgery")
    return Certificate("proved", "forgery", steps, theorem=theorem)


def test_certificate_that_does_not_check_again_is_a_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load_witnesses()
    steps = (Checked("1=2", "forged", lambda: False),)
    monkeypatch.setitem(proving.PROOFS, ONE, lambda claim: forged(claim, steps))
    record = examine(ONE, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert "do not check again (1=2)" in record["reason"]


def test_a_violation_is_measured_where_the_adversary_found_it() -> None:
    """What no drawn point denies is refuted by both, and no conflict."""
    x = Symbol("x", real=True)
    number = Quantity("u", lambda at: at[x])

    @measures(number)
    def read(point: Any) -> Measured:
        return Measured(float(point[x]), 1e-12)

    statement = Compare((number - Rational(13, 29)) ** 2, ">=", Rational(1, 10000))
    source, domain = Source("toy", ""), Domain((Real(x, 0, 1),))
    claim = Claim("toy.dip", source, "bound", "", statement, domain)
    found = examining._judge(claim, 0, "quick", tried=0)
    assert found.records["adversary"]["violated"] and found.measurement.status == "disagrees"
    assert found.verdict.verdict == "refuted"


def test_measurement_against_a_forged_proof_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both witnesses are needed: a wrong proof that checks itself is caught by the measurement."""
    load_witnesses()
    false_claim = "noci2022.proof-3.1.A1"
    monkeypatch.setitem(proving.PROOFS, false_claim, forged)
    assert examine(false_claim, seed=0, effort="quick")["verdict"] == "conflict"


def test_a_sample_that_is_not_finite_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """It never counts as agreement, and the reason names claim, case and stream."""
    load_witnesses()
    claim_id = "noci2022.eq-17"
    broken = Estimator(lambda point, rng, count: torch.full((count,), torch.nan), random=True)
    monkeypatch.setitem(estimators.ESTIMATORS, claim_id, broken)
    record = examine(claim_id, seed=5, effort="quick")
    assert record["verdict"] == "conflict"
    assert "noci2022.eq-17, case 0, stream 5/noci2022.eq-17/0/0: 2048 of 2048" in record["reason"]


TOLD = "noci2022.eq-17"


@pytest.mark.parametrize("factor", [1.2, -1.0])
def test_an_estimator_that_the_definition_denies_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    """The statement is true: where no proof says so, the definition does at the measured points."""
    load_witnesses()
    monkeypatch.setattr(proving, "PROOFS", {})
    right = estimators.ESTIMATORS[TOLD].run
    wrong = Estimator(lambda *asked: factor * right(*asked), random=True)
    monkeypatch.setitem(estimators.ESTIMATORS, TOLD, wrong)
    monkeypatch.setattr(estimators, "LARGER", {})
    record = examine(TOLD, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    said = f"the estimator and the definition of {TOLD} disagree at "
    assert record["reason"].startswith(said) and record["reason"].endswith("; mend one of them")


@pytest.mark.parametrize(
    ("claim_id", "verdict"),
    [
        ("im2026.D.10.eq-159", "proved"), ("im2026.D.10.eq-153", "refuted"),
        ("naitsaada2025.thm-A.4.probability", "refuted"),
    ],
)  # fmt: skip
def test_a_quantity_that_is_read_wrongly_is_a_conflict_whatever_the_verdict(
    monkeypatch: pytest.MonkeyPatch, claim_id: str, verdict: str
) -> None:
    """Both witnesses agree on the statement, in which one quantity is not what it is called."""
    load_witnesses()
    assert examine(claim_id, seed=0, effort="quick")["verdict"] == verdict
    quantities = encoded()[claim_id].formula.quantities()
    drawn = [q for q in quantities if q in SAMPLERS and not is_measured(q)]
    if drawn:
        quantity = drawn[0]
        right = SAMPLERS[quantity]
        monkeypatch.setitem(SAMPLERS, quantity, lambda *asked: ~right(*asked))
    else:
        quantity = next(q for q in quantities if q in READERS)
        read, place = READERS[quantity]
        assert place is None
        lower = lambda *asked: replace(read(*asked), value=0.9 * read(*asked).value)  # noqa: E731
        monkeypatch.setitem(READERS, quantity, (lower, None))
    record = examine(claim_id, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert re.match("the estimator and the definition of .* disagree at ", record["reason"])


def test_a_false_statement_is_refuted_by_measurement_where_the_definition_agrees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load_witnesses()
    monkeypatch.setattr(proving, "PROOFS", {})
    record = examine("noci2022.proof-3.1.A1", seed=0, effort="quick")
    assert (record["verdict"], record["reason"]) == ("refuted", "measured beyond the error budget")


@pytest.mark.parametrize("claim_id", ["noci2022.proof-3.1.A2", "wu2024.sec-3.2.layernorm-scaling"])
def test_a_witness_is_measured_where_no_case_denies_it(
    claim_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement may fail at one size alone, which none of the cases has."""
    agreeing = Measurement("agrees", [], set(), set()), [AtScale("small", "agrees")]
    monkeypatch.setattr("audit.examine.measure_at_every_scale", lambda *_, **__: agreeing)
    load_witnesses(claim_id.partition(".")[0])
    record = examine(claim_id, seed=0, effort="quick")
    assert (record["proof"]["status"], record["verdict"]) == ("refuted", "refuted")
    (case,) = record["measurement"]["cases"]
    assert case["status"] == "disagrees" == record["measurement"]["scales"][0]["status"]


def test_a_proof_that_returns_no_certificate_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    load_witnesses()
    monkeypatch.setitem(proving.PROOFS, ONE, lambda claim: None)
    record = examine(ONE, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert record["reason"].startswith(
        f"the proof of {ONE} returned None, must return a certificate"
    )


def with_definition(monkeypatch: pytest.MonkeyPatch, define: Any) -> dict[str, Any]:
    """The record of a claim whose definition is another one."""
    load_witnesses()
    claim = replace(encoded()[TOLD], define=define, quantity=None, mutants=())
    package = encoded().package_of(TOLD)
    monkeypatch.setitem(encoded().of_package(package), TOLD, claim)
    monkeypatch.setattr("audit.examine.places", lambda claim: [])  # no module states it
    return examine(TOLD, seed=0, effort="quick")


def test_the_reason_of_an_undecided_proof_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever derived a wrong value reads where, whoever defined none the same."""
    true = encoded()[TOLD].define
    record = with_definition(monkeypatch, lambda at: 2 * true(at))
    assert re.search(
        r"the derived value gives \$.+\$ at \$.+\$, the definition \$.+\$; mend the proof",
        record["proof"]["reason"],
    )


def test_a_definition_without_value_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = with_definition(monkeypatch, lambda at: nan)["proof"]["reason"]
    assert reason.startswith("the definition has no value at $")
    record = with_definition(monkeypatch, lambda at: None)
    assert record["verdict"] == "conflict"
    assert record["reason"].startswith(f"the definition of {TOLD} returned None at ")


def test_a_fault_costs_its_claim_and_names_its_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The audit goes on; whoever wrote the proof is led to their line, not to a library's."""
    load_witnesses()

    def broken(_: Claim) -> Certificate:
        return json.loads("")

    monkeypatch.setitem(broken.__globals__, "__name__", "proofs.toy.broken")
    monkeypatch.setitem(proving.PROOFS, ONE, broken)
    options = Options(budget="quick", store=tmp_path)
    found, other = audit(select((ONE, "noci2022.A.2.A1")), options)
    line = broken.__code__.co_firstlineno + 1
    assert found["verdict"] == "conflict" and other["verdict"] == "proved"
    assert found["reason"].startswith("cannot be examined: JSONDecodeError: Expecting value")
    assert found["reason"].endswith(f"(tests/audit/test_examine.py, line {line})")


@pytest.mark.parametrize(
    ("certificate", "verdict"),
    [
        (None, "refuted"),
        (lambda c: Certificate("undecided", ""), "refuted"),
        (forged, "conflict"),
    ],
)
def test_a_violation_counts_whatever_the_proof_says(
    monkeypatch: pytest.MonkeyPatch, certificate: Any, verdict: str
) -> None:
    load_witnesses()
    false_claim = "noci2022.proof-3.1.triangle"
    proofs = {} if certificate is None else {false_claim: certificate}
    monkeypatch.setattr(proving, "PROOFS", proofs)
    monkeypatch.setattr(estimators, "ESTIMATORS", {})
    record = examine(false_claim, seed=0, effort="quick")
    assert (record["verdict"], record["adversary"]["violated"]) == (verdict, True)


def test_a_record_is_plain_json_even_where_a_side_is_infinite() -> None:
    """A document with an infinite number is refused by whoever reads it."""
    load_witnesses()
    record = examine("naitsaada2025.app-A.5.sampling", seed=0, effort="quick")
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["measurement"]["cases"][0]["fails"][0]["left"] == "oo"


@pytest.mark.filterwarnings("ignore")  # the cluster's own warnings are not ours
@pytest.mark.seldom
def test_a_dask_cluster_gives_the_same_records(tmp_path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    entries = select((ONE, "noci2022.eq-20"))
    here = audit(entries, Options(budget="quick", store=tmp_path / "a"))
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address=None,
    ) as cluster:
        address = cluster.scheduler_address
        options = Options(budget="quick", scheduler=address, store=tmp_path / "b")
        there = audit(entries, options)
    assert [strip(r) for r in here] == [strip(r) for r in there]


def strip(value):
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if k != "seconds"}
    return [strip(v) for v in value] if isinstance(value, list) else value


def test_a_measured_point_keeps_the_order_of_the_domain() -> None:
    """Also where it was made in another one; what the domain does not name stands behind."""
    domain = encoded()["wu2024.thm-2.rate"].domain
    order = [str(variable.symbol) for variable in domain.variables]
    record = point_record({"kind": "a", **dict.fromkeys(reversed(order), 1)}, domain)
    assert list(record) == [*order, "kind"] and record["kind"] == "a"


def test_corrections_are_attacked_as_claims_are() -> None:
    """A correction that asserts an order; and the false statement put in its place."""
    load_witnesses()
    claim = encoded()["wu2024.sec-4.1.rate-monotone-r"]
    held = run_repair(claim, 0, "quick")
    assert held["verdict"] == "proved" and not held["adversary"]["violated"]
    assert held["adversary"]["starts"] > 100
    false = encoded()["wu2024.app-E.eq-28"]
    found = run_repair(replace(false, repair=false), 0, "quick")
    assert found["adversary"]["violated"] and found["verdict"] == "refuted"
    attacked, twins = tried_on_correction(held)
    assert attacked.startswith("Attacked as well: not violated at ")
    assert twins.startswith("Of 2 variants made by machine, the proof rejects ")
    assert tried_on_correction({"adversary": None}) == []  # no order is asserted


@pytest.mark.parametrize(("limit", "verdict"), [(Integer(5), "unsettled"), (oo, "proved")])
def test_readings_of_members_do_not_support_a_limit(
    monkeypatch: pytest.MonkeyPatch, limit: Any, verdict: str
) -> None:
    """Gradients that grow without bound: that they tend to five no reading denies, and none supports."""
    load_witnesses()
    claim = encoded()["naitsaada2025.beyond.mean-gradients-diverge"]
    assert isinstance(claim.statement, And)
    bound, tends = claim.statement.formulas
    assert isinstance(tends, Tends)
    edited = replace(claim, statement=bound & replace(tends, limit=limit), mutants=())
    monkeypatch.setattr(examining, "encoded", lambda: {edited.id: edited})
    record = examine(edited.id, seed=0, effort="quick")
    status = "agrees" if verdict == "proved" else "underpowered"
    assert record["measurement"]["status"] == status and record["verdict"] == verdict
