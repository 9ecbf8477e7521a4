"""What an interrupted audit had finished, kept so that a rerun goes on where it stopped.

Records are kept only between an interruption and the next complete run, under a key that names the
code, the seed, the budget and the device: nothing stale is ever reused, and a complete audit always
computes everything.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["Store", "code_fingerprint"]


def code_fingerprint() -> str:
    """A hash of every source file that a verdict can depend on."""
    digest = sha256()
    for package in ("claims", "proofs", "numeric", "audit"):
        root = Path(str(files(package)))
        for path in sorted(root.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Store:
    """Finished records in a folder; a folder that cannot be written costs resumption, not results."""

    def __init__(self, folder: Path, *key: object):
        self.root = folder
        self.folder = folder / sha256("/".join(map(str, key)).encode()).hexdigest()[:16]
        self.usable = True

    def load(self) -> dict[str, dict[str, Any]]:
        records = {}
        for path in self.folder.glob("*.json"):
            try:
                record = json.loads(path.read_text(encoding="utf-8"))
                records[record["id"]] = record
            except (ValueError, KeyError, OSError):
                continue  # a record cut off while being written is computed again
        return records

    def keep(self, record: dict[str, Any]) -> None:
        if not self.usable:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial = self.folder / f"{record['id']}.part"
            partial.write_text(json.dumps(record), encoding="utf-8")
            partial.rename(self.folder / f"{record['id']}.json")
        except OSError:
            self.usable = False

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # another audit may keep records beside ours
            self.root.rmdir()
