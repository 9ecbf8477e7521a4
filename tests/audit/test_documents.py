"""Documents read back, compared, and turned into errata and CI output."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from synthetic import MARKUP, document

from audit.ci import junit, summary
from audit.cli import main
from audit.diff import changes
from audit.documents import BadDocument, read_document
from audit.formulas.mathtext import latex_of_point, latex_of_value, mathml
from audit.sinks import latex_text


def saved(tmp_path: Path, content: object, name: str = "a.json") -> Path:
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_document_is_read(tmp_path: Path) -> None:
    assert read_document(saved(tmp_path, document(10))) == document(10)


def spoilt(change: str) -> object:
    whole = document(5)
    if change == "truncated":
        return json.dumps(whole)[:500]
    if change == "version":
        whole["schema"] = 3
    if change == "field":
        del whole["claims"][1]["uses"]
    if change == "verdict":
        whole["claims"][0]["verdict"] = "refuted"
    if change == "twice":
        whole["claims"][1] = deepcopy(whole["claims"][0])
    return [] if change == "list" else whole


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("truncated", "cut short or edited"),
        ("version", "schema 3; this version of twofold reads schemas 1 and 2"),
        ("field", '"uses" is a required property'),
        ("verdict", "its witnesses give proved; edited by hand"),
        ("twice", "stands twice"),
        ("list", "schema None"),
    ],
)
def test_a_spoilt_document_is_refused_in_one_line(
    tmp_path: Path, change: str, message: str
) -> None:
    path = saved(tmp_path, spoilt(change))
    with pytest.raises(BadDocument, match=message):
        read_document(path)
    result = CliRunner().invoke(main, ["diff", str(path), str(path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_a_missing_document_is_named() -> None:
    with pytest.raises(BadDocument, match=r"nowhere\.json: cannot be read \(No such file"):
        read_document("nowhere.json")


def test_diff_says_which_verdict_changed_and_why(tmp_path: Path) -> None:
    old, new = document(10), document(10)
    turned = new["claims"][0]
    turned.update(verdict="refuted", severity="material")
    turned["proof"].update(status="refuted", witness={"at": {}, "left": 1, "right": [2]})
    turned["measurement"]["status"] = "disagrees"
    new["claims"][3]["mutants"][0]["survived"] = ["proof"]
    del new["claims"][9]
    found = changes(old, new)
    assert [(c.id, c.before, c.after) for c in found[:2]] == [
        ("paper0.claim-0", "proved", "refuted"),
        ("paper3.claim-0", "unsettled", None),
    ]
    assert "proof: proved -> refuted" in found[0].why
    assert found[2].why == ("surviving mutants: none -> doubt 0",)
    paths = [str(saved(tmp_path, d, f"{n}.json")) for n, d in enumerate((old, new))]
    shown = CliRunner().invoke(main, ["diff", *paths])
    assert shown.exit_code == 1
    assert "2 verdicts changed, 3 claims differ" in shown.stdout
    same = CliRunner().invoke(main, ["diff", paths[0], paths[0]])
    assert (same.exit_code, same.stdout) == (0, "no claim differs\n")
    listed = CliRunner().invoke(main, ["diff", *paths, "--json", "-"])
    assert len(json.loads(listed.stdout)["changes"]) == 3


def test_errata_of_an_unknown_paper_names_the_known() -> None:
    result = CliRunner().invoke(main, ["errata", "noci2023"])
    assert result.exit_code == 2
    assert "noci2022, wu2024" in result.stderr


def test_junit_has_a_case_for_each_claim_and_witness() -> None:
    records = document(10)["claims"]
    records[0]["title"] = MARKUP
    root = ElementTree.fromstring(
        junit(records, ["paper0.claim-0: verdict refuted, expected proved"])
    )
    cases = root.findall(".//testcase")
    assert len(cases) == 20
    assert len(root.findall(".//failure")) == 2
    assert [suite.get("failures") for suite in root] == ["2", "0", "0", "0"]
    assert len(root.findall(".//skipped")) == sum(r["proof"] is None for r in records)


def test_summary_counts_and_lists() -> None:
    text = summary(document(10)["claims"], ["paper0.claim-0: verdict | refuted"], 1.0)
    assert "**1 problem**" in text
    assert r"verdict \| refuted" in text
    assert "`paper0.claim-2` (material): The square is missing." in text


def test_formulas_for_readers() -> None:
    assert latex_of_point({"sigma_q": "3/4", r"\mathcal{G}": "causal(2)"}) == (
        r"\sigma_{q} = \frac{3}{4},\quad \mathcal{G} = \text{causal(2)}"
    )
    assert latex_of_value([[1, "sqrt(2)"]]) == (
        r"\left( \begin{matrix} 1 & \sqrt{2} \end{matrix} \right)"
    )
    for harm in ("__import__('os')", "open(1)", "input()", "exec(1)"):
        assert latex_of_value(harm).startswith(r"\text{")
    assert latex_text("a_b & 5%") == r"a\_b \& 5\%"
    assert "𝔼" in mathml(r"\mathbb E")
    assert mathml(r"\bigl\|x\Bigr\|").count("‖") == 2
    assert "<mfrac><mn>1</mn><mi>η</mi></mfrac>" in mathml(r"\frac{1}{\eta}")
    assert "<mi>a</mi><mo>&#x0003C;</mo><mi>b</mi>" in mathml("a<b")
    assert "<mo>arg</mo>" in mathml(r"\arg\min_xf")
    assert "<b>" not in mathml(r"\frac{<b>") + mathml(r"\text{<b>}") + mathml(r"\left(<b>")
