"""The folder of results: whole or not at all, never another user's, never in the way of an audit."""

from __future__ import annotations

import errno
import os
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit.cli import main
from audit.reuse import store as keeping
from audit.reuse.store import HEAD, Store, store_folder

VALUE = {"id": "a.eq-1", "verdict": "proved", "text": "é \ud800", "numbers": [1, 2.5, None]}


def opened(folder: Path) -> tuple[Store, list[str]]:
    said: list[str] = []
    return Store(folder, said.append), said


def kept(folder: Path, name: str = "a.eq-1.0") -> Path:
    """The file of one kept value."""
    Store(folder).put(name, VALUE)
    return folder / f"{name}.twofold"


def read(folder: Path, name: str = "a.eq-1.0") -> tuple[Any, list[str]]:
    store, said = opened(folder)
    value = store.get(name)
    store.tell_faults()
    return value, said


def test_what_was_put_is_read_back(tmp_path: Path) -> None:
    kept(tmp_path / "deep" / "results")
    assert read(tmp_path / "deep" / "results") == (VALUE, [])
    assert read(tmp_path / "deep" / "results", "a.eq-1.1") == (None, [])
    assert read(tmp_path / "nowhere") == (None, [])


def test_a_flipped_bit_anywhere_is_noticed_and_told_in_one_line(tmp_path: Path) -> None:
    path = kept(tmp_path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        value, said = read(tmp_path)
        assert value is None, place
        assert len(said) == 1 and "1 kept results do not fit and are computed again" in said[0]


@pytest.mark.parametrize("content", [b"", b"\n", HEAD, b"{}", b"[" * 100_000, b"\x00\n\xff"])
def test_what_is_not_whole_is_dropped(tmp_path: Path, content: bytes) -> None:
    kept(tmp_path).write_bytes(content)
    value, said = read(tmp_path)
    assert value is None and len(said) == 1


def test_another_version_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "HEAD", b"twofold result 2 ")
    kept(tmp_path)
    monkeypatch.undo()
    value, said = read(tmp_path)
    assert value is None and "of another version" in said[0] and len(said) == 1


def test_a_result_under_another_name_is_dropped(tmp_path: Path) -> None:
    kept(tmp_path).rename(tmp_path / "a.eq-2.0.twofold")
    value, said = read(tmp_path, "a.eq-2.0")
    assert value is None and "its digest is another" in said[0]


def test_a_link_or_a_pipe_is_no_result(tmp_path: Path) -> None:
    path = kept(tmp_path)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pipe.0.twofold")
    for name in ("a.eq-1.0", "pipe.0"):
        value, said = read(tmp_path, name)
        assert value is None and "no regular file" in said[0]


def test_a_folder_that_others_may_write_is_neither_read_nor_written(tmp_path: Path) -> None:
    kept(tmp_path)
    tmp_path.chmod(0o777)
    store, said = opened(tmp_path)
    assert store.get("a.eq-1.0") is None
    store.put("a.eq-1.1", VALUE)
    assert len(list(tmp_path.iterdir())) == 1
    assert len(said) == 1 and "others may write there" in said[0] and "chmod go-w" in said[0]


def test_a_new_folder_is_the_users_alone(tmp_path: Path) -> None:
    assert kept(tmp_path / "results").parent.stat().st_mode & 0o077 == 0


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    store, said = opened(tmp_path / "file")
    store.put("a", VALUE)
    assert store.get("a") is None
    assert len(said) == 1 and "is no folder" in said[0]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_is_told_once_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    store, said = opened(tmp_path)
    store.put("a", VALUE), store.put("b", VALUE)
    assert len(said) == 1
    assert "results cannot be kept (No space left on device); the audit goes on" in said[0]
    assert not list(tmp_path.iterdir())


def put_many(folder: Path, own: int) -> int:
    """Write and read the same names as others do; how many reads were not whole."""
    store, wrong = Store(folder), 0
    for turn in range(60):
        name = f"a.{turn % 5}"
        store.put(name, {"of": name, "by": [own] * 5000})
        found = store.get(name)
        wrong += found is not None and (found["of"] != name or len(set(found["by"])) != 1)
        if turn % 20 == 0:
            store.tidy()
    return wrong + len(store.faults)


def test_several_audits_may_use_one_folder_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3) as pool:
        assert list(pool.map(put_many, [tmp_path] * 3, range(3))) == [0, 0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a.{k}.twofold" for k in range(5)]


def test_what_was_not_used_for_long_goes_and_then_the_longest_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for place in range(6):
        path = kept(tmp_path, f"a.{place}")
        os.utime(path, (now, now - place * 86400))
    os.utime(kept(tmp_path, "old"), (now, now - 91 * 86400))
    (tmp_path / "mine.txt").write_text("not ours")
    left = tmp_path / "killed.twofold-part"
    left.write_text("")
    os.utime(left, (now, now - 2 * 86400))
    monkeypatch.setattr(keeping, "LARGEST", 4 * path.stat().st_size)
    store = Store(tmp_path)
    assert store.get("a.3") is not None, "a use: it is now the newest"
    store.tidy()
    assert {p.name for p in tmp_path.iterdir()} == {
        "mine.txt", *(f"a.{k}.twofold" for k in (0, 1, 2, 3)),
    }  # fmt: skip


def test_the_folder_is_the_one_chosen_or_of_the_environment_or_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store_folder(str(tmp_path)) == tmp_path
    assert store_folder() == Path(os.environ["TWOFOLD_STORE"])
    monkeypatch.delenv("TWOFOLD_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if os.name == "posix" and os.uname().sysname == "Linux":
        assert store_folder() == tmp_path / "twofold" / "results"


def test_the_command_tells_what_is_kept_and_clears_it(tmp_path: Path, store: Path) -> None:
    shutil.rmtree(store, ignore_errors=True)
    kept(store), kept(store, "b")
    (store / "mine.txt").write_text("not ours")
    assert f"{store}: 2 files, 0.0 MiB" in CliRunner().invoke(main, ["store"]).stdout
    cleared = CliRunner().invoke(main, ["store", "--clear"])
    assert cleared.stdout == f"{store}: 2 files removed\n"
    assert [path.name for path in store.iterdir()] == ["mine.txt"]
    elsewhere = CliRunner().invoke(main, ["store", "--store", str(tmp_path / "none")])
    assert elsewhere.exit_code == 0 and "0 files" in elsewhere.stdout
