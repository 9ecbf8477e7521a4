r"""A row-stochastic matrix and its part $A^\perp$, both with their singular values and vectors at a point."""

from __future__ import annotations

from sympy import MatrixSymbol, Symbol

from claims.domain import Computed
from claims.naitsaada2025.layers import centred
from claims.naitsaada2025.markov import A
from claims.naitsaada2025.notation import T
from claims.naitsaada2025.stable_rank import decomposed
from claims.statement import Compare, ForAll
from claims.terms import entry

__all__ = ["REST", "both_decomposed", "rest", "rest_roots", "rest_vectors", "roots", "vectors"]

i, j = (Symbol(name, integer=True) for name in "ij")
rest = MatrixSymbol(r"A^\perp", T, T)
REST = ForAll(i, 1, T, ForAll(j, 1, T, Compare(entry(rest)(i, j), "=", entry(A)(i, j) - 1 / T)))
roots, vectors = MatrixSymbol("s(A)", T, 1), MatrixSymbol("U(A)", T, T)
rest_roots, rest_vectors = MatrixSymbol(r"s(A^\perp)", T, 1), MatrixSymbol(r"U(A^\perp)", T, T)
both_decomposed = (
    Computed(rest, lambda at: centred(at[A]), known=(REST,)),
    *decomposed(A, roots, vectors), *decomposed(rest, rest_roots, rest_vectors),
)  # fmt: skip
"""Variables that come after A."""
