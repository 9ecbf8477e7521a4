"""Which functions say that two values are one, for the kernel's `rewritten`: a closed list.

Each compares in a normal form of its own; what it calls equal is held to the exact definition at
points of the domain besides.  An equality that a proof brings along counts for nothing until it is
read and stands here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["LISTED", "listed"]

LISTED = {
    "_operator.eq",
    "proofs.calculus.normal.same",
    "proofs.im2026.attention_scores._same_scores",
    "proofs.im2026.backpropagation.same_gradient",
    "proofs.noci2022.activation.same",
    "proofs.noci2022.correlation._same_limit",
    "proofs.noci2022.forward.same_without_mean",
    "proofs.noci2022.leading_correction.same_with_cubic",
    "proofs.noci2022.moments.equal",
    "proofs.noci2022.network.same",
    "proofs.noci2022.scaling._same_flags",
    "proofs.noci2022.softmax._same_entry",
    "proofs.noci2022.sums.same_sums",
    "proofs.noci2022.vanishing.same_at_one_width",
    "proofs.wu2024.chains.same_shifts",
    "proofs.wu2024.equilibria.same_rows",
}


def listed(equal: Callable[[Any, Any], bool]) -> bool:
    """Whether a function is the one that bears a name of the list."""
    module, name = (getattr(equal, part, "") for part in ("__module__", "__qualname__"))
    known = f"{module}.{name}" in LISTED
    return known and getattr(sys.modules.get(module), name, None) is equal
