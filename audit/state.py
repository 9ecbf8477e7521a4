"""What an interrupted audit had finished, kept so that a rerun goes on where it stopped.

Records are kept only between an interruption and the next complete run, in the user's own folder
for state, under a key that names the code, the seed, the budget and the device: nothing stale is
ever reused, and a complete audit always computes everything.  A record is read back only if it is
whole: a record of the schema, whose verdict its witnesses give, under a digest of itself and the key.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from audit.documents import BadDocument, check_record, parsed

__all__ = ["Store", "code_fingerprint", "state_folder"]


def code_fingerprint() -> str:
    """A hash of every source file that a verdict can depend on."""
    digest = sha256()
    for package in ("claims", "proofs", "numeric", "audit"):
        root = Path(str(files(package)))
        for path in sorted(root.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def state_folder() -> Path:
    """Where records are kept: the user's, not the working folder, which others may have filled."""
    return user_state_path("twofold") / "interrupted"


class Store:
    """Finished records in a folder; a folder that cannot be written costs resumption, not results."""

    def __init__(self, folder: Path, *key: object):
        self.root = folder
        self.key = sha256("/".join(map(str, key)).encode()).hexdigest()
        self.folder = folder / self.key[:16]
        self.usable = True

    def load(self, dropped: Callable[[str], None] = lambda _: None) -> dict[str, dict[str, Any]]:
        """The records that are whole; `dropped` is told in one line of any that are not."""
        try:
            paths = sorted(self.folder.glob("*.json"))
            if paths and not _is_ours_alone(self.folder):
                raise BadDocument("others may write there")
        except (OSError, BadDocument) as error:
            dropped(f"{self.folder}: what was kept is not used ({error})")
            return {}
        records, faults = {}, []
        for path in paths:
            try:
                records[path.stem] = self._read(path)
            except (OSError, ValueError) as error:
                faults.append(f"{path.name}: {error}")
        if faults:
            dropped(f"{len(faults)} kept records do not fit and are computed again ({faults[0]})")
        return records

    def _read(self, path: Path) -> dict[str, Any]:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise BadDocument("no regular file")
        kept = parsed(path.name, path.read_text(encoding="utf-8"))
        if not isinstance(kept, dict) or kept.get("digest") != self._digest(kept.get("record")):
            raise BadDocument("its digest is another")
        record = kept["record"]
        check_record(path.name, record)
        if record["id"] != path.stem:
            raise BadDocument(f"holds {record['id']}")
        return record

    def _digest(self, record: Any) -> str:
        return sha256(f"{self.key}\n{json.dumps(record, sort_keys=True)}".encode()).hexdigest()

    def keep(self, record: dict[str, Any]) -> None:
        if not self.usable:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = self.folder / f"{record['id']}.part"
            content = {"digest": self._digest(record), "record": record}
            partial.write_text(json.dumps(content), encoding="utf-8")
            partial.rename(self.folder / f"{record['id']}.json")
        except OSError:
            self.usable = False

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # another audit may keep records beside ours
            self.root.rmdir()


def _is_ours_alone(folder: Path) -> bool:
    """Whether the folder is this user's and no other may write into it, where a system knows that."""
    about = folder.lstat()
    owner = not hasattr(os, "getuid") or about.st_uid == os.getuid()
    return owner and stat.S_ISDIR(about.st_mode) and not about.st_mode & 0o022
