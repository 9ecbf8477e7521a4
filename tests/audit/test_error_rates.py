"""The recorded error rates, and what the site and the README say of them."""

from __future__ import annotations

from copy import deepcopy
from html import unescape
from pathlib import Path

import pytest
from synthetic import document

from audit.site import error_rates
from audit.site.build import build
from audit.site.error_rates import KINDS, recorded, sentences
from audit.site.formulas import prose

ROOT = Path(__file__).resolve().parents[2]
RATES, MUTATION = recorded()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("site")
    build(document(4), folder)
    assert 'href="error-rates.html"' in (folder / "index.html").read_text(encoding="utf-8")
    return (folder / "error-rates.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", sentences(RATES, MUTATION))
def test_readme_and_page_say_what_is_recorded(kind: str, page: str) -> None:
    sentence = sentences(RATES, MUTATION)[kind]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert sentence in readme
    assert str(prose(sentence)) in page


def test_the_page_shows_every_count(page: str) -> None:
    tables = error_rates.error_rates_page()["tables"].values()
    assert {table.name for table in tables} == {"alarms", "power", "coverage", "mutation"}
    for table in tables:
        for row in table.rows:
            assert len(row) == len(table.headings)
            for cell in row:
                assert str(prose(cell)) in page, cell
    shown = unescape(page)
    for module in MUTATION["modules"].values():
        for survivor in module["survivors"]:
            assert all(line in shown for line in survivor["to"].splitlines())


def test_sums_follow_from_the_counts() -> None:
    for scope, counts in RATES["counts"].items():
        alarms, each = RATES["false_alarms"][scope], list(counts.values())
        assert alarms["statements"] == len(each)
        assert alarms["seeds"] == min(count["seeds"] for count in each)
        assert alarms["comparisons"] == sum(count["comparisons"] for count in each)
        assert alarms["alarms"] == sum(len(count["alarms"]) for count in each)
        unsure = sum(len(count.get("unsure", ())) for count in each)
        assert sum(alarms["unsure"].values()) == unsure
        if scope == "supported":  # what is false beside it, no proof says
            assert scope not in RATES["power"]
            continue
        power = RATES["power"][scope]
        assert power["seeds"] == alarms["seeds"]
        missed = sum(times for count in each for times in count["missed"].values())
        assert power["tried"] - power["detected"] == missed
        three = ("always_detected", "sometimes_detected", "never_detected")
        assert sum(power[key] for key in three) == power["false_variants"]


def test_nothing_wrong_is_accepted_and_no_true_statement_is_called_false() -> None:
    assert all(each["alarms"] == 0 for each in RATES["false_alarms"].values())
    assert RATES["refusals"]["refused"] == RATES["refusals"]["false"]
    assert RATES["variants"]["certified_though_false"] == 0
    assert all(
        law["probability"] < RATES["coverage"]["promised"] for law in RATES["coverage"]["laws"]
    )


def test_every_mutant_that_survived_is_explained() -> None:
    """A survivor that makes a judge accept more has no kind here: it needs a test."""
    for name, module in MUTATION["modules"].items():
        assert (ROOT / name).is_file()
        assert module["tried"] == module["killed"] + len(module["survivors"])
        assert 0 < module["tried"] <= module["mutants"]
        for survivor in module["survivors"]:
            assert survivor["kind"] in KINDS and survivor["why"].endswith("."), survivor


def test_one_alarm_would_be_said() -> None:
    rates = deepcopy(dict(RATES))
    rates["mended"] = [{"claim": "a.b", "seeds": [2], "why": "So."}]
    scope = "whole" if "whole" in rates["false_alarms"] else "drawn"
    rates["false_alarms"][scope] |= {"alarms": 1, "upper_limit_per_comparison": 0.0123}
    rates["refusals"]["refused"] -= 2
    rates["variants"]["certified_though_false"] = 3
    said = sentences(rates, MUTATION)
    assert "mended after an alarm in such a count: 1." in said["alarms"]
    assert "mended" not in sentences({**rates, "mended": []}, MUTATION)["alarms"]
    assert "raised 1 false alarm:" in said["alarms"] and r"$1.2\cdot10^{-2}$" in said["alarms"]
    assert f"only {rates['refusals']['refused']} are refused" in said["refusals"]
    assert "3 was certified though false" in said["variants"]


def test_what_the_supported_did_not_tell_is_said() -> None:
    rates = deepcopy(dict(RATES))
    assert "supported" in sentences(rates, MUTATION)
    rates["false_alarms"]["supported"] |= {"alarms": 1, "unsure": {"a.b": 2, "a.c": 1}}
    said = sentences(rates, MUTATION)["supported"]
    assert said.endswith("1 measurement disagreed with them, and 3 could not tell.")
    del rates["false_alarms"]["supported"]
    assert "supported" not in sentences(rates, MUTATION)
