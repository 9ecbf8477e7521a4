"""Index networks as LaTeX: what is summed over which indices, and at which row and column it stands."""

from __future__ import annotations

from typing import Any

from claims.precedence import Level, bracket, parenthesised, takes_scripts
from claims.typeset import typeset
from proofs.calculus.deltas import Labels, Term

__all__ = ["entries_latex"]


def entries_latex(term: Term) -> str:
    """A term of a network: what is summed, and at which row and column it stands."""
    name = {label: f"i_{{{place}}}" for place, label in enumerate(term.labels, 1)}

    def places(row: Labels, col: Labels) -> str:
        return r";\,".join("".join(name[label] for label in side) for side in (row, col))

    def indexed(symbol: Any) -> str:
        shown = typeset(symbol)
        return shown if takes_scripts(shown) else parenthesised(shown)

    free = {*term.row, *term.col}
    summed = "".join(name[label] for label in term.labels if label not in free)
    factors = [
        f"{indexed(array.symbol)}_{{{places(array.row, array.col)}}}" for array in term.arrays
    ]
    if not factors:
        factors = [typeset(term.coefficient)]
    elif term.coefficient != 1:
        factors.insert(0, bracket(typeset(term.coefficient), Level.PRODUCT))
    total = " ".join([rf"\sum_{{{summed}}}"] * bool(summed) + factors)
    return rf"\left[{total}\right]_{{{places(term.row, term.col)}}}"
