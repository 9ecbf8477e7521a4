"""Reading audit documents back: whole, of this schema, and saying what their witnesses say.

A document may have been written by another version, cut short by a full disk, or edited.  Each is
refused in one line, since whatever reads it would otherwise report verdicts that nobody computed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import jsonschema_rs

from audit.verdict import combine
from claims.errors import UserError

__all__ = [
    "BadDocument",
    "correction_of",
    "fault_of_schema",
    "parsed",
    "read_document",
    "read_record",
]

SCHEMA = Path(__file__).with_name("schema.json")
VERSIONS = (1, 2)
LARGEST, DEEPEST = 1 << 28, 40
"""Bytes of a document, and levels of lists in lists; those of an audit need 1% and a third of it."""
ALTERNATIVES = (
    jsonschema_rs.ValidationErrorKind.OneOfNotValid, jsonschema_rs.ValidationErrorKind.AnyOf,
)  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_REMEDY = "write it anew with `twofold audit --json FILE`"


class BadDocument(UserError):
    """An audit document that cannot be used; the message names the file, the fault and the remedy."""


def read_document(path: Path | str) -> dict[str, Any]:
    """The audit document in a file, checked against the schema and against its own witnesses.

    Raises `BadDocument` for a file that is missing, truncated, of another schema version, that does
    not fit the schema, or whose verdicts its witnesses do not give.
    """
    document = parsed(path, _text_of(path))
    _of_known_schema(path, document)
    _fits_schema(path, document)
    for record in document["claims"]:
        _says_what_its_witnesses_say(path, record)
    _rests_on_no_circle(path, document["claims"])
    return document


def read_record(path: Path | str, claim_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a document says of itself, and its record of one claim; only these two are checked.

    Raises `BadDocument` as `read_document` does, and where the document does not hold the claim.
    """
    document = _decoded(path, _text_of(path))
    _of_known_schema(path, document)
    claims = document.get("claims")
    listed = claims if isinstance(claims, list) else []
    found = [c for c in listed if isinstance(c, dict) and c.get("id") == claim_id]
    header = {**document, "claims": found}
    _require_plain(path, header)
    _fits_schema(path, header)
    if not found:
        raise BadDocument(f"{path}: holds no claim {claim_id}; it holds {len(listed)} others")
    _says_what_its_witnesses_say(path, found[0])
    return header, found[0]


def _of_known_schema(path: Path | str, document: Any) -> None:
    version = document.get("schema") if isinstance(document, dict) else None
    if version not in VERSIONS:
        raise BadDocument(
            f"{path}: schema {_shortened(repr(version))}; this version of twofold reads schemas "
            f"{' and '.join(map(str, VERSIONS))}; {_REMEDY}"
        )


def _text_of(path: Path | str) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadDocument(
            f"{path}: cannot be read (not UTF-8 text); give an audit document"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadDocument(f"{path}: cannot be read ({reason}); give an audit document") from None
    if len(content) > LARGEST:
        raise BadDocument(f"{path}: more than {LARGEST >> 20} MiB; give an audit document")
    return text


def parsed(path: Path | str, text: str) -> Any:
    """The JSON in a text, if it is plain: finite numbers, whole characters, not nested without end."""
    document = _decoded(path, text)
    _require_plain(path, document)
    return document


def _decoded(path: Path | str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadDocument(
            f"{path}: not whole JSON (line {error.lineno}: {error.msg}), cut short or edited; {_REMEDY}"
        ) from None
    except RecursionError:
        raise BadDocument(f"{path}: nested more than {DEEPEST} deep; {_REMEDY}") from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        raise BadDocument(f"{path}: holds a number of thousands of digits; {_REMEDY}") from None


def _require_plain(path: Path | str, document: Any) -> None:
    fault = _not_plain(document)
    if fault:
        raise BadDocument(f"{path}: {fault}; {_REMEDY}")


def _not_plain(value: Any) -> str | None:
    """What makes a JSON value one that no audit writes, or None."""
    level = [value]
    for _ in range(DEEPEST):
        for part in level:
            if isinstance(part, float) and not math.isfinite(part):
                return "holds a number that is not finite"
            texts = part if isinstance(part, dict) else [part]
            if any(isinstance(t, str) and _SURROGATE.search(t) for t in texts):
                return "holds half a character"
        lists = (part for part in level if isinstance(part, dict | list))
        level = [x for part in lists for x in (part.values() if isinstance(part, dict) else part)]
        if not level:
            return None
    return f"nested more than {DEEPEST} deep"


def correction_of(record: Mapping[str, Any]) -> str:
    """What is true instead, in one sentence: the repair's, or the claim's own note; may be empty."""
    repair = record["repair"]
    return (repair and repair["note"]) or record.get("note") or ""


def fault_of_schema(document: Mapping[str, Any]) -> str | None:
    """Where what JSON gave does not fit the schema, and why; None where it fits."""
    error = next(_validator().iter_errors(document), None)
    if error is None:
        return None
    while isinstance(error.kind, ALTERNATIVES):  # of several forms that one which fits furthest
        forms = [each for form in error.kind.context for each in form]
        error = max(forms, key=lambda each: len(each.instance_path))
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
    place = "".join(steps).removeprefix(".") or "the document"
    return f"{place}: {_shortened(error.message)}"


@cache
def _validator() -> Any:
    return jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _fits_schema(path: Path | str, document: Mapping[str, Any]) -> None:
    if (fault := fault_of_schema(document)) is not None:
        raise BadDocument(f"{path}: {fault}; {_REMEDY}")
    ids = [record["id"] for record in document["claims"]]
    twice = sorted({i for i in ids if ids.count(i) > 1}) if len(set(ids)) < len(ids) else []
    if twice:
        raise BadDocument(f"{path}: claim {twice[0]} stands twice; {_REMEDY}")


def _says_what_its_witnesses_say(path: Path | str, record: Mapping[str, Any]) -> None:
    """The verdict recomputed; schema 1 wrote a vacuous statement with an undecided proof."""
    if record["verdict"] == "vacuous" and (record["proof"] or {}).get("status") == "undecided":
        return
    if record["verdict"] == "conflict" and not record["proof"] and not record["measurement"]:
        return  # a certificate that did not stand up to its own check
    proof = record["proof"] or {}
    found = combine(
        proof.get("status"),
        record["measurement"]["status"] if record["measurement"] else None,
        grade=proof.get("grade"),
        violated=bool(record["adversary"] and record["adversary"]["violated"]),
    ).verdict
    if found != record["verdict"]:
        raise BadDocument(
            f"{path}: {record['id']} is called {record['verdict']}, but its witnesses give {found}; "
            f"edited by hand? {_REMEDY}"
        )


def _rests_on_no_circle(path: Path | str, records: Sequence[Mapping[str, Any]]) -> None:
    try:
        TopologicalSorter({record["id"]: record["uses"] for record in records}).prepare()
    except CycleError as error:
        raise BadDocument(
            f"{path}: {error.args[1][0]} is used, by way of others, by itself; {_REMEDY}"
        ) from None


def _shortened(message: str, limit: int = 120) -> str:
    """A message with its middle left out: the value stands first, what is wrong with it last."""
    half = limit // 2
    return message if len(message) <= limit else f"{message[:half]}...{message[-half:]}"
