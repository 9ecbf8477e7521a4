"""A cluster of our own: workers that stay away, run other code or die, and a scheduler that dies."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from projects import PATIENCE

from audit import cluster
from audit.cli import main
from benchmarks.cluster import program

pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]
CLAIMS = ("noci2022.eq-20", "noci2022.lemma-A.1.mixed", "noci2022.C.3.warmup")


@contextmanager
def scheduler() -> Iterator[tuple[subprocess.Popen, str]]:
    with program("scheduler", "--host", "127.0.0.1", "--port", "0", until="Scheduler at:") as (
        p,
        line,
    ):
        found = re.search(r"tcp://\S+", line)
        assert found is not None
        yield p, found[0]


def worker(address: str, path: Path = ROOT):
    return program(
        "worker", address, "--nthreads", "1", "--no-nanny", until="Registered to", path=path
    )


def audited(address: str, folder: Path):
    """In a process of its own: a client leaves threads and an event loop."""
    code = (
        "import sys; from audit import cluster; from audit.cli import main\n"
        "cluster.JOIN = 3\n"
        "main(sys.argv[1:])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, "audit", *CLAIMS, "--budget", "quick", "--json", "a.json",
         "--scheduler", address],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("address", "fragment"),
    [
        ("http://127.0.0.1:8786", "must be tcp://HOST:PORT"),
        ("inproc://1/2/3", "must be tcp://HOST:PORT"),
        ("tcp://127.0.0.1", "must be tcp://HOST:PORT"),
        ("tcp://127.0.0.1:99999", "must be tcp://HOST:PORT"),
        ("tcp://[", "must be tcp://HOST:PORT"),
        ("", "must be tcp://HOST:PORT"),
        ("tls://127.0.0.1:8786", "no certificates"),
    ],
)
def test_addresses_that_cannot_be_used(tmp_path: Path, address: str, fragment: str) -> None:
    with chdir(tmp_path):
        result = CliRunner().invoke(main, ["audit", CLAIMS[0], "--scheduler", address])
    assert result.exit_code == 2
    assert fragment in result.stderr and result.stderr.count("\n") == 1


def test_verdicts_of_a_cluster_and_of_a_worker_that_died(tmp_path: Path) -> None:
    with scheduler() as (_, address), worker(address), ExitStack() as second:
        doomed, _ = second.enter_context(worker(address))
        program = audited(address, tmp_path)
        doomed.kill()
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, errors
    records = json.loads((tmp_path / "a.json").read_text())["claims"]
    assert [r["verdict"] for r in records] == ["proved", "proved", "refuted"]


@pytest.mark.seldom
def test_a_cluster_without_workers_is_told_in_one_line(tmp_path: Path) -> None:
    with scheduler() as (_, address):
        _, errors = (program := audited(address, tmp_path)).communicate(timeout=PATIENCE)
    assert program.returncode == 2
    assert "no worker joined within 3 s" in errors and errors.count("\n") == 1


@pytest.mark.seldom
def test_workers_that_leave_for_good_end_the_audit_in_one_line(tmp_path: Path) -> None:
    with scheduler() as (_, address):
        with worker(address) as (process, _):
            program = audited(address, tmp_path)
            await_task(address)
        assert process.returncode
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 3
    assert "no worker has been there for 3 s" in errors and errors.count("\n") == 1


@pytest.mark.seldom
def test_a_scheduler_that_dies_ends_the_audit_in_one_line(tmp_path: Path) -> None:
    with scheduler() as (process, address), worker(address):
        program = audited(address, tmp_path)
        await_task(address)
        process.kill()
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 3
    assert "the scheduler went away" in errors and errors.count("\n") == 1


def await_task(address: str) -> None:
    """Until a task has been handed to the cluster."""
    code = (
        "import sys, time; from distributed import Client\n"
        "client = Client(sys.argv[1])\n"
        "while not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):\n"
        "    time.sleep(0.05)"
    )
    subprocess.run([sys.executable, "-c", code, address], check=True, timeout=PATIENCE)


@pytest.mark.seldom
def test_workers_of_other_code_or_none_are_refused(tmp_path: Path) -> None:
    other, none = tmp_path / "other", tmp_path / "none"
    for folder in (other, none):
        (folder / "audit").mkdir(parents=True)
        (folder / "audit" / "__init__.py").touch()
    (other / "audit" / "workers.py").write_text("LOADED = '0' * 64\nwork = None\n")
    (none / "audit" / "workers.py").write_text("raise ImportError('no such package')\n")
    with scheduler() as (_, address):
        for path, fragment in (
            (other, "runs other code (00000000"),
            (none, "cannot load twofold"),
        ):
            with worker(address, path):
                _, errors = (program := audited(address, tmp_path)).communicate(timeout=PATIENCE)
            assert program.returncode == 2
            assert fragment in errors and errors.count("\n") == 1
            assert "install the same version there" in errors


def test_times_are_those_the_help_states() -> None:
    help_text = CliRunner().invoke(main, ["audit", "--help"]).output
    assert f"must join within {cluster.JOIN} s" in " ".join(help_text.split())
