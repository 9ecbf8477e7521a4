"""What `twofold list` says of each encoded claim, kept in a file so that listing them imports none.

The file is written whenever verdicts are to be accepted (`twofold audit SELECTOR --accept`), before the
selector is read, and a test compares it with the claims.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from audit.files import write_whole
from claims.registry import encoded, home_of, read_again

__all__ = ["PATH", "listing", "record_listing"]

PATH = Path(str(files("claims"))) / "encoded.json"


def listing() -> list[dict[str, Any]]:
    """Id, paper, source, kind, title and severity of each claim that this project encodes."""
    return [
        {
            "id": claim.id, "paper": claim.paper, "source": str(claim.source), "kind": claim.kind,
            "title": claim.title, "severity": claim.severity,
        }
        for claim in encoded().values()
        if home_of(claim.id) == "claims"
    ]  # fmt: skip


def record_listing() -> None:
    """Write the file anew where it is out of date; `OutputError` where it cannot be written."""
    text = json.dumps(listing(), indent=1, ensure_ascii=False) + "\n"
    if not PATH.exists() or PATH.read_text(encoding="utf-8") != text:
        write_whole(PATH, text.encode(), "--accept")
        read_again()
