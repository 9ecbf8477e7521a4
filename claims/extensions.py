"""Packages that bring papers of their own, found by entry points; one that cannot be used is left out.

An extension declares `name = "package"` in the group `twofold.papers` and holds `claims`, `proofs` and
`numeric` as subpackages; `papers.json`, `index.json` and `expected.json` lie beside them.  Whatever is
wrong with one is said in one line and costs nobody else's audit.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from claims.errors import UserError

__all__ = ["GROUP", "listed", "packages", "refuse", "refused", "roles"]

GROUP = "twofold.papers"
_REFUSED: dict[str, str] = {}


def packages() -> list[str]:
    """The packages that declare themselves and have not been refused, each once."""
    return [package for package in _declared() if package not in _REFUSED]


@cache
def _declared() -> tuple[str, ...]:
    return tuple(dict.fromkeys(sorted(point.value for point in entry_points(group=GROUP))))


def refuse(package: str, error: BaseException) -> None:
    """Leave a package out from now on; the reason is one line, whatever it raised."""
    said = " ".join(str(error).split()) or "without a reason"
    kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
    _REFUSED.setdefault(
        package, f"package {package} is left out: {kind}{said}; mend it, or uninstall it"
    )


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
    path = Path(str(files(package))) / "index.json"
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
