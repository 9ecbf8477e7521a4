"""The verdicts expected: one reviewed file, changed only when a person accepts new verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from audit.verdict import VERDICTS
from claims.registry import index

__all__ = ["BadExpectations", "Expected", "PATH"]

PATH = Path(__file__).with_name("expected.json")
UNLISTED = "unsettled"


class BadExpectations(ValueError):
    """The file of expected verdicts cannot be used."""


@dataclass(frozen=True)
class Expected:
    """Expected verdict by id; a claim that is not listed is expected to be unsettled."""

    verdicts: Mapping[str, str]

    def of(self, claim_id: str) -> str:
        return self.verdicts.get(claim_id, UNLISTED)

    @classmethod
    def read(cls, path: Path = PATH) -> Expected:
        """Read and check the file; raises `BadExpectations` with one clear line."""
        remedy = "restore it from version control, or record it anew with `twofold audit --accept`"
        try:
            verdicts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadExpectations(f"{path.name}: cannot be read ({error}); {remedy}") from None
        if not isinstance(verdicts, dict):
            raise BadExpectations(f"{path.name}: must be an object from id to verdict; {remedy}")
        known = {entry.id for entry in index()}
        for claim_id, verdict in verdicts.items():
            if claim_id not in known:
                raise BadExpectations(f"{path.name}: unknown claim id {claim_id!r}; {remedy}")
            if verdict not in VERDICTS:
                raise BadExpectations(
                    f"{path.name}: {claim_id}: verdict {verdict!r} must be one of "
                    f"{', '.join(VERDICTS)}; {remedy}"
                )
        return cls(verdicts)

    def accept(self, found: Mapping[str, str], path: Path = PATH) -> Expected:
        """Record the found verdicts over the expected ones, in the order of the index."""
        merged = {**self.verdicts, **found}
        ordered = {e.id: merged[e.id] for e in index() if merged.get(e.id, UNLISTED) != UNLISTED}
        path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
        return Expected(ordered)
