"""Recorded figures: which claims have one, and how large its picture is."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["figures_of", "size_of"]


def figures_of(document: Mapping[str, Any], store: Path | None) -> dict[str, list[Path]]:
    """Recorded files of each claim's figure: the picture and its data."""
    if store is None or not store.is_dir():
        return {}
    found = {}
    for record in document["claims"]:
        paths = [store / f"{record['id']}.{suffix}" for suffix in ("png", "csv")]
        if all(path.is_file() for path in paths):
            found[record["id"]] = paths
    return found


def size_of(picture: Path) -> tuple[int, int] | None:
    """Width and height from the head of a PNG, so that a page keeps its place before it is loaded."""
    with picture.open("rb") as file:
        head = file.read(24)
    if head[:8] != b"\x89PNG\r\n\x1a\n" or len(head) < 24:
        return None
    width, height = struct.unpack(">II", head[16:])
    return width, height
