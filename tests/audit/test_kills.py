"""Kills at random moments: no process is left, and a rerun gives what an undisturbed run gives."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from programs import begun
from projects import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="signals")]

CLAIMS = (
    "noci2022.lemma-A.1",
    "noci2022.lemma-A.4",
    "wu2024.lemma-1",
    "noci2022.lemma-3.1.keys-analogous",
)
COMMAND = (sys.executable, "-m", "audit", "audit", *CLAIMS, "--budget", "quick", "--workers", "2",
           "--json", "a.json", "--site", "site")  # fmt: skip
KILLS = 4
"""In the longer runs; after the last kill the run is left alone."""
SIGNALS = tuple(getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"))


def run(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        COMMAND, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def document(folder: Path) -> object:
    return without_times(json.loads((folder / "a.json").read_text()))


def without_times(value):
    if isinstance(value, dict):
        return {
            k: without_times(v)
            for k, v in value.items()
            if k not in {"seconds", "started", "reused"}
        }
    return [without_times(v) for v in value] if isinstance(value, list) else value


def children_of(program: psutil.Process) -> list[psutil.Process]:
    try:
        return program.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def killed(folder: Path, rng: random.Random, after: float) -> tuple[str, int, str]:
    """Kill the parent or a worker at a random moment; what was done, the status, standard error."""
    program = begun(*COMMAND, cwd=folder, stdout=subprocess.DEVNULL)
    watched = psutil.Process(program.pid)
    at_worker = rng.random() < 0.5
    while at_worker and not children_of(watched) and program.poll() is None:
        time.sleep(0.01)
    time.sleep(after * (0.2 if at_worker else 1))
    children = children_of(watched)
    victim = rng.choice(children) if at_worker and children else watched
    number = rng.choice(SIGNALS)
    with suppress(psutil.NoSuchProcess):  # it was faster
        victim.send_signal(number)
    _, errors = program.communicate(timeout=PATIENCE)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive, "an orphan"
    who = "parent" if victim is watched else "worker"
    return f"{number.name} to the {who}", program.returncode, errors


@pytest.mark.parametrize(
    ("run_of", "kills"),
    [pytest.param(k, KILLS, marks=pytest.mark.seldom) for k in (1, 2, 3, 4)],
)
def test_kills_leave_no_orphan_and_lose_nothing(tmp_path: Path, run_of: int, kills: int) -> None:
    undisturbed = tmp_path / "undisturbed"
    undisturbed.mkdir()
    began = time.monotonic()
    assert run(undisturbed).returncode == 0
    whole = time.monotonic() - began
    seed = random.SystemRandom().randrange(2**32)
    print("run", run_of, "seed", seed)
    rng = random.Random(seed)
    folder = tmp_path / "disturbed"
    folder.mkdir()
    for _ in range(kills):
        what, status, errors = killed(folder, rng, rng.uniform(0.05, 0.95) * whole)
        print(what, status)
        assert status in {0, 130, *(-n for n in SIGNALS)}, (what, errors)
        assert "Traceback" not in errors, (what, errors)
    again = run(folder)
    assert again.returncode == 0, again.stderr
    assert document(folder) == document(undisturbed), what
