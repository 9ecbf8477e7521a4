"""What each page shows, from the records of an audit document alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from audit.code import excerpt
from audit.mathtext import latex_of_point, latex_of_value, mathml
from audit.sinks import Formula, Prose, Words, web_address
from audit.site.front import VERDICT_MEANINGS
from audit.site.pictures import agreement_picture, convergence_picture
from audit.verdict import MARKS

__all__ = ["claim_page", "prose"]

Record = Mapping[str, Any]

def math(formula: str, *, display: bool = True) -> Markup:
    """A formula as MathML for a template; the converter escapes what stands in it."""
    return Markup(mathml(formula, display=display))


def prose(text: str) -> Markup:
    """A paragraph for a template: formulas as MathML, names in backticks as code, words escaped."""
    shown = []
    for piece in Prose(text).pieces():
        if isinstance(piece, Formula):
            shown.append(math(piece, display=False))
        elif isinstance(piece, Words):
            shown.append(Markup("<code>{}</code>").format(piece))
        else:
            shown.append(escape(piece))
    return Markup("").join(shown)


def claim_page(
    record: Record, by_id: Mapping[str, Record], users: Sequence[str], document: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything about one claim, formulas set and pictures drawn."""
    proof, measurement, repair = record["proof"], record["measurement"], record["repair"]
    witness = proof["witness"] if proof else None
    cases = measurement["cases"] if measurement else []
    return {
        "record": {"note": "", **record},
        "mark": MARKS[record["verdict"]],
        "marks": MARKS,
        "meaning": VERDICT_MEANINGS[record["verdict"]],
        "printed": math(record["printed"]) if record.get("printed") else "",
        "statement": math(record["statement"]) if record["statement"] else "",
        "in_words": record.get("form") == "predicate",
        "understood": record.get("understood", []),
        "grade": (proof or {}).get("grade"),
        "variants": _variants(record.get("variants")),
        "hypotheses": [math(h, display=False) for h in record["hypotheses"]],
        "repair": repair and _repair(repair),
        "steps": [_step(step, n) for n, step in enumerate(proof["steps"] if proof else [], 1)],
        "witness": witness and _witness(witness),
        "attack": record["adversary"] and _attack(record["adversary"]),
        "cases": [_case(case) for case in cases],
        "agreement": agreement_picture(cases),
        "convergence": convergence_picture(cases),
        "rests_on": [by_id.get(i, {"id": i, "verdict": None}) for i in record["rests_on_refuted"]],
        "uses": [by_id.get(i, {"id": i, "verdict": None}) for i in record["uses"]],
        "users": [by_id[i] for i in users],
        "code": [_code(place, document) for place in record.get("code", [])],
        "replay": f"twofold audit {record['id']} --budget {document['budget']} --seed {document['seed']}",
    }


def _step(step: Record, place: int) -> dict[str, Any]:
    """A step with the numbers of the steps that it follows from; schema 1 had no such numbers."""
    return {
        "id": step.get("id", place),
        "formula": math(step["claim"]),
        "by": step["by"],
        "premises": step.get("from", []),
    }


def _variants(found: Record | None) -> dict[str, Any] | None:
    """Machine-made variants: how many each witness rejected, and the true ones by name."""
    if not found or not found["tried"]:
        return None
    killed = {
        witness: found.get(f"killed_by_{witness}", []) for witness in ("proof", "measurement")
    }
    rejected = {name for names in killed.values() for name in names}
    true = found.get("proved", [])
    return {
        **found,
        "rejected": len(rejected),
        "by": {witness: len(names) for witness, names in killed.items()},
        "true_ones": true,
        "open": found["tried"] - len(rejected) - len(true) - len(found["certified_false"]),
    }


def _repair(repair: Record) -> dict[str, Any]:
    hypotheses = [math(h, display=False) for h in repair.get("hypotheses", [])]
    return {**repair, "formula": math(repair["statement"]), "hypotheses": hypotheses}


def _witness(witness: Record) -> dict[str, Any]:
    return {
        "at": math(latex_of_point(witness["at"])),
        "several": isinstance(witness["left"], dict),
        "shown": witness["left"] not in ({}, []),
        "left": math(latex_of_value(witness["left"]), display=False),
        "right": [math(latex_of_value(side), display=False) for side in witness["right"]],
    }


def _attack(adversary: Record) -> dict[str, Any]:
    """What the adversary found; documents of before hold neither its sentence nor the closest input."""
    witness, closest = adversary["witness"], adversary.get("closest")
    outcome = "violated" if adversary["violated"] else "not violated"
    return {
        "sentence": "",
        **adversary,
        "outcome": outcome if adversary.get("starts", 1) else "not attackable",
        "witness": witness and _witness(witness),
        "closest": closest and math(latex_of_point(closest["at"])),
    }


def _case(case: Record) -> dict[str, Any]:
    return {
        "status": "",
        "scale": "small",
        "nearest": None,
        **case,
        "at": math(latex_of_point(case["at"]), display=False),
        "estimate": _figure(case["estimate"]),
        "claimed": _figure(case["claimed"]),
        "half_width": _figure(case.get("half_width")),
    }


def _figure(value: Any) -> str:
    """A measured value in a table cell: four significant figures, lists in brackets, flags."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "–"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        shown = ", ".join(_figure(part) for part in value[:8])
        return f"[{shown}{', …' if len(value) > 8 else ''}]"
    if isinstance(value, dict):
        return ", ".join(f"{k} = {_figure(v)}" for k, v in value.items())
    return str(value)


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
