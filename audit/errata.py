"""Errata: every statement of a paper that does not hold as printed, fit to send to its authors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from audit.mathtext import formulas_of_point, latex_of_value, latex_text
from claims.registry import paper

__all__ = ["errata"]


def errata(document: Mapping[str, Any], name: str) -> dict[str, str]:
    """The note on one paper, from an audit document: its Markdown and LaTeX text by file suffix."""
    own = [record for record in document["claims"] if record["paper"] == name]
    found = [_item(record) for record in own if record["verdict"] in {"refuted", "vacuous"}]
    environment = Environment(
        loader=PackageLoader("audit"), undefined=StrictUndefined, keep_trailing_newline=True,
        autoescape=False,  # neither Markdown nor LaTeX is HTML; `text` escapes LaTeX
    )  # fmt: skip
    values = {
        "paper": paper(name), "found": found, "text": latex_text,
        "budget": document["false_alarm_budget"],
        "budget_latex": r"{}\cdot10^{{{}}}".format(
            *(f"{document['false_alarm_budget']:.0e}".replace("e-0", "e-").split("e"))
        ),
        "version": document["twofold"], "seed": document["seed"],
        "commit": (document["environment"]["commit"] or "")[:12],
        "date": document["started"][:10],
    }  # fmt: skip
    return {
        suffix: environment.get_template(f"errata.{suffix}.j2").render(values)
        for suffix in ("md", "tex")
    }


def _item(record: Mapping[str, Any]) -> dict[str, Any]:
    repair, proof = record["repair"], record["proof"]
    witness = proof["witness"] if proof else None
    adversary = record["adversary"]
    if witness is None and adversary and adversary["violated"]:
        witness = adversary["witness"]
    return {
        "id": record["id"], "source": record["source"], "title": record["title"],
        "kind_of_error": (record["severity"] or record["verdict"]).replace("-", " "),
        "statement": record["statement"], "note": record.get("note", ""),
        "witness": witness and {
            "at": formulas_of_point(witness["at"]),
            "left": latex_of_value(witness["left"]),
            "right": r",\ ".join(latex_of_value(side) for side in witness["right"]),
        },
        "repair": repair and {**repair, "hypotheses": repair.get("hypotheses", [])},
    }  # fmt: skip
