"""A package for a paper of one's own, written out: what `twofold new` makes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.errors import UserError
from claims.model import ID_RULE, is_id
from claims.registry import index

if TYPE_CHECKING:
    from audit.tex.statements import Statement

__all__ = ["entries_of", "package_name", "scaffold"]

TOPIC = "measurements"
ROLES = {
    "claims": "What the paper states.",
    "proofs": "Why it is true, or false.",
    "numeric": "How it is measured.",
}
SIGNS = (
    ("limit", r"\\(?:to|lim|rightarrow)(?![A-Za-z])"),
    ("bound", r"\\(?:le|leq|leqslant|lesssim|ge|geq|geqslant|gtrsim)(?![A-Za-z])|[<>]"),
)
KINDS = {"assumption": "assumption", "hypothesis": "assumption", "definition": "construction"}
LONGEST = 4000
"""Characters of a statement that the index keeps."""


def package_name(paper: str) -> str:
    """The Python package of a paper: its id in letters and digits, with `paper` behind."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", paper).strip("_").lower()
    return f"{'p' if name[:1].isdigit() else ''}{name}paper"


def scaffold(
    paper: str, folder: Path, statements: Sequence[Statement] | None, title: str = ""
) -> list[Path]:
    """Write the package of a paper into a folder, and return the files written.

    Without `statements` it holds an example with a true claim and a false one, repaired; with them
    its index lists them as not encoded.  Raises `UserError` for an unusable id and a used folder.
    """
    _require_free(paper, folder)
    package = package_name(paper)
    listed = entries_of(paper, statements or ())
    shown = {"eq-1": "proved", "eq-2": "refuted", "eq-2.repair": "proved"}
    expected = {f"{paper}.{place}": verdict for place, verdict in shown.items()}
    if statements is not None:
        expected = {}
    about = {"title": title or paper, "authors": "", "venue": ""}
    texts = {
        "pyproject.toml": _template("pyproject.toml"),
        "README.md": _template("README.md"),
        "tests/test_audit.py": _template("test_audit.py.txt"),
        f"{package}/__init__.py": '"""The statements of __PAPER__."""\n',
        f"{package}/papers.json": _json({paper: about}),
        f"{package}/index.json": _json(listed),
        f"{package}/expected.json": _json(expected),
    }
    for role, says in ROLES.items():
        texts[f"{package}/{role}/__init__.py"] = f'"""{says}"""\n'
        if statements is None:
            texts[f"{package}/{role}/{TOPIC}.py"] = _template(f"{role}.py.txt")
    names = {"__PAPER__": paper, "__PACKAGE__": package, "__DIST__": package.replace("_", "-")}
    for name, text in texts.items():
        if not name.endswith(".json"):
            texts[name] = _filled(text, names)
    return _written(folder, texts)


def _require_free(paper: str, folder: Path) -> None:
    if not is_id(paper):
        raise UserError(f"paper {paper!r}: {ID_RULE}")
    if paper in {entry.paper for entry in index()}:
        raise UserError(f"paper {paper!r}: there is one of that name; choose another")
    package = package_name(paper)
    if find_spec(package) is not None:
        raise UserError(f"paper {paper!r}: a package {package} is installed; choose another name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--dir {folder}: is not an empty folder; choose another place")


def _template(name: str) -> str:
    return files("audit").joinpath("templates", "new", name).read_text(encoding="utf-8")


def _filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def _json(value: Any) -> str:
    return f"{json.dumps(value, indent=1, ensure_ascii=False)}\n"


def _written(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write all files or none: half a package would be refused the next time."""
    paths: list[Path] = []
    made: list[Path] = []
    try:
        for name, text in texts.items():
            path = folder / name
            made += [p for p in (path.parent, *path.parent.parents) if not p.exists()][::-1]
            path.parent.mkdir(parents=True, exist_ok=True)
            paths.append(path)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        for path in paths:
            path.unlink(missing_ok=True)
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        raise UserError(f"--dir {folder}: cannot be written ({error.strerror})") from None
    return paths


def entries_of(paper: str, statements: Iterable[Statement]) -> list[dict[str, str]]:
    """Statements as lines of an index, each under an id of its own."""
    used: Counter[str] = Counter()
    entries = []
    for statement in statements:
        name = _id(paper, statement)
        used[name] += 1
        entries.append(
            {
                "id": name if used[name] == 1 else f"{name}.{used[name]}",
                "paper": paper,
                "source": _source(statement),
                "kind": _kind(statement),
                "printed": statement.printed[:LONGEST],
            }
        )
    return entries


def _id(paper: str, statement: Statement) -> str:
    base = "eq" if statement.is_display else _slug(statement.name) or "statement"
    number = _slug(statement.number.replace("'", "-prime")) or _slug(statement.label)
    return f"{paper}.{base.lower()}{f'-{number}' if number else ''}"[:190]


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")


def _source(statement: Statement) -> str:
    number = statement.number
    shown = f"({number})" if statement.is_display else number
    named = f"{statement.name} {shown}".strip()
    return ", ".join(part for part in (statement.section, named) if part)


def _kind(statement: Statement) -> str:
    """A first guess at what is stated, from the sign between its sides."""
    if not statement.is_display:
        return KINDS.get(statement.name.lower(), "prose")
    return next((kind for kind, sign in SIGNS if re.search(sign, statement.printed)), "identity")
