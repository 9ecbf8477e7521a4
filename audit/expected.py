"""The verdicts expected: one reviewed file, changed only when a person accepts new verdicts.

A correction has its own, under its claim's id and `.repair`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.files import ensure_writable, write_whole
from audit.verdict import VERDICTS
from claims import extensions
from claims.errors import UserError
from claims.registry import (
    CORRECTION,
    corrected_by,
    home_of,
    index,
    stated_by,
    usable_extensions,
)

__all__ = ["PATH", "BadExpectations", "Expected", "ensure_recordable", "verdicts_of"]

PATH = Path(__file__).with_name("expected.json")
UNLISTED = "unsettled"


class BadExpectations(UserError):
    """The file of expected verdicts cannot be used."""


def homes() -> dict[str, Path]:
    """The file of expected verdicts of every package that holds claims, by package name."""
    roots = {package: extensions.root(package) for package in usable_extensions()}
    return {"claims": PATH, **{package: root / PATH.name for package, root in roots.items()}}


def _checked(path: Path, package: str = "claims") -> dict[str, str]:
    remedy = f"restore it from version control, or record it anew with `{_anew(package)}`"
    try:
        verdicts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadExpectations(
            f"{path.parent.name}/{path.name}: cannot be read ({error}); {remedy}"
        ) from None
    if not isinstance(verdicts, dict):
        raise BadExpectations(
            f"{path.parent.name}/{path.name}: must be an object from id to verdict; {remedy}"
        )
    known = {entry.id for entry in index()}
    for claim_id, verdict in verdicts.items():
        if (corrected_by(claim_id) or claim_id) not in known:
            raise BadExpectations(
                f"{path.parent.name}/{path.name}: unknown claim id {claim_id!r}; {remedy}"
            )
        if not isinstance(verdict, str) or verdict not in VERDICTS:
            raise BadExpectations(
                f"{path.parent.name}/{path.name}: {claim_id}: verdict {verdict!r} must be one of "
                f"{', '.join(VERDICTS)}; {remedy}"
            )
    return verdicts


def _anew(package: str) -> str:
    """The command that records all verdicts of a package, whatever its file holds."""
    papers = sorted({claim_id.partition(".")[0] for claim_id in _stated(package)})
    return " ".join(["twofold audit", *papers, "--accept"])


def _stated(package: str) -> frozenset[str]:
    return frozenset() if package == "claims" else stated_by(package)


@dataclass(frozen=True)
class Expected:
    """Expected verdict by id; a claim that is not listed is expected to be unsettled."""

    verdicts: Mapping[str, str]

    def of(self, claim_id: str) -> str:
        return self.verdicts.get(claim_id, UNLISTED)

    @classmethod
    def read(cls, path: Path | None = None) -> Expected:
        """Read and check a file (all packages' by default); `BadExpectations` in one line."""
        return cls.kept(()) if path is None else cls(_checked(path))

    @classmethod
    def kept(cls, accepted: Iterable[str]) -> Expected:
        """What stays expected while verdicts of these claims are recorded.

        The file of a package all of whose claims are among them is written anew, and not read.
        """
        ids, verdicts = frozenset(accepted), dict[str, str]()
        for package, path in homes().items():
            stated = _stated(package)
            written_anew = stated and stated <= ids
            if not written_anew and (package == "claims" or path.exists()):
                verdicts |= _checked(path, package)
        return cls(verdicts)

    def accept(self, found: Mapping[str, str]) -> Expected:
        """Record the found verdicts over the expected ones, each in its own package's file.

        Files of packages of which nothing was found stay as they are.
        """
        repaired = {claim_id + CORRECTION for claim_id in found}
        kept = {k: v for k, v in self.verdicts.items() if k not in repaired}
        merged = {**kept, **found}
        names = (name for entry in index() for name in (entry.id, entry.id + CORRECTION))
        ordered = {name: merged[name] for name in names if merged.get(name, UNLISTED) != UNLISTED}
        paths = homes()
        for package in sorted(set(map(_home, found))):
            own = {k: v for k, v in ordered.items() if _home(k) == package}
            write_whole(paths[package], f"{json.dumps(own, indent=1)}\n".encode(), "--accept")
        return Expected(ordered)


def _home(claim_id: str) -> str:
    return home_of(corrected_by(claim_id) or claim_id)


def verdicts_of(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What was found of claims, and of their corrections."""
    repairs = [record["repair"] for record in records if record["repair"]]
    return {record["id"]: record["verdict"] for record in (*records, *repairs)}


def ensure_recordable(claim_ids: Iterable[str]) -> None:
    """Raise `OutputError` now if the verdicts of these claims could not be recorded after the audit."""
    paths = homes()
    for package in sorted({home_of(claim_id) for claim_id in claim_ids}):
        ensure_writable(paths[package], "--accept")
