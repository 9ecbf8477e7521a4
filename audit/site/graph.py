"""The dependency graph of a paper as SVG: what each claim uses, and how a verdict travels.

Claims stand in columns by the longest chain of claims below them.  Within a column the order is that
of the barycentre of the neighbours, swept forth and back, which keeps most arrows short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
from markupsafe import Markup, escape

from audit.site.front import has_page
from audit.verdict import MARKS

__all__ = ["dependency_graph"]

Record = Mapping[str, Any]
COLUMN, ROW, BOX, TALL, MARGIN = 270, 30, 220, 22, 20
SWEEPS = 6


def dependency_graph(records: Sequence[Record]) -> dict[str, Any]:
    """SVG of the claims that use or are used, its size, and the claims that stand alone."""
    by_id = {record["id"]: record for record in records}
    graph = nx.DiGraph()
    for record in records:
        for used in record["uses"]:
            if used in by_id:
                graph.add_edge(used, record["id"])
    alone = [record for record in records if record["id"] not in graph]
    if not graph:
        return {"svg": None, "alone": alone, "linked": []}
    places = _places(graph)
    width = max(x for x, _ in places.values()) + BOX + MARGIN
    height = max(y for _, y in places.values()) + TALL + MARGIN
    tainted = {n for n in graph if by_id[n]["verdict"] == "refuted" or by_id[n]["rests_on_refuted"]}
    parts = [_edge(a, b, places, by_id, a in tainted) for a, b in graph.edges]
    parts += [_node(by_id[name], places[name]) for name in graph]
    svg = Markup(
        f'<svg id="graph" viewBox="0 0 {width} {height}" data-width="{width}" data-height="{height}" '
        f'role="group" aria-label="Dependency graph: {len(graph)} claims, {graph.size()} uses">'
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>' + "".join(parts) + "</svg>"
    )
    return {"svg": svg, "alone": alone, "linked": [by_id[n] for n in graph]}


def _places(graph: nx.DiGraph) -> dict[str, tuple[float, float]]:
    columns = [list(level) for level in nx.topological_generations(graph)]
    order = {name: place for column in columns for place, name in enumerate(column)}
    for sweep in range(SWEEPS):
        neighbours = graph.predecessors if sweep % 2 == 0 else graph.successors
        for column in columns:
            column.sort(key=lambda name: _barycentre(name, neighbours, order))
            order.update({name: place for place, name in enumerate(column)})
    tallest = max(map(len, columns))
    return {
        name: (MARGIN + COLUMN * x, MARGIN + ROW * (y + (tallest - len(column)) / 2))
        for x, column in enumerate(columns)
        for y, name in enumerate(column)
    }


def _barycentre(name: str, neighbours: Any, order: Mapping[str, int]) -> float:
    near = [order[other] for other in neighbours(name)]
    return sum(near) / len(near) if near else order[name]


def _node(record: Record, place: tuple[float, float]) -> str:
    x, y = place
    verdict, short = record["verdict"], record["id"].split(".", 1)[-1]
    label = short if len(short) <= 28 else f"{short[:27]}…"
    rests = " rests" if record["rests_on_refuted"] else ""
    said = f"{record['id']}: {verdict}" + ("; rests on a refuted claim" if rests else "")
    page = (
        f'href="../claims/{escape(record["id"])}.html"'
        if has_page(record)
        else 'tabindex="0" role="img"'
    )
    return (
        f'<a class="node {verdict}{rests}" {page} data-id="{escape(record["id"])}" aria-label="{escape(said)}">'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{TALL}" rx="5"/>'
        f'<text x="{x + 8:.1f}" y="{y + 15:.1f}">{MARKS[verdict]} {escape(label)}</text></a>'
    )


def _edge(
    used: str, user: str, places: Mapping[str, tuple[float, float]], by_id: Mapping[str, Record],
    tainted: bool,
) -> str:  # fmt: skip
    """An arrow from what is used to what uses it; its colour is the status that travels along it."""
    (x1, y1), (x2, y2) = places[used], places[user]
    x1, y1, y2 = x1 + BOX, y1 + TALL / 2, y2 + TALL / 2
    bend = (x2 - x1) / 2
    status = "refuted" if tainted else by_id[used]["verdict"]
    return (
        f'<path class="edge {status}" data-from="{escape(used)}" data-to="{escape(user)}" '
        f'd="M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"/>'
    )
