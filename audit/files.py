"""Files that a command will write, checked before any work is done."""

from __future__ import annotations

from pathlib import Path

from claims.errors import UserError

__all__ = ["OutputError", "ensure_writable"]


class OutputError(UserError):
    """A file that cannot be written."""


def ensure_writable(path: Path, option: str) -> None:
    """Raise `OutputError` if `path` is a folder or cannot be written; what is there stays as it is."""
    if path.is_dir():
        raise OutputError(f"{option} {path}: is a folder; give a file name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        with path.open("a", encoding="utf-8"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise OutputError(
            f"{option} {path}: cannot be written ({error.strerror}); choose another place"
        ) from None
