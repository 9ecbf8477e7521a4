r"""Proofs of Lemma 3, Corollary 2 and of the columns of the tokens, for every number of tokens.

Over r layers the maximum falls by at least epsilon^r of its distance to a centre's entry, and the
minimum rises by at least epsilon^r of its own, so that the width contracts by 1 - epsilon^r wherever
that entry lies: Lemma 3 holds for p = 1, and a smaller p says less.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Sum, Symbol, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver
from claims.wu2024 import contraction as claims
from claims.wu2024.dynamics import product_bound, values_up_to
from claims.wu2024.extrema import bottom, top
from claims.wu2024.notation import d, epsilon, k, p, r, t
from proofs import facts
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    both,
    cut,
    extremum_bounds,
    fact,
    generalise,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024 import unrolled
from proofs.wu2024.averages import Averages, j, period_factor, s, vector
from proofs.wu2024.unrolled import m

CENTRED = r"all $N\ge2$, all quasi-strongly connected masks with self-loops, all real $x$"


def widths(averages: Averages, domain: Domain, *layers: Any) -> list[Theorem]:
    """M and m of the layers, as terms."""
    kinds = ((top, MaxOver), (bottom, MinOver))
    return [unfold(f(at), averages.extreme(kind, at), domain) for f, kind in kinds for at in layers]


@proves(claims.width_contracts_over_the_diameter)
def by_the_pull_of_a_centre(claim: Claim) -> Certificate:
    """Period by period, by induction; 1 - epsilon^r <= 1 - p epsilon^r."""
    averages = Averages(vector, k * r)
    every = instance(substitute(averages.periods(p), {s: Integer(0)}), k)
    goal = Compare(claims.width_at(k * r), "<=", (1 - p * epsilon**r) ** k * claims.width_at(0))
    ends = widths(averages, claims.width_contracts_over_the_diameter.domain, 0, k * r)
    return conclude(
        claim, joint(goal, every, *ends), method="the pull of a centre on both extremes"
    )


@proves(claims.width_decays_exponentially)
def by_whole_periods(claim: Claim) -> Certificate:
    """Lemma 3 over the whole periods of r layers; in the rest the width does not grow."""
    averages = Averages(vector, t)
    decay = (1 - epsilon**r) ** (t / r - (r - 1) / r)
    goal = Compare(claims.width_at(t), "<=", decay * claims.width_at(0))
    ends = widths(averages, claims.width_decays_exponentially.domain, 0, t)
    return conclude(
        claim, joint(goal, averages.decays(t), *ends), method="Lemma 3 over whole periods"
    )


# Columns of the tokens ----------------------------------------------------------------------------


def widths_decay() -> Theorem:
    """After t + 1 layers every column of Y has at most (1-eps^r)^(t/r-(r-1)/r) of the widest width."""
    feature, factor = unrolled.feature(t + 1), 1 - epsilon**r
    earlier, later = ((at - r + 1) / r for at in (t, t + 1))
    falls = fact(facts.POWER_FALLS, a=factor, p=earlier, q=later)
    slower = cut(falls, period_factor(), joint(Compare(earlier, "<=", later)))
    goal = Compare(feature.width(t + 1), "<=", factor**earlier * WIDEST)
    bounds = (slower, feature.not_negative(0), extremum_bounds(WIDEST, m))
    power = joint(Compare(factor**earlier, ">", 0), period_factor())
    return generalise(joint(goal, feature.decays(t + 1), power, *bounds), m, 1, d)


@proves(claims.weights_can_be_dropped)
def by_columns(claim: Claim) -> Certificate:
    """The triangle inequality over columns, Corollary 2 for each, Cauchy-Schwarz for the weights."""
    domain, length, q = (
        claims.columns_contract_with_bounded_values.domain,
        t + 1,
        Symbol("q", real=True),
    )
    factor = (1 - epsilon**r) ** ((t - r + 1) / r)
    found = substitute(
        unrolled.column_contracts(length, length, WIDEST, q), {q: factor, j: claims.j}
    )
    contracted = cut(found, widths_decay())
    total = Sum(Abs(values_up_to(length, m, claims.j)), (m, 1, d))
    read = (
        unfold(claims.column_width, unrolled.width_of_column(length).subs(j, claims.j), domain),
        unfold(claims.weights, total, domain),
        unfold(claims.widest, WIDEST, domain),
    )
    goal = Compare(claims.column_width, "<=", factor * claims.widest * claims.weights)
    bounded = substitute(unrolled.sum_against_norm(length, length), {j: claims.j})
    limit = Compare(claims.weights, "<=", sqrt(d) * product_bound)
    return conclude(
        claim, both(joint(goal, contracted, *read), joint(limit, bounded, read[1])),
        method="triangle inequality and Corollary 2 by columns",
    )  # fmt: skip


WIDEST = MaxOver(unrolled.feature(t + 1).width(0), (m, 1, d))
