"""Mutation testing of the judges: what is changed, what is left alone, and how it is counted."""

from __future__ import annotations

import ast
from pathlib import Path

import click
import pytest

from benchmarks.mutation.places import silent_places
from benchmarks.mutation.trial import alone, trial

JUDGE = """
from __future__ import annotations

__all__ = ["judge"]


def judge(x: int | None) -> bool:
    if x is None:
        raise ValueError("no" + "thing")
    return x > 2 and x < 9
"""


def silent_code(path: Path) -> set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        lines[top - 1][left:right]
        for (top, left), (end, right) in silent_places(path)
        if top == end
    }


def test_what_a_reader_sees_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "judge.py"
    path.write_text(JUDGE, encoding="utf-8")
    assert silent_code(path) == {
        '__all__ = ["judge"]', "int | None", "bool", 'ValueError("no" + "thing")',
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "limit", "outcome"),
    [("assert judge(3)", 60, "survived"), ("assert judge(2)", 60, "killed"), ("while 1: pass", 2, "timeout")],
)  # fmt: skip
def test_a_trial_says_what_became_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, limit: float, outcome: str
) -> None:
    (tmp_path / "judge.py").write_text(JUDGE, encoding="utf-8")
    test = f"from judge import judge\n\n\ndef test_it():\n    {body}\n"
    (tmp_path / "test_judge.py").write_text(test, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert trial(("test_judge.py",), limit) == outcome
    assert not list(tmp_path.rglob("*.pyc"))


def test_a_folder_is_held_by_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    second = pytest.raises(click.ClickException, match="another run mutates there")
    with alone(folder), second, alone(folder):
        pytest.fail("held twice")
    with alone(folder):
        pass


def test_stages_are_run_until_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, body in (("good", "pass"), ("bad", "assert False"), ("never", "open('ran', 'w')")):
        (tmp_path / f"test_{name}.py").write_text(f"def test_it():\n    {body}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert trial(("test_good.py", "test_bad.py", "test_never.py"), 60) == "killed"
    assert not (tmp_path / "ran").exists()
    assert trial(("test_good.py", "test_good.py test_never.py"), 60) == "killed"  # open() leaks
    assert (tmp_path / "ran").exists()


def all_mutants(operator: object, source: str) -> list[str]:
    from cosmic_ray.mutating import mutate_code

    found = []
    while (mutated := mutate_code(source, operator(), len(found))) is not None:  # type: ignore[operator]
        found.append(mutated)
    return found


def test_operators_make_programs_that_forget_one_thing() -> None:
    pytest.importorskip("cosmic_ray")
    from benchmarks.mutation.operators import OPERATORS

    expected = {
        "DropStatement": ["pass"],
        "DropOperand": [
            "return x < 9", "return x > 2", 'ValueError("thing")', 'ValueError("no")',
            "judge(x: None)", "judge(x: int)",
        ],
        "ConstantAnswer": ["return True", "return False"],
        "DropArgument": [],
        "DropElement": ["__all__ = []"],
        "DropFilter": [],
    }  # fmt: skip
    for name, operator in OPERATORS.items():
        made = all_mutants(operator, JUDGE)
        for mutated in made:
            ast.parse(mutated)
        assert len(made) == len(expected[name])
        assert all(any(part in mutated for mutated in made) for part in expected[name])
        for before, after in operator.shown:
            assert after in all_mutants(operator, before)


def test_counts_and_explanations() -> None:
    pytest.importorskip("cosmic_ray")
    from benchmarks.mutation.record import explanations, module_record, targets
    from benchmarks.mutation.session import ROOT, Mutant

    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-    return x\n+    return True"
    found = [
        Mutant("judge", "core/AddNot", 3, "killed", diff),
        Mutant("judge", "core/AddNot", 4, "timeout", diff),
        Mutant("judge", "core/AddNot", 5, None, ""),
        Mutant("judge", "core/AddNot", 6, "survived", diff),
        Mutant("other", "core/AddNot", 7, "survived", diff),
    ]
    known = [
        {"in": "judge", "from": "return x", "to": ["return True"], "kind": "speed", "why": "So."}
    ]
    target = targets()["audit/verdict.py"]
    record = module_record(target, found, known)
    assert (record["mutants"], record["tried"], record["killed"], record["timeouts"]) == (
        5,
        4,
        2,
        1,
    )
    assert [s["why"] for s in record["survivors"]] == ["So.", ""]
    assert [s["kind"] for s in record["survivors"]] == ["speed", "unexplained"]
    assert [s["to"] for s in record["survivors"]] == ["return True", "return True"]
    for module, each in targets().items():
        assert (ROOT / module).is_file()
        for stage in each.tests:
            files = [word for word in stage.split() if not word.startswith("--")]
            assert all((ROOT / name).is_file() for name in files)
    assert all(isinstance(entry["to"], list) for entry in explanations())
