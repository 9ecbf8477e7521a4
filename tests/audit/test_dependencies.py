"""Imports are read from the text of a module, wherever they stand and however they are written."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from audit.examine import load_witnesses
from audit.reuse.dependencies import Graph
from audit.reuse.imports import EVERYTHING, imports_of
from audit.reuse.outline import speakers
from audit.reuse.sources import Files
from claims.registry import encoded
from claims.tables import Table

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write modules of a package `made` with these texts, and return their graph."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(**texts: str) -> Graph:
        (tmp_path / "made").mkdir()
        (tmp_path / "made" / "__init__.py").touch()
        for name, text in texts.items():
            path = tmp_path / (name.replace("__", "/").replace("INIT", "__init__") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Graph(Files.of(("made",)))

    return write


@pytest.mark.parametrize(
    "text",
    [
        "import made.b",
        "import made.b as x",
        "from made import b",
        "from made import b as x",
        "from made.b import anything",
        "from made.b import *",
        "from . import b",
        "from .b import anything",
        "import os, made.b",
        "def f():\n    from made import b",
        "class A:\n    def f(self):\n        import made.b",
        "if TYPE_CHECKING:\n    from .b import x",
        "try:\n    import made.b\nexcept ImportError:\n    pass",
        "from importlib import import_module\nimport_module('made.b')",
        "import importlib\nimportlib.import_module('made.b')",
        "__import__('made.b')",
        "HOME = 'made.b'",
        "import made\ndef f():\n    return made.b.value",
        "import made as m\nm.b.value()",
    ],
)
def test_every_way_to_import_is_read(modules, text: str) -> None:
    graph = modules(made__a=text, made__b="import made.c", made__c="", made__d="")
    assert graph.closure(("made.a",)).modules == {"made", "made.a", "made.b", "made.c"}


@pytest.mark.parametrize(
    "text",
    [
        "import_module(name)", "importlib.import_module(f'made.{x}')", "__import__(x)",
        "from pkgutil import walk_packages\nwalk_packages(path)",
    ],
)  # fmt: skip
def test_a_computed_name_may_be_any_module(modules, text: str) -> None:
    assert EVERYTHING in imports_of(text, "made.a").imported
    graph = modules(made__a=text, made__b="", made__d="")
    assert graph.closure(("made.a",)).modules == {"made", "made.a", "made.b", "made.d"}


def test_relative_imports_climb(modules) -> None:
    graph = modules(
        made__deep__a="from .. import b\nfrom ..c import x", made__b="", made__c="", made__d=""
    )
    assert graph.closure(("made.deep.a",)).modules == {"made", "made.deep.a", "made.b", "made.c"}


def test_a_package_depends_on_what_its_init_imports(modules, tmp_path: Path) -> None:
    graph = modules(made__a="", made__sub__INIT="from made import c", made__sub__b="", made__c="")
    assert graph.closure(("made.sub.b",)).modules == {"made", "made.sub", "made.sub.b", "made.c"}


def test_circles_end_and_broken_texts_import_nothing(modules) -> None:
    graph = modules(made__a="from . import b", made__b="from . import a, c", made__c="def (")
    assert graph.closure(("made.a",)).modules == {"made", "made.a", "made.b", "made.c"}


def test_data_belong_to_the_package_whose_folder_holds_them(modules, tmp_path: Path) -> None:
    modules(made__a="")
    (tmp_path / "made" / "deep").mkdir()
    for name in ("rows.csv", "deep/more.csv", "index.json", "expected.json"):
        (tmp_path / "made" / name).write_text("1")
    before, name = Graph(Files.of(("made",))), ("made", "made.a")
    assert before.files_of["made"] == {"made/__init__.py", "made/rows.csv", "made/deep/more.csv"}
    (tmp_path / "made" / "deep" / "more.csv").write_text("2")
    assert Graph(Files.of(("made",))).digest(name) != before.digest(name)


def test_libraries_are_named_and_code_of_ones_own_is_followed(modules, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("import sympy\n")
    graph = modules(made__a="import elsewhere, json, numpy.linalg, not_there")
    closure = graph.closure(("made.a",))
    assert closure.modules == {"made", "made.a", "elsewhere"}
    assert closure.libraries == {"sympy", "numpy", "not_there"}
    assert graph.local == ["elsewhere"]


def test_a_root_that_is_no_file_is_an_error(modules) -> None:
    with pytest.raises(KeyError, match=r"__main__"):
        modules(made__a="").closure(("made.a", "__main__"))


FILLING = {"add", "append", "extend", "insert", "register", "setdefault", "update"}


def filled_elsewhere(tree: ast.Module) -> set[tuple[str, str]]:
    """Objects of other modules of the project that a module changes: where they stand, their names."""
    imported = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if node.module.split(".")[0] in {"claims", "proofs", "numeric"}
    }
    changed: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = (p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t]))
            changed += [
                part.value for part in parts if isinstance(part, ast.Subscript | ast.Attribute)
            ]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changed += [node.func.value] if node.func.attr in FILLING else []
    names = {node.id for node in changed if isinstance(node, ast.Name)}
    return {imported[name] for name in names & imported.keys()}


def test_tables_that_other_modules_fill_know_who_wrote_them() -> None:
    """What a module writes into another one's plain dict or set would speak for claims unnoticed."""
    found = {
        each
        for role in ("claims", "proofs", "numeric")
        for path in (ROOT / role).rglob("*.py")
        for each in filled_elsewhere(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert ("numeric.charts", "INTEGERS_ONLY") in found
    for module, name in sorted(found):
        assert isinstance(getattr(import_module(module), name), Table), f"{module}.{name}"


def test_every_table_forgets_what_tests_wrote(forgetful: tuple[str, ...]) -> None:
    """A witness that a test registers for a while is none of the claim's afterwards."""
    with_tables = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for role in ("claims", "proofs", "numeric")
        for path in (ROOT / role).rglob("*.py")
        if "= Table()\n" in path.read_text(encoding="utf-8").replace(">>> table = Table()", "")
    }
    assert with_tables == set(forgetful)


def test_a_table_knows_the_module_whose_body_is_executed(modules, tmp_path: Path) -> None:
    modules(
        made__table="from claims.tables import Table\nTABLE = Table()\ndef put(k): TABLE[k] = 1",
        made__a="from made.table import put\nput('a')\nimport made.b",
        made__b="from made.table import put\nput('b')",
    )
    import_module("made.a")
    assert import_module("made.table").TABLE.writers == {"a": {"made.a"}, "b": {"made.b"}}


def test_what_speaks_for_a_claim_is_of_its_own_paper() -> None:
    """One claim may so be examined with the witnesses of its paper alone, and has the same result."""
    load_witnesses()
    for claim in encoded().values():
        foreign = {name for name in speakers(claim) if claim.paper not in name.split(".")}
        assert not foreign, claim.id
