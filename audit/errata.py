"""Errata: every statement of a paper that does not hold as printed, fit to send to its authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from audit.mathtext import latex_of_value
from audit.points import formulas_of_point
from audit.sinks import Formula, Prose, as_latex, as_markdown, code_span
from claims.registry import paper

__all__ = ["errata"]


def errata(document: Mapping[str, Any], name: str) -> dict[str, str]:
    """The note on one paper, from an audit document: its Markdown and LaTeX text by file suffix."""
    own = [record for record in document["claims"] if record["paper"] == name]
    found = [_item(record) for record in own if record["verdict"] in {"refuted", "vacuous"}]
    mantissa, exponent = f"{document['false_alarm_budget']:.0e}".split("e")
    values = {
        "paper": paper(name), "found": found,
        "budget": Formula(rf"{mantissa}\cdot10^{{{int(exponent)}}}"),
        "version": document["twofold"], "seed": document["seed"],
        "commit": (document["environment"]["commit"] or "")[:12],
        "date": document["started"][:10],
    }  # fmt: skip
    return {
        suffix: _environment(sink).get_template(f"errata.{suffix}.j2").render(values)
        for suffix, sink in (("md", as_markdown), ("tex", as_latex))
    }


def _environment(sink: Callable[[object], str]) -> Environment:
    """Templates whose every value passes the sink, which escapes for Markdown or for LaTeX."""
    environment = Environment(
        loader=PackageLoader("audit"), undefined=StrictUndefined, keep_trailing_newline=True,
        autoescape=False, finalize=sink,  # neither Markdown nor LaTeX is HTML
    )  # fmt: skip
    environment.filters["code"] = code_span
    return environment


def _item(record: Mapping[str, Any]) -> dict[str, Any]:
    repair, proof = record["repair"], record["proof"]
    witness = proof["witness"] if proof else None
    adversary = record["adversary"]
    if witness is None and adversary and adversary["violated"]:
        witness = adversary["witness"]
    return {
        "id": record["id"], "source": record["source"], "title": Prose(record["title"]),
        "kind_of_error": (record["severity"] or record["verdict"]).replace("-", " "),
        "printed": record.get("printed") and Formula(record["printed"]),
        "statement": Formula(record["statement"]), "note": Prose(record.get("note", "")),
        "witness": witness and {
            "at": formulas_of_point(witness["at"]),
            "left": Formula(latex_of_value(witness["left"])),
            "right": Formula(r",\ ".join(latex_of_value(side) for side in witness["right"])),
        },
        "repair": repair and {
            **repair, "statement": Formula(repair["statement"]), "note": Prose(repair["note"]),
            "hypotheses": [Formula(h) for h in repair.get("hypotheses", [])],
        },
    }  # fmt: skip
