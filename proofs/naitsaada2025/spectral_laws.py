"""Lemma A.6: the bulk of A^perp is that of an i.i.d. table of mean zero, whose rows are scaled alike."""

from __future__ import annotations

from functools import cache

from sympy import Integer

from claims.model import Claim
from claims.naitsaada2025 import spectral_laws as claims
from claims.naitsaada2025.notation import mean_Z, sigma_A
from claims.naitsaada2025.spectral_gap import TABLE, laws
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, both, joint
from proofs.naitsaada2025.sure_limits import Outcome
from proofs.naitsaada2025.sure_moments import moment_tends
from proofs.registry import proves

METHOD = (
    "rows scaled and one direction taken out; moments of the quarter-circle law (Marchenko, Pastur)"
)


@cache
def moments() -> tuple[Theorem, ...]:
    """The first three even moments."""
    outcome, found = Outcome(TABLE, edges=1, powers=claims.POWERS), []
    for power, limit in claims.even_moment.items():
        tends = moment_tends(outcome, power, Integer(1))
        found.append(outcome.sure_limit(limit, tends.formula.limit, tends, laws))  # type: ignore[attr-defined]
    return tuple(found)


@proves(claims.no_gap_without_the_mean)
def by_both_edges(claim: Claim) -> Certificate:
    r"""$s_j(A^\perp)$ lies between multiples of $s_{j+1}(Z-m)$ and $s_j(Z-m)$, which have one limit."""
    outcome, value = Outcome(TABLE, edges=3), 2 * sigma_A / mean_Z
    ends = [
        outcome.sure_limit(limit, value, outcome.rest_tends(Integer(place), Integer(1)), laws)
        for place, limit in claims.edge.items()
    ]
    return conclude(
        claim,
        both(*ends),
        method="rows scaled and one direction taken out; norms of i.i.d. matrices",
    )


@proves(claims.quarter_circle_law_without_the_gap)
def by_scaled_rows(claim: Claim) -> Certificate:
    """Singular values lie between those of Z - m, times the least and the largest of T/row sum."""
    return conclude(claim, both(*moments()), method=METHOD)


@proves(claims.spectrum_resembles_a_gaussian_matrix)
def by_ratios_of_moments(claim: Claim) -> Certificate:
    """All three are powers of one deviation times 1, 2 and 5."""
    theorem = joint(claims.spectrum_resembles_a_gaussian_matrix.formula, *moments())
    return conclude(claim, theorem, method=METHOD)
