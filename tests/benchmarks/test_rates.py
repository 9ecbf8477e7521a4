"""Rates are counted as they are defined, and go on from what was counted before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import binom

from audit.examine import load_witnesses
from benchmarks.rates import record, seeds
from benchmarks.rates.refusals import refusals
from claims.registry import encoded
from claims.variants import variants_of
from numeric import sampling


def test_upper_limits_are_those_of_clopper_and_pearson() -> None:
    for events, trials in ((0, 50), (1, 50), (7, 50), (49, 50)):
        limit = record.upper(events, trials)
        assert binom.cdf(events, trials, limit) == pytest.approx(0.05)
    assert record.upper(5, 5) == 1.0


ROW = {
    "seed": 1,
    "statements": 2,
    "comparisons": 10,
    "alarms": [],
    "false_variants": 3,
    "detected": 2,
}


def test_rows_add_up() -> None:
    rows = [ROW, {**ROW, "seed": 2, "alarms": ["a", "b"], "detected": 3}]
    found = record.alarms(rows)
    assert (found["seeds"], found["comparisons"], found["alarms"]) == (2, 20, 2)
    assert found["audits_with_an_alarm"] == 1 and found["alarmed"] == ["a", "b"]
    assert found["upper_limit_per_comparison"] == record.upper(2, 20)
    assert found["upper_limit_per_audit"] == record.upper(1, 2)
    told = record.power({"rows": rows, "missed": {"a: x": 1}})
    assert (told["tried"], told["detected"]) == (6, 5)
    assert (told["always_detected"], told["sometimes_detected"], told["never_detected"]) == (
        2,
        1,
        0,
    )
    assert record.power({"rows": rows, "missed": {"a: x": 2}})["never_detected"] == 1


@pytest.fixture(scope="module")
def true() -> list[seeds.True_]:
    load_witnesses()
    claim = encoded()["noci2022.lemma-3.1.values"]
    return [seeds.True_(claim, variants_of(claim, 6))]


def test_seeds_accumulate_and_other_statements_begin_again(
    true: list[seeds.True_], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lambda statements, which: ({**ROW, "seed": s, "missed": ["a: x"]} for s in which)  # noqa: E731
    monkeypatch.setattr(record, "outcomes", made)
    *_, first = record.accumulated({}, true, [1, 2])
    assert [row["seed"] for row in first["rows"]] == [1, 2] and first["missed"] == {"a: x": 2}
    *_, more = record.accumulated(first, true, [1, 2, 3])
    assert [row["seed"] for row in more["rows"]] == [1, 2, 3] and more["missed"] == {"a: x": 3}
    (anew,) = record.accumulated(more, [replace(true[0], false=())], [5])
    assert [row["seed"] for row in anew["rows"]] == [5] and anew["missed"] == {"a: x": 1}


def test_a_mended_statement_is_measured_again_with_every_seed(
    true: list[seeds.True_], monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = true[0].claim.id
    rows = [
        {**ROW, "alarms": [claim, "other"]},
        {**ROW, "seed": 2},
        {**ROW, "seed": 3, "alarms": [claim]},
    ]
    old = {"of": "these", "rows": rows, "missed": {}}
    found = {1: [], 2: [], 3: [claim]}
    made = lambda statements, which: ({**ROW, "seed": s, "alarms": found[s]} for s in which)  # noqa: E731
    monkeypatch.setattr(record, "outcomes", made)
    new = record.measured_again(old, true, claim)
    assert [row["alarms"] for row in new["rows"]] == [["other"], [], [claim]]
    assert new["of"] == "these" and rows[0]["alarms"] == [claim, "other"]
    with pytest.raises(ValueError, match=r"no\.such: is none of the true statements"):
        record.measured_again(old, true, "no.such")


def test_what_was_mended_is_named_and_said() -> None:
    known = encoded()
    for each in record.mended():
        assert each["claim"] in known and each["seeds"] and each["why"].endswith(".")


def test_a_seed_measures_true_statements_and_detects_false_ones(true: list[seeds.True_]) -> None:
    row = seeds.measured(true, 12345)
    assert row["alarms"] == [] and row["statements"] == 1 and row["comparisons"] >= 2
    assert row["detected"] + len(row["missed"]) == row["false_variants"] == 6
    assert row["detected"] >= 5


def test_a_measurement_that_disagrees_is_an_alarm(true: list[seeds.True_]) -> None:
    claim = true[0].claim
    false = claim.variant(true[0].false[0])
    assert seeds.measured([seeds.True_(false, ())], 1)["alarms"] == [false.id]


def test_every_seed_redraws_every_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    original = sampling.stream_seed
    monkeypatch.setattr(sampling, "stream_seed", original)
    monkeypatch.setattr(seeds.numeric.basins, "stream_seed", original)
    drawn = set()
    for seed in (1, 2):
        sampling.stream_seed = original
        seeds._redraw(seed)
        drawn.add(float(sampling.normal(sampling.generator(0, "fixed"), 1)))
        assert seeds.numeric.basins.stream_seed is sampling.stream_seed
    assert len(drawn) == 2


def test_true_is_what_a_document_calls_proved() -> None:
    load_witnesses()
    ids = ("noci2022.lemma-3.1.values", "noci2022.lemma-3.1.input", "noci2022.lemma-3.1.queries")
    variant = variants_of(encoded()[ids[0]], 6)[0].name
    records = [
        {"id": ids[0], "verdict": "proved", "repair": None, "variants": {"killed_by_proof": [variant]}},
        {"id": ids[1], "verdict": "refuted", "repair": {"verdict": "proved"},
         "variants": {"killed_by_proof": ["x"]}},
        {"id": ids[2], "verdict": "supported", "repair": None, "variants": {"killed_by_proof": []}},
        {"id": "no.such", "verdict": "proved", "repair": None, "variants": None},
    ]  # fmt: skip
    found = seeds.true_statements({"claims": records}, "whole")
    assert [each.claim.id for each in found] == [ids[0], f"{ids[1]}.repair"]
    assert [[v.name for v in each.false] for each in found] == [[variant], []]
    assert [each.claim.id for each in seeds.true_statements({"claims": records}, "drawn")] == [
        each.claim.id for each in found if seeds.draws(each.claim)
    ]


def test_refusals_are_counted_by_offering_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import wrong_certificates
    import wrong_logic
    import wrong_names
    import wrong_sums
    import wrong_values

    modules = (wrong_names, wrong_sums, wrong_values)
    assert all(module.__name__ for module in modules)  # they add their families

    false, true = (lambda: wrong_logic.kernel.assume(wrong_certificates.le(0, 1)),) * 2
    refused, broken = (lambda: wrong_logic.kernel.joint(wrong_certificates.le(1, 0)),) * 2
    families = [
        wrong_certificates.Family("one", (refused, false), (true,)),
        wrong_certificates.Family("two", (broken,), (true, refused)),
    ]
    monkeypatch.setattr(wrong_certificates, "FAMILIES", families)
    counts = refusals.__wrapped__()
    assert counts == {"families": 2, "false": 3, "refused": 2, "true": 3, "accepted": 2}
