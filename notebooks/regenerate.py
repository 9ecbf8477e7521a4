"""Run every notebook again and store its outputs: `python notebooks/regenerate.py [NAME ...]`.

Nothing that changes from run to run is stored: no timings, no kernel paths, cell ids by place.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent


def regenerate(path: Path) -> None:
    """Execute one notebook in place; an error in a cell stops the run and leaves the file as it was."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, record_timing=False, resources={"metadata": {"path": HERE}}
    ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for place, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{place}", {}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.ipynb")):
        print(name)
        regenerate(HERE / f"{name}.ipynb")
