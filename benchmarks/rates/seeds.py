"""One seed of the audit's measurements of true statements: what is rejected, what tells its twins apart.

True is what an audit document calls proved, claims and corrections: the kernel derived it, so that a
measurement that disagrees errs.  False are the variants of these that the proof refuted; a measurement
that excludes one detects it.  What is only supported rests on its measurement, with words or without:
where a seed's disagrees, or cannot tell, the statement or the measurement errs.

Each seed has a process of its own, so that nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from time import process_time
from typing import Any

import torch

from audit.examine import load_witnesses, rivals_of_correction
from audit.variants import TRIED, TRIED_ON_CORRECTIONS
from claims.model import Claim, Mutant, Relation
from claims.registry import encoded, index
from claims.statement import Formula
from claims.variants import variants_of
from numeric.agreement import FALSE_ALARM_BUDGET
from numeric.estimators import estimator_of
from numeric.larger import measure_at_every_scale
from numeric.readings import SAMPLERS
from numeric.registry import QUICK, Measurement

__all__ = [
    "SCOPES", "Outcome", "True_", "comparisons", "draws", "measured", "outcomes", "true_statements",
]  # fmt: skip


@dataclass(frozen=True)
class True_:
    """A true statement, its variants, and those of them that are known to be false."""

    claim: Claim
    variants: tuple[Mutant, ...]
    false: tuple[Mutant, ...]


@dataclass(frozen=True)
class Outcome:
    """Points compared, whether the truth was rejected, or could not be told; false variants not told
    from it, seconds."""

    comparisons: int
    alarm: bool
    unsure: bool
    missed: tuple[str, ...]
    seconds: float


SCOPES = ("whole", "drawn", "supported")
"""Every true statement; those alone whose samples are drawn until they decide; what is not proved."""


def true_statements(document: Mapping[str, Any], scope: str) -> list[True_]:
    """Claims and corrections that a document calls proved, with the variants that the proof refuted.

    Of `supported` scope those that it calls supported.
    """
    claims, found = encoded(), []
    wanted = "supported" if scope == "supported" else "proved"
    for record in document["claims"]:
        claim = claims.get(record["id"])
        if claim is None:
            continue
        itself = record["verdict"] == wanted
        if not itself and (record["repair"] or {}).get("verdict") != wanted:
            continue
        said = claim if itself else _corrected(claim)
        if said is None or (scope == "drawn" and not draws(said)):
            continue
        of_proof = itself and wanted == "proved"
        refuted = set(record["variants"]["killed_by_proof"]) if of_proof else set()
        made = variants_of(said, (TRIED if itself else TRIED_ON_CORRECTIONS)["quick"])
        found.append(True_(said, made, tuple(v for v in made if v.name in refuted)))
    return found


def _corrected(claim: Claim) -> Claim | None:
    """The correction, told from what is printed as in the audit."""
    correction = claim.repair
    if correction is None:
        return None
    return replace(correction, mutants=(*correction.mutants, *rivals_of_correction(claim)))


def draws(claim: Claim) -> bool:
    """Whether a measurement of the claim draws samples until they decide."""
    if isinstance(claim.statement, Formula):
        return any(quantity in SAMPLERS for quantity in claim.statement.quantities())
    estimator = estimator_of(claim)
    return estimator is not None and estimator.random


def outcomes(statements: Sequence[True_], seed: int) -> dict[str, Outcome]:
    """What a seed's measurements say of each statement that is measured, in a process of their own."""
    global _STATEMENTS
    _STATEMENTS = statements
    with get_context("fork").Pool(1) as pool:
        return pool.apply(_outcomes, (seed,))


_STATEMENTS: Sequence[True_] = ()


def _outcomes(seed: int) -> dict[str, Outcome]:
    torch.set_num_threads(1)
    load_witnesses()
    found = ((each.claim.id, measured(each, seed)) for each in _STATEMENTS)
    return {claim: outcome for claim, outcome in found if outcome is not None}


def measured(each: True_, seed: int) -> Outcome | None:
    """What the measurement of one statement says with a seed; None where there is no measurement."""
    started = process_time()
    found = measure_at_every_scale(
        each.claim, seed=seed, budget=FALSE_ALARM_BUDGET / (2 * len(index())), effort=QUICK,
        variants=each.variants,
    )  # fmt: skip
    if found is None:
        return None
    result, scales = found
    return Outcome(
        comparisons(each.claim, result),
        any(scale.status == "disagrees" for scale in scales),
        result.status == "underpowered",
        tuple(sorted({variant.name for variant in each.false} - result.excluded)),
        process_time() - started,
    )


def comparisons(claim: Claim, result: Measurement) -> int:
    """How many points a measurement compared: each case of a relation, each point of a formula."""
    larger = [case for case in result.cases if case.scale != "small"]
    small = [case for case in result.cases if case.scale == "small"]
    if isinstance(claim.statement, Relation):
        return len(result.cases)
    return len(larger) + (small[0].samples if small else 0)
