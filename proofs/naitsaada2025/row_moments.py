"""Moments of a row of an i.i.d. Markov matrix, by dominated convergence."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import row_moments as claims
from claims.naitsaada2025.shares import ROWS
from claims.statement import Tends
from proofs.certificate import Certificate
from proofs.conclude import argued
from proofs.kernel import Theorem, within, words
from proofs.registry import proves

METHOD = "law of large numbers; uniform integrability"


@proves(claims.moments_of_a_row)
def by_the_law_of_large_numbers(claim: Claim) -> Certificate:
    r"""$T\sum_ja_j^2$ converges almost surely, and powers of it are uniformly integrable.

    Where $\sum_jZ_j\ge\frac12mT$ they are bounded by means of $Z_j^2$ and $Z_j^4$; elsewhere by $T$, with a
    probability that is exponentially small (Chernoff's bound for sums of non-negative variables).
    """
    return argued(claim, steps=(), method=METHOD)


def of_a_row(limit: Tends) -> Theorem:
    """What a moment of a row tends to, for every law of Z: the same argument, in words."""
    return words(limit, METHOD, within(ROWS))
