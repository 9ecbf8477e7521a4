"""What the notebooks share: a claim by its id, its two witnesses, and tables that do not change by run.

Seed, effort and error budget are fixed here, so that a stored output depends on the claims it shows and
on nothing else (an audit splits one budget over all claims).  Only Markdown and pictures are stored:
the text form of an object may hold an address in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from IPython.display import Image, Markdown, display

from audit.examine import load_witnesses, run_proof
from audit.figures import measured, picture
from audit.reuse.results import Reuse
from audit.run import Options
from audit.verdict import combine
from claims.model import Claim, Mutant, Relation
from claims.registry import encoded
from claims.variants import variants_of
from numeric.figures import Table, figure_of
from numeric.registry import QUICK, Measurement, measure
from proofs.certificate import Certificate
from proofs.registry import proof_of

__all__ = [
    "chosen",
    "claim",
    "drawn",
    "judged",
    "measurement",
    "proof",
    "show",
    "table",
    "twins",
    "witness",
]

SEED, BUDGET, VARIANTS = 0, 1e-9, 4

load_witnesses()


def claim(name: str) -> Claim:
    """The claim with this id; `<id>.repair` is what is true instead."""
    printed = name.removesuffix(".repair")
    found = encoded()[printed]
    if printed == name:
        return found
    assert found.repair is not None, f"{printed} has no repair"
    return found.repair


@cache
def _certificate(name: str) -> Certificate | None:
    """The certificate of a claim, checked again; None where there is only a measurement."""
    certificate, _ = run_proof(claim(name))
    return certificate


def proof(name: str) -> Certificate:
    """The certificate of a claim that has a proof."""
    certificate = _certificate(name)
    assert certificate is not None, f"{name} has no proof"
    return certificate


def assumed(name: str) -> Markdown:
    """What the proof of a claim takes from its hypotheses."""
    return Markdown(f"{proof(name).uses}.")


@cache
def measurement(name: str) -> Measurement:
    """The measurement of a claim; a repair has the printed statement as its rival."""
    subject = claim(name)
    if name.endswith(".repair"):
        printed = claim(name.removesuffix(".repair"))
        if isinstance(subject.statement, Relation) and isinstance(printed.statement, Relation):
            rivals = (*subject.mutants, Mutant("as printed", printed.statement))
            subject = replace(subject, mutants=rivals)
    found = measure(subject, seed=SEED, budget=BUDGET, effort=QUICK)
    assert found is not None, f"{name} has no estimator"
    return found


def show(*things: Any) -> None:
    """Display claims, certificates, measurements and tables as Markdown and nothing else."""
    for thing in things:
        display(thing, include=["text/markdown"])


def table(rows: Iterable[Mapping[str, Any]], digits: int = 3) -> Markdown:
    """Rows with the same keys as a Markdown table; numbers that are not exact are rounded."""
    listed = list(rows)
    names = list(listed[0])
    cells = [[_cell(row[name], digits) for name in names] for row in listed]
    lines = [names, ["---"] * len(names), *cells]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _cell(value: Any, digits: int) -> str:
    """One cell: exact numbers as they are, floats rounded (and no minus zero), nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{round(value, digits) + 0.0:g}"
    return str(value).replace("|", r"\|")


def _plain(text: str) -> str:
    """Text whose marks Markdown leaves alone outside of formulas and names in backticks."""
    pieces = re.split(r"(\$[^$]*\$|`[^`]*`)", text)
    return "".join(p if k % 2 else re.sub(r"([*_~<])", r"\\\1", p) for k, p in enumerate(pieces))


def judged(*names: str) -> Markdown:
    """What each claim says, what its witnesses say, and what follows; no twins."""
    return table(_judgement(name) for name in names)


def _judgement(name: str) -> dict[str, str]:
    shown, (status, grade, seen) = claim(name), _kept(name) or _found_now(name)
    verdict = combine(status, seen, grade=grade).verdict
    severity = f" ({shown.severity})" if verdict == "refuted" and shown.severity else ""
    return {
        "claim": f"`{name}`", "it says": _plain(shown.title),
        "proof": "argued" if grade == "argued" else status or "none",
        "measured": seen, "verdict": verdict + severity,
    }  # fmt: skip


Said = tuple[str | None, str | None, str]
"""The status and the grade of a proof, and the status of a measurement."""


def _found_now(name: str) -> Said:
    found, seen = _certificate(name), measurement(name)
    return (
        (found.status, found.grade, seen.status) if found is not None else (None, None, seen.status)
    )


def _kept(name: str) -> Said | None:
    """What an audit found, if it is in the store and nothing has changed that it was made of."""
    printed = name.removesuffix(".repair")
    record = _store().records((printed,)).get(printed) if _store().outline is not None else None
    if record is None or not record["measurement"]:
        return None
    said = record if name == printed else record["repair"]
    proof, measured = said["proof"] or {}, said["measurement"]
    return proof.get("status"), proof.get("grade"), measured["status"]


@cache
def _store() -> Reuse:
    return Reuse(Options(seed=SEED, budget="quick"))


def twins(name: str) -> Markdown:
    """Doubts of a referee and variants made by machine, and what each witness says of them."""
    printed, certificate, prove = claim(name), proof(name), proof_of(claim(name))
    assert prove is not None and certificate.rejudge is not None
    variants = variants_of(printed, VARIANTS)
    found = measure(printed, seed=SEED, budget=BUDGET, effort=QUICK, variants=variants)
    assert found is not None, f"{name} has no estimator"
    judges = [*((m, prove) for m in printed.mutants), *((v, certificate.rejudge) for v in variants)]
    return table(
        {
            "twin": twin.name,
            "proof": judge(printed.variant(twin)).status,
            "measured": "disagrees"
            if twin.name in found.killed | found.excluded
            else "cannot tell",
        }
        for twin, judge in judges
    )


def witness(name: str) -> Markdown:
    """Where a refuted claim fails, exactly, and what the claim's note says of it."""
    found = proof(name)
    assert found.witness is not None, f"{name} is not refuted"
    place, _, sides = found.witness.latex().partition(r":\ ")
    formulas = [f"$$\n{part}\n$$" for part in (place, sides) if part]
    return Markdown("\n\n".join([*formulas, _plain(claim(name).note)]).strip())


def drawn(name: str, **settings: str) -> tuple[Table, Image]:
    """The data of a registered figure with these settings, and its picture."""
    figure = figure_of(name)
    used = figure.configured(settings, seed=SEED)
    rows = measured(figure, used)
    return rows, Image(picture(figure, used, rows))


def chosen(rows: Table, columns: Sequence[str], **where: Any) -> Table:
    """The rows with these values, and of them these columns."""
    fitting = (row for row in rows if all(row[key] == value for key, value in where.items()))
    return [{name: row[name] for name in columns} for row in fitting]
