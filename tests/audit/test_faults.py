"""Faults: a parent or a worker that dies, streams that break, too few processes, an interruption early."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from programs import begun

from audit import workers
from audit.cli import main
from audit.commands.tools import write_json
from audit.expected import Expected
from audit.streams import Stream

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

CLAIMS = ("noci2022.eq-20", "noci2022.lemma-A.1.mixed", "noci2022.C.3.warmup")
PROGRAM = (sys.executable, "-m", "audit")
AUDIT = ("audit", "noci2022.A.2", "--budget", "quick", "--workers", "2")


def run(*args: str, cwd: Path):
    with contextlib.chdir(cwd):
        return CliRunner().invoke(main, args)


def started(*args: str, cwd: Path) -> tuple[subprocess.Popen, list[psutil.Process]]:
    """The program with its workers at work."""
    program = begun(*PROGRAM, *args, cwd=cwd)
    watched, deadline = psutil.Process(program.pid), time.monotonic() + 60
    while len(watched.children()) < 2 and program.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return program, watched.children()


@pytest.mark.parametrize(
    "name",
    [
        "SIGTERM",
        "SIGKILL",
        *(pytest.param(s, marks=pytest.mark.seldom) for s in ("SIGHUP", "SIGINT")),
    ],
)
def test_workers_end_with_their_parent(tmp_path: Path, name: str) -> None:
    program, children = started(*AUDIT, cwd=tmp_path)
    assert len(children) == 2
    program.send_signal(getattr(signal, name))
    _, errors = program.communicate(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive
    if name == "SIGKILL":
        assert program.returncode == -signal.SIGKILL
    else:
        assert program.returncode == 130 and errors.count("\n") == 1 and "interrupted" in errors


def test_workers_end_with_their_parent_where_the_system_does_not_tell_them() -> None:
    """The watching thread alone, as on systems without PR_SET_PDEATHSIG."""
    code = (
        "import multiprocessing, os, time, platform\n"
        "from audit import processes\n"
        "platform.system = lambda: 'Other'\n"
        "def wait(parent):\n"
        "    processes.end_with_parent(parent)\n"
        "    os.write(1, b'%d\\n' % os.getpid())  # a line at once, whatever the buffering\n"
        "    time.sleep(60)\n"
        "fork = multiprocessing.get_context('fork')\n"
        "for _ in range(2): fork.Process(target=wait, args=(os.getpid(),)).start()\n"
        "time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        try:
            children = [psutil.Process(int(program.stdout.readline())) for _ in range(2)]
        finally:
            program.kill()
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make the worker of one claim die, a number of times; forked workers inherit it."""
    real = workers.examine

    def prepare(doomed: str, times: int) -> None:
        def examine(claim_id: str, **options):
            marks = list(tmp_path.glob("died-*"))
            if claim_id == doomed and len(marks) < times:
                (tmp_path / f"died-{len(marks)}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return real(claim_id, **options)

        monkeypatch.setattr(workers, "examine", examine)

    return prepare


def verdicts(target: Path) -> dict[str, tuple[str, str]]:
    records = json.loads(target.read_text())["claims"]
    return {r["id"]: (r["verdict"], r["reason"]) for r in records}


def test_a_claim_whose_worker_died_is_tried_once_more(tmp_path: Path, deadly) -> None:
    deadly(CLAIMS[1], times=1)
    target = tmp_path / "a.json"
    result = run("audit", *CLAIMS, "--budget", "quick", "--workers", "2", "--json", str(target),
                 cwd=tmp_path)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert [v for v, _ in verdicts(target).values()] == ["proved", "proved", "refuted"]


def test_a_claim_whose_worker_died_twice_is_unsettled_and_a_rerun_takes_it_up(
    tmp_path: Path, deadly
) -> None:
    deadly(CLAIMS[1], times=2)
    target = tmp_path / "a.json"
    args = ("audit", *CLAIMS, "--budget", "quick", "--workers", "2", "--json", str(target))
    result = run(*args, cwd=tmp_path)
    assert result.exit_code == 3
    assert f"{CLAIMS[1]}: unsettled: its worker died twice" in result.stderr
    assert verdicts(target)[CLAIMS[1]] == ("unsettled", "its worker died twice")
    assert [verdicts(target)[i][0] for i in (CLAIMS[0], CLAIMS[2])] == ["proved", "refuted"]
    before = list(tmp_path.glob("died-*"))
    again = run(*args, cwd=tmp_path)
    assert again.exit_code == 0, again.stderr
    assert verdicts(target)[CLAIMS[1]][0] == "proved" and list(tmp_path.glob("died-*")) == before


def test_an_incomplete_audit_accepts_nothing(
    tmp_path: Path, deadly, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "expected.json"
    path.write_text(json.dumps({CLAIMS[1]: "proved"}))
    monkeypatch.setattr("audit.expected.PATH", path)
    deadly(CLAIMS[1], times=2)
    result = run(
        "audit", *CLAIMS[:2], "--budget", "quick", "--workers", "2", "--accept", cwd=tmp_path
    )
    assert result.exit_code == 3
    assert Expected.read(path).verdicts == {CLAIMS[1]: "proved"}


def test_no_more_processes_than_claims_or_four_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert workers.count_of_workers(10_000, 500) == 8
    assert workers.count_of_workers(10_000, 3) == 3
    assert workers.count_of_workers(2, 500) == 2
    assert workers.count_of_workers(1, 0) == 1


def test_too_few_processes_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", refuse)
    result = run("audit", *CLAIMS, "--budget", "quick", "--workers", "2", cwd=tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "give --workers 1" in result.stderr


# Streams ------------------------------------------------------------------------------------------


ONE = ("audit", CLAIMS[0], "--budget", "quick", "--workers", "1")


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    program = " ".join(PROGRAM)
    return subprocess.run(
        ["bash", "-c", command.replace("twofold", program)], cwd=cwd, env=env, timeout=120,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("| true; exit ${PIPESTATUS[0]}", 0),
        (">/dev/full", 2),
        pytest.param(">&-", 0, marks=pytest.mark.seldom),
    ],
)
def test_files_are_written_whatever_happens_to_standard_output(
    tmp_path: Path, ending: str, status: int
) -> None:
    files = "--json a.json --junit a.xml --summary a.md"
    done = shell(f"twofold {' '.join(ONE)} {files} {ending}", tmp_path)
    assert done.returncode == status
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    assert done.stderr.count("\n") == (1 if status else 0)
    for name in ("a.json", "a.xml", "a.md"):
        assert (tmp_path / name).stat().st_size > 0


def test_results_are_kept_when_the_document_does_not_arrive(tmp_path: Path) -> None:
    done = shell(f"twofold {' '.join(ONE)} --json - --junit a.xml >/dev/full", tmp_path)
    assert done.returncode == 2 and "No space left on device" in done.stderr
    assert (tmp_path / "a.xml").exists()
    again = shell(f"twofold {' '.join(ONE)} --json -", tmp_path)
    assert again.returncode == 0 and json.loads(again.stdout)["reused"] == 1


def test_a_document_for_a_closed_output_is_refused_before_the_run(tmp_path: Path) -> None:
    done = shell(f"twofold {' '.join(ONE)} --json - >&-", tmp_path)
    assert done.returncode == 2 and "--json -" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["list", pytest.param("figure --list", marks=pytest.mark.seldom), "--help"]
)
def test_every_command_survives_broken_streams(tmp_path: Path, command: str) -> None:
    for ending, status in (
        ("| head -1 >/dev/null; exit ${PIPESTATUS[0]}", 0), (">/dev/full", 2), (">&- 2>&-", 0),
        (">/dev/full 2>/dev/full", 2),
    ):  # fmt: skip
        done = shell(f"twofold {command} {ending}", tmp_path)
        assert done.returncode == status, (ending, done.stderr)
        assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_stream_remembers_its_first_failure() -> None:
    class Broken:
        encoding = "utf-8"

        def write(self, text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

        def flush(self) -> None:
            self.write("")

        def fileno(self) -> int:
            raise OSError(errno.EBADF, "no file")

    stream = Stream(Broken())
    assert stream.write("three") == 5 and stream.lost is not None
    stream.flush()
    assert stream.encoding == "utf-8"


@pytest.mark.parametrize(
    "setting",
    [
        "PYTHONIOENCODING=ascii", "PYTHONIOENCODING=latin-1", "PYTHONIOENCODING=cp1252",
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0",
    ],
)  # fmt: skip
def test_an_output_that_lacks_characters_gets_their_spelling(tmp_path: Path, setting: str) -> None:
    title = "noci2022.lemma-3.1.queries"
    done = shell(f"{setting} twofold list {title} && {setting} twofold list --json -", tmp_path)
    assert done.returncode == 0, done.stderr
    assert title in done.stdout and "?" not in done.stdout.splitlines()[0]


def test_json_for_an_output_that_lacks_characters_is_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    write_json({"is": "σ ≤ 𝔼"}, None, True)
    sys.stdout.flush()
    assert json.loads(sys.stdout.buffer.getvalue()) == {"is": "σ ≤ 𝔼"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", r"\sigma_k^2 <= E ||\bar{x}||"), ("latin-1", r"\sigma_k² <= E ||\bar{x}||")],
)
def test_a_stream_spells_what_its_encoding_lacks(encoding: str, shown: str) -> None:
    inner = io.BytesIO()
    stream = Stream(io.TextIOWrapper(inner, encoding))
    stream.write("σₖ² ≤ 𝔼 ‖x̄‖")
    stream.flush()
    assert inner.getvalue().decode(encoding) == shown and stream.lost is None


def test_a_difference_that_cannot_be_shown_is_no_difference_of_verdicts(tmp_path: Path) -> None:
    assert shell(f"twofold {' '.join(ONE)} --json a.json", tmp_path).returncode == 0
    document = json.loads((tmp_path / "a.json").read_text())
    document["claims"] = []
    (tmp_path / "b.json").write_text(json.dumps(document))
    assert shell("twofold diff a.json b.json", tmp_path).returncode == 1
    lost = shell("twofold diff a.json b.json >/dev/full", tmp_path)
    assert lost.returncode == 2 and "standard output cannot be written" in lost.stderr
    assert lost.stderr.count("\n") == 1
    left = shell("twofold diff a.json b.json | true; exit ${PIPESTATUS[0]}", tmp_path)
    assert left.returncode == 1 and not left.stderr


# Interruption while the program loads -------------------------------------------------------------


@pytest.mark.parametrize("after", [0.1, 0.3, 0.6, 1.0, 1.5, 2.5])
def test_interruption_while_loading_is_one_line(tmp_path: Path, after: float) -> None:
    code = (
        f"import sys; sys.argv = ['twofold', *{AUDIT}]\n"
        "from audit.__main__ import run; print('begun', flush=True); run()"
    )
    program = begun(sys.executable, "-c", code, cwd=tmp_path)
    assert program.stdout is not None and program.stdout.readline() == "begun\n"
    time.sleep(after)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=30)
    assert program.returncode == 130, errors
    assert errors.count("\n") == 1 and "interrupted" in errors
