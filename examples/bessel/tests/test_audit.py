"""The verdicts are those that somebody reviewed, and every statement of the paper is listed."""

import json
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "besselpaper"


def twofold(*words):
    command = [sys.executable, "-m", "audit", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_verdicts_are_the_expected_ones():
    done = twofold("audit", "bessel", "--budget", "quick", "--workers", "1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_statement_is_listed():
    listed = json.loads(twofold("list", "bessel", "--json", "-").stdout)["claims"]
    expected = json.loads((HOME / "expected.json").read_text(encoding="utf-8"))
    index = json.loads((HOME / "index.json").read_text(encoding="utf-8"))
    ids = {row["id"] for row in listed}
    reviewed = {claim_id.removesuffix(".repair") for claim_id in expected}
    assert ids and ids >= {*reviewed, *(entry["id"] for entry in index)}
