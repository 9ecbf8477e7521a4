"""Packages that bring papers of their own, found by entry points; one that cannot be used is left out.

An extension declares `name = "package"` in the group `twofold.papers` and holds `claims`, `proofs` and
`numeric` as subpackages; `papers.json`, `index.json` and `expected.json` lie beside them.  Whatever is
wrong with one is said in one line and costs nobody else's audit.  A package without `__init__.py` is one
as well, as it is for Python.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from typing import Any

from claims.errors import UserError

__all__ = ["GROUP", "listed", "packages", "refuse", "refused", "roles", "root", "roots"]

GROUP = "twofold.papers"
_REFUSED: dict[str, str] = {}


def packages() -> list[str]:
    """The packages that declare themselves and have not been refused, each once."""
    return [package for package in _declared() if package not in _REFUSED]


@cache
def _declared() -> tuple[str, ...]:
    return tuple(dict.fromkeys(sorted(point.value for point in entry_points(group=GROUP))))


def refuse(package: str, error: BaseException) -> None:
    """Leave a package out from now on; the reason is one line, whatever it raised, and says where."""
    said = " ".join(_message(error).split()) or "without a reason"
    kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
    place = "" if isinstance(error, UserError) else _place_in(package, error)
    _REFUSED.setdefault(
        package, f"package {package} is left out: {kind}{said}{place}; mend it, or uninstall it"
    )


def _message(error: BaseException) -> str:
    """Of an error of syntax, which says where by itself, without the place."""
    return (error.msg or "") if isinstance(error, SyntaxError) else str(error)


def _place_in(package: str, error: BaseException) -> str:
    """The innermost line of the package that an error comes from; empty where it comes from none."""
    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        lines.append((error.filename, error.lineno or 1))
    for file, line in reversed(lines):
        for folder in _folders(package.partition(".")[0]):
            if (path := Path(file).resolve()).is_relative_to(folder):
                return f" ({path.relative_to(folder.parent).as_posix()}, line {line})"
    return ""


@cache
def _folders(package: str) -> tuple[Path, ...]:
    """Where a package lies: in one folder, or in several where it has no `__init__.py`."""
    try:
        spec = find_spec(package)
    except (Exception, SystemExit):  # whatever the package above it raises
        return ()
    return tuple(Path(f).resolve() for f in (spec and spec.submodule_search_locations) or ())


def roots() -> tuple[Path, ...]:
    """The folders above the packages, also of those that are left out: what is wrong there is said."""
    tops = dict.fromkeys(package.partition(".")[0] for package in _declared())
    return tuple(dict.fromkeys(folder.parent for top in tops for folder in _folders(top)))


def root(package: str) -> Path:
    """The folder of a package, in which its listings lie: the one that holds its claims."""
    folders = _folders(package)
    if not folders:
        raise ModuleNotFoundError(f"No module named {package!r}")
    return next((folder for folder in folders if (folder / "claims").is_dir()), folders[0])


def refused() -> dict[str, str]:
    """Why each package that is left out is, by its name."""
    return dict(_REFUSED)


def roles(role: str) -> list[str]:
    """The subpackages of one role ("claims", "proofs", "numeric") that extensions have."""
    found = []
    for package in packages():
        try:
            if find_spec(f"{package}.{role}") is not None:
                found.append(f"{package}.{role}")
        except (Exception, SystemExit) as error:
            refuse(package, error)
    return found


def listed(package: str) -> list[dict[str, str]]:
    """The entries of a package's `index.json`: statements of its paper, encoded or not."""
    path = root(package) / "index.json"
    if not path.is_file():
        return []
    try:
        records: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{package}/index.json: cannot be read ({error})") from None
    if not isinstance(records, list) or not all(map(_is_entry, records)):
        raise UserError(
            f"{package}/index.json: must be a list of objects with the texts id, paper, source and kind"
        )
    return records


def _is_entry(record: Any) -> bool:
    fields = {"id", "paper", "source", "kind"}
    texts = isinstance(record, dict) and all(isinstance(v, str) for v in record.values())
    return texts and fields <= record.keys() <= fields | {"printed"}
