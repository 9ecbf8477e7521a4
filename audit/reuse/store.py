"""A folder of finished results, each whole or not at all, which several audits may use at once.

A result lies in a file of its own, named by what it is a result of, under a digest of its name and
content.  What is not whole is computed again; a folder that cannot be written costs reuse, not
results.  Files that nobody asked for in `DAYS` days go, and the longest unused beyond `LARGEST` bytes.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

__all__ = ["DAYS", "LARGEST", "Store", "store_folder"]

HEAD = b"twofold result 1 "
"""What a file begins with, before the digest: another version may hold something else."""
DAYS, LARGEST = 90, 1 << 29
ENDING, PART = ".twofold", ".twofold-part"
HOUR, DAY = 3600, 24 * 3600
"""Seconds.  A use is noted at most once an hour: the time of a file says when it was last used."""


def store_folder(chosen: str | None = None) -> Path:
    """The folder that was chosen, or that TWOFOLD_STORE names, or the one in the user's cache."""
    named = chosen or os.environ.get("TWOFOLD_STORE")
    return Path(named).expanduser() if named else user_cache_path("twofold") / "results"


class Store:
    """Plain values by name; names are ids with a digest, and may hold letters, digits, `.`, `_`, `-`.

    `say` receives one line for each kind of trouble; none of it is an error.
    """

    def __init__(self, folder: Path, say: Callable[[str], None] = lambda _: None):
        self.folder = folder
        self.say = say
        self.faults: list[str] = []
        self.readable = self._is_ours_alone()
        self.writable = self.readable
        self.wrote = False

    def get(self, name: str) -> Any:
        """What was put under this name; None where it is not there or not whole."""
        path = self._path(name)
        try:
            content = path.read_bytes() if self.readable and _is_plain(path) else None
            return None if content is None else self._opened(name, path, content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self.faults.append(f"{path.name}: {getattr(error, 'strerror', None) or error}")
            return None

    def _opened(self, name: str, path: Path, content: bytes) -> Any:
        head, _, value = content.partition(b"\n")
        if not head.startswith(HEAD):
            raise ValueError("of another version")
        if head != HEAD + _digest(name, value):
            raise ValueError("its digest is another")
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > HOUR:
                os.utime(path)
        return json.loads(value)

    def put(self, name: str, value: Any) -> None:
        """Keep a value; the first failure is told in one line, and ends all keeping."""
        if not self.writable:
            return
        content = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        part = self.folder / f"{secrets.token_hex(8)}{PART}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with part.open("xb") as file:
                file.write(HEAD + _digest(name, content) + b"\n" + content)
            part.replace(self._path(name))
            self.wrote = True
        except OSError as error:
            self.writable = False
            with suppress(OSError):
                part.unlink()
            self.say(f"{self.folder}: results cannot be kept ({error.strerror}); the audit goes on")

    def tell_faults(self) -> None:
        """Say in one line what was there and could not be used; it is said once."""
        if self.faults:
            count, first = len(self.faults), self.faults[0]
            self.say(f"{count} kept results do not fit and are computed again ({first})")
            self.faults.clear()

    def tidy(self) -> None:
        """Remove what was not used for long, and the longest unused of what is too much."""
        now, kept = time.time(), 0
        for path, used, size in sorted(self._files(), key=lambda entry: -entry[1]):
            age = now - used
            kept += size
            left = path.suffix == PART and age > DAY  # by an audit that was killed
            if left or age > DAYS * DAY or kept > LARGEST:
                with suppress(OSError):
                    path.unlink()

    def clear(self) -> int:
        """Remove everything; how many results it was."""
        gone = 0
        for path, _, _ in self._files():
            with suppress(OSError):
                path.unlink()
                gone += path.suffix == ENDING
        return gone

    def sizes(self) -> list[int]:
        """The size of each result in bytes."""
        return [size for path, _, size in self._files() if path.suffix == ENDING]

    def _files(self) -> Iterator[tuple[Path, float, int]]:
        """Our files with the time of their last use and their size."""
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                with suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if entry.name.endswith((ENDING, PART)):
                        yield Path(entry.path), about.st_mtime, about.st_size

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"

    def _is_ours_alone(self) -> bool:
        """Whether no other user may write into the folder, where the system knows users."""
        try:
            about = self.folder.stat()
        except OSError:
            return True
        if not stat.S_ISDIR(about.st_mode):
            self.say(f"{self.folder}: is no folder; results are neither reused nor kept")
            return False
        owner = not hasattr(os, "getuid") or about.st_uid == os.getuid()
        if owner and not about.st_mode & 0o022:
            return True
        self.say(
            f"{self.folder}: others may write there; results are neither reused nor kept "
            "(chmod go-w it, or choose another with --store)"
        )
        return False


def _is_plain(path: Path) -> bool:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(None, "no regular file")
    return True


def _digest(name: str, content: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + content).hexdigest().encode()
