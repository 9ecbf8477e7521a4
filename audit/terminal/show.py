"""`twofold show`: one claim in full, as a reviewer reads it, the verdict and what it fails at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from audit.expected import Expected
from audit.formulas.comparison import (
    IN_FAMILY,
    compared,
    family,
    hypothesis_changes,
    other_ranges,
)
from audit.formulas.unicode import unicode_formula, unicode_prose
from audit.lookup import Found
from audit.sinks import is_mathematics
from audit.terminal.layout import Page
from audit.terminal.measurement import say_measurement, say_point
from audit.terminal.proof import say_proof
from audit.terminal.table import COLOURS
from audit.verdict import MARKS
from audit.words.records import (
    INSTEAD_OF,
    OF_THE_CORRECTION,
    adversary_sentence,
    asserted_where,
    counterexample_of,
    printed_sentence,
    sentence,
    symbols_sentence,
    tried_on_correction,
    variants_sentence,
    verdict_sentence,
)
from claims.registry import Entry, corrected_by

__all__ = ["announce", "show"]

Record = Mapping[str, Any]
IN_WORDS = "In words that no formula states: a function beside them is what is tested."
OTHER = "A statement of its own, not the printed one with parts exchanged."
SAME = "The formula stays as it is; what differs is where it holds."


def announce(entry: Entry, verdict: str, page: Page) -> None:
    """What is claimed and where, with the recorded verdict, before the claim is examined."""
    _head(asdict(entry), page)
    severity = f" ({entry.severity})" if entry.severity else ""
    said = f"Recorded: {verdict}{severity}. It is examined now."
    page.say(said, indent="", style="dim")
    page.console.file.flush()


def show(found: Found, page: Page, *, steps: bool = False) -> None:
    """Print all that is known of a claim; every step of its proof where `steps` asks for them."""
    record = found.record
    if found.announced:
        page.line()
    else:
        _head(record, page)
    _verdict(record, found.origin, page)
    _example(record, page)
    _statement(record, page)
    if record["repair"]:
        _correction(record, page)
    if record.get("note"):
        page.heading("Note")
        page.say(unicode_prose(sentence(record["note"])))
    say_proof(record["proof"], page, steps=steps)
    if record["repair"] and record["repair"].get("proof"):
        say_proof(record["repair"]["proof"], page, steps=steps, title=OF_THE_CORRECTION)
    say_measurement(record["measurement"], page)
    _tests(record, page)
    _relations(record, page)
    page.heading("Replay")
    page.line(f"  twofold audit {record['id']} --budget {found.budget} --seed {found.seed}")


def _head(record: Record, page: Page) -> None:
    page.line(record["id"], style="bold")
    page.say(unicode_prose(record["title"]), indent="")
    page.say(f"{unicode_prose(record['source'])}; {record['kind']}", indent="", style="dim")
    page.line()


def _verdict(record: Record, origin: Sequence[str], page: Page) -> None:
    verdict = record["verdict"]
    said = f"{MARKS[verdict]} {unicode_prose(verdict_sentence(record))}"
    page.say(said, indent="", hanging="  ", style=COLOURS[verdict])
    expected = record.get("expected", verdict)
    if expected != verdict:
        page.say(f"Expected: {expected}.")
    for said in origin:
        page.say(said, style="dim")


def _example(record: Record, page: Page) -> None:
    example = counterexample_of(record)
    if example is None:
        return
    page.heading("Counterexample")
    say_point(example.at, page)
    if example.broken:
        page.say(f"fails: {unicode_formula(example.broken)}", hanging="    ")
    page.say(unicode_prose(example.sentence))


def _statement(record: Record, page: Page) -> None:
    printed = record.get("printed")
    if printed:
        page.heading("As printed")
        page.say(readable(printed), hanging="    ")
        if (found := printed_sentence(record)) is not None:
            page.say(unicode_prose(found), style="dim")
    page.heading("As read" if printed else "Statement")
    page.say(readable(record["statement"]), hanging="    ")
    if record.get("form") == "predicate":
        page.say(IN_WORDS, style="dim")
    if record["hypotheses"] or asserted_where(record):
        page.heading("Assuming", IN_FAMILY if family(record) else "")
        for hypothesis in record["hypotheses"]:
            page.say(readable(hypothesis), indent="  - ", hanging="    ")
        _where(record, page)
    if (symbols := symbols_sentence(record)) is not None:
        page.say(unicode_prose(symbols), style="dim")
    if record.get("understood"):
        page.heading("Understood")
        for each in record["understood"]:
            said, instance = (unicode_prose(each[key]) for key in ("hypothesis", "instance"))
            without = f"{said} (without it: {instance})"
            page.say(without, indent="  - ", hanging="    ")


def _where(record: Record, page: Page) -> None:
    """Ranges and conditions, and the values that are tried for all."""
    for words, said in asserted_where(record):
        page.say(f"{words} {', '.join(map(readable, said))}", indent="  - ", hanging="    ")


def _correction(record: Record, page: Page) -> None:
    """What is true instead, and in what it differs from what is printed."""
    repair = record["repair"]
    page.heading("What is true instead", repair["verdict"])
    page.say(readable(repair["statement"]), hanging="    ")
    found = compared(record["statement"], repair["statement"])
    changes = [unicode_prose(f"{words}.") for words in found.words] if found else []
    if found and found.same:
        changes.append(SAME)
    elif found and not found.alike:
        changes.append(OTHER)
    assumed = map(unicode_prose, hypothesis_changes(record, repair))
    for change in [*changes, *assumed]:
        page.say(change, indent="  - ", hanging="    ")
    _where(other_ranges(record, repair), page)
    if repair["note"]:
        page.say(unicode_prose(sentence(repair["note"])))
    if repair["verdict"] != "proved" and repair.get("reason"):
        page.say(unicode_prose(f"{repair['reason'][:1].upper()}{repair['reason'][1:]}."))
    for said in tried_on_correction(repair):
        page.say(unicode_prose(said))


def _tests(record: Record, page: Page) -> None:
    """What tried to break the statement, or to pass for it."""
    if said := adversary_sentence(record):
        page.heading("Adversary")
        page.say(unicode_prose(said))
    if said := variants_sentence(record):
        page.heading("Variants")
        page.say(unicode_prose(said))
        found = record["variants"]
        for heading, names in (
            ("also true", "proved"),
            ("certified though false", "certified_false"),
        ):
            for name in found.get(names, ()):
                page.say(f"{heading}: {unicode_prose(name)}", indent="  - ", hanging="    ")
    if record["mutants"]:
        page.heading("Mutants")
    for mutant in record["mutants"]:
        killers = " and ".join(f"the {witness}" for witness in mutant["killed_by"])
        fate = f"rejected by {killers}" if killers else "rejected by neither witness"
        survived = " and ".join(f"the {witness}" for witness in mutant["survived"])
        fate += f", accepted by {survived}" if survived else ""
        page.say(f"{unicode_prose(mutant['name'])}: {fate}", indent="  - ", hanging="    ")


def _relations(record: Record, page: Page) -> None:
    """The claims that it uses, with the verdicts on record, those of them that are false, and code."""
    verdicts = Expected.read()
    for heading, key in (
        ("Rests on statements found false", "rests_on_refuted"),
        ("Uses", "uses"),
    ):
        if record[key]:
            page.heading(heading)
        for claim_id in record[key]:
            parent = corrected_by(claim_id)
            said = f"{INSTEAD_OF} {parent}" if parent else f"{claim_id} ({verdicts.of(claim_id)})"
            page.line(f"  {said}")
    if record.get("code"):
        page.heading("Code")
    for place in record.get("code", ()):
        page.line(f"  {place['path']}:{place['line']}")


def readable(text: str) -> str:
    """A formula, or words with formulas among them, as a document writes either."""
    formula = "$" not in text and is_mathematics(text)
    return unicode_formula(text) if formula else unicode_prose(text)
