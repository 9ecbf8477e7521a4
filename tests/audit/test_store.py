"""What an interrupted audit kept is used only if nobody changed it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from synthetic import record

from audit.cli import main
from audit.run import Options
from audit.state import Store, state_folder

KEY = ("code", 0, "quick", "cpu")
ONE = "noci2022.lemma-3.1.values"


def kept(folder: Path, number: int = 0) -> Path:
    """The file of one kept record."""
    store = Store(folder, *KEY)
    store.keep(record(number, "paper0", number, "A statement."))
    return store.folder / f"paper0.claim-{number}.json"


def loaded(folder: Path, *key: object) -> tuple[dict[str, Any], list[str]]:
    said: list[str] = []
    return Store(folder, *(key or KEY)).load(said.append), said


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    kept(tmp_path, 0), kept(tmp_path, 2)
    records, said = loaded(tmp_path)
    assert records == {f"paper0.claim-{k}": record(k, "paper0", k, "A statement.") for k in (0, 2)}
    assert not said


def forged(content: dict[str, Any]) -> object:
    """A refuted record turned into a proved one, by one who does not know of the digest."""
    content["record"].update(verdict="proved", severity=None)
    content["record"]["proof"]["status"], content["record"]["measurement"]["status"] = (
        "proved",
        "agrees",
    )
    return content


def bare(content: dict[str, Any]) -> object:
    return forged(content)["record"]


@pytest.mark.parametrize(
    "change",
    [
        forged, bare,
        lambda _: [], lambda _: 1, lambda _: None, lambda _: "x", lambda _: {}, lambda _: {"id": "x"},
        lambda content: {**content, "record": [content["record"]]},
        lambda content: {**content, "digest": None},
        lambda content: {**content, "record": {"id": content["record"]["id"]}},
    ],
)  # fmt: skip
def test_what_was_changed_is_dropped_with_one_line(tmp_path: Path, change: Any) -> None:
    path = kept(tmp_path, 2)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    records, said = loaded(tmp_path)
    assert records == {}
    assert len(said) == 1 and "1 kept records do not fit and are computed again" in said[0]


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "9" * 5000, "\x00", "NaN"])
def test_what_is_not_whole_is_dropped(tmp_path: Path, text: str) -> None:
    kept(tmp_path).write_text(text)
    records, said = loaded(tmp_path)
    assert records == {} and len(said) == 1


def test_a_record_that_fits_its_digest_must_also_fit_the_schema(tmp_path: Path) -> None:
    store = Store(tmp_path, *KEY)
    for change in ({"verdict": "proved"}, {"uses": 1}, {"proof": {"status": "proved"}}):
        store.keep({**record(2, "paper0", 2, "A statement."), **change})
        records, said = loaded(tmp_path)
        assert records == {} and len(said) == 1


def test_a_record_under_another_name_or_key_is_dropped(tmp_path: Path) -> None:
    path = kept(tmp_path)
    path.rename(path.with_name("paper0.claim-1.json"))
    assert loaded(tmp_path)[0] == {}
    moved = Store(tmp_path, "other code", *KEY[1:]).folder
    path.parent.rename(moved)
    (moved / "paper0.claim-1.json").rename(moved / path.name)
    records, said = loaded(tmp_path, "other code", *KEY[1:])
    assert records == {} and "its digest is another" in said[0]


def test_a_link_or_a_pipe_is_no_record(tmp_path: Path) -> None:
    path = kept(tmp_path)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    os.mkfifo(path.with_name("paper0.claim-1.json"))
    records, said = loaded(tmp_path)
    assert records == {} and "2 kept records" in said[0]


def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    folder = kept(tmp_path).parent
    folder.chmod(0o777)
    records, said = loaded(tmp_path)
    assert records == {} and "others may write there" in said[0]


def test_records_lie_in_the_users_state_folder_alone(
    tmp_path: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Options().state == state_folder() == state_home / "twofold" / "interrupted"
    folder = kept(state_folder()).parent
    assert folder.stat().st_mode & 0o077 == 0


def test_a_forged_record_does_not_reach_the_table(
    tmp_path: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fills the working folder, or the store, changes no verdict."""
    monkeypatch.chdir(tmp_path)
    refuted = {**record(2, "noci2022", 2, "Forged."), "id": ONE, "paper": "noci2022"}
    seen: list[Path] = []

    def plant(self: Store, *key: object) -> None:
        for folder in (self.folder, Path(".twofold-interrupted") / self.folder.name):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / f"{ONE}.json").write_text(json.dumps(refuted))
            seen.append(folder)

    real = Store.__init__
    monkeypatch.setattr(Store, "__init__", lambda self, *a: (real(self, *a), plant(self))[0])
    result = CliRunner().invoke(
        main, ["audit", ONE, "--budget", "quick", "--workers", "1", "--json", "-"]
    )
    assert seen and result.exit_code == 0
    assert json.loads(result.stdout)["claims"][0]["verdict"] == "proved"
    assert result.stderr.count("computed again") == 1
