"""The arrows between packages, read from the source, and what an import may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {
    "claims": {"claims", "sympy", "networkx", "flint", "mpmath"},
    "proofs": {"proofs", "claims", "sympy", "flint", "networkx", "mpmath", "z3"},
    "numeric": {
        "numeric",
        "claims",
        "torch",
        "numpy",
        "scipy",
        "sympy",
        "networkx",
        "matplotlib",
        "transformers",
    },
    "twofold": {"twofold", "claims", "proofs", "numeric", "sympy"},
}
PAPERS = sorted(p.parent.name for p in (ROOT / "claims").glob("*/__init__.py"))
STANDARD = set(sys.stdlib_module_names)


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def names_from(path: Path, module: str) -> set[str]:
    """What a file imports by name from a module."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    froms = [node for node in tree if isinstance(node, ast.ImportFrom) and node.module == module]
    return {alias.name for node in froms for alias in node.names}


@pytest.mark.parametrize("package", ALLOWED)
def test_arrows(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        foreign = imports(path) - STANDARD - ALLOWED[package]
        assert not foreign, f"{path.relative_to(ROOT)} imports {sorted(foreign)}"


def test_nothing_imports_audit() -> None:
    for package in ALLOWED:
        for path in (ROOT / package).rglob("*.py"):
            assert "audit" not in imports(path)


def test_estimators_keep_results_for_each_device() -> None:
    """What `functools` keeps would hand the tensors of one device on to another."""
    for path in (ROOT / "numeric").rglob("*.py"):
        kept = names_from(path, "functools") & {"cache", "lru_cache"}
        allowed = path.stem == "remembered" or "torch" not in imports(path)
        assert allowed or not kept, f"{path.relative_to(ROOT)} uses {sorted(kept)}"


def test_proofs_do_not_load_torch() -> None:
    code = (
        "import sys; from proofs import registry; registry.load(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("paper", PAPERS)
def test_same_stems_in_all_three_rooms(paper: str) -> None:
    """A topic that has claims has proofs or measurements under the same name."""
    stems = {
        package: {p.stem for p in (ROOT / package / paper).glob("*.py")}
        for package in ("claims", "proofs", "numeric")
    }
    from importlib import import_module

    from claims.model import Claim

    for stem in stems["claims"]:
        module = import_module(f"claims.{paper}.{stem}")
        own = [v for v in vars(module).values() if isinstance(v, Claim) and v.parent is None]
        if own and stem not in {"setup", "notation"}:
            assert stem in stems["proofs"] or stem in stems["numeric"], stem


@pytest.mark.parametrize("package", [*ALLOWED, "audit", "tests", "benchmarks"])
def test_files_stay_readable(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        length = len(path.read_text(encoding="utf-8").splitlines())
        assert length <= 500, f"{path.relative_to(ROOT)} has {length} lines"
