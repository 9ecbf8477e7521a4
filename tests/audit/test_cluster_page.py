"""The commands of the page on clusters, as far as they go without SLURM and without a GPU."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from projects import PATIENCE

from audit.cli import main
from audit.cluster import ANSWER, JOIN
from benchmarks.cluster import cluster

pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "on-a-cluster.md").read_text(encoding="utf-8")
CLAIM = "noci2022.lemma-A.1.trace"
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = [
    shlex.split(line[2:], comments=True)
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """An environment in which the page's programs are those of this repository, and srun starts two."""
    folder = tmp_path / "bin"
    folder.mkdir()
    modules = {"twofold": "audit", "dask": "dask"}
    scripts = {name: f'exec "{sys.executable}" -m {m} "$@"' for name, m in modules.items()}
    for name, body in (scripts | {"srun": '"$@" &\n"$@" &\nwait'}).items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": _path()}


def _path() -> str:
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def verdicts(path: Path) -> dict[str, str]:
    return {r["id"]: r["verdict"] for r in json.loads(path.read_text())["claims"]}


def test_the_job_that_slurm_would_get(tmp_path: Path, programs: dict[str, str]) -> None:
    pytest.importorskip("dask_jobqueue")
    (tmp_path / "thorough.py").write_text(FILES["thorough.py"], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "thorough.py", "--dry-run"], cwd=tmp_path, env=programs, text=True,
        capture_output=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for line in (
        "#SBATCH -p cpu", "#SBATCH --cpus-per-task=8", "#SBATCH -t 12:00:00",
        "source $HOME/twofold/.venv/bin/activate", "export OMP_NUM_THREADS=1",
    ):  # fmt: skip
        assert line in done.stdout
    assert re.search(r"dask_worker tcp://\S+ .*--nthreads 1 .*--nworkers 8", done.stdout)


@pytest.mark.seldom
def test_the_script_for_sbatch(tmp_path: Path, programs: dict[str, str]) -> None:
    (tmp_path / "audit.sbatch").write_text(FILES["audit.sbatch"], encoding="utf-8")
    settings = {
        "PORT": str(_free_port()), "CLAIMS": CLAIM, "BUDGET": "quick", "JSON": "audit.json",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "audit.sbatch"], cwd=tmp_path, env=programs | settings, text=True,
        capture_output=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert verdicts(tmp_path / "audit.json") == {CLAIM: "proved"}


@pytest.mark.seldom
def test_two_workers_give_the_document_of_one_process(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    """The page's own command, and the same without the cluster: all but times is the same."""
    (command,) = (c for c in COMMANDS if "--scheduler" in c)

    def audited(words: list[str]) -> list[dict]:
        done = subprocess.run(
            words, cwd=tmp_path, env=programs, text=True, capture_output=True, check=False,
            timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads((tmp_path / "audit.json").read_text())["claims"]

    alone = audited([*command[: command.index("--scheduler")], "--fresh", "--json", "audit.json"])
    with cluster(2) as address:
        there = audited([address if "://" in word else word for word in [*command, "--fresh"]])
    assert _without_times(there) == _without_times(alone)


def _without_times(records: list[dict]) -> list[dict]:
    return json.loads(
        json.dumps(records), object_hook=lambda d: {k: v for k, v in d.items() if k != "seconds"}
    )


def test_the_commands_for_a_gpu_say_that_there_is_none(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a card")
    commands = [c for c in COMMANDS if c[0] == "twofold" and "--device" in c]
    assert len(commands) == 2
    for command in commands:
        with chdir(tmp_path):
            result = CliRunner().invoke(main, command[1:])
        assert result.exit_code == 2 and "torch sees no CUDA device here" in result.stderr
        assert result.stderr.count("\n") == 1


def test_times_are_those_of_the_code() -> None:
    plain = " ".join(PAGE.split())
    assert f"within {ANSWER} s and a worker be there within {JOIN} s" in plain
