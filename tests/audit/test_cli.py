"""The command line: exit statuses, one-line errors, interruption, the JSON document."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from programs import begun

from audit.cli import main
from audit.documents import fault_of_schema
from audit.expected import BadExpectations, Expected
from claims import registry
from claims.registry import index

ONE = "noci2022.lemma-A.1.trace"


def run(*args: str, cwd: Path | None = None):
    with contextlib.chdir(cwd or Path.cwd()):
        return CliRunner().invoke(main, args)


def test_audit_of_one_claim_writes_a_valid_document(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "audit.json"
    result = run(
        "audit", ONE, "--budget", "quick", "--workers", "1", "--json", str(target), cwd=tmp_path
    )
    assert result.exit_code == 0, result.output
    document = json.loads(target.read_text())
    assert fault_of_schema(document) is None
    (record,) = document["claims"]
    assert record["verdict"] == record["expected"] == "proved"
    assert all(m["killed_by"] == ["proof", "measurement"] for m in record["mutants"])
    assert "proved" in result.stdout and max(map(len, result.stdout.splitlines())) <= 100


def test_json_to_standard_output_is_the_document_alone(tmp_path: Path) -> None:
    result = run("audit", ONE, "--budget", "quick", "--workers", "1", "--json", "-", cwd=tmp_path)
    assert fault_of_schema(json.loads(result.stdout)) is None


def test_same_seed_same_document_whatever_the_workers(tmp_path: Path) -> None:
    documents = []
    for workers in ("1", "2"):
        attacked = "wu2024.lemma-3.contraction"
        args = (
            "audit",
            "noci2022.lemma-3.1.queries",
            attacked,
            "--budget",
            "quick",
            "--seed",
            "5",
            "--fresh",
        )
        result = run(*args, "--workers", workers, "--json", "-", cwd=tmp_path)
        records = json.loads(result.stdout)["claims"]
        documents.append([without_times(r) for r in records])
    assert documents[0] == documents[1]


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in {"seconds", "reused"}}
    return [without_times(v) for v in value] if isinstance(value, list) else value


@pytest.fixture
def not_encoded(monkeypatch: pytest.MonkeyPatch, store: Path) -> Iterator[str]:
    """The id of a claim that the index lists and nobody has encoded."""
    shutil.rmtree(store, ignore_errors=True)  # an outline there remembers the index without it
    entry = registry.Entry("noci2022.lemma-Z.1", "noci2022", "App. Z, Lemma Z.1", "bound")
    listed = (*registry.shipped(), entry)
    monkeypatch.setattr(registry, "shipped", lambda: listed)
    monkeypatch.setattr(registry, "_remembered", None)
    registry.index.cache_clear()
    yield entry.id
    monkeypatch.undo()
    registry.index.cache_clear()


def test_claims_that_are_not_encoded_stay_visible(tmp_path: Path, not_encoded: str) -> None:
    result = run("audit", not_encoded, "--json", "-", cwd=tmp_path)
    (record,) = json.loads(result.stdout)["claims"]
    assert (record["verdict"], record["reason"]) == ("unsettled", "not encoded")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (("audit", "noci2022.lemma-3.1.value"), "noci2022.lemma-3.1.values"),
        (("audit", "nocci2022"), "nearest: noci2022"),
        (("list", "NOCI2022.Lemma-3.1"), "nearest: noci2022.lemma-3.1;"),
        (("show", "WU2024.THM-2.RATE"), "nearest: wu2024.thm-2.rate;"),
        (("list", "wu2024.nothing"), "no claim matches"),
        (("show", "noci2022.lemma-3.1"), "is a prefix, not a claim"),
        (("show", "noci"), "no claim matches"),
        (("attack", ONE), "not attackable: it asserts no inequality"),
        (("bench", "speed"), "there are calculus, kernel, sampling"),
        (("audit", ONE, "--seed", "-1"), "-1 is not in the range x>=0"),
        (("audit", ONE, "--budget", "huge"), "'huge' is not one of"),
        (("audit", ONE, "--workers", "0"), "0 is not in the range x>=1"),
        (("attack", "noci2022.lemma-3.1.input", "--seconds", "-3"), "-3: must be a positive"),
        (("attack", "noci2022.lemma-3.1.input", "--seconds", "nan"), "nan: must be a positive"),
        (("attack", "noci2022.lemma-3.1.input", "--seconds", "inf"), "inf: must be a positive"),
        (("list", "--json", ""), "--json '': is no file name"),
        (("audit", ONE, "--scheduler", "tcp://127.0.0.1:9"), "no scheduler answers"),
    ],
)
def test_unusable_arguments_end_in_one_line_and_status_2(args: tuple, fragment: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert fragment in result.output + result.stderr
    assert "Traceback" not in result.output + result.stderr


def test_no_cuda_when_asked() -> None:
    import torch

    if torch.cuda.is_available():
        return
    result = run("audit", ONE, "--device", "cuda")
    assert result.exit_code == 2 and "--device cpu" in result.stderr


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path, tmp_path / "file" / "audit.json"):
        result = run("audit", ONE, "--json", str(target))
        assert result.exit_code == 2 and "--json" in result.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_for_a_file_is_said_once(tmp_path: Path) -> None:
    result = run("list", "--json", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr == f"twofold: --json {tmp_path}: is a folder; give a file name\n"


def test_an_adversary_writes_mathematics_as_a_claim_does() -> None:
    result = run("attack", "wu2024.lemma-3.contraction", "--rounds", "1")
    assert result.exit_code == 0, result.output
    assert "closest to equality" in result.stdout
    assert "\\" not in result.stdout and "$" not in result.stdout


def test_only_what_keeps_results_says_that_it_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    ended: list[int] = []
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr("numeric.adversary.attack", interrupted)
    monkeypatch.setattr("audit.run.audit", interrupted)
    attacked = run("attack", "wu2024.lemma-3.contraction", "--rounds", "1")
    assert attacked.stderr == "twofold: interrupted\n"
    assert "the same command continues" in run("audit", ONE).stderr
    assert ended == [130, 130]


def test_corrupt_expectations_are_named(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    for text, fragment in (
        ("{", "cannot be read"),
        ("[]", "must be an object"),
        ('{"nobody.knows": "proved"}', "unknown claim id 'nobody.knows'"),
        (f'{{"{ONE}": "certain"}}', "'certain' must be one of"),
    ):
        path.write_text(text)
        with pytest.raises(BadExpectations, match="--accept") as caught:
            Expected.read(path)
        assert fragment in str(caught.value)


def test_an_unexpected_verdict_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Expected, "read", classmethod(lambda cls: cls({ONE: "refuted"})))
    result = run("audit", ONE, "--budget", "quick", "--workers", "1", cwd=tmp_path)
    assert result.exit_code == 1
    assert f"{ONE}: verdict proved, expected refuted" in result.stderr


def test_accept_records_verdicts_and_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "expected.json"
    monkeypatch.setattr("audit.expected.PATH", path)
    before = {
        "noci2022.eq-20": "proved",
        "noci2022.eq-20.repair": "proved",
        f"{ONE}.repair": "proved",
    }
    accepted = Expected(before).accept({ONE: "proved"})
    assert accepted == Expected.read(path)
    assert list(json.loads(path.read_text())) == ["noci2022.eq-20", "noci2022.eq-20.repair", ONE]
    again = accepted.accept({ONE: "refuted", f"{ONE}.repair": "supported"})
    assert again == Expected.read(path) and again.of(f"{ONE}.repair") == "supported"


def test_accept_leaves_the_files_of_other_packages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another package's claims are audited where that of the papers may not be written."""
    own, theirs = tmp_path / "own.json", tmp_path / "theirs.json"
    theirs.write_text("{}")
    monkeypatch.setattr("audit.expected.homes", lambda: {"claims": own, "theirs": theirs})
    monkeypatch.setattr("audit.expected.home_of", lambda name: {ONE: "theirs"}.get(name, "claims"))
    Expected({"noci2022.eq-20": "proved"}).accept({ONE: "proved"})
    assert json.loads(theirs.read_text()) == {ONE: "proved"} and not own.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.seldom), "2"])
def test_interrupt_keeps_what_was_finished_and_a_rerun_continues(
    tmp_path: Path, store: Path, workers: str
) -> None:
    """Ctrl-C as a terminal sends it: to the program and to its workers at once."""
    cheap, long = ("A.2.final", "A.2.A1"), ("A.2.expansion", "A.2.eq-18-restated", "A.2.B-third")
    chosen = [f"noci2022.{claim}" for claim in (*cheap, *long)]
    command = [sys.executable, "-m", "audit", "audit", *chosen, "--budget", "quick",
               "--workers", workers]  # fmt: skip
    process = begun(*command, cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not results(store) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted" in errors and "Traceback" not in errors
    kept = results(store)
    assert kept
    finished = subprocess.run(
        [*command, "--json", "a.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    records = json.loads((tmp_path / "a.json").read_text())["claims"]
    assert {record["id"] for record in records if record["reused"]} == kept
    assert len(records) > len(kept)


def results(store: Path) -> set[str]:
    """The claims whose results a store holds."""
    names = (path.name.rsplit(".", 2)[0] for path in store.glob("*.twofold"))
    return {name for name in names if name != "outline"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_loses_no_result(tmp_path: Path, store: Path) -> None:
    """The document cannot be written at the end: one line, and the records stay for a rerun."""
    args = ("audit", ONE, "--budget", "quick", "--workers", "1", "--json")
    result = run(*args, "/dev/full", cwd=tmp_path)
    assert result.exit_code == 2 and "No space left on device" in result.stderr
    assert results(store) == {ONE}
    assert run(*args, str(tmp_path / "a.json"), cwd=tmp_path).exit_code == 0
    assert json.loads((tmp_path / "a.json").read_text())["reused"] == 1


def test_list_and_show(tmp_path: Path, not_encoded: str) -> None:
    listed = run("list", "noci2022.lemma-A.1", "--json", "-")
    rows = json.loads(listed.stdout)["claims"]
    assert ONE in {r["id"] for r in rows} and all(r["encoded"] for r in rows)
    plain = run("list")
    assert len(plain.stdout.splitlines()) == len(index())
    shown = run("show", ONE, cwd=tmp_path)
    for fragment in ("✓ Proved", "Mutants", "Replay\n  twofold audit", "2 steps"):
        assert fragment in shown.stdout
    assert "not encoded" in run("show", not_encoded).stdout
