"""Papers of others: a package is written out, installed, audited; one that is broken is left out."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit.cli import main
from audit.scaffold import package_name

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "bessel"
Run = Callable[..., subprocess.CompletedProcess[str]]


def files_of(folder: Path) -> dict[str, str]:
    paths = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in paths}


def new(*args: str) -> Any:
    return CliRunner().invoke(main, ["new", *args])


def installed(source: Path, target: Path) -> None:
    """The package as pip installs it, into a folder of its own."""
    copied = (
        target.parent / f"{source.name}-source"
    )  # pip leaves a build folder in what it installs
    for name, text in files_of(source).items():
        (copied / name).parent.mkdir(parents=True, exist_ok=True)
        (copied / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
               "--disable-pip-version-check", "--target", str(target), str(copied)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The program with `tmp_path/site` on its path."""
    paths = [str(tmp_path / "site"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def program(*words: str, module: str = "audit", cwd: Path = tmp_path) -> Any:
        command = [sys.executable, "-m", module, *words]
        return subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )

    return program


def declared(tmp_path: Path, package: str, files: dict[str, str]) -> None:
    """A package with its entry point, as an installation leaves them."""
    site = tmp_path / "site"
    for name, text in files.items():
        path = site / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (path.parent / "__init__.py").touch()
    (site / package / "__init__.py").touch()
    info = site / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[twofold.papers]\n{package} = {package}\n")


def claims_of(paper: str) -> dict[str, str]:
    """The claims of the example alone, under another paper's name."""
    text = (EXAMPLE / "besselpaper" / "claims" / "measurements.py").read_text(encoding="utf-8")
    return {"claims/measurements.py": re.sub('"bessel(?=[".])', f'"{paper}', text)}


def test_the_example_is_what_the_command_writes(tmp_path: Path) -> None:
    result = new("bessel", "--dir", str(tmp_path / "made"))
    assert result.exit_code == 0, result.output
    assert files_of(tmp_path / "made") == files_of(EXAMPLE)
    assert result.stdout.splitlines()[-1].endswith("twofold list bessel")


def test_an_installed_example_is_audited_with_its_repair(tmp_path: Path, run: Run) -> None:
    installed(EXAMPLE, tmp_path / "site")
    done = run("audit", "bessel", "--budget", "quick", "--workers", "1", "--json", "-")
    assert done.returncode == 0, done.stderr
    true, false = json.loads(done.stdout)["claims"]
    assert (true["id"], true["verdict"]) == ("bessel.eq-1", "proved")
    assert all(m["killed_by"] == ["proof", "measurement"] for m in true["mutants"])
    assert (false["verdict"], false["severity"]) == ("refuted", "material")
    assert false["proof"]["witness"]["at"]["n"] == 2
    assert false["repair"]["verdict"] == "proved"
    assert false["repair"]["proof"]["grade"] == "derived"


def test_a_written_package_passes_its_own_tests(tmp_path: Path, run: Run) -> None:
    assert new("mine.2026", "--dir", str(tmp_path / "mine")).exit_code == 0
    installed(tmp_path / "mine", tmp_path / "site")
    done = run("-q", "-p", "no:cacheprovider", module="pytest", cwd=tmp_path / "mine")
    assert done.returncode == 0, done.stdout


def test_statements_of_a_source_are_listed_as_not_encoded(tmp_path: Path, run: Run) -> None:
    main_file = tmp_path / "main.tex"
    main_file.write_text(
        r"\title{Of two}\begin{document}\section{A}\begin{lemma} $a$ \end{lemma}"
        r"\begin{equation} a \le b \end{equation}\end{document}"
    )
    result = new("two", "--dir", str(tmp_path / "two"), "--tex", str(main_file))
    assert result.exit_code == 0, result.output
    assert "1 theorem-like environments and 1 numbered displays" in result.stdout
    installed(tmp_path / "two", tmp_path / "site")
    lines = run("list", "two").stdout.splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["not", "encoded", "prose", "two.lemma-1"],
        ["not", "encoded", "bound", "two.eq-1"],
    ]
    assert "a ≤ b" in run("show", "two.eq-1").stdout
    done = run("-q", "-p", "no:cacheprovider", module="pytest", cwd=tmp_path / "two")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (("noci2022",), "there is one of that name"),
        (("a b",), "must be up to 200 ASCII letters"),
        (("fine", "--dir", "{full}"), "is not an empty folder"),
        (("fine", "--dir", "{file}/in"), "cannot be written"),
        (("fine", "--tex", "{folder}/gone.tex"), "cannot be read"),
        (("fine", "--tex", "{file}"), r"holds no \begin{document}"),
    ],
)
def test_unusable_arguments_end_in_one_line(
    args: tuple[str, ...], fragment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    places = {
        "full": str(tmp_path / "full"),
        "file": str(tmp_path / "file"),
        "folder": str(tmp_path),
    }
    result = new(*(arg.format(**places) for arg in args))
    assert result.exit_code == 2 and fragment in result.stderr, result.output
    assert result.stderr.count("\n") == 1
    assert {p.name for p in tmp_path.iterdir()} == {"full", "file"}


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    real, written = Path.write_text, []

    def full(path: Path, text: str, **options: str) -> int:
        written.append(path)
        if len(written) > 5:
            real(path, text[:10], **options)
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    result = new("fine", "--dir", "a/fine")
    assert result.exit_code == 2 and "cannot be written (No space left" in result.stderr
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(Path, "write_text", real)
    assert new("fine", "--dir", "a/fine").exit_code == 0


def test_package_names_are_python_names() -> None:
    named = {paper: package_name(paper) for paper in ("toy", "2024.x", "A-b", "..1")}
    assert named == {
        "toy": "toypaper",
        "2024.x": "p2024_xpaper",
        "A-b": "a_bpaper",
        "..1": "p1paper",
    }
    assert all(name.isidentifier() for name in named.values())


UNRENDERED = """
from dataclasses import replace
from {package}.claims import measurements
from claims.model import Proposition

class Unknown(Proposition):
    def latex(self):
        raise LookupError("no printer knows this")

bad = replace(measurements.mean_has_variance_over_n, id="{package}.bad",
              statement=Unknown("", lambda at, value: True), mutants=())
"""
BROKEN: dict[str, tuple[dict[str, str], str]] = {
    "absent": ({"claims/a.py": "import nothing_of_that_name"},
               "No module named 'nothing_of_that_name' (absent/claims/a.py, line 1)"),
    "syntax": ({"claims/a.py": "x = = 1"}, "SyntaxError: invalid syntax (syntax/claims/a.py, line 1)"),
    "gone": ({"claims/a.py": ""}, "ModuleNotFoundError: No module named 'gone'; mend it"),
    "leaving": ({"claims/a.py": "raise SystemExit('bye')"}, "SystemExit: bye"),
    "taken": (claims_of("zz") | {"claims/b.py": "from dataclasses import replace\n"
              "from {package}.claims.measurements import mean_has_variance_over_n as a\n"
              "b = replace(a)"}, "claim id zz.eq-1 is used twice"),
    "unshown": (claims_of("unshown") | {"claims/b.py": UNRENDERED}, "unshown.bad"),
    "listing": ({"index.json": '[{"id": "a"}]', "claims/a.py": ""}, "index.json: must be a list"),
    "relisting": ({"index.json": json.dumps([{"id": "noci2022.eq-17", "paper": "p", "source": "",
                   "kind": ""}]), "claims/a.py": ""}, "noci2022.eq-17 is used twice"),
}  # fmt: skip


@pytest.mark.seldom
def test_broken_packages_are_named_in_a_line_each_and_the_others_are_audited(
    tmp_path: Path, run: Run
) -> None:
    for package, (files, _) in BROKEN.items():
        filled = {
            n: t if n.endswith("json") else t.replace("{package}", package)
            for n, t in files.items()
        }
        declared(tmp_path, package, filled)
    shutil.rmtree(tmp_path / "site" / "gone")
    installed(EXAMPLE, tmp_path / "site")
    done = run("audit", "bessel", "--budget", "quick", "--workers", "1")
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert (
        "bessel: 1 proved + 1 refuted = 2; 1 of the refuted has a proved correction" in done.stdout
    )
    lines = done.stderr.splitlines()
    assert len(lines) == len(BROKEN)
    for package, (_, fragment) in BROKEN.items():
        (line,) = [x for x in lines if x.startswith(f"twofold: package {package} is left out: ")]
        assert fragment in line and line.endswith("mend it, or uninstall it")
    listed = run("list", "bessel")
    assert listed.returncode == 0 and len(listed.stdout.splitlines()) == 2


@pytest.mark.seldom
def test_proofs_that_cannot_be_imported_cost_their_own_claims(tmp_path: Path, run: Run) -> None:
    declared(tmp_path, "half", {**claims_of("half"), "proofs/measurements.py": "1 / 0"})
    installed(EXAMPLE, tmp_path / "site")
    done = run("audit", "half", "bessel", "--budget", "quick", "--workers", "1", "--json", "-")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    verdicts = {c["id"]: (c["verdict"], c["reason"]) for c in json.loads(done.stdout)["claims"]}
    assert verdicts["bessel.eq-1"][0] == "proved" and verdicts["bessel.eq-2"][0] == "refuted"
    for claim_id in ("half.eq-1", "half.eq-2"):
        verdict, reason = verdicts[claim_id]
        assert verdict == "conflict" and "half is left out: ZeroDivisionError" in reason
