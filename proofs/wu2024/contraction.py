r"""Proofs of Lemma 3, Corollary 2 and of the columns of the tokens, for every number of tokens.

Over r layers the maximum falls by at least epsilon^r of its distance to a centre's entry, and the
minimum rises by at least epsilon^r of its own, so that the width contracts by 1 - epsilon^r wherever
that entry lies: Lemma 3 holds for p = 1, and a smaller p says less.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver
from claims.wu2024 import contraction as claims
from claims.wu2024.extrema import bottom, top
from claims.wu2024.notation import epsilon, k, p, r, t
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, instance, joint, substitute, unfold
from proofs.registry import proves
from proofs.wu2024.averages import Averages, s, vector

CENTRED = "all N >= 2, all quasi-strongly connected masks with self-loops, all real x"


def widths(averages: Averages, domain: Domain, *layers: Any) -> list[Theorem]:
    """M and m of the layers, as terms."""
    kinds = ((top, MaxOver), (bottom, MinOver))
    return [
        unfold(f(at), averages.extreme(kind, at), domain) for f, kind in kinds for at in layers
    ]


@proves(claims.width_contracts_over_the_diameter)
def by_the_pull_of_a_centre(claim: Claim) -> Certificate:
    """Period by period, by induction; 1 - epsilon^r <= 1 - p epsilon^r."""
    averages = Averages(vector, k * r)
    every = instance(substitute(averages.periods(p), {s: Integer(0)}), k)
    goal = Compare(
        claims.width_at(k * r), "<=", (1 - p * epsilon**r) ** k * claims.width_at(0)
    )
    ends = widths(averages, claims.width_contracts_over_the_diameter.domain, 0, k * r)
    return conclude(
        claim, joint(goal, every, *ends), method="the pull of a centre on both extremes",
        scope=f"{CENTRED}, all k >= 0, 0 <= p <= 1",
    )  # fmt: skip


@proves(claims.width_decays_exponentially)
def by_whole_periods(claim: Claim) -> Certificate:
    """Lemma 3 over the whole periods of r layers; in the rest the width does not grow."""
    averages = Averages(vector, t)
    decay = (1 - epsilon**r) ** (t / r - (r - 1) / r)
    goal = Compare(claims.width_at(t), "<=", decay * claims.width_at(0))
    ends = widths(averages, claims.width_decays_exponentially.domain, 0, t)
    return conclude(
        claim, joint(goal, averages.decays(t), *ends), method="Lemma 3 over whole periods",
        scope=f"{CENTRED}, all t >= 0",
    )  # fmt: skip
