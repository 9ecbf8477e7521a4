"""Reading audit documents back: whole, of this schema, and saying what their witnesses say.

A document may have been written by another version, cut short by a full disk, or edited.  Each is
refused in one line, since whatever reads it would otherwise report verdicts that nobody computed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from audit.verdict import combine
from claims.errors import UserError

__all__ = ["SCHEMA", "BadDocument", "correction_of", "read_document"]

SCHEMA = Path(__file__).with_name("schema.json")
VERSION = 1
_REMEDY = "write it anew with `twofold audit --json FILE`"


class BadDocument(UserError):
    """An audit document that cannot be used; the message names the file, the fault and the remedy."""


def read_document(path: Path | str) -> dict[str, Any]:
    """The audit document in a file, checked against the schema and against its own witnesses.

    Raises `BadDocument` for a file that is missing, truncated, of another schema version, that does
    not fit the schema, or whose verdicts its witnesses do not give.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise BadDocument(f"{path}: cannot be read ({reason}); give an audit document") from None
    except json.JSONDecodeError as error:
        raise BadDocument(
            f"{path}: not whole JSON (line {error.lineno}: {error.msg}), cut short or edited; {_REMEDY}"
        ) from None
    version = document.get("schema") if isinstance(document, dict) else None
    if version != VERSION:
        raise BadDocument(
            f"{path}: schema {version!r}; this version of twofold reads schema {VERSION}; {_REMEDY}"
        )
    _fits_schema(path, document)
    for record in document["claims"]:
        _says_what_its_witnesses_say(path, record)
    return document


def correction_of(record: Mapping[str, Any]) -> str:
    """What is true instead, in one sentence: the repair's, or the claim's own note; may be empty."""
    repair = record["repair"]
    return (repair and repair["note"]) or record.get("note") or ""


def _fits_schema(path: Path | str, document: Mapping[str, Any]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(document)
    )
    if error is not None:
        place = error.json_path.removeprefix("$.") or "the document"
        raise BadDocument(f"{path}: {place}: {_shortened(error.message)}; {_REMEDY}")
    ids = [record["id"] for record in document["claims"]]
    twice = sorted({i for i in ids if ids.count(i) > 1}) if len(set(ids)) < len(ids) else []
    if twice:
        raise BadDocument(f"{path}: claim {twice[0]} stands twice; {_REMEDY}")


def _says_what_its_witnesses_say(path: Path | str, record: Mapping[str, Any]) -> None:
    """The verdict recomputed; a vacuous statement is written with an undecided proof."""
    if record["verdict"] == "vacuous":
        return
    found = combine(
        record["proof"]["status"] if record["proof"] else None,
        record["measurement"]["status"] if record["measurement"] else None,
    ).verdict
    if found != record["verdict"]:
        raise BadDocument(
            f"{path}: {record['id']} is called {record['verdict']}, but its witnesses give {found}; "
            f"edited by hand? {_REMEDY}"
        )


def _shortened(message: str, limit: int = 120) -> str:
    return message if len(message) <= limit else f"{message[: limit - 3]}..."
