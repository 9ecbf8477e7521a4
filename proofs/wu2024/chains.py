r"""Chains under W_V - I: exponents of one nilpotent matrix, and basis rows that move one place.

A row of rank k satisfies v n^m = 0 exactly for m >= k, n = I - W_V.  So a statement about the chain
v n^{k-j} is one about exponents, decided from the signs of integers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Identity,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Piecewise,
    Symbol,
)

from claims.domain import Domain
from claims.expressions import Entrywise
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import Recursion
from claims.wu2024 import chains as claims
from claims.wu2024.chains import after, moved
from claims.wu2024.notation import d, k, w
from proofs.calculation import at_places, for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide, same
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves

# The printed matrices ------------------------------------------------------------------------------


FIRST = d - k + 1
"""The first row that W_V - I moves."""
a, b, m = (Symbol(name, integer=True) for name in "abm")
n = Symbol("n", integer=True, nonnegative=True)
powers = Recursion(
    "P",
    lambda a, b: KroneckerDelta(a, b),
    lambda s, a, b, before: Piecewise((w * before(a, b - 1), b >= FIRST + 1), (0, True)),
)
"""Entries of (W_V - I)^s: one factor more moves columns from the first moved one on by one place."""


def read(domain: Domain, power: Any, row: Any, column: Any, *over: Any) -> Theorem:
    return unfold(claims.shift_power(power, row, column), powers(power, row, column), domain, over)


@cache
def first_row_moves(domain: Domain) -> Theorem:
    """Entry (first, first + n) of the n-th power is w^n: not zero."""
    body = Compare(powers(n, FIRST, FIRST + n), "=", w**n)
    start = joint(body.substitute({n: Integer(0)}), recursion_start(powers, FIRST, FIRST))
    step = joint(
        body.substitute({n: n + 1}), assume(body), recursion_step(powers, n, FIRST, FIRST + n + 1)
    )
    last = instance(induction(start, step, n), k - 1)
    return joint(
        Compare(claims.shift_power(k - 1, FIRST, d), "!=", 0), last, read(domain, k - 1, FIRST, d),
        given=(Compare(w, ">=", 1),),
    )  # fmt: skip


@cache
def every_row_is_killed(domain: Domain) -> Theorem:
    """Columns b <= first + n of the power n + 1 are zero, and for n + 1 = k these are all."""
    none = lambda s: ForAll(b, 1, FIRST + s, Compare(powers(s + 1, a, b), "=", 0))  # noqa: E731
    one = lambda s: recursion_step(powers, s, a, b)  # noqa: E731
    below = Compare(b, "<=", FIRST)
    start = generalise(joint(none(Integer(0)).body, one(Integer(0)), given=(below,)), b, 1, FIRST)
    before = discharge(instance(assume(none(n)), b - 1), Compare(b - 1, ">=", 1))
    inside = (Compare(b, ">=", 1), Compare(b, "<=", FIRST + n + 1))
    known = joint(Compare(FIRST, ">=", 1), given=(Compare(k, "<=", d),))
    step = cut(joint(none(n + 1).body, before, one(n + 1), known, given=inside), assume(inside[1]))
    every = induction(start, generalise(step, b, 1, FIRST + n + 1), n)
    zero = joint(
        Compare(claims.shift_power(k, a, b), "=", 0), at_places(every, k - 1, b),
        read(domain, k, a, b, (a, 1, d), (b, 1, d)),
    )  # fmt: skip
    zero = cut(zero, assume(Compare(b, "<=", d)))
    return for_all(zero, (a, d), (b, d))


@proves(claims.printed_matrices_have_chains_of_length_k)
def by_moving_basis_rows(claim: Claim) -> Certificate:
    """W_V - I moves basis rows one place to the right: k - 1 moves from place d - k + 1 end at d."""
    domain = (claim.base or claim).domain
    theorem = both(first_row_moves(domain), every_row_is_killed(domain))
    return conclude(claim, theorem, method="basis rows moved one place")


def without_entries(expression: Any) -> Any:
    """Shift matrices as matrix symbols, one for every number of places."""
    names = {
        e: MatrixSymbol(f"S{place}", d, d)
        for place in (1, 2)
        for e in expression.atoms(Entrywise)
        if e == moved(place)
    }
    return expression.xreplace(names)


def same_shifts(left: Any, right: Any) -> bool:
    """Equality of matrix expressions with shifts in them."""
    return same(without_entries(left), without_entries(right))


@proves(claims.rows_shift_by_one_place)
def by_subtracting_the_identity(claim: Claim) -> Certificate:
    """I - (I + w S) = -w S, and x S is x moved one place to the right."""
    value = after * (Identity(d) - (Identity(d) + w * moved(1)))
    return decide(
        claim, value, method="$W_V=I+wS$",
        same=same_shifts,
    )  # fmt: skip
