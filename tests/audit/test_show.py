"""`twofold show` and `twofold list`: what a reviewer reads on a terminal and in a pipe."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from batches import share
from click.testing import CliRunner, Result
from corpus import LAST, last_records
from rich.cells import cell_len
from rich.console import Console
from synthetic import document as synthetic

from audit.cli import main
from audit.commands import claims as claims_commands
from audit.examine import load_witnesses
from audit.expected import Expected
from audit.listing import PATH, listing, record_listing
from audit.lookup import Found
from audit.reuse.outline import speakers
from audit.run import Options, audit, document
from audit.terminal.layout import WIDTH, Page, matrix_lines, wrapped
from audit.terminal.measurement import say_measurement
from audit.terminal.show import show
from audit.terminal.table import print_summary, print_table, summary_of
from claims import registry
from claims.registry import encoded, index, select

REFUTED, PROVED = "noci2022.lemma-3.1.input", "noci2022.lemma-3.1.values"
PYTHON = re.compile(
    r"<[\w.]+ object|\bNone\b|Rational\(|Matrix\(|Fraction\(|\{'|\[\[|\bnan\b|\*\*|CRootOf|Formula\("
)
"""What Python would write, and a reader should not see."""


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, new_store: Callable[[], Path]) -> Path:
    """A document of four claims, made by this code."""
    options = Options(budget="quick", store=new_store())
    records = audit(select(("noci2022.lemma-3.1",)), options)
    path = tmp_path_factory.mktemp("document") / "audit.json"
    path.write_text(json.dumps(document(records, options, Expected.read(), 0.0)))
    return path


def shown(record: Mapping[str, Any], *, steps: bool = False, width: int = WIDTH) -> str:
    out = io.StringIO()
    page = Page(Console(file=out, width=width, highlight=False))
    show(Found(record, "quick", 0, ("From a test.",)), page, steps=steps)
    return out.getvalue()


def test_why_a_proof_is_undecided_stands_under_its_method(made: Path) -> None:
    record = json.loads(made.read_text())["claims"][0]
    reason = r"the derived value gives $2$ at $\sigma = 1$, the definition $1$; mend the proof"
    record["proof"] |= {"status": "undecided", "reason": reason}
    said = "The derived value gives 2 at σ = 1, the definition 1; mend the proof."
    assert said in " ".join(shown(record).split())


# One claim ----------------------------------------------------------------------------------------


def test_the_verdict_and_what_fails_come_first(made: Path) -> None:
    lines = run("show", REFUTED, "--from", str(made)).stdout.splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings[0] == REFUTED and headings[3].startswith("✗ Refuted (material)")
    order = ["Counterexample", "As printed", "As read", "Assuming", "What is true instead", "Proof"]
    places = [next(k for k, h in enumerate(headings) if h.startswith(o)) for o in order]
    assert places == sorted(places)
    text = "\n".join(lines)
    assert "X = [3; 4]" in text and "35/8 = 4.375" in text
    assert f"twofold audit {REFUTED} --budget quick --seed 0" in text


def test_it_says_which_document_it_reads(made: Path, tmp_path: Path) -> None:
    text = " ".join(run("show", PROVED, "--from", str(made)).stdout.split())
    assert f"From {made}: " in text and "budget quick, seed 0." in text
    assert "made by other code" not in text
    older = json.loads(made.read_text())
    older["environment"]["code"] = "0" * 64
    path = tmp_path / "older.json"
    path.write_text(json.dumps(older))
    assert "made by other code" in " ".join(run("show", PROVED, "--from", str(path)).stdout.split())


def test_the_recorded_verdict_is_there_before_a_claim_is_examined(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TWOFOLD_STORE", str(tmp_path / "store"))
    record = next(r for r in json.loads(made.read_text())["claims"] if r["id"] == REFUTED)
    said_before: list[str] = []

    def work(*args: Any) -> Any:
        said_before.append(capsys.readouterr().out)
        return record

    monkeypatch.setattr("audit.workers.work", work)
    main(["show", REFUTED], standalone_mode=False)
    first = [line for line in said_before[0].splitlines() if line]
    assert first[0] == REFUTED and first[-1] == "Recorded: refuted (material). It is examined now."
    after = capsys.readouterr().out
    assert after.lstrip().startswith("✗ Refuted (material)") and REFUTED not in after.split("\n")
    # What is known already is printed with its verdict first.
    assert "Recorded" not in run("show", REFUTED, "--from", str(made)).stdout


def test_the_last_document_is_used_while_this_code_made_it(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TWOFOLD_STORE", str(tmp_path / "store"))
    Path("out").mkdir()
    last = Path("out/audit.json")
    last.write_text(made.read_text())
    assert f"From {last}" in run("show", PROVED).stdout
    # Asked for another seed, or to look anew, it is not.
    assert "Computed now: budget quick, seed 3." in run("show", PROVED, "--seed", "3").stdout
    older = json.loads(made.read_text())
    older["environment"]["code"] = "0" * 64
    last.write_text(json.dumps(older))
    text = " ".join(run("show", PROVED).stdout.split())
    assert "was made by other code; `make audit` makes it anew. Computed now" in text


def test_a_document_of_schema_1_is_shown_with_what_it_lacks(made: Path, tmp_path: Path) -> None:
    old = json.loads(made.read_text())
    old["schema"] = 1
    for record in old["claims"]:
        for name in ("printed", "understood", "variants", "given", "form"):
            del record[name]
        for step in (record["proof"] or {}).get("steps", ()):
            del step["from"], step["id"]
    path = tmp_path / "one.json"
    path.write_text(json.dumps(old))
    result = run("show", PROVED, "--from", str(path))
    assert result.exit_code == 0, result.stderr
    assert "Its schema is 1: it lacks the formula as printed" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "noci2022.lemma-3.1.inputs"), "nearest: noci2022.lemma-3.1.input"),
        (("show", REFUTED, "--from", "missing.json"), "missing.json: cannot be read"),
        (("show", REFUTED, "--from", "text.json"), "text.json: not whole JSON"),
        (("show", "noci2022.eq-17", "--from", "MADE"), "holds no claim noci2022.eq-17"),
        (("show", REFUTED, "--from", "MADE", "--fresh"), "leave out --fresh"),
        (("list", "--verdict", "wrong"), "--verdict 'wrong': must be one of proved, supported"),
        (("list", "--severity", "x"), "must be one of misprint, missing-hypothesis, material"),
        (("list", "--paper", "noci"), "must be one of noci2022, wu2024"),
    ],
)
def test_errors_are_one_line(
    args: tuple[str, ...], said: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.json").write_text("no document")
    result = run(*(str(made) if arg == "MADE" else arg for arg in args))
    assert result.exit_code == 2 and result.stdout == ""
    assert said in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_pipe_gets_no_colours_and_no_progress(made: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "audit", "show", REFUTED, "--from", str(made)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\x1b" not in result.stdout and result.stderr == ""


@pytest.mark.parametrize("variable", [{}, {"NO_COLOR": "1"}])
def test_colours_stand_on_a_terminal_that_wants_them(
    made: Path, variable: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    out = io.StringIO()
    page = Page(Console(file=out, width=80, force_terminal=True, highlight=False))
    record = json.loads(made.read_text())["claims"][0]
    show(Found(record, "quick", 0, ()), page)
    assert ("\x1b[32m" in out.getvalue()) != bool(variable)


# Every claim --------------------------------------------------------------------------------------


def assert_readable(text: str, width: int) -> None:
    for line in text.splitlines():
        assert "\\" not in line and "$" not in line, line
        assert not PYTHON.search(line), line
        data = line.startswith("  twofold audit ") or re.match(r"  \S+( \(\w+\))?$", line)
        assert cell_len(line) <= width or data, line


@pytest.mark.parametrize("width", [60, WIDTH])
def test_a_claim_fits_its_width(made: Path, width: int) -> None:
    for record in json.loads(made.read_text())["claims"]:
        assert_readable(shown(record, steps=True, width=width), width)


@pytest.mark.skipif(not LAST.exists(), reason="no out/audit.json; make audit leaves one")
def test_every_claim_of_the_last_audit_is_readable() -> None:
    for record in share(last_records(), 3, json.dumps):
        assert_readable(shown(record), WIDTH)


def test_no_words_are_set_as_a_formula() -> None:
    """A formula's letters stand apart, as products do: words among them would be spelled out."""
    spelled = re.compile(r"(?:\b[a-z] ){5}")
    for claim in encoded().values():
        understood = [vars(each) for each in claim.understood]
        record = {**synthetic(1)["claims"][0], "understood": understood}
        assert not spelled.search(shown(record)), claim.id


def test_what_a_proof_uses_of_the_hypotheses_has_a_line_each() -> None:
    text = shown(next(r for r in synthetic(8)["claims"] if r["proof"]))
    assert "\n  What it uses of the hypotheses:\n  - n ≥ 2\n  - ρ < 1\n" in text


def test_paragraphs_wrap_under_their_indentation() -> None:
    assert wrapped("one two three", 9, "- ", "  ") == ["- one two", "  three"]
    assert wrapped("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert all(cell_len(line) <= 20 for line in wrapped("x̄ " * 40 + "漢" * 30, 20, "   "))


def test_what_a_bound_claims_stands_behind_its_sign(capsys: pytest.CaptureFixture[str]) -> None:
    case = {
        "at": {"n": 2}, "estimate": 4.375, "standard_error": 0.01, "half_width": 0.1, "claimed": 3.0,
        "samples": 64, "status": "disagrees", "looks": [],
    }  # fmt: skip
    measurement = {"status": "disagrees", "device": "cpu", "relation": "<=", "cases": [case]}
    say_measurement(measurement, Page(Console(width=100)))
    assert "≤ 3" in capsys.readouterr().out


def test_matrices_have_a_line_for_each_row() -> None:
    assert matrix_lines("X = [1 -2; 10 4]") == ["X = [ 1  -2", "     10   4]"]
    assert matrix_lines("n = 2") is None


# The list -----------------------------------------------------------------------------------------


def test_the_listing_is_up_to_date() -> None:
    """Else record it anew: `twofold audit noci2022.eq-17 --accept`."""
    assert json.loads(PATH.read_text(encoding="utf-8")) == listing()


def test_a_claim_that_the_listing_lacks_can_be_named_once_it_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    new, path, read = "wu2024.lemma-3.proof-eq-14-16.step", tmp_path / PATH.name, registry._read
    path.write_text(json.dumps([record for record in listing() if record["id"] != new]))
    with monkeypatch.context() as patch:
        patch.setattr("audit.listing.PATH", path)
        patch.setattr(
            registry,
            "_read",
            lambda name: json.loads(path.read_text()) if name == path.name else read(name),
        )
        registry.read_again()
        with pytest.raises(registry.UnknownSelector, match=new):
            select((new,))
        record_listing()
        assert [entry.id for entry in select((new,))] == [new]
    registry.read_again()


def test_listing_and_help_load_no_claim() -> None:
    code = (
        "import sys; from audit.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "loaded = {'sympy', 'torch', 'networkx'} & set(sys.modules)\n"
        "sys.exit(', '.join(loaded) or None)"
    )
    for args in (["list"], ["--help"], ["audit", "--help"], ["show", "--help"]):
        result = subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr


def test_filters_join_and_rows_are_whole() -> None:
    args = ("--verdict", "refuted", "--verdict", "vacuous", "--paper", "noci2022")
    rows = json.loads(run("list", *args, "--json", "-").stdout)["claims"]
    verdicts = Expected.read()
    meant = [
        e.id for e in index()
        if e.paper == "noci2022" and verdicts.of(e.id) in {"refuted", "vacuous"}
    ]  # fmt: skip
    assert [row["id"] for row in rows] == meant
    assert all(row["title"] and (row["severity"] or row["expected"] != "refuted") for row in rows)
    lines = run("list", *args).stdout.splitlines()
    assert len(lines) == len(rows)
    assert all(
        row["id"] in line and row["source"][:8] in line
        for row, line in zip(rows, lines, strict=True)
    )
    material = json.loads(run("list", "--severity", "material", "--json", "-").stdout)["claims"]
    assert {row["severity"] for row in material} == {"material"}


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (r"For $p\in[0,1]$, $p\le1$.", "For p ∈ [0, 1], p ≤ 1."),
        (r"p\le1", "p ≤ 1"),
        (r"So $p$: \begin{equation} p \end{equation}", r"So $p$: \begin{equation} p"),
    ],
)
def test_what_is_not_encoded_is_read_as_words_or_as_a_formula(
    printed: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = registry.Entry("p.eq-star", "p", r"Eq. (\star)", "bound", printed=printed)
    monkeypatch.setattr(claims_commands, "one", lambda _: entry)
    said = run("show", "p.eq-star").stdout
    assert said.startswith("p.eq-star (Eq. (⋆); bound): not encoded\n") and shown in said


# The summary and the help -------------------------------------------------------------------------


def test_a_narrow_terminal_gets_every_id_whole(capsys: pytest.CaptureFixture[str]) -> None:
    record = {
        "id": "wu2024.app-F3.second-token-recursion.of-all-tokens", "verdict": "refuted",
        "severity": "missing-hypothesis", "reason": "", "measurement": None, "repair": None,
        "proof": {"status": "refuted", "grade": None}, "paper": "wu2024",
        "mutants": [{"killed_by": ["proof"], "survived": []}], "variants": None,
    }  # fmt: skip
    print_table([record], Console(width=40))
    print_summary([record], 1.0, Console(width=40))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [record["id"], "  refuted missing hyp.", "  proof refuted, mutants 1/1"]
    assert lines[-1] == "1 claim in 1.0 s"


def test_the_numbers_of_the_summary_add_up() -> None:
    record = {"verdict": "proved", "reason": "", "repair": None}
    mended = {"verdict": "refuted", "reason": "", "repair": {"verdict": "proved"}}
    open_ = {"verdict": "unsettled", "reason": "not encoded", "repair": None}
    assert summary_of([record] * 3) == "3 proved"
    assert summary_of([record, record, mended, {**mended, "repair": None}, open_]) == (
        "2 proved + 2 refuted + 1 not encoded = 5; 1 of the refuted has a proved correction"
    )


def test_help_says_what_the_budgets_are() -> None:
    from audit.variants import TRIED
    from numeric.registry import EFFORTS

    text = run("audit", "--help").stdout
    for name, effort in EFFORTS.items():
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{name} "))
        assert f"{effort.cases} cases" in line and f"{effort.max_samples:,} samples" in line
        assert f"{TRIED[name] or 'all'} false variants" in line


@pytest.mark.parametrize("command", ["", *main.commands])
def test_help_fits_eighty_columns(command: str) -> None:
    text = run(*filter(None, [command]), "--help").stdout
    assert max(map(cell_len, text.splitlines())) <= 80
    assert command or not re.search(r"\.\.\.$", text.partition("Commands:")[2], re.MULTILINE)


def test_a_claim_is_spoken_for_by_modules_of_its_paper() -> None:
    """So that showing one claim loads one paper."""
    load_witnesses()
    papers = {claim.paper for claim in encoded().values()}
    for claim in encoded().values():
        spoken = {module.partition(".")[2].partition(".")[0] for module in speakers(claim)}
        assert spoken & papers <= {claim.paper}, claim.id
