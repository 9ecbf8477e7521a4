"""The page of a claim: the correction with its changes, the proof as a tree, the measurement as rows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rich.console import Console
from synthetic import case, document

from audit.site.build import claim_pages
from audit.terminal.layout import Page
from audit.terminal.proof import say_proof
from audit.words.records import ASSUMED, OF_THE_CORRECTION

PAGE = "claims/paper0.claim-2.html"  # refuted: it has every part


def page(**changes: Any) -> str:
    """The page of a refuted claim, with fields of its record replaced."""
    whole = document(8, papers=1)
    whole["claims"][2].update(changes)
    return claim_pages(whole)[PAGE]


def test_the_page_says_why_a_proof_is_undecided() -> None:
    proof = {
        "status": "undecided", "method": "wick", "scope": "", "steps": [], "witness": None,
        "seconds": 0.1, "reason": "the derived value gives $2$, the definition $1$; mend the proof",
    }  # fmt: skip
    shown = section(page(proof=proof), "proof")
    assert "the derived value gives <span" in shown and "mend the proof" in shown


def section(text: str, name: str) -> str:
    return text.split(f'aria-labelledby="{name}"', 1)[1].split("</section>", 1)[0]


def test_the_name_of_a_claim_in_a_note_leads_to_its_page() -> None:
    shown = page(note="See `paper0.claim-1`, `paper0.claim-2` and `paper0.nothing`.")
    assert '<a href="../claims/paper0.claim-1.html"><code>paper0.claim-1</code></a>' in shown
    assert "<code>paper0.nothing</code>." in shown  # and what names no page, or this one, does not
    assert " <code>paper0.claim-2</code> and" in shown


def test_quotation_marks_are_no_accents() -> None:
    said = r"\text{``sufficiently small'': absolute values of}\ W"
    shown = page(hypotheses=[said], note="It is ``close'' to it.")
    assert "“sufficiently" in shown and "small”" in shown and "“close” to it" in shown
    assert "``" not in shown


def test_no_line_begins_with_what_closes_a_formula() -> None:
    shown = page(note="Where $x$, ($y$), and `a` with $z$ alone")
    assert "</math>,</span> (" in shown and "</math>),</span> and" in shown
    assert "</math> alone.</p>" in shown


def test_what_is_understood_ends_with_a_stop_once() -> None:
    said = [{"hypothesis": "isotropic tokens, $X=I$", "instance": "at $T=1$ nothing is left"}]
    shown = page(understood=said, note="As it “fails.”")
    assert "<li>Isotropic tokens, " in shown and "nothing is left.</span>" in shown
    assert "“fails.”</p>" in shown


def repaired(statement: str, correction: str, **repair: Any) -> str:
    found = {
        "id": "r", "statement": correction, "verdict": "proved", "note": "", "hypotheses": [], **repair
    }  # fmt: skip
    return section(page(statement=statement, repair=found, hypotheses=["n>1"]), "repaired")


def test_a_correction_shows_its_changes_in_colour_line_and_words() -> None:
    shown = repaired("x = a b + c", "x = a b^2 + c", hypotheses=["n>1", "C(X)>0"])
    assert shown.count('<mrow class="changed">') == 1
    assert "Underlined: what differs" in shown
    assert re.search(r"For <math>.*?</math> read .*?<math>.*?</math>", shown)
    assert re.search(r"<li>Add: .*?<math>.*?C.*?</math>", shown)
    assert "Drop:" not in shown


def test_a_correction_of_the_hypotheses_alone_says_so() -> None:
    shown = repaired("x = a", "x = a", hypotheses=["n>2"])
    assert 'class="changed"' not in shown
    assert "The formula stays as it is" in shown
    assert "Add:" in shown
    assert "Drop:" in shown


def test_the_family_in_which_a_statement_fails_is_called_so_and_not_dropped() -> None:
    found = {
        "id": "r",
        "statement": "x = a",
        "verdict": "proved",
        "note": "",
        "hypotheses": ["n>2"],
    }
    shown = page(statement="x = b", repair=found, hypotheses=["W=0", "P=0", "T=60"])
    assert "Hypotheses, with the family in which it fails" in shown
    assert "Drop:" not in shown and "Under:" in section(shown, "repaired")


def test_a_correction_that_is_another_statement_is_not_marked() -> None:
    shown = repaired("x = a", r"\lim_{n\to\infty}\frac{\sum_{i=1}^n z_i}{q} \ge 7")
    assert 'class="changed"' not in shown
    assert "a statement of its own" in shown


def proof(*steps: tuple[str, list[int]]) -> str:
    listed = [
        {"id": k, "claim": f"x_{{{k}}}", "by": by, "from": below}
        for k, (by, below) in enumerate(steps, 1)
    ]
    found = {
        "status": "refuted", "grade": "derived", "method": "m", "scope": "s", "steps": listed,
        "witness": {"at": {"n": 2}, "left": "3", "right": [2]}, "seconds": 0.1,
    }  # fmt: skip
    return section(page(proof=found), "proof")


def test_one_step_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"id": 1, "claim": "x=1", "by": "definition", "from": []}]
    found = {
        "status": "proved", "grade": "derived", "method": "m", "scope": "s", "steps": steps,
        "witness": None, "seconds": 0.1,
    }  # fmt: skip
    say_proof(found, Page(Console(width=100)), steps=False)
    assert "1 step; below" in capsys.readouterr().out
    assert "different step" not in section(page(proof=found), "proof")


def test_a_proof_is_a_tree_with_the_theorem_on_top() -> None:
    shown = proof(
        ("definition", []), ("fact: Jensen: Hardy, Thm 90", []), ("argument in words: by size", []),
        ("conjunction", [1, 2, 3]),
    )  # fmt: skip
    order = [int(k) for k in re.findall(r'id="step-(\d+)"', shown)]
    assert order == [4, 1, 2, 3]
    assert "Taken together, from steps" in shown
    assert (
        '<span class="kind classical-fact">classical fact</span> Jensen (Hardy, Thm 90).' in shown
    )
    assert '<span class="kind argued-in-words">argued in words</span> By size.' in shown
    assert (
        '<details open><summary>Why<span class="unseen"> step 4 holds</span>: 3 steps</summary>'
        in shown
    )


@pytest.mark.parametrize(("count", "opened"), [(0, None), (3, True), (4, False)])
def test_what_a_proof_uses_of_the_hypotheses_is_listed(count: int, opened: bool | None) -> None:
    """In the letters of the theorem; more than three are folded, and older documents have none."""
    found = {
        "status": "proved", "grade": "derived", "method": "m", "scope": "s", "steps": [],
        "witness": None, "seconds": 0.1, "assumed": [rf"w_{{{k}}}>1" for k in range(count)],
    }  # fmt: skip
    shown = section(page(proof=found), "proof")
    assert (f">{ASSUMED}</summary>" in shown) == bool(count)
    assert shown.count("<li>") == count
    assert (" open><summary>" in shown) == bool(opened)


def test_the_proof_of_a_correction_can_be_read() -> None:
    """It stands beside the refutation, with steps of its own numbers."""
    text = page()
    shown = section(text, "repair-proof")
    assert f"{OF_THE_CORRECTION}: proved" in shown and "by squares" in shown
    assert 'id="correction-step-2"' in shown and 'href="#correction-step-1"' in shown
    assert not set(re.findall(r'id="([^"]+)"', shown)) & set(
        re.findall(r'id="([^"]+)"', section(text, "proof"))
    )
    assert 'aria-labelledby="repair-proof"' not in page(repair=None)


def test_deep_levels_are_folded_and_shared_lemmas_linked() -> None:
    pairs = [("definition", []), *((f"rule {k}", [k - 1, k - 2][: k - 1]) for k in range(2, 30))]
    shown = proof(*pairs)
    assert len(re.findall(r'id="step-\d+"', shown)) == 29
    assert shown.count("<details open>") == 1
    assert shown.count("<details>") > 1
    links = set(re.findall(r'href="#(step-\d+)"', shown))
    assert links <= set(re.findall(r'id="(step-\d+)"', shown))


def test_runs_of_one_rule_are_one_line() -> None:
    steps = [*[("definition", [])] * 12, ("conjunction", list(range(1, 13)))]
    assert "12 steps of the same rule: By definition" in proof(*steps)


def measured(*cases: dict[str, Any]) -> str:
    found = {"status": "disagrees", "device": "cpu", "seconds": 0.1, "cases": list(cases)}
    return section(page(measurement=found), "measurement")


def test_a_measurement_is_a_table_of_named_rows() -> None:
    shown = measured(case(0), case(1))
    headings = re.findall(r'<th role="columnheader"[^>]*>([^<]*)</th>', shown)
    assert headings == ["quantity", "mean", "interval", "claimed", "samples"]
    assert "The statement holds at 2 of 2 points; 131,072 samples in all." in shown
    assert shown.count('data-label="interval"') == 2


def test_a_proposition_holds_at_points_and_shows_no_interval() -> None:
    exact = {
        "estimate": {"a": 1.0, "b": 2.0}, "claimed": None, "half_width": 0.0, "standard_error": 0.0,
        "z": None, "looks": None,
    }  # fmt: skip
    shown = measured({**case(0), **exact}, {**case(1), **exact, "status": "disagrees"})
    assert "The statement fails at 1 of 2 points." in shown
    assert re.findall(r'<th role="columnheader"[^>]*>([^<]*)</th>', shown) == ["quantity", "mean"]
    assert "±" not in shown


def test_large_matrices_are_folded_and_small_ones_shown() -> None:
    def at(size: int) -> str:
        witness = {"at": {"n": 2, "X": [[1] * size] * size}, "left": "3", "right": [2]}
        proof = {**document(8, papers=1)["claims"][2]["proof"], "witness": witness}
        return section(page(proof=proof), "witness")

    assert "<details>" not in at(2)
    assert "<summary>Large matrices of this point</summary>" in at(9)


def test_a_comparison_that_is_the_whole_statement_is_not_repeated() -> None:
    def with_fails(comparison: str) -> str:
        fails = {
            "comparison": comparison, "relation": "<=", "left": "3", "right": "2", "index": {},
            "given": None, "part": False, "entry": None,
        }  # fmt: skip
        witness = {"at": {"n": 2}, "left": "3", "right": [2], "fails": [fails]}
        proof = {**document(8, papers=1)["claims"][2]["proof"], "witness": witness}
        return section(page(proof=proof, statement=r"x \le y"), "witness")

    assert "What fails:" not in with_fails(r"x \le y")
    assert "What fails:" in with_fails(r"x \le z")


def test_a_correction_that_is_used_is_named_by_what_it_corrects() -> None:
    """It has no page of its own: the page of the refuted statement shows it, with its verdict."""
    from audit.site.claim_page import _known

    of = {"id": "p.a", "verdict": "refuted", "repair": {"verdict": "proved"}}
    found = _known("p.a.repair", {"p.a": of})
    assert (found["verdict"], found["parent"]) == ("proved", of)
    for lost in ({}, {"p.a": {**of, "repair": None}}):
        assert _known("p.a.repair", lost)["verdict"] is None
    assert _known("p.a", {"p.a": of}) is of
