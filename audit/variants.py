"""What the two witnesses say of the variants of a claim, which a machine made.

A variant is judged by what was derived for the claim, or where there is no proof by an exact witness:
no proof sees which statement it is for.  What is undecided of a wider domain, or of a bound that is a
little tighter, is proved anew, as a claim of its own.  One that is certified though false is a failure
of the audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from claims.errors import UNDEFINED
from claims.model import Claim, Mutant
from claims.statement import is_measured
from claims.witness import fails
from numeric.elsewhere import excludes
from numeric.registry import Effort, Measurement
from proofs.certificate import Certificate, Instance
from proofs.decide import find_witness, refute
from proofs.kernel import ProofError
from proofs.registry import proof_of

__all__ = ["TRIED", "TRIED_ON_CORRECTIONS", "run_variants"]

TRIED = {"quick": 6, "standard": 20, "thorough": None}
"""Machine-made variants that an audit tries on each claim."""
TRIED_ON_CORRECTIONS = {**TRIED, "quick": 2}
"""And on what is offered instead of a false one."""
ANEW = {"condition", "class", "bound", "relation"}
"""Operators whose variants may be true for the reason for which the claim is."""


def run_variants(
    claim: Claim,
    variants: Sequence[Mutant],
    certificate: Certificate | None,
    measurement: Measurement | None,
    *,
    seed: int,
    budget: float,
    effort: Effort,
) -> dict[str, Any]:
    """The variants that each witness rejects, and those that are true as well.

    The measurement looks once more where an exact witness was found: at the place, not at its values.
    """
    judged = {v.name: _judged(claim, v, certificate) for v in variants}
    statuses = {name: _status(found) for name, found in judged.items()}
    excluded = set(measurement.excluded) if measurement is not None else set()
    for v in variants if measurement is not None else ():
        found = judged[v.name]
        if v.name not in excluded and found is not None and found.witness is not None:
            place = found.witness.point
            if excludes(claim, v, place, seed=seed, budget=budget, effort=effort):
                excluded.add(v.name)
    certified = [name for name, status in statuses.items() if status == "proved"]
    wrongly = [
        v.name
        for v in variants
        if v.name in certified and (v.name in excluded or _has_witness(claim, v, judged[v.name]))
    ]
    of = list(statuses.values()).count
    return {
        "tried": len(variants), "refuted": of("refuted"), "true": of("proved") - len(wrongly),
        "undecided": of("undecided"), "certified_false": wrongly,
        "killed_by_proof": [name for name, s in statuses.items() if s == "refuted"],
        "killed_by_measurement": sorted(excluded & statuses.keys()),
        "proved": [name for name in certified if name not in wrongly],
    }  # fmt: skip


def _judged(claim: Claim, variant: Mutant, certificate: Certificate | None) -> Certificate | None:
    """What the proof side finds of a variant; None where it finds nothing."""
    twin = claim.variant(variant)
    try:
        if certificate is not None:
            return _by_proof(claim, twin, getattr(variant, "operator", ""), certificate)
        if claim.left_open or _only_measured(twin):
            return None  # a failure at one choice of what the print leaves open refutes nothing
        return refute(twin, method="exact evaluation")
    except UNDEFINED:  # a hypothesis was dropped that some definition needs
        return None


def _by_proof(
    claim: Claim, twin: Claim, operator: str, certificate: Certificate
) -> Certificate | None:
    """A witness against the claim speaks against many variants; what was derived judges the others."""
    if (again := _same_witness(claim, twin, certificate)) is not None:
        return again
    found = certificate.rejudge(twin) if certificate.rejudge else None
    if found is None or found.status != "undecided" or operator not in ANEW:
        return found
    return _proved_anew(twin, certificate) or found


def _same_witness(claim: Claim, twin: Claim, certificate: Certificate) -> Certificate | None:
    """The refutation of a variant at the place at which its claim is refuted."""
    if certificate.witness is None or twin.define is None or twin.quantity is not claim.quantity:
        return None
    place = certificate.witness.point
    if twin.domain.objection(place) is not None or not fails(twin, place):
        return None
    shown = Instance(twin.statement, place, twin.define(place), twin.define, holds=False)
    return replace(certificate, witness=shown, rejudge=None)


def _proved_anew(twin: Claim, certificate: Certificate) -> Certificate | None:
    """What the proof of a claim gives for a variant as a claim of its own; None where it gives nothing.

    No witness was found, and none is looked for again.
    """
    prove = proof_of(twin)
    if prove is None or certificate.status != "proved" or certificate.grade != "derived":
        return None
    own = replace(twin, base=None)
    try:
        found = prove(replace(own, base=own))
    except (ProofError, *UNDEFINED):
        return None
    return replace(found, searched=True) if found.status == "proved" else None


def _only_measured(claim: Claim) -> bool:
    """Whether no quantity of the statement has an exact value."""
    quantities = claim.formula.quantities()
    return bool(quantities) and all(map(is_measured, quantities))


def _status(found: Certificate | None) -> str:
    argued = found is not None and found.status == "proved" and found.grade == "argued"
    return "undecided" if found is None or argued else found.status


def _has_witness(claim: Claim, variant: Mutant, found: Certificate | None) -> bool:
    """Whether an exact witness speaks against a variant, unless one was looked for already."""
    searched = found is not None and found.searched
    return not searched and find_witness(claim.variant(variant)) is not None
