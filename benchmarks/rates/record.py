"""The record of error rates: counts that accumulate seed by seed, and what follows from them."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from scipy import stats

from benchmarks import hardware, made, write_record
from benchmarks.rates.refusals import refusals
from benchmarks.rates.seeds import Outcome, True_, outcomes
from claims.statement import Formula
from numeric.agreement import FALSE_ALARM_BUDGET

__all__ = [
    "RECORD", "accumulated", "alarms", "coverage", "kept", "mended", "name", "power", "read",
    "recorded_coverage", "upper", "variants", "write",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "benchmarks" / "results" / "error-rates.json"
WANTED = 200
"""Seeds after which the counts are called complete."""
CONFIDENCE = 0.95


def read(path: Path = RECORD) -> dict[str, Any]:
    """The record as it stands; empty where there is none yet."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def upper(events: int, trials: int) -> float:
    """Clopper and Pearson's upper limit of a rate, at one-sided confidence 95%.

    >>> round(upper(0, 100), 4)
    0.0295
    """
    return (
        1.0 if events >= trials else float(stats.beta.ppf(CONFIDENCE, events + 1, trials - events))
    )


def kept(
    old: Mapping[str, Any], statements: Sequence[True_], again: Collection[str] = ()
) -> dict[str, Any]:
    """The counts of statements that are still what they were; the others, and those `again`, begin again.

    Raises `ValueError` where one of `again` is none of the statements.
    """
    if strange := sorted(set(again) - {each.claim.id for each in statements}):
        raise ValueError(f"{strange[0]}: is none of the true statements; give the id of one")
    found = {}
    for each in statements:
        of, was = name(each), old.get(each.claim.id, {})
        same = was.get("of") == of and each.claim.id not in again
        found[each.claim.id] = dict(was) if same else _begun(each, of)
    return found


def _begun(each: True_, of: str) -> dict[str, Any]:
    return {
        "of": of, "seeds": 0, "comparisons": 0, "alarms": [], "false_variants": len(each.false),
        "missed": {}, "seconds": 0.0,
    }  # fmt: skip


def accumulated(
    counts: dict[str, Any], statements: Sequence[True_], upto: int
) -> Iterator[dict[str, Any]]:
    """The counts after each further seed: those behind catch up before all go on.

    What has no measurement is not counted.
    """
    for seed in range(1, upto + 1):
        behind = [
            s for s in statements if s.claim.id in counts and counts[s.claim.id]["seeds"] < seed
        ]
        if not behind:
            continue
        found = outcomes(behind, seed)
        for each in behind:
            if each.claim.id in found:
                _add(counts[each.claim.id], seed, found[each.claim.id])
            else:
                del counts[each.claim.id]
        yield counts


def _add(count: dict[str, Any], seed: int, outcome: Outcome) -> None:
    count["seeds"] = seed
    count["comparisons"] += outcome.comparisons
    count["alarms"] = [*count["alarms"], seed] if outcome.alarm else count["alarms"]
    if outcome.unsure:
        count["unsure"] = [*count.get("unsure", []), seed]
    count["missed"] = dict(sorted((Counter(count["missed"]) + Counter(outcome.missed)).items()))
    count["seconds"] = round(count["seconds"] + outcome.seconds, 1)


def mended() -> list[dict[str, Any]]:
    """Alarms that earlier counts raised, and what was mended."""
    text = Path(__file__).with_name("mended.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["mended"])


def name(each: True_) -> str:
    """What is measured: a statement, its domain, its variants; how they are printed is no part of it."""
    said = [_said(each.claim.statement), repr(each.claim.domain)]
    said += [part for v in each.false for part in (_said(v.statement), repr(v.domain))]
    return sha256(_PLACE.sub("", "\n".join(said)).encode()).hexdigest()[:16]


_PLACE = re.compile(r" at 0x[0-9a-f]+")
"""Where a function lies in memory."""


def _said(statement: Any) -> str:
    if not isinstance(statement, Formula):
        return repr(statement)
    pieces = (f"{type(p).__name__} {'' if isinstance(p, Formula) else p}" for p in statement.walk())
    return "; ".join(pieces)


def alarms(counts: Mapping[str, Any]) -> dict[str, Any]:
    """False alarms by comparison and by audit, with the upper limits of their rates."""
    seeds = min(count["seeds"] for count in counts.values())
    comparisons = sum(count["comparisons"] for count in counts.values())
    found = sum(len(count["alarms"]) for count in counts.values())
    loud = {seed for count in counts.values() for seed in count["alarms"] if seed <= seeds}
    return {
        "statements": len(counts), "seeds": seeds, "seeds_wanted": WANTED,
        "comparisons": comparisons, "alarms": found,
        "alarmed": sorted(name for name, count in counts.items() if count["alarms"]),
        "audits_with_an_alarm": len(loud),
        "unsure": {name: len(count["unsure"]) for name, count in counts.items() if "unsure" in count},
        "upper_limit_per_comparison": upper(found, comparisons),
        "upper_limit_per_audit": upper(len(loud), seeds),
        "confidence": CONFIDENCE, "promised_per_audit": FALSE_ALARM_BUDGET,
    }  # fmt: skip


def power(counts: Mapping[str, Any]) -> dict[str, Any]:
    """How often false variants of true statements are told from them by measurement alone."""
    false = sum(count["false_variants"] for count in counts.values())
    tried = sum(count["false_variants"] * count["seeds"] for count in counts.values())
    missed = [(times, c["seeds"]) for c in counts.values() for times in c["missed"].values()]
    never = sum(times == seeds for times, seeds in missed)
    return {
        "false_variants": false, "seeds": min(count["seeds"] for count in counts.values()),
        "tried": tried, "detected": tried - sum(times for times, _ in missed),
        "always_detected": false - len(missed), "sometimes_detected": len(missed) - never,
        "never_detected": never,
    }  # fmt: skip


def variants(document: Mapping[str, Any]) -> dict[str, int]:
    """What an audit's two witnesses said of variants made by machine."""
    found: Counter[str] = Counter()
    for record in document["claims"]:
        of = record.get("variants")  # none of what could not be examined
        if of is not None:
            found["tried"] += of["tried"]
            found["refuted_by_proof"] += of["refuted"]
            found["rejected_by_measurement"] += len(of["killed_by_measurement"])
            found["proved_true"] += of["true"]
            found["certified_though_false"] += len(of["certified_false"])
    return dict(found)


def recorded_coverage() -> Mapping[str, Any]:
    """The figures of the benchmark `coverage` as they were recorded last."""
    runs = json.loads((RECORD.parent / "xeon-2-cores.json").read_text(encoding="utf-8"))
    figures: Mapping[str, Any] = runs["coverage"]
    return figures


def coverage(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The benchmark of coverage, law by law: promised, found, and bounded."""
    return {
        "promised": figures["budget_of_one_test"],
        "laws": [
            {
                "law": case["law"], "skewness": case["skewness"],
                "known": case["law"].startswith("z^"),
                "probability": sum(case[side]["betting"]["probability"] for side in SIDES),
                "student": sum(case[side]["student"]["probability"] for side in SIDES),
                "bound": sum(case[side]["bound"] for side in SIDES),
            }
            for case in figures["cases"]
        ],
    }  # fmt: skip


SIDES = ("too_low", "too_high")


def write(record: dict[str, Any], path: Path = RECORD) -> None:
    """The record with everything that follows from its counts, the date and the commit."""
    counts = record["counts"]
    whole = {
        "schema": 2, **made(), "hardware": hardware(),
        "false_alarms": {scope: alarms(found) for scope, found in counts.items()},
        "mended": mended(),
        "power": {scope: power(found) for scope, found in counts.items() if scope != "supported"},
        "coverage": record["coverage"], "refusals": refusals(), "variants": record["variants"],
        "counts": counts,
    }  # fmt: skip
    write_record(whole, path)
