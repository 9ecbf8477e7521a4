"""Where outputs go: regular files are replaced whole, everything else is written through or refused."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from audit.cli import main
from audit.expected import Expected
from audit.files import OutputError, append_whole, ensure_writable, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX systems")


def put(path: Path, content: bytes = b"new") -> None:
    ensure_writable(path, "--json")
    write_whole(path, content, "--json")


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o640)
    with path.open() as earlier:
        put(path)
        assert earlier.read() == "old", "whoever reads the old file reads it whole"
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_new_file_is_as_open_as_the_system_makes_them(tmp_path: Path) -> None:
    put(tmp_path / "deep" / "a.json")
    (tmp_path / "plain").write_bytes(b"")
    modes = {
        stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "deep" / "a.json", tmp_path / "plain")
    }
    assert len(modes) == 1


def test_a_link_stays_and_the_file_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "a.json", tmp_path / "far" / "b.json"
    link.symlink_to(target)
    put(link)
    put(link, b"newer")
    assert link.is_symlink() and target.read_bytes() == b"newer"


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OutputError, match="cannot be written"):
        ensure_writable(tmp_path / "a", "--json")


@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero"])
def test_a_device_is_written_through(name: str) -> None:
    before = os.stat(name)
    put(Path(name))
    append_whole(Path(name), b"more", "--summary")
    assert stat.S_ISCHR(os.stat(name).st_mode) and os.stat(name).st_ino == before.st_ino


def test_a_link_to_a_device_stays(tmp_path: Path) -> None:
    link = tmp_path / "null.json"
    link.symlink_to("/dev/null")
    put(link)
    assert link.is_symlink() and stat.S_ISCHR(link.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_device_is_told_in_one_line() -> None:
    with pytest.raises(OutputError, match=r"--json /dev/full: .*No space left"):
        put(Path("/dev/full"))


def test_a_pipe_without_reader_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="nobody reads this pipe; start its reader first"):
        ensure_writable(tmp_path / "pipe", "--json")
    with pytest.raises(OutputError, match="nobody reads this pipe"):
        write_whole(tmp_path / "pipe", b"new", "--json")


def test_a_pipe_gives_its_reader_everything_and_ends(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    ensure_writable(pipe, "--json")

    def read() -> None:
        with os.fdopen(reader, "rb") as file:
            found.append(file.read())

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive(), "the check let the reader see an end"
    write_whole(pipe, b"x" * 200_000, "--json")
    thread.join(10)
    assert found == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_reader_that_left_is_told_in_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    ensure_writable(tmp_path / "pipe", "--json")
    os.close(reader)
    with pytest.raises(OutputError, match="Broken pipe"):
        write_whole(tmp_path / "pipe", b"new", "--json")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_standard_output_by_name(tmp_path: Path, name: str, kind: str) -> None:
    """Written through the open descriptor: nothing is replaced, and nothing printed is lost."""
    if not os.path.exists(name):
        pytest.skip(f"no {name} here")
    command = [sys.executable, "-m", "audit", "list", "noci2022.lemma-3.1", "--json", name]
    out = tmp_path / "out.txt"
    with out.open("wb") as file:
        stream = file if kind == "file" else subprocess.PIPE
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)
    text = out.read_bytes() if kind == "file" else done.stdout
    assert done.returncode == 0, done.stderr
    assert text.count(b"noci2022.lemma-3.1.values") == 2, "the document and the printed line"
    assert Path("/dev/null").is_char_device()


def test_a_descriptor_that_is_closed_or_read_only_is_refused() -> None:
    reading = os.open("/dev/null", os.O_RDONLY)
    with pytest.raises(OutputError, match="open for reading only"):
        ensure_writable(Path(f"/dev/fd/{reading}"), "--json")
    os.close(reading)
    with pytest.raises(OutputError, match="Bad file descriptor"):
        ensure_writable(Path(f"/dev/fd/{reading}"), "--json")


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--json", "a" * 251 + ".json"),
        ("list", "--json", "a/" * 3000 + "b"),
        ("list", "--json", "a\0b"),
        ("diff", "a" * 300, "b"),
        ("errata", "noci2022", "--out", "a" * 300),
        ("errata", "noci2022", "--from", "a" * 300),
        ("audit", "--json", "a" * 300),
        ("audit", "--junit", "a" * 300),
        ("audit", "--summary", "a" * 300),
        ("audit", "--site", "a" * 300),
        ("figure", "wu2024.fig-4.token-geometry", "--out", "a" * 300 + ".png"),
        ("figure", "wu2024.fig-4.token-geometry", "--data", "a" * 300),
        ("figure", "a" * 300),
        ("show", "a" * 300),
    ],
)
def test_names_that_no_file_has_are_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("twofold: ")


def test_a_name_of_255_characters_can_be_written(tmp_path: Path) -> None:
    put(tmp_path / ("a" * 255))


@pytest.mark.parametrize("selectors", [(), ("noci2022.lemma-3.1.values",)])
def test_expected_verdicts_that_cannot_be_recorded_are_told_before_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, selectors: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("audit.expected.PATH", tmp_path / "file" / "expected.json")
    for name in ("read", "kept"):
        monkeypatch.setattr(Expected, name, classmethod(lambda cls, *_: cls({})))
    monkeypatch.setattr("audit.run.audit", lambda *_: pytest.fail("the audit ran"))
    result = CliRunner().invoke(main, ["audit", *selectors, "--accept"])
    assert result.exit_code == 2
    assert "--accept" in result.stderr and "cannot be written" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write read-only files")
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(OutputError, match="Permission denied"):
        ensure_writable(path, "--accept")
