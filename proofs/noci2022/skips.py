"""Proof of Lemma A.5: products expand, and the cross terms are sums over B of a vanishing mean of A."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

from sympy import Expr, Sum

from claims.model import Claim
from claims.noci2022 import skips as claims
from claims.noci2022.skips import alpha, branches, column, other, p, q, row, s, streams, t
from claims.statement import Compare
from proofs.calculation import at_places, for_all, linked, summed_over, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, assume, joint, unfold
from proofs.registry import proves

DOMAIN = claims.centred_pair
ROWS, OTHERS, COLUMNS = (row, 1, p), (other, 1, p), (column, 1, q)
Value = Callable[[Any], Expr]
VALUES: dict[str, Value] = {
    "A": lambda i: claims.branch(s, t, i, column),
    "B": lambda i: claims.stream(s, i, column),
    "D": lambda i: alpha * claims.branch(s, t, i, column) + claims.stream(s, i, column),
}
"""Entries of column j in an outcome."""


def averaged(value: Expr) -> Expr:
    """Its expectation, over the values of A for each value of B."""
    return Sum(Sum(claims.chance(s, t) * value, (t, 1, branches)), (s, 1, streams))


def product(name: str) -> Theorem:
    """E M_ij M_i'j by its definition."""
    value = VALUES[name]
    return unfold(
        claims.products[name](row, other, column), averaged(value(row) * value(other)), DOMAIN,
        (ROWS, OTHERS, COLUMNS),
    )  # fmt: skip


def cross_term(one: Any, another: Any) -> Theorem:
    """E A_ij B_i'j = 0: for each value of B the mean of A vanishes."""
    centred = assume(claims.CENTRED_GIVEN_B)
    return weighed(
        lambda k: claims.stream(k, another, column),
        lambda k: at_places(centred, k, one, column),
        streams,
    )


@cache
def entries() -> Theorem:
    """E D_ij D_i'j = alpha^2 E A_ij A_i'j + E B_ij B_i'j at indices in range."""
    at = {name: claims.products[name](row, other, column) for name in VALUES}
    crossed = (cross_term(row, other), cross_term(other, row))
    goal = Compare(at["D"], "=", alpha**2 * at["A"] + at["B"])
    return linked(goal, *map(product, VALUES), *crossed)


def summed(entry: Theorem, moments: dict[str, Any], *ranges: Any) -> Theorem:
    """What holds of entries holds of their sum over places, which is what the moments are."""
    at = {name: claims.products[name](*PLACES[len(ranges)]) for name in VALUES}
    sums = {name: reduce(Sum, reversed(ranges), value) for name, value in at.items()}
    defined = [unfold(moments[name], total, DOMAIN) for name, total in sums.items()]
    goal = Compare(moments["D"], "=", alpha**2 * moments["A"] + moments["B"])
    return linked(goal, *defined, summed_over(entry, *ranges))


PLACES = {2: (row, row, column), 3: (row, other, column)}
"""The entries whose sum is the norm, and those whose sum is that of all inner products."""


@cache
def moments() -> Theorem:
    """The same for all entries, for the norm and for the sum of inner products."""
    every = for_all(entries(), ROWS, OTHERS, COLUMNS)
    diagonal = at_places(every, row, row, column)
    norm = summed(diagonal, claims.norm, ROWS, COLUMNS)
    inner = summed(entries(), claims.inner, ROWS, OTHERS, COLUMNS)
    return joint(claims.adds_up(), every, norm, inner)


@proves(claims.skip_connection_adds_second_moments)
def by_conditioning_on_the_stream(claim: Claim) -> Certificate:
    """Products expand; given B, the mean of A vanishes, and with it each cross term."""
    return conclude(claim, moments(), method="bilinearity and the tower property")
