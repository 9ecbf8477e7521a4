"""The page of recorded benchmarks: pictures with their data, headline figures, and the hardware."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.site.gallery import size_of

__all__ = ["FOLDER", "benchmarks_page", "files_of"]

INDEX, FOLDER = "index.json", "benchmarks"
"""What `twofold bench --plots` lists in its folder, and where the site keeps the pictures."""


def files_of(store: Path | None) -> list[Path]:
    """Pictures and data that the index of a folder names, of those that are there."""
    names = [picture["name"] for picture in _index(store)["pictures"]]
    paths = [(store or Path()) / f"{name}.{suffix}" for name in names for suffix in ("png", "csv")]
    return [path for path in paths if path.is_file()]


def benchmarks_page(store: Path | None) -> dict[str, Any]:
    """Values of the template: for each benchmark its lines and pictures; empty where none is recorded."""
    index = _index(store)
    there = {path.name for path in files_of(store)}
    pictures = [
        {**picture, "size": size_of((store or Path()) / f"{picture['name']}.png")}
        for picture in index["pictures"]
        if {f"{picture['name']}.png", f"{picture['name']}.csv"} <= there
    ]
    return {
        "benchmarks": [
            {
                **each, "hardware": _said(each["hardware"]),
                "pictures": [p for p in pictures if p["benchmark"] == each["benchmark"]],
            }
            for each in index["benchmarks"]
        ],
        "has_card": any(each["benchmark"] == "card" for each in index["benchmarks"]),
    }  # fmt: skip


def _index(store: Path | None) -> Mapping[str, Any]:
    if store is None or not (store / INDEX).is_file():
        return {"pictures": [], "benchmarks": []}
    found: Mapping[str, Any] = json.loads((store / INDEX).read_text(encoding="utf-8"))
    return found


def _said(hardware: Mapping[str, Any]) -> str:
    """Processor, cores, device and versions in a sentence.

    >>> _said({"processor": "A CPU", "cores": 2, "python": "3.11", "torch": "2.13", "load": 0.5})
    'A CPU, 2 cores; Python 3.11, PyTorch 2.13; load 0.5 when it began'
    """
    card = hardware.get("device", "cpu")
    parts = [
        hardware["processor"],
        f"{hardware['cores']} cores",
        *([] if card == "cpu" else [card]),
    ]
    said = f"{', '.join(parts)}; Python {hardware['python']}, PyTorch {hardware['torch']}"
    return f"{said}; load {hardware['load']} when it began" if "load" in hardware else said
