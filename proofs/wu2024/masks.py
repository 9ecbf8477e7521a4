r"""Proofs about masks: distances by potentials, sums over neighbours, and the order of the bound (6).

A function delta on the tokens is the distance from c when delta(c) = 0, no edge (u, v) raises it by
more than one, and every other token v has an edge (u, v) with delta(u) = delta(v) - 1: the first two
bound distances from below along any path, the third builds a path.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq

from sympy import (
    Abs,
    Expr,
    Integer,
    Rational,
    Sum,
    Symbol,
    exp,
    floor,
    simplify,
    symbols,
)
from sympy.tensor.indexed import IndexedBase

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MinOver, entry
from claims.wu2024 import masks as claims
from claims.wu2024.notation import G, N
from proofs.calculation import at_places
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import (
    assume,
    extremum_compared,
    generalise,
    instance,
    joint,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves

# Definition 5 -------------------------------------------------------------------------------------

c, u, m = symbols("c u m", integer=True, positive=True)
steps_away = Symbol("k", integer=True, nonnegative=True)


def line_distance(token: Expr) -> Expr:
    """The potential of the sliding window with centre c."""
    return Abs(token - c)


def sliding_window_distance_is_a_potential() -> bool:
    """delta = |v - c|, on both sides of c: v = c + k and v = c - k, k >= 0."""
    k = steps_away
    right, left = c + k, c - k
    along = [
        line_distance(right + 1) - line_distance(right),  # edge away from c on the right
        line_distance(left - 1) - line_distance(left),  # and on the left
    ]
    back = [line_distance(right) - line_distance(right + 1) for right in (right,)]
    back += [line_distance(left) - line_distance(left - 1) for left in (left,)]
    return line_distance(c) == 0 and along == [1, 1] and back == [-1, -1]


def best_centre_of_the_line() -> bool:
    """max(c - 1, N - c) >= (N - 1)/2, and c = floor(N/2) + 1 reaches floor(N/2)."""
    halves = simplify((c - 1) + (N - c) - (N - 1)) == 0  # the larger is at least the mean
    even = [(x - 1, 2 * m - x) for x in (m + 1,)]
    odd = [(x - 1, 2 * m + 1 - x) for x in (m + 1,)]
    reached = even == [(m, m - 1)] and odd == [(m, m)]
    # The least integer that is at least (N - 1)/2 is floor(N/2) in both parities.
    least = floor(Rational(1, 2) + (2 * m - 1) / 2) == m and floor((2 * m + 1) / Integer(2)) == m
    return halves and reached and bool(least)


def chain_distance_is_a_potential() -> bool:
    """delta = v - 1 from token 1: every edge (v, v + 1) raises it by one; no edge goes back."""
    rise = (steps_away + 2 - 1) - (steps_away + 1 - 1)
    return rise == 1 and (N - 1).subs(N, 1) == 0


def other_tokens_reach_no_first_token() -> bool:
    """Along edges (j, i) with j <= i tokens never fall, so none but token 1 reaches token 1."""
    start, gains = 2 + steps_away, Symbol("g", integer=True, nonnegative=True)
    return bool((start + gains - 1).is_positive)


def searched(largest: int) -> Callable[[], bool]:
    """Breadth-first search on every family, for N up to `largest`."""

    def test() -> bool:
        by_family = [[f(size).radius for size in range(2, largest + 1)] for f in claims.FAMILIES]
        formulas = [[int(v.subs(N, s)) for s in range(2, largest + 1)] for v in derived_radii()]
        return by_family == formulas

    return test


def derived_radii() -> tuple[Expr, ...]:
    """r of complete, causal, uni-directional, sliding window and star."""
    return Integer(1), Integer(1), N - 1, floor(N / 2), Integer(1)


@proves(claims.diameters_of_the_named_masks)
def by_potentials(claim: Claim) -> Certificate:
    """A potential is the distance from a centre; the best centre of the line is its middle."""
    steps = (
        Checked(
            r"\text{complete, causal, star: every other token attends to token 1, so its distances "
            r"are } 0\text{ and }1;\ \text{a centre has distance}\ge1\text{ to another token}",
            r"edges $(1,i)$ for all $i$, $N\ge2$; in the causal mask and star no other token is a "
            "centre",
            other_tokens_reach_no_first_token,
        ),
        Checked(
            r"\text{uni-directional: only token 1 is a centre, }\mathrm{dist}(1,v)=v-1\le N-1",
            "potential on the edges $(v,v+1)$",
            lambda: chain_distance_is_a_potential() and other_tokens_reach_no_first_token(),
        ),
        Checked(
            r"\text{sliding window: }\mathrm{dist}(c,v)=|v-c|",
            "potential on the edges $(v,v+1)$ and $(v+1,v)$, symbolic $c$ and $v$",
            sliding_window_distance_is_a_potential,
        ),
        Checked(
            r"\min_c\max(c-1,N-c)=\lfloor N/2\rfloor",
            "the larger of two numbers is at least their mean; both parities of $N$",
            best_centre_of_the_line,
        ),
        Checked(r"\text{all five for } N=2,\dots,12", "breadth-first search", searched(12)),
    )
    return decide(claim, derived_radii(), steps=steps, method="distances certified by potentials")


# The masked softmax -------------------------------------------------------------------------------


def row_sums_to_one() -> bool:
    """sum_j K_j/Z = (sum_j K_j)/Z for a row of symbolic length, and Z is that sum."""
    index, total = Symbol("j", integer=True), Symbol("Z", positive=True)
    kept = IndexedBase("K")[index]
    whole = Sum(kept, (index, 1, N))
    return simplify(Sum(kept / total, (index, 1, N)) - whole / total) == 0 and (
        (whole / total).subs(total, whole) == 1
    )


def exponentials_are_positive() -> bool:
    """Z_i > 0: the sum of exponentials over a set with at least one element."""
    score, others = Symbol("R", real=True), Symbol("rest", nonnegative=True)
    return bool((exp(score) + others).is_positive)


@proves(claims.masked_attention_is_row_stochastic)
def by_factoring_the_normaliser(claim: Claim) -> Certificate:
    """The normaliser of a row does not depend on the column, so it factors out of the row's sum."""
    entry = claims.normalised(claims.kept, claims.row_totals)
    steps = (
        Checked(r"Z_i=\sum_{k\in\mathcal N_i}e^{R_{ik}}>0", "exponentials are positive",
                exponentials_are_positive),
        Checked(r"\sum_jA_{ij}=\frac1{Z_i}\sum_jM_{ij}E_{ij}=1", "$Z_i$ does not depend on $j$",
                row_sums_to_one),
    )  # fmt: skip
    return decide(
        claim, (entry, claims.ones(N)), steps=steps, method="factoring the normaliser out of a row",
        same=eq,
    )  # fmt: skip


# A1 -----------------------------------------------------------------------------------------------


@proves(claims.every_token_has_a_neighbour)
def by_the_self_loop(claim: Claim) -> Certificate:
    """Token i is its own neighbour; other neighbours only add to the count."""
    domain = claims.every_token_has_a_neighbour.domain
    _, flags, loops = claims.Graphs(low=1).facts()
    row, column = symbols("i j", integer=True)
    edge = entry(G)(column, row)
    flag = at_places(assume(flags), column, row)
    some = generalise(joint(Compare(edge, ">=", 0), flag), column, 1, N)
    own = joint(
        Compare(Sum(edge, (column, 1, N)), ">=", 1), sum_at_least_term(some, row),
        instance(assume(loops), row),
    )  # fmt: skip
    least = extremum_compared(generalise(own, row, 1, N), MinOver)
    read = unfold(claims.fewest, MinOver(Sum(edge, (column, 1, N)), (row, 1, N)), domain)
    theorem = joint(Compare(claims.fewest, ">=", 1), least, read)
    return conclude(claim, theorem, method="the self-loop is a neighbour")
