"""What stands below proofs: facts, solvers, words and code, counted from the certificates."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from synthetic import document

from audit.cli import main
from audit.site.build import build
from audit.trust import code_trusted, ground_of, resting_on, versions
from proofs import kernel
from proofs.certificate import Certificate
from proofs.facts import BERNOULLI, EXP_ABOVE_TANGENT, FACTS

ROOT = Path(__file__).resolve().parents[2]


def step(by: str, number: int = 1) -> dict[str, Any]:
    return {"id": number, "claim": "a = b", "by": by, "from": []}


def proof(*rules: str, status: str = "proved", grade: str = "derived") -> dict[str, Any]:
    steps = [step(by, n) for n, by in enumerate(rules, 1)]
    return {"status": status, "grade": grade, "method": "m", "scope": "s", "steps": steps,
            "witness": None, "seconds": 0.1}  # fmt: skip


def run(*args: str) -> Any:
    return CliRunner().invoke(main, ["trust", *args])


def test_a_certificate_names_its_facts_with_their_references() -> None:
    from sympy import Symbol

    x = Symbol("x", real=True)
    known = kernel.fact(EXP_ABOVE_TANGENT, x=x)
    joined = kernel.joint(known.formula, known)
    nodes = Certificate("proved", "m", theorem=joined).nodes()
    found = ground_of({"steps": nodes, "method": "m"})
    assert found.facts == {EXP_ABOVE_TANGENT.name: EXP_ABOVE_TANGENT.reference}
    assert found.solvers == {"z3": 1} and found.rules == {} and found.words == []


def test_every_fact_can_be_read_back_from_a_step() -> None:
    for fact in FACTS:
        found = ground_of(proof(f"fact: {fact.name}: {fact.reference}"))
        assert found.facts == {fact.name: fact.reference}


def test_words_solvers_and_other_rules_are_told_apart() -> None:
    found = ground_of(
        proof("argument in words: by tightness", "real arithmetic (z3)", "induction", "induction"),
        given=["p.other"],
    )
    assert found.words == ["by tightness"] and found.solvers == {"z3": 1}
    assert found.rules == {"induction": 2} and found.given == ["p.other"]
    by_arithmetic = {**proof("induction"), "method": "m; arithmetic"}
    assert ground_of(by_arithmetic).solvers == {"z3": 1}


def test_what_is_compared_at_points_is_no_rule_of_the_kernel() -> None:
    found = ground_of(proof("value: Wick's formula", "definition", "definition", "normal form"))
    assert found.values == {"Wick's formula": 1} and found.readings == 2
    assert found.rules == {"normal form": 1}
    made = document(2)
    for record, by in zip(made["claims"], ("value: by counting", "definition"), strict=True):
        record |= {"proof": proof(by), "repair": None, "given": []}
    ids = [record["id"] for record in made["claims"]]
    found = resting_on(made)
    assert (found.valued, found.read) == (ids[:1], ids[1:])


def test_statements_are_counted_by_what_they_rest_on() -> None:
    made = document(5)
    bernoulli = f"fact: {BERNOULLI.name}: {BERNOULLI.reference}"
    proofs = [
        proof(bernoulli, bernoulli, "real arithmetic (z3)"),
        proof("argument in words: w", grade="argued"),
        {**proof(bernoulli, status="refuted"), "grade": None},
        None,
        proof(status="undecided"),
    ]
    for record, own in zip(made["claims"], proofs, strict=True):
        record |= {"proof": own, "repair": None, "given": []}
    repair = {"id": "r", "statement": "", "verdict": "proved", "note": "",
              "proof": proof(bernoulli, "argument in words", grade="argued")}  # fmt: skip
    made["claims"][2]["repair"] = repair
    ids = [record["id"] for record in made["claims"]]
    found = resting_on(made)
    assert (found.derived, found.argued, found.witnessed) == (ids[:1], ids[1:2], ids[2:3])
    assert found.unproved == ids[3:] and found.argued_repairs == ids[2:3]
    # the steps of a refutation are no proof: only the repair's count
    assert found.facts == {BERNOULLI.name: (BERNOULLI.reference, [ids[0], ids[2]])}
    assert found.solvers == {"z3": ids[:1]}


def test_the_lines_of_the_kernel_are_those_of_its_files() -> None:
    lines = {
        part.part: sum(
            bool(line.strip())
            for name in part.names.split(", ")
            for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).glob("*.py"))
            for line in path.read_text(encoding="utf-8").splitlines()
        )
        for part in code_trusted()
    }
    assert lines == {part.part: part.lines for part in code_trusted()}
    assert lines["rules of the kernel"] > 300
    assert versions()["sympy"] and versions({"environment": {"sympy": "0.1"}})["sympy"] == "0.1"


def test_everything_that_a_verdict_imports_is_counted() -> None:
    """Of this program; which modules these are an interpreter says that imports nothing else."""
    asked = (
        "import sys, proofs.conclude\n"
        "print(*(f for m in list(sys.modules.values()) if (f := getattr(m, '__file__', None))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {Path(file) for file in done.stdout.split()}
    ours = {file for file in loaded if file.is_relative_to(ROOT) and ".venv" not in file.parts}
    listed = {ROOT / name for part in code_trusted() for name in part.names.split(", ")}
    left = {f for f in ours if not listed & {f, f.parent} and f.name != "__init__.py"}
    assert len(ours) > 40 and not left


def test_one_claim_is_proved_where_there_is_no_document(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("noci2022.eq-17", "--json", "trust.json")
    assert result.exit_code == 0, result.output
    assert "proof      proved, derived by the kernel" in result.stdout
    assert "integration by parts" in result.stdout
    found = json.loads((tmp_path / "trust.json").read_text())
    assert found["proof"]["facts"] == {} and found["repair"] is None


def test_a_document_is_read_for_one_and_for_all(tmp_path: Path, monkeypatch: Any) -> None:
    made = document(3)
    bernoulli = f"fact: {BERNOULLI.name}: {BERNOULLI.reference}"
    made["claims"][0]["proof"]["steps"] = [step(bernoulli)]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "audit.json").write_text(json.dumps(made))
    monkeypatch.chdir(tmp_path)
    every = run()
    assert every.exit_code == 0, every.output
    assert "1 facts, 1 of them" in every.stdout and BERNOULLI.reference in every.stdout
    one = run(made["claims"][0]["id"])
    assert f"fact       {BERNOULLI.name} ({BERNOULLI.reference})" in one.stdout


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        ((), "there is no out/audit.json; give --from FILE"),
        (("--from", "nothing.json"), "nothing.json: cannot be read"),
        (("noci2022.nothing",), "no claim matches"),
        (("noci2022",), "is a prefix, not a claim"),
    ],
)
def test_unusable_arguments_end_in_one_line(
    args: tuple[str, ...], fragment: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args)
    assert result.exit_code == 2 and fragment in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_claim_that_a_document_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document(1)))
    result = run("noci2022.eq-17", "--from", str(path))
    assert result.exit_code == 2 and "holds no claim noci2022.eq-17" in result.stderr


def test_the_page_of_the_site_has_the_same_numbers(tmp_path: Path) -> None:
    made = document(4)
    bernoulli = f"fact: {BERNOULLI.name}: {BERNOULLI.reference}"
    for record in made["claims"][:2]:
        record["proof"] = proof(bernoulli)
    build(made, tmp_path / "site")
    page = (tmp_path / "site" / "trust.html").read_text(encoding="utf-8")
    found = resting_on(made)
    assert f"<summary>{len(found.facts[BERNOULLI.name][1])} statements</summary>" in page
    assert BERNOULLI.reference in page and f"{code_trusted()[0].lines} lines" in page
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert '<a href="trust.html">Trust</a>' in index
