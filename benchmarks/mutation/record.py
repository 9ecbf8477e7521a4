"""The record of mutation testing: counts by module, and every survivor with its explanation."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import made, write_record
from benchmarks.mutation.session import ROOT, Mutant, Target

__all__ = ["RECORD", "explanations", "module_record", "targets", "write"]

RECORD = ROOT / "benchmarks" / "results" / "mutation.json"
FOLDER = Path(__file__).parent


def targets() -> dict[str, Target]:
    """What `settings.toml` says of every module."""
    settings = tomllib.loads((FOLDER / "settings.toml").read_text(encoding="utf-8"))
    return {
        module: Target(
            module, tuple(own["tests"]), own["sample"], settings["seed"], settings["limit"],
            tuple(settings["operators"]),
        )
        for module, own in settings["modules"].items()
    }  # fmt: skip


def explanations() -> list[dict[str, Any]]:
    """Why survivors are no fault of the tests: `survivors.toml`."""
    found = tomllib.loads((FOLDER / "survivors.toml").read_text(encoding="utf-8"))
    return list(found["survivor"])


def change(diff: str) -> tuple[str, str]:
    """The lines that a mutation takes away, and those that it puts there."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@"))]
    gone = "\n".join(line[1:].strip() for line in lines if line.startswith("-"))
    come = "\n".join(line[1:].strip() for line in lines if line.startswith("+"))
    return gone, come


def explained(mutant: Mutant, known: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The kind and the reason of a survivor; empty where nobody gave them."""
    gone, come = change(mutant.diff)
    for entry in known:
        same_place = entry["in"] == mutant.definition and entry["from"] == gone
        if same_place and come in entry["to"]:
            return entry
    return {}


def module_record(
    target: Target, found: Sequence[Mutant], known: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Counts of a module, and its survivors."""
    counts = Counter(mutant.outcome for mutant in found)
    survivors = []
    for mutant in found:
        if mutant.outcome == "survived":
            entry, (gone, come) = explained(mutant, known), change(mutant.diff)
            survivors.append(
                {
                    "in": mutant.definition, "line": mutant.line, "operator": mutant.operator,
                    "from": gone, "to": come,
                    "kind": entry.get("kind", "unexplained"), "why": entry.get("why", ""),
                }
            )  # fmt: skip
    tried = counts["killed"] + counts["timeout"] + counts["survived"]
    return {
        "tests": [" ".join(stage.split()) for stage in target.tests],
        "seed": target.seed, "mutants": len(found), "tried": tried,
        "killed": counts["killed"] + counts["timeout"], "timeouts": counts["timeout"],
        "survivors": survivors,
    }  # fmt: skip


def write(modules: Mapping[str, Mapping[str, Any]]) -> None:
    """Put these modules' records into the file, beside those of the others."""
    earlier = json.loads(RECORD.read_text(encoding="utf-8"))["modules"] if RECORD.exists() else {}
    new = {name: {**made(), **record} for name, record in modules.items()}
    document = {
        "tool": "cosmic-ray", "version": version("cosmic-ray"),
        "modules": {name: new.get(name) or earlier[name] for name in sorted({*earlier, *new})},
    }  # fmt: skip
    write_record(document, RECORD)
