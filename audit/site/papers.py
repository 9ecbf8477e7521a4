"""The page of a paper: its statements in its own order, and what rests on what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audit.site.front import truth
from audit.site.graph import dependency_graph
from audit.site.outline import Outline, outline
from audit.verdict import VERDICTS, origin_of
from claims.registry import Paper

__all__ = ["paper_page", "tally"]

Record = Mapping[str, Any]


def paper_page(about: Paper, records: Sequence[Record]) -> dict[str, Any]:
    """What the template shows of one paper."""
    found = outline(records, about.sections)
    return {
        "paper": about,
        "records": records,
        "tallied": [
            (addition, [r for r in records if origin_of(r)[1] == addition])
            for addition in dict.fromkeys(origin_of(r)[1] for r in records)
        ],
        "outline": found,
        "extra": _extra(found),
        "graph": dependency_graph(records),
        "tally": tally,
        "truth": truth,
        "verdicts": [v for v in VERDICTS if any(r["verdict"] == v for r in records)],
    }


def _extra(found: Outline) -> list[tuple[str, str, Sequence[Any]]]:
    """Sections that the paper does not have: anchor, heading and what stands in them."""
    sections: list[tuple[str, str, Sequence[Any]]] = [
        ("unplaced", "Statements whose source names no section", found.unplaced),
        ("ours", "Statements of our own, which the paper does not make", found.ours),
    ]
    if not found.sections:  # of an extension, whose sources need not name sections
        sections[0] = ("unplaced", "Statements", found.unplaced)
    return [section for section in sections if section[2]]


def tally(records: Iterable[Record]) -> list[tuple[str, int]]:
    """Verdicts and how many statements have each, in the order of `VERDICTS`."""
    counts = Counter(record["verdict"] for record in records)
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]
