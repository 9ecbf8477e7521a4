r"""Singular values under a change of rank $r$, by the minimax principle, and how many are above a level.

At a unit vector $z$ that is orthogonal to the columns of $C$, $M^\top z=(M+CD)^\top z$.  In the span of
$u_1,\dots,u_{p+r}$ and orthogonal to $u_1',\dots,u_{p-1}'$ it has $s_{p+r}^2\le\|M^\top z\|^2\le s_p'^2$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, floor

from claims.model import Claim
from claims.naitsaada2025 import low_rank as claims
from claims.naitsaada2025.low_rank import C, D, M, above, after, k, n, r
from claims.statement import Compare
from claims.steps import built
from claims.terms import MaxOver, entry
from proofs.calculation import (
    at_places,
    conjuncts,
    extremum_over,
    for_all,
    integers_apart,
    linked,
    squared,
    weighed,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    instance,
    joint,
    sum_rearranged,
    unfold,
)
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.rayleigh import Rayleigh
from proofs.registry import proves

DOMAIN = claims.low_rank
p, q, i, j = (Symbol(name, integer=True) for name in "pqij")
CROSSINGS = {
    variable.symbol: variable
    for variable in DOMAIN.variables
    if variable.symbol in (claims.lower, claims.upper)
}
spectra = {matrix: Rayleigh(matrix, *claims.SPECTRA[matrix]) for matrix in (M, after)}
PAIRS = ((M, after, claims.lower), (after, M, claims.upper))
"""The matrix whose later values are below, the one whose values are above, and where they meet."""
SMALL = assume(Compare(r, "<=", k))


def changed(row: Any, column: Any) -> Theorem:
    """M'_ij = M_ij + (CD)_ij."""
    return at_places(assume(claims.CHANGED), row, column)


def same_at(met: Met) -> Theorem:
    """|M'^T z|^2 = |M^T z|^2 where C^T z = 0."""
    (apart,) = met.further

    def column(c: Any) -> Theorem:
        """(M'^T z)_c = (M^T z)_c + sum_q D_qc (C^T z)_q."""
        rows = weighed(met.z, lambda b: changed(b, c), n)
        swap = fact(
            FUBINI, a=met.z(i) * entry(C)(i, q) * entry(D)(q, c), j=i, k=q, rows=n, columns=r
        )
        none = weighed(lambda b: entry(D)(b, c), lambda b: instance(apart, b), r)
        own = spectra[M].pulled(met.z)(c)
        parts = sum_rearranged(rows.formula.right, own + swap.formula.left)  # type: ignore[attr-defined]
        goal = Compare(spectra[after].pulled(met.z)(c), "=", own)
        return linked(goal, rows, parts, swap, none)

    return squared(column, n)


@cache
def moved(low: Any, high: Any, symbol: Any) -> Theorem:
    """s_(p+r)^2 of the one matrix is at most s_p^2 of the other, for all p up to n - r."""
    met = Met(CROSSINGS[symbol], p)
    one, other = spectra[low], spectra[high]
    goal = Compare(one.root(p + r) ** 2, "<=", other.root(p) ** 2)
    found = linked(goal, met.at_least(one), met.at_most(other), same_at(met))
    inside = Compare(p, ">=", 1), Compare(p, "<=", n - r)
    ranges = (Compare(p + r, ">=", 1), Compare(p + r, "<=", n), Compare(p, "<=", n))
    return for_all(cut(found, *(joint(end, given=inside) for end in ranges)), (p, n - r))


def by_places(low: Any, high: Any, symbol: Any) -> Theorem:
    """s_(i+k)^2 of the one matrix is at most s_i^2 of the other, for i up to n - k: k >= r."""
    one = spectra[low]
    given = Compare(i, ">=", 1), Compare(i, "<=", n - k)
    order = at_places(one.falling, i + r, i + k)
    signs = instance(one.order, i + k), instance(one.order, i + r)
    families = {M: claims.own, after: claims.others}
    read = [
        instance(for_all(unfold(families[m](p), spectra[m].root(p) ** 2, DOMAIN, ((p, 1, n),)), (p, n)), at)
        for m, at in ((low, i + k), (high, i))
    ]  # fmt: skip
    goal = Compare(families[low](i + k), "<=", families[high](i))
    found = joint(goal, *read, order, *signs, instance(moved(low, high, symbol), i), SMALL)
    ends = [
        Compare(end, sign, side)
        for end in (i, i + k, i + r)
        for sign, side in ((">=", 1), ("<=", n))
    ]
    ends.append(Compare(i, "<=", n - r))
    return cut(found, *(joint(end, SMALL, given=given) for end in ends))


def counted(matrix: Any, level: Any) -> tuple[Any, Theorem, Theorem]:
    """How many values of a matrix are above a level, as an integer, its range, and which they are."""
    whole, which = (instance(assume(known), level) for known in claims.COUNTED[matrix])
    count = entry(above)(level, 1 + int(matrix is after))
    return built(floor, count), whole, which


def fewer(low: Any, high: Any, symbol: Any) -> Theorem:
    """Above a level there are at most r more values of the one matrix than of the other.

    Else s_h^2 of the one is above it for their number h, and s_(h-r)^2 of the other is not.
    """
    (h, own, first), (g, whole, second) = (counted(matrix, j) for matrix in (low, high))
    more = Compare(h - r, ">", g)
    known = own, whole, integers_apart(Integer(0), h - r), assume(more)
    found = joint(
        Compare(h - r, "<=", g), instance(first, h), instance(second, h - r),
        instance(moved(low, high, symbol), h - r), own, whole, given=(more,),
    )  # fmt: skip
    ends = [Compare(end, sign, side) for end in (h, h - r) for sign, side in ((">=", 1), ("<=", n))]
    ends.append(Compare(h - r, "<=", n - r))
    shown = cut(found, *(joint(end, *known) for end in ends))
    return joint(Compare(h - r, "<=", g), discharge(shown, more))


def gap() -> Theorem:
    """The largest difference of two counts, over all levels, is at most r."""
    between = [fewer(*pair) for pair in PAIRS]
    counts = [entry(above)(j, column) for column in (1, 2)]
    own = [counted(matrix, j)[1] for matrix in (M, after)]
    each = joint(Compare(Abs(counts[0] - counts[1]), "<=", r), *between, *own)
    most = extremum_over(MaxOver, each, (j, 2 * n))
    read = unfold(claims.distribution_gap, most.formula.left / n, DOMAIN)  # type: ignore[attr-defined]
    rank = unfold(claims.rank_of_change, r, DOMAIN)
    return joint(
        conjuncts(claims.singular_values_after_a_change_of_rank_k.formula)[1], most, read, rank
    )


@proves(claims.singular_values_after_a_change_of_rank_k_as_printed)
def by_the_minimax_principle(claim: Claim) -> Certificate:
    """Where $C^T z=0$ both matrices agree; and counts of values above a level follow their places."""
    places = for_all(both(*(by_places(*pair) for pair in PAIRS)), (i, n - k))
    return conclude(claim, both(places, gap()), method="minimax principle of Courant and Fischer")
