"""The page of error rates: how often the suite was seen to err, from the recorded counts.

The sentences are also those of the README; a test holds it to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

__all__ = ["error_rates_page", "recorded", "sentences"]

Record = Mapping[str, Any]
SCOPES = {
    "whole": "every true statement",
    "drawn": "those whose samples every seed draws anew",
    "supported": "supported, not proved",
}
KINDS = {
    "equivalent": "the program answers the same",
    "message": "only words differ",
    "speed": "only the time differs",
    "refuses more": "something true is then refused; nothing false is accepted",
}
"""Why a mutant that no test kills is no fault of the tests."""


def recorded() -> tuple[Record, Record]:
    """The recorded error rates, and the record of mutation testing."""
    folder = files("benchmarks").joinpath("results")
    rates, mutation = (
        json.loads(folder.joinpath(name).read_text(encoding="utf-8"))
        for name in ("error-rates.json", "mutation.json")
    )
    return rates, mutation


def sentences(rates: Record, mutation: Record) -> dict[str, str]:
    """One sentence on each kind of error, in Markdown."""
    refusals, variants = rates["refusals"], rates["variants"]
    return {
        "alarms": _alarms(rates["false_alarms"], len(rates["mended"])),
        "power": _power(rates["power"]),
        **_supported(rates["false_alarms"]),
        "refusals": (
            f"{refusals['false']} wrong certificates of {refusals['families']} families are offered to "
            f"the kernel: {_all(refusals['refused'], refusals['false'])} refused. Of {refusals['true']} "
            f"true siblings {_all(refusals['accepted'], refusals['true'])} accepted."
        ),
        "variants": (
            f"The audit recorded at commit `{rates['commit']}` made {variants['tried']:,} variants by "
            "machine: the proof refuted "
            f"{variants['refuted_by_proof']:,}, the measurement {variants['rejected_by_measurement']:,}, "
            f"{variants['proved_true']} are true, and {variants['certified_though_false'] or 'none'} was "
            "certified though false."
        ),
        "mutation": _mutation(mutation),
    }


def _alarms(found: Mapping[str, Record], mended: int) -> str:
    each = _widest(found)
    alarms, seeds = each["alarms"], each["seeds"]
    return (
        f"In {seeds} {'audit' if seeds == 1 else 'audits'} with different seeds, {each['comparisons']:,} "
        f"comparisons of {each['statements']} true statements raised {alarms or 'no'} false "
        f"{'alarm' if alarms == 1 else 'alarms'}: with 95% confidence fewer than "
        f"${_power_of_ten(each['upper_limit_per_comparison'])}$ of them do."
        + (f" Measurements mended after an alarm in such a count: {mended}." if mended else "")
    )


def _supported(found: Mapping[str, Record]) -> dict[str, str]:
    """What the measurements say of statements that no proof speaks for, where they were counted."""
    if "supported" not in found:
        return {}
    each = found["supported"]
    alarms, unsure = each["alarms"], sum(each["unsure"].values())
    return {
        "supported": (
            f"{each['statements']} statements and corrections are supported and not proved: in "
            f"{each['seeds']} audits with different seeds {alarms or 'no'} "
            f"measurement{'s' if alarms > 1 else ''} disagreed with them, and {unsure or 'none'} "
            "could not tell."
        )
    }


def _widest(found: Mapping[str, Record]) -> Record:
    """The scope of every true statement, where it was measured."""
    return found["whole"] if "whole" in found else found["drawn"]


def _power(found: Mapping[str, Record]) -> str:
    each = _widest(found)
    share = each["detected"] / each["tried"]
    return (
        f"Of {each['false_variants']:,} variants that the proof knows to be false, the measurement alone "
        f"tells {share:.0%} from the true statement."
    )


def _mutation(record: Record) -> str:
    modules = record["modules"].values()
    tried, killed = (sum(m[key] for m in modules) for key in ("tried", "killed"))
    return (
        f"{tried:,} times one place of the {len(modules)} modules that decide was changed: the tests noticed "
        f"{killed:,} of the changes, and the other {tried - killed} are explained one by one."
    )


def _all(some: int, everything: int) -> str:
    return "every one is" if some == everything else f"only {some} are"


def _power_of_ten(rate: float) -> str:
    """A rate in two digits, as LaTeX."""
    digits, exponent = f"{rate:.1e}".split("e")
    return rf"{digits}\cdot10^{{{int(exponent)}}}"


@dataclass(frozen=True)
class Table:
    """A table of a page: cells are Markdown, the first of a row names it."""

    name: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def error_rates_page() -> dict[str, Any]:
    """What the page shows."""
    rates, mutation = recorded()
    tables = (
        _alarm_table(rates),
        _power_table(rates),
        _coverage_table(rates),
        _mutation_table(mutation),
    )
    return {
        "rates": rates, "mutation": mutation, "said": sentences(rates, mutation),
        "tables": {table.name: table for table in tables}, "why": KINDS,
        "promised": {
            "audit": _sized(next(iter(rates["false_alarms"].values()))["promised_per_audit"]),
            "test": _sized(rates["coverage"]["promised"]),
        },
    }  # fmt: skip


def _alarm_table(rates: Record) -> Table:
    headings = (
        "measured", "statements", "seeds", "comparisons", "alarms", "at most, per comparison",
        "at most, per audit",
    )  # fmt: skip
    rows = [
        (
            SCOPES[scope], str(each["statements"]), f"{each['seeds']} of {each['seeds_wanted']}",
            f"{each['comparisons']:,}", str(each["alarms"]), _sized(each["upper_limit_per_comparison"]),
            f"{each['upper_limit_per_audit']:.3f}",
        )
        for scope, each in _in_order(rates["false_alarms"])
    ]  # fmt: skip
    return Table("alarms", headings, rows)


def _in_order(found: Mapping[str, Record]) -> list[tuple[str, Record]]:
    return [(scope, found[scope]) for scope in SCOPES if scope in found]


def _power_table(rates: Record) -> Table:
    headings = (
        "measured", "false variants", "seeds", "told from the truth", "with every seed", "with some",
        "with none",
    )  # fmt: skip
    rows = [
        (
            SCOPES[scope], f"{each['false_variants']:,}", str(each["seeds"]),
            f"{each['detected'] / each['tried']:.1%}", f"{each['always_detected']:,}",
            f"{each['sometimes_detected']:,}", f"{each['never_detected']:,}",
        )
        for scope, each in _in_order(rates["power"])
    ]  # fmt: skip
    return Table("power", headings, rows)


def _coverage_table(rates: Record) -> Table:
    headings = ("samples", "skewness", "misses", "proved bound", "Student's interval would miss")
    rows = [
        (
            f"a power of a Gaussian, ${law['law']}$" if law["known"] else law["law"],
            f"{law['skewness']:.1f}", *map(_sized, (law["probability"], law["bound"], law["student"])),
        )
        for law in rates["coverage"]["laws"]
    ]  # fmt: skip
    return Table("coverage", headings, rows)


def _mutation_table(mutation: Record) -> Table:
    headings = ("module", "possible changes", "tried", "noticed by a test", "explained")
    rows = [
        (
            f"`{name}`",
            *(f"{n:,}" for n in (m["mutants"], m["tried"], m["killed"], len(m["survivors"]))),
        )
        for name, m in mutation["modules"].items()
    ]
    return Table("mutation", headings, rows)


def _sized(rate: float) -> str:
    """A probability as a formula between dollars: $2.3\\cdot10^{-11}$, or 0."""
    return f"${_power_of_ten(rate)}$" if rate else "$0$"
