"""`twofold trust`: what stands below a proof, or below all that a document says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audit.commands.tools import Unusable, one_line_errors, writable, write_json

if TYPE_CHECKING:
    from audit.trust import Ground, Resting

__all__ = ["trust"]

DOCUMENT = Path("out/audit.json")
AT_POINTS = "compared with the definition at points"
"""Where `make audit` leaves its document."""


@click.command()
@click.argument("claim_id", metavar="[ID]", required=False)
@click.option(
    "--from", "source", metavar="FILE",
    help=f"An audit document [default: {DOCUMENT} if it is there; one ID is proved without].",
)  # fmt: skip
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def trust(claim_id: str | None, source: str | None, json_path: str | None) -> None:
    """What must be trusted: facts, solvers and words below one proof, or below all of them.

    Counted from the certificates of an audit document.
    """
    from audit.documents import read_document

    target = writable(json_path)
    path = source or (str(DOCUMENT) if DOCUMENT.is_file() else None)
    document = read_document(path) if path else None
    if claim_id is None:
        if document is None:
            raise Unusable(
                f"trust: there is no {DOCUMENT}; give --from FILE, written by "
                "`twofold audit --json FILE`, or the ID of one claim"
            )
        found, lines = _of_all(document)
    else:
        found, lines = _of_one(claim_id, document, source)
    if json_path != "-":
        click.echo("\n".join(lines))
    write_json(found, target, json_path == "-")


def _of_one(
    claim_id: str, document: Mapping[str, Any] | None, source: str | None
) -> tuple[dict[str, Any], list[str]]:
    from audit.trust import ground_of, record_in, versions

    if source is not None and document is not None:
        record = record_in(document, claim_id, source)
    else:
        listed = document["claims"] if document else ()
        record = next((dict(r) for r in listed if r["id"] == claim_id), {}) or _proved_now(claim_id)
    repair = record["repair"] or {}
    grounds = {
        "proof": ground_of(record["proof"], record.get("given", ())),
        "repair": ground_of(repair.get("proof")) if repair.get("proof") else None,
    }
    said = versions(document)
    lines = [claim_id, *_ending(record["proof"])]
    for name, ground in grounds.items():
        if ground is not None:
            lines += ["", "below the proof of the repair"] if name == "repair" else []
            lines += _lines_of(ground)
    lines.append(f"libraries  {', '.join(f'{name} {v}' for name, v in said.items())}")
    found = {name: ground and ground.as_json() for name, ground in grounds.items()}
    return {"schema": 1, "id": claim_id, **found, "versions": said}, lines


def _proved_now(claim_id: str) -> dict[str, Any]:
    """The proof of one claim, and of its repair, run here; nothing is measured."""
    from audit.cli import one
    from audit.examine import load_witnesses, run_proof
    from claims.registry import encoded

    claim = encoded().get(one(claim_id).id)
    if claim is None:
        raise Unusable(f"{claim_id}: is not encoded, so that nothing stands below it")
    load_witnesses()
    repair = {"proof": run_proof(claim.repair)[1]} if claim.repair is not None else None
    given = [assumed.id for assumed in claim.given]
    return {"proof": run_proof(claim)[1], "repair": repair, "given": given}


def _ending(proof: Mapping[str, Any] | None) -> list[str]:
    if proof is None:
        return ["proof      none: nothing to trust but the measurement"]
    if proof["status"] == "refuted":
        return ["refuted    by an exact witness: evaluation of both sides is all that is trusted"]
    how = {"derived": "derived by the kernel", "argued": "argued in words"}.get(proof["grade"], "")
    return [f"proof      {proof['status']}{f', {how}' if how else ''}, {len(proof['steps'])} steps"]


def _lines_of(ground: Ground) -> list[str]:
    lines = [f"fact       {name} ({reference})" for name, reference in ground.facts.items()]
    lines += [f"words      {text}" for text in ground.words]
    lines += [
        f"solver     {name}, at most {count} questions" for name, count in ground.solvers.items()
    ]
    lines += [f"assumes    {claim_id}" for claim_id in ground.given]
    lines += [f"value      {name}, {_times(n)}, {AT_POINTS}" for name, n in ground.values.items()]
    if ground.readings:
        lines.append(f"reading    definitions as terms, {_times(ground.readings)}, {AT_POINTS}")
    rules = sorted(ground.rules.items(), key=lambda item: -item[1])
    lines += [f"rule       {name}, {_times(count)}" for name, count in rules]
    return lines


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _of_all(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    from audit.trust import code_trusted, resting_on, versions

    resting, code, said = resting_on(document), code_trusted(), versions(document)
    lines = [f"{part.lines:>7} lines  {part.part} ({part.names})" for part in code]
    lines += [f"libraries      {', '.join(f'{name} {v}' for name, v in said.items())}"]
    lines += ["", *_counted(resting)]
    found = {
        "schema": 1, "code": [vars(part) for part in code], "versions": said, **resting.as_json(),
    }  # fmt: skip
    return found, lines


def _counted(resting: Resting) -> list[str]:
    total = [
        (resting.derived, "derived by the kernel, step by step"),
        (resting.argued, "argued in words"),
        (resting.argued_repairs, "whose repair is argued in words"),
        (resting.witnessed, "refuted by an exact witness"),
        (resting.unproved, "without a proof"),
        (resting.valued, f"with a value that a calculus gave, {AT_POINTS}"),
        (resting.read, f"with a definition read as a term, {AT_POINTS}"),
    ]
    lines = [f"{len(ids):>7} statements  {what}" for ids, what in total]
    lines += [f"{len(ids):>7} rest on     {name}" for name, ids in resting.solvers.items()]
    cited = sum(1 for reference, _ in resting.facts.values() if not _by_itself(reference))
    lines += ["", f"{len(resting.facts):>7} facts, {cited} of them with a reference to a book"]
    lines += [
        f"{len(ids):>7} rest on     {name} ({reference})"
        for name, (reference, ids) in resting.facts.items()
    ]
    if resting.given:
        assumed = ", ".join(resting.given)
        lines += ["", f"{len(resting.given):>7} claims assumed by proofs of others: {assumed}"]
    return lines


def _by_itself(reference: str) -> bool:
    """A fact that is a definition, or shown by an induction of one line."""
    return reference.startswith("by ")
