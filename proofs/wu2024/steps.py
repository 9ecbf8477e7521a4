"""Steps that several proofs about this paper share."""

from __future__ import annotations

from typing import Any

from sympy import expand, simplify

from proofs.certificate import Checked

__all__ = ["identity_step"]


def identity_step(text: str, left: Any, right: Any, by: str = "algebra") -> Checked:
    """`left = right` for all values of their symbols."""
    return Checked(text, by, lambda: simplify(expand(left - right)) == 0)
