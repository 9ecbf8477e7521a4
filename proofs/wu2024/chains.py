r"""Chains under W_V - I: exponents of one nilpotent matrix, and basis rows that move one place.

A row of rank k satisfies v n^m = 0 exactly for m >= k, n = I - W_V.  So a statement about the chain
v n^{k-j} is one about exponents, decided from the signs of integers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Identity, MatrixSymbol, Symbol, expand_power_base, simplify, symbols

from claims.expressions import Entrywise
from claims.model import Claim
from claims.wu2024 import chains as claims
from claims.wu2024.chains import after, moved
from claims.wu2024.notation import d, k, w
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import decide, same
from proofs.registry import proves

length, token = symbols("k j", integer=True, positive=True)
steps_below = Symbol("l", integer=True, nonnegative=True)
steps_above = Symbol("p", integer=True, positive=True)


def vanishes(exponent: Any) -> bool:
    """Whether v n^exponent = 0 follows: the exponent is at least the rank of v."""
    return bool((exponent - length).is_nonnegative)


def survives(exponent: Any) -> bool:
    """Whether v n^exponent != 0 follows: the exponent is below the rank of v."""
    return bool((length - 1 - exponent).is_nonnegative)


def place(j: Any) -> Any:
    """X_j = v n^place, from (30) read downwards: X_i = X_{i+1} n."""
    return length - j


def is_solved_downwards() -> bool:
    """X_k = v and X_{j-1} = X_j n, in exponents."""
    return place(length) == 0 and place(token - 1) - place(token) == 1


def alternates() -> bool:
    """n^m = (-1)^m (W_V - I)^m for every m >= 0."""
    z, m = Symbol("z", positive=True), Symbol("m", integer=True, nonnegative=True)
    return simplify(expand_power_base((-z) ** m) - (-1) ** m * z**m) == 0


def top_coefficient_vanishes() -> bool:
    """n^{m-1} kills X_j for j < m and does not kill X_m: a relation has no highest term."""
    below = place(token - 1 - steps_below) + token - 1  # j = m - 1 - l, l >= 0
    return vanishes(below) and survives(place(token) + token - 1)


def one_eigenvector() -> bool:
    """X_j (I - W_V) = v n^{place + 1} is zero for j = 1 and not zero for j = 1 + p."""
    return vanishes(place(1) + 1) and survives(place(1 + steps_above) + 1)


CHAIN_STEPS = (
    Checked(r"X_j=v\,n^{k-j},\ n=I-W_V", "(30) read downwards", is_solved_downwards),
    Checked(r"n^m=(-1)^m(W_V-I)^m", "powers of a negative", alternates),
    Checked(
        r"\textstyle\sum_{j\le m}c_jX_j=0\ \Rightarrow\ c_m\,v\,n^{k-1}=0\ \Rightarrow\ c_m=0",
        "multiply by $n^{m-1}$; exponents at least $k$ vanish, $k-1$ does not; downwards in $m$",
        top_coefficient_vanishes,
    ),
    Checked(r"X_jW_V=X_j\iff j=1", "exponent $k-j+1$", one_eigenvector),
)


@proves(claims.equilibrium_rows_are_a_jordan_chain)
def by_exponents(claim: Claim) -> Certificate:
    """Everything is a power of n applied to one row, and which powers vanish is known."""
    method = "exponents of the nilpotent part"
    scope = r"all $k\ge1$, all real $W_V$ and all rows $X_k$ of rank $k$ for eigenvalue 1"
    return argued(claim, steps=CHAIN_STEPS, method=method, scope=scope)


# The printed matrices ------------------------------------------------------------------------------


@cache
def moves_until_zero() -> Any:
    """e_a (W_V - I) = w e_{a+1} for first <= a < d and zero otherwise: moves of the first one.

    e_first (W_V - I)^m = w^m e_{first+m} is not zero up to first + m = d; every other basis row
    is killed sooner.
    """
    first = d - k + 1
    return d - first + 1


def longest_survives() -> bool:
    """e_first moves k - 1 times to e_d; the factor w^(k-1) is positive for w > 1."""
    above = Symbol("u", positive=True)
    last_move = moves_until_zero() - 1
    factor = (1 + above) ** last_move
    return (d - k + 1) + last_move == d and bool(factor.is_positive)


@proves(claims.printed_matrices_have_chains_of_length_k)
def by_moving_basis_rows(claim: Claim) -> Certificate:
    """W_V - I moves basis rows one place to the right, so that the nilpotency index counts moves."""
    method, scope = "basis rows moved one place", r"all integers $1\le k\le d$, all $w>1$"
    survives_ = Checked(
        r"e_{d-k+1}(W_V-I)^{k-1}=w^{k-1}e_d\ne0,\quad e_a(W_V-I)^k=0\ \forall a",
        "$k-1$ moves from place $d-k+1$ end at $d$",
        longest_survives,
    )
    return argued(claim, steps=(survives_,), method=method, scope=scope)


def without_entries(expression: Any) -> Any:
    """Shift matrices as matrix symbols, one for every number of places."""
    names = {
        e: MatrixSymbol(f"S{place}", d, d)
        for place in (1, 2)
        for e in expression.atoms(Entrywise)
        if e == moved(place)
    }
    return expression.xreplace(names)


@proves(claims.rows_shift_by_one_place)
def by_subtracting_the_identity(claim: Claim) -> Certificate:
    """I - (I + w S) = -w S, and x S is x moved one place to the right."""
    value = after * (Identity(d) - (Identity(d) + w * moved(1)))
    return decide(
        claim, value, method="$W_V=I+wS$", scope=r"all $d\ge1$, all real $w$ and all rows",
        same=lambda left, right: same(without_entries(left), without_entries(right)),
    )  # fmt: skip
