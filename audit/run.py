"""Run an audit: every selected claim examined, in process, on several processes, or on a cluster."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from audit.cluster import ClusterLost, on_cluster
from audit.documents import fault_of_schema
from audit.environment import device_name
from audit.expected import Expected
from audit.reuse.results import Reuse
from audit.reuse.sources import code_fingerprint
from audit.reuse.store import store_folder
from audit.undone import WORKER_DIED, not_encoded
from claims.registry import Entry, index
from numeric.budget import FALSE_ALARM_BUDGET

__all__ = ["ClusterLost", "Options", "audit", "died", "document", "is_reused", "problems"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What a user chose; every field is validated at the command line."""

    seed: int = 0
    budget: str = "standard"
    device: str = "auto"
    workers: int = 1
    scheduler: str | None = None
    store: Path = field(default_factory=store_folder)
    fresh: bool = False


def audit(
    entries: Sequence[Entry],
    options: Options,
    done: Callable[[Record], None] = lambda _: None,
    deliver: Callable[[list[Record]], None] = lambda _: None,
    reuse: Reuse | None = None,
) -> list[Record]:
    """Records of the selected entries, in order.

    `done` is called as each one finishes, `deliver` with all of them.  What is in the store and made
    of what is there now is taken from it, and each result is kept as soon as it is finished, so that
    an interruption or a full disk loses nothing; a claim whose worker died is not, and taken up again.
    """
    reuse = reuse or Reuse(options)
    device_name(options.device)  # refused now if it is not there
    finished = reuse.records(e.id for e in entries)
    for record in finished.values():
        done(record)
    missing = [e.id for e in entries if e.id not in finished and reuse.is_encoded(e.id)]
    for record in _examined(missing, options, reuse):
        finished[record["id"]] = record
        done(record)
    reuse.close()
    records = mark_descendants([finished.get(e.id) or not_encoded(e) for e in entries])
    deliver(records)
    return records


def _examined(ids: Sequence[str], options: Options, reuse: Reuse) -> Iterator[Record]:
    """Records of claims that are computed here and now, each kept before it is handed on."""
    if not ids:
        return
    from audit import workers  # loads torch, which an audit that computes nothing does without
    from audit.examine import load_witnesses
    from numeric import device

    device.use(options.device)
    for paper in sorted({i.partition(".")[0] for i in ids}):  # before workers begin: they share it
        load_witnesses(paper)
    jobs = [(i, options.seed, options.budget, options.device) for i in ids]
    if options.scheduler is not None:
        answers = on_cluster(jobs, options.scheduler, reuse.environment())
    else:
        answers = ((record, True) for record in workers.on_this_machine(jobs, options.workers))
    for record, is_made_as_here in answers:
        if is_made_as_here and record["reason"] != WORKER_DIED:
            reuse.keep(record)
        yield {**record, "reused": False}


def died(records: Sequence[Record]) -> list[str]:
    """The claims that nothing was found out about, since their workers died twice."""
    return [record["id"] for record in records if record["reason"] == WORKER_DIED]


def mark_descendants(records: list[Record]) -> list[Record]:
    """Fill `rests_on_refuted`: refuted ancestors along `uses`, unless proved another way.

    A proof that assumes a claim as a hypothesis is no other way: what is `given` counts.
    """
    by_id = {record["id"]: record for record in records}

    def refuted_ancestors(claim_id: str, seen: set[str]) -> set[str]:
        found: set[str] = set()
        for used in by_id.get(claim_id, {}).get("uses", ()):
            if used in seen:
                continue
            seen.add(used)
            if by_id.get(used, {}).get("verdict") == "refuted":
                found.add(used)
            found |= refuted_ancestors(used, seen)
        return found

    for record in records:
        if record["verdict"] == "proved":
            given = record.get("given", ())
            ancestors = {i for i in given if by_id.get(i, {}).get("verdict") == "refuted"}
        else:
            ancestors = refuted_ancestors(record["id"], set())
        record["rests_on_refuted"] = sorted(ancestors)
    return records


def document(records: list[Record], options: Options, expected: Expected, started: float) -> Record:
    """The JSON document, schema 2; a document that does not fit its schema is never written.

    Reused records were checked when they were kept, under a digest: looking again takes seconds.
    """
    for record in records:
        record["expected"] = expected.of(record["id"])
    result = {
        "schema": 2,
        "twofold": version("twofold"),
        "seed": options.seed,
        "budget": options.budget,
        "false_alarm_budget": FALSE_ALARM_BUDGET,
        "environment": {
            "python": platform.python_version(),
            "sympy": version("sympy"),
            "torch": version("torch"),
            "numpy": version("numpy"),
            "device": device_name(options.device),
            "commit": commit(),
            "code": code_fingerprint(),
            "repository": repository(),
        },
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(perf_counter() - started, 3),
        "index_size": len(index()),
        "reused": sum(map(is_reused, records)),
        "claims": records,
    }
    checked = {**result, "claims": [record for record in records if not is_reused(record)]}
    if (fault := fault_of_schema(json.loads(json.dumps(checked)))) is not None:
        raise ValueError(f"a document that does not fit its schema: {fault}")
    return result


def is_reused(record: Record) -> bool:
    """Whether a record was taken from the store."""
    return bool(record.get("reused"))


def commit() -> str | None:
    """The commit of the checkout the code runs from, or None outside one."""
    return _git("rev-parse", "HEAD")


def repository() -> str | None:
    """Where the code can be read: the CI service's address of it, or a public origin; else None."""
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    if server and name:
        return f"{server}/{name}"
    origin = re.fullmatch(
        r"(?:https://|git@)(github\.com|gitlab\.com|codeberg\.org)[:/](.+?)(?:\.git)?/?",
        _git("remote", "get-url", "origin") or "",
    )
    return f"https://{origin[1]}/{origin[2]}" if origin else None


def _git(*words: str) -> str | None:
    here = Path(__file__).resolve().parent
    try:
        done = subprocess.run(
            ["git", "-C", str(here), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _both_spoke(record: Record) -> bool:
    """Whether there was a witness at all that a mutant could have met."""
    proof, measurement = record["proof"], record["measurement"]
    decided = proof is not None and proof["status"] != "undecided"
    return decided or (measurement is not None and measurement["status"] != "underpowered")


def problems(records: Sequence[Record], expected: Expected) -> list[str]:
    """What makes an audit fail: a verdict not expected, a mutant that survived, a conflict, a check that
    rejected nothing."""
    found = []
    for record in records:
        wanted = expected.of(record["id"])
        if record["reason"] == WORKER_DIED:
            found.append(f"{record['id']}: unsettled: {WORKER_DIED}")
        elif record["verdict"] == "conflict":
            found.append(f"{record['id']}: conflict: {record['reason']}")
        elif record["verdict"] != wanted:
            found.append(f"{record['id']}: verdict {record['verdict']}, expected {wanted}")
        for mutant in record["mutants"]:
            for witness in mutant["survived"]:
                found.append(f"{record['id']}: mutant {mutant['name']!r} survived the {witness}")
            if not mutant["killed_by"] and not mutant["survived"] and _both_spoke(record):
                found.append(f"{record['id']}: no witness kills mutant {mutant['name']!r}")
        found += _certified_falsely(record)
        if record["verdict"] in {"proved", "supported"} and not _has_rejected(record):
            found.append(
                f"{record['id']}: no false twin of it was rejected, so that nothing shows that its check "
                "can fail; give it a mutant"
            )
        if record["repair"]:
            found += _of_correction(record["id"], record["repair"], expected)
    return found


def _certified_falsely(record: Record) -> list[str]:
    """The variants of a claim or of a correction that were certified though false."""
    names = record.get("variants", {}).get("certified_false", ())
    return [f"{record['id']}: false variant {name!r} was certified" for name in names]


def _of_correction(claim_id: str, repair: Record, expected: Expected) -> list[str]:
    """A correction stands, no less firmly than it did, and nothing false stands with it."""
    verdict, wanted = repair["verdict"], expected.verdicts.get(repair["id"])
    if verdict not in {"proved", "supported"}:
        return [f"{claim_id}: repair is {verdict}: {repair['reason']}"]
    differs = wanted is not None and verdict != wanted
    found = [f"{claim_id}: its repair is {verdict}, expected {wanted}"] if differs else []
    return found + _certified_falsely(repair)


def _has_rejected(record: Record) -> bool:
    """Whether a witness rejected a mutant or a variant of a claim."""
    variants = record.get("variants", {})
    rejected = (variants.get(f"killed_by_{witness}") for witness in ("proof", "measurement"))
    return any(rejected) or any(mutant["killed_by"] for mutant in record["mutants"])
