"""A project of two small papers beside the shared machinery, which a test may edit and audit."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

from audit.reuse.sources import COARSE

ROOT = Path(__file__).resolve().parent.parent
PAPERS = ("first", "second")
PATIENCE = 300
"""Seconds for a program on a busy machine: it is waited for, not timed."""
IDS = tuple(f"{paper}.eq-1" for paper in PAPERS)
HELPERS = {
    "proofs/first/lazy.py": "STEPS = ()\n",
    "proofs/first/deeper.py": "METHOD = 'Gaussian integration by parts'\n",
    "numeric/first/unread.py": "",
    "claims/first/data/title.txt": "The mean of n independent tokens has n times less energy.\n",
}
"""What the first paper has beside the files of the worked example: read or imported inside functions."""
EDITS = {
    "proofs/first/mean.py": (
        ('method="Gaussian integration by parts"', "**_words()"),
        (
            "@proves(",
            "def _words():\n"
            "    from proofs.first.lazy import STEPS\n\n"
            "    from .deeper import METHOD\n\n"
            "    return {'method': METHOD, 'steps': STEPS}\n\n\n"
            "@proves(",
        ),
    ),
    "claims/first/mean.py": (
        (
            '"The mean of n independent tokens has n times less energy than one token."',
            'Path(__file__).parent.joinpath("data/title.txt").read_text().strip()',
        ),
        ("from itertools import product\n", "from itertools import product\nfrom pathlib import Path\n"),
    ),
}  # fmt: skip


def small_project(folder: Path) -> Path:
    """Write the project into a folder: the claim of CONTRIBUTING twice, for two papers of one claim."""
    for package in ("claims", "proofs", "numeric", "audit"):
        shutil.copytree(ROOT / package, folder / package, ignore=_papers)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name, code in re.findall(r"```python file=toypaper/(\S+)\n(.*?)```", text, re.DOTALL):
        role, _, module = name.partition("/")
        for paper in PAPERS:
            target = folder / role / paper / module
            target.parent.mkdir(exist_ok=True)
            (target.parent / "__init__.py").touch()
            own = re.sub(r"toypaper\.(\w+)", rf"\1.{paper}", code).replace('"toy', f'"{paper}')
            target.write_text(own, encoding="utf-8")
    listing(folder, "index.json")
    listing(folder, "encoded.json", *IDS)
    (folder / "audit" / "expected.json").write_text("{}")
    for name, content in HELPERS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    for name, changes in EDITS.items():
        for before, after in changes:
            edit(folder / name, before, after)
    return folder


def listing(folder: Path, name: str, *ids: str) -> None:
    """Write a file that lists claims."""
    listed = [
        {"id": i, "paper": i.partition(".")[0], "source": f"Eq. ({i[-1]})", "kind": "expectation"}
        for i in ids
    ]
    (folder / "claims" / name).write_text(json.dumps(listed))


def _papers(folder: str, names: list[str]) -> set[str]:
    """The papers of this project; what is compiled comes along, which saves time."""
    at_top = Path(folder).name in {"claims", "proofs", "numeric"}
    papers = {p.parent.name for p in (ROOT / "claims").glob("*/__init__.py")} if at_top else set()
    return papers & set(names)


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that stands in a file; an empty one stands at its end."""
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{path}: no {before!r}"
    changed = text.replace(before, after) if before else text + after
    path.write_text(changed, encoding="utf-8")


def audited(folder: Path, *args: str, code: str = "") -> tuple[dict[str, Any], str]:
    """The document of an audit of everything by the project's own code, and what it said beside.

    Nothing compiled is left behind: two edits of one size within a second could not be told apart.
    """
    sleep(2 * COARSE / 1e9)  # what a test has just written is older than the program
    command = ["audit", "--budget", "quick", "--workers", "1", "--json", "-", *args]
    start = f"import sys; {code}\nfrom audit.__main__ import run; sys.argv[0] = 'twofold'; run()"
    done = subprocess.run(
        [sys.executable, "-c", start, *command], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode in {0, 1} and "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout), done.stderr


def reused(document: dict[str, Any]) -> set[str]:
    """The claims whose results were reused."""
    return {record["id"] for record in document["claims"] if record.get("reused")}
