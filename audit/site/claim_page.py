"""The page of one claim: what it says, the verdict and its two witnesses, from its record alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from audit.code import excerpt
from audit.formulas.asciimath import as_prose
from audit.formulas.comparison import (
    IN_FAMILY,
    compared,
    family,
    hypothesis_changes,
    other_ranges,
)
from audit.sinks import Formula, Prose, web_address
from audit.site.formulas import boxed, math, wrapped
from audit.site.lemmas import Lemmas
from audit.site.measurement import HEADINGS, NOT_DRAWN, measured
from audit.site.proof_tree import Proof, proof_tree
from audit.words.records import (
    ASSUMED,
    INSTEAD_OF,
    OF_THE_CORRECTION,
    Counterexample,
    adversary_sentence,
    asserted_where,
    counterexample,
    counterexample_of,
    printed_sentence,
    symbols_sentence,
    tried_on_correction,
    variants_sentence,
)
from claims.registry import corrected_by

__all__ = ["claim_page", "proofs_of", "shown_steps"]

Record = Mapping[str, Any]
OTHER_STATEMENT = (
    "The correction is a statement of its own, not the printed one with parts exchanged."
)
CORRECTION = "correction"
MANY_ENTRIES = 36
"""Entries of a matrix beyond which it is folded."""
SAME_FORMULA = "The formula stays as it is; what differs is where it holds."


def claim_page(
    record: Record, by_id: Mapping[str, Record], users: Sequence[str], document: Mapping[str, Any],
    lemmas: Lemmas,
) -> dict[str, Any]:  # fmt: skip
    """Everything about one claim, formulas set and pictures drawn."""
    return {
        "record": {"note": "", **record},
        "source": as_prose(record["source"], scripts_only=True),
        "mutants": [{"survived": [], **m, "name": as_prose(m["name"])} for m in record["mutants"]],
        "printed": record.get("printed") and boxed(record["printed"], labelledby="printed"),
        "read_back": printed_sentence(record),
        "statement": record["statement"] and boxed(record["statement"], labelledby="read"),
        "in_words": record.get("form") == "predicate",
        "hypotheses": [wrapped(h) for h in record["hypotheses"]],
        "family": family(record) and IN_FAMILY,
        "where": _where(record),
        "symbols": symbols_sentence(record),
        "understood": record.get("understood", []),
        "repair": record["repair"] and _repair(record, lemmas),
        "example": _example(counterexample_of(record), record["statement"]),
        "proof": _certificate(record, lemmas),
        "measured": measured(record["measurement"]),
        "attack": record["adversary"] and _attack(record),
        "variants": _variants(record),
        "rests_on": [_known(i, by_id) for i in record["rests_on_refuted"]],
        "uses": [_known(i, by_id) for i in record["uses"]],
        "users": [by_id[i] for i in users],
        "code": [_code(place, document) for place in record.get("code", [])],
        "replay": f"twofold audit {record['id']} --budget {document['budget']} --seed {document['seed']}",
        "headings": HEADINGS,
        "instead_of": INSTEAD_OF,
        "exact": NOT_DRAWN,
        "of_the_correction": OF_THE_CORRECTION,
    }


def proofs_of(records: Iterable[Record]) -> dict[tuple[str, str], Sequence[Record]]:
    """The steps of every proof that pages show, by its claim and what of the claim it proves."""
    return {
        (record["id"], of): proof["steps"]
        for record in records
        for of, proof in (
            ("", record["proof"]),
            (CORRECTION, (record["repair"] or {}).get("proof")),
        )
        if proof and proof.get("steps")
    }


def _certificate(record: Record, lemmas: Lemmas, of: str = "") -> dict[str, Any] | None:
    """What a page says of a proof; `of` names what it proves, where that is not the statement."""
    proof = (record["repair"] if of else record).get("proof")
    if proof is None:
        return None
    return {
        **proof,
        "grade": proof.get("grade"),
        "reason": proof.get("reason", ""),
        "tree": _tree(proof.get("steps", ()), lemmas, (record["id"], of)),
        "assumed": [wrapped(h) for h in proof.get("assumed", ())],
        "assumed_words": ASSUMED,
        **shown_steps(of),
    }


def _tree(steps: Sequence[Record], lemmas: Lemmas, name: tuple[str, str]) -> Proof | None:
    """What a claim's page shows of a proof: all of it, or what stands above its lemmas."""
    here = lemmas.of_proof(name)
    if here is None:
        return proof_tree(steps)
    tree = proof_tree(here)
    return tree and replace(
        tree, listed=len(steps), distinct=lemmas.count(name), here=tree.distinct
    )


def shown_steps(of: str = "") -> dict[str, Any]:
    """The anchors of steps, and their formulas in boxes."""
    return {
        "anchor": f"{of}-step-" if of else "step-",
        "step_box": lambda step: boxed(step.formula, f"Step {step.id}{of and f' of the {of}'}"),
    }


def _known(name: str, by_id: Mapping[str, Record]) -> Record:
    """A claim, or a correction, by its name; one that the document does not hold has no verdict."""
    parent = corrected_by(name)
    if parent and (by_id.get(parent) or {}).get("repair"):
        return {"id": name, "verdict": by_id[parent]["repair"]["verdict"], "parent": by_id[parent]}
    return by_id.get(name, {"id": name, "verdict": None})


def _repair(record: Record, lemmas: Lemmas) -> dict[str, Any]:
    """The correction with what it changes marked, and the changes in words."""
    repair = record["repair"]
    found = compared(record["statement"], repair["statement"])
    changes = list(found.words) if found else []
    if found and found.same:
        changes.append(Prose(SAME_FORMULA))
    elif found and not found.alike:
        changes.append(Prose(OTHER_STATEMENT))
    shown = found.nodes if found else repair["statement"]
    return {
        "verdict": repair["verdict"],
        "note": repair["note"],
        "formula": boxed(shown, labelledby="repaired"),
        "proof": _certificate(record, lemmas, CORRECTION),
        "marked": bool(found and found.alike and not found.same),
        "changes": changes,
        "assumptions": hypothesis_changes(record, repair),
        "where": _where(other_ranges(record, repair)),
        "trials": tried_on_correction(repair),
    }


def _where(record: Mapping[str, Any]) -> list[tuple[str, list[Markup]]]:
    """Where a record is asserted, its formulas set."""
    return [(words, list(map(wrapped, said))) for words, said in asserted_where(record)]


def _example(found: Counterexample | None, statement: str = "") -> dict[str, Any] | None:
    """A counterexample; the comparison that fails is named where it is not the whole statement."""
    if found is None:
        return None
    return {
        "at": [_variable(part) for part in found.at if not _is_large(part)],
        "large": [_variable(part) for part in found.at if _is_large(part)],
        "sentence": found.sentence,
        "broken": found.broken and found.broken != statement and boxed(found.broken, "What fails"),
    }


def _variable(part: Formula) -> Markup:
    """A variable of a point; a matrix that may not fit scrolls in a box of its own."""
    return boxed(part, "Value") if r"\begin" in part else wrapped(part)


def _is_large(part: Formula) -> bool:
    """Whether a value is a matrix that nobody takes in at a glance."""
    return part.count("&") + part.count(r"\\") > MANY_ENTRIES


def _attack(record: Record) -> dict[str, Any]:
    """What the adversary found; documents of before hold neither its sentence nor the closest input."""
    adversary = record["adversary"]
    outcome = "violated" if adversary["violated"] else "not violated"
    sentence, ratio = adversary_sentence(record), adversary["best_ratio"]
    own = counterexample(adversary["witness"])
    return {
        "outcome": outcome if adversary.get("starts", 1) else "not attackable",
        "sentence": sentence,
        "ratio": None if ratio is None else math(f"{ratio:.6g}"),
        # The proof's counterexample stands above already; the adversary's is another one.
        "example": _example(own) if own and (record["proof"] or {}).get("witness") else None,
    }


def _variants(record: Record) -> dict[str, Any] | None:
    sentence, found = variants_sentence(record), record.get("variants")
    if sentence is None or found is None:
        return None
    return {
        "sentence": sentence,
        "certified_false": [as_prose(name) for name in found["certified_false"]],
        "true_ones": [as_prose(name) for name in found.get("proved", [])],
    }


def _code(place: Record, document: Mapping[str, Any]) -> dict[str, Any]:
    """A place in the code: its lines, and a link where the repository's address is known."""
    environment = document["environment"]
    lines = f"#L{place['line']}-L{place['end']}"
    base, commit = web_address(environment.get("repository")), environment.get("commit")
    where = "/".join(quote(part, safe="/") for part in ("blob", commit or "", place["path"]))
    return {
        **place,
        "link": f"{base}/{where}{lines}" if base and commit else None,
        "excerpt": excerpt(dict(place)),
    }
