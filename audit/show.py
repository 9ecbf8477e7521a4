"""`twofold show`: one claim in full, as a reviewer reads it."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from audit.examine import examine, load_witnesses
from claims.registry import Entry, encoded

__all__ = ["show"]


def show(entry: Entry, *, budget: str, seed: int, console: Console) -> None:
    """Print statement, hypotheses, verdict, certificate, measurement, mutants and how to replay."""
    say = lambda text="": console.print(text, highlight=False, markup=False, soft_wrap=True)  # noqa: E731
    say(f"{entry.id}   ({entry.source}; {entry.kind})")
    if entry.id not in encoded():
        say("not encoded")
        if entry.printed:
            say(f"\nas printed\n  {entry.printed}")
        return
    load_witnesses()
    record = examine(entry.id, seed=seed, effort=budget)
    say(record["title"])
    if record["printed"]:
        say(f"\nas printed\n  {record['printed']}\nas read")
    say(f"  {record['statement']}" if record["printed"] else f"\n  {record['statement']}")
    say(
        "            (prose: a function beside these words is what is tested)\n" * _in_words(record)
    )
    for hypothesis in record["hypotheses"]:
        say(f"  assuming  {hypothesis}")
    for understood in record["understood"]:
        say(f"  understood  {understood['hypothesis']} (without it: {understood['instance']})")
    severity = f" ({record['severity']})" if record["severity"] else ""
    say(f"\nverdict     {record['verdict']}{severity}: {record['reason']}")
    if record["note"]:
        say(f"note        {record['note']}")
    _proof(record["proof"], say)
    _measurement(record["measurement"], say)
    if record["adversary"]:
        say(f"attacked    {record['adversary']['sentence']}")
    for mutant in record["mutants"]:
        say(
            f"mutant      {mutant['name']}: killed by {', '.join(mutant['killed_by']) or 'nothing'}"
        )
    _variants(record["variants"], say)
    if record["repair"]:
        say(f"repair      {record['repair']['statement']}")
        say(f"            {record['repair']['verdict']}: {record['repair']['note']}")
    say(f"replay      twofold audit {entry.id} --budget {budget} --seed {seed}")


def _in_words(record: dict[str, Any]) -> bool:
    return bool(record["form"] == "predicate")


def _variants(found: dict[str, Any], say: Any) -> None:
    if found["tried"]:
        say(
            f"variants    {found['tried']} made by machine: {found['refuted']} refuted by the proof, "
            f"{len(found['killed_by_measurement'])} rejected by the measurement, "
            f"{found['true']} proved true, {len(found['certified_false'])} certified though false"
        )


def _proof(proof: dict[str, Any] | None, say: Any) -> None:
    if proof is None:
        say("proof       none")
        return
    status = "argued in words" if proof["grade"] == "argued" else proof["status"]
    say(f"proof       {status} by {proof['method']}; scope: {proof['scope']}")
    for step in proof["steps"]:
        after = f", from {', '.join(map(str, step['from']))}" if step["from"] else ""
        say(f"  step {step['id']:<4} {step['claim']}   [{step['by']}{after}]")
    if proof["witness"]:
        say(f"  witness   {proof['witness']}")


def _measurement(measurement: dict[str, Any] | None, say: Any) -> None:
    if measurement is None:
        say("measured    nothing")
        return
    say(f"measured    {measurement['status']} on {measurement['device']}")
    for found in measurement.get("scales", ())[1:]:
        status = found["status"] or f"not measured: {found['reason']}"
        say(f"  {found['scale']} scale: {status}")
    for case in measurement["cases"]:
        claimed = "" if case["claimed"] is None else f", claimed {case['claimed']}"
        width = case["half_width"]
        spread = f" +- {width:.3g}" if isinstance(width, float) and width > 0 else ""
        says = f"{case['samples']} samples: {case['status']}"
        near = f", could not tell it from {case['nearest']}" if case["nearest"] else ""
        say(f"  at {case['at']}: {case['estimate']}{spread}{claimed} ({says}{near})")
