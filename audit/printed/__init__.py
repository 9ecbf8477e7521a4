"""Reads the formula that a paper prints and holds the statement to it.

A statement is how somebody reads a formula.  Here the LaTeX of the paper is read once more, by a
grammar that knows nothing of the project's printer, and evaluated at points of the claim's domain:
each side of the printed formula that can be read must be a side of the statement, with the same
sign beside it.  What cannot be read (prose, quantities under other names) rests on the reader.
The hypotheses are read in the same way, and held to the domain and to every witness.
"""

from __future__ import annotations

from audit.printed.comparison import Reading, Side, printed_sides, read_printed
from audit.printed.hypotheses import narrower, outside
from audit.printed.naming import misnamed

__all__ = [
    "Reading", "Side", "misnamed", "narrower", "outside", "printed_sides", "read_printed",
]  # fmt: skip
