"""Notebooks are stored with outputs, name claims that exist, and import what they state.

nbval passes a stripped notebook silently, so that is refused here; the outputs themselves are
compared by `pytest --nbval notebooks`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from claims.registry import index

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
KNOWN = {entry.id for entry in index()}


def cells(path: Path, kind: str) -> list[dict]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def problems(path: Path) -> list[str]:
    found = []
    for place, cell in enumerate(cells(path, "code")):
        source = "".join(cell["source"])
        if "print(" in source and not cell["outputs"]:
            found.append(f"code cell {place} prints but has no stored output")
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            found.append(f"code cell {place} stores an error")
        if re.search(r"\bClaim\(|\bRelation\(|\bProposition\(", source):
            found.append(f"code cell {place} restates a claim instead of importing it")
        for name in re.findall(r"'((?:noci2022|wu2024|naitsaada2025|im2026)\.[\w.\-]+)'", source):
            if name not in KNOWN:
                found.append(f"code cell {place} names the unknown claim {name}")
    return found


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_sound(path: Path) -> None:
    assert problems(path) == []


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda cell: cell.update(outputs=[]), "no stored output"),
        (lambda cell: cell.update(source="claims['noci2022.nothing']"), "unknown claim"),
        (lambda cell: cell.update(source="Relation('x', (1,))"), "restates"),
    ],
)
def test_unsound_notebooks_are_refused(change, fragment: str, tmp_path: Path) -> None:
    notebook = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    change(next(cell for cell in notebook["cells"] if cell["cell_type"] == "code"))
    broken = tmp_path / "broken.ipynb"
    broken.write_text(json.dumps(notebook))
    assert any(fragment in line for line in problems(broken))
