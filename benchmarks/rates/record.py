"""The record of error rates: rows that accumulate seed by seed, and what follows from them."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from scipy import stats

from benchmarks import hardware, made, write_record
from benchmarks.rates.refusals import refusals
from benchmarks.rates.seeds import True_, outcomes
from numeric.agreement import FALSE_ALARM_BUDGET

__all__ = [
    "RECORD", "accumulated", "alarms", "coverage", "measured_again", "mended", "power", "read",
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


def accumulated(
    old: Mapping[str, Any], statements: Sequence[True_], seeds: Iterable[int]
) -> Iterator[dict[str, Any]]:
    """The rows after each further seed; those of other statements are not kept."""
    of = _name(statements)
    rows, missed = [], Counter[str]()
    if old.get("of") == of:
        rows, missed = list(old["rows"]), Counter(old["missed"])
    done = {row["seed"] for row in rows}
    for row in outcomes(statements, [seed for seed in seeds if seed not in done]):
        missed.update(row.pop("missed"))
        rows.append(row)
        yield {"of": of, "rows": rows, "missed": dict(sorted(missed.items()))}


def measured_again(
    old: Mapping[str, Any], statements: Sequence[True_], claim_id: str
) -> dict[str, Any]:
    """The rows with one statement's alarms as they are now, after its measurement was mended."""
    one = [each for each in statements if each.claim.id == claim_id]
    if not one:
        raise ValueError(f"{claim_id}: is none of the true statements; give the id of one")
    rows = [{**row, "alarms": [a for a in row["alarms"] if a != claim_id]} for row in old["rows"]]
    for row, now in zip(rows, outcomes(one, [row["seed"] for row in rows]), strict=True):
        row["alarms"] = sorted([*row["alarms"], *now["alarms"]])
    return {**old, "rows": rows}


def mended() -> list[dict[str, Any]]:
    """Alarms that earlier counts raised, and what was mended."""
    text = Path(__file__).with_name("mended.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["mended"])


def _name(statements: Sequence[True_]) -> str:
    """What was measured: another set of statements or variants has another name."""
    said = [(s.claim.id, s.claim.statement.latex(), [v.name for v in s.false]) for s in statements]
    return sha256(repr(said).encode()).hexdigest()[:16]


def alarms(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """False alarms by comparison and by audit, with the upper limits of their rates."""
    comparisons = sum(row["comparisons"] for row in rows)
    found = [name for row in rows for name in row["alarms"]]
    loud = sum(bool(row["alarms"]) for row in rows)
    return {
        "statements": rows[0]["statements"], "seeds": len(rows), "seeds_wanted": WANTED,
        "comparisons": comparisons, "alarms": len(found), "alarmed": sorted(set(found)),
        "audits_with_an_alarm": loud,
        "upper_limit_per_comparison": upper(len(found), comparisons),
        "upper_limit_per_audit": upper(loud, len(rows)),
        "confidence": CONFIDENCE, "promised_per_audit": FALSE_ALARM_BUDGET,
    }  # fmt: skip


def power(seeds: Mapping[str, Any]) -> dict[str, Any]:
    """How often false variants of true statements are told from them by measurement alone."""
    rows, missed = seeds["rows"], seeds["missed"]
    false, tried = rows[0]["false_variants"], sum(row["false_variants"] for row in rows)
    never = sum(count == len(rows) for count in missed.values())
    return {
        "false_variants": false, "seeds": len(rows), "tried": tried,
        "detected": sum(row["detected"] for row in rows),
        "always_detected": false - len(missed), "sometimes_detected": len(missed) - never,
        "never_detected": never,
    }  # fmt: skip


def variants(document: Mapping[str, Any]) -> dict[str, int]:
    """What an audit's two witnesses said of variants made by machine."""
    found: Counter[str] = Counter()
    for record in document["claims"]:
        of = record["variants"]
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
    """The record with everything that follows from its rows, the date and the commit."""
    seeds = record["seeds"]
    whole = {
        "schema": 1, **made(), "hardware": hardware(),
        "false_alarms": {scope: alarms(found["rows"]) for scope, found in seeds.items()},
        "mended": mended(),
        "power": {scope: power(found) for scope, found in seeds.items()},
        "coverage": record["coverage"], "refusals": refusals(), "variants": record["variants"],
        "seeds": seeds,
    }  # fmt: skip
    write_record(whole, path)
