"""Files that a command will write: checked before any work is done, and written whole or not at all.

Only a regular file is replaced, by renaming a finished one onto it; a link stays, and the file it
names is replaced.  A device, a pipe or a descriptor such as /dev/stdout is written through.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from claims.errors import UserError

__all__ = ["OutputError", "append_whole", "ensure_writable", "write_whole"]

_DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|(stdout)|stderr)|/proc/self/fd/(\d+)")
_WRITE = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_pipes: dict[Path, int] = {}
"""Named pipes held open from the check to the writing, so that their reader does not see an end."""


class OutputError(UserError):
    """A file that cannot be written."""


def ensure_writable(path: Path, option: str) -> None:
    """Raise `OutputError` if `path` is a folder or cannot be written; what is there stays as it is."""
    try:
        number = _descriptor(path)
        if number is not None:
            _ensure_open_for_writing(number)
        elif _is_regular_or_new(path):
            _ensure_replaceable(_target(path))
        elif stat.S_ISDIR(path.stat().st_mode):
            raise OutputError(f"{option} {path}: is a folder; give a file name")
        else:
            _hold(path)
    except OutputError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot(path, option, error, "; choose another place") from None


def write_whole(path: Path, content: bytes, option: str) -> None:
    """Write a file whole or not at all; `OutputError` in one line."""
    try:
        if _descriptor(path) is None and _is_regular_or_new(path):
            _replace(_target(path), content)
        else:
            _write_through(path, content)
    except (OSError, ValueError) as error:
        raise _cannot(path, option, error) from None


def append_whole(path: Path, content: bytes, option: str) -> None:
    """Append to a file that others write to as well."""
    try:
        if _descriptor(path) is None and _is_regular_or_new(path):
            with path.open("ab") as file:
                file.write(content)
        else:
            _write_through(path, content)
    except (OSError, ValueError) as error:
        raise _cannot(path, option, error) from None


def _cannot(path: Path, option: str, error: Exception, remedy: str = "") -> OutputError:
    reason = getattr(error, "strerror", None) or str(error)
    return OutputError(f"{option} {path}: cannot be written ({reason}){remedy}")


def _descriptor(path: Path) -> int | None:
    """The open descriptor that a name such as /dev/stdout or /dev/fd/3 stands for."""
    named = _DESCRIPTOR.fullmatch(str(path))
    if named is None:
        return None
    number = named[1] or named[3]
    return int(number) if number else 1 if named[2] else 2


def _ensure_open_for_writing(number: int) -> None:
    import fcntl  # a system without it has no such names

    if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "open for reading only")


def _target(path: Path) -> Path:
    """The file that a link names, at the end of a chain of links."""
    return Path(os.path.realpath(path))


def _is_regular_or_new(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _ensure_replaceable(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        with target.open("ab"):
            pass
    else:
        with target.open("xb"):
            pass
        target.unlink()
    probe, descriptor = _beside(target)
    os.close(descriptor)
    probe.unlink()


def _beside(target: Path) -> tuple[Path, int]:
    """A new file in the folder of `target`, under a short name of its own."""
    partial = target.with_name(f".twofold-{secrets.token_hex(6)}.part")
    return partial, os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)


def _replace(target: Path, content: bytes) -> None:
    partial, descriptor = _beside(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        with suppress(FileNotFoundError):
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _hold(path: Path) -> None:
    """Refuse what is no device or pipe; keep a pipe open, which fails where nobody reads it."""
    mode = path.stat().st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise OSError(None, "neither a file nor a character device nor a pipe")
    if stat.S_ISFIFO(mode) and path in _pipes:
        return
    descriptor = _open(path)
    if stat.S_ISFIFO(mode):
        _pipes[path] = descriptor
    else:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        descriptor = os.open(path, _WRITE)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "nobody reads this pipe; start its reader first") from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def _write_through(path: Path, content: bytes) -> None:
    number = _descriptor(path)
    if number is not None:
        descriptor = os.dup(number)
    elif path in _pipes:
        descriptor = _pipes.pop(path)
    else:
        descriptor = _open(path)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
