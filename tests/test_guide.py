"""The guide from a formula to a verdict: every line of it is run."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from test_docs import OPTIONS, ROOT, console_blocks

GUIDE = ROOT / "docs" / "from-a-formula-to-a-verdict.md"


def test_questions_of_the_guide_are_answered_as_it_says() -> None:
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False, optionflags=OPTIONS)
    assert tried >= 10 and failed == 0


def test_the_question_of_the_readme_is_answered_as_it_says() -> None:
    readme = str(ROOT / "README.md")
    failed, tried = doctest.testfile(readme, module_relative=False, optionflags=OPTIONS)
    assert tried >= 4 and failed == 0


def test_the_package_of_the_guide_gets_the_verdicts_it_says(tmp_path: Path) -> None:
    (new, written), (audit, verdicts) = console_blocks(GUIDE)
    home = tmp_path / "mine"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            [str(tmp_path / "site"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        ),
    }

    def program(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    checker = doctest.OutputChecker()
    found = program("audit", *new.split()[1:])
    assert checker.check_output(written, found, OPTIONS), found
    text = GUIDE.read_text(encoding="utf-8")
    for name, code in re.findall(r"```python file=(\S+)\n(.*?)```", text, re.DOTALL):
        (home / name).write_text(code, encoding="utf-8")
    program(
        "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target",
        str(tmp_path / "site"), str(home),
    )  # fmt: skip
    found = program("audit", *audit.split()[1:])
    assert checker.check_output(verdicts, found, OPTIONS), found


def test_contributing_leads_to_the_guide() -> None:
    assert f"docs/{GUIDE.name}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
