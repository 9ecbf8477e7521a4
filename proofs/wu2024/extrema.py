r"""Proofs about the entries of a vector under attention, for every number of tokens.

One layer replaces an entry by an average of all entries.  What is used of the other entries is that
they do not exceed M (or fall below m), so N never enters; layers are added by induction.  Statements
about minima are those about maxima for -x, which exchanges m with -M and p with 1 - p.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Sum, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver, Recursion, entry
from claims.wu2024 import extrema as claims
from claims.wu2024.extrema import M, diagonal, low_centre, m, spread
from claims.wu2024.notation import N, T, attention, epsilon, p, t, x
from claims.wu2024.setup import AttentionSequence
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    extremum_bounds,
    extremum_compared,
    generalise,
    instance,
    joint,
    recursion_step,
    sum_compared,
    sum_rearranged,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.steps import (
    algebra,
    average_is_below_maximum,
    bounded,
    chain_of_neighbours,
    nonnegative,
)

ALL_MASKS = "all N >= 2, all masks, all real x, every number of layers"
CENTRED = "all N >= 2, all quasi-strongly connected masks with self-loops, all real x, all T >= 0"


def mirrored(expression: Expr) -> Expr:
    """The same bound for -x: a bound from above on -x_i."""
    return expression.subs({m: -M, M: -m, p: 1 - p}, simultaneous=True)


weights = entry(attention)
vector = Recursion(
    "x",
    lambda i: entry(x)(i),
    lambda t, i, before: Sum(weights(t, i, j) * before(j), (j, 1, N)),
)
i, j = symbols("i j", integer=True)
stochastic, nonnegative_entries, *_ = AttentionSequence(attention, length=T).facts()


def averages_stay_inside(kind: type) -> Theorem:
    """max_i x_i^{(t+1)} <= max_i x_i^{(t)}, and the reverse for minima: each entry is an average."""
    sign = "<=" if kind is MaxOver else ">="
    extremum = kind(vector(t, j), (j, 1, N))
    row = instance(instance(assume(stochastic), t), i)
    weight = instance(instance(instance(assume(nonnegative_entries), t), i), j)
    term = joint(
        Compare(weights(t, i, j) * vector(t, j), sign, weights(t, i, j) * extremum),
        extremum_bounds(extremum, j), weight,
    )  # fmt: skip
    bound = Sum(weights(t, i, j), (j, 1, N)) * extremum
    summed = sum_compared(generalise(term, j, 1, N))
    entry_after = joint(
        Compare(vector(t + 1, i), sign, extremum),
        recursion_step(vector, t, i), summed, sum_rearranged(summed.formula.right, bound), row,
    )  # fmt: skip
    return extremum_compared(generalise(entry_after, i, 1, N), kind)


@proves(claims.extrema_are_monotone)
def by_averages(claim: Claim) -> Certificate:
    """Every entry of A x is an average of entries of x, so it stays between m and M."""
    printed = claims.extrema_are_monotone.domain
    sides = []
    for family, kind in ((claims.top, MaxOver), (claims.bottom, MinOver)):
        inside = averages_stay_inside(kind)
        now, then = (
            unfold(family(s), kind(vector(s, i), (i, 1, N)), printed, ((t, 0, T - 1),))
            for s in (t, t + 1)
        )
        sides.append(
            joint(Compare(family(t + 1), inside.formula.sign, family(t)), inside, now, then)
        )
    theorem = generalise(both(*sides), t, 0, T - 1)
    return conclude(claim, theorem, method="every entry is an average", scope=ALL_MASKS)


def distance_to_maximum() -> tuple[Any, ...]:
    """Induction in T: from x_i <= u = q m + (1 - q) M to a q in place of q, a = A_ii."""
    a, b, q = symbols("a_i a_j q", nonnegative=True)
    u, x, other = symbols("u x_i x_j", real=True)
    below = q * m + (1 - q) * M
    return (
        algebra(
            r"au+a_jM-(ax_i+a_jx_j)=a(u-x_i)+a_j(M-x_j)",
            a * u + b * M - (a * x + b * other), a * (u - x) + b * (M - other),
            "for one other token and, summand by summand, for all of them",
        ),
        nonnegative(
            r"a(u-x_i)+a_j(M-x_j)\ge0", a * (u - x) + b * (M - other),
            a * (u - x), b * (M - other), given=(u - x, M - other),
        ),
        algebra(
            r"a\,(qm+(1-q)M)+(1-a)M=aq\,m+(1-aq)M", a * below + (1 - a) * M,
            a * q * m + (1 - a * q) * M,
        ),
        *average_is_below_maximum(),
    )  # fmt: skip


def upper() -> Expr:
    """p Pi m + (1 - p Pi) M, what T steps make of q = p at T = 0."""
    return p * diagonal * m + (1 - p * diagonal) * M


@proves(claims.token_keeps_part_of_its_distance_to_the_maximum)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """A token gives itself weight A_ii, and the other tokens are at most M, which never rises."""
    return bounded(
        claim, claims.token_keeps_part_of_its_distance_to_the_maximum, (upper(),),
        steps=distance_to_maximum(), method="induction over layers", scope=ALL_MASKS,
    )  # fmt: skip


@proves(claims.token_stays_above_by_the_same_factor)
def by_reflection(claim: Claim) -> Certificate:
    """The upper bound for -x: m and M change places, and p becomes 1 - p."""
    return bounded(
        claim, claims.token_keeps_part_of_its_distance_to_the_minimum, (mirrored(upper()),),
        steps=distance_to_maximum(), method="Lemma 2's upper bound for -x", scope=ALL_MASKS,
    )  # fmt: skip


# Eq. (13)-(16) ------------------------------------------------------------------------------------


def pull_of_a_centre() -> tuple[Any, ...]:
    """Induction in T: from M - x_j >= w Delta within distance T to eps w within T + 1."""
    a, e, q, gap = symbols(r"a \epsilon w \Delta", nonnegative=True)
    top, near, other, b = symbols("M x_j x_l b", real=True)
    weight = symbols("a_l", nonnegative=True)
    return (
        chain_of_neighbours(),
        algebra(
            r"M(a+a_l)-(ax_j+a_lx_l)=a(M-x_j)+a_l(M-x_l)",
            top * (a + weight) - (a * near + weight * other),
            a * (top - near) + weight * (top - other),
            "for one other token and, summand by summand, for all of them",
        ),
        nonnegative(
            r"a(M-x_j)-\epsilon w\Delta\ge0\ \text{for } a\ge\epsilon,\ M-x_j\ge w\Delta",
            a * b - e * q * gap, (a - e) * b, e * (b - q * gap), given=(a - e, b - q * gap, b),
        ),
        *average_is_below_maximum(),
    )  # fmt: skip


@proves(claims.centre_pulls_by_p_in_both_cases)
def by_induction_over_distance(claim: Claim) -> Certificate:
    """Each step away from the centre costs a factor eps; the two cases start from p and 1 - p."""
    repair = claims.centre_pulls_by_p_or_its_complement
    start = algebra(
        r"M-(pm+(1-p)M)=p\,(M-m),\quad(pm+(1-p)M)-m=(1-p)(M-m)",
        (M - (p * m + (1 - p) * M)) + symbols("z") * (p * m + (1 - p) * M - m),
        p * (M - m) + symbols("z") * (1 - p) * (M - m),
    )
    place = low_centre * p + (1 - low_centre) * (1 - p)
    return bounded(
        claim, repair, (-place * epsilon**T * spread,), steps=(start, *pull_of_a_centre()),
        method="induction over the distance from the centre, for x and for -x", scope=CENTRED,
    )  # fmt: skip
