"""Wrong certificates and theorems offered to the kernel: how many, of which kinds, and what became of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["refusals"]

TESTS = Path(__file__).resolve().parents[2] / "tests"


@cache
def refusals() -> dict[str, int]:
    """Every false offer of `tests/wrong_*.py`, and its true siblings, offered now."""
    sys.path.insert(0, str(TESTS))
    offers = import_module("wrong_certificates")
    for path in sorted(TESTS.glob("wrong_*.py")):
        import_module(path.stem)

    def believed(offer: Callable[[], Any]) -> bool:
        try:
            return bool(offers.accepted(offer()))
        except offers.REFUSALS:
            return False

    false = [believed(offer) for family in offers.FAMILIES for offer in family.false]
    true = [believed(offer) for family in offers.FAMILIES for offer in family.true]
    return {
        "families": len(offers.FAMILIES),
        "false": len(false), "refused": false.count(False),
        "true": len(true), "accepted": true.count(True),
    }  # fmt: skip
