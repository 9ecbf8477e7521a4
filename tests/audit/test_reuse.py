"""A result is reused exactly while nothing has changed that it is made of."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from projects import IDS, audited, edit, listing, reused, small_project
from synthetic import record

from audit.environment import environment
from audit.reuse import results as reusing
from audit.reuse.outline import Made, Outline
from audit.reuse.results import Reuse
from audit.reuse.sources import Files, SourceFile, our_files
from audit.reuse.store import Store
from audit.run import Options, document
from claims.registry import Entry

FIRST, SECOND = IDS
NOTHING: set[str] = set()
EDITS = {
    "statement": ("claims/first/mean.py", "d forgotten", "d left out", {FIRST}),
    "proof": ("proofs/first/mean.py", "by_second_moments", "by_moments", {FIRST}),
    "estimator": ("numeric/first/mean.py", "x.mean(dim=1)", "(x.mean(dim=1))", {FIRST}),
    "import in a function": ("proofs/first/lazy.py", "()", "[]", {FIRST}),
    "relative import in a function": ("proofs/first/deeper.py", "Gaussian", "gaussian", {FIRST}),
    "data": ("claims/first/data/title.txt", "less energy", "less of it", {FIRST}),
    "shifted lines": (
        "claims/first/mean.py",
        "from claims.model",
        "\n\nfrom claims.model",
        {FIRST},
    ),
    "package": ("proofs/second/__init__.py", "", "x = 1\n", {SECOND}),
    "fact": ("proofs/facts.py", "", "# another\n", {FIRST, SECOND}),
    "calculus": ("proofs/calculus/wick.py", "", "# another\n", {FIRST, SECOND}),
    "sampling": ("numeric/sampling.py", "", "# another\n", {FIRST, SECOND}),
    "registry": ("claims/registry.py", "", "# another\n", {FIRST, SECOND}),
    "record": ("audit/examine.py", "", "# another\n", {FIRST, SECOND}),
    "threads": ("audit/workers.py", "", "# another\n", {FIRST, SECOND}),
    "unread module": ("numeric/first/unread.py", "", "x = 1\n", NOTHING),
    "unused calculus": ("proofs/calculus/differentials.py", "", "# another\n", NOTHING),
    "page": ("audit/site/static/style.css", "", "/* another */\n", NOTHING),
    "printing": ("audit/terminal/table.py", "", "# another\n", NOTHING),
    "paper's title": ("claims/papers.json", "{", "{ ", NOTHING),
}
"""What is edited, and which claims' results are made of it."""
MADE_OF = """
import json, sys
from pathlib import Path
from functools import cache
from audit.reuse import dependencies
from audit.examine import load_witnesses
from audit.reuse.outline import learnt
from audit.reuse.sources import our_files
load_witnesses()
dependencies.imports_of = cache(dependencies.imports_of)
found = {"": learnt(our_files())}
for kind, (name, before, after, _) in json.load(sys.stdin).items():
    was = Path(name).read_text()
    Path(name).write_text(was.replace(before, after) if before else was + after)
    found[kind] = learnt(our_files())
    Path(name).write_text(was)
json.dump({k: {i: m.sources for i, m in o.made_of.items()} for k, o in found.items()}, sys.stdout)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of two small papers, audited once; its store lies beside it."""
    home = tmp_path_factory.mktemp("project")
    folder = small_project(home / "tree")
    document, said = audited(folder, "--store", str(home / "results"))
    assert [r["verdict"] for r in document["claims"]] == ["proved", "proved"]
    assert document["reused"] == 0 and "reused from" not in said
    return folder


@pytest.fixture
def tree(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the audited project with a copy of its store."""
    shutil.copytree(project, tmp_path / "tree")
    shutil.copytree(project.parent / "results", tmp_path / "results")
    (tmp_path / "results").chmod(0o700)
    monkeypatch.setenv("TWOFOLD_STORE", str(tmp_path / "results"))
    return tmp_path / "tree"


def test_every_edit_concerns_exactly_the_claims_that_are_made_of_it(tree: Path) -> None:
    edits = {kind: (*edit[:3], sorted(edit[3])) for kind, edit in EDITS.items()}
    done = subprocess.run(
        [sys.executable, "-c", MADE_OF], input=json.dumps(edits), cwd=tree, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(tree)}, stdout=subprocess.PIPE, timeout=300,
    )  # fmt: skip
    found = json.loads(done.stdout)
    before = found.pop("")
    assert before.keys() == set(IDS)
    for kind, (_, _, _, concerned) in EDITS.items():
        changed = {claim for claim in IDS if found[kind][claim] != before[claim]}
        assert changed == concerned, kind


def test_nothing_changed_is_answered_from_the_store_and_loads_nothing(tree: Path) -> None:
    look = (
        "import atexit; atexit.register(lambda: print('loaded', "
        "{'torch', 'sympy', 'z3'} & sys.modules.keys(), file=sys.stderr))"
    )
    document, said = audited(tree, code=look)
    assert reused(document) == set(IDS) and document["reused"] == 2
    assert f"2 of 2 results reused from {os.environ['TWOFOLD_STORE']} (use --fresh" in said
    assert said.splitlines()[-1] == "loaded set()"
    first = document["claims"][0]
    assert first["title"] == "The mean of n independent tokens has n times less energy."
    assert first["proof"]["seconds"] > 0


def test_lines_that_shift_are_told_as_they_are_now(tree: Path) -> None:
    before, _ = audited(tree)
    edit(tree / "claims" / "first" / "mean.py", "from claims.model", "\n\nfrom claims.model")
    after, _ = audited(tree)
    assert reused(after) == {SECOND}
    lines = [d["claims"][0]["code"][0]["line"] for d in (before, after)]
    assert lines[1] == lines[0] + 2


def test_a_module_that_begins_to_speak_for_a_claim_is_noticed(tree: Path) -> None:
    """It is new, and nothing that the claim imports names it."""
    own = (tree / "numeric" / "first" / "mean.py").read_text()
    second = re.sub(r"@samples\((.*)\)", r"@samples(\1, larger=True)", own)
    assert second != own
    (tree / "numeric" / "first" / "again.py").write_text(second)
    after, _ = audited(tree)
    assert reused(after) == {SECOND}
    again, _ = audited(tree)
    assert reused(again) == set(IDS)


def test_claims_that_come_and_go_are_noticed(tree: Path) -> None:
    """Their number divides the false-alarm budget, so that every interval is another."""
    for role in ("claims", "proofs", "numeric"):
        shutil.rmtree(tree / role / "second")
    listing(tree, "index.json", "first.eq-2")
    listing(tree, "encoded.json", FIRST)
    document, _ = audited(tree)
    assert [(r["id"], r["reason"] == "not encoded") for r in document["claims"]] == [
        ("first.eq-2", True), (FIRST, False),
    ]  # fmt: skip
    assert reused(document) == {FIRST}, "two claims, as before"
    listing(tree, "index.json", "first.eq-2", "first.eq-3")
    document, _ = audited(tree)
    assert reused(document) == NOTHING and document["index_size"] == 3


def test_fresh_computes_everything_and_keeps_it(tree: Path) -> None:
    kept = {path: path.stat().st_ino for path in Path(os.environ["TWOFOLD_STORE"]).iterdir()}
    document, said = audited(tree, "--fresh")
    assert reused(document) == NOTHING and "reused from" not in said
    now = {path: path.stat().st_ino for path in Path(os.environ["TWOFOLD_STORE"]).iterdir()}
    results = [path for path in kept if not path.name.startswith("outline")]
    assert now.keys() == kept.keys() and all(now[path] != kept[path] for path in results)


def test_what_is_damaged_is_computed_again_with_one_line(tree: Path) -> None:
    store = Path(os.environ["TWOFOLD_STORE"])
    (path,) = store.glob(f"{FIRST}.*")
    path.write_bytes(path.read_bytes().replace(b'"proved"', b'"provee"'))
    document, said = audited(tree)
    assert reused(document) == {SECOND}
    assert said.count("1 kept results do not fit and are computed again") == 1
    assert reused(audited(tree)[0]) == set(IDS)


def test_a_folder_of_ones_own_is_named_by_the_option(tree: Path, tmp_path: Path) -> None:
    document, said = audited(tree, "--store", str(tmp_path / "mine"))
    assert reused(document) == NOTHING
    document, said = audited(tree, "--store", str(tmp_path / "mine"))
    assert reused(document) == set(IDS) and f"reused from {tmp_path / 'mine'}" in said


def test_a_store_that_cannot_be_written_costs_one_line(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    document, said = audited(tree, "--store", str(tmp_path / "file" / "results"))
    assert reused(document) == NOTHING and len(document["claims"]) == 2
    assert said.count("results cannot be kept (Not a directory); the audit goes on") == 1


# Keys ---------------------------------------------------------------------------------------------


AROUND = {"python": "3.13", "machine": "Linux x86_64", "device": "cpu", "sympy": "1", "torch": "2"}
ONE = record(0, "first", 1, "A statement.")


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a result depends on beside the code; the code is that of one claim that needs no loading."""
    found = {
        **AROUND, "made": Made("0" * 64, ("sympy", "torch")),
        "index": [Entry("first.claim-1", "first", "Eq. (1)", "bound")],
    }  # fmt: skip
    monkeypatch.setattr(
        reusing, "learnt",
        lambda files: Outline({"first.claim-1": found["made"]}, tuple(found["index"]), (), {}),
    )  # fmt: skip
    monkeypatch.setattr(reusing, "remember_index", lambda entries: None)
    monkeypatch.setattr(reusing, "index", lambda: found["index"])
    monkeypatch.setattr("audit.examine.load_witnesses", lambda: None)
    monkeypatch.setattr(Reuse, "_recalled", lambda self: None)
    names = AROUND.keys()
    monkeypatch.setattr(reusing, "environment", lambda *_: {name: found[name] for name in names})
    return found


def found_with(**options: Any) -> bool:
    return "first.claim-1" in Reuse(Options(**options)).records(("first.claim-1",))


@pytest.mark.parametrize(
    "change",
    [
        {"python": "3.14"}, {"machine": "Linux arm64"}, {"device": "NVIDIA H200"}, {"sympy": "2"},
        {"torch": "3"}, {"torch": None}, {"made": Made("1" * 64, ("sympy", "torch"))}, {"made": None},
        {"index": [Entry(f"first.claim-{k}", "first", "Eq. (1)", "bound") for k in (1, 2)]},
    ],
    ids=str,
)  # fmt: skip
def test_versions_device_code_and_length_of_the_index_belong_to_the_key(
    around: dict[str, Any], change: dict[str, Any]
) -> None:
    Reuse(Options()).keep(ONE)
    assert found_with()
    before = dict(around)
    around.update(change)
    assert not found_with()
    around.update(before)
    assert found_with()


def test_what_sympy_calculates_with_belongs_to_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYMPY_GROUND_TYPES", raising=False)
    before = environment((), "cpu")
    monkeypatch.setenv("SYMPY_GROUND_TYPES", "python")
    assert environment((), "cpu") != before


def test_seed_and_budget_belong_to_the_key(around: dict[str, Any]) -> None:
    Reuse(Options(seed=3, budget="quick")).keep(ONE)
    assert found_with(seed=3, budget="quick")
    assert found_with(seed=3, budget="quick", workers=7), "how many compute does not"
    assert not found_with(seed=4, budget="quick")
    assert not found_with(seed=3, budget="standard")


def test_a_conflict_is_looked_at_anew(around: dict[str, Any]) -> None:
    Reuse(Options()).keep({**ONE, "verdict": "conflict"})
    assert not found_with()


def test_what_was_kept_is_given_as_it_was_and_marked(around: dict[str, Any]) -> None:
    Reuse(Options()).keep({**ONE, "reused": False})
    found = Reuse(Options()).records(("first.claim-1", "first.claim-9"))
    assert found == {"first.claim-1": {**ONE, "reused": True}}


def test_a_record_of_another_claim_under_a_good_digest_is_not_believed(
    around: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    get = Store.get
    Reuse(Options()).keep(ONE)
    monkeypatch.setattr(Store, "get", lambda self, name: {**get(self, name), "id": "first.claim-2"})
    assert not found_with()


def test_what_changed_after_the_program_began_is_neither_reused_nor_kept(
    around: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """The code that is loaded may be an older one."""
    Reuse(Options()).keep(ONE)
    now = time.time_ns()
    young = SourceFile(Path(__file__), "0", (1, now + 10**12, 0, 1))
    monkeypatch.setattr(reusing, "our_files", lambda: Files({"claims/new.py": young}))
    assert not found_with()
    assert capsys.readouterr().err.count("changed after this program had begun") == 1


def test_what_changes_while_a_claim_is_examined_is_not_kept(
    around: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, store: Path
) -> None:
    (tmp_path / "pack").mkdir()
    source = tmp_path / "pack" / "a.py"
    source.write_text("x = 1")
    os.utime(source, (1, 1))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(SourceFile, "is_younger_than_this_process", False)
    monkeypatch.setattr(reusing, "our_files", lambda: Files.of(("pack",)))
    reuse = Reuse(Options())
    assert reuse.records(("first.claim-1",)) == {}
    source.write_text("x = 2")
    source.write_text("x = 1"), os.utime(source, (1, 1))
    reuse.keep(ONE)
    assert not [path for path in store.iterdir() if not path.name.startswith("outline")]


def test_one_claim_is_answered_alone(around: dict[str, Any], monkeypatch: Any) -> None:
    """Without an outline nothing is loaded only to look."""
    Reuse(Options()).keep(ONE)
    assert Reuse(Options()).outline is None
    monkeypatch.setattr(Reuse, "_recalled", lambda self: reusing.learnt(self.files))
    (found,) = Reuse(Options()).records(("first.claim-1",)).values()
    assert found["verdict"] == ONE["verdict"] and found["reused"]


def test_the_code_that_decides_what_belongs_to_a_claim_is_there() -> None:
    assert set(our_files().by_name) >= reusing.DECIDING


def test_reused_records_are_counted_and_fit_the_schema() -> None:
    from audit.documents import fault_of_schema
    from audit.expected import Expected

    records = [{**ONE, "reused": True}, {**record(2, "first", 2, "Another."), "reused": False}]
    made = document(records, Options(), Expected({}), time.perf_counter())
    assert made["reused"] == 1
    assert fault_of_schema(made) is None
