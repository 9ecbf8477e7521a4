"""Every example in the README, CONTRIBUTING and the docstrings is executed."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from audit.expected import Expected
from claims.registry import index

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [
    info.name
    for package in ("claims", "proofs", "numeric", "audit", "benchmarks", "twofold")
    for info in walk_packages([str(ROOT / package)], f"{package}.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    if name.startswith("benchmarks.mutation."):
        pytest.importorskip("cosmic_ray", reason="needs pip install 'twofold[mutation]'")
    failed, _ = doctest.testmod(import_module(name), optionflags=OPTIONS)
    assert failed == 0


def console_blocks(path: Path) -> list[tuple[str, str]]:
    """(command, expected output) of every ```console block; `...` stands for anything."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    found = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def test_readme_commands_print_what_it_says(tmp_path: Path) -> None:
    """One after the other, as a reader would type them: what was audited is shown from the store."""
    for command, expected in console_blocks(ROOT / "README.md"):
        words = shlex.split(command)
        assert words[0] == "twofold", f"README shows {words[0]!r}; show twofold"
        result = subprocess.run(
            [sys.executable, "-m", "audit", *words[1:]], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert result.returncode == 0, f"{command}: {result.stderr}"
        checker = doctest.OutputChecker()
        assert checker.check_output(expected, result.stdout, OPTIONS), f"{command}: {result.stdout}"


def written_out(tmp_path: Path) -> Path:
    """The worked example of CONTRIBUTING as an installed package with its entry point."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name, code in re.findall(r"```python file=(\S+)\n(.*?)```", text, re.DOTALL):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(code, encoding="utf-8")
    entry = re.search(r'```toml\n\[project.entry-points."(.*?)"\]\n(.*?)\n```', text, re.DOTALL)
    assert entry is not None
    info = tmp_path / "toypaper-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toypaper\nVersion: 1\n")
    declared = entry.group(2).replace('"', "")
    (info / "entry_points.txt").write_text(f"[{entry.group(1)}]\n{declared}\n")
    return tmp_path


def test_worked_example_of_contributing_is_proved(tmp_path: Path, store: Path) -> None:
    home = written_out(tmp_path)
    environment = {
        "PYTHONPATH": f"{home}:{ROOT}", "PATH": "/usr/bin:/bin", "TWOFOLD_STORE": str(store),
    }  # fmt: skip
    command = [sys.executable, "-m", "audit", "audit", "toy", "--budget", "quick", "--workers", "1"]

    def run(*more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*command, *more],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    first = run("--json", "-")
    assert first.returncode == 1, first.stderr  # the verdict is not among the expected ones yet
    (record,) = json.loads(first.stdout)["claims"]
    assert record["verdict"] == "proved"
    assert all(m["killed_by"] == ["proof", "measurement"] for m in record["mutants"])
    kept = home / "toypaper" / "expected.json"
    kept.write_text("{")  # as a full disk leaves it: what the line advises mends it
    broken = run().stderr
    assert "toypaper/expected.json" in broken and "`twofold audit toy --accept`" in broken
    assert run("--accept", "--site", "site").returncode == 0
    page = (home / "site" / "claims" / "toy.eq-1.html").read_text(encoding="utf-8")
    assert "proved" in page and "toypaper/claims/mean.py" in page
    assert json.loads(kept.read_text()) == {"toy.eq-1": "proved"}
    assert run().returncode == 0


def test_readme_counts_are_those_of_the_expected_verdicts() -> None:
    """The table of the papers that are encoded to the last statement."""
    verdicts = Expected.read().verdicts
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for paper in ("noci2022", "wu2024", "naitsaada2025", "im2026"):
        ids = [e.id for e in index() if e.paper == paper and ".beyond." not in e.id]
        own, total = [verdicts.get(claim_id) for claim_id in ids], len(ids)
        counts = [own.count(v) for v in ("proved", "supported", "refuted", "vacuous")]
        row = " | ".join(map(str, [*counts, total - sum(counts)]))
        assert f"| {paper} | {row} |" in text
