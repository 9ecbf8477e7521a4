"""Examine one claim: run its proof and measurement, its mutants and its repair, and write a record."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numeric.adversary as adversary
from audit.code import fault_of, places
from audit.printed import misnamed, narrower, outside, printed_sides
from audit.undone import unexamined
from audit.variants import TRIED, TRIED_ON_CORRECTIONS, run_variants
from audit.verdict import Verdict, combine
from audit.words.records import WITHOUT_PROOF, adversary_sentence
from claims import extensions
from claims.domain import Point
from claims.errors import BadDefinition, UserError
from claims.intervals import NoNumber
from claims.model import Claim, Mutant, Relation
from claims.ranges import ranges
from claims.records import masks_of, point_record
from claims.registry import encoded, home_of, index, paper_packages
from claims.seeds import seeded
from claims.statement import Formula
from claims.typeset import typeset
from claims.variants import variants_of
from numeric import registry as measuring
from numeric.agreement import BadEstimator
from numeric.budget import FALSE_ALARM_BUDGET
from numeric.definitions import disagreement
from numeric.elsewhere import measured_at
from numeric.larger import measure_at_every_scale, measured_on
from numeric.silence import leaves_open
from proofs import registry as proving
from proofs.certificate import Certificate, Instance
from proofs.conclude import unfounded
from proofs.denied import place_of_failure, point_of_failure

__all__ = ["examine", "load_witnesses", "rivals_of_correction"]


class BrokenCertificate(Exception):
    """A certificate that does not stand up to its own check: a bug of ours, never a verdict."""


def load_witnesses(paper: str | None = None) -> None:
    """Import the proofs and the estimators of one paper, or of all, and those of extensions.

    An extension whose own cannot be imported is left out.
    """
    for role, load in (("proofs", proving.load), ("numeric", measuring.load)):
        own, *others = paper_packages(role)
        one = f"{own}.{paper}"
        load(one if paper is not None and find_spec(one) is not None else own)
        for package in others:
            try:
                load(package)
            except (Exception, SystemExit) as error:  # whatever somebody's package raises
                extensions.refuse(package.removesuffix(f".{role}"), error)


def examine(claim_id: str, *, seed: int, effort: str) -> dict[str, Any]:
    """The record of one encoded claim, without what depends on other claims."""
    claim = encoded()[claim_id]
    if (reason := extensions.refused().get(home_of(claim_id))) is not None:
        return unexamined(claim_id, "conflict", reason)
    try:
        with seeded(seed):
            return _examine(claim, seed, effort)
    except (BrokenCertificate, NoNumber, BadEstimator, BadDefinition) as broken:
        return unexamined(claim_id, "conflict", str(broken))
    except UserError:
        raise
    except Exception as fault:  # of a proof or an estimator: it costs its claim, not the audit
        return unexamined(claim_id, "conflict", f"cannot be examined: {fault_of(fault)}")


@dataclass(frozen=True)
class _Judged:
    """What both witnesses and the adversary say of a statement, and the records of it."""

    certificate: Certificate | None
    measurement: Any
    verdict: Verdict
    records: dict[str, Any]


def _judge(
    claim: Claim, seed: int, effort: str, *, tried: int | None, rivals: Sequence[Mutant] = (),
    note: str = "",
) -> _Judged:  # fmt: skip
    """A statement and so many of its variants; what is measured is told from its rivals as well."""
    certificate, proof = run_proof(claim)
    vacuous = certificate is not None and certificate.status == "vacuous"  # so is every variant
    variants = () if vacuous else variants_of(claim, tried)
    attack = run_adversary(claim, seed, measuring.EFFORTS[effort].rounds)
    place = attack.place if attack else None
    if certificate is not None and certificate.witness is not None:
        place = certificate.witness.point
    contest = replace(claim, mutants=(*claim.mutants, *rivals)) if rivals else claim
    proved = certificate and certificate.status == "proved" and certificate.grade != "argued"
    measurement, measured = run_measurement(
        contest, seed, effort, variants, place, proved=bool(proved)
    )
    hold_to_definition(contest, certificate, measurement, seed, effort)
    written = certificate  # variants are looked at by themselves where no proof was written
    # What is agreed with was held to the definition just now.
    agrees = measurement is not None and measurement.status == "agrees"
    if certificate is None and not agrees:
        certificate, proof = run_without_proof(claim)
    attacked = attack_record(attack) if attack is not None else None
    verdict = combine(
        certificate.status if certificate else None,
        measurement.status if measurement else None,
        note,
        certificate.grade if certificate else None,
        violated=bool(attacked and attacked["violated"]),
    )
    judged = run_variants(
        claim, variants, written, measurement,
        seed=seed, budget=share_of_budget(), effort=measuring.EFFORTS[effort],
    )  # fmt: skip
    records = {"proof": proof, "measurement": measured, "adversary": attacked, "variants": judged}
    return _Judged(certificate, measurement, verdict, records)


def _examine(claim: Claim, seed: int, effort: str) -> dict[str, Any]:
    hold_to_print(claim)
    found = _judge(claim, seed, effort, tried=TRIED[effort], note=claim.note)
    verdict = found.verdict
    refuted = verdict.verdict in {"refuted", "vacuous"}
    return {
        "id": claim.id, "paper": claim.paper, "source": str(claim.source), "kind": claim.kind,
        "title": claim.title, "statement": claim.statement.latex(),
        "printed": claim.printed, "printed_sides": printed_sides(claim),
        "form": claim.form, "ours": ".beyond." in claim.id,
        "understood": [
            {"hypothesis": u.hypothesis, "instance": u.instance} for u in claim.understood
        ],
        "hypotheses": list(claim.assumed), **_where(claim),
        "uses": [used.id for used in claim.uses],
        "given": [assumed.id for assumed in claim.given],
        "verdict": verdict.verdict, "reason": verdict.reason, "note": claim.note,
        "severity": claim.severity if verdict.verdict == "refuted" else None,
        "rests_on_refuted": [],
        **found.records,
        "mutants": run_mutants(claim, found.certificate, found.measurement),
        "repair": run_repair(claim, seed, effort) if refuted and claim.repair else None,
        "code": places(claim),
    }  # fmt: skip


def _where(claim: Claim) -> dict[str, list[str]]:
    """Where a claim is asserted, and the choices that are tried, in the letters of its domain."""
    found = ranges(claim.domain)
    return {"ranges": list(found.asserted), "tried": list(found.tried)}


def run_proof(claim: Claim) -> tuple[Certificate | None, dict[str, Any] | None]:
    """The certificate of a claim, checked again, and its JSON form."""
    prove = proving.proof_of(claim)
    if prove is None:
        return None, None
    started = perf_counter()
    certificate = prove(claim)
    if not isinstance(certificate, Certificate):
        raise BrokenCertificate(
            f"the proof of {claim.id} returned {_named(certificate)}, must return a certificate, as "
            "`decide` and `conclude` do; mend the proof"
        )
    failing = certificate.recheck()
    if failing:
        raise BrokenCertificate(
            f"the proof of {claim.id} returned a certificate whose steps do not check again "
            f"({failing[0]}); mend the proof"
        )
    if (fault := unfounded(certificate, claim)) is not None:
        raise BrokenCertificate(
            f"the proof of {claim.id} returned a certificate of another statement ({fault}); mend the proof"
        )
    if certificate.witness and (found := outside(claim, certificate.witness.point)) is not None:
        raise BadDefinition(found)
    return certificate, _proof_record(claim, certificate, perf_counter() - started)


def run_without_proof(claim: Claim) -> tuple[Certificate | None, dict[str, Any] | None]:
    """A point at which a claim that nobody wrote a proof for fails by its definition, as a certificate.

    Where the print leaves values open, one choice of them refutes nothing.
    """
    started = perf_counter()
    point = None if claim.left_open else point_of_failure(claim)
    if point is None:
        return None, None
    define = claim.define
    assert define is not None  # every claim has one once it is made
    witness = Instance(claim.statement, point, define(point), define, holds=False)
    certificate = Certificate("refuted", WITHOUT_PROOF, witness=witness)
    return certificate, _proof_record(claim, certificate, perf_counter() - started)


def _proof_record(claim: Claim, certificate: Certificate, seconds: float) -> dict[str, Any]:
    return {
        "status": certificate.status,
        "grade": certificate.grade,
        "method": certificate.method,
        "scope": certificate.scope,
        "assumed": list(certificate.assumed),
        "steps": certificate.nodes(),
        "witness": certificate.witness.as_json(claim.domain) if certificate.witness else None,
        "reason": certificate.reason,
        "seconds": round(seconds, 4),
    }


def _named(value: Any) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def run_measurement(
    claim: Claim, seed: int, effort: str, variants: Sequence[Mutant] = (),
    place: Point | None = None, *, proved: bool = False,
) -> tuple[Any, dict[str, Any] | None]:  # fmt: skip
    """The measurement of a claim with its share of the false-alarm budget, and its JSON form.

    What no reading could deny, as a limit of quantities, it does not support where it is not proved, nor a
    strict order whose sides are equal up to rounding.
    Where no case denies what an exact witness refutes, `place`, that of the witness or of the violation
    that the adversary found, is one more: a statement may fail at one size alone.  Nor does a measurement
    agree that cannot tell there.
    """
    started = perf_counter()
    found = measure_at_every_scale(
        claim, seed=seed, budget=share_of_budget(), effort=measuring.EFFORTS[effort],
        variants=variants,
    )  # fmt: skip
    if found is None:
        return None, None
    result, scales = found
    if result.status == "agrees" and not proved and leaves_open(claim.statement, result):
        result.status = "underpowered"
        scales = [replace(scales[0], status=result.status), *scales[1:]]
    if place is not None and result.status in {"agrees", "underpowered"}:
        case = measured_at(
            claim, place, seed=seed, budget=share_of_budget(),
            effort=measuring.EFFORTS[effort],
        )  # fmt: skip
        if case is not None and case.status != "agrees":
            result.status = case.status
            result.cases.append(case)
            scales = [replace(scales[0], status=case.status), *scales[1:]]
    return result, {
        "status": result.status,
        **quantity_of(claim),
        "scales": [asdict(each) for each in scales],
        "cases": [
            {
                "at": point_record(case.at, claim.domain),
                "masks": masks_of(case.at),
                "estimate": number(case.estimate),
                "standard_error": number(case.standard_error),
                "half_width": number(case.half_width),
                "half_widths": number(case.half_widths),
                "fails": case.fails,
                "claimed": number(case.claimed),
                "z": number(case.z),
                "samples": case.samples,
                "status": case.status,
                "scale": case.scale,
                "nearest": case.nearest,
                "looks": number(case.looks),
            }
            for case in result.cases
        ],
        "device": measured_on(scales),
        "seconds": round(perf_counter() - started, 4),
    }


def hold_to_definition(
    claim: Claim, certificate: Certificate | None, measurement: Any, seed: int, effort: str
) -> None:
    """Raise `BadEstimator` where a measurement denies the definition, and nothing else speaks for it, or
    where it accepts what the definition denies.

    A relation that measures as is proved, or is denied as an exact witness denies it, agrees with the
    definition already; of a formula some quantity may be wrong and the whole still true, or false.
    """
    accepted = measurement is not None and measurement.status == "agrees"
    if certificate is None and accepted and not claim.left_open:
        place = place_of_failure(claim)  # no proof has looked for a witness
        if place is not None:
            raise BadEstimator(
                f"what is measured agrees with {claim.id}, which fails by its definition at {place}; mend the "
                "definition, or prove that the claim is false"
            )
    status = certificate.status if certificate else "undecided"
    contradicted = status == "proved" and measurement and measurement.status == "disagrees"
    unsure = status == "undecided" or contradicted or isinstance(claim.statement, Formula)
    if measurement is not None and unsure:
        most = measuring.EFFORTS[effort].max_samples
        found = disagreement(claim, measurement, seed=seed, most=most)
        if found is not None:
            raise BadEstimator(found)


def hold_to_print(claim: Claim) -> None:
    """Raise `BadDefinition` where a claim, or its correction, is not what it shows.

    A quantity may have the name of another, or a variable less room than the hypotheses leave it.
    """
    for judged in (claim, claim.repair):
        if judged is not None and (found := misnamed(judged) or narrower(judged)):
            raise BadDefinition(found)


def share_of_budget() -> float:
    """Of the false-alarm budget, for one claim: half of it is for claims, half for repairs."""
    return FALSE_ALARM_BUDGET / (2 * len(index()))


def quantity_of(claim: Claim) -> dict[str, str]:
    """What a measurement of a relation estimates, and the sign between it and what is claimed."""
    if not isinstance(claim.statement, Relation):
        return {}
    return {"quantity": claim.statement.lhs, "relation": claim.statement.relation}


def run_mutants(claim: Claim, certificate: Any, measurement: Any) -> list[dict[str, Any]]:
    """Which witness killed which mutant, and which witness spoke for it.

    A mutant that a witness says nothing about is neither killed nor spared by it; one that no
    witness kills is a doubt that the audit did not meet.
    """
    prove = proving.proof_of(claim)
    records = []
    for mutant in claim.mutants:
        verdicts: dict[str, bool] = {}
        if prove is not None and certificate.status != "undecided":
            status = _proof_again(prove, claim, certificate, mutant).status
            if status in {"proved", "refuted"}:
                verdicts["proof"] = status == "refuted"
        if measurement is not None and mutant.name in measurement.spoken:
            verdicts["measurement"] = mutant.name in measurement.killed
        records.append(
            {
                "name": mutant.name,
                "killed_by": [witness for witness, killed in verdicts.items() if killed],
                "survived": [witness for witness, killed in verdicts.items() if not killed],
            }
        )
    return records


def _proof_again(
    prove: Callable[[Claim], Certificate], claim: Claim, certificate: Certificate, mutant: Mutant
) -> Certificate:
    """What the proof of a claim says of its mutant.

    A theorem that was derived for the claim is not derived once more for a mutant about the same
    things, at the same points.
    """
    twin = claim.variant(mutant)
    same_things = mutant.define is None and mutant.domain is None
    if certificate.status == "proved" and certificate.rejudge and same_things:
        return certificate.rejudge(twin)
    return prove(twin)


def run_repair(claim: Claim, seed: int, effort: str) -> dict[str, Any]:
    """The corrected statement, judged as a claim of its own, with the printed one as its rival."""
    repair, tried = claim.repair, TRIED_ON_CORRECTIONS[effort]
    assert repair is not None
    found = _judge(repair, seed, effort, tried=tried, rivals=rivals_of_correction(claim))
    return {
        "id": repair.id, "statement": repair.statement.latex(), "verdict": found.verdict.verdict,
        "note": repair.note, "hypotheses": list(repair.assumed), **_where(repair),
        "reason": found.verdict.reason, **found.records,
    }  # fmt: skip


def rivals_of_correction(claim: Claim) -> tuple[Mutant, ...]:
    """The printed relation, from which the measurement of a corrected one has to tell it."""
    sides = claim.statement, claim.repair.statement if claim.repair else None
    both = all(isinstance(side, Relation) for side in sides)
    return (Mutant("as printed", claim.statement),) if both else ()


def run_adversary(claim: Claim, seed: int, rounds: int) -> adversary.Attack | None:
    """A short search for a violation of an inequality, bounded by its rounds; or why there is none."""
    if not adversary.asserts_an_order(claim):
        return None
    reason = adversary.obstacle(claim)
    if reason is not None:
        return adversary.not_attackable(reason)
    return adversary.attack(claim, seed=seed, rounds=rounds)


def attack_record(found: adversary.Attack) -> dict[str, Any]:
    """What the adversary found, with its sentence."""
    record = found.as_json()
    return {**record, "sentence": adversary_sentence({"adversary": record})}


def number(value: Any) -> Any:
    """Numbers as JSON: finite floats, nested lists for arrays, lists for tuples, None for inf."""
    if isinstance(value, tuple):
        return [number(v) for v in value]
    if hasattr(value, "tolist"):
        return number(value.tolist())
    if isinstance(value, list):
        return [number(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): number(v) for k, v in value.items()}
    if isinstance(value, set):
        return sorted(number(v) for v in value)
    return value if value is None or isinstance(value, bool | int | str) else typeset(value)
