"""Audit documents of any size, in which every part of a record is present."""

from __future__ import annotations

from typing import Any

from audit.undone import not_encoded
from claims.registry import Entry

VERDICTS = ("proved", "supported", "refuted", "vacuous", "unsettled")
WITNESSES = {
    "proved": ("proved", "agrees"), "supported": (None, "agrees"),
    "refuted": ("refuted", "disagrees"), "vacuous": ("vacuous", "agrees"),
    "unsettled": (None, "underpowered"),
}  # fmt: skip
SHARING, LONG = (0, 5), 70
"""Claims whose long proofs are one, and the steps of it."""
MARKUP = '<script>alert("x")</script> & <b>bold</b>'


def document(
    count: int, papers: int = 4, title: str = "A statement about attention.", absent: int = 0
) -> dict:
    """A document of `count` claims over `papers` papers; each claim uses up to two before it.

    `absent` more claims of the first paper are listed and not encoded.
    """
    per_paper = -(-count // papers)
    claims = [record(n, f"paper{n // per_paper}", n % per_paper, title) for n in range(count)]
    claims += [
        not_encoded(Entry(f"paper0.absent-{n}", "paper0", "Sec. 9", "bound")) for n in range(absent)
    ]
    for claim in claims:
        claim.setdefault("expected", "unsettled")
    return {
        "schema": 2, "twofold": "0.1.0", "seed": 0, "budget": "quick", "false_alarm_budget": 1e-6,
        "environment": {
            "python": "3.11", "sympy": "1.14", "torch": "2.13", "numpy": "2", "device": "cpu",
            "commit": "0" * 40, "repository": None,
        },
        "started": "2026-01-01T00:00:00+00:00", "seconds": 1.0, "claims": claims,
    }  # fmt: skip


def steps(count: int) -> list[dict[str, Any]]:
    """A proof in which each step follows from the four before it."""
    return [
        {"id": k, "claim": r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}", "by": "induction",
         "from": list(range(max(1, k - 4), k))}
        for k in range(1, count + 1)
    ]  # fmt: skip


def record(number: int, paper: str, place: int, title: str) -> dict[str, Any]:
    """One claim with a witness, a repair, an adversary, mutants and four measured cases."""
    verdict = VERDICTS[number % len(VERDICTS)]
    proof, measurement = WITNESSES[verdict]
    uses = [f"{paper}.claim-{place - step}" for step in (1, 7) if place >= step]
    witness = {"at": {"n": 2, "X": [[1, "1/2"], [0, 3]]}, "left": "35/8", "right": [3]}
    return {
        "id": f"{paper}.claim-{place}", "paper": paper, "source": f"Sec. {place}, Eq. ({place})",
        "kind": "identity", "title": title, "statement": r"\mathbb E\|X\|_F^2 = \frac{n d}{2}",
        "printed": r"\mathbb E\|X\|^2 = \frac{d n}{2}", "form": "formula", "ours": False,
        "understood": [{"hypothesis": r"$n\ge1$", "instance": "No token at all."}],
        "hypotheses": [r"n\ge2", r"W\ \text{i.i.d.}"],
        "ranges": [r"n,d\in\{2,3,\dots\}", r"0\le \rho<1"], "tried": [r"q\in\{1,\frac{1}{2}\}"],
        "uses": uses, "verdict": verdict,
        "severity": "material" if verdict == "refuted" else None,
        "reason": "because the witnesses say so", "note": f"Claim {place} has a note.",
        "expected": verdict, "rests_on_refuted": uses[:1] if verdict != "proved" else [],
        "proof": proof and {
            "status": proof, "grade": "derived" if proof in {"proved", "vacuous"} else None,
            "method": "by parts", "scope": "every point of the domain", "assumed": [r"n\ge2", r"\rho<1"],
            "steps": steps(LONG if number in SHARING else 4),
            "witness": witness if verdict == "refuted" else None, "seconds": 0.1,
        },
        "measurement": {
            "status": measurement, "device": "cpu", "seconds": 0.2, "cases": [case(k) for k in range(4)],
        },
        "adversary": {
            "violated": verdict == "refuted", "best_ratio": 1.5, "witness": witness, "starts": 40,
            "closest": {"at": {"n": "2"}, "left": "3", "right": "2"}, "sentence": "Found <i>where</i>.",
        },
        "mutants": [
            {"name": f"doubt {k}", "killed_by": ["proof", "measurement"], "survived": []}
            for k in range(4)
        ],
        "variants": {
            "tried": 6, "refuted": 4, "true": 1, "undecided": 1, "certified_false": [],
            "killed_by_proof": [f"variant {k}" for k in range(4)],
            "killed_by_measurement": ["variant 4"], "proved": ["variant 5"],
        },
        "repair": (verdict == "refuted" and {
            "id": "r", "statement": r"a = b^2", "verdict": "proved", "note": "The square is missing.",
            "hypotheses": [r"n\ge3"], "ranges": [r"n\in\{3,4,\dots\}"],
            "proof": {
                "status": "proved", "grade": "derived", "method": "by squares", "witness": None,
                "scope": "every point of the domain", "assumed": [r"n\ge3"], "seconds": 0.2,
                "steps": [
                    {"id": 1, "claim": r"b^2 = a", "by": "definition", "from": []},
                    {"id": 2, "claim": r"a = b^2", "by": "real arithmetic (z3)", "from": [1]},
                ],
            },
        }) or None,
        "code": [],
    }  # fmt: skip


def case(number: int) -> dict[str, Any]:
    looks = [[2048 * 2**k, 1 + 0.1 / 2**k, 0.2 / 2**k] for k in range(6)]
    return {
        "at": {"n": number + 2, "sigma_q": "3/4"}, "estimate": 1.003, "standard_error": 0.001,
        "half_width": 0.00625, "claimed": 1.0, "z": 3.0, "samples": 65536, "status": "agrees",
        "nearest": None, "looks": looks,
    }  # fmt: skip
