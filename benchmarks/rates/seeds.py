"""One seed of the audit's measurements of true statements: what is rejected, what tells its twins apart.

True is what an audit document calls proved, claims and corrections: the kernel derived it, so that a
measurement that disagrees errs.  False are the variants of these that the proof refuted; a measurement
that excludes one detects it.

An estimator whose own streams do not depend on the audit's seed is redrawn as well: each seed puts
another word into the name of every stream, in a process of its own, so that nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from time import process_time
from typing import Any

import torch

import numeric.basins
from audit.examine import load_witnesses
from audit.variants import TRIED
from claims.model import Claim, Mutant, Relation
from claims.registry import encoded, index
from claims.statement import Formula
from claims.variants import variants_of
from numeric import sampling
from numeric.agreement import FALSE_ALARM_BUDGET
from numeric.estimators import estimator_of
from numeric.larger import measure_at_every_scale
from numeric.readings import SAMPLERS
from numeric.registry import QUICK, Measurement

__all__ = ["SCOPES", "True_", "comparisons", "draws", "measured", "outcomes", "true_statements"]


@dataclass(frozen=True)
class True_:
    """A true statement, and the variants of it that are known to be false."""

    claim: Claim
    false: tuple[Mutant, ...]


SCOPES = ("whole", "drawn")
"""Every true statement, or those alone whose samples are drawn anew with every seed of an audit."""


def true_statements(document: Mapping[str, Any], scope: str) -> list[True_]:
    """Claims and corrections that a document calls proved, with the variants that the proof refuted."""
    claims, found = encoded(), []
    for record in document["claims"]:
        claim = claims.get(record["id"])
        if claim is None:
            continue
        proved = record["verdict"] == "proved"
        if not proved and (record["repair"] or {}).get("verdict") != "proved":
            continue
        said = claim if proved else claim.repair
        if said is None or (scope == "drawn" and not draws(said)):
            continue
        refuted = set(record["variants"]["killed_by_proof"]) if proved else set()
        made = variants_of(claim, TRIED["quick"]) if refuted else ()
        found.append(True_(said, tuple(v for v in made if v.name in refuted)))
    return found


def draws(claim: Claim) -> bool:
    """Whether a measurement of the claim draws samples by the audit's own seed."""
    if isinstance(claim.statement, Formula):
        return any(quantity in SAMPLERS for quantity in claim.statement.quantities())
    estimator = estimator_of(claim)
    return estimator is not None and estimator.random


def outcomes(statements: Sequence[True_], seeds: Iterable[int]) -> Iterator[dict[str, Any]]:
    """What each seed's measurements say, one process for each seed."""
    global _STATEMENTS
    _STATEMENTS = statements
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        yield from pool.imap(_outcome, seeds)


_STATEMENTS: Sequence[True_] = ()


def _outcome(seed: int) -> dict[str, Any]:
    torch.set_num_threads(1)
    load_witnesses()
    _redraw(seed)
    return measured(_STATEMENTS, seed)


def _redraw(seed: int) -> None:
    """Every stream of this process is another than that of any other seed."""
    original = sampling.stream_seed

    def redrawn(first: int, *words: object) -> int:
        return original(first, *words, "redrawn", seed)

    for module in (sampling, numeric.basins):
        vars(module)["stream_seed"] = redrawn


def measured(statements: Sequence[True_], seed: int) -> dict[str, Any]:
    """One row: comparisons, alarms, and how many false variants were told from the truth."""
    started = process_time()
    share = FALSE_ALARM_BUDGET / (2 * len(index()))
    row: dict[str, Any] = {
        "seed": seed, "statements": 0, "comparisons": 0, "alarms": [], "false_variants": 0,
        "detected": 0, "missed": [],
    }  # fmt: skip
    for each in statements:
        found = measure_at_every_scale(
            each.claim, seed=seed, budget=share, effort=QUICK, variants=each.false
        )
        if found is None:
            continue
        result, scales = found
        row["statements"] += 1
        row["comparisons"] += comparisons(each.claim, result)
        if any(scale.status == "disagrees" for scale in scales):
            row["alarms"].append(each.claim.id)
        names = {variant.name for variant in each.false}
        row["false_variants"] += len(names)
        row["detected"] += len(names & result.excluded)
        row["missed"] += sorted(f"{each.claim.id}: {name}" for name in names - result.excluded)
    row["seconds"] = round(process_time() - started, 1)
    return row


def comparisons(claim: Claim, result: Measurement) -> int:
    """How many points a measurement compared: each case of a relation, each point of a formula."""
    larger = [case for case in result.cases if case.scale != "small"]
    small = [case for case in result.cases if case.scale == "small"]
    if isinstance(claim.statement, Relation):
        return len(result.cases)
    return len(larger) + (small[0].samples if small else 0)
