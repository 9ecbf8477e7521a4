"""The recorded figures: one picture and its data for every figure that can be redrawn."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from audit.site.build import RECORDED
from claims.registry import index
from numeric.figures import Figure, figures
from numeric.registry import load

load()
DRAWN = list(figures())


@pytest.mark.parametrize("figure", DRAWN, ids=lambda f: f.id)
def test_every_figure_is_recorded_with_its_data(figure: Figure) -> None:
    """`make figures` was run since the figure was added, and its panels' columns are there."""
    assert (RECORDED / f"{figure.id}.png").read_bytes().startswith(b"\x89PNG")
    with (RECORDED / f"{figure.id}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    wanted = {
        column
        for panel in figure.panels
        for column in (panel.x, panel.y, panel.group, panel.low, panel.high)
        if column
    }
    assert wanted <= set(rows[0])


def test_nothing_else_is_recorded() -> None:
    ids = {figure.id for figure in DRAWN}
    assert {Path(p.name).stem for p in RECORDED.iterdir()} == ids
    assert ids <= {entry.id for entry in index()}
