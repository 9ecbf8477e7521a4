"""Rates are counted as they are defined, and go on from what was counted before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from scipy.stats import binom

from audit.examine import load_witnesses
from benchmarks.rates import record, seeds
from benchmarks.rates.refusals import refusals
from claims.registry import encoded
from claims.variants import variants_of
from numeric.noci2022 import simulated_norms


def test_upper_limits_are_those_of_clopper_and_pearson() -> None:
    for events, trials in ((0, 50), (1, 50), (7, 50), (49, 50)):
        limit = record.upper(events, trials)
        assert binom.cdf(events, trials, limit) == pytest.approx(0.05)
    assert record.upper(5, 5) == 1.0


COUNT = {
    "of": "", "seeds": 2, "comparisons": 20, "alarms": [], "false_variants": 3, "missed": {}, "seconds": 1.0,
}  # fmt: skip


def test_counts_add_up() -> None:
    counts = {
        "a": {**COUNT, "alarms": [2], "missed": {"x": 1, "y": 2}},
        "b": {**COUNT, "alarms": [2, 3], "seeds": 3, "comparisons": 31, "unsure": [1, 3]},
    }
    found = record.alarms(counts)
    assert (found["statements"], found["seeds"], found["comparisons"]) == (2, 2, 51)
    assert found["alarms"] == 3 and found["alarmed"] == ["a", "b"]
    assert found["audits_with_an_alarm"] == 1 and found["unsure"] == {"b": 2}
    assert found["upper_limit_per_comparison"] == record.upper(3, 51)
    assert found["upper_limit_per_audit"] == record.upper(1, 2)
    told = record.power(counts)
    assert (told["false_variants"], told["tried"], told["detected"]) == (6, 15, 12)
    three = (told["always_detected"], told["sometimes_detected"], told["never_detected"])
    assert three == (4, 1, 1)


@pytest.fixture(scope="module")
def true() -> list[seeds.True_]:
    load_witnesses()
    claim = encoded()["noci2022.lemma-3.1.values"]
    false = variants_of(claim, 6)
    return [seeds.True_(claim, false, false)]


def test_counts_go_on_and_another_statement_catches_up(
    true: list[seeds.True_], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def made(statements: Sequence[seeds.True_], seed: int) -> dict[str, seeds.Outcome]:
        asked.append((seed, sorted(each.claim.id for each in statements)))
        return {
            s.claim.id: seeds.Outcome(7, seed == 3, seed == 2, ("x",), 0.25) for s in statements
        }

    monkeypatch.setattr(record, "outcomes", made)
    one, two = true[0].claim.id, "a"
    both = [true[0], replace(true[0], claim=replace(true[0].claim, id=two))]
    *_, first = record.accumulated(record.kept({}, both), both, 3)
    expected = {"seeds": 3, "comparisons": 21, "alarms": [3], "unsure": [2], "missed": {"x": 3},
                "seconds": 0.8}  # fmt: skip
    assert first[one] == {"of": record.name(both[0]), "false_variants": 6, **expected}
    other = [true[0], replace(both[1], false=())]
    counts = record.kept(first, other)
    assert counts[one] == first[one] and counts[two]["seeds"] == 0
    asked.clear()
    *_, last = record.accumulated(counts, other, 4)
    assert asked == [(1, [two]), (2, [two]), (3, [two]), (4, [two, one])]
    assert last[one]["seeds"] == last[two]["seeds"] == 4 and last[two]["false_variants"] == 0


def test_a_mended_statement_begins_again_alone(true: list[seeds.True_]) -> None:
    claim = true[0].claim.id
    two = [true[0], seeds.True_(replace(true[0].claim, id="other"), (), ())]
    old = {c: {**count, "seeds": 5} for c, count in record.kept({}, two).items()}
    assert record.kept(old, two) == old
    anew = record.kept(old, two, [claim])
    assert anew[claim]["seeds"] == 0 and anew["other"] == old["other"]
    with pytest.raises(ValueError, match=r"no\.such: is none of the true statements"):
        record.kept(old, two, ["no.such"])


def test_what_has_no_measurement_is_not_counted(
    true: list[seeds.True_], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "outcomes", lambda statements, seed: {})
    assert list(record.accumulated(record.kept({}, true), true, 5)) == [{}]


def test_the_name_of_a_statement_is_what_is_measured_not_how_it_is_printed(
    true: list[seeds.True_], monkeypatch: pytest.MonkeyPatch
) -> None:
    (each,), of = true, record.name(true[0])
    claim = each.claim
    for other in (
        replace(each, claim=replace(claim, statement=each.false[0].statement)),
        replace(each, claim=replace(claim, domain=replace(claim.domain, variables=()))),
        replace(each, false=each.false[1:]),
    ):
        assert record.name(other) != of
    monkeypatch.setattr(type(claim.statement), "latex", lambda self: "printed otherwise")
    renamed = tuple(replace(v, name="called otherwise") for v in each.false)
    assert record.name(replace(each, false=renamed)) == of


def test_what_was_mended_is_named_and_said() -> None:
    known = encoded()
    for each in record.mended():
        assert each["claim"] in known and each["seeds"] and each["why"].endswith(".")


def test_a_seed_measures_true_statements_and_detects_false_ones(true: list[seeds.True_]) -> None:
    found = seeds.outcomes(true, 12345)[true[0].claim.id]
    assert not found.alarm and found.comparisons >= 2
    assert len(found.missed) <= 1 and set(found.missed) <= {v.name for v in true[0].false}


def test_a_measurement_that_disagrees_is_an_alarm(true: list[seeds.True_]) -> None:
    false = true[0].claim.variant(true[0].false[0])
    found = seeds.measured(seeds.True_(false, (), ()), 1)
    assert found is not None and found.alarm


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


def test_what_is_supported_is_counted_by_itself() -> None:
    load_witnesses()
    ids = ("noci2022.fig-7", "noci2022.lemma-3.1.input", "noci2022.lemma-3.1.queries")
    records = [
        {"id": ids[0], "verdict": "supported", "repair": None, "variants": {"killed_by_proof": []}},
        {"id": ids[1], "verdict": "refuted", "repair": {"verdict": "supported"}, "variants": None},
        {"id": ids[2], "verdict": "proved", "repair": None, "variants": {"killed_by_proof": ["x"]}},
    ]
    found = seeds.true_statements({"claims": records}, "supported")
    assert [each.claim.id for each in found] == [ids[0], f"{ids[1]}.repair"]
    assert not any(each.false for each in found)


@pytest.mark.parametrize("half_width", [0.0, 5.0])
def test_an_interval_that_cannot_tell_is_counted(
    half_width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_witnesses()
    layers = {"small": [(1.5, half_width)] * 11, "large": [(3.0, half_width)] * 11}

    def ratios(size: int, width: int, depth: int, scaled: bool, std: float, samples: int) -> list:
        return layers["large" if std == 1 else "small"]

    monkeypatch.setattr(simulated_norms, "true_over_uniform", ratios)
    found = seeds.measured(seeds.True_(encoded()["noci2022.fig-11"], (), ()), 1)
    assert found is not None and found.unsure == (half_width > 0) and not found.alarm


def test_refusals_are_counted_by_offering_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import wrong_certificates
    import wrong_logic

    for path in Path(wrong_certificates.__file__).parent.glob("wrong_*.py"):
        import_module(path.stem)  # they add their families
    false, true = (lambda: wrong_logic.kernel.assume(wrong_certificates.le(0, 1)),) * 2
    refused, broken = (lambda: wrong_logic.kernel.joint(wrong_certificates.le(1, 0)),) * 2
    families = [
        wrong_certificates.Family("one", (refused, false), (true,)),
        wrong_certificates.Family("two", (broken,), (true, refused)),
    ]
    monkeypatch.setattr(wrong_certificates, "FAMILIES", families)
    counts = refusals.__wrapped__()
    assert counts == {"families": 2, "false": 3, "refused": 2, "true": 3, "accepted": 2}
